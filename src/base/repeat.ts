/**
 * Repeats work, first after a separate pause. The pause counts from the end of the work, so that two runs never
 * overlap. `work` must not reject. `stop` resolves when the current run has ended.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  firstPauseMs = pauseMs,
): { stop: () => Promise<void> } {
  let hasStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = (milliseconds: number) => {
    timer = setTimeout(() => {
      running = work().then(() => {
        if (!hasStopped) wait(pauseMs)
      })
    }, milliseconds).unref()
  }
  wait(firstPauseMs)
  return {
    stop: () => {
      hasStopped = true
      clearTimeout(timer)
      return running
    },
  }
}

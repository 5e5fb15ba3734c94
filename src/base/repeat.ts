/**
 * Does something again and again, first after a pause of its own. The pause counts from the end, so that two never overlap. `work` must
 * not reject. `stop` resolves when what is under way has ended.
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

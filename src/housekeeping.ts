import type { Context } from './context.ts'

/** Something that collects and that nobody asks for any more. */
export interface Chore {
  /** What is deleted, for the log. */
  name: string
  /** Deletes up to `most` of them in one short step. Tells how many; fewer than `most` means that none is left. */
  deleteBatch(context: Context, most: number): Promise<number>
}

const pauseMs = 60_000
/** Small batches: nobody waits long for the locks of one. */
const batchSize = 500
const mostBatches = 20

/**
 * Does the chores a minute after the last time, one after the other. Nothing depends on their having run:
 * what is over counts as over by its own time. `stop` resolves when the batch in progress has ended.
 */
export function startHousekeeping(context: Context, chores: readonly Chore[]): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(() => {
      running = tidy(context, chores, stopping.signal).then(() => {
        if (!stopping.signal.aborted) wait() // counted from the end: two runs never overlap
      })
    }, pauseMs).unref()
  }
  wait()
  return {
    stop: () => {
      stopping.abort()
      clearTimeout(timer)
      return running
    },
  }
}

/** Does each chore once, in batches, and ends early when told to. One that fails keeps none of the others from being done. */
export async function tidy(
  context: Context,
  chores: readonly Chore[],
  stopping?: AbortSignal,
): Promise<void> {
  for (const chore of chores) {
    try {
      await doChore(context, chore, stopping)
    } catch (error) {
      context.log.warn({ err: error, chore: chore.name }, 'housekeeping failed; the next try is in a minute')
    }
  }
}

async function doChore(context: Context, chore: Chore, stopping: AbortSignal | undefined): Promise<void> {
  for (let batch = 0; batch < mostBatches && !stopping?.aborted; batch += 1) {
    if ((await chore.deleteBatch(context, batchSize)) < batchSize) return
  }
}

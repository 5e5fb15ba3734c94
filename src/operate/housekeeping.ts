import { repeat } from '../base/repeat.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Context } from '../bookings/context.ts'

const pauseMs = 60_000
/** A small number, so that nothing waits long for the locks of one batch. */
const batchSize = 500
const maxBatches = 20

/**
 * Runs the jobs one after the other, a minute after the last run. Nothing depends on them, because rows expire by their
 * own time. `stop` resolves when the current batch has ended.
 */
export function startHousekeeping(
  context: Context,
  jobs: readonly CleanupJob<Context>[],
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const repeated = repeat(() => tidy(context, jobs, stopping.signal), pauseMs)
  return {
    stop: () => {
      stopping.abort()
      return repeated.stop()
    },
  }
}

/** Runs each job once, in batches, until stopped. A failing job does not stop the others. */
export async function tidy(
  context: Context,
  jobs: readonly CleanupJob<Context>[],
  stopping?: AbortSignal,
): Promise<void> {
  for (const job of jobs) {
    try {
      await runJob(context, job, stopping)
    } catch (error) {
      context.log.warn({ err: error, job: job.name }, 'housekeeping failed; retrying in a minute')
    }
  }
}

async function runJob(
  context: Context,
  job: CleanupJob<Context>,
  stopping: AbortSignal | undefined,
): Promise<void> {
  for (let batch = 0; batch < maxBatches && !stopping?.aborted; batch += 1) {
    if ((await job.deleteBatch(context, batchSize)) < batchSize) return
  }
}

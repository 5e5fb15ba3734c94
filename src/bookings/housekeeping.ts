import type { Context } from '../context.ts'
import { plusSeconds } from '../instants.ts'
import { deleteOldClaims, deleteOldHolds } from './hold-queries.ts'

/** Hold records are kept a day after the hold has ended (contract: Success codes and bodies). */
const recordsKeptSeconds = 86_400
const intervalMs = 60_000
/** Small batches: nobody waits long for the locks of one. */
const batchRows = 500
const mostBatches = 20

/**
 * Deletes what nobody asks for any more, every minute, in small batches. Nothing depends on its having
 * run: a hold that lapsed frees its slot at that instant all the same.
 */
export function startHousekeeping(context: Context): { stop: () => Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  const stopping = new AbortController()
  const timer = setInterval(() => {
    running = tidy(context, stopping.signal).catch((error: unknown) => {
      context.log.warn({ err: error }, 'housekeeping failed; the next try is in a minute')
    })
  }, intervalMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}

/** Deletes lapsed claims and the records of holds that ended more than a day ago; ends early when told to stop. */
export async function tidy(context: Context, stopping?: AbortSignal): Promise<void> {
  for (const [deleteBatch, ageSeconds] of [
    [deleteOldClaims, 0],
    [deleteOldHolds, recordsKeptSeconds],
  ] as const) {
    for (let batch = 0; batch < mostBatches && !stopping?.aborted; batch += 1) {
      const deleted = await context.db.transaction((tx) =>
        deleteBatch(tx.db, plusSeconds(tx.now, -ageSeconds), batchRows),
      )
      if (deleted < batchRows) break
    }
  }
}

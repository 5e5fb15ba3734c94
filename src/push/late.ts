import type { Context } from './context.ts'
import { findDeviceIds, insertLate } from './push-queries.ts'

const devicesAtOnce = 100
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Queues a notification of each client who is late, for the devices that want it. Every server checks each minute, and
 * the unique key of a notification decides between two servers.
 */
export async function queueLate({ db, duePushes }: Pick<Context, 'db' | 'duePushes'>): Promise<void> {
  let queued = 0
  for (let after = firstId; ;) {
    const ids = await findDeviceIds(db.reads, after, devicesAtOnce)
    const [from, to] = [ids[0], ids.at(-1)]
    if (from === undefined || to === undefined) break
    queued += await db.transaction((tx) => insertLate(tx.db, { from, to, now: tx.now }))
    if (ids.length < devicesAtOnce) break
    after = to
  }
  if (queued > 0) duePushes.raise()
}

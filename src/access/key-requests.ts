import { instantFromMs, toMs } from '../base/instants.ts'
import type { KeyRequestsTable } from '../database/tables.ts'
import {
  deleteEarlierKeyRequests,
  findKeyRequests,
  insertKeyRequests,
  setLastUsed,
} from './access-queries.ts'
import type { Context } from './context.ts'

/** Requests of a key that are kept. */
export const maxKeyRequests = 100

const hourMs = 3_600_000

/** Stores requests, and the hour as that of the keys' last use. Deletes earlier requests of the same keys. */
export function storeKeyRequests(
  { db }: Pick<Context, 'db'>,
  requests: readonly KeyRequestsTable[],
): Promise<void> {
  const keyIds = [...new Set(requests.map(({ api_key_id }) => api_key_id))]
  return db.transaction(async (tx) => {
    await insertKeyRequests(tx.db, requests)
    await deleteEarlierKeyRequests(tx.db, keyIds, maxKeyRequests)
    await setLastUsed(tx.db, keyIds, instantFromMs(Math.floor(toMs(tx.now) / hourMs) * hourMs))
  })
}

/** Returns the latest requests of a key, newest first. */
export function listKeyRequests({ db }: Pick<Context, 'db'>, keyId: string): Promise<KeyRequestsTable[]> {
  return findKeyRequests(db.reads, keyId, maxKeyRequests)
}

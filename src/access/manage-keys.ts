import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { findKeys, setRevoked, type KeyFilter, type KeyRow } from './key-queries.ts'

/** More keys than any business should have; the newest are shown. */
const mostKeysListed = 1000

/** Keys for people to look at: never the keys themselves, which nobody can read again. Throws a UsageError. */
export function listKeys(context: Context, filter: KeyFilter): Promise<KeyRow[]> {
  const bad = [filter.hubId, filter.businessId].find((id) => id !== undefined && !isUuid(id))
  if (bad !== undefined) throw new UsageError(`"${bad}" is not an id; ids are UUIDs.`)
  const { hubId, businessId } = filter
  const lower = { hubId: hubId?.toLowerCase(), businessId: businessId?.toLowerCase() }
  return findKeys(context.db.reads, lower, mostKeysListed)
}

/**
 * Revokes a key, and with a publishable key its sessions: within five seconds no node accepts them.
 * Throws a UsageError when there is no such key.
 */
export async function revokeKey(context: Context, id: string): Promise<KeyRow> {
  const revoked = isUuid(id)
    ? await context.db.transaction((tx) => setRevoked(tx.db, id.toLowerCase(), tx.now))
    : undefined
  if (!revoked) throw new UsageError(`There is no key with the id ${id}; "holdfast key list" shows them.`)
  return revoked
}

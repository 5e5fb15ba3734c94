import type { Context } from '../context.ts'
import { isUuid } from '../ids.ts'
import { unknownId } from '../unknown-id.ts'
import { findKeys, setRevoked, type KeyFilter, type KeyRow } from './key-queries.ts'

/** More keys than any business should have; the newest are shown. */
const mostKeysListed = 1000

/** Keys for people to look at, the newest first: never the keys themselves, which nobody can read again. */
export function listKeys(context: Context, filter: KeyFilter): Promise<KeyRow[]> {
  return findKeys(context.db.reads, filter, mostKeysListed)
}

/**
 * Revokes a key, and with a publishable key its sessions: within five seconds no node accepts them.
 * Throws a UsageError that guesses which one was meant when there is no such key.
 */
export async function revokeKey(context: Context, id: string): Promise<KeyRow> {
  const revoked = isUuid(id)
    ? await context.db.transaction((tx) => setRevoked(tx.db, id.toLowerCase(), tx.now))
    : undefined
  if (revoked) return revoked
  const keys = await listKeys(context, { hubId: undefined, businessId: undefined })
  throw unknownId('key', id, { known: keys.map((key) => ({ id: key.id, name: nameOf(key) })) })
}

function nameOf({ type, last_four }: KeyRow): string {
  return `the ${type} key that ends in ${last_four}`
}

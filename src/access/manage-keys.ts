import type { Context } from '../context.ts'
import { invalidCursor, Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isInstant, type Instant } from '../instants.ts'
import { unknownId } from '../unknown-id.ts'
import { decodeCursor, readLimit } from '../wire.ts'
import {
  findKeyDigest,
  findKeys,
  findKeysOfBusiness,
  setRevoked,
  type KeyFilter,
  type KeyRow,
} from './key-queries.ts'

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

/** A page of the keys of a business, the newest first: one row more than the limit when more follow. */
export async function listKeysOfBusiness(
  context: Context,
  businessId: string,
  query: { limit?: string; cursor?: string },
): Promise<{ rows: KeyRow[]; limit: number }> {
  const limit = readLimit(query.limit)
  const after = query.cursor === undefined ? undefined : placeOf(query.cursor)
  return { rows: await findKeysOfBusiness(context.db.reads, businessId, { after, rows: limit + 1 }), limit }
}

/** The place of a key in the list, for a cursor. */
export function cursorOfKey(key: KeyRow): string[] {
  return ['key', key.created_at, key.id]
}

/** The place that a cursor of this very list names: nothing that the database could stumble over. */
function placeOf(cursor: string): readonly [Instant, string] {
  const [list, createdAt, id] = decodeCursor(cursor, 3) ?? []
  if (list !== 'key' || createdAt === undefined || !isInstant(createdAt)) throw invalidCursor()
  if (id === undefined || !isUuid(id)) throw invalidCursor()
  return [createdAt, id]
}

/**
 * Revokes a key of a business, and with a publishable key its sessions: within five seconds no node accepts them,
 * this one the key itself at once. What is revoked stays so. Throws not_found.
 */
export async function revokeKeyOfBusiness(context: Context, businessId: string, id: string): Promise<void> {
  const digest = await context.db.transaction(async (tx) => {
    const found = isUuid(id) ? await findKeyDigest(tx.db, businessId, id.toLowerCase()) : undefined
    if (found !== undefined) await setRevoked(tx.db, id.toLowerCase(), tx.now)
    return found
  })
  if (digest === undefined) throw new Problem('not_found', 'There is no key with this id.')
  context.cache.forget(`token:${digest}`)
}

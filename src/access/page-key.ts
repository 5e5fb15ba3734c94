import { base62 } from '../base/ids.ts'
import type { Transaction } from '../database/database.ts'
import {
  findApiKey,
  findPageKeyGeneration,
  findPublishableKey,
  insertMissingApiKey,
  isRevokedKey,
  lockPageKeyGeneration,
  setPageKeyGeneration,
} from './access-queries.ts'
import { type Author, recordAudit } from './audit.ts'
import type { Context } from './context.ts'
import { lastFour, newToken, tokenDigest } from './token.ts'

/**
 * Returns the publishable key for links from this server's own pages to the booking page of a business. Returns
 * undefined if the business has no publishable key or this one was revoked. The key is derived from the server's
 * secret, because only digests are stored. No other website may use it. The first call stores it.
 */
export async function bookingPageKey(context: Context, businessId: string): Promise<string | undefined> {
  const { key, row } = await presentKey(context, businessId)
  if (row) return row.revoked_at === null ? key : undefined
  if (!(await findPublishableKey(context.db.reads, businessId, context.clock.now()))) return undefined
  await context.db.transaction((tx) => storeKey(context, tx, { businessId, key, by: 'system' }))
  return key
}

/**
 * Returns the key of a business's booking page, with which its website can also show the form. Returns undefined
 * without one.
 */
export async function readPageKey(
  context: Context,
  businessId: string,
): Promise<{ id: string; key: string; origins: string[] | null } | undefined> {
  const key = await bookingPageKey(context, businessId)
  const row = key === undefined ? undefined : await findApiKey(context.db, [tokenDigest(key)])
  if (!row || key === undefined) return undefined
  const { id, allowed_origins_json: origins } = row
  // written by issueKey or by an owner
  return { id, key, origins: origins === null ? null : (JSON.parse(origins) as string[]) }
}

/** Opens the booking page of a business. Replaces a revoked key with one of the next generation. */
export async function openBookingPage(context: Context, by: Author, businessId: string): Promise<void> {
  const keyOf = await keysOf(context, businessId)
  await context.db.transaction(async (tx) => {
    const generation = await lockPageKeyGeneration(tx.db, businessId)
    const isRevoked = await isRevokedKey(tx.db, tokenDigest(keyOf(generation)))
    const next = isRevoked ? generation + 1 : generation
    if (isRevoked) await setPageKeyGeneration(tx.db, businessId, next)
    await storeKey(context, tx, { businessId, key: keyOf(next), by })
  })
}

/**
 * Returns the page key of the present generation, with its row if it is stored. Few businesses have more than the
 * first.
 */
async function presentKey(context: Context, businessId: string) {
  const keyOf = await keysOf(context, businessId)
  const find = (key: string) => findApiKey(context.db, [tokenDigest(key)])
  const first = { key: keyOf(0), row: await find(keyOf(0)) }
  if (first.row?.revoked_at === null) return first
  const key = keyOf(await findPageKeyGeneration(context.db.reads, businessId))
  return { key, row: await find(key) }
}

/** Derives the page keys of a business by their generation, from 0. */
async function keysOf(context: Context, businessId: string): Promise<(generation: number) => string> {
  const digest = await context.secret.digester('booking page')
  return (generation) => {
    const text = generation === 0 ? businessId : `${businessId} ${generation}`
    return newToken('publishable', { secret: (length) => inBase62(digest(text), length) })
  }
}

async function storeKey(
  context: Context,
  tx: Transaction,
  { businessId, key, by }: { businessId: string; key: string; by: Author },
): Promise<void> {
  const id = context.ids.next()
  const isNew = await insertMissingApiKey(tx.db, {
    id,
    type: 'publishable',
    hub_id: null,
    business_id: businessId,
    digest: tokenDigest(key),
    last_four: lastFour(key),
    label: 'Booking page of this server',
    allowed_origins_json: '[]', // only the server's own pages
    allow_frames: 0,
    created_at: tx.now,
    revoked_at: null,
    scopes_json: null,
    expires_at: null,
    last_used_at: null,
  })
  if (isNew) await recordAudit(context, tx, { by, action: 'key.created', subjectId: id, businessId })
}

/** Returns the lowest digits of a digest. 32 of them need 191 of its 256 bits. */
function inBase62(digest: string, length: number): string {
  let rest = BigInt(`0x${Buffer.from(digest, 'base64url').toString('hex')}`)
  return Array.from({ length }, () => {
    const digit = base62.charAt(Number(rest % 62n))
    rest /= 62n
    return digit
  }).join('')
}

import { base62 } from '../base/ids.ts'
import { findApiKey, findPublishableKey, insertMissingApiKey } from './access-queries.ts'
import { type Author, recordAudit } from './audit.ts'
import type { Context } from './context.ts'
import { lastFour, newToken, tokenDigest } from './token.ts'

/**
 * The publishable key with which this server's own pages lead to the booking page of a business; undefined where the
 * business has no publishable key, or this one was revoked. It is derived from the server's secret, as only digests are
 * stored, and no other website may use it. The first call stores it.
 */
export async function bookingPageKey(context: Context, businessId: string): Promise<string | undefined> {
  const key = await keyOf(context, businessId)
  const known = await findApiKey(context.db, [tokenDigest(key)])
  if (known) return known.revoked_at === null ? key : undefined
  if (!(await findPublishableKey(context.db.reads, businessId))) return undefined
  await storeKey(context, businessId, { key, by: 'system' })
  return key
}

/** The key of a business's booking page, with which its website shows the form as well; undefined where there is none. */
export async function readPageKey(
  context: Context,
  businessId: string,
): Promise<{ id: string; key: string; origins: string[] | null } | undefined> {
  const key = await bookingPageKey(context, businessId)
  const row = key === undefined ? undefined : await findApiKey(context.db, [tokenDigest(key)])
  if (!row || key === undefined) return undefined
  const { id, allowed_origins_json: origins } = row
  return { id, key, origins: origins === null ? null : (JSON.parse(origins) as string[]) } // issueKey or an owner wrote it
}

/** Gives a business its booking page. One whose key was revoked stays closed. */
export async function openBookingPage(context: Context, by: Author, businessId: string): Promise<void> {
  await storeKey(context, businessId, { key: await keyOf(context, businessId), by })
}

async function keyOf(context: Context, businessId: string): Promise<string> {
  const digest = await context.secret.digester('booking page')
  return newToken('publishable', { secret: (length) => inBase62(digest(businessId), length) })
}

function storeKey(
  context: Context,
  business_id: string,
  { key, by }: { key: string; by: Author },
): Promise<void> {
  const id = context.ids.next()
  return context.db.transaction(async (tx) => {
    const isNew = await insertMissingApiKey(tx.db, {
      id,
      type: 'publishable',
      hub_id: null,
      business_id,
      digest: tokenDigest(key),
      last_four: lastFour(key),
      label: 'Booking page of this server',
      allowed_origins_json: '[]', // none but the server's own
      allow_frames: 0,
      created_at: tx.now,
      revoked_at: null,
    })
    const change = { action: 'key.created', subjectId: id, businessId: business_id } as const
    if (isNew) await recordAudit(context, tx, { by, ...change })
  })
}

/** The lowest digits of a digest: 32 of them need 191 of its 256 bits. */
function inBase62(digest: string, length: number): string {
  let rest = BigInt(`0x${Buffer.from(digest, 'base64url').toString('hex')}`)
  return Array.from({ length }, () => {
    const digit = base62.charAt(Number(rest % 62n))
    rest /= 62n
    return digit
  }).join('')
}

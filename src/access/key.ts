import { Problem, unknownId, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Instant } from '../base/instants.ts'
import type { KeyScope } from '../base/key-scopes.ts'
import type { Transaction } from '../database/database.ts'
import { type Page, type PageQuery, readPage, timeCursorOf } from '../base/paging.ts'
import {
  findApiKey,
  findBrands,
  findPageDetails,
  findKey,
  findKeyDigest,
  findKeys,
  findKeysOfBusiness,
  insertApiKey,
  lockPublishableKey,
  type KeyFilter,
  type KeyRow,
  setOrigins,
  setRevoked,
} from './access-queries.ts'
import { type Actor, operator, type WidgetActor } from './actor.ts'
import { type Author, recordAudit } from './audit.ts'
import { authenticate } from './authentication.ts'
import type { Context } from './context.ts'
import { brandedBusiness } from './session.ts'
import { lastFour, newToken, tokenDigest } from './token.ts'

export type { KeyRow } from './access-queries.ts'

/** A key to create. `label` describes its purpose. */
export type KeyRequest = { label?: string; expiresAt?: Instant } & (
  | { type: 'hub'; hubId: string; scopes?: readonly KeyScope[] }
  | { type: 'business'; businessId: string; scopes?: readonly KeyScope[] }
  | { type: 'publishable'; businessId: string; allowedOrigins?: string[]; allowFrames?: boolean }
)

const maxKeysListed = 1000

/** Lists keys for the operator, newest first. */
export function listKeys(context: Context, filter: KeyFilter): Promise<KeyRow[]> {
  return findKeys(context.db.reads, filter, maxKeysListed)
}

/**
 * Revokes a key, and a publishable key's sessions. Within five seconds no server accepts them. Throws a UsageError that
 * suggests a similar ID.
 */
export async function revokeKey(context: Context, id: string): Promise<KeyRow> {
  const revoked = isUuid(id)
    ? await context.db.transaction(async (tx) => {
        const key = await setRevoked(tx.db, id.toLowerCase(), tx.now)
        if (key) await recordRevoked(context, tx, { by: operator, key })
        return key
      })
    : undefined
  return revoked ?? (await unknownKey(context, id))
}

function nameOf({ type, label, last_four }: KeyRow): string {
  return `the ${type} key ${label === null ? '' : `"${label}" `}that ends in ${last_four}`
}

/** Finds a key of any business or hub. Throws a UsageError that suggests a similar ID. */
export async function keyNamed(context: Context, id: string): Promise<KeyRow> {
  const found = isUuid(id) ? await findKey(context.db.reads, id.toLowerCase()) : undefined
  return found ?? (await unknownKey(context, id))
}

async function unknownKey(context: Context, id: string): Promise<never> {
  const keys = await listKeys(context, { hubId: undefined, businessId: undefined })
  throw unknownId('key', id, { known: keys.map((key) => ({ id: key.id, name: nameOf(key) })) })
}

/** Returns a key of a business. Throws not_found. */
export async function keyOfBusiness(context: Context, businessId: string, id: string): Promise<KeyRow> {
  const key = isUuid(id) ? await findKey(context.db.reads, id.toLowerCase(), businessId) : undefined
  if (!key) throw new Problem('not_found', 'There is no key with this id.')
  return key
}

/** Returns a page of keys, newest first. */
export function listKeysOfBusiness(
  context: Context,
  businessId: string,
  query: PageQuery,
): Promise<Page<KeyRow>> {
  return readPage(query, {
    cursor: keyCursor,
    find: (page) => findKeysOfBusiness(context.db.reads, businessId, page),
    position: ({ created_at, id }) => [created_at, id],
  })
}

const keyCursor = timeCursorOf('key')

/**
 * Revokes a key, and a publishable key's sessions. This server refuses the key at once, and every server refuses both
 * within five seconds. Throws not_found.
 */
export async function revokeKeyOfBusiness(
  context: Context,
  by: Actor,
  { businessId, id }: { businessId: string; id: string },
): Promise<void> {
  const digest = await context.db.transaction(async (tx) => {
    const found = isUuid(id) ? await findKeyDigest(tx.db, businessId, id.toLowerCase()) : undefined
    const key = found === undefined ? undefined : await setRevoked(tx.db, id.toLowerCase(), tx.now)
    if (key) await recordRevoked(context, tx, { by, key })
    return found
  })
  if (digest === undefined) throw new Problem('not_found', 'There is no key with this id.')
  context.cache.forget(`token:${digest}`)
}

/** The websites that may use a publishable key. Null for any, empty for the server's own pages alone. */
type Origins = string[] | null

/**
 * Changes the websites that may use a publishable key and its sessions. `change` receives the present ones, locked
 * against other changes. For the key the change takes effect here at once, for both on every server within five
 * seconds. Throws not_found.
 */
export async function changeOriginsOfKey(
  context: Context,
  by: Actor,
  { businessId, id, change }: { businessId: string; id: string; change: (present: Origins) => Origins },
): Promise<KeyRow> {
  const { key, digest } = await context.db.transaction(async (tx) => {
    const present = isUuid(id) ? await lockPublishableKey(tx.db, businessId, id.toLowerCase()) : undefined
    if (!present) throw new Problem('not_found', 'There is no publishable key with this id.')
    const { allowed_origins_json: json } = present
    const origins = change(json === null ? null : (JSON.parse(json) as string[])) // written by issueKey or by an owner
    const key = await setOrigins(tx.db, present.id, origins && JSON.stringify(origins))
    await recordAudit(context, tx, { by, action: 'key.updated', subjectId: key.id, businessId })
    return { key, digest: await findKeyDigest(tx.db, businessId, key.id) }
  })
  if (digest !== undefined) context.cache.forget(`token:${digest}`)
  return key
}

/** Records nothing if the key was already revoked. */
async function recordRevoked(
  context: Context,
  tx: Transaction,
  { by, key }: { by: Actor; key: KeyRow },
): Promise<void> {
  if (key.revoked_at !== tx.now) return
  const { id: subjectId, business_id: businessId, hub_id: hubId } = key
  await recordAudit(context, tx, { by, action: 'key.revoked', subjectId, businessId, hubId })
}

/**
 * Creates a key. Only its digest is stored. Returns the key itself and the stored row. `by` defaults to the command
 * line. Throws validation_failed if the key has already ended.
 */
export async function issueKey(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  request: KeyRequest,
  by: Author = operator,
): Promise<{ id: string; key: string; row: KeyRow }> {
  if (request.expiresAt && request.expiresAt <= tx.now)
    throw validationProblem([
      { pointer: '/expires_at', code: 'out_of_range', detail: 'must be in the future' },
    ])
  const key = newToken(request.type, context.ids)
  const id = context.ids.next()
  const origins = request.type === 'publishable' ? request.allowedOrigins : undefined
  const scopes = request.type === 'publishable' ? undefined : request.scopes
  const row: KeyRow = {
    id,
    type: request.type,
    hub_id: request.type === 'hub' ? request.hubId : null,
    business_id: request.type === 'hub' ? null : request.businessId,
    last_four: lastFour(key),
    label: request.label ?? null,
    allowed_origins_json: origins ? JSON.stringify(origins) : null,
    allow_frames: request.type === 'publishable' && request.allowFrames ? 1 : 0,
    created_at: tx.now,
    revoked_at: null,
    scopes_json: scopes && !scopes.includes('all') ? JSON.stringify(scopes) : null,
    expires_at: request.expiresAt ?? null,
    last_used_at: null,
  }
  await insertApiKey(tx.db, { ...row, digest: tokenDigest(key) })
  const owner = request.type === 'hub' ? { hubId: request.hubId } : { businessId: request.businessId }
  await recordAudit(context, tx, { by, action: 'key.created', subjectId: id, ...owner })
  return { id, key, row }
}

/** Returns the caller of an active publishable key from a URL, or undefined for any other text. */
export async function publishableCaller(
  context: Context,
  publishableKey: string,
): Promise<WidgetActor | undefined> {
  const caller = await authenticate(context, `Bearer ${publishableKey}`).catch((error: unknown) => {
    if (error instanceof Problem) return undefined // unknown, malformed or revoked
    throw error
  })
  return caller?.type === 'publishable' ? caller : undefined
}

/** Returns the business of a publishable key as visitors see it, cached for at most five seconds. */
export async function brandedBusinessOf(context: Context, { scope, plan }: WidgetActor) {
  const { businessId } = scope
  const business = await context.cache.get(`business-of-key:${businessId}`, async () => {
    const found = (await findBrands(context.db.reads, [businessId])).get(businessId)
    const details = await findPageDetails(context.db.reads, businessId)
    return found && details && { ...found, ...details }
  })
  if (!business) throw new Error('a credential has no business') // businesses are never deleted
  return brandedBusiness(business, plan)
}

/** Returns the websites that may show the booking page of a publishable key in a frame. */
export async function frameOriginsOf(
  context: Context,
  publishableKey: string,
  { allowedOrigins }: WidgetActor,
): Promise<readonly string[]> {
  const key = await findApiKey(context.db, [tokenDigest(publishableKey)])
  return key?.allow_frames ? (allowedOrigins ?? []) : []
}

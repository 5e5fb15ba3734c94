import { type Actor, effectivePlan, needsEnterprise } from '../access/actor.ts'
import {
  changeOriginsOfKey,
  issueKey,
  keyOfBusiness,
  type KeyRequest,
  type KeyRow,
  listKeysOfBusiness,
  revokeKeyOfBusiness,
} from '../access/key.ts'
import { listKeyRequests } from '../access/key-requests.ts'
import { isLine } from '../base/contact-formats.ts'
import { UsageError } from '../base/errors.ts'
import { formatInstant, type Instant, readInstant } from '../base/instants.ts'
import type { KeyScope } from '../base/key-scopes.ts'
import type { PageQuery } from '../base/paging.ts'
import type { Context } from '../access/context.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { type KeyChange, type KeyCreation, maxLabelLength } from './key-schemas.ts'
import { isOrigin } from './business-rules.ts'
import { businessInScope, existingBusiness, existingHub } from './business.ts'

/** Lists a page of a business's keys, newest first, with the zone for their times. Throws not_found. */
export async function listKeysInScope(
  context: Context,
  actor: Actor,
  { businessId, query }: { businessId: string; query: PageQuery },
) {
  const { id, timezone } = await businessInScope(context.db.reads, actor.scope, businessId)
  return { page: await listKeysOfBusiness(context, id, query), timezone }
}

/**
 * Issues a key for a business. Only the result contains the key itself; `store` does not receive it. Throws
 * not_found.
 */
export function issueKeyInScope(
  context: Context,
  actor: Actor,
  { businessId, input }: { businessId: string; input: KeyCreation },
  store: StoreResponse<null> = storeNothing,
) {
  return context.db.transaction(async (tx) => {
    const business = await businessInScope(tx.db, actor.scope, businessId)
    const plan = effectivePlan(business.plan, business.hub_plan)
    if (actor.type === 'person' && input.type === 'business' && plan !== 'enterprise')
      throw needsEnterprise('Business keys need the Enterprise plan.')
    const { key, row } = await issueKey(context, tx, requestOf(business.id, input), actor)
    await store(tx, null)
    return { ...presentKey(row, business.timezone), key }
  })
}

function requestOf(businessId: string, { type, label, scopes, ...input }: KeyCreation): KeyRequest {
  const { allowed_origins: allowedOrigins, allow_frames: allowFrames = false, expires_at } = input
  const common = {
    businessId,
    ...(label !== undefined && { label }),
    ...(expires_at && { expiresAt: readInstant(expires_at) }),
  }
  if (type === 'business') return { type, ...common, ...(scopes && { scopes }) }
  return { type, ...common, allowFrames, ...(allowedOrigins && { allowedOrigins }) }
}

/** Revokes a key. Revoking it again does nothing. Throws not_found. */
export async function revokeKeyInScope(
  context: Context,
  actor: Actor,
  { businessId, keyId }: { businessId: string; keyId: string },
): Promise<void> {
  const business = await businessInScope(context.db.reads, actor.scope, businessId)
  await revokeKeyOfBusiness(context, actor, { businessId: business.id, id: keyId })
}

/**
 * Changes the websites that may use a publishable key. `change` may depend on the current ones. Throws
 * not_found.
 */
export async function changeKeyInScope(
  context: Context,
  actor: Actor,
  {
    businessId,
    keyId,
    change,
  }: {
    businessId: string
    keyId: string
    change: (present: KeyChange['allowed_origins']) => KeyChange
  },
) {
  const business = await businessInScope(context.db.reads, actor.scope, businessId)
  const key = await changeOriginsOfKey(context, actor, {
    businessId: business.id,
    id: keyId,
    change: (present) => change(present).allowed_origins,
  })
  return presentKey(key, business.timezone)
}

/** Returns a key for display, without the key itself. */
export function presentKey({ id, type, last_four, label, ...key }: KeyRow, timeZone: string) {
  const shown = (instant: Instant | null) => (instant === null ? null : formatInstant(instant, timeZone))
  return {
    id,
    type: type === 'publishable' ? ('publishable' as const) : ('business' as const), // a business has no other types
    last_four,
    label,
    allowed_origins: readList(key.allowed_origins_json),
    allow_frames: key.allow_frames === 1,
    scopes: scopesOf({ type, scopes_json: key.scopes_json }),
    created_at: formatInstant(key.created_at, timeZone),
    expires_at: shown(key.expires_at),
    last_used_at: shown(key.last_used_at),
    revoked_at: shown(key.revoked_at),
  }
}

/** Returns the scopes of a key for display. Null for publishable keys, which have none. */
export function scopesOf({ type, scopes_json }: Pick<KeyRow, 'type' | 'scopes_json'>): KeyScope[] | null {
  return type === 'publishable' ? null : ((readList(scopes_json) as KeyScope[] | null) ?? ['all'])
}

function readList(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]) // JSON that issueKey wrote
}

/** Returns a key for display. Throws not_found. */
export async function showKeyInScope(
  context: Context,
  actor: Actor,
  { businessId, keyId }: { businessId: string; keyId: string },
) {
  const { id, timezone } = await businessInScope(context.db.reads, actor.scope, businessId)
  return presentKey(await keyOfBusiness(context, id, keyId), timezone)
}

/** Returns the latest requests of a key for display, newest first. Throws not_found. */
export async function listKeyRequestsInScope(
  context: Context,
  actor: Actor,
  { businessId, keyId }: { businessId: string; keyId: string },
) {
  const { id, timezone } = await businessInScope(context.db.reads, actor.scope, businessId)
  const key = await keyOfBusiness(context, id, keyId)
  const requests = await listKeyRequests(context, key.id)
  return requests.map(({ id: _1, api_key_id: _2, at, ...request }) => ({
    ...request,
    at: formatInstant(at, timezone),
  }))
}

/** Issues a key for a hub or business. Only the result contains the key itself. Throws a UsageError. */
export async function createKey(context: Context, input: KeyRequest): Promise<{ id: string; key: string }> {
  const request = { ...input, ...(input.label !== undefined && { label: checkLabel(input.label) }) }
  if (request.type === 'publishable') request.allowedOrigins?.forEach(checkOrigin)
  return context.db.transaction(async (tx) => {
    if (request.type === 'hub') {
      return issueKey(context, tx, { ...request, hubId: (await existingHub(tx.db, request.hubId)).id })
    }
    return issueKey(context, tx, {
      ...request,
      businessId: (await existingBusiness(tx.db, request.businessId)).id,
    })
  })
}

/** Returns a label of 1 to 100 code points, trimmed and NFC. */
function checkLabel(text: string): string {
  const label = text.trim().normalize('NFC')
  const length = Array.from(label).length // code points
  if (isLine(label) && length >= 1 && length <= maxLabelLength) return label
  throw new UsageError(`--label must be one line of 1 to ${maxLabelLength} characters.`)
}

/** Throws a UsageError unless the text is the origin of a website. */
export function checkOrigin(text: string): void {
  if (isOrigin(text)) return
  throw new UsageError(`"${text}" is not an origin; the form is https://www.example.com, without a path.`)
}

import type { Actor } from '../access/actor.ts'
import { issueKey, type KeyRequest } from '../access/issue-key.ts'
import { listKeysOfBusiness, revokeKeyOfBusiness } from '../access/manage-keys.ts'
import { lastFour } from '../access/token-format.ts'
import type { Context } from '../context.ts'
import { formatInstant, type Instant } from '../instants.ts'
import { businessInReach } from './business-in-reach.ts'
import type { KeyCreation } from './key-schemas.ts'

/** A page of the keys of a business, the newest first, and the zone of its times. Throws not_found. */
export async function listKeysInReach(
  context: Context,
  actor: Actor,
  { businessId, query }: { businessId: string; query: { limit?: string; cursor?: string } },
) {
  const { id, timezone } = await businessInReach(context.db.reads, actor.reach, businessId)
  return { ...(await listKeysOfBusiness(context, id, query)), timezone }
}

/** Issues a key for a business; the answer shows it for the only time. Throws not_found. */
export function issueKeyInReach(
  context: Context,
  actor: Actor,
  { businessId, input }: { businessId: string; input: KeyCreation },
) {
  return context.db.transaction(async (tx) => {
    const business = await businessInReach(tx.db, actor.reach, businessId)
    const { id, key } = await issueKey(context, tx, requestOf(business.id, input))
    const issued = {
      id,
      type: input.type,
      last_four: lastFour(key),
      allowed_origins_json: input.allowed_origins ? JSON.stringify(input.allowed_origins) : null,
      created_at: tx.now,
      revoked_at: null,
    }
    return { ...presentKey(issued, business.timezone), key }
  })
}

function requestOf(businessId: string, { type, allowed_origins }: KeyCreation): KeyRequest {
  if (type === 'business') return { type, businessId }
  return { type, businessId, ...(allowed_origins && { allowedOrigins: allowed_origins }) }
}

/** Revokes a key of a business; what is revoked stays so. Throws not_found. */
export async function revokeKeyInReach(
  context: Context,
  actor: Actor,
  { businessId, keyId }: { businessId: string; keyId: string },
): Promise<void> {
  const business = await businessInReach(context.db.reads, actor.reach, businessId)
  await revokeKeyOfBusiness(context, business.id, keyId)
}

interface KeyParts {
  id: string
  type: 'hub' | 'business' | 'publishable'
  last_four: string
  allowed_origins_json: string | null
  created_at: Instant
  revoked_at: Instant | null
}

/** A key as it goes over the wire, without the key itself. */
export function presentKey({ id, type, last_four, ...key }: KeyParts, timeZone: string) {
  const origins = key.allowed_origins_json
  return {
    id,
    type: type === 'publishable' ? ('publishable' as const) : ('business' as const), // those of a business
    last_four,
    allowed_origins: origins === null ? null : (JSON.parse(origins) as string[]), // issueKey wrote it
    created_at: formatInstant(key.created_at, timeZone),
    revoked_at: key.revoked_at === null ? null : formatInstant(key.revoked_at, timeZone),
  }
}

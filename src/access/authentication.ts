import { Problem } from '../base/errors.ts'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'
import type { KeyScope } from '../base/key-scopes.ts'
import { findApiKey, findManagedBooking, findSession } from './access-queries.ts'
import { type Caller, effectivePlan, type KeyActor, type ManageActor, type WidgetActor } from './actor.ts'
import type { Context } from './context.ts'
import { tokenDigest, tokenType } from './token.ts'
import type { TokenType } from '../base/token-types.ts'

const bearer = /^bearer[ \t]+(\S.*)$/i

/**
 * Reads the caller from the `Authorization` header (RFC 6750, section 2.1). Throws missing_credentials,
 * invalid_credentials (unknown, malformed, revoked) or session_expired. Caches a caller for at most five seconds, and
 * never a miss.
 */
export async function authenticate(context: Context, authorization: string | undefined): Promise<Caller> {
  const token = bearerToken(authorization)
  if (!token) {
    throw new Problem(
      'missing_credentials',
      'Send the header "Authorization: Bearer <key or session token>".',
      {
        headers: { 'www-authenticate': 'Bearer' },
      },
    )
  }
  const type = tokenType(token)
  const digest = type && tokenDigest(token)
  const actor = digest && (await context.cache.get(cacheKey(digest), () => findActor(context, type, digest)))
  if (!actor || hasEnded(actor, context.clock.now())) {
    throw invalidCredentials('The bearer token is unknown, malformed or revoked.')
  }
  if ('expiresAt' in actor && actor.expiresAt && actor.expiresAt <= context.clock.now()) {
    if (actor.type !== 'session') throw invalidCredentials('The key has expired.')
    throw invalid(
      'session_expired',
      'The session token has expired; exchange the publishable key for a new one.',
    )
  }
  return actor
}

/** An expired manage link looks like one that never existed. That of a test business follows its clock. */
function hasEnded(actor: Caller, now: Instant): boolean {
  return actor.type === 'manage' && !actor.isTest && actor.endsAt <= now
}

/**
 * Returns the cached caller of a credential, which may have been revoked or have expired since. Never grants access.
 */
export function cachedCaller(
  context: Pick<Context, 'cache'>,
  authorization: string | undefined,
): Caller | undefined {
  const token = bearerToken(authorization)
  if (!token || !tokenType(token)) return undefined
  return context.cache.peek(cacheKey(tokenDigest(token))) as Caller | undefined // stored by `authenticate`
}

/** Returns the token of an `Authorization` header, if any. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return bearer.exec(authorization ?? '')?.[1]?.trim()
}

/** Creates a 401 for a credential that is no longer valid, or never was. */
export function invalidCredentials(detail: string): Problem {
  return invalid('invalid_credentials', detail)
}

function invalid(code: 'invalid_credentials' | 'session_expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
}

function cacheKey(digest: string): string {
  return `token:${digest}`
}

function findActor(context: Context, type: TokenType, digest: string): Promise<Caller | undefined> {
  if (type === 'session') return sessionActor(context, digest)
  return type === 'manage' ? manageActor(context, digest) : keyActor(context, digest)
}

async function sessionActor(context: Context, digest: string): Promise<WidgetActor | undefined> {
  const session = await findSession(context.db, [digest])
  if (!session || session.revoked_at) return undefined
  return {
    type: 'session',
    keyId: session.id,
    ownerId: session.owner_id,
    scope: { businessId: session.business_id },
    plan: effectivePlan(session.business_plan, session.hub_plan),
    lastFour: session.last_four,
    allowedOrigins: parseList(session.allowed_origins_json),
    ownLimits: ownLimits(session),
    isTest: session.is_test === 1,
    trustedNetworks: parseList(session.trusted_networks_json) ?? [],
    // a refresh ends a session early
    expiresAt: session.ended_at ?? session.expires_at,
  }
}

async function manageActor(context: Context, digest: string): Promise<ManageActor | undefined> {
  const booking = await findManagedBooking(context.db, [digest])
  if (!booking) return undefined
  return {
    type: 'manage',
    keyId: booking.id,
    ownerId: booking.id,
    scope: { businessId: booking.business_id },
    plan: effectivePlan(booking.business_plan, booking.hub_plan),
    lastFour: 'none', // only its digest is stored
    allowedOrigins: null,
    ownLimits: ownLimits(booking),
    isTest: booking.is_test === 1,
    bookingId: booking.id,
    endsAt: plusSeconds(booking.ends_at, daySeconds),
  }
}

async function keyActor(context: Context, digest: string): Promise<Caller | undefined> {
  const key = await findApiKey(context.db, [digest])
  if (!key || key.revoked_at) return undefined
  const { expires_at: expiresAt } = key
  const scopes = parseList(key.scopes_json) as KeyScope[] | null // validated before it was stored
  const parts = {
    keyId: key.id,
    ownerId: key.id,
    lastFour: key.last_four,
    allowedOrigins: parseList(key.allowed_origins_json),
    isTest: key.is_test === 1,
    ownLimits: ownLimits(key), // a hub key has no business, so only the limits of its plan apply
    expiresAt,
  }
  if (key.hub_id && key.hub_plan) {
    return {
      ...parts,
      type: 'hub',
      scope: { hubId: key.hub_id },
      plan: key.hub_plan,
      scopes,
    } satisfies KeyActor
  }
  if (!key.business_id || !key.business_plan) return undefined // the schema allows no such keys
  const scope = { businessId: key.business_id }
  const plan = effectivePlan(key.business_plan, key.hub_plan)
  return key.type === 'publishable'
    ? { ...parts, type: 'publishable', scope, plan, trustedNetworks: [] } // only sessions use them
    : { ...parts, type: 'business', scope, plan, scopes }
}

function parseList(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]) // validated before it was stored
}

function ownLimits(row: { limit_per_minute: number | null; limit_per_hour: number | null }) {
  return { perMinute: row.limit_per_minute, perHour: row.limit_per_hour }
}

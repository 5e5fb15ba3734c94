import type { Static } from 'typebox'
import { UsageError } from '../base/errors.ts'
import { formatInstant, type Instant, plusSeconds } from '../base/instants.ts'
import type { CleanupJob } from '../database/context.ts'
import { allOf, type Reads, type Transaction } from '../database/database.ts'
import type { PlanName } from '../database/tables.ts'
import {
  deleteOldSessions,
  endPreviousSession,
  findBrandedBusiness,
  findBrands,
  findPageDetails,
  findPlans,
  findPublishableKey,
  insertSession,
} from './access-queries.ts'
import { effectivePlan, type WidgetActor } from './actor.ts'
import type { Context } from './context.ts'
import type { Session } from './session-schemas.ts'
import { lastFour, newToken, tokenDigest, tokenType } from './token.ts'

interface NewSession {
  id: string
  businessId: string
  keyId: string
  token: string
  seconds: number
  /** The session ends with its key. */
  keyExpiresAt: Instant | null
  /** Token digest of the session that this one replaces. */
  previousDigest: string | undefined
  isGone: Exchange['isGone']
}

interface Exchange {
  previousToken?: string | undefined
  /** Returns true if the client has disconnected. An exchange that has not begun is then skipped. */
  isGone?: (() => boolean) | undefined
}

interface Brand {
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
}

/** For a day, an expired session fails with session_expired instead of invalid_credentials. */
const sessionRetentionSeconds = 86_400

/**
 * Exchanges a publishable key for a session token. Ends a previous session of the same key and takes over its holds and
 * bookings. That session must be valid, or have expired at most 15 minutes ago. Ignores any other.
 */
export async function exchangeSession(
  context: Context,
  actor: WidgetActor,
  { previousToken, isGone }: Exchange,
): Promise<Static<typeof Session>> {
  const token = newToken('session', context.ids)
  const id = context.ids.next()
  const previousDigest =
    previousToken && tokenType(previousToken) === 'session' ? tokenDigest(previousToken) : undefined
  const { business, expiresAt } = await startSession(context, {
    id,
    businessId: actor.scope.businessId,
    keyId: actor.keyId,
    token,
    seconds: context.config.sessionSeconds,
    keyExpiresAt: actor.expiresAt,
    previousDigest,
    isGone,
  })
  if (previousDigest) context.cache.forget(`token:${previousDigest}`)
  const { reply_to_email: _1, phone: _2, locale: _3, ...shown } = business // sessions do not show them
  const branded = brandedBusiness(shown, actor.plan)
  return {
    session_token: token,
    expires_at: formatInstant(expiresAt, business.timezone),
    show_branding: branded.showBranding,
    business: branded.business,
  }
}

/** Creates a session with the newest active publishable key of the business. Throws a UsageError. */
export async function createSession(context: Context, businessId: string): Promise<Static<typeof Session>> {
  const key = await findPublishableKey(context.db.reads, businessId, context.clock.now())
  if (!key) {
    throw new UsageError(
      'A session needs a publishable key, and this business has no active one. Create one with ' +
        `"holdfast key create --business ${businessId} --type publishable".`,
    )
  }
  return exchangeSession(
    context,
    {
      type: 'publishable',
      keyId: key.id,
      ownerId: key.id,
      scope: { businessId },
      plan: await planOf(context.db.reads, businessId),
      lastFour: key.last_four,
      allowedOrigins: null,
      ownLimits: { perMinute: null, perHour: null },
      expiresAt: key.expires_at,
      trustedNetworks: [],
    },
    {},
  )
}

/** Waits for no lock of another client. Simultaneous exchanges share the transaction and its statements. */
function startSession(context: Context, wanted: NewSession) {
  const { id, businessId, keyId, token, seconds, keyExpiresAt, previousDigest, isGone } = wanted
  const work = async (tx: Transaction) => {
    const previous = { digest: previousDigest ?? '', apiKeyId: keyId, now: tx.now }
    const ownerId = previousDigest && (await endPreviousSession(tx, previous))
    const usual = plusSeconds(tx.now, seconds)
    const expiresAt = keyExpiresAt && keyExpiresAt < usual ? keyExpiresAt : usual
    const inserting = insertSession(tx, {
      id,
      business_id: businessId,
      api_key_id: keyId,
      owner_id: ownerId ?? id,
      digest: tokenDigest(token),
      last_four: lastFour(token),
      created_at: tx.now,
      expires_at: expiresAt,
      ended_at: null,
    })
    const [business] = await allOf([findBrandedBusiness(tx, businessId), inserting])
    if (!business) throw new Error('a key has no business') // businesses are never deleted
    return { business, expiresAt }
  }
  return context.db.sharedTransaction(work, { owner: businessId, isGone })
}

/** Hides the brand of a business below Enterprise. Without a brand, its pages name Holdfast. */
export function brandedBusiness<T extends Brand>(
  { brand_name, brand_color, brand_logo_url, ...rest }: T,
  plan: PlanName,
) {
  const whiteLabel = plan === 'enterprise'
  const brand: Brand = {
    brand_name: whiteLabel ? brand_name : null,
    brand_color: whiteLabel ? brand_color : null,
    brand_logo_url: whiteLabel ? brand_logo_url : null,
  }
  return {
    showBranding: Object.values(brand).every((value) => value === null),
    business: { ...rest, ...brand },
  }
}

async function planOf(db: Reads, businessId: string): Promise<PlanName> {
  const { own, hub } = await findPlans(db, businessId)
  return effectivePlan(own, hub)
}

/** Returns the public details of a business. Looks up its plan if the caller does not have it. */
export async function findShownBusiness(
  db: Reads,
  { businessId, plan }: { businessId: string; plan?: PlanName },
) {
  const found = (await findBrands(db, [businessId])).get(businessId)
  if (!found) throw new Error('a credential has no business') // businesses are never deleted
  const {
    id: _1,
    timezone: _2,
    locale: _3,
    ...shown
  } = brandedBusiness(found, plan ?? (await planOf(db, businessId))).business
  const { imprint_url = null, privacy_url = null } = (await findPageDetails(db, businessId)) ?? {}
  return { ...shown, imprint_url, privacy_url }
}

/** Deletes no holds or bookings, because they belong to the owner ID, not to the session. */
export const oldSessions: CleanupJob = {
  name: 'old sessions',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldSessions(tx.db, plusSeconds(tx.now, -sessionRetentionSeconds), max)),
}

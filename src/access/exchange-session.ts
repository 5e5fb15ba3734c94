import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import { formatInstant, plusSeconds } from '../instants.ts'
import { endPreviousSession, findBusiness, insertSession } from './access-queries.ts'
import type { WidgetActor } from './actor.ts'
import type { Session } from './session-schemas.ts'
import { shownBusiness } from './shown-business.ts'
import { lastFour, newToken, tokenDigest, tokenType } from './token-format.ts'

/**
 * Exchanges a publishable key for a session token of one hour. A previous session of the same key,
 * valid or ended at most 15 minutes ago, hands its holds and bookings over and ends; any other is ignored.
 */
export async function exchangeSession(
  context: Context,
  actor: WidgetActor,
  previousToken: string | undefined,
): Promise<Static<typeof Session>> {
  const token = newToken('session', context.ids)
  const id = context.ids.next()
  const previousDigest =
    previousToken && tokenType(previousToken) === 'session' ? tokenDigest(previousToken) : undefined
  const { business, expiresAt } = await context.db.transaction(async (tx) => {
    const ownerId =
      previousDigest &&
      (await endPreviousSession(tx.db, { digest: previousDigest, apiKeyId: actor.keyId, now: tx.now }))
    const expiresAt = plusSeconds(tx.now, context.config.sessionSeconds)
    await insertSession(tx.db, {
      id,
      business_id: actor.reach.businessId,
      api_key_id: actor.keyId,
      owner_id: ownerId ?? id,
      digest: tokenDigest(token),
      last_four: lastFour(token),
      created_at: tx.now,
      expires_at: expiresAt,
      ended_at: null,
    })
    return { business: await findBusiness(tx.db, actor.reach.businessId), expiresAt }
  })
  if (previousDigest) context.cache.forget(`token:${previousDigest}`)
  const { showBranding, business: shown } = shownBusiness(business, actor.plan)
  return {
    session_token: token,
    expires_at: formatInstant(expiresAt, business.timezone),
    show_branding: showBranding,
    business: shown,
  }
}

import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { effectivePlan } from './plans.ts'
import { exchangeSession } from './exchange-session.ts'
import { findPublishableKey } from './key-queries.ts'
import { findPlans } from './access-queries.ts'
import type { Session } from './session-schemas.ts'

/**
 * Makes a session for a business without its publishable key, as if the newest one in force had been
 * exchanged: for trying things out. Throws a UsageError when the business has no such key.
 */
export async function createSession(context: Context, businessId: string): Promise<Static<typeof Session>> {
  const key = await findPublishableKey(context.db.reads, businessId)
  if (!key) {
    throw new UsageError(
      'A session comes from a publishable key, and this business has none in force; make one with ' +
        `"holdfast key create --business ${businessId} --type publishable".`,
    )
  }
  const { own, hub } = await findPlans(context.db.reads, businessId)
  return exchangeSession(
    context,
    {
      type: 'publishable',
      keyId: key.id,
      ownerId: key.id,
      reach: { businessId },
      plan: effectivePlan(own, hub),
      lastFour: key.last_four,
      allowedOrigins: null,
      ownLimits: { perMinute: null, perHour: null },
      expiresAt: null,
      trustedNetworks: [],
    },
    undefined,
  )
}

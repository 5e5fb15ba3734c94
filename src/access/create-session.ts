import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { isUuid } from '../ids.ts'
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
  const id = businessId.toLowerCase()
  const key = isUuid(id) ? await findPublishableKey(context.db.reads, id) : undefined
  if (!key) {
    throw new UsageError(
      `There is no publishable key for a business with the id ${businessId}; make one with ` +
        '"holdfast key create --business <id> --type publishable".',
    )
  }
  const { own, hub } = await findPlans(context.db.reads, id)
  return exchangeSession(
    context,
    {
      type: 'publishable',
      keyId: key.id,
      ownerId: key.id,
      reach: { businessId: id },
      plan: effectivePlan(own, hub),
      lastFour: key.last_four,
      allowedOrigins: null,
      expiresAt: null,
    },
    undefined,
  )
}

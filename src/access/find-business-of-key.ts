import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { findBusiness } from './access-queries.ts'
import { authenticate } from './authenticate.ts'
import { shownBusiness } from './shown-business.ts'

/** The business of a publishable key as visitors see it; undefined for any other text, and for a revoked key. */
export async function findBusinessOfKey(context: Context, publishableKey: string) {
  const caller = await authenticate(context, `Bearer ${publishableKey}`).catch((error: unknown) => {
    if (error instanceof Problem) return undefined // unknown, malformed or revoked: the page says so in its own words
    throw error
  })
  if (caller?.type !== 'publishable') return undefined
  const { businessId } = caller.reach
  const business = await context.cache.get(`business-of-key:${businessId}`, () =>
    findBusiness(context.db.reads, businessId),
  )
  return business && shownBusiness(business, caller.plan).business
}

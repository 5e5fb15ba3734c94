import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { findOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import { Problem } from '../errors.ts'
import { formatInstant, readInstant, toMs } from '../instants.ts'
import type { ExplainQuery } from './availability-schemas.ts'
import { withOffer } from './find-offer.ts'
import { lookForSlots } from './look-for-slots.ts'
import { dayThere } from './offer-rules.ts'
import type { Reason } from './slot-rules.ts'

/** Whether one slot is offered, and if not, why (contract: Availability). */
export interface Explanation {
  starts_at: string
  offered: boolean
  reason: Reason | 'not_offered_here' | null
}

/** Tells of one slot whether a session could hold it now, and if not, why. Throws not_found. */
export async function explainSlot(
  context: Context,
  actor: Actor,
  query: Static<typeof ExplainQuery>,
): Promise<Explanation> {
  const startsAt = readInstant(query.starts_at)
  try {
    return await withOffer(context, actor.reach, {
      request: query,
      work: async (offer) => {
        const day = dayThere(offer, toMs(startsAt))
        const looker = { actor, nowMs: toMs(context.clock.now()) }
        const free = await lookForSlots(context, offer, { days: { first: day, last: day }, looker })
        const reason = free.reasonAgainst(toMs(startsAt))
        const starts_at = formatInstant(startsAt, offer.location.timezone)
        return { starts_at, offered: reason === null, reason }
      },
    })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'slot_not_offered') throw error
    const ids = { serviceId: query.service_id, locationId: query.location_id }
    const { location } = await findOffering(context, actor.reach, ids)
    const starts_at = formatInstant(startsAt, location?.timezone ?? 'UTC')
    return { starts_at, offered: false, reason: 'not_offered_here' }
  }
}

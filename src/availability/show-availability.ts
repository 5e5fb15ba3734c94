import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { validationProblem } from '../errors.ts'
import { toMs } from '../instants.ts'
import type { AvailabilityQuery } from './availability-schemas.ts'
import { withOffer, type VersionedOffer } from './find-offer.ts'
import { dateOf, dayOf } from './hours-rules.ts'
import { daysPerLook, freeSlotsOf, givesWay, look, type Look, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot } from './present-slot.ts'
import { NobodyGives } from './refusal-rules.ts'
import type { LastShown, ShownDays } from './shown-days.ts'
import { eachDay, type Days } from './zone-rules.ts'

/** The most days that one request may ask for. */
const mostDays = 62

/** Of what was shown last, what is still right is shown again. */
export interface ShowContext extends Context {
  lastShown: LastShown
}

/** What is free on some dates. */
export interface ShownAvailability {
  service_id: string
  location_id: string
  timezone: string
  /** JSON texts: written day by day, because a month of many slots at once would hold up others. */
  days: string[]
}

/**
 * The slots of each date that the caller can hold at this moment (contract: Availability); none where nobody gives the
 * service there. Throws validation_failed, not_found, or slot_not_offered for what is inactive.
 */
export async function showAvailability(
  context: ShowContext,
  actor: Actor,
  query: Static<typeof AvailabilityQuery>,
): Promise<ShownAvailability> {
  const asked = { first: dayOf(query.from), last: dayOf(query.to) }
  assertRange(asked)
  const { service_id, location_id } = query
  const shown = (timezone: string, slots: Map<number, string>): ShownAvailability => {
    const empty = (day: number) => JSON.stringify({ date: dateOf(day), slots: [] })
    const days = [...eachDay(asked)].map((day) => slots.get(day) ?? empty(day))
    return { service_id, location_id, timezone, days }
  }
  try {
    return await withOffer(context, actor.reach, {
      request: query,
      work: async (offer) => {
        const looker = { actor, nowMs: toMs(context.clock.now()) }
        const days = possibleDays(offer, asked, looker)
        return shown(offer.location.timezone, await slotsByDay(context, offer, { days, looker }))
      },
    })
  } catch (error) {
    if (error instanceof NobodyGives) return shown(error.timezone, new Map())
    throw error
  }
}

function assertRange({ first, last }: Days): void {
  const fault = (code: string, detail: string) => validationProblem([{ pointer: '/to', code, detail }])
  if (last < first) throw fault('out_of_range', 'must not be before from')
  if (last - first >= mostDays) throw fault('out_of_range', `must be at most ${mostDays - 1} days after from`)
}

/** The days asked for on which a slot may start at all: before today and after the horizon there is none. */
function possibleDays(offer: VersionedOffer, { first, last }: Days, { nowMs }: Looker): Days {
  return {
    first: Math.max(first, dayThere(offer, nowMs)),
    last: Math.min(last, lastDayOffered(offer, nowMs)),
  }
}

async function slotsByDay(
  context: ShowContext,
  offer: VersionedOffer,
  { days, looker }: { days: Days; looker: Looker },
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  const step = daysPerLook(offer)
  const giveWay = givesWay()
  for (let first = days.first; first <= days.last; first += step) {
    const part = { first, last: Math.min(first + step - 1, days.last) }
    const seen = await look(context, offer, { days: part, looker })
    const shown = context.lastShown.find(seen) ?? (await workOut(seen, giveWay))
    context.lastShown.keep(seen, shown)
    for (const [day, text] of shown.texts) texts.set(day, text)
    await giveWay()
  }
  return texts
}

async function workOut(seen: Look, giveWay: ReturnType<typeof givesWay>): Promise<ShownDays> {
  const free = freeSlotsOf(seen)
  const texts = new Map<number, string>()
  let earliestMs = Infinity
  for (const day of eachDay(seen.days)) {
    const slots = [...free.onDay(day)]
    earliestMs = Math.min(earliestMs, slots[0]?.from ?? Infinity)
    const presented = slots.map((slot) => presentSlot(slot, free.zone))
    texts.set(day, JSON.stringify({ date: dateOf(day), slots: presented }))
    await giveWay()
  }
  return { texts, earliestMs }
}

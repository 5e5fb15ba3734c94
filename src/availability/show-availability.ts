import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { validationProblem } from '../errors.ts'
import { toMs } from '../instants.ts'
import type { Turn } from '../turns.ts'
import type { AvailabilityQuery } from './availability-schemas.ts'
import { withOffer, type VersionedOffer } from './find-offer.ts'
import { dateOf, dayOf } from './hours-rules.ts'
import { daysPerLook, freeSlotsOf, look, type Look, type Looker } from './look-for-slots.ts'
import { dayThere, lastDayOffered } from './offer-rules.ts'
import { presentSlot } from './present-slot.ts'
import type { ShownDay } from './shown-days.ts'
import type { FreeSlots } from './slot-rules.ts'
import { eachDay, type Days } from './zone-rules.ts'

/** The most days that one request may ask for. */
const mostDays = 62

/** What is free on some dates. */
export interface ShownAvailability {
  service_id: string
  location_id: string
  timezone: string
  /** JSON texts: written in turns, because a month of many slots at once would hold up others. */
  days: string[]
}

/**
 * The slots of each date that the caller can hold at this moment (contract: Availability). Throws validation_failed,
 * not_found or slot_not_offered.
 */
export async function showAvailability(
  context: Context,
  actor: Actor,
  query: Static<typeof AvailabilityQuery>,
): Promise<ShownAvailability> {
  const asked = { first: dayOf(query.from), last: dayOf(query.to) }
  assertRange(asked)
  return withOffer(context, actor.reach, {
    request: query,
    work: async (offer) => {
      const looker = { actor, nowMs: toMs(context.clock.now()) }
      const possible = possibleDays(offer, asked, looker)
      const slots = await context.turns.share((turn) =>
        slotsByDay(context, offer, { days: possible, looker, turn }),
      )
      const days = [...eachDay(asked)].map(
        (day) => slots.get(day) ?? JSON.stringify({ date: dateOf(day), slots: [] }),
      )
      const { service, location } = offer
      return { service_id: service.id, location_id: location.id, timezone: location.timezone, days }
    },
  })
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
  context: Context,
  offer: VersionedOffer,
  { days, looker, turn }: { days: Days; looker: Looker; turn: Turn },
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  const step = daysPerLook(offer)
  for (let first = days.first; first <= days.last; first += step) {
    const part = { first, last: Math.min(first + step - 1, days.last) }
    const seen = await look(context, offer, { days: part, looker })
    for (const [day, { text }] of await shownOf(context, seen, turn)) texts.set(day, text)
  }
  await turn.giveWay()
  return texts
}

/** What is shown of the days of a look. Of the next look, only days about which something has changed are worked out anew. */
async function shownOf({ shownDays }: Context, seen: Look, turn: Turn): Promise<Map<number, ShownDay>> {
  const shown = shownDays.find(seen)
  let free: FreeSlots | undefined
  for (const day of eachDay(seen.days)) {
    if (shown.has(day)) continue
    free ??= freeSlotsOf(seen)
    const slots = [...free.onDay(day)]
    const presented = slots.map((slot) => presentSlot(slot, seen.zone))
    const text = JSON.stringify({ date: dateOf(day), slots: presented })
    shown.set(day, { text, earliestMs: slots[0]?.from ?? Infinity })
    await turn.over()
  }
  shownDays.keep(seen, shown)
  return shown
}

import {
  hasDeposit,
  minute,
  recordEvent,
  type Answer,
  type Model,
  type ModelHold,
  type Wanted,
} from './model.ts'
import { requestOf } from './request-model.ts'
import {
  free,
  freeSeats,
  refusal,
  resourcesOf,
  take,
  taken,
  unblocked,
  type Candidate,
} from './slot-model.ts'

/* Holds: placed, replaced, released, expired, converted. */

/** The expected answer to a hold. For a 201, it contains the equally good seats, one of which it must get. */
export function expectHold(
  model: Model,
  session: string | undefined,
  wanted: Wanted,
): Answer & { best: Candidate[]; replaced: string[] } {
  if (wanted.start <= model.now) return { status: 422, code: 'slot_not_offered', best: [], replaced: [] }
  const end = wanted.start + wanted.service.minutes * minute
  const replaced = openHolds(model, session).filter(
    (hold) => hold.wanted.start < end && wanted.start < hold.end,
  )
  const ids = replaced.map(({ id }) => id)
  const question = { ...taken(wanted.service, wanted.start, end), session, except: ids }
  const resources = unblocked(model, resourcesOf(wanted), { from: wanted.start, to: end, session })
  if (resources.length === 0) return { status: 422, code: 'slot_not_offered', best: [], replaced: [] }
  const seats = resources.flatMap((resource) => freeSeats(model, { ...question, wanted, resource }))
  if (seats.length === 0) {
    return { ...refusal(model, { ...question, resources }), best: [], replaced: [] }
  }
  const ranks = seats.map((one) => rank(model, one, wanted))
  const [lowest] = ranks.toSorted()
  return { status: 201, best: seats.filter((_, index) => ranks[index] === lowest), replaced: ids }
}

export function placeHold(model: Model, hold: ModelHold, { chosen, replaced }: Chosen): void {
  giveUp(model, [...replaced, ...chosen.givesUp])
  model.holds.push(hold)
  take(model, { ...hold, ...chosen }, hold)
}

/** Ends holds in favour of another one. */
export function giveUp(model: Model, ids: string[]): void {
  for (const id of ids) {
    const given = model.holds.find((one) => one.id === id)
    if (given) given.ended = 'released'
    free(model, id)
  }
}

interface Chosen {
  chosen: Candidate & { seat: number }
  replaced: string[]
}

export function expectRelease(session: string | undefined, hold: ModelHold): Answer {
  if (session !== undefined && hold.session !== session) return { status: 404, code: 'hold_not_found' }
  if (hold.ended === 'converted') return { status: 409, code: 'hold_converted' }
  return { status: 204 }
}

export function release(model: Model, hold: ModelHold): void {
  if (statusOf(model, hold) !== 'active') return
  for (const one of seriesOf(model, hold)) {
    one.ended = 'released'
    free(model, one.id)
  }
}

export function expectConversion(model: Model, session: string | undefined, hold: ModelHold): Answer {
  if (session !== undefined && hold.session !== session) return { status: 404, code: 'hold_not_found' }
  if (hold.ended === 'converted') return { status: 409, code: 'hold_converted' }
  if (hold.ended === 'released') return { status: 404, code: 'hold_not_found' }
  if (hold.expires <= model.now) return { status: 404, code: 'hold_expired' }
  return { status: 201 }
}

/**
 * The booking is known at once, except for a session's request, and its booking with a deposit. Those become known when they
 * are confirmed or paid.
 */
export function convert(
  model: Model,
  hold: ModelHold,
  session: string | undefined,
  isConfirmed = session === undefined,
): void {
  const claims = model.claims.filter(({ id }) => id === hold.id)
  const [claim] = claims
  if (!claim) throw new Error('an active hold has a claim')
  hold.ended = 'converted'
  for (const one of claims) Object.assign(one, { owner: undefined, expires: undefined })
  const { id, wanted, end, items } = hold
  const request = isConfirmed ? undefined : requestOf(model, hold)
  const known = !request && (!hasDeposit(hold) || session === undefined)
  const booking = {
    ...{
      id,
      created: model.now,
      wanted,
      resource: claim.resource,
      start: wanted.start,
      end,
      items,
      notes: null,
      version: 1,
      known,
    },
    ...{ status: known ? ('confirmed' as const) : ('pending' as const) },
    ...{ payment: undefined, oldPayments: [], request },
  }
  model.bookings.push(booking)
  if (request) recordEvent(model, booking, 'booking.requested')
  else if (known) recordEvent(model, booking, 'booking.created')
}

/** Returns all holds that end and convert together. */
export function seriesOf(model: Model, { id, series = [id] }: ModelHold): ModelHold[] {
  return series.flatMap((one) => model.holds.find((hold) => hold.id === one) ?? [])
}

export function statusOf(model: Model, hold: ModelHold): string {
  return hold.ended ?? (hold.expires > model.now ? 'active' : 'expired')
}

export function openHolds(model: Model, session: string | undefined): ModelHold[] {
  if (session === undefined) return []
  return model.holds.filter((hold) => hold.session === session && statusOf(model, hold) === 'active')
}

/** Returns a text to sort by: no hold given up, fewest bookings on that day, lowest ID. */
function rank(model: Model, { resource, givesUp }: Candidate, { start }: Wanted): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  const bookings = model.bookings.filter(
    (one) => one.resource === resource && one.status !== 'cancelled' && day(one.start) === day(start),
  )
  return [givesUp.length > 0 ? 1 : 0, String(bookings.length).padStart(4, '0'), resource].join(' ')
}

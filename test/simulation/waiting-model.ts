import type { Candidate } from './slot-model.ts'
import { expectHold } from './hold-model.ts'
import {
  itemsOf,
  minute,
  recordEvent,
  type Answer,
  type Model,
  type ModelBooking,
  type ModelEntry,
  type ModelHold,
  type ModelOffer,
  type Wanted,
} from './model.ts'
import { free } from './slot-model.ts'

/* The waiting list and requests. An offer is a hold, which the other acts may convert, release or see expire. */

const offerLife = 60 * minute
/** Active entries of one address. */
const maxOfClient = 3
const maxUnanswered = 3
/** All locations of the business are in this zone. */
const zone = 'Europe/Berlin'

export function expectEntry(model: Model, email: string, isSession: boolean): Answer {
  const own = model.entries.filter((entry) => isActive(entry) && entry.counted === email)
  if (isSession && own.length >= maxOfClient) return { status: 429, code: 'booking_limit_reached' }
  return { status: 201 }
}

export function isActive({ status }: ModelEntry): boolean {
  return status === 'waiting' || status === 'offered'
}

export function openOffer({ offers }: ModelEntry): ModelOffer | undefined {
  return offers.find(({ status }) => status === 'open')
}

export function offerLasts(model: Model): number {
  return Math.ceil((model.now + offerLife) / 1000) * 1000
}

/** A sweep begins by settling offers whose hold is over. */
export function settleOffers(model: Model): void {
  for (const entry of model.entries) {
    const offer = openOffer(entry)
    const hold = offer && holdOf(model, offer)
    if (!offer || !hold || (!hold.ended && hold.expires > model.now)) continue
    if (hold.ended === 'converted') {
      takeOffer(model, entry, offer)
      continue
    }
    Object.assign(offer, { status: 'lapsed', decided: model.now })
    entry.unanswered += 1
    entry.status = entry.unanswered >= maxUnanswered ? 'ended' : 'waiting'
  }
}

/** An entry with the time that it is offered next, and the equally good seats. */
export interface NextOffer {
  entry: ModelEntry
  wanted: Wanted
  best: Candidate[]
}

/** Returns the offer of the longest waiting entry for which a time is free. Undefined: nothing more fits. */
export function nextOffer(model: Model): NextOffer | undefined {
  if (isQuiet(model.now)) return undefined // all times are further away than the morning
  for (const entry of model.entries) {
    if (entry.status !== 'waiting') continue
    for (const start of entry.starts) {
      const end = start + entry.wanted.service.minutes * minute
      const passed = entry.offers.filter((offer) => start < offer.end && offer.start < end)
      if (passed.some((offer) => !wasSold(model, entry, offer))) continue
      const wanted = { ...entry.wanted, start }
      const { status, best } = expectHold(model, entry.id, wanted)
      if (status === 201) return { entry, wanted, best }
    }
  }
  return undefined
}

/** Somebody booked the time after its client had refused it, and cancelled. Then it is a new one. */
function wasSold(model: Model, { wanted }: ModelEntry, offer: ModelOffer): boolean {
  return model.bookings.some((booking) => {
    const { id, status, created, start, end } = booking
    const [first] = itemsOf(booking)
    if (id === offer.id || status !== 'cancelled' || created < (offer.decided ?? 0)) return false
    if (start >= offer.end || offer.start >= end) return false
    return offer.staffId === undefined
      ? first?.service.id === wanted.service.id && booking.wanted.locationId === wanted.locationId
      : first?.staffId === offer.staffId
  })
}

function isQuiet(now: number): boolean {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone)
  return hour >= 21 || hour < 8
}

export function holdOf(model: Model, { id }: ModelOffer): ModelHold | undefined {
  return model.holds.find((hold) => hold.id === id)
}

/** The client books the offered time, or a key books its hold. */
export function takeOffer(model: Model, entry: ModelEntry, offer: ModelOffer): void {
  Object.assign(offer, { status: 'taken', decided: model.now })
  entry.status = 'booked'
}

/** The offer passes to the next. The entry goes on waiting. */
export function refuseOffer(model: Model, entry: ModelEntry, status: 'declined' | 'skipped'): void {
  const offer = openOffer(entry)
  if (!offer) return
  Object.assign(offer, { status, decided: model.now })
  endHold(model, offer)
  Object.assign(entry, { status: 'waiting', unanswered: 0 })
}

export function endEntry(model: Model, entry: ModelEntry): void {
  if (!isActive(entry)) return
  const offer = openOffer(entry)
  if (offer) {
    Object.assign(offer, { status: 'withdrawn', decided: model.now })
    endHold(model, offer)
  }
  entry.status = 'ended'
}

function endHold(model: Model, offer: ModelOffer): void {
  const hold = holdOf(model, offer)
  if (!hold || hold.ended || hold.expires <= model.now) return
  hold.ended = 'released'
  free(model, hold.id)
}

/** A client whose request the business did not confirm waits again, in the old place. */
export function returnToList(model: Model, { id }: ModelBooking): void {
  for (const entry of model.entries) {
    const offer = entry.offers.find((one) => one.id === id && one.status === 'taken')
    if (!offer || entry.status !== 'booked') continue
    offer.status = 'withdrawn'
    Object.assign(entry, { status: 'waiting', unanswered: 0, counted: undefined })
  }
}

/** Returns the requests whose time to answer is over. */
export function unanswered(model: Model): ModelBooking[] {
  return model.bookings.filter(({ request }) => request !== undefined && request.respondBy <= model.now)
}

/** Does what is due about requests: reminders, which nobody sees here, and ends, in the given order. */
export function endUnanswered(model: Model, ended: readonly ModelBooking[]): void {
  for (const booking of ended) {
    free(model, booking.id)
    Object.assign(booking, { status: 'cancelled', version: booking.version + 1, request: undefined })
    recordEvent(model, booking, 'booking.cancelled', true)
    returnToList(model, booking)
  }
}

import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { isSlotRefusal } from '../availability/refusal-rules.ts'
import { placeResource, staffResource, takenBy } from '../availability/resource-rules.ts'
import { findOffering } from '../catalogue/find-offering.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { readInstant } from '../instants.ts'
import type { BookingOutcome } from '../metrics/metrics.ts'
import type { EventType } from '../webhooks/event-payload.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { findBookingForChange, updateBooking, type BookingRow } from './booking-queries.ts'
import {
  assertLength,
  assertMatches,
  eventSubject,
  planChange,
  spanOf,
  type WantedChange,
} from './booking-rules.ts'
import type { ChangeBooking } from './booking-schemas.ts'
import { look, removeBookingClaim } from './claim-queries.ts'
import { suggestOtherTimes } from './suggest-other-times.ts'
import { takeSlot } from './take-slot.ts'

/** Which booking is to change, and the versions that the caller knows (`If-Match`). */
export interface BookingTarget {
  id: string
  ifMatch: string | undefined
}

/**
 * Reschedules a booking, or changes its status or notes, with its events; a conflict changes nothing.
 * Throws not_found, version_conflict, validation_failed, slot_not_offered, slot_held or slot_booked.
 */
export async function changeBooking(
  context: Context,
  actor: Actor,
  { target, change }: { target: BookingTarget; change: Static<typeof ChangeBooking> },
): Promise<BookingRow> {
  const wanted: WantedChange = {
    ...(change.starts_at !== undefined && { startsAt: readInstant(change.starts_at) }),
    ...(change.ends_at !== undefined && { endsAt: readInstant(change.ends_at) }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.notes !== undefined && { notes: change.notes }),
  }
  if (wanted.startsAt && wanted.endsAt) assertLength(wanted.startsAt, wanted.endsAt, '/ends_at')
  return applyChange(context, actor, { target, wanted })
}

/** Cancels a booking: its slot is free at once. One that is cancelled already stays as it is. */
export function cancelBooking(context: Context, actor: Actor, target: BookingTarget): Promise<BookingRow> {
  return applyChange(context, actor, { target, wanted: { status: 'cancelled' } })
}

const outcomes: Record<EventType, BookingOutcome> = {
  'booking.created': 'created',
  'booking.updated': 'updated',
  'booking.cancelled': 'cancelled',
  'booking.completed': 'completed',
}

/** A booking as it was found, what is wanted of it, and the versions that the caller knows. */
interface Change {
  target: BookingTarget
  wanted: WantedChange
}

async function applyChange(context: Context, actor: Actor, change: Change): Promise<BookingRow> {
  let found: BookingRow | undefined
  try {
    const { changed, events } = await context.db.transaction(async (tx) => {
      found = await bookingToChange(tx, actor, change.target.id)
      return changeIn(context, tx, { ...change, booking: found })
    })
    for (const event of events) context.metrics.booking(outcomes[event])
    return changed
  } catch (error) {
    if (!found || !isSlotRefusal(error)) throw error
    throw await suggestOtherTimes(context, error, {
      actor,
      booking: found,
      slot: spanOf(found, change.wanted),
    })
  }
}

async function bookingToChange(tx: Transaction, actor: Actor, id: string): Promise<BookingRow> {
  const booking = isUuid(id) ? await findBookingForChange(tx.db, actor.reach, id.toLowerCase()) : undefined
  if (!booking) throw new Problem('not_found', 'There is no booking with this id.')
  return booking
}

async function changeIn(
  context: Context,
  tx: Transaction,
  { booking, target, wanted }: Change & { booking: BookingRow },
): Promise<{ changed: BookingRow; events: EventType[] }> {
  // faults of the request come before those of its precondition (contract: Conventions, order of refusals)
  const plan = planChange(booking, wanted, tx.now)
  assertMatches(booking, target.ifMatch)
  if (!plan) return { changed: booking, events: [] }
  const columns = { ...plan.columns, updated_at: tx.now }
  const changed = { ...booking, ...columns, version: booking.version + 1 }
  if (plan.leavesSlot) await removeBookingClaim(tx.db, booking.business_id, booking.id)
  if (plan.takesSlot) await takeSlotAgain(context, tx, changed)
  await updateBooking(tx.db, booking, columns)
  await recordEvents(context, tx, { types: plan.events, booking: eventSubject(changed) })
  return { changed, events: plan.events }
}

/** Takes the time of a booking for the same staff member or place. Its own old claim is gone by then. */
async function takeSlotAgain(context: Context, tx: Transaction, booking: BookingRow): Promise<void> {
  const reach = { businessId: booking.business_id }
  const ids = { serviceId: booking.service_id, locationId: booking.location_id }
  const { service } = await findOffering(context, reach, ids, tx.db)
  if (!service) throw new Error('a booking refers to a service that is gone') // foreign keys forbid it
  const at = { locationId: booking.location_id, startsAt: booking.starts_at }
  const resource =
    booking.staff_id === null
      ? placeResource(service, booking.location_id)
      : staffResource(service, { ...at, staffId: booking.staff_id })
  const request = {
    now: tx.now,
    businessId: booking.business_id,
    resourceIds: [resource.id],
    taken: takenBy(service, booking),
  }
  const purpose = { booking_id: booking.id, expires_at: null, owner_id: null }
  const seen = await look(tx.db, request)
  await takeSlot(tx, { ...request, claimId: booking.id, resources: [resource], purpose }, seen)
}

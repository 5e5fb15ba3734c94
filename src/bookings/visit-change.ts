import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, isStaff, onlyStaffId } from '../access/actor.ts'
import type { VisitOffer } from '../availability/visit-rules.ts'
import { validationProblem } from '../base/errors.ts'
import type { Transaction } from '../database/database.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { newStatus, type WantedChange } from './booking-rules.ts'
import type { ChangeBooking } from './booking-schemas.ts'
import type { Context } from './context.ts'
import { moveVisit, presentItems, type RetakenItem, type RetakenVisit, retakeVisit } from './visit.ts'

/** A change of a booking of several services, or one that gives it several. */
interface VisitChange {
  wanted: WantedChange
  /** The staff member to assign, which belongs to one of the services. */
  staffId?: string | null | undefined
  /** The services to have in place of the present ones. */
  items?: Static<typeof ChangeBooking>['items']
  booking: BookingRow
}

/** Throws validation_failed for changes that belong to one of several items. */
export function assertChangesVisit({ wanted, staffId, items, booking }: VisitChange): void {
  const detail = 'belongs to one of the items; change items'
  const refused = [
    ...(wanted.partySize === undefined ? [] : ['/party_size']),
    ...(wanted.endsAt === undefined ? [] : ['/ends_at']),
    ...(staffId === undefined ? [] : ['/staff_id']),
  ].map((pointer) => ({ pointer, code: 'not_allowed', detail }))
  if (refused.length > 0) throw validationProblem(refused)
  if (items && newStatus(booking, wanted) === 'cancelled') {
    const reason = 'cannot change in a cancelled booking; give a status with which it takes its time again'
    throw validationProblem([{ pointer: '/items', code: 'not_allowed', detail: reason }])
  }
}

/** Takes the time of several services, or of new ones. */
export async function retakeServices(
  context: Context,
  tx: Transaction,
  { by, booking, items, wanted, tried }: VisitChange & { by: Actor; tried: { offer?: VisitOffer } },
): Promise<RetakenVisit> {
  const rule = wanted.byClient ? 'offered' : 'anyTime'
  const keepsPeople = isStaff(by)
  if (!items)
    return moveVisit(context, tx, { booking, startsAt: booking.starts_at, rule, tried, keepsPeople })
  const only_staff_id = onlyStaffId(by)
  const present = await presentItems(tx, booking)
  const wished = items.map(({ id, ...item }, index): RetakenItem => {
    const known = id === undefined ? undefined : present.find((one) => one.id === id)
    const service_id = item.service_id ?? known?.service_id
    if (id !== undefined && !known) {
      const pointer = `/items/${index}/id`
      throw validationProblem([{ pointer, code: 'unknown_item', detail: 'is not an item of this booking' }])
    }
    if (service_id === undefined) {
      const pointer = `/items/${index}/service_id`
      throw validationProblem([{ pointer, code: 'required', detail: 'is required, or id' }])
    }
    const kept = known?.service_id === service_id ? (known.staff_id ?? undefined) : undefined
    const { staff_id = kept } = item
    if (staff_id !== undefined && staff_id !== kept) assertOwnCalendar(by, staff_id)
    const party_size = item.party_size ?? known?.party_size
    const starts = item.starts ?? (known?.starts_with === 1 && index > 0 ? 'with' : 'after')
    return { ...{ service_id, staff_id, only_staff_id, party_size, starts }, present: known }
  })
  const startsAt = wanted.startsAt ?? wished[0]?.present?.starts_at ?? booking.starts_at
  return retakeVisit(context, tx, { booking, startsAt, items: wished, rule, tried })
}

import type { Static } from 'typebox'
import { type Actor, assertOwnCalendar, isStaff, onlyStaffId } from '../access/actor.ts'
import { isSlotUnavailable, notOfferedHere } from '../availability/offer-rules.ts'
import { eligibleStaff } from '../availability/resource-rules.ts'
import { assertParties, type VisitOffer } from '../availability/visit-rules.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { type Instant, instantFromMs } from '../base/instants.ts'
import { findOffering, forgetOffering } from '../catalogue/offering.ts'
import { prepaymentFor, priceFor } from '../catalogue/service-rules.ts'
import { RetryTransaction, type Transaction } from '../database/database.ts'
import { requireOwnTransaction } from '../database/shared-transaction.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { BookingsTable, VisitItemsTable } from '../database/tables.ts'
import { newStatus, type WantedChange } from './booking-rules.ts'
import type { ChangeBooking } from './booking-schemas.ts'
import { readClaims } from './claim-snapshot-queries.ts'
import type { Context } from './context.ts'
import { lockSeats } from './seating.ts'
import { deleteVisitClaims, deleteVisitItems, findVisitItems } from './visit-queries.ts'
import { assertOneCurrency, newItems, partyPointer, visitClaims } from './visit-rules.ts'
import {
  hasAlikeSeats,
  type Planning,
  planVisit,
  seatsFor,
  snapshotRequest,
  take,
  type WishedItem,
} from './visit.ts'

/*
 * Bookings of several services at another time, or with other services. They give up all their claims and take new
 * ones in one transaction, or change nothing.
 */

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

/** A booking's services and time, after it has taken them. */
export interface RetakenVisit {
  columns: Pick<
    BookingsTable,
    | 'starts_at'
    | 'ends_at'
    | 'service_id'
    | 'staff_id'
    | 'chosen_staff_id'
    | 'party_size'
    | 'agreed_amount'
    | 'agreed_currency'
    | 'item_count'
  >
  /** The present amount to pay in advance for all its services and people. Undefined without one. */
  deposit: ReturnType<typeof prepaymentFor>
}

/** A service of a booking, with the person it should have. */
interface RetakenItem extends WishedItem {
  /** The only person who may give it, if it needs one and `staff_id` is absent. */
  only_staff_id?: string | undefined
  /** The item of the booking that it was. */
  present?: PresentItem | undefined
}

type PresentItem = Pick<
  VisitItemsTable,
  | 'id'
  | 'service_id'
  | 'staff_id'
  | 'chosen_staff_id'
  | 'starts_at'
  | 'party_size'
  | 'starts_with'
  | 'agreed_amount'
  | 'agreed_currency'
>

/** Reads the items of a booking. A booking of one service is its own. */
async function presentItems(tx: Transaction, booking: BookingRow): Promise<PresentItem[]> {
  return booking.item_count === null ? [{ ...booking, starts_with: 0 }] : findVisitItems(tx.reads, booking)
}

/**
 * Moves a booking of several things to another time, or takes its time again. Its people keep it where they can; nobody
 * whom the client asked for is replaced. Throws as retakeVisit does.
 */
export async function moveVisit(
  context: Context,
  tx: Transaction,
  { keepsPeople = false, ...retaking }: Moving,
): Promise<RetakenVisit> {
  const present = await presentItems(tx, retaking.booking)
  const wished = (keeps: boolean) =>
    present.map((item): RetakenItem => {
      const { service_id, staff_id, chosen_staff_id, party_size, starts_with } = item
      const person = (keeps ? staff_id : chosen_staff_id) ?? undefined
      const starts = starts_with === 1 ? 'with' : 'after'
      return { ...{ service_id, staff_id: person, party_size, starts }, present: item }
    })
  const mayChange =
    !keepsPeople &&
    present.some(({ staff_id, chosen_staff_id }) => staff_id !== null && chosen_staff_id === null)
  try {
    return await retakeVisit(context, tx, { ...retaking, items: wished(true) })
  } catch (error) {
    if (!mayChange || !isSlotUnavailable(error)) throw error
    return retakeVisit(context, tx, { ...retaking, items: wished(false) })
  }
}

interface Moving extends Omit<Retaking, 'items'> {
  /** True if nobody else may get a service. */
  keepsPeople?: boolean
}

interface Retaking {
  booking: BookingRow
  startsAt: Instant
  items: readonly RetakenItem[]
  rule: Planning['rule']
  /** Receives what was looked for, so that a refusal can name other times. */
  tried: { offer?: VisitOffer }
}

/**
 * Takes the time of a booking with these services, in place of what it takes now. Throws slot_not_offered, slot_held,
 * slot_booked or validation_failed, with the number of the item.
 */
async function retakeVisit(
  context: Context,
  tx: Transaction,
  { booking, startsAt, items: wished, rule, tried }: Retaking,
): Promise<RetakenVisit> {
  requireOwnTransaction(tx)
  const offer = await offerOf(context, tx, booking, { wished, mustBeOffered: rule === 'offered' })
  tried.offer = offer
  assertParties(offer, partyPointer(offer))
  assertOneCurrency(offer)
  if (hasAlikeSeats(offer)) await lockSeats(context, tx, booking.business_id)
  const seen = await readClaims(tx, snapshotRequest(offer, startsAt, tx.now))
  if (seen.catalogueVersion !== offer.version)
    throw new RetryTransaction('the catalogue has changed since the services were read')
  const claims = seen.claims.filter(({ id }) => id !== booking.id)
  const present = wished.flatMap(({ present: item }) =>
    item?.staff_id ? [[item.staff_id, -1] as const] : [],
  )
  const planned = planVisit(offer, startsAt, {
    claims,
    seen: { ...seen, bookingsOfDay: new Map([...seen.bookingsOfDay, ...present]) },
    now: tx.now,
    rule,
    mayBeOver: rule === 'anyTime',
    onExhausted: () => context.metrics.visitSearchGaveUp(),
  })
  const seating = await seatsFor(context, tx, {
    ...{ planned, claims, leaving: [booking.id], visitId: booking.id },
    businessId: booking.business_id,
  })
  const items = newItems(offer, planned, { visitId: booking.id, ids: context.ids, wished })
  const { id, owner_id, created_at, series_id } = booking
  const rows = visitClaims(seating.claims, {
    ...{ offer, items, ids: context.ids },
    anchor: {
      ...{ id, owner_id, series_id, created_at, expires_at: created_at, booked_at: tx.now, ended_at: null },
      ...{ owner_sequence: null, client_network: null, client_wider_network: null, metadata_json: null },
    },
  })
  await deleteVisitClaims(tx, booking)
  await deleteVisitItems(tx, booking)
  if (
    !(await take(tx, { claims: rows, items, room: {}, seating, gives: [], businessId: booking.business_id }))
  )
    throw new RetryTransaction('another transaction took a part of the time of a visit')
  const [first] = items
  return {
    columns: {
      starts_at: instantFromMs(planned.from),
      ends_at: instantFromMs(planned.to),
      service_id: first.service_id,
      staff_id: first.staff_id,
      chosen_staff_id: first.chosen_staff_id,
      party_size: first.party_size,
      agreed_amount: first.agreed_amount,
      agreed_currency: first.agreed_currency ?? '',
      item_count: rows.length > 1 ? items.length : null,
    },
    deposit: prepaymentFor(
      offer.items.map(({ service, partySize: people }, index) => ({
        ...{ service, people },
        price: priceFor(service, items[index]?.staff_id ?? null),
      })),
    ),
  }
}

/** Reads what a booking's services need, from the database as it is now. */
async function offerOf(
  context: Context,
  tx: Transaction,
  { business_id: businessId, location_id: locationId }: BookingRow,
  { wished, mustBeOffered }: { wished: readonly RetakenItem[]; mustBeOffered: boolean },
): Promise<VisitOffer> {
  const parts: Awaited<ReturnType<typeof findOffering>>[] = []
  for (const { service_id: serviceId } of wished) {
    const ids = { serviceId, locationId }
    forgetOffering(context, { businessId }, ids)
    parts.push(await findOffering(context, { businessId }, ids, tx.reads))
  }
  const items = wished.map(({ staff_id: named, only_staff_id, party_size = 1, starts = 'after' }, index) => {
    const { service, location, staff } = parts[index] ?? {}
    const refuse = (problem: Problem) => {
      const { code, message, parts: rest } = problem
      return new Problem(code, message, { ...rest, extensions: { ...rest.extensions, item: index } })
    }
    if (!service || !location || !staff)
      throw refuse(new Problem('not_found', 'There is no service with this service_id.'))
    const isOffered = service.active && location.active && service.location_ids.includes(location.id)
    if (mustBeOffered && !isOffered)
      throw refuse(notOfferedHere('The service is not offered there any more.'))
    const isStaffed = service.staff_ids.length > 0
    const staff_id = named ?? (isStaffed ? only_staff_id : undefined)
    const eligible = isStaffed ? eligibleStaff({ staff, location }, staff_id) : []
    if (isStaffed && eligible.length === 0)
      throw refuse(notOfferedHere('The staff member does not give this service there.'))
    return {
      ...{ service, location, staff: eligible, partySize: party_size },
      chosenStaffId: staff_id ?? null,
      startsWith: starts === 'with',
    }
  })
  const [first] = parts
  if (!first?.location) throw new Error('the location of a booking is missing') // locations are never deleted
  const resources = new Map(parts.flatMap((part) => part.resources.map((one) => [one.id, one])))
  return {
    items,
    location: first.location,
    resources: [...resources.values()],
    maxGapMinutes: first.maxGapMinutes,
    version: first.version,
  }
}

import type { Static } from 'typebox'
import { isSession, type Actor } from '../access/actor.ts'
import { findOfferingAsOf, findStaffOf, type Offering } from '../catalogue/find-offering.ts'
import type { Deposit, OpenCheckout } from '../checkouts.ts'
import type { Context } from '../context.ts'
import { Repeat, type Transaction } from '../database/database.ts'
import type { BookingsTable } from '../database/tables.ts'
import { Problem, unavailable, validationProblem } from '../errors.ts'
import { recordEvents } from '../webhooks/event.ts'
import { insertBookingFromHold, type BookingInput, type BookingRow } from './booking-queries.ts'
import { clientColumns, eventSubject, paymentColumns } from './booking-rules.ts'
import type { ConvertHold } from './booking-schemas.ts'
import { bookClaim } from './claim-queries.ts'
import { customFieldFaults } from './custom-field-rules.ts'
import { confirmDeposit } from './settle-deposit.ts'
import { alreadyConverted } from './release-hold.ts'
import { holdOf } from './show-hold.ts'
import {
  admitBooking,
  bookingLimitReached,
  strangerOf,
  type ClientAddress,
  type Stranger,
} from './strangers.ts'

/** What a hold is converted with, as it was validated, and from where. */
export type ConvertHoldInput = Static<typeof ConvertHold> & { from: ClientAddress }

/** A new booking; where a deposit is to be paid, with the address of the checkout. */
export interface Conversion {
  booking: BookingRow
  redirectUrl: string | undefined
}

/**
 * Thrown to roll back: what is to be paid is not what the checkout at hand is for. One has to be opened or closed before
 * the booking can be written, outside of any transaction.
 */
class OtherDeposit extends Error {
  override readonly name = 'OtherDeposit'
  readonly deposit: Deposit | undefined

  constructor(deposit: Deposit | undefined) {
    super('the service asks for another deposit, or for none')
    this.deposit = deposit
  }
}

/** So often a checkout is opened because the business has just changed its deposit. */
const mostCheckouts = 3

/**
 * Turns an active hold into a booking, or changes nothing. The booking is confirmed, and its event recorded; where the
 * service asks for a deposit, it is pending until that is paid, and there is no event yet. Throws validation_failed
 * (custom fields), hold_not_found, hold_expired, hold_converted, booking_limit_reached; unavailable when no checkout can
 * be opened.
 */
export async function convertHold(
  context: Context,
  actor: Actor,
  input: ConvertHoldInput,
): Promise<Conversion> {
  const { from, client } = input
  const stranger = isSession(actor)
    ? await strangerOf(context, { businessId: actor.reach.businessId, from, email: client.email })
    : undefined
  let order: Order | undefined
  for (let opened = 0; ; opened += 1) {
    try {
      return await convertWith(context, actor, { input, stranger, order })
    } catch (error) {
      if (!(error instanceof OtherDeposit)) throw error
      if (order) await context.checkouts.abandon(order.checkout)
      const { deposit } = error
      if (opened === mostCheckouts)
        throw unavailable('The deposit of the service is being changed; try again.')
      order = deposit && { deposit, checkout: await context.checkouts.open(deposit) }
    }
  }
}

/** A deposit, and the checkout that was opened for it. */
interface Order {
  deposit: Deposit
  checkout: OpenCheckout
}

interface Request {
  input: ConvertHoldInput
  /** The session that books; undefined for keys, which no cap counts. */
  stranger: Stranger | undefined
  order: Order | undefined
}

async function convertWith(context: Context, actor: Actor, request: Request): Promise<Conversion> {
  const checkout = request.order?.checkout
  try {
    const conversion = await context.db.transaction(async (tx) => {
      const booking = await convert(context, tx, { ...request, actor })
      return { booking, redirectUrl: checkout?.url }
    })
    context.metrics.hold('converted')
    if (conversion.booking.status === 'confirmed') context.metrics.booking('created')
    return conversion
  } catch (error) {
    // a refusal is for good; after anything else the same request may come again
    if (checkout && error instanceof Problem) await context.checkouts.abandon(checkout)
    throw error
  }
}

async function convert(
  context: Context,
  tx: Transaction,
  { actor, input, stranger, order }: Request & { actor: Actor },
): Promise<BookingRow> {
  // asked first: who has to wait for others holds nothing yet that others wait for
  const isAdmitted = !stranger || (await admitBooking(context, tx, { stranger, bookingId: input.hold_id }))
  const inserted = await insertBookingFromHold(tx.db, actor.reach, {
    holdId: input.hold_id,
    ownerId: isSession(actor) ? actor.ownerId : undefined,
    now: tx.now,
    input: { ...bookingInput(input), counted_client: stranger?.client ?? null },
    paymentId: order?.checkout.paymentId ?? null,
  })
  if (!inserted) throw await whyNotWritten(tx, actor, input.hold_id)
  const { booking: written } = inserted
  const offering = await offeringOf(context, tx, inserted)
  const faults = customFieldFaults(offering.service.custom_fields, input.custom_field_values ?? [])
  if (faults.length > 0) throw validationProblem(faults)
  const claim = { businessId: written.business_id, id: written.id, now: tx.now }
  if (!(await bookClaim(tx.db, claim))) throw await whyNotClaimed(tx, actor, input.hold_id)
  // told last: a request that fails anyway learns nothing of the client
  if (!isAdmitted) throw bookingLimitReached()
  assertOrdered(offering, written, order)
  const booking = await withNames(tx, written, offering)
  if (order) return withDeposit(context, tx, { booking, checkout: order.checkout })
  await recordEvents(context, tx, { types: ['booking.created'], booking: eventSubject(booking) })
  return booking
}

/** What the service asks for now has to be what the checkout is for. */
function assertOrdered({ service }: Offering, booking: BookingsTable, order: Order | undefined): void {
  const { deposit, name: serviceName } = service
  if (deposit?.amount === order?.deposit.amount && deposit?.currency === order?.deposit.currency) return
  const { business_id: businessId, id: holdId, client_email: email } = booking
  throw new OtherDeposit(deposit ? { ...deposit, businessId, holdId, serviceName, email } : undefined)
}

/** The booking waits for its payment, unless that has arrived before the booking was written. */
async function withDeposit(
  context: Context,
  tx: Transaction,
  { booking, checkout }: { booking: BookingRow; checkout: OpenCheckout },
): Promise<BookingRow> {
  const payment = await context.checkouts.attach(tx, checkout)
  const pending = { ...booking, ...paymentColumns(payment) }
  return payment.status === 'paid' ? confirmDeposit(context, tx, pending) : pending
}

function bookingInput(input: ConvertHoldInput): Omit<BookingInput, 'counted_client'> {
  const answers = (input.custom_field_values ?? []).filter(({ value }) => value !== undefined)
  return {
    ...clientColumns(input.client),
    custom_field_values_json: JSON.stringify(answers),
    notes: input.notes ?? null,
  }
}

/** Nothing was written: the hold is not there for this caller, or it is a booking already. */
async function whyNotWritten(tx: Transaction, actor: Actor, holdId: string): Promise<Error> {
  const hold = await holdOf(tx.db, actor, holdId)
  return hold.booking_id === null
    ? new Repeat('a hold was neither there nor a booking')
    : alreadyConverted(hold, actor)
}

/** The claim could not be kept: the hold was released, or it has lapsed. */
async function whyNotClaimed(tx: Transaction, actor: Actor, holdId: string): Promise<Problem> {
  const { released_at } = await holdOf(tx.db, actor, holdId)
  return released_at === null
    ? new Problem('hold_expired', 'The hold has lapsed; place a new one.')
    : new Problem('hold_not_found', 'The hold was given up; place a new one.')
}

/** What is booked as of the moment at which the booking was written: whatever changed since the hold counts. */
async function offeringOf(
  context: Context,
  tx: Transaction,
  { booking, catalogueVersion: version }: { booking: BookingsTable; catalogueVersion: number },
): Promise<Offering> {
  const { business_id: businessId, service_id: serviceId, location_id: locationId } = booking
  const ids = { businessId, serviceId, locationId, version }
  const { service, location, ...rest } = await findOfferingAsOf(context, tx, ids)
  if (!service || !location) throw new Error('a hold refers to a service or location that is gone') // foreign keys forbid it
  return { service, location, ...rest }
}

async function withNames(
  tx: Transaction,
  booking: BookingsTable,
  { service, location, staff }: Offering,
): Promise<BookingRow> {
  const { staff_id: staffId, business_id: businessId } = booking
  // who held the slot may have been taken off the service since
  const member =
    staff.find(({ id }) => id === staffId) ?? (staffId && (await findStaffOf(tx.db, businessId, staffId)))
  return {
    ...booking,
    service_name: service.name,
    duration_minutes: service.duration_minutes,
    location_name: location.name,
    timezone: location.timezone,
    staff_name: member ? member.name : null,
    ...paymentColumns(undefined),
  }
}

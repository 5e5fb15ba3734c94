import type { Static } from 'typebox'
import { type Actor, isSession } from '../access/actor.ts'
import { firstGeneration, type ManageTokens, manageTokens } from '../access/manage-link.ts'
import { tokenDigest } from '../access/token.ts'
import { isSlotUnavailable } from '../availability/offer-rules.ts'
import { Problem, unavailable, validationProblem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'
import { maxMinorUnits } from '../catalogue/service-rules.ts'
import { findOfferingAsOf, findStaffOf, type Offering } from '../catalogue/offering.ts'
import { allOf, RetryTransaction, type Transaction } from '../database/database.ts'
import type { BookingsTable } from '../database/tables.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { recordChange } from '../webhooks/event.ts'
import { recordMails } from '../mails/outbox.ts'
import { type BookingRow, bookHold, lockBooking, updateBooking } from './booking-queries.ts'
import { clientColumns, eventSubject, paymentColumns } from './booking-rules.ts'
import type { ConvertHold } from './booking-schemas.ts'
import type { Deposit, OpenCheckout } from './checkouts.ts'
import { endBookingClaim } from './claim-queries.ts'
import { retakeSlot } from './claim.ts'
import type { Context } from './context.ts'
import { customFieldErrors } from './custom-field-rules.ts'
import { type ConvertibleHold, findConvertibleHold } from './conversion-queries.ts'
import { alreadyConverted, keyOf, unknownHold } from './hold.ts'
import { holdStatus } from './hold-rules.ts'
import {
  admitBooking,
  assertAdmitted,
  type ClientAddress,
  lockCounters,
  type Stranger,
  strangerOf,
} from './strangers.ts'

type ConvertHoldInput = Static<typeof ConvertHold> & {
  from: ClientAddress
  /** Whether the client has gone: then the conversion, not begun, is left out. */
  isGone?: () => boolean
}

/** A new booking; with the checkout's URL when a deposit is due. */
export interface Conversion {
  booking: BookingRow
  redirectUrl: string | undefined
}

interface Order {
  deposit: Deposit
  checkout: OpenCheckout
}

interface Request {
  input: ConvertHoldInput
  /** Undefined for keys, which no cap counts. */
  stranger: Stranger | undefined
  tokens: ManageTokens
  order: Order | undefined
  store: StoreResponse<Conversion>
}

/**
 * Rolls back because the checkout at hand is not for the present deposit. Opening or closing one calls the processor,
 * which no transaction may do.
 */
class OtherDeposit extends Error {
  override readonly name = 'OtherDeposit'
  readonly deposit: Deposit | undefined

  constructor(deposit: Deposit | undefined) {
    super('the service asks for another deposit, or for none')
    this.deposit = deposit
  }
}

/** Retries while the business keeps changing its deposit. */
const maxCheckouts = 3

/**
 * Turns an active hold into a confirmed booking and records its event, or changes nothing. With a deposit the booking is
 * pending, without an event, until that is paid. Throws validation_failed (custom fields), hold_not_found, hold_expired,
 * hold_converted, booking_limit_reached; unavailable when no checkout can be opened.
 */
export async function convertHold(
  context: Context,
  actor: Actor,
  input: ConvertHoldInput,
  store: StoreResponse<Conversion> = storeNothing,
): Promise<Conversion> {
  const { from, client } = input
  if (isSession(actor) && input.notify === false) throw mayNotSilence()
  const stranger = isSession(actor)
    ? await strangerOf(context, { businessId: actor.scope.businessId, from, email: client.email })
    : undefined
  const tokens = await manageTokens(context)
  let order: Order | undefined
  for (let opened = 0; ; opened += 1) {
    try {
      return await convertWith(context, actor, { input, stranger, tokens, order, store })
    } catch (error) {
      if (!(error instanceof OtherDeposit)) throw error
      if (order) await context.checkouts.abandon(order.checkout)
      const { deposit } = error
      if (opened === maxCheckouts)
        throw unavailable('The deposit of the service is being changed; try again.')
      order = deposit && { deposit, checkout: await context.checkouts.open(deposit) }
    }
  }
}

function mayNotSilence(): Problem {
  const detail = 'can be false for business and hub keys only; leave it out'
  return validationProblem([{ pointer: '/notify', code: 'not_allowed', detail }])
}

/** Finds a payment's booking and locks it until the transaction ends. */
export function bookingForPayment(
  tx: Transaction,
  { businessId, id }: { businessId: string; id: string },
): Promise<BookingRow | undefined> {
  return lockBooking(tx, { scope: { businessId }, id })
}

/** Confirms a booking that has its slot, and records booking.created: it was not announced before. */
export async function confirmDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
  notify = true,
): Promise<BookingRow> {
  const { now } = tx
  const columns = {
    status: 'confirmed',
    confirmed_at: now,
    cancelled_at: null,
    scheduled_at: now,
    updated_at: now,
  } as const
  await updateBooking(tx, booking, columns)
  const confirmed = { ...booking, ...columns, version: booking.version + 1 }
  await recordChange(context, tx, {
    types: ['booking.created'],
    booking: eventSubject(confirmed),
    by: 'system',
    action: 'booking.confirmed',
  })
  await recordMails(context, tx, { before: booking, after: confirmed, notify })
  return confirmed
}

/** Takes a cancelled booking's slot again and confirms it. Undefined, and nothing changed, when the slot is taken. */
export async function confirmLateDeposit(
  context: Context,
  tx: Transaction,
  booking: BookingRow,
): Promise<BookingRow | undefined> {
  try {
    await retakeSlot(context, tx, booking)
  } catch (error) {
    // also when the service has fewer seats by now than the party has people
    if (isSlotUnavailable(error) || isInvalid(error)) return undefined
    throw error
  }
  return confirmDeposit(context, tx, booking)
}

function isInvalid(error: unknown): boolean {
  return error instanceof Problem && error.code === 'validation_failed'
}

/** Cancels an unpaid booking and frees its slot; no event, because its creation had none. The client is told. */
export async function cancelUnpaid(context: Context, tx: Transaction, booking: BookingRow): Promise<void> {
  await endBookingClaim(tx, { id: booking.id, business_id: booking.business_id, at: tx.now })
  const columns = { status: 'cancelled', cancelled_at: tx.now, updated_at: tx.now } as const
  await updateBooking(tx, booking, columns)
  const after = { ...booking, ...columns, version: booking.version + 1 }
  await recordChange(context, tx, {
    types: [],
    booking: eventSubject(after),
    by: 'system',
    action: 'booking.cancelled',
  })
  await recordMails(context, tx, { before: booking, after })
}

async function convertWith(context: Context, actor: Actor, request: Request): Promise<Conversion> {
  const checkout = request.order?.checkout
  const owner = scopeKey(actor.scope)
  const isGone = checkout ? undefined : request.input.isGone // one that was opened is not left to time out
  try {
    const conversion = await context.db.sharedTransaction(
      async (tx) => {
        const booking = await convert(context, tx, { ...request, actor })
        return { booking, redirectUrl: checkout?.url }
      },
      { owner, isGone },
    )
    context.metrics.hold('converted')
    if (conversion.booking.status === 'confirmed') context.metrics.booking('created')
    return conversion
  } catch (error) {
    // a refusal is final; after any other error the client may send the same request again
    if (checkout && error instanceof Problem) await context.checkouts.abandon(checkout)
    throw error
  }
}

async function convert(
  context: Context,
  tx: Transaction,
  { actor, ...request }: Request & { actor: Actor },
): Promise<BookingRow> {
  const { input, stranger, order } = request
  // 1. read, and lock, the hold, after taking turns with others that the same caps count: while it waits for them, it
  // holds nothing that others wait for
  const hold = await lockHold(context, tx, { actor, ...request })
  if (!hold) throw unknownHold()
  if (hold.booked_at !== null) throw alreadyConverted(hold, actor)
  // 2. check the answers, the hold's time and the caps; a request that fails anyway learns nothing about the client
  const offering = await offeringOf(context, tx, hold)
  const fieldErrors = customFieldErrors(offering.service.custom_fields, input.custom_field_values ?? [])
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  assertActive(hold, tx.now)
  if (stranger) assertAdmitted(context, stranger, hold)
  assertOrdered(offering, { hold, email: input.client.email }, order)
  // 3. write the booking, which keeps the hold's time, and what tells of it; the names may need a statement, so they come first
  const booking = await withNames(tx, newBooking(hold, offering, { ...request, now: tx.now }), offering)
  return write(context, tx, { ...request, actor, booking, hold })
}

async function lockHold(
  context: Context,
  tx: Transaction,
  { actor, input, stranger, store }: Request & { actor: Actor },
): Promise<ConvertibleHold | undefined> {
  const key = keyOf(actor, input.hold_id)
  const [, hold] = await allOf([
    stranger && lockCounters(context, tx, stranger),
    key && findConvertibleHold(tx, { key, stranger, now: tx.now }),
    store.look(tx),
  ])
  return hold
}

interface Writing extends Request {
  actor: Actor
  booking: BookingRow
  hold: ConvertibleHold
}

/** Also keeps the response for repeated requests. */
async function write(
  context: Context,
  tx: Transaction,
  { actor, booking, hold, stranger, order, input, store }: Writing,
): Promise<BookingRow> {
  const { notify = true } = input
  const [isAdmitted, isBooked] = await allOf([
    !stranger || admitBooking(context, tx, { stranger, hold }),
    bookHold(tx, booking),
    recordChange(context, tx, {
      types: order ? [] : ['booking.created'],
      booking: eventSubject(booking),
      by: actor,
      action: 'booking.created',
    }),
    ...(order ? [] : told(context, tx, { booking, notify, store })),
  ])
  if (!isAdmitted) {
    throw new RetryTransaction('others of the same address or client were counted at the same moment')
  }
  if (!isBooked) throw new RetryTransaction('the hold was taken away under its lock')
  if (!order) return booking
  // a deposit, or the event where it is paid already
  const { checkout } = order
  const pending = await withDeposit(context, tx, { booking, checkout, notify })
  await store(tx, { booking: pending, redirectUrl: checkout.url })
  return pending
}

function told(
  context: Context,
  tx: Transaction,
  { booking, notify, store }: Pick<Request, 'store'> & { booking: BookingRow; notify: boolean },
): Promise<void>[] {
  return [
    recordMails(context, tx, { before: undefined, after: booking, notify }),
    store(tx, { booking, redirectUrl: undefined }),
  ]
}

function assertActive(hold: ConvertibleHold, now: Instant): void {
  const status = holdStatus(hold, now)
  if (status === 'expired') throw new Problem('hold_expired', 'The hold has expired; place a new one.')
  if (status === 'released') throw new Problem('hold_not_found', 'The hold was released; place a new one.')
}

/** Throws OtherDeposit unless the checkout is for the service's present deposit, times the party. */
function assertOrdered(
  { service }: Offering,
  { hold, email }: { hold: ConvertibleHold; email: string },
  order: Order | undefined,
): void {
  const { deposit: ofOne, name: serviceName } = service
  const deposit = ofOne && { ...ofOne, amount: ofOne.amount * hold.party_size }
  if (deposit && deposit.amount > maxMinorUnits) {
    const detail = 'is for so many people that their deposits cannot be charged at once; hold fewer seats'
    throw validationProblem([{ pointer: '/hold_id', code: 'out_of_range', detail }])
  }
  if (deposit?.amount === order?.deposit.amount && deposit?.currency === order?.deposit.currency) return
  const { business_id: businessId, id: holdId } = hold
  throw new OtherDeposit(deposit ? { ...deposit, businessId, holdId, serviceName, email } : undefined)
}

/** The payment may have arrived before the booking was written: then it is confirmed at once. */
async function withDeposit(
  context: Context,
  tx: Transaction,
  { booking, checkout, notify }: { booking: BookingRow; checkout: OpenCheckout; notify: boolean },
): Promise<BookingRow> {
  const payment = await context.checkouts.attach(tx, checkout)
  const pending = { ...booking, ...paymentColumns(payment) }
  if (payment.status === 'paid') return confirmDeposit(context, tx, pending, notify)
  await recordMails(context, tx, { before: undefined, after: pending, notify })
  return pending
}

function newBooking(
  hold: ConvertibleHold,
  { service }: Offering,
  { input, stranger, tokens, order, now }: Omit<Request, 'store'> & { now: Instant },
): BookingsTable {
  const { id, business_id, service_id, location_id, staff_id, chosen_staff_id } = hold
  const { starts_at, ends_at, party_size, owner_id } = hold
  const link = { id, manage_generation: firstGeneration }
  const answers = (input.custom_field_values ?? []).filter(({ value }) => value !== undefined)
  return {
    ...{ id, business_id, service_id, location_id, staff_id, chosen_staff_id },
    ...{ starts_at, ends_at, party_size, owner_id },
    status: order ? 'pending' : 'confirmed',
    confirmed_at: order ? null : now,
    payment_id: order?.checkout.paymentId ?? null,
    ...clientColumns(input.client),
    counted_client: stranger?.client ?? null,
    custom_field_values_json: JSON.stringify(answers),
    notes: input.notes ?? null,
    locale: input.locale === undefined ? null : (localeNamed(input.locale) ?? null),
    scheduled_at: now,
    cancelled_at: null,
    no_show_at: null,
    cancel_reason: null,
    manage_generation: link.manage_generation,
    manage_digest: tokenDigest(tokens(link)),
    client_reschedules: 0,
    created_at: now,
    updated_at: now,
    version: 1,
    erased_at: null,
    agreed_amount: service.price?.amount ?? null,
    agreed_currency: service.price?.currency ?? '',
  }
}

/** The offering at the moment of the conversion: changes since the hold count. */
async function offeringOf(context: Context, tx: Transaction, hold: ConvertibleHold): Promise<Offering> {
  const { business_id: businessId, service_id: serviceId, location_id: locationId } = hold
  const ids = { businessId, serviceId, locationId, version: hold.catalogue_version }
  const { service, location, ...rest } = await findOfferingAsOf(context, tx, ids)
  if (!service || !location) throw new Error('the service or location of a hold is missing') // they are never deleted
  return { service, location, ...rest }
}

async function withNames(
  tx: Transaction,
  booking: BookingsTable,
  { service, location, staff }: Offering,
): Promise<BookingRow> {
  const { staff_id: staffId, business_id: businessId } = booking
  // the staff member may have left the service since the hold
  const member =
    staff.find(({ id }) => id === staffId) ?? (staffId && (await findStaffOf(tx.reads, businessId, staffId)))
  return {
    ...booking,
    service_name: service.name,
    duration_minutes: service.duration_minutes,
    price_amount: booking.agreed_amount,
    price_currency: booking.agreed_currency || null,
    cancel_until_minutes: service.cancel_until_minutes,
    reschedule_until_minutes: service.reschedule_until_minutes,
    max_reschedules: service.max_reschedules,
    location_name: location.name,
    location_address: location.address,
    timezone: location.timezone,
    online_url: location.online_url,
    staff_name: member ? member.name : null,
    ...paymentColumns(undefined),
  }
}

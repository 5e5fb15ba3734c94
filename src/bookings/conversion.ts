import type { Static } from 'typebox'
import { type Actor, isSession } from '../access/actor.ts'
import { firstGeneration, type ManageTokens, manageTokens } from '../access/manage-link.ts'
import { tokenDigest } from '../access/token.ts'
import { notOfferedThen } from '../availability/offer-rules.ts'
import { standInEmail } from '../base/contact-formats.ts'
import { type FieldError, Problem, unavailable, validationProblem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import { metadataErrors, metadataOf, metadataText } from '../base/metadata-rules.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import type { ClientFields } from '../catalogue/catalogue-types.ts'
import { answerBy, answerReminderAt } from '../catalogue/request-rules.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'
import { maxMinorUnits } from '../catalogue/service-rules.ts'
import { allOf, RetryTransaction, type Transaction } from '../database/database.ts'
import { discountText } from '../database/discount-rules.ts'
import { type BookingRow, shownOf } from '../database/shown-booking.ts'
import type { BookingsTable, BookingStatus } from '../database/tables.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { eventSubject } from '../webhooks/event-payload.ts'
import { recordChange } from '../webhooks/event.ts'
import { recordNotices } from '../push/outbox.ts'
import {
  type Booked,
  bookedServices,
  pricesOf,
  type Terms,
  termsOf,
  withinPrice,
  withNames,
} from './booked-services.ts'
import { bookHold } from './booking-queries.ts'
import { clientColumns, eventsOfUnconfirmed } from './booking-rules.ts'
import type { ConvertHold } from './booking-schemas.ts'
import type { Deposit, OpenCheckout } from './checkouts.ts'
import { findStandIn } from './client.ts'
import { takeCoupon } from './coupon.ts'
import type { Context } from './context.ts'
import { clientFieldErrors, customFieldErrors, keptAnswers, textNumberErrors } from './custom-field-rules.ts'
import { type ConvertibleHold, findConvertibleHold, personOf } from './conversion-queries.ts'
import {
  alreadyConverted,
  keyOf,
  type PlaceHoldInput,
  releaseHold,
  unknownHold,
  withHoldToPlace,
} from './hold.ts'
import { holdStatus } from './hold-rules.ts'
import { confirmDeposit } from './pending-booking.ts'
import { noDeposit } from './series-rules.ts'
import type { HoldToPlace } from './visit.ts'
import {
  admitBooking,
  assertAdmitted,
  type ClientAddress,
  isOfTrusted,
  lockCounters,
  type Stranger,
  strangerOf,
} from './strangers.ts'

export type ConvertHoldInput = Static<typeof ConvertHold> & {
  from: ClientAddress
  /** The identity, from an earlier booking, of a client without an email address. */
  knownAs?: string | undefined
  /** Returns true if the client has disconnected. A conversion that has not begun is then skipped. */
  isGone?: () => boolean
  /** Places the hold in the transaction that converts it. The caller then handles OtherDeposit. */
  place?: HoldToPlace['place']
  /** Set if the rest of its series converts as well. */
  series?: { size: number; isTold: boolean }
  /** True for a time that the waiting list offered. No cap counts its client, who is known. */
  isOffer?: boolean
  /** True for a time that a person of the business offered, so that nobody has to confirm it. */
  isConfirmed?: boolean
}

/** A new booking, with the checkout's URL if a deposit is due. */
export interface Conversion {
  booking: BookingRow
  redirectUrl: string | undefined
  /** Absent for a booking that stands alone. */
  series?: { id: string; booking_ids: string[] }
}

/** Stops before anything is written, because the hold belongs to a series, which converts as a whole. */
export class OfSeries extends Error {
  override readonly name = 'OfSeries'
  readonly hold: Pick<ConvertibleHold, 'business_id' | 'series_id'>

  constructor(hold: ConvertibleHold) {
    super('a hold of a series converts with all others')
    this.hold = hold
  }
}

interface Order {
  deposit: Deposit
  /** Undefined for an optional deposit that nobody can take. */
  checkout: OpenCheckout | undefined
}

export interface Request {
  input: ConvertHoldInput
  /** Undefined for keys, which no cap counts. */
  stranger: Stranger | undefined
  tokens: ManageTokens
  order: Order | undefined
  store: StoreResponse<Conversion>
}

/**
 * Rolls back because the open checkout is not for the current deposit. Opening or closing one calls the
 * processor, which no transaction may do.
 */
class OtherDeposit extends Error {
  override readonly name = 'OtherDeposit'
  readonly deposit: Deposit | undefined

  constructor(deposit: Deposit | undefined) {
    super('the service asks for another deposit, or for none')
    this.deposit = deposit
  }
}

/** Maximum retries while the business keeps changing its deposit. */
const maxCheckouts = 3

/**
 * Turns an active hold into a confirmed booking and records its event, or changes nothing. With a deposit, a
 * session's booking is pending, without an event, until the deposit is paid. If a service asks for
 * confirmation, a session's booking is a request: it is pending until the business answers, and its deposit
 * becomes due when it is confirmed. A booking by a key or person is confirmed at once, and its deposit is due
 * in addition. No deposit is due once the time has begun. Bookings of past times are completed. Throws
 * validation_failed (custom fields), slot_not_offered, hold_not_found, hold_expired,
 * hold_converted, booking_limit_reached, or unavailable if no checkout can be opened.
 */
export async function convertHold(
  context: Context,
  actor: Actor,
  input: ConvertHoldInput,
  store: StoreResponse<Conversion> = storeNothing,
): Promise<Conversion> {
  const { stranger, tokens } = await partiesOf(context, actor, input)
  let order: Order | undefined
  for (let opened = 0; ; opened += 1) {
    try {
      return await convertWith(context, actor, { input, stranger, tokens, order, store })
    } catch (error) {
      if (!(error instanceof OtherDeposit) || input.place) throw error
      if (order?.checkout) await context.checkouts.abandon(order.checkout)
      const { deposit } = error
      if (opened === maxCheckouts)
        throw unavailable('The deposit of the service is being changed; try again.')
      order = deposit && { deposit, checkout: await context.checkouts.open(deposit) }
    }
  }
}

/** Returns who converts a hold, and the tokens of manage links. Throws validation_failed. */
export async function partiesOf(
  context: Context,
  actor: Actor,
  { from, client, notify, isOffer = false }: ConvertHoldInput,
): Promise<Pick<Request, 'stranger' | 'tokens'>> {
  if (isSession(actor) && notify === false) throw mayNotSilence()
  const stranger =
    isSession(actor) && !isOffer
      ? await strangerOf(context, { businessId: actor.scope.businessId, from, email: requiredEmail(client) })
      : undefined
  return { stranger, tokens: await manageTokens(context) }
}

export interface BookingForClient {
  time: PlaceHoldInput
  booking: Omit<ConvertHoldInput, 'hold_id' | 'from' | 'knownAs' | 'place'>
  /** The client or an earlier booking, which identifies a client without an address. */
  knownClientId?: string | undefined
}

/**
 * Books a time for a client: places and converts a hold in one transaction. A refusal or a crash leaves
 * neither. With a deposit, the hold exists while the processor opens the checkout. A crash then leaves it to
 * expire. Throws what placeHold and convertHold throw.
 */
export async function bookForClient(
  context: Context,
  actor: Actor,
  { time, booking, knownClientId }: BookingForClient,
  store: StoreResponse<Conversion> = storeNothing,
): Promise<Conversion> {
  const knownAs = await identityOf(context, actor, { booking, knownClientId })
  const work = async ({ id, place, commit }: HoldToPlace) => {
    const input = { ...booking, knownAs, hold_id: id, from: time.from }
    try {
      return await convertHold(context, actor, { ...input, place }, store)
    } catch (error) {
      if (!(error instanceof OtherDeposit)) throw error
    }
    await commit()
    try {
      return await convertHold(context, actor, input, store)
    } catch (error) {
      await releaseHold(context, actor, id)
      throw error
    }
  }
  return withHoldToPlace(context, actor, { input: time, look: (tx) => store.look(tx), work })
}

/** Returns the identity of a known client without an address. */
export async function identityOf(
  context: Context,
  actor: Actor,
  { booking, knownClientId: id }: Pick<BookingForClient, 'booking' | 'knownClientId'>,
): Promise<string | undefined> {
  const { email, phone } = booking.client
  return email === undefined && id !== undefined ? findStandIn(context, actor, { id, phone }) : undefined
}

/**
 * Returns the address, which sessions must give. People and keys may book for a client without one. Throws
 * validation_failed.
 */
function requiredEmail({ email }: ConvertHoldInput['client']): string {
  if (email !== undefined) return email
  throw validationProblem([{ pointer: '/client/email', code: 'required', detail: 'is required' }])
}

function mayNotSilence(): Problem {
  const detail = 'can be false for business and hub keys only; leave it out'
  return validationProblem([{ pointer: '/notify', code: 'not_allowed', detail }])
}

async function convertWith(context: Context, actor: Actor, request: Request): Promise<Conversion> {
  const checkout = request.order?.checkout
  const owner = scopeKey(actor.scope)
  const isGone = request.order ? undefined : request.input.isGone // an opened checkout must not be left to time out
  try {
    const work = async (tx: Transaction) => {
      const booking = await convert(context, tx, { ...request, actor })
      return { booking, redirectUrl: checkout?.url }
    }
    const conversion =
      request.input.coupon === undefined
        ? await context.db.sharedTransaction(work, { owner, isGone })
        : await context.db.transaction(work) // a counted use must not be undone with those of others
    context.metrics.hold('converted')
    if (conversion.booking.status !== 'pending') context.metrics.booking('created')
    return conversion
  } catch (error) {
    // a refusal is final; after any other error the client may repeat the request
    if (checkout && error instanceof Problem) await context.checkouts.abandon(checkout)
    throw error
  }
}

/** Converts a hold in a transaction. Throws as convertHold does, OfSeries, or OtherDeposit. */
export async function convert(
  context: Context,
  tx: Transaction,
  { actor, ...request }: Request & { actor: Actor },
): Promise<BookingRow> {
  const { input, stranger, order } = request
  if (input.place) await input.place(tx) // an idle wait would let others of a shared transaction go first
  // 1. read and lock the hold, after waiting for others that the same caps count. While it waits, it holds
  // nothing that others wait for
  const hold = await lockHold(context, tx, { actor, ...request })
  if (!hold) throw unknownHold()
  if (hold.booked_at !== null) throw alreadyConverted(hold, actor)
  if (hold.series_id !== null && !input.series) throw new OfSeries(hold)
  // 2. check the answers, the hold's time and the caps. A request that fails anyway learns nothing about the
  // client
  const booked = await bookedServices(context, tx, hold)
  const terms = termsOf(booked, hold, isSession(actor))
  const fieldErrors = [
    ...clientFieldErrors(fieldsFor(actor, terms.client_fields), input.client),
    ...customFieldErrors(terms.custom_fields, input.custom_field_values ?? []),
    ...(input.text_consent === undefined
      ? []
      : textNumberErrors(
          internationalNumber(input.client.phone ?? '', booked.services[0].location.timezone),
        )),
  ]
  // the client of an offer sees the fees at the checkout
  const mustAgree = isSession(actor) && !input.isOffer && terms.fees !== null
  if (mustAgree && input.fee_consent === undefined) fieldErrors.push(noFeeConsent)
  for (const error of metadataErrors({ ...metadataOf(hold), ...input.metadata }))
    fieldErrors.push({ ...error, pointer: '/metadata' })
  if (fieldErrors.length > 0) throw validationProblem(fieldErrors)
  assertActive(hold, tx.now)
  if (stranger) assertAdmitted(context, stranger, hold, input.series?.size)
  const isOptional = !isSession(actor)
  const taken = await couponFor(tx, { hold, input, booked })
  const deposit = depositOf(terms, { hold, input, isOptional, booked, taken, now: tx.now })
  const isConfirmed = isOptional || input.isConfirmed === true
  const respondBy = isConfirmed ? undefined : requestedUntil(booked, { hold, stranger, now: tx.now })
  assertOrdered(respondBy ? undefined : deposit, order)
  // 3. write the booking, which keeps the hold's time, and its events and emails. The names come first,
  // because they may need a statement
  const clientId = context.ids.next() // for a new client
  const written = newBooking(hold, {
    booked,
    terms,
    taken,
    ...request,
    respondBy,
    clientId,
    actor,
    now: tx.now,
  })
  const reserved = respondBy && deposit && (await context.checkouts.reserve(tx, deposit))
  const named = await withNames(tx, { ...written, payment_id: reserved?.id ?? written.payment_id }, booked)
  const booking = { ...named, ...shownOf('payment', reserved), client_id: clientId }
  return write(context, tx, { ...request, actor, booking, hold })
}

/**
 * Returns when a request for the services ends without an answer. Undefined if none of them asks for confirmation. Throws
 * slot_not_offered if the business would have no time to answer. A time that the waiting list offered so late is booked
 * at once.
 */
function requestedUntil(
  { services }: Booked,
  {
    hold: { starts_at: startsAt },
    stranger,
    now,
  }: Pick<Request, 'stranger'> & { hold: ConvertibleHold; now: Instant },
): Instant | undefined {
  const until = answerBy(
    services.map(({ service }) => service),
    { startsAt, now },
  )
  if (until === undefined || until > now) return until
  if (!stranger) return undefined
  throw notOfferedThen('too_soon')
}

/** Returns the required details of a client. People of the business may book with a first name alone. */
function fieldsFor(actor: Actor, fields: ClientFields): ClientFields {
  return actor.type === 'person' && fields.last_name === 'required'
    ? { ...fields, last_name: 'optional' }
    : fields
}

async function lockHold(
  context: Context,
  tx: Transaction,
  { actor, input, stranger, store }: Request & { actor: Actor },
): Promise<ConvertibleHold | undefined> {
  const key = keyOf(actor, input.hold_id)
  const [, hold] = await allOf([
    stranger && lockCounters(context, tx, stranger),
    key && findConvertibleHold(tx, { key, stranger, person: personOf(input.client), now: tx.now }),
    store.look(tx),
  ])
  return hold
}

interface Writing extends Request {
  actor: Actor
  booking: BookingRow & { client_id: string }
  hold: ConvertibleHold
}

/** Writes the booking. Also stores the response for repeated requests. */
async function write(
  context: Context,
  tx: Transaction,
  { actor, booking, hold, stranger, order, input, store }: Writing,
): Promise<BookingRow> {
  const { notify = true } = input
  const checkout = order?.checkout
  const clientId = bookHold(tx, booking)
  const [isAdmitted, client_id] = await allOf([
    !stranger || admitBooking(context, tx, { stranger, hold }),
    clientId,
    recordChange(context, tx, {
      types: booking.respond_by === null ? eventsOfUnconfirmed(booking.status) : ['booking.requested'],
      booking: eventSubject(booking),
      ...(booking.respond_by !== null && { details: { respondBy: booking.respond_by } }),
      by: actor,
      action: booking.respond_by === null ? 'booking.created' : 'booking.requested',
    }),
    ...(checkout
      ? []
      : [
          // one email reports a whole series
          ...(input.series?.isTold === false
            ? []
            : [recordNotices(context, tx, { before: undefined, after: booking, by: actor, notify })]),
          storeBooking(tx, { booking, clientId: isSession(actor) ? booking.client_id : clientId, store }),
        ]),
  ])
  if (!isAdmitted) {
    throw new RetryTransaction('others of the same address or client were counted at the same moment')
  }
  if (client_id === undefined) throw new RetryTransaction('the hold was taken away under its lock')
  const booked = { ...booking, client_id }
  if (!checkout) return booked
  // a deposit, or the event if it is already paid
  const withPayment = await withDeposit(context, tx, { booking: booked, checkout, by: actor, notify })
  await store(tx, { booking: withPayment, redirectUrl: checkout.url })
  return withPayment
}

/** Stores the response. It waits for the client of the booking unless the caller is a session, which does not see it. */
async function storeBooking(
  tx: Transaction,
  {
    booking,
    clientId,
    store,
  }: Pick<Request, 'store'> & { booking: BookingRow; clientId: string | Promise<string | undefined> },
): Promise<void> {
  const client_id = typeof clientId === 'string' ? clientId : await clientId
  await store(tx, { booking: { ...booking, client_id: client_id ?? null }, redirectUrl: undefined })
}

function assertActive(hold: ConvertibleHold, now: Instant): void {
  const status = holdStatus(hold, now)
  if (status === 'expired') throw new Problem('hold_expired', 'The hold has expired; place a new one.')
  if (status === 'released') throw new Problem('hold_not_found', 'The hold was released; place a new one.')
}

/**
 * Returns the current deposit of all services and people. Undefined without one, and for a booking by the
 * business after its start.
 */
function depositOf(
  { deposit: asked, fees, serviceName }: Terms,
  {
    hold,
    input,
    isOptional,
    booked,
    taken,
    now,
  }: Pick<Request, 'input'> &
    Pick<Deposit, 'isOptional'> & {
      hold: ConvertibleHold
      booked: Booked
      taken: TakenCoupon | undefined
      now: Instant
    },
): Deposit | undefined {
  const deposit = asked && taken ? withinPrice(asked, booked, taken.discount) : asked
  if (deposit && input.series && !isOptional) throw noDeposit('/hold_id')
  if (!deposit || input.series || (isOptional && hold.starts_at <= now)) return undefined
  if (deposit.amount > maxMinorUnits) {
    const detail = 'is for so many people that their deposits cannot be charged at once; hold fewer seats'
    throw validationProblem([{ pointer: '/hold_id', code: 'out_of_range', detail }])
  }
  const { business_id: businessId, id: holdId } = hold
  const savesCard = deposit.kind === 'card' || fees !== null
  return {
    ...deposit,
    businessId,
    holdId,
    serviceName,
    email: input.client.email ?? '',
    isOptional,
    savesCard,
  }
}

type TakenCoupon = Awaited<ReturnType<typeof takeCoupon>>

/** Counts a use of the coupon, if the client gives one. Throws validation_failed. */
async function couponFor(
  tx: Transaction,
  { hold, input, booked }: Pick<Request, 'input'> & { hold: ConvertibleHold; booked: Booked },
): Promise<TakenCoupon | undefined> {
  const { coupon: code, client } = input
  if (code === undefined) return undefined
  if (input.series) {
    const detail = 'is for single bookings; leave it out for a series'
    throw validationProblem([{ pointer: '/coupon', code: 'not_allowed', detail }])
  }
  const [{ location }] = booked.services
  const known = { known: hold.id, timezone: location.timezone }
  const email = client.email ?? input.knownAs ?? standInEmail(client.phone ?? '', known)
  return takeCoupon(tx, { businessId: hold.business_id, code, email, services: pricesOf(booked) })
}

/** Throws OtherDeposit unless the open checkout is for this deposit. */
function assertOrdered(deposit: Deposit | undefined, order: Order | undefined): void {
  const ordered = order?.deposit
  const isSame = deposit?.amount === ordered?.amount && deposit?.currency === ordered?.currency
  if (isSame && deposit?.kind === ordered?.kind && deposit?.savesCard === ordered?.savesCard) return
  throw new OtherDeposit(deposit)
}

/**
 * Attaches the deposit. If the payment arrived before the booking was written, confirms a pending booking at
 * once.
 */
async function withDeposit(
  context: Context,
  tx: Transaction,
  {
    booking,
    checkout,
    by,
    notify,
  }: { booking: BookingRow; checkout: OpenCheckout; by: Actor; notify: boolean },
): Promise<BookingRow> {
  const payment = await context.checkouts.attach(tx, checkout)
  const withPayment = { ...booking, ...shownOf('payment', payment) }
  if (booking.status === 'pending' && payment.status === 'paid')
    return confirmDeposit(context, tx, withPayment, notify)
  await recordNotices(context, tx, { before: undefined, after: withPayment, by, notify })
  return withPayment
}

function firstStatus(
  { ends_at }: ConvertibleHold,
  {
    actor,
    order,
    respondBy,
    now,
  }: Pick<Request, 'order'> & { actor: Actor; respondBy: Instant | undefined; now: Instant },
): BookingStatus {
  if (isSession(actor)) return order || respondBy ? 'pending' : 'confirmed'
  return ends_at <= now ? 'completed' : 'confirmed'
}

const noFeeConsent: FieldError = {
  pointer: '/fee_consent',
  code: 'required',
  detail: 'is required, because the service has fees: show them to the client, and send the sentence',
}

/** Returns the agreed fees. Only clients can agree to them; a consent without fees is for nothing. */
function feeColumns(
  { fees }: Terms,
  { input, startsAt, now }: Pick<Request, 'input'> & { startsAt: Instant; now: Instant },
): Pick<BookingsTable, 'fee_rules_json' | 'fee_consent' | 'fee_agreed_at' | 'agreed_starts_at'> {
  const consent = fees === null ? null : (input.fee_consent ?? null)
  return {
    fee_rules_json: fees,
    fee_consent: consent,
    fee_agreed_at: consent === null ? null : now,
    agreed_starts_at: fees === null ? null : startsAt,
  }
}

function newBooking(
  hold: ConvertibleHold,
  {
    booked: { services, items },
    terms,
    taken,
    ...request
  }: Omit<Request, 'store'> & {
    actor: Actor
    booked: Booked
    terms: Terms
    taken: TakenCoupon | undefined
    respondBy: Instant | undefined
    clientId: string
    now: Instant
  },
): BookingsTable {
  const { actor, input, stranger, tokens, order, respondBy, clientId, now } = request
  const [{ location, price }] = services
  const { id, business_id, service_id, location_id, staff_id, chosen_staff_id } = hold
  const { starts_at, ends_at, party_size, owner_id } = hold
  const link = { id, manage_generation: firstGeneration }
  const answers = keptAnswers(terms.custom_fields, input.custom_field_values ?? [], { now })
  const { last_name = '', phone = '', ...client } = input.client
  const { email = input.knownAs ?? standInEmail(phone, { known: id, timezone: location.timezone }) } = client
  const status = firstStatus(hold, { actor, order, respondBy, now })
  return {
    ...{ id, business_id, service_id, location_id, staff_id, chosen_staff_id },
    ...{ starts_at, ends_at, party_size, owner_id },
    status,
    confirmed_at: status === 'pending' ? null : now,
    respond_by: respondBy ?? null,
    request_check_at: respondBy === undefined ? null : answerReminderAt({ now, respondBy }),
    payment_id: order?.checkout?.paymentId ?? null,
    ...clientColumns({ ...client, last_name, phone, email }),
    counted_client: stranger?.client ?? null,
    caused_by: !stranger || isOfTrusted(stranger, hold) ? 'business' : null,
    custom_field_values_json: JSON.stringify(answers),
    notes: input.notes ?? null,
    time_zone: input.time_zone ?? null,
    text_consent: input.text_consent ?? null,
    text_agreed_at: input.text_consent === undefined ? null : now,
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
    agreed_amount: price?.amount ?? null,
    agreed_currency: price?.currency ?? '',
    item_count: items ? items.length : null,
    client_id: clientId,
    series_id: hold.series_id,
    coupon_id: taken?.couponId ?? null,
    discount_json: taken ? discountText(taken.discount) : null,
    ...feeColumns(terms, { input, startsAt: starts_at, now }),
    metadata_json: metadataText({ ...metadataOf(hold), ...input.metadata }),
  }
}

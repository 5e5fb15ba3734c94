import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { firstGeneration, type ManageTokens, manageTokens } from '../access/manage-link.ts'
import { tokenDigest } from '../access/token.ts'
import { locationResource, type Resource, staffResource, takenBy } from '../availability/resource-rules.ts'
import type { Instant } from '../base/instants.ts'
import { Slices } from '../base/slices.ts'
import type { Location, StaffMember } from '../catalogue/location-and-staff-schemas.ts'
import { moveUntilOf } from '../catalogue/request-rules.ts'
import { isPlainService, priceFor } from '../catalogue/service-rules.ts'
import type { Service } from '../catalogue/service-schemas.ts'
import { allOf, RetryTransaction, type Transaction } from '../database/database.ts'
import { type BookingRow, shownOf } from '../database/shown-booking.ts'
import type { BookingsTable } from '../database/tables.ts'
import { eventSubject } from '../webhooks/event-payload.ts'
import { recordImported } from '../webhooks/event.ts'
import { findPresent, findTaken, insertImported, type PresentBooking } from './booking-import-queries.ts'
import { type Placement, placeAll, type Wanted } from './booking-import-rules.ts'
import { clientColumns } from './booking-rules.ts'
import { insertClaim } from './claim-queries.ts'
import type { ClientRow } from './client-queries.ts'
import type { Context } from './context.ts'
import { expiredHolds } from './hold.ts'

/*
 * Imports appointments of another system. Past and cancelled ones become history, which takes no time. Coming ones take
 * their time as claims. Each is written with its event in one transaction, and none causes an email, a notification or a
 * webhook delivery. Its ID comes from its source, so a repeated import finds it and changes nothing.
 */

/** An appointment of another system. */
export interface ImportedBooking {
  /** The same for each import of its source. */
  id: string
  service: Service
  location: Location
  /** Null for a service without staff. */
  staff: StaffMember | null
  starts_at: Instant
  ends_at: Instant
  party_size: number
  state: 'booked' | 'cancelled' | 'no_show'
  notes: string | null
  /** Undefined in a plan, for a client who does not exist yet. */
  client: ClientRow | undefined
  /** When it was booked in its source. */
  created_at: Instant
}

/** The effect of an import on an appointment. */
export type BookingResult =
  | { effect: 'coming' | 'past' | 'present' }
  /** It is there, and its source has another time, person, service or state now. */
  | { effect: 'differs'; present: PresentBooking }
  /** ID of the booking or hold in its way; undefined if somebody took the time during the import. */
  | { effect: 'conflict'; inTheWay: string | undefined }
  | { effect: 'needs_more' }

/** Number of bookings that are written side by side, and whose presence is read at once. */
const perBatch = 50

interface ImportInput {
  business_id: string
  bookings: readonly ImportedBooking[]
  apply: boolean
  isGone?: (() => boolean) | undefined
}

/** Imports appointments, or returns the plan: a result for each. Throws MemberGone for a plan. */
export async function importBookings(
  context: Context,
  actor: Actor,
  { business_id, bookings, apply, isGone }: ImportInput,
): Promise<BookingResult[]> {
  const slices = new Slices(apply ? undefined : isGone)
  const now = context.clock.now()
  if (apply) await expiredHolds.deleteBatch(context, maxExpired)
  const present = new Map<string, PresentBooking>()
  for (let start = 0; start < bookings.length; start += perBatch) {
    const ids = bookings.slice(start, start + perBatch).map(({ id }) => id)
    for (const one of await findPresent(context.db.reads, business_id, ids)) present.set(one.id, one)
    await slices.rest()
  }
  const missing = bookings.filter(({ id }) => !present.has(id))
  const placements = await placementsOf(context, { business_id, bookings: missing, now })
  const results: BookingResult[] = []
  const writer = { context, actor, business_id, tokens: await manageTokens(context) }
  for (let start = 0; start < bookings.length; start += perBatch) {
    const batch = bookings.slice(start, start + perBatch).map((booking) => {
      const known = present.get(booking.id)
      return known ? compared(booking, known, now) : planned(booking, placements.get(booking.id), now)
    })
    const written = apply ? await allOf(batch.map((one) => write(writer, one))) : batch
    results.push(...written.map(({ result }) => result))
    await slices.rest()
  }
  if (apply && results.some(({ effect }) => effect === 'coming' || effect === 'past')) {
    const change = { action: 'business.bookings_imported', subjectId: business_id } as const
    await context.db.transaction((tx) =>
      recordAudit(context, tx, { by: actor, ...change, businessId: business_id }),
    )
  }
  return results
}

/** Number of expired holds that end before an import, because they would be in its way. */
const maxExpired = 1_000

interface Planned {
  booking: ImportedBooking
  result: BookingResult
  /** The seats of a coming booking. */
  seats?: readonly number[]
}

function isComing({ state, ends_at }: ImportedBooking, now: Instant): boolean {
  return state === 'booked' && ends_at > now
}

function planned(booking: ImportedBooking, placement: Placement | undefined, now: Instant): Planned {
  if (!isComing(booking, now)) return { booking, result: { effect: 'past' } }
  if (!placement) return { booking, result: { effect: 'needs_more' } }
  return 'seats' in placement
    ? { booking, result: { effect: 'coming' }, seats: placement.seats }
    : { booking, result: { effect: 'conflict', inTheWay: placement.inTheWay } }
}

/** Compares a booking of an earlier import with its source. History has only to be there. */
function compared(booking: ImportedBooking, present: PresentBooking, now: Instant): Planned {
  const isSame =
    booking.starts_at === present.starts_at &&
    booking.ends_at === present.ends_at &&
    booking.service.id === present.service_id &&
    (booking.staff?.id ?? null) === present.staff_id &&
    (booking.state === 'cancelled') === (present.status === 'cancelled')
  const isOver = booking.ends_at <= now && present.ends_at <= now
  return { booking, result: isSame || isOver ? { effect: 'present' } : { effect: 'differs', present } }
}

/** Places the coming bookings. Those of services that need rooms or several steps get no placement. */
async function placementsOf(
  { db }: Context,
  {
    business_id: businessId,
    bookings,
    now,
  }: Pick<ImportInput, 'business_id' | 'bookings'> & { now: Instant },
): Promise<Map<string, Placement>> {
  const wanted = bookings
    .filter((booking) => isComing(booking, now) && isPlainService(booking.service))
    .map((booking) => wantedOf(booking))
  const resourceIds = [...new Set(wanted.map(({ resource_id }) => resource_id))]
  if (resourceIds.length === 0) return new Map()
  return placeAll(wanted, await findTaken(db.reads, { businessId, resourceIds, now }))
}

function resourceOf({ service, staff, location, starts_at }: ImportedBooking): Resource {
  return staff
    ? staffResource(service, { staffId: staff.id, locationId: location.id, startsAt: starts_at })
    : locationResource(service, location.id)
}

function wantedOf(booking: ImportedBooking): Wanted {
  const { id: resource_id, occurrenceId: occurrence_id, seats } = resourceOf(booking)
  const { starts_at: taken_from, ends_at: taken_until } = takenBy(booking.service, booking)
  const { id, party_size } = booking
  return { ...{ id, party_size, resource_id, occurrence_id }, capacity: seats, taken_from, taken_until }
}

interface Writer {
  context: Context
  actor: Actor
  business_id: string
  tokens: ManageTokens
}

/** Rolls back because the time is taken. */
class Taken extends Error {}

async function write(writer: Writer, planned: Planned): Promise<Planned> {
  const { booking, result } = planned
  if (result.effect !== 'coming' && result.effect !== 'past') return planned
  const { context, business_id: owner } = writer
  try {
    const isNew = await context.db.sharedTransaction((tx) => writeOne(writer, tx, planned), { owner })
    if (isNew) context.metrics.booking('created')
    return isNew ? planned : { booking, result: { effect: 'present' } }
  } catch (error) {
    if (!(error instanceof Taken)) throw error
    return { booking, result: { effect: 'conflict', inTheWay: undefined } }
  }
}

/** Writes a booking with its claim and event. Returns false if another import has written it. Throws Taken. */
async function writeOne(
  { context, actor, business_id, tokens }: Writer,
  tx: Transaction,
  { booking, seats }: Planned,
): Promise<boolean> {
  const row = newBooking(booking, { business_id, ownerId: actor.ownerId, tokens, now: tx.now })
  if (seats) {
    const { capacity: _, ...claimed } = wantedOf(booking)
    const { id, service_id, location_id, staff_id, chosen_staff_id, starts_at, ends_at, created_at } = row
    const claim = {
      ...{ ...claimed, business_id, id, service_id, location_id, staff_id, chosen_staff_id },
      ...{ starts_at, ends_at, seats, owner_id: actor.ownerId, owner_sequence: null, series_id: null },
      ...{ client_network: null, client_wider_network: null, created_at, expires_at: created_at },
      ...{ booked_at: tx.now, ended_at: null, metadata_json: null },
    }
    if (!(await insertClaim(tx, { claim, room: {} }))) {
      const [known] = await findPresent(tx.reads, business_id, [id])
      if (known) return false
      throw new Taken()
    }
  }
  if (!(await insertImported(tx, row))) {
    if (seats) throw new RetryTransaction('another import wrote the booking at the same moment')
    return false
  }
  await recordImported(context, tx, eventSubject(shownBooking(row, booking)))
  return true
}

function newBooking(
  { id, service, location, staff, client, ...booking }: ImportedBooking,
  {
    business_id,
    ownerId,
    tokens,
    now,
  }: { business_id: string; ownerId: string; tokens: ManageTokens; now: Instant },
): BookingsTable & { client_id: string } {
  if (!client) throw new Error('an imported booking has no client') // clients are imported first
  const { starts_at, ends_at, party_size, state, notes } = booking
  const price = priceFor(service, staff?.id ?? null)
  const created_at = booking.created_at < now ? booking.created_at : now
  const ended = ends_at < now ? ends_at : now // sources do not say when
  const status = state === 'cancelled' ? 'cancelled' : ends_at <= now ? 'completed' : 'confirmed'
  return {
    ...{ id, business_id, service_id: service.id, location_id: location.id, staff_id: staff?.id ?? null },
    ...{ chosen_staff_id: staff?.id ?? null, starts_at, ends_at, party_size, owner_id: ownerId },
    ...{
      status,
      notes,
      confirmed_at: created_at,
      respond_by: null,
      request_check_at: null,
      payment_id: null,
    },
    ...clientColumns({
      ...{ first_name: client.first_name, last_name: client.last_name },
      ...{ email: client.email ?? client.address, phone: client.phone ?? '' },
    }),
    ...{ counted_client: null, caused_by: 'business', custom_field_values_json: '[]' },
    ...{ time_zone: client.time_zone, locale: client.locale, text_consent: null, text_agreed_at: null },
    // now, so that no reminder is sent that the old system has sent
    ...{ scheduled_at: now, cancelled_at: state === 'cancelled' ? ended : null, cancel_reason: null },
    no_show_at: state === 'no_show' && status === 'completed' ? ended : null,
    manage_generation: firstGeneration,
    manage_digest: tokenDigest(tokens({ id, manage_generation: firstGeneration })),
    ...{ client_reschedules: 0, created_at, updated_at: now, version: 1, erased_at: null },
    ...{ agreed_amount: price?.amount ?? null, agreed_currency: price?.currency ?? '', item_count: null },
    ...{ client_id: client.id, series_id: null, coupon_id: null, discount_json: null, metadata_json: null },
    ...{ fee_rules_json: null, fee_consent: null, fee_agreed_at: null, agreed_starts_at: null },
  }
}

function shownBooking(row: BookingsTable, { service, location, staff }: ImportedBooking): BookingRow {
  return {
    ...row,
    ...shownOf('service', service),
    reschedule_until_minutes: moveUntilOf(service),
    price_amount: row.agreed_amount,
    price_currency: row.agreed_currency || null,
    ...shownOf('location', location),
    ...shownOf('staff', staff ?? undefined),
    ...shownOf('payment', undefined),
    items_json: null,
  }
}

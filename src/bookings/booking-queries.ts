import { sql, type RawBuilder } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { PaymentsTable } from '../database/payment-tables.ts'
import type { BookingsTable, BookingStatus } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** A booking with the names of what it refers to, and the payment of its deposit. */
export interface BookingRow extends BookingsTable {
  service_name: string
  duration_minutes: number
  location_name: string
  timezone: string
  staff_name: string | null
  /** All null for a booking without a deposit. */
  payment_status: PaymentsTable['status'] | null
  payment_amount: number | null
  payment_currency: string | null
  payment_provider: PaymentsTable['provider'] | null
  payment_paid_at: Instant | null
  payment_refunded_at: Instant | null
}

function selectBookings(db: Queries, reach: Given<Reach>) {
  return db
    .selectFrom('bookings as b')
    .innerJoin('services as s', 's.id', 'b.service_id')
    .innerJoin('locations as l', 'l.id', 'b.location_id')
    .leftJoin('staff as p', 'p.id', 'b.staff_id')
    .leftJoin('payments as m', 'm.id', 'b.payment_id')
    .selectAll('b')
    .select([
      's.name as service_name',
      's.duration_minutes',
      'l.name as location_name',
      'l.timezone',
      'p.name as staff_name',
      'm.status as payment_status',
      'm.amount as payment_amount',
      'm.currency as payment_currency',
      'm.provider as payment_provider',
      'm.paid_at as payment_paid_at',
      'm.refunded_at as payment_refunded_at',
    ])
    .where(inReach('b.business_id', reach))
}

type ById = Given<{ reach: Reach; id: string }>

const bookingById = compiledOnce((db, { reach, id }: ById) =>
  selectBookings(db, reach).where('b.id', '=', id),
)

const bookingForChange = compiledOnce((db, { reach, id }: ById) =>
  selectBookings(db, reach).where('b.id', '=', id).forUpdate('b'),
)

/** A booking with the names that it shows; undefined when it is out of reach, as if it did not exist. */
export async function findBooking(db: Queries, reach: Reach, id: string): Promise<BookingRow | undefined> {
  const { rows } = await bookingById(db, { reach, id })
  return rows[0]
}

/** Finds a booking and keeps others from changing it until the transaction ends. */
export async function findBookingForChange(
  db: Queries,
  reach: Reach,
  id: string,
): Promise<BookingRow | undefined> {
  const { rows } = await bookingForChange(db, { reach, id })
  return rows[0]
}

/** What a list of bookings is narrowed to. */
interface BookingConditions {
  status: BookingStatus | undefined
  /** Starts at or after this. */
  from: Instant | undefined
  /** Starts before this. */
  to: Instant | undefined
  serviceId: string | undefined
  locationId: string | undefined
  staffId: string | undefined
  email: string | undefined
  businessId: string | undefined
}

/** The place of a booking in a list: the instant by which it is sorted, and its id. */
export type BookingPlace = readonly [instant: Instant, id: string]

/** A list of bookings, its order, and where its page begins. */
export interface BookingFilter {
  conditions: BookingConditions
  /** By their start; otherwise by their creation. */
  byStart: boolean
  ascending: boolean
  /** Of the last row of the page before. */
  after: BookingPlace | undefined
}

/** What is searched of clients, in lower case, in the bookings up to a place. */
interface Search {
  text: string
  until: BookingPlace | undefined
}

type Listing = Given<{ reach: Reach; filter: BookingFilter }>

function sortedBy({ byStart, ascending }: Listing['filter']) {
  const direction = ascending ? ('asc' as const) : ('desc' as const)
  return { instant: byStart ? ('b.starts_at' as const) : ('b.created_at' as const), direction }
}

function conditionsOf({ filter }: Listing): RawBuilder<boolean>[] {
  const { status, from, to, serviceId, locationId, staffId, email, businessId } = filter.conditions
  const { instant, direction } = sortedBy(filter)
  const { after } = filter
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<')
  return [
    ...(status ? [sql<boolean>`b.status = ${status}`] : []),
    ...(from ? [sql<boolean>`b.starts_at >= ${from}`] : []),
    ...(to ? [sql<boolean>`b.starts_at < ${to}`] : []),
    ...(serviceId ? [sql<boolean>`b.service_id = ${serviceId}`] : []),
    ...(locationId ? [sql<boolean>`b.location_id = ${locationId}`] : []),
    ...(staffId ? [sql<boolean>`b.staff_id = ${staffId}`] : []),
    ...(email ? [sql<boolean>`lower(b.client_email) = lower(${email})`] : []),
    ...(businessId ? [sql<boolean>`b.business_id = ${businessId}`] : []),
    ...(after ? [sql<boolean>`(${sql.ref(instant)}, b.id) ${isAfter} (${after[0]}, ${after[1]})`] : []),
  ]
}

const bookingList = compiledOnce(
  (db, listing: Listing & Given<{ rows: number; search: Search | undefined }>) => {
    const { reach, filter, rows, search } = listing
    const { instant, direction } = sortedBy(filter)
    let query = selectBookings(db, reach)
    for (const condition of conditionsOf(listing)) query = query.where(condition)
    if (search) query = query.where(sql<boolean>`b.client_search like ${search.text} escape '\\'`)
    if (search?.until) {
      const [at, id] = search.until
      const upTo = sql.raw(direction === 'asc' ? '<=' : '>=')
      query = query.where(sql<boolean>`(${sql.ref(instant)}, b.id) ${upTo} (${at}, ${id})`)
    }
    return query.orderBy(instant, direction).orderBy('b.id', direction).limit(rows)
  },
)

const placeAfter = compiledOnce((db, listing: Listing & Given<{ rows: number }>) => {
  const { instant, direction } = sortedBy(listing.filter)
  let query = db.selectFrom('bookings as b').where(inReach('b.business_id', listing.reach))
  for (const condition of conditionsOf(listing)) query = query.where(condition)
  return query
    .select(['b.id', sql<Instant>`${sql.ref(instant)}`.as('instant')])
    .orderBy(instant, direction)
    .orderBy('b.id', direction)
    .offset(listing.rows)
    .limit(1)
})

/** Bookings in their order, at most `rows` of them. */
export async function findBookings(
  db: Queries,
  reach: Reach,
  { filter, rows }: { filter: BookingFilter; rows: number },
): Promise<BookingRow[]> {
  return (await bookingList(db, { reach, filter, rows, search: undefined })).rows
}

/**
 * Those of the next `searched` bookings in whose client's name, e-mail or phone a text stands, in lower case; at most
 * `rows` of them. Says up to which place it has searched when there are more bookings than that.
 */
export async function searchBookings(
  db: Queries,
  reach: Reach,
  { filter, rows, text, searched }: { filter: BookingFilter; rows: number; text: string; searched: number },
): Promise<{ rows: BookingRow[]; until: BookingPlace | undefined }> {
  const [last] = (await placeAfter(db, { reach, filter, rows: searched - 1 })).rows
  const until = last && ([last.instant, last.id] as const)
  const search = { text: `%${text.replace(/[\\%_]/g, '\\$&')}%`, until }
  return { rows: (await bookingList(db, { reach, filter, rows, search })).rows, until }
}

/** What a client says when a hold is converted. */
export type BookingInput = ClientColumns &
  Pick<BookingsTable, 'custom_field_values_json' | 'notes' | 'counted_client'>

/** A hold that becomes a booking, and what its owner says. */
interface FromHold {
  holdId: string
  /** Where only this owner may do it. */
  ownerId: string | undefined
  now: Instant
  input: BookingInput
  paymentId: string | null
}

const addition = compiledOnce((db, from: Given<FromHold & { reach: Reach }>) => {
  const { reach, holdId, ownerId, now, input, paymentId } = from
  const state =
    paymentId === null
      ? { status: 'confirmed' as const, confirmed_at: now }
      : { status: 'pending' as const, payment_id: paymentId }
  const given = { ...input, ...state, created_at: now, updated_at: now, version: 1 }
  return db
    .insertInto('bookings')
    .columns([...holdColumns, ...(Object.keys(given) as (keyof typeof given)[])])
    .expression((build) =>
      build
        .selectFrom('holds as h')
        .select(holdColumns.map((column) => `h.${column}` as const))
        .select(Object.entries(given).map(([column, value]) => sql`${value}`.as(column)))
        .where(inReach('h.business_id', reach))
        .where('h.id', '=', holdId)
        .$if(ownerId !== undefined, (query) => query.where('h.owner_id', '=', ownerId ?? '')),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning((build) =>
      build
        .selectFrom('businesses as v')
        .whereRef('v.id', '=', 'bookings.business_id')
        .select('v.catalogue_version')
        .as('catalogue_version'),
    )
})

const holdColumns = [
  'id',
  'business_id',
  'service_id',
  'location_id',
  'staff_id',
  'starts_at',
  'ends_at',
  'owner_id',
] as const

/**
 * Writes the booking that a hold becomes, under the hold's id: confirmed, or pending while a payment is due. Tells at
 * which version the catalogue of its business was then. Undefined when there is no such hold within reach, or when it
 * has become a booking already.
 */
export async function insertBookingFromHold(
  db: Queries,
  reach: Reach,
  from: FromHold,
): Promise<{ booking: BookingsTable; catalogueVersion: number } | undefined> {
  const { rows } = await addition(db, { ...from, reach })
  if (!rows[0]) return undefined
  const { catalogue_version: catalogueVersion, ...booking } = rows[0]
  return { booking, catalogueVersion: catalogueVersion ?? 0 }
}

/** The columns that a change may write. */
export type ChangedColumns = Partial<
  Pick<
    BookingsTable,
    | 'starts_at'
    | 'ends_at'
    | 'status'
    | 'notes'
    | 'staff_id'
    | 'cancelled_at'
    | 'confirmed_at'
    | 'no_show_at'
    | 'counted_client'
    | keyof ClientColumns
  >
>

/** What a booking says of its client. */
export type ClientColumns = Pick<
  BookingsTable,
  'client_first_name' | 'client_last_name' | 'client_email' | 'client_phone' | 'client_search'
>

interface BookingUpdate {
  businessId: string
  id: string
  columns: ChangedColumns & { updated_at: Instant; version: number }
}

const update = compiledOnce((db, { businessId, id, columns }: Given<BookingUpdate>) =>
  db.updateTable('bookings').set(columns).where('business_id', '=', businessId).where('id', '=', id),
)

/** Writes changed columns of a booking and its next version. */
export async function updateBooking(
  db: Queries,
  booking: Pick<BookingsTable, 'business_id' | 'id' | 'version'>,
  changes: ChangedColumns & { updated_at: Instant },
): Promise<void> {
  const columns = { ...changes, version: booking.version + 1 }
  await update(db, { businessId: booking.business_id, id: booking.id, columns })
}

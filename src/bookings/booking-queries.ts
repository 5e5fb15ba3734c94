import { type RawBuilder, sql } from 'kysely'
import { isStandIn } from '../base/contact-formats.ts'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { allOf, type Database, type Queries, type Reads, type Transaction } from '../database/database.ts'
import { groupedLookup } from '../database/grouped.ts'
import { type Columns, foreach, isAmong, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { hasEntries, type MetadataEntry } from '../database/metadata-values.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { type BookingRow, selectShown, shownJoins, shownText } from '../database/shown-booking.ts'
import type { BookingsTable, BookingStatus } from '../database/tables.ts'
import {
  countForMerged,
  joinTwins,
  keyText,
  matchKey,
  newClients,
  type PhonedBooking,
  twinKeys,
  upsertClients,
} from './client-match-queries.ts'
import { findClientsBy, foundColumns, partPattern } from './client-text-queries.ts'
import { inScope, inScopeOfRow, scopeColumns, scopeRow, type TenantScope } from '../database/tenant-scope.ts'

function selectBookings(db: Reads, scope: Params<TenantScope>) {
  return selectShown(db).where(inScope('b.business_id', scope))
}

type ById = Params<{ scope: TenantScope; id: string }>

const bookingById = cachedQuery((db, { scope, id }: ById) => selectBookings(db, scope).where('b.id', '=', id))

const bookingsById = cachedQuery((db, { keys }: Params<{ keys: string }>) =>
  selectShown(db).where(
    // each key names its business, so no scope is needed
    isAmong(
      db,
      [
        ['b.business_id', 'uuid'],
        ['b.id', 'uuid'],
      ],
      keys,
    ),
  ),
)

const findBookingOfBusiness = groupedLookup(
  async ({ reads }: Database, keys) => (await bookingsById(reads, { keys })).rows,
  {
    keyOf: ({ business_id, id }) => [business_id, id] as const,
    ownerOf: ([businessId]) => businessId,
  },
)

/** Finds a booking with the names that it shows; undefined if it is out of scope, as if it did not exist. */
export async function findBooking(
  db: Database,
  scope: TenantScope,
  id: string,
): Promise<BookingRow | undefined> {
  if ('businessId' in scope) return findBookingOfBusiness(db, [scope.businessId, id])
  const { rows } = await bookingById(db.reads, { scope, id })
  return rows[0]
}

/** Finds the booking of a short link, whose code names it and proves itself. */
export function findLinkedBooking(
  db: Reads,
  id: string,
): Promise<Pick<BookingsTable, 'id' | 'manage_generation' | 'manage_digest'> | undefined> {
  return db
    .selectFrom('bookings')
    .select(['id', 'manage_generation', 'manage_digest'])
    .where('id', '=', id)
    .executeTakeFirst()
}

interface ChangeKey {
  scope: TenantScope
  id: string
}

const changeColumns = { ...scopeColumns, place: 'integer', id: 'uuid' } as const

const bookingsForChange = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const wanted = sql`b.id = w.id and ${inScopeOfRow(db, 'b.business_id')}`
  return sql<BookingRow & { place: number }>`
    with w as materialized (select * from ${rowsOf(db, changeColumns, rows)} as r)
    select w.place, ${shownText(db)} from w ${foreach(db, 'bookings as b', wanted)} ${shownJoins}
    ${isPostgres(db) ? sql`for update of b` : sql``}`
})

/** Finds a booking and locks it until the transaction ends; undefined if it is out of scope. */
export const lockBooking = sharedStatement({
  writes: false,
  locks: ({ id }: ChangeKey) => id,
  run: async (db, keys: readonly ChangeKey[]): Promise<(BookingRow | undefined)[]> => {
    const rows = keys
      .map(({ scope, id }, place) => ({ ...scopeRow(scope), place, id }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)) // all transactions lock in the same order
    const found = (await bookingsForChange(db, { rows: rowsText(db, changeColumns, rows) })).rows
    return keys.map((_key, index) => found.find(({ place }) => place === index))
  },
})

interface BookingConditions {
  statuses: BookingStatus[] | undefined
  /** True for no-shows only. */
  noShow: boolean
  /** Earliest start. */
  from: Instant | undefined
  /** Latest start, exclusive. */
  to: Instant | undefined
  /** Latest end that is left out. */
  endsAfter: Instant | undefined
  serviceId: string | undefined
  locationId: string | undefined
  staffId: string | undefined
  /** The stored forms of one address (see `storedForms`). */
  emails: string[] | undefined
  /** Numbers as they were typed. */
  phones: string[] | undefined
  clientId: string | undefined
  seriesId: string | undefined
  couponId: string | undefined
  businessId: string | undefined
  /** Earliest last change. */
  updatedSince: Instant | undefined
  /** Entries that its metadata must have. */
  metadata: MetadataEntry[] | undefined
}

/** A booking's position in a list: its sort key and ID. */
type BookingPlace = readonly [instant: Instant, id: string]

interface BookingFilter {
  conditions: BookingConditions
  /** True to sort by start, false to sort by creation. */
  byStart: boolean
  ascending: boolean
  /** The last row of the previous page. */
  after: BookingPlace | undefined
}

/** A search through the next bookings of a list. */
interface Search {
  /** A lower-case `like` pattern. */
  text: string | undefined
  /** The last position to search. */
  until: BookingPlace | undefined
}

type Listing = Params<{ scope: TenantScope; filter: BookingFilter }>

function sortedBy({ byStart, ascending }: Listing['filter']) {
  const direction = ascending ? ('asc' as const) : ('desc' as const)
  return { instant: byStart ? ('b.starts_at' as const) : ('b.created_at' as const), direction }
}

/** Finds bookings by any of their items. `booking` is the alias of the table. */
export function hasItem(
  column: 'service_id' | 'staff_id',
  id: string | Params<{ id: string }>['id'],
  booking: 'b' | 'e' = 'b',
): RawBuilder<boolean> {
  const of = (name: string) => sql.ref(`${booking}.${name}`)
  return sql<boolean>`(${of(column)} = ${id} or ${of('item_count')} is not null and exists (
    select 1 from visit_items as i
     where i.visit_id = ${of('id')} and i.business_id = ${of('business_id')} and ${sql.ref(`i.${column}`)} = ${id}))`
}

function conditionsOf({ filter }: Pick<Listing, 'filter'>): RawBuilder<boolean>[] {
  const { statuses, noShow, from, to, serviceId, locationId, staffId, emails, phones, businessId } =
    filter.conditions
  const { instant, direction } = sortedBy(filter)
  const { after } = filter
  const { clientId, seriesId, couponId, endsAfter, updatedSince, metadata } = filter.conditions
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<')
  return [
    ...(statuses ? [sql<boolean>`b.status in (${sql.join(statuses)})`] : []),
    ...(noShow ? [sql<boolean>`b.no_show_at is not null`] : []),
    ...(from ? [sql<boolean>`b.starts_at >= ${from}`] : []),
    ...(to ? [sql<boolean>`b.starts_at < ${to}`] : []),
    ...(endsAfter ? [sql<boolean>`b.ends_at > ${endsAfter}`] : []),
    ...(serviceId ? [hasItem('service_id', serviceId)] : []),
    ...(locationId ? [sql<boolean>`b.location_id = ${locationId}`] : []),
    ...(staffId ? [hasItem('staff_id', staffId)] : []),
    ...(emails ? [sql<boolean>`lower(b.client_email) in (${sql.join(emails)})`] : []),
    ...(phones ? [sql<boolean>`b.client_phone in (${sql.join(phones)})`] : []),
    ...(clientId ? [sql<boolean>`b.client_id = ${clientId}`] : []),
    ...(seriesId ? [sql<boolean>`b.series_id = ${seriesId}`] : []),
    ...(couponId ? [sql<boolean>`b.coupon_id = ${couponId}`] : []),
    ...(businessId ? [sql<boolean>`b.business_id = ${businessId}`] : []),
    ...(updatedSince ? [sql<boolean>`b.updated_at >= ${updatedSince}`] : []),
    ...(metadata ? hasEntries('b', metadata) : []),
    ...(after ? [sql<boolean>`(${sql.ref(instant)}, b.id) ${isAfter} (${after[0]}, ${after[1]})`] : []),
  ]
}

const bookingList = cachedQuery(
  (db, listing: Listing & Params<{ rows: number; search: Search | undefined }>) => {
    const { scope, filter, rows, search } = listing
    const { instant, direction } = sortedBy(filter)
    let query = selectBookings(db, scope)
    for (const condition of conditionsOf(listing)) query = query.where(condition)
    if (search?.text) query = query.where(sql<boolean>`b.client_search like ${search.text} escape '\\'`)
    if (search?.until) {
      const [at, id] = search.until
      const upTo = sql.raw(direction === 'asc' ? '<=' : '>=')
      query = query.where(sql<boolean>`(${sql.ref(instant)}, b.id) ${upTo} (${at}, ${id})`)
    }
    return query.orderBy(instant, direction).orderBy('b.id', direction).limit(rows)
  },
)

const placeAfter = cachedQuery((db, { scope, filter, rows }: Listing & Params<{ rows: number }>) => {
  const { instant, direction } = sortedBy(filter)
  let query = db.selectFrom('bookings as b').where(inScope('b.business_id', scope))
  // to find the place, every booking counts that the other conditions hold
  const conditions = { ...filter.conditions, updatedSince: undefined, metadata: undefined }
  for (const condition of conditionsOf({ filter: { ...filter, conditions } })) query = query.where(condition)
  return query
    .select(['b.id', sql<Instant>`${sql.ref(instant)}`.as('instant')])
    .orderBy(instant, direction)
    .orderBy('b.id', direction)
    .offset(rows)
    .limit(1)
})

/** The search of a list of bookings. */
interface Wanted {
  filter: BookingFilter
  rows: number
  /** Only these bookings. */
  ids?: string[] | undefined
  /** Part of the client's name, email address or phone number (see `searchText`). */
  text?: string | undefined
  /** Number of bookings to read for conditions that no index has. */
  searched: number
}

/**
 * Finds at most `rows` bookings. For a text, finds a few clients first and then their bookings. With many clients, and for
 * changes and metadata of many bookings, searches the next `searched` bookings instead. `until` is then the last position
 * searched, if more follow.
 */
export async function findBookings(
  db: Reads,
  scope: TenantScope,
  { filter, rows, ids, text, searched }: Wanted,
): Promise<{ rows: BookingRow[]; until: BookingPlace | undefined }> {
  const pattern = text === undefined ? undefined : partPattern(text)
  const clients = text === undefined || ids ? undefined : await findClientsBy(db, scope, text)
  const among = ids
    ? {
        ids: rowsText(
          db,
          idColumns,
          ids.map((id) => ({ id })),
        ),
      }
    : clients && { clients: rowsText(db, foundColumns, clients) }
  if (among) {
    const isNone = ids?.length === 0 || clients?.length === 0
    const found = isNone ? [] : (await bookingsAmong(db, { scope, filter, rows, among, pattern })).rows
    return { rows: found, until: undefined }
  }
  const { updatedSince, metadata } = filter.conditions
  const isWalk = pattern !== undefined || updatedSince !== undefined || metadata !== undefined
  const [last] = isWalk ? (await placeAfter(db, { scope, filter, rows: searched - 1 })).rows : []
  const until = last && ([last.instant, last.id] as const)
  const search = isWalk ? { text: pattern, until } : undefined
  return { rows: (await bookingList(db, { scope, filter, rows, search })).rows, until }
}

const idColumns = { id: 'uuid' } as const

interface Among {
  filter: BookingFilter
  rows: number
  pattern: string | undefined
  /** The bookings, or clients with their bookings, as rows. */
  among: { ids: string; clients?: never } | { clients: string; ids?: never }
}

/** Looks up the candidates before all other conditions, because SQLite would otherwise read along the order for each. */
const bookingsAmong = cachedQuery(
  (db, { scope, filter, rows, pattern, among }: Params<Among & { scope: TenantScope }>) => {
    const { instant, direction } = sortedBy(filter)
    const order = (name: 'b' | 'f') =>
      sql.raw(`${name}.${instant.slice(2)} ${direction}, ${name}.id ${direction}`)
    const theirs = among.ids
      ? sql`b.id = w.id`
      : sql`b.business_id = w.business_id and lower(b.client_email) = w.email`
    const candidates = among.ids ? rowsOf(db, idColumns, among.ids) : rowsOf(db, foundColumns, among.clients)
    const conditions = [
      inScope('b.business_id', scope),
      ...(pattern ? [sql`b.client_search like ${pattern} escape '\\'`] : []),
      ...conditionsOf({ filter }),
    ]
    const same = (name: 'f' | 'r') =>
      foreach(db, 'bookings as b', sql.raw(`b.business_id = ${name}.business_id and b.id = ${name}.id`))
    return sql<BookingRow>`
    with w as materialized (select * from ${candidates} as r),
         r as materialized (select b.business_id, b.id from w ${foreach(db, 'bookings as b', theirs)}),
         f as materialized (
           select b.business_id, b.id, ${sql.ref(instant)} from r ${same('r')}
            where ${sql.join(conditions, sql` and `)}
            order by ${order('b')} limit ${rows})
    select ${shownText(db)} from f ${same('f')} ${shownJoins}
     order by ${order('f')}`
  },
)

export const bookingColumns = {
  id: 'uuid',
  business_id: 'uuid',
  service_id: 'uuid',
  location_id: 'uuid',
  staff_id: 'uuid',
  chosen_staff_id: 'uuid',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  party_size: 'integer',
  status: 'text',
  notes: 'text',
  client_first_name: 'text',
  client_last_name: 'text',
  client_email: 'text',
  client_phone: 'text',
  client_search: 'text',
  custom_field_values_json: 'text',
  owner_id: 'uuid',
  locale: 'text',
  scheduled_at: 'timestamptz',
  cancelled_at: 'timestamptz',
  confirmed_at: 'timestamptz',
  respond_by: 'timestamptz',
  request_check_at: 'timestamptz',
  no_show_at: 'timestamptz',
  cancel_reason: 'text',
  manage_generation: 'integer',
  manage_digest: 'text',
  client_reschedules: 'integer',
  payment_id: 'uuid',
  counted_client: 'text',
  caused_by: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  version: 'integer',
  erased_at: 'timestamptz',
  agreed_amount: 'integer',
  agreed_currency: 'text',
  time_zone: 'text',
  text_consent: 'text',
  text_agreed_at: 'timestamptz',
  item_count: 'integer',
  client_id: 'uuid',
  series_id: 'uuid',
  coupon_id: 'uuid',
  discount_json: 'text',
  fee_rules_json: 'text',
  fee_consent: 'text',
  fee_agreed_at: 'timestamptz',
  agreed_starts_at: 'timestamptz',
  metadata_json: 'text',
} as const satisfies Columns<keyof BookingsTable>

/** The rows of new bookings also name their clients. */
const newColumns = { ...bookingColumns, name: 'text', address: 'text' } as const

export const bookingNames = sql.join(Object.keys(bookingColumns).map((name) => sql.ref(name)))

/** Returns the columns of `w` in the types of the table, with the client that it really has. */
export function valuesOf(db: Reads, clientId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(
    Object.keys(bookingColumns).map((name) => (name === 'client_id' ? clientId : valueOf(db, name))),
  )
}

function valueOf(db: Reads, name: string): RawBuilder<unknown> {
  const value = sql.ref(`w.${name}`)
  return name.endsWith('_json') && isPostgres(db) ? sql`${value}::jsonb` : value
}

type NewBookings = Params<{ rows: string; clients: string; twins: string }>

/** Updates holds by their IDs alone. See `isLiving` of claim-snapshot-queries.ts for `is true`. */
const bookHolds = cachedQuery((db: Queries, { rows, ...clients }: NewBookings) => {
  const booked = sql`
    update claims
       set booked_at = w.created_at, client_network = null, client_wider_network = null, metadata_json = null
      from w
     where claims.id ${isPostgres(db) ? sql`= any (array(select id from w))` : sql`in (select id from w)`}
       and claims.id = w.id and claims.business_id = w.business_id
       and (claims.booked_at is null) is true and (claims.ended_at is null) is true
       and (claims.expires_at > w.created_at) is true
    returning claims.id`
  const w = sql`with w as materialized (select * from ${rowsOf(db, newColumns, rows)} as r)`
  return isPostgres(db)
    ? sql<BookedHold>`
      ${w}, booked as (${booked}), met as (${upsertClients(db, clients)}), made as (
        select w.*, met.client_id as met_id, met.is_merged, met.twin_id
          from booked join w on w.id = booked.id join met using (business_id, name, address)
      ), inserted as (
        insert into bookings (${bookingNames}) select ${valuesOf(db, sql`w.met_id`)} from made as w
      )
      select id, met_id as client_id, is_merged, twin_id from made`
    : sql<BookedHold>`${w} ${booked}`
})

interface BookedHold {
  id: string
  /** Only from PostgreSQL. SQLite returns the clients of another statement. */
  client_id?: string
  is_merged?: 0 | 1
  twin_id?: string | null
}

/**
 * Inserts the bookings of the holds that `bookHolds` converts. SQLite writes to only one table per statement.
 */
const insertBookings = cachedQuery(
  (db: Queries, { rows }: Params<{ rows: string }>) => sql`
    insert into bookings (${bookingNames}) select ${valuesOf(db, clientOfNew)} from ${rowsOf(db, newColumns, rows)} as w
     where exists (
       select 1 from claims as c
        where c.id = w.id and c.business_id = w.business_id
          and c.booked_at is null and c.ended_at is null and c.expires_at > w.created_at)`,
)

const clientOfNew = sql`(
  select coalesce(c.merged_into, c.id) from clients as c
   where c.business_id = w.business_id and c.name = w.name and c.address = w.address)`

const insertClients = cachedQuery((db: Queries, given: Params<{ clients: string; twins: string }>) =>
  upsertClients(db, given),
)

type NewBooking = BookingsTable &
  PhonedBooking & {
    /** The ID of its client, if that one is new. */
    client_id: string
  }

/**
 * Turns a hold into the booking with the same ID. Returns the ID of its client, or undefined if the hold has expired, has
 * ended or is already a booking. This statement decides between the owner and a rival at the instant of expiry.
 */
export const bookHold = sharedStatement({
  writes: true,
  run: async (db, bookings: readonly NewBooking[]): Promise<(string | undefined)[]> => {
    const ids = new Map<string, string | undefined>()
    for (const round of inRounds(bookings)) {
      const booked = await bookRound(db, round)
      round.forEach(({ id }, index) => ids.set(id, booked[index]))
    }
    return bookings.map(({ id }) => ids.get(id))
  },
})

/**
 * Divides bookings so that those by phone number alone come first, if others of the same name have a number. One
 * statement would not find the row that it inserts itself.
 */
function inRounds(bookings: readonly NewBooking[]): (readonly NewBooking[])[] {
  const isByPhone = ({ client_email, client_phone }: NewBooking) =>
    client_phone !== null && isStandIn(client_email)
  const names = new Set(bookings.filter(isByPhone).map((booking) => matchKey(booking).name))
  const hasNamesake = bookings.some(
    (booking) => booking.client_phone !== null && !isByPhone(booking) && names.has(matchKey(booking).name),
  )
  return hasNamesake
    ? [bookings.filter(isByPhone), bookings.filter((booking) => !isByPhone(booking))]
    : [bookings]
}

async function bookRound(db: Queries, bookings: readonly NewBooking[]): Promise<(string | undefined)[]> {
  const keyed = bookings.map((booking) => ({ ...booking, ...matchKey(booking) }))
  const clients = { clients: newClients(db, bookings), twins: twinKeys(bookings) }
  const given = { rows: rowsText(db, newColumns, keyed), ...clients }
  const isSqlite = !isPostgres(db)
  const [inserted, , { rows }] = await allOf([
    isSqlite ? insertClients(db, clients) : undefined,
    isSqlite ? insertBookings(db, { rows: given.rows }) : undefined,
    bookHolds(db, given),
  ])
  const byKey = new Map(inserted?.rows.map((row) => [keyText(row), row]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const booked = keyed.map((booking) => {
    const row = byId.get(booking.id)
    return row && { ...booking, ...row, ...byKey.get(keyText(booking)) }
  })
  const ofMerged = booked.flatMap((one) => (one?.is_merged === 1 ? [one] : []))
  if (ofMerged.length > 0) await countForMerged(db, ofMerged)
  const twins = booked.flatMap((one) => (one?.twin_id ? [{ ...one, twin_id: one.twin_id }] : []))
  const joined = twins.length > 0 ? await joinTwins(db, twins) : undefined
  return booked.map((one) => (one?.twin_id && joined?.has(one.client_id) ? one.twin_id : one?.client_id))
}

/** Replaces the digest of the manage link. The caller must have locked the booking. */
export async function renewManageLink(
  db: Queries,
  { id, business_id, manage_generation, manage_digest }: LinkColumns,
): Promise<void> {
  await db
    .updateTable('bookings')
    .set({ manage_generation, manage_digest })
    .where('business_id', '=', business_id)
    .where('id', '=', id)
    .execute()
}

type LinkColumns = Pick<BookingsTable, 'id' | 'business_id' | 'manage_generation' | 'manage_digest'>

/** Columns that are always written together. */
const clientColumns = [
  'client_first_name',
  'client_last_name',
  'client_email',
  'client_phone',
  'client_search',
] as const satisfies (keyof BookingsTable)[]

export type ClientColumns = Pick<BookingsTable, (typeof clientColumns)[number]>

const changeable = [
  'starts_at',
  'ends_at',
  'party_size',
  'status',
  'notes',
  'custom_field_values_json',
  'metadata_json',
  'staff_id',
  'scheduled_at',
  'cancelled_at',
  'confirmed_at',
  'respond_by',
  'request_check_at',
  'no_show_at',
  'cancel_reason',
  'client_reschedules',
  'counted_client',
  'payment_id',
  'service_id',
  'chosen_staff_id',
  'agreed_amount',
  'agreed_currency',
  'item_count',
  ...clientColumns,
  'client_id',
  'erased_at',
  'updated_at',
  'version',
] as const satisfies (keyof BookingsTable)[]

/** Some columns of a change. Every change also sets time and version. */
export type ChangedColumns = Partial<Pick<BookingsTable, Exclude<Changeable, 'updated_at' | 'version'>>>

type Changeable = (typeof changeable)[number]

/** Returns the columns of an update for each booking: its key, and the columns to write. */
function columnsFor(names: readonly Changeable[]): Columns<keyof BookingsTable> {
  const { id, business_id } = bookingColumns
  const changed = Object.fromEntries(names.map((name) => [name, bookingColumns[name]]))
  return { id, business_id, ...changed } as Columns<keyof BookingsTable> // a subset of the columns
}

/** Sets only changed columns, because SQLite writes each index of a set column, changed or not. */
const updateQuery = cachedQuery(
  (db: Queries, { rows, changed }: Params<{ rows: string; changed: Partial<Record<Changeable, true>> }>) => {
    const names = Object.keys(changed) as Changeable[]
    const changes = names.map((name) => sql`${sql.ref(name)} = ${valueOf(db, name)}`)
    return sql`
    with w as materialized (select * from ${rowsOf(db, columnsFor(names), rows)} as r)
    update bookings
       set ${sql.join(changes)}
      from w
     where bookings.business_id ${isPostgres(db) ? sql`= any (array(select business_id from w))` : sql`= w.business_id`}
       and bookings.id ${isPostgres(db) ? sql`= any (array(select id from w))` : sql`= w.id`}
       and bookings.business_id = w.business_id and bookings.id = w.id`
  },
)

interface ChangedBooking {
  booking: BookingsTable
  /** Names of the changed columns. */
  names: readonly string[]
}

const writeBookings = sharedStatement({
  writes: true,
  run: async (db, members: readonly ChangedBooking[]): Promise<undefined[]> => {
    const names = changeable.filter((name) => members.some((member) => member.names.includes(name)))
    const bookings = members.map(({ booking }) => booking)
    await updateQuery(db, {
      rows: rowsText(db, columnsFor(names), bookings),
      changed: Object.fromEntries(names.map((name) => [name, true])),
    })
    return members.map(() => undefined)
  },
})

/** Writes changed columns and the next version. Lock the booking first. */
export async function updateBooking(
  tx: Transaction,
  booking: BookingRow,
  changes: ChangedColumns & { updated_at: Instant },
): Promise<void> {
  const changed = { ...booking, ...changes, version: booking.version + 1 }
  await writeBookings(tx, { booking: changed, names: [...Object.keys(changes), 'version'] })
}

/** Records the sentence about fees to which the client of a locked booking has agreed. */
export async function writeFeeConsent(
  tx: Transaction,
  { id, business_id: businessId }: Pick<BookingRow, 'id' | 'business_id'>,
  sentence: string,
): Promise<void> {
  await tx.db
    .updateTable('bookings')
    .set({ fee_consent: sentence, fee_agreed_at: tx.now })
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .execute()
}

/** Marks a locked booking that is charged although it was booked without fees, so that its payments are read. */
export async function markCharged(
  tx: Transaction,
  { id, business_id: businessId }: Pick<BookingRow, 'id' | 'business_id'>,
): Promise<void> {
  await tx.db
    .updateTable('bookings')
    .set({ fee_rules_json: '[]' })
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .where('fee_rules_json', 'is', null)
    .execute()
}

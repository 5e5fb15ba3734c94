import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import type { Reads } from './database.ts'
import { isPostgres } from './json-rows.ts'
import type { BookingsTable, LocationsTable, PaymentsTable, ServicesTable, StaffTable } from './tables.ts'

/*
 * A booking as Holdfast shows it. API, search, emails, calendars, feeds, events and the conversion of a hold take its
 * columns from here. In statements `b` is the booking, `s` its service, `l` its location, `p` its staff member, `m` its
 * payment.
 */

/** The agreed price for one person in minor units. Bookings made before prices were kept show the present price. */
const priceAmount = sql<number | null>`
  case when b.agreed_currency is null then s.price_amount else b.agreed_amount end`

const priceCurrency = sql<string | null>`
  case when b.agreed_currency is null then s.price_currency else nullif(b.agreed_currency, '') end`

/** A client cannot move a booking that the business confirms, because the new time would need its confirmation, too. */
const rescheduleUntil = sql<number | null>`
  case when s.confirmation <> 'request' then s.reschedule_until_minutes end`

/** The columns of a shown booking and their sources. */
const shown = {
  service: {
    service_name: 'name',
    duration_minutes: 'duration_minutes',
    price_amount: priceAmount,
    price_currency: priceCurrency,
    cancel_until_minutes: 'cancel_until_minutes',
    reschedule_until_minutes: rescheduleUntil,
    max_reschedules: 'max_reschedules',
  },
  location: {
    location_name: 'name',
    location_address: 'address',
    timezone: 'timezone',
    online_url: 'online_url',
  },
  staff: { staff_name: 'name' },
  payment: {
    payment_kind: 'kind',
    payment_status: 'status',
    payment_amount: 'amount',
    payment_currency: 'currency',
    payment_provider: 'provider',
    payment_paid_at: 'paid_at',
    payment_refunded_at: 'refunded_at',
    payment_refund_total: 'refund_total',
    payment_refunded_amount: 'refunded_amount',
  },
} as const satisfies { [Source in keyof Sources]: ColumnsFrom<Sources[Source]> }

interface Sources {
  service: ServicesTable
  location: LocationsTable
  /** Null for a service that needs no staff. */
  staff: OrNull<StaffTable>
  /** Null without a deposit. */
  payment: OrNull<PaymentsTable>
}

/** A row that may be missing. */
export type OrNull<Row> = { [Name in keyof Row]: Row[Name] | null }

const aliases = { service: 's', location: 'l', staff: 'p', payment: 'm' } as const

type Source = keyof Sources

/** Names of a statement's columns, each with the table column of that name or an expression. */
type ColumnsFrom<Row> = Readonly<Record<string, (keyof Row & string) | RawBuilder<unknown>>>

/** The row of these columns. */
export type RowFrom<Row, Columns extends object> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends RawBuilder<infer Value>
    ? Value
    : Columns[Name] extends keyof Row
      ? Row[Columns[Name]]
      : never
}

type ShownFrom<From extends Source> = RowFrom<Sources[From], (typeof shown)[From]>

/** A booking with everything that it shows. */
export type BookingRow = BookingsTable & { items_json: string | null } & ShownFrom<'service'> &
  ShownFrom<'location'> &
  ShownFrom<'staff'> &
  ShownFrom<'payment'>

/** The names of a source that are columns of its table. */
type PlainNames<From extends Source> = {
  [Name in keyof (typeof shown)[From]]: (typeof shown)[From][Name] extends string ? Name : never
}[keyof (typeof shown)[From]]

type PlainShown<From extends Source> = Pick<ShownFrom<From>, PlainNames<From>>

type PlainRow<From extends Source> = Pick<
  Sources[From],
  Extract<(typeof shown)[From][PlainNames<From>], keyof Sources[From]>
>

/** Every booking has a service and a location. */
type Missing<From extends Source> = From extends 'staff' | 'payment' ? undefined : never

/**
 * Returns the shown fields of a service, location, staff member or payment: all null without one. Prices belong to the
 * booking.
 */
export function shownOf<From extends Source>(
  from: From,
  row: PlainRow<From> | Missing<From>,
): PlainShown<From> {
  const values = Object.entries<string | RawBuilder<unknown>>(shown[from]).flatMap(([name, column]) =>
    typeof column === 'string'
      ? [[name, (row as Record<string, unknown> | undefined)?.[column] ?? null]]
      : [],
  )
  return Object.fromEntries(values) as PlainShown<From>
}

/** Returns columns of the aliased table, for a statement in text. */
export function columnsText<Row>(alias: string, columns: ColumnsFrom<Row>): RawBuilder<unknown> {
  return sql.join(
    Object.entries(columns).map(([name, column]) =>
      typeof column === 'string'
        ? sql.raw(referenceTo(alias, name, column))
        : sql`${column} as ${sql.raw(name)}`,
    ),
  )
}

function referenceTo(alias: string, name: string, column: string): string {
  return `${alias}.${column}${column === name ? '' : ` as ${name}`}`
}

const sources = Object.keys(shown) as Source[]

/** Returns the columns of a shown booking, for a statement in text with `shownJoins`. */
export function shownText(db: Reads): RawBuilder<unknown> {
  const columns = sql.join(sources.map((from) => columnsText(aliases[from], shown[from])))
  return sql`b.*, ${columns}, ${itemsJson(db)} as items_json`
}

/** Selects the items of a booking that has rows of them, as JSON in any order. Null for all others, without a look at the table. */
function itemsJson(db: Reads): RawBuilder<string | null> {
  const [object, array] = isPostgres(db)
    ? [sql`json_build_object`, sql`json_agg`]
    : [sql`json_object`, sql`json_group_array`]
  // SQLite forgets that a text is JSON
  const asJson = (value: RawBuilder<unknown>) => (isPostgres(db) ? value : sql`json(${value})`)
  const ms = (column: 'i.starts_at' | 'i.ends_at') =>
    isPostgres(db)
      ? sql`cast(extract(epoch from ${sql.ref(column)}) * 1000 as bigint)`
      : sql`cast(round(unixepoch(${sql.ref(column)}, 'subsec') * 1000) as integer)`
  const ids = isPostgres(db)
    ? sql`select cast(value as uuid) from jsonb_array_elements_text(i.resource_ids_json) as value`
    : sql`select value from json_each(i.resource_ids_json)`
  const resources = sql`(
    select ${array}(${object}('id', r.id, 'name', r.name)) from resources as r
     where r.business_id = i.business_id and r.id in (${ids}))`
  return sql<string | null>`case when b.item_count is not null then (
    select cast(${array}(${object}(
        'id', i.id, 'party_size', i.party_size, 'from_ms', ${ms('i.starts_at')}, 'to_ms', ${ms('i.ends_at')},
        'service', ${object}('id', i.service_id, 'name', o.name, 'duration_minutes', o.duration_minutes,
          'cancel_until_minutes', o.cancel_until_minutes, 'max_reschedules', o.max_reschedules,
          'reschedule_until_minutes', case when o.confirmation <> 'request' then o.reschedule_until_minutes end),
        'staff', ${asJson(sql`case when i.staff_id is not null
                                   then ${object}('id', i.staff_id, 'name', q.name) end`)},
        'price', ${asJson(sql`case when i.agreed_amount is not null
                                   then ${object}('amount', i.agreed_amount, 'currency', i.agreed_currency) end`)},
        'item', i.item, 'resources', ${asJson(resources)})) as text)
      from visit_items as i
           join services as o on o.id = i.service_id
           left join staff as q on q.id = i.staff_id
     where i.visit_id = b.id and i.business_id = b.business_id) end`
}

export const shownJoins = sql`
  join services as s on s.id = b.service_id
  join locations as l on l.id = b.location_id
  left join staff as p on p.id = b.staff_id
  left join payments as m on m.id = b.payment_id`

function joined(db: Reads) {
  return db
    .selectFrom('bookings as b')
    .innerJoin('services as s', 's.id', 'b.service_id')
    .innerJoin('locations as l', 'l.id', 'b.location_id')
    .leftJoin('staff as p', 'p.id', 'b.staff_id')
    .leftJoin('payments as m', 'm.id', 'b.payment_id')
}

type Selected = 'b.id' | AliasedRawBuilder<unknown, 'id'>

/** Columns by name, as Kysely selects them. */
const selections = new Map<string, Selected>(
  sources.flatMap((from) =>
    Object.entries<string | RawBuilder<unknown>>(shown[from]).map(([name, column]) => [
      name,
      (typeof column === 'string' ? referenceTo(aliases[from], name, column) : column.as(name)) as Selected,
    ]),
  ),
)

/** Selects bookings with everything that they show. */
export function selectShown(db: Reads) {
  return joined(db)
    .selectAll('b')
    .select([...selections.values(), itemsJson(db).as('items_json')])
    .$castTo<BookingRow>()
}

/** Selects some columns of shown bookings. */
export function selectSome<Name extends keyof BookingRow>(db: Reads, names: readonly Name[]) {
  return joined(db)
    .select(
      names.map(
        (name) =>
          selections.get(name) ??
          ((name === 'items_json' ? itemsJson(db).as(name) : `b.${name}`) as Selected),
      ),
    )
    .$castTo<Pick<BookingRow, Name>>()
}

type ServiceAndLocation = Pick<BookingRow, 'service_id' | 'service_name' | 'location_id' | 'location_name'>

/** Returns service and location, each with ID and name. */
export function serviceAndLocation(row: ServiceAndLocation) {
  return {
    service: { id: row.service_id, name: row.service_name },
    location: { id: row.location_id, name: row.location_name },
  }
}

/** Returns the staff member, or null for a service that needs no staff. */
export function staffShown({ staff_id, staff_name }: Pick<BookingRow, 'staff_id' | 'staff_name'>) {
  return staff_id === null ? null : { id: staff_id, name: staff_name ?? '' }
}

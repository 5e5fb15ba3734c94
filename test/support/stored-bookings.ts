import { sql } from 'kysely'
import { instantFromMs } from '../../src/base/instants.ts'
import { clientColumns } from '../../src/bookings/booking-rules.ts'
import type { Engine, Queries } from '../../src/database/database.ts'

/** Bookings of one service at one location. The staff members take turns, and each has one after the other. */
export interface StoredBookings {
  businessId: string
  serviceId: string
  locationId: string
  staffIds: string[]
  count: number
  /** Number of the first one. Numbers must be unique within a database. */
  firstNumber: number
  /** Start of the first one, in milliseconds since 1970. */
  fromMs: number
  /** Time from one start of a staff member to the next. */
  stepMinutes: number
  minutes: number
  /** Omits their claims, for tests that ignore availability. */
  withoutClaims?: true
  /** The clients, who take turns. Undefined: always the same one. */
  clients?: readonly ClientColumns[]
}

type ClientColumns = ReturnType<typeof clientColumns>

const ada = clientColumns({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', phone: null })

/** Writes bookings and their claims, any number of them, in two statements, bypassing all operations. */
export async function storeBookings(db: Queries, engine: Engine, stored: StoredBookings): Promise<void> {
  const { businessId, serviceId, locationId, staffIds, count, firstNumber, fromMs, stepMinutes } = stored
  const uuid = sql.raw(engine === 'postgres' ? 'uuid' : 'text')
  const id = (text: string) => sql`cast(${sql.lit(text)} as ${uuid})`
  const hex = engine === 'postgres' ? sql`lpad(to_hex(n), 12, '0')` : sql`format('%012x', n)`
  const own = sql`cast('00000000-0000-4000-8000-' || ${hex} as ${uuid})`
  const instant = (minutes: number) => {
    const seconds = sql`${sql.lit(fromMs / 1000 + minutes * 60)} + (n - ${sql.lit(firstNumber)}) / ${sql.lit(staffIds.length || 1)} * ${sql.lit(stepMinutes * 60)}`
    return engine === 'postgres'
      ? sql`to_timestamp(${seconds})`
      : sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds}, 'unixepoch')`
  }
  const now = sql.lit(instantFromMs(fromMs))
  const numbers = sql`with recursive numbers (n) as (
    select ${sql.lit(firstNumber)} union all
    select n + 1 from numbers where n < ${sql.lit(firstNumber + count - 1)}
  )`
  const { clients = [ada] } = stored
  const rows = sql.lit(JSON.stringify(clients.map((one) => Object.values(one))))
  const client = sql`cast(${rows} as ${sql.raw(engine === 'postgres' ? 'jsonb' : 'text')}) -> cast(n % ${sql.lit(clients.length)} as integer)`
  const columns = sql.join(Object.keys(ada).map((_name, index) => sql`client ->> ${sql.lit(index)}`))
  const staff =
    staffIds.length === 0
      ? sql`cast(null as ${uuid})`
      : sql`case n % ${sql.lit(staffIds.length)} ${sql.join(
          staffIds.map((staffId, index) => sql`when ${sql.lit(index)} then ${id(staffId)}`),
          sql` `,
        )} end`
  const instantType = sql.raw(engine === 'postgres' ? 'timestamptz' : 'text')
  const written = sql`cast(${now} as ${instantType})`
  await sql`
    insert into bookings (id, business_id, service_id, location_id, staff_id, starts_at, ends_at, status,
                          ${sql.join(Object.keys(ada).map((name) => sql.ref(name)))}, custom_field_values_json, owner_id,
                          scheduled_at, manage_generation, manage_digest, client_reschedules, created_at, updated_at,
                          version)
    ${numbers}
    select ${own}, ${id(businessId)}, ${id(serviceId)}, ${id(locationId)}, ${staff}, ${instant(0)},
           ${instant(stored.minutes)}, 'confirmed', ${columns}, '[]', ${id(businessId)},
           ${written}, 1, cast(${own} as text), 0, ${written}, ${written}, 1
      from (select n, ${client} as client from numbers) as numbered`.execute(db)
  if (stored.withoutClaims) return
  await sql`
    insert into claims (id, business_id, service_id, location_id, staff_id, starts_at, ends_at,
                        resource_id, seat, occurrence_id, taken_from, taken_until,
                        owner_id, created_at, expires_at, booked_at)
    ${numbers}
    select ${own}, ${id(businessId)}, ${id(serviceId)}, ${id(locationId)}, ${staff}, ${instant(0)}, ${instant(stored.minutes)},
           ${staff}, 0, ${own}, ${instant(0)}, ${instant(stored.minutes)},
           ${id(businessId)}, ${written}, ${written}, ${written}
      from numbers`.execute(db)
}

import { sql } from 'kysely'
import { readConfig } from '../../src/base/config.ts'
import type { Ids } from '../../src/base/ids.ts'
import type { Instant } from '../../src/base/instants.ts'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import type { Transaction } from '../../src/database/database.ts'
import { isPostgres } from '../../src/database/json-rows.ts'
import { createContext } from '../../src/operate/open.ts'

/* Fills a business with a catalogue and bookings, bypassing the API, which would take an hour for a large catalogue. */

/** The size of a business. */
export interface CrowdSize {
  services: number
  locations: number
  people: number
  bookings: number
  /** Number of days with bookings, half of them in the past. */
  days: number
}

const dayMs = 86_400_000
/** SQLite accepts 32,766 values in a statement. */
const rowsAtOnce = 1_000
const hours = JSON.stringify(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((weekday) => ({
    ...{ weekday, opens: '08:00', closes: '20:00' },
  })),
)

/**
 * Every second service needs no staff and is at every location, which makes each pair a column. All staff provide the
 * other services everywhere.
 */
export async function fillBusiness(
  databaseUrl: string,
  businessId: string,
  { services, locations, people, bookings, days }: CrowdSize,
): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
  const context = await createContext(config)
  const insert = async <Row>(rows: Row[], write: (tx: Transaction, some: Row[]) => Promise<void>) => {
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await context.db.transaction((tx) => write(tx, rows.slice(from, from + rowsAtOnce)))
  }
  try {
    const idsOf = (count: number) => Array.from({ length: count }, () => context.ids.next())
    const [placeIds, personIds, serviceIds] = [idsOf(locations), idsOf(people), idsOf(services)]
    const common = { business_id: businessId, created_at: context.clock.now(), deactivated_at: null }
    const schedule = { weekly_hours_json: hours, date_overrides_json: '[]' }
    await insert(placeIds, (tx, some) =>
      insertMissing(
        tx.db,
        'locations',
        some.map((id, index) => ({
          ...common,
          ...schedule,
          id,
          name: `Place ${index}`,
          timezone: 'UTC',
          address: null,
        })),
      ),
    )
    await insert(personIds, (tx, some) =>
      insertMissing(
        tx.db,
        'staff',
        some.map((id, index) => ({ ...common, ...schedule, id, name: `Person ${index}`, email: null })),
      ),
    )
    await insert(serviceIds, (tx, some) =>
      insertMissing(
        tx.db,
        'services',
        some.map((id, index) => ({
          ...common,
          ...{ id, name: `Service ${index}`, description: null, duration_minutes: 15 },
          ...{ buffer_before_minutes: 0, buffer_after_minutes: 0, slot_interval_minutes: 15 },
          ...{
            cancel_until_minutes: 1440,
            reschedule_until_minutes: 1440,
            max_reschedules: 3,
            max_repeats: 1,
          },
          ...{
            min_notice_minutes: 0,
            max_advance_days: null,
            capacity: 1,
            waitlist: 1,
            custom_fields_json: '[]',
          },
          ...({ confirmation: 'automatic', respond_within_minutes: 1440 } as const),
          ...{ price_amount: null, price_currency: null, deposit_amount: null, deposit_currency: null },
        })),
      ),
    )
    const links = serviceIds.flatMap((service_id) =>
      placeIds.map((location_id) => ({ business_id: businessId, service_id, location_id })),
    )
    await insert(links, (tx, some) => insertMissing(tx.db, 'service_locations', some))
    const given = serviceIds.filter((_id, index) => index % 2 === 1)
    const givers = given.flatMap((service_id) =>
      personIds.map((staff_id) => ({ business_id: businessId, service_id, staff_id })),
    )
    await insert(givers, (tx, some) => insertMissing(tx.db, 'service_staff', some))
    const at = bookingsOf(context.ids, { bookings, days, nowMs: context.clock.nowMs() })
    const one = (ids: string[], index: number) => ids[index % ids.length] ?? ''
    await insert([...at.entries()], (tx, some) =>
      insertBookings(
        tx,
        some.map(([index, booking]) => ({
          ...booking,
          business_id: businessId,
          service_id: one(given, index),
          location_id: one(placeIds, index),
          staff_id: one(personIds, index),
        })),
      ),
    )
    if (isPostgres(context.db.reads)) await context.db.transaction((tx) => sql`analyze`.execute(tx.db))
  } finally {
    await context.db.close()
  }
}

/** Distributes them evenly over the days, from 8 to 20 o'clock. */
function bookingsOf(
  ids: Ids,
  { bookings, days, nowMs }: Pick<CrowdSize, 'bookings' | 'days'> & { nowMs: number },
) {
  const today = Math.floor(nowMs / dayMs) * dayMs
  const perDay = Math.ceil(bookings / days)
  const instant = (ms: number) => new Date(ms).toISOString() as Instant // in whole seconds
  return Array.from({ length: bookings }, (_each, index) => {
    const day = today + (Math.floor(index / perDay) - Math.floor(days / 2)) * dayMs
    const quarter = Math.floor(((index % perDay) / perDay) * 48)
    const startMs = day + 8 * 3_600_000 + quarter * 900_000
    return {
      id: ids.next(),
      starts_at: instant(startMs),
      ends_at: instant(startMs + 900_000),
      name: `Ada ${index}`,
    }
  })
}

type NewBooking = ReturnType<typeof bookingsOf>[number] &
  Record<'business_id' | 'service_id' | 'location_id' | 'staff_id', string>

async function insertBookings(tx: Transaction, bookings: NewBooking[]): Promise<void> {
  await tx.db
    .insertInto('bookings')
    .values(
      bookings.map(({ name, ...booking }) => ({
        ...booking,
        status: 'confirmed' as const,
        party_size: 1,
        client_first_name: name,
        client_last_name: 'Lovelace',
        client_email: 'ada@example.com',
        client_phone: '+49 151 1234567',
        client_search: `${name.toLowerCase()} lovelace\nada@example.com\n+49 151 1234567`,
        custom_field_values_json: '[]',
        owner_id: booking.business_id,
        scheduled_at: tx.now,
        manage_generation: 1,
        manage_digest: booking.id,
        client_reschedules: 0,
        created_at: tx.now,
        updated_at: tx.now,
        version: 1,
        confirmed_at: tx.now,
      })),
    )
    .execute()
}

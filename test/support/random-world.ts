import { allMailColumns } from '../../src/catalogue/mail-settings-rules.ts'
import type { Insertable } from 'kysely'
import type { Actor } from '../../src/access/actor.ts'
import { Problem } from '../../src/base/errors.ts'
import { instantFromMs, toMs } from '../../src/base/instants.ts'
import { convertHold } from '../../src/bookings/conversion.ts'
import { type PlacedHold } from '../../src/bookings/hold-rules.ts'
import { placeHold } from '../../src/bookings/hold.ts'
import type { ClientAddress } from '../../src/bookings/strangers.ts'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import type { DateOverride, Hours, Weekday, WeeklyHours } from '../../src/catalogue/catalogue-types.ts'
import type { Tables } from '../../src/database/tables.ts'
import type { Context } from '../../src/bookings/context.ts'
import type { Random } from './random.ts'
import { ada } from './test-service.ts'
import { dateAfter } from './wall-clock.ts'

/*
 * A business with random hours, overrides, blocks, buffers, grids, notice, horizon, seats and staff, and with holds and
 * bookings. Rules for every business are tested in many such worlds.
 */

/** The contents of such a world. */
export interface RandomWorld {
  businessId: string
  offer: { service_id: string; location_id: string; staff_id?: string }
  /** The first date on which things happen. */
  from: string
  /** A caller with the business's key, bound by no rules. */
  key: Actor
  /** The address of its visitors. The holds of an address are counted, so each world has its own. */
  client: ClientAddress
}

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Chatham']
/** Dates on which clocks of these zones change. */
const clockChanges = ['2027-03-14', '2027-03-28', '2027-04-04', '2027-10-31', '2027-11-07']
const weekdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Returns a session of a business, as authentication would. */
export function sessionOf(businessId: string, id: string): Actor {
  return { ...caller(id), type: 'session', scope: { businessId }, expiresAt: null, trustedNetworks: [] }
}

export function caller(id: string) {
  return {
    keyId: id,
    ownerId: id,
    plan: 'enterprise' as const,
    lastFour: 'test',
    allowedOrigins: null,
    ownLimits: { perMinute: null, perHour: null },
    scopes: null,
    expiresAt: null,
  }
}

/** Creates a world and fills it. Its main day is a few days ahead, or around a clock change. */
export async function makeRandomWorld(context: Context, random: Random): Promise<RandomWorld> {
  const today = context.clock.now().slice(0, 10)
  const from = random.chance(0.3) ? dateAfter(random.of(clockChanges), -1) : dateAfter(today, random.below(4))
  const businessId = context.ids.next()
  const locations = [context.ids.next(), context.ids.next()]
  const staff = Array.from({ length: random.below(4) }, () => context.ids.next())
  const services = [context.ids.next(), context.ids.next()]
  const own = { business_id: businessId, created_at: context.clock.now(), deactivated_at: null }
  const timezone = random.of(zones)
  await context.db.transaction(async ({ db }) => {
    await insertMissing(db, 'businesses', [
      {
        ...{ id: businessId, hub_id: null, name: 'Random', plan: 'enterprise', timezone: 'UTC' },
        created_at: own.created_at,
        catalogue_version: 1,
        page_key_generation: 0,
        max_gap_minutes: 0,
        offer_minutes: 60,
        is_test: 0,
        ...allMailColumns({}),
      },
    ])
    await insertMissing(
      db,
      'locations',
      locations.map((id) => ({ ...own, id, name: 'Here', timezone, ...randomSchedule(random, from) })),
    )
    await insertMissing(
      db,
      'staff',
      staff.map((id) => ({ ...own, id, name: 'Somebody', ...randomSchedule(random, from) })),
    )
    await insertMissing(
      db,
      'services',
      services.map((id) => ({ ...own, id, name: 'Something', ...randomService(random) })),
    )
    const pairs = services.flatMap((service_id) =>
      locations.map((location_id) => ({ service_id, location_id })),
    )
    await insertMissing(
      db,
      'service_locations',
      pairs.map((pair) => ({ business_id: businessId, ...pair })),
    )
    await insertMissing(
      db,
      'service_staff',
      services.flatMap((service_id) =>
        staff.map((staff_id) => ({ business_id: businessId, service_id, staff_id })),
      ),
    )
    await insertMissing(
      db,
      'staff_locations',
      staff
        .filter(() => random.chance(0.2))
        .map((staff_id) => ({ business_id: businessId, staff_id, location_id: random.of(locations) })),
    )
    await insertMissing(
      db,
      'blocks',
      Array.from({ length: random.below(4) }, () =>
        randomBlock(context, random, { businessId, from, locations, staff }),
      ),
    )
  })
  const key: Actor = { ...caller(context.ids.next()), type: 'business', scope: { businessId } }
  const network = [10, random.below(256), random.below(256), random.below(256)].join('.')
  const client: ClientAddress = { address: network, network, widerNetwork: null }
  const world = { businessId, from, key, client }
  await fill(context, random, { ...world, services, locations, staff })
  const staff_id = staff.length > 0 && random.chance(0.3) ? random.of(staff) : undefined
  const [service_id = '', location_id = ''] = [services[0], locations[0]]
  return { ...world, offer: { service_id, location_id, ...(staff_id !== undefined && { staff_id }) } }
}

function randomHours(random: Random): Hours[] {
  const opens = random.below(16) * 60 + random.of([0, 0, 15, 20])
  const closes = (opens + 60 + random.below(14) * 60) % (24 * 60)
  const text = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return [{ opens: text(opens), closes: closes === 0 ? '24:00' : text(closes) }]
}

function randomSchedule(random: Random, from: string) {
  const weekly: WeeklyHours | null = random.chance(0.3)
    ? null
    : weekdays.flatMap((weekday) =>
        random.chance(0.9) ? randomHours(random).map((hours) => ({ weekday, ...hours })) : [],
      )
  const overrides: DateOverride[] = [0, 1]
    .filter(() => random.chance(0.2))
    .map((days) => ({ date: dateAfter(from, days), hours: random.chance(0.3) ? [] : randomHours(random) }))
  return {
    weekly_hours_json: weekly && JSON.stringify(weekly),
    date_overrides_json: JSON.stringify(overrides),
  }
}

function randomService(random: Random) {
  return {
    duration_minutes: random.of([20, 30, 45, 60, 90]),
    buffer_before_minutes: random.of([0, 0, 5, 20]),
    buffer_after_minutes: random.of([0, 0, 10, 30]),
    slot_interval_minutes: random.of([30, 45, 60, 100]),
    min_notice_minutes: random.of([0, 0, 0, 90, 2000]),
    max_advance_days: random.of([null, null, null, 0, 1, 3]),
    capacity: random.of([1, 1, 1, 2, 3]),
    waitlist: 1 as const,
    max_reschedules: 3,
    max_repeats: 1,
    ...({ confirmation: 'automatic', respond_within_minutes: 1440 } as const),
    custom_fields_json: '[]',
  }
}

interface Sketch {
  businessId: string
  from: string
  locations: string[]
  staff: string[]
}

function randomBlock(context: Context, random: Random, { businessId, from, locations, staff }: Sketch) {
  const startsMs = Date.parse(from) + random.below(96) * 30 * 60_000
  const ofStaff = staff.length > 0 && random.chance(0.5)
  const block: Insertable<Tables['blocks']> = {
    id: context.ids.next(),
    business_id: businessId,
    location_id: ofStaff ? null : random.of(locations),
    staff_id: ofStaff ? random.of(staff) : null,
    starts_at: instantFromMs(startsMs),
    ends_at: instantFromMs(startsMs + (1 + random.below(12)) * 15 * 60_000),
    created_at: context.clock.now(),
  }
  return block
}

/** Places holds as the business, which ignores its rules: off the grid, outside hours, in both services. */
async function fill(
  context: Context,
  random: Random,
  world: Sketch & { key: Actor; services: string[]; client: ClientAddress },
): Promise<void> {
  const bookings = random.below(14)
  for (let index = 0; index < bookings; index += 1) {
    const startsMs = Date.parse(world.from) + random.below(48 * 12) * 5 * 60_000
    if (startsMs <= toMs(context.clock.now())) continue
    const staff_id = world.staff.length > 0 && random.chance(0.5) ? random.of(world.staff) : undefined
    const taken = placeHold(context, world.key, {
      service_id: random.of(world.services),
      location_id: random.of(world.locations),
      ...(staff_id !== undefined && { staff_id }),
      starts_at: instantFromMs(startsMs),
      from: world.client,
    })
    const book = async ({ hold }: PlacedHold) => {
      if (random.chance(0.5))
        await convertHold(context, world.key, { hold_id: hold.id, client: ada, from: world.client })
    }
    // refused if taken already or not offered there: the world is random enough without it
    await taken.then(book).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
    })
  }
}

import { randomFrom } from '../test/support/random.ts'

/*
 * A model of a million businesses over several PostgreSQL databases, computed from measured costs: `npm run bench --
 * growth`. It runs nothing and prints the same figures each time. Assumptions that were not measured are in `assumed`
 * and `limits`.
 */

const postgres = '--engine postgres --operation'
const stored = 'stored' // the additional cost of delivery and email on a busy machine

/** Number for each booking (assumed), CPU milliseconds of service and database for one, and the measuring command. */
const costTable: [string, number, number, number, string][] = [
  ['free times of a day', 10, 0.91, 0.35, stored],
  ['session, hold, booking', 1, 1.06, 1.53, `${postgres} flow`],
  ['hold given up', 0.5, 0.42, 0.63, `${postgres} hold`],
  ['delivery and mail', 1, 7.13, 2.78, stored],
  ['reminder, taken as the same', 1, 7.13, 2.78, stored],
  ['show', 2, 0.19, 0.05, `${postgres} show`],
  ['reschedule', 0.15, 0.53, 0.37, `${postgres} reschedule`],
]
/** The results of `--engine postgres` are in docs/benchmark.md. */
export const costs = costTable.map(([operation, perBooking, serviceMs, databaseMs, measuredBy]) => ({
  ...{ operation, perBooking, serviceMs, databaseMs, measuredBy },
}))

/** Bytes of a booking with its related rows, by lifetime, and of WAL, as printed by `stored`. */
const bytes = {
  forYears: 1102 + 1032 + 541 + 373, // bookings, claims, client_texts, audit_entries
  forAMonth: 795 + 397 + 2 * 737, // events, deliveries, emails with the reminder
  forADay: 1716 + 377 + 299, // idempotency_records, sessions, booking_attempts
  wal: 14_701,
}

/** The result of one server on one PostgreSQL, on CPUs shared with the load (docs/benchmark.md). */
export const measuredPoint = { flowsPerSecond: 437, processors: 2 }

const assumed = {
  businesses: 1_000_000,
  /** Bookings a day are log-normal. */
  medianADay: 2,
  sigma: 1.5,
  /** Each of 20 to 500 businesses. */
  hubs: 1_000,
  /** The ratio of the busiest seconds of the busiest hour to its mean. */
  burst: 2,
  /** The allowed load of a server process, of one CPU. */
  busyShare: 0.6,
  /** DATABASE_POOL_SIZE, three that count requests, one that listens. */
  connectionsOfServer: 14,
}

/** The assumed limits of one PostgreSQL: 16 CPUs, of which the peak may use 70 %. */
const limits = { processors: 16 * 0.7, connections: 500, terabytes: 4, walMegabytesPerSecond: 50 }

/** Hours from UTC, and the share of businesses there, in percent. */
const zoneHours = [-8, -6, -5, -3, 0, 1, 2, 5.5, 8, 10]
const zoneShares = [10, 10, 15, 8, 10, 25, 7, 5, 5, 5]

/** The distribution of a day's bookings over the local hours: most at noon and after work. */
const hours = [1, 1, 0, 0, 0, 1, 2, 3, 5, 6, 6, 7, 8, 7, 6, 5, 5, 6, 7, 8, 7, 5, 3, 1]

/** A business: its bookings a day, its zone, and the group that it stays with: its hub, or none. */
export interface Business {
  perDay: number
  zone: number
  group: number
}

/** Returns the same businesses for the same seed. Those of a hub are in one zone. */
export function makeBusinesses(
  seed: number,
  { businesses: count, hubs }: Pick<typeof assumed, 'businesses' | 'hubs'> = assumed,
): Business[] {
  const random = randomFrom(seed)
  const fraction = () => (random.below(2 ** 32) + 0.5) / 2 ** 32
  const zoneOf = () => {
    let left = fraction() * sum(zoneShares)
    const found = zoneShares.findIndex((share) => (left -= share) < 0)
    return Math.max(0, found)
  }
  const made: Business[] = []
  const add = (zone: number, group: number) => {
    const normal = Math.sqrt(-2 * Math.log(fraction())) * Math.cos(2 * Math.PI * fraction())
    made.push({ perDay: assumed.medianADay * Math.exp(assumed.sigma * normal), zone, group })
  }
  for (let hub = 0; hub < hubs; hub += 1) {
    const [size, zone] = [Math.round(20 * 25 ** fraction()), zoneOf()]
    for (let member = 0; member < size && made.length < count; member += 1) add(zone, hub)
  }
  while (made.length < count) add(zoneOf(), made.length + hubs)
  return made
}

/** Returns the database of a group by its hash, like that of a UUID. */
export function databaseOf(group: number, databases: number): number {
  let mixed = Math.imul(group ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) % databases
}

/** The load of one database. */
export interface Part {
  businesses: number
  perDay: number
  /** Bookings a second in the busiest seconds of the busiest hour. */
  peakPerSecond: number
  /** Bookings a day of its largest business. */
  hottestPerDay: number
}

/** Divides the businesses over databases. */
export function divide(all: readonly Business[], databases: number): Part[] {
  const parts = Array.from({ length: databases }, () => ({
    ...{ businesses: 0, perDay: 0, hottestPerDay: 0 },
    ofZones: zoneHours.map(() => 0),
  }))
  for (const { perDay, zone, group } of all) {
    const part = parts[databaseOf(group, databases)] as (typeof parts)[number]
    part.businesses += 1
    part.perDay += perDay
    part.hottestPerDay = Math.max(part.hottestPerDay, perDay)
    part.ofZones[zone] = (part.ofZones[zone] ?? 0) + perDay
  }
  return parts.map(({ ofZones, ...part }) => ({ ...part, peakPerSecond: peakOf(ofZones) }))
}

/** Returns the busiest hour of the day in UTC, over all zones. */
function peakOf(perDay: number[]): number {
  const shareAt = (local: number) => hours[(Math.floor(local) + 24) % 24] ?? 0
  const inHour = (utc: number) => sum(perDay.map((all, zone) => all * shareAt(utc + (zoneHours[zone] ?? 0))))
  return (Math.max(...hours.map((_, utc) => inHour(utc))) / sum(hours) / 3600) * assumed.burst
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0)
}

/** Returns the CPU milliseconds of everything that comes with one booking. */
export function processorMs(of: 'serviceMs' | 'databaseMs', among = costs): number {
  return sum(among.map((one) => one.perBooking * one[of]))
}

/**
 * Returns the needs of a database at its peak and after a year, in the units of `limits`. Includes its number of
 * servers.
 */
export function needsOf({ perDay, peakPerSecond }: Pick<Part, 'perDay' | 'peakPerSecond'>) {
  const ofServers = (peakPerSecond * processorMs('serviceMs')) / 1000
  const servers = Math.max(2, Math.ceil(ofServers / assumed.busyShare))
  const stays = 365 * bytes.forYears + 31 * bytes.forAMonth + bytes.forADay
  const needs: typeof limits = {
    processors: (peakPerSecond * processorMs('databaseMs')) / 1000,
    connections: servers * assumed.connectionsOfServer,
    terabytes: (perDay * stays) / 1e12,
    walMegabytesPerSecond: (peakPerSecond * bytes.wal) / 1e6,
  }
  return { servers, needs }
}

/** Returns each limit with its used share, the first to be reached first. */
export function sharesOf(needs: typeof limits): [limit: keyof typeof limits, share: number][] {
  const names = Object.keys(limits) as (keyof typeof limits)[]
  return names
    .map((name): [keyof typeof limits, number] => [name, needs[name] / limits[name]])
    .toSorted(([, one], [, other]) => other - one)
}

/** Prints the needs of the busiest database with 1, 4, 16 and 64 databases. */
export function simulateGrowth(): void {
  const all = makeBusinesses(1)
  const perDay = sum(all.map((one) => one.perDay))
  console.log(`${all.length} businesses, ${Math.round(perDay)} bookings a day; each costs`)
  console.table(costs)
  const percent = (share: number) => `${Number((100 * share).toPrecision(2))} %`
  const rows = [1, 4, 16, 64].map((databases) => {
    const parts = divide(all, databases).toSorted((one, other) => other.peakPerSecond - one.peakPerSecond)
    const [busiest] = parts as [Part]
    const { servers, needs } = needsOf(busiest)
    return {
      ...{ databases, 'bookings/s': busiest.peakPerSecond.toFixed(1) },
      'of mean': ((busiest.perDay * databases) / perDay).toFixed(2),
      hottest: percent(Math.max(...parts.map((part) => part.hottestPerDay / part.perDay))),
      processors: needs.processors.toFixed(2),
      ...{ servers, connections: needs.connections, 'TB a year': needs.terabytes.toFixed(2) },
      'WAL MB/s': needs.walMegabytesPerSecond.toFixed(1),
      'of the limits': sharesOf(needs)
        .map(([name, share]) => `${name} ${percent(share)}`)
        .join(', '),
    }
  })
  console.table(rows)
  const [together] = divide(all, 1) as [Part]
  for (const [name, share] of sharesOf(needsOf(together).needs)) {
    console.log(`One database meets ${name} at ${(perDay / share / 1e6).toFixed(1)} million bookings a day.`)
  }
  const flow = costs.filter(({ operation }) => operation === 'session, hold, booking')
  const flowMs = processorMs('serviceMs', flow) + processorMs('databaseMs', flow)
  const { flowsPerSecond, processors } = measuredPoint
  const used = ((flowsPerSecond * flowMs) / 1000).toFixed(2)
  console.log(
    `Check: ${processors} processors, with their load, did ${flowsPerSecond} flows/s; reckoned: ${used}.`,
  )
}

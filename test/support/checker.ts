import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What clients were told and wrote down outside the system, by the id of the hold. */
export type Acknowledged = Map<string, Acknowledgement>

export interface Acknowledgement {
  state: 'held' | 'booked' | 'cancelled' | 'released'
  /** When a hold lapses, in epoch milliseconds. */
  expiresAtMs: number
  /** A further request was sent of which no answer came: it may have happened or not. */
  inDoubt: boolean
}

interface Claim {
  id: string
  resource_id: string
  seat: number
  occurrence_id: string
  starts_at: string | Date
  ends_at: string | Date
  booking_id: string | null
  expires_at: string | Date | null
}

interface Booking {
  id: string
  status: string
  starts_at: string | Date
  ends_at: string | Date
  version: number
  confirmed_at: string | Date | null
  payment_id: string | null
}

interface Event {
  booking_id: string
  type: string
}

/** The rows that promises are about, read past the program. */
interface Contents {
  claims: Claim[]
  bookings: Booking[]
  events: Event[]
  holds: { id: string }[]
}

const queries = {
  claims: 'select * from claims',
  bookings: 'select * from bookings',
  events: 'select booking_id, type from events',
  holds: 'select id from holds',
}

/** Reads a database of either engine by its own means, as of one moment; a server may run beside. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  const names = Object.keys(queries)
  const tables = await readTogether(databaseUrl, Object.values(queries))
  return Object.fromEntries(names.map((name, index) => [name, tables[index]])) as unknown as Contents
}

/** The rows that a query gives, on either engine. */
export async function readRows(databaseUrl: string, query: string): Promise<Record<string, unknown>[]> {
  return (await readTogether(databaseUrl, [query]))[0] ?? []
}

async function readTogether(databaseUrl: string, texts: string[]): Promise<Record<string, unknown>[][]> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true, timeout: 5_000 })
    try {
      file.exec('begin')
      return texts.map((text) => file.prepare(text).all())
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read')
    const tables = []
    for (const text of texts) tables.push((await client.query<Record<string, unknown>>(text)).rows)
    return tables
  } finally {
    await client.end()
  }
}

/**
 * Every broken promise, in words; none is an empty list: no claims overlap, each booking has its claim
 * and its events, each claim has what it is for, and everything acknowledged is there.
 */
export async function findFaults(
  databaseUrl: string,
  acknowledged: Acknowledged = new Map(),
): Promise<string[]> {
  const contents = await readContents(databaseUrl)
  return [
    ...overlaps(contents),
    ...bookingsWithoutClaimOrEvent(contents),
    ...claimsForNothing(contents),
    ...lost(contents, acknowledged),
  ]
}

function overlaps({ claims }: Contents): string[] {
  const byResource = Map.groupBy(claims, (claim) => claim.resource_id)
  return [...byResource.values()].flatMap((all) =>
    all.flatMap((one, index) =>
      all
        .slice(index + 1)
        .filter((other) => ms(one.starts_at) < ms(other.ends_at) && ms(other.starts_at) < ms(one.ends_at))
        .filter((other) => one.seat === other.seat || one.occurrence_id !== other.occurrence_id)
        .map((other) => `claims ${one.id} and ${other.id} overlap`),
    ),
  )
}

function bookingsWithoutClaimOrEvent({ bookings, claims, events }: Contents): string[] {
  const claimOf = new Map(claims.map((claim) => [claim.booking_id, claim]))
  const eventsOf = Map.groupBy(events, (event) => event.booking_id)
  return bookings.flatMap((booking) => {
    const claim = claimOf.get(booking.id)
    const types = eventsOf.get(booking.id)?.map(({ type }) => type) ?? []
    const cancelled = booking.status === 'cancelled'
    return [
      cancelled && claim && `cancelled booking ${booking.id} still has its claim`,
      !cancelled && !claim && `booking ${booking.id} (${booking.status}) has no claim`,
      claim &&
        !(ms(claim.starts_at) <= ms(booking.starts_at) && ms(claim.ends_at) >= ms(booking.ends_at)) &&
        `booking ${booking.id} lies outside its claim`,
      // nobody is told of a booking before it is confirmed, by its deposit or by the business
      count(types, 'booking.created') !== (booking.confirmed_at === null ? 0 : 1) &&
        `booking ${booking.id} has ${count(types, 'booking.created')} events of its creation`,
      booking.payment_id === null &&
        types.length < booking.version &&
        `booking ${booking.id} has ${types.length} events for ${booking.version} versions`,
      cancelled &&
        booking.confirmed_at !== null &&
        !types.includes('booking.cancelled') &&
        `cancelled booking ${booking.id} lacks its event`,
    ].filter((fault) => typeof fault === 'string')
  })
}

function claimsForNothing({ claims, bookings, holds, events }: Contents): string[] {
  const bookingIds = new Set(bookings.map(({ id }) => id))
  const holdIds = new Set(holds.map(({ id }) => id))
  return [
    ...claims
      .filter(({ booking_id }) => booking_id !== null && !bookingIds.has(booking_id))
      .map(({ id }) => `claim ${id} is of no booking`),
    ...claims
      .filter(({ booking_id, id }) => booking_id === null && !holdIds.has(id))
      .map(({ id }) => `claim ${id} is of no hold`),
    ...events
      .filter(({ booking_id }) => !bookingIds.has(booking_id))
      .map(({ booking_id }) => `an event tells of booking ${booking_id}, which is not there`),
  ]
}

function lost({ claims, bookings }: Contents, acknowledged: Acknowledged): string[] {
  const bookingById = new Map(bookings.map((booking) => [booking.id, booking]))
  const claimIds = new Set(claims.map(({ id }) => id))
  return [...acknowledged].flatMap(([id, { state, expiresAtMs, inDoubt }]) => {
    const booking = bookingById.get(id)
    switch (state) {
      case 'held':
        if (booking) return inDoubt ? [] : [`hold ${id} became a booking that nobody asked for`]
        return claimIds.has(id) || inDoubt || expiresAtMs <= Date.now() ? [] : [`hold ${id} is lost`]
      case 'booked':
        if (!booking) return [`booking ${id} is lost`]
        return booking.status === 'cancelled' && !inDoubt ? [`booking ${id} was cancelled by nobody`] : []
      case 'cancelled':
        return booking?.status === 'cancelled' ? [] : [`the cancellation of ${id} is lost`]
      case 'released':
        return claimIds.has(id) ? [`the release of ${id} is lost`] : []
    }
  })
}

function count(types: string[], wanted: string): number {
  return types.filter((type) => type === wanted).length
}

function ms(instant: string | Date): number {
  return new Date(instant).getTime()
}

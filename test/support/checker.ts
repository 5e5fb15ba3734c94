import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { readSeats } from '../../src/database/seat-sets.ts'

/** The answers that clients received and recorded outside the system, by the ID of the hold. */
export type Acknowledged = Map<string, Acknowledgement>

interface Acknowledgement {
  state: 'held' | 'booked' | 'cancelled' | 'released'
  /** The expiry of a hold, in epoch milliseconds. */
  expiresAtMs: number
  /** A further request was sent without an answer, so its effect is uncertain. */
  inDoubt: boolean
}

interface Claim {
  id: string
  resource_id: string
  seat: number
  seats: string | null
  occurrence_id: string
  taken_from: string | Date
  taken_until: string | Date
  booked_at: string | Date | null
  ended_at: string | Date | null
  expires_at: string | Date
  visit_id: string | null
  claim_count: number
}

interface Booking {
  id: string
  status: string
  starts_at: string | Date
  ends_at: string | Date
  version: number
  confirmed_at: string | Date | null
  payment_id: string | null
  erased_at: string | null
  item_count: number | null
}

interface Event {
  id: string
  business_id: string
  booking_id: string
  type: string
  occurred_at: string | Date
}

interface Webhook {
  id: string
  business_id: string | null
  events: string
  created_at: string | Date
}

interface Delivery {
  id: string
  webhook_id: string
  event_id: string
  status: string
  attempts_json: string | { response_status: number | null }[]
}

/** The rows that the promises concern, read without the program. */
interface Contents {
  claims: Claim[]
  bookings: Booking[]
  events: Event[]
  /** Webhooks of one business, unchanged since their registration. */
  webhooks: Webhook[]
  /** Deliveries of events only. Samples have none. */
  deliveries: Delivery[]
  /** Clients whose counts differ from their bookings, and bookings with a wrong client. */
  miscounted: { id: string }[]
}

const miscounted = `
  select c.id from clients as c left join (
    select client_id, sum(case when cancelled_at is null then 1 else 0 end) as bookings,
           sum(case when no_show_at is null then 0 else 1 end) as no_shows,
           max(case when cancelled_at is null then starts_at end) as last_at
      from bookings group by client_id) as b on b.client_id = c.id
   where c.booking_count <> coalesce(b.bookings, 0) or c.no_show_count <> coalesce(b.no_shows, 0)
      or (b.last_at is null) <> (c.last_booking_at is null) or b.last_at <> c.last_booking_at
      or (b.client_id is null and c.is_kept = 0 and c.merged_into is null)
  union all
  select b.id from bookings as b left join clients as c on c.id = b.client_id and c.business_id = b.business_id
   where b.client_id is not null and (c.id is null or c.merged_into is not null or b.client_email = '')`

/** Returns the clients whose rows do not agree with their bookings. */
export async function findMiscounted(databaseUrl: string): Promise<unknown[]> {
  return readRows(databaseUrl, miscounted)
}

const queries = {
  claims: 'select * from claims',
  bookings: 'select * from bookings',
  events: 'select id, business_id, booking_id, type, occurred_at from events',
  webhooks:
    'select * from webhooks where business_id is not null and disabled_at is null and deleted_at is null',
  deliveries: 'select * from deliveries where sample_payload is null',
  miscounted,
}

/** Reads a database of either engine with its own tools, as of one moment. A server may be running. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  const names = Object.keys(queries)
  const tables = await readTogether(databaseUrl, Object.values(queries))
  return Object.fromEntries(names.map((name, index) => [name, tables[index]])) as unknown as Contents
}

/** Returns the rows of a query on either engine. */
export async function readRows(databaseUrl: string, query: string): Promise<Record<string, unknown>[]> {
  return (await readTogether(databaseUrl, [query]))[0] ?? []
}

async function readTogether(databaseUrl: string, texts: string[]): Promise<Record<string, unknown>[][]> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true, timeout: 60_000 })
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
 * Returns every broken promise in words, or an empty list. Claims do not overlap, and each booking has its claim and
 * its events. Each booked claim has its booking, each event has one delivery to each subscribed webhook, and everything
 * acknowledged exists.
 */
export async function findErrors(
  databaseUrl: string,
  acknowledged: Acknowledged = new Map(),
): Promise<string[]> {
  const contents = await readContents(databaseUrl)
  return [
    ...overlaps(contents),
    ...halfVisits(contents),
    ...bookingsWithoutClaimOrEvent(contents),
    ...claimsForNothing(contents),
    ...deliveriesAstray(contents),
    ...lost(contents, acknowledged),
    ...contents.miscounted.map(({ id }) => `the client or booking ${id} does not agree with its counts`),
  ]
}

/** Returns the visits of which only a part is there at one moment, in words. A server may be running. */
export async function findHalfVisits(databaseUrl: string): Promise<string[]> {
  return halfVisits(await readContents(databaseUrl))
}

/** Returns the claims that occupy time. An ended claim has freed it. */
function taking(claims: Claim[]): Claim[] {
  return claims.filter(({ ended_at }) => ended_at === null)
}

/** Returns the seats of a claim, one for each of its party. */
export function seatsOf({ seat, seats }: Pick<Claim, 'seat' | 'seats'>): Set<number> {
  return new Set(seats === null ? [seat] : readSeats(seats))
}

function overlaps({ claims }: Contents): string[] {
  const byStart = taking(claims)
    .map((claim) => ({ ...claim, from: ms(claim.taken_from), to: ms(claim.taken_until) }))
    .toSorted((one, other) => one.from - other.from)
  const byResource = Map.groupBy(byStart, (claim) => claim.resource_id)
  return [...byResource.values()].flatMap((all) =>
    all.flatMap((one, index) => {
      const found = []
      for (let next = index + 1; next < all.length; next += 1) {
        const other = all[next]
        if (!other || other.from >= one.to) break // and neither does any that starts later
        if (seatsOf(one).isDisjointFrom(seatsOf(other)) && one.occurrence_id === other.occurrence_id) continue
        found.push(`claims ${one.id} and ${other.id} overlap`)
      }
      return found
    }),
  )
}

/** Finds visits of which only some claims take time, and those whose claims do not cover them. */
function halfVisits({ claims, bookings }: Contents): string[] {
  const further = Map.groupBy(
    claims.filter(({ visit_id }) => visit_id !== null),
    ({ visit_id }) => visit_id,
  )
  const first = new Map(claims.map((claim) => [claim.id, claim]))
  const state = ({ booked_at, ended_at, expires_at }: Claim) =>
    [booked_at, ended_at, expires_at].map((instant) => (instant === null ? null : ms(instant))).join()
  return [
    ...claims
      .filter(({ id, claim_count }) => (further.get(id)?.length ?? 0) !== claim_count - 1)
      .map(({ id, claim_count }) => `visit ${id} does not have its ${claim_count} claims`),
    ...[...further.values()].flat().flatMap((claim) => {
      const of = first.get(claim.visit_id ?? '')
      if (!of) return [`claim ${claim.id} is of no visit`]
      return state(of) === state(claim) ? [] : [`claim ${claim.id} does not follow its visit`]
    }),
    ...bookings
      .filter(({ id, item_count, status }) => {
        const claim = first.get(id)
        return status !== 'cancelled' && claim !== undefined && claim.claim_count > 1 && item_count === null
      })
      .map(({ id }) => `booking ${id} has several claims, but no items`),
  ]
}

function bookingsWithoutClaimOrEvent({ bookings, claims, events }: Contents): string[] {
  const booked = taking(claims).filter(({ booked_at }) => booked_at !== null)
  const claimOf = new Map(booked.map((claim) => [claim.id, claim]))
  const eventsOf = Map.groupBy(events, (event) => event.booking_id)
  return bookings.flatMap((booking) => {
    const claim = claimOf.get(booking.id)
    const types = eventsOf.get(booking.id)?.map(({ type }) => type) ?? []
    const cancelled = booking.status === 'cancelled'
    return [
      cancelled && claim && `cancelled booking ${booking.id} still has its claim`,
      !cancelled && !claim && `booking ${booking.id} (${booking.status}) has no claim`,
      claim?.claim_count === 1 &&
        !(ms(claim.taken_from) <= ms(booking.starts_at) && ms(claim.taken_until) >= ms(booking.ends_at)) &&
        `booking ${booking.id} lies outside its claim`,
      // events of a booking begin when it is confirmed, by its deposit or by the business
      count(types, 'booking.created') !== (booking.confirmed_at === null ? 0 : 1) &&
        `booking ${booking.id} has ${count(types, 'booking.created')} events of its creation`,
      // an erasure of the client raises the version without an event
      booking.payment_id === null &&
        booking.erased_at === null &&
        types.length < booking.version &&
        `booking ${booking.id} has ${types.length} events for ${booking.version} versions`,
      cancelled &&
        booking.confirmed_at !== null &&
        !types.includes('booking.cancelled') &&
        `cancelled booking ${booking.id} lacks its event`,
    ].filter((fieldError) => typeof fieldError === 'string')
  })
}

function claimsForNothing({ claims, bookings, events }: Contents): string[] {
  const bookingIds = new Set(bookings.map(({ id }) => id))
  return [
    ...claims
      .filter(({ booked_at, id, visit_id }) => booked_at !== null && !bookingIds.has(visit_id ?? id))
      .map(({ id }) => `claim ${id} is of no booking`),
    ...claims
      .filter(({ booked_at, id, visit_id }) => booked_at === null && bookingIds.has(visit_id ?? id))
      .map(({ id }) => `booking ${id} has left its claim a hold`),
    ...events
      .filter(({ booking_id }) => !bookingIds.has(booking_id))
      .map(({ booking_id }) => `an event tells of booking ${booking_id}, which is not there`),
  ]
}

/**
 * Checks webhooks of businesses whose plan has them. Ignores events in the second of the registration, which may be
 * before or after it.
 */
function deliveriesAstray({ webhooks, events, deliveries }: Contents): string[] {
  const pairs = Map.groupBy(deliveries, (delivery) => `${delivery.webhook_id} ${delivery.event_id}`)
  const missing = webhooks.flatMap((webhook) =>
    events
      .filter((event) => event.business_id === webhook.business_id)
      .filter((event) => webhook.events.split(' ').includes(event.type))
      .filter((event) => ms(event.occurred_at) > ms(webhook.created_at) + 1_000)
      .filter((event) => !pairs.has(`${webhook.id} ${event.id}`))
      .map((event) => `event ${event.id} has no delivery to webhook ${webhook.id}`),
  )
  const twice = [...pairs].filter(([, all]) => all.length > 1).map(([pair]) => `two deliveries of ${pair}`)
  const active = new Set(webhooks.map(({ id }) => id))
  const logs = deliveries.filter(({ webhook_id }) => active.has(webhook_id))
  return [...missing, ...twice, ...logs.flatMap(wrongLog)]
}

/** Finds contradictions in a log: success without a 2xx, failure without a failed attempt. */
function wrongLog({ id, status, attempts_json }: Delivery): string[] {
  const attempts = typeof attempts_json === 'string' ? (JSON.parse(attempts_json) as never[]) : attempts_json
  const last: { response_status: number | null } | undefined = attempts.at(-1)
  const lastStatus = last?.response_status ?? 0
  const succeeded = lastStatus >= 200 && lastStatus < 300
  if (status === 'succeeded' && !succeeded) return [`delivery ${id} succeeded without a 2xx in its log`]
  if (status === 'failed' && (!last || succeeded))
    return [`delivery ${id} failed without a failure in its log`]
  return []
}

function lost({ claims, bookings }: Contents, acknowledged: Acknowledged): string[] {
  const bookingById = new Map(bookings.map((booking) => [booking.id, booking]))
  const claimIds = new Set(taking(claims).map(({ id }) => id))
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

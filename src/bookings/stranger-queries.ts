import { sql } from 'kysely'
import { compiledOnce, type Given } from '../database/compiled-once.ts'
import type { Engine, Queries } from '../database/database.ts'
import type { BlockedClientsTable, BookingAttemptsTable } from '../database/tables.ts'
import type { Instant } from '../instants.ts'

/** What a business says of strangers. */
export interface StrangerSettings {
  max_bookings_per_client: number | null
  trusted_networks_json: string | null
}

interface Turn {
  businessId: string
  /** What is counted together: who names the same waits. No client where no booking is made. */
  network: string
  client: string | null
}

const settingsInTurn = compiledOnce((_db, { businessId, network, client }: Given<Turn>) => {
  const lock = (name: typeof network | typeof client) =>
    sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  return sql<StrangerSettings>`
    select max_bookings_per_client, trusted_networks_json, ${lock(network)} as network, ${lock(client)} as client
      from businesses where id = ${businessId}`
})

const settingsOf = compiledOnce((db, { businessId }: Given<{ businessId: string }>) =>
  db
    .selectFrom('businesses')
    .select(['max_bookings_per_client', 'trusted_networks_json'])
    .where('id', '=', businessId),
)

/**
 * Has those who are counted together go on one after the other until their transactions end, and tells what their
 * business says of them. What a later statement counts is then exact. The network comes before the client, always: so
 * no two wait for each other. On SQLite no two transactions write at once.
 */
export async function takeTurn(
  engine: Engine,
  db: Queries,
  turn: Turn,
): Promise<StrangerSettings | undefined> {
  if (engine === 'sqlite') return findStrangerSettings(db, turn.businessId)
  return (await settingsInTurn(db, turn)).rows[0]
}

/** What a business says of strangers. */
export async function findStrangerSettings(
  db: Queries,
  businessId: string,
): Promise<StrangerSettings | undefined> {
  return (await settingsOf(db, { businessId })).rows[0]
}

/** How many bookings from one network are allowed, and the network. */
export interface NetworkCap {
  /** A digest. */
  network: string
  perHour: number
  perDay: number
}

/** The caps on bookings that apply to a conversion. */
export interface BookingCaps {
  businessId: string
  now: Instant
  hourAgo: Instant
  dayAgo: Instant
  /** Of the address, and of the wider network that it lies in; null for a network that the business trusts. */
  ofAddress: { own: NetworkCap; wider: NetworkCap | null } | null
  /** Null where no booking is made: a refusal. */
  ofClient: {
    email: string
    /** Null where a client may have any number. */
    cap: { client: string; most: number } | null
  } | null
}

/** Whether one more booking stays below the caps. Each count reads no more rows than its cap. */
function fits({ businessId, now, hourAgo, dayAgo, ofAddress, ofClient }: Given<BookingCaps>) {
  const conditions = [sql`1 = 1`]
  const belowCap = (column: 'network' | 'wider_network', { network, perHour, perDay }: Given<NetworkCap>) => {
    const counted = sql`
      select count(*) from booking_attempts
       where ${sql.ref(column)} = ${network} and business_id = ${businessId} and counted_at`
    conditions.push(sql`(${counted} > ${hourAgo}) < ${perHour}`, sql`(${counted} > ${dayAgo}) < ${perDay}`)
  }
  if (ofAddress) belowCap('network', ofAddress.own)
  if (ofAddress?.wider) belowCap('wider_network', ofAddress.wider)
  if (ofClient) {
    conditions.push(sql`
      not exists (select 1 from blocked_clients where business_id = ${businessId} and email = ${ofClient.email})`)
  }
  if (ofClient?.cap) {
    const { client, most } = ofClient.cap
    conditions.push(sql`(
      select count(*) from bookings
       where business_id = ${businessId} and counted_client = ${client} and cancelled_at is null
         and starts_at > ${now}) < ${most}`)
  }
  return sql.join(conditions, sql` and `)
}

const check = compiledOnce((_db, caps: Given<BookingCaps>) => sql`select 1 as fits where ${fits(caps)}`)

type Attempt = Given<{ attempt: BookingAttemptsTable; caps: BookingCaps }>

const addition = compiledOnce((db, { attempt, caps }: Attempt) => {
  const columns = ['business_id', 'id', 'network', 'wider_network', 'counted_at'] as const
  return db
    .insertInto('booking_attempts')
    .columns([...columns])
    .expression((build) =>
      build
        .selectFrom('businesses')
        .select(columns.map((column) => sql`${attempt[column]}`.as(column)))
        .where('id', '=', caps.businessId)
        .where(sql<boolean>`${fits(caps)}`),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
})

/** Whether one more booking fits, which no address counts. */
export async function fitsCaps(db: Queries, caps: BookingCaps): Promise<boolean> {
  return (await check(db, caps)).rows.length > 0
}

/** Counts a booking, or the refusal of one, for its address, where that fits. */
export async function countAttempt(
  db: Queries,
  attempt: BookingAttemptsTable,
  caps: BookingCaps,
): Promise<boolean> {
  return (await addition(db, { attempt, caps })).rows.length > 0
}

/** Deletes up to `most` counts from before an instant. Tells how many. */
export async function deleteOldAttempts(db: Queries, before: Instant, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from booking_attempts
     where (business_id, id) in (
       select business_id, id from booking_attempts where counted_at <= ${before} limit ${most})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Blocks a client. When that was done, now or before. */
export async function insertBlockedClient(db: Queries, client: BlockedClientsTable): Promise<Instant> {
  const { blocked_at } = await db
    .insertInto('blocked_clients')
    .values(client)
    .onConflict((conflict) =>
      // changes nothing, but what is there is given back
      conflict.columns(['business_id', 'email']).doUpdateSet({ email: client.email }),
    )
    .returning('blocked_at')
    .executeTakeFirstOrThrow()
  return blocked_at
}

/** Lets a client book again. */
export async function deleteBlockedClient(
  db: Queries,
  { business_id, email }: Pick<BlockedClientsTable, 'business_id' | 'email'>,
): Promise<void> {
  await db
    .deleteFrom('blocked_clients')
    .where('business_id', '=', business_id)
    .where('email', '=', email)
    .execute()
}

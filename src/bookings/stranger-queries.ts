import { type RawBuilder, sql } from 'kysely'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement, tallyOf } from '../database/shared-transaction.ts'
import type { BlockedClientsTable, BookingAttemptsTable } from '../database/tables.ts'

const hourSeconds = 3_600

/**
 * Prefix for blocks of erased clients. A keyed digest replaces the address, so that the block stays in force.
 */
export const erasedPrefix = 'erased:'

/** Digests of an address's networks, as the database stores them. */
export interface NetworkDigests {
  network: string
  widerNetwork: string | null
}

export interface Visitor extends NetworkDigests {
  businessId: string
  address: string | null
}

/** The numbers that a business's caps count for a stranger; zeros for keys. */
export interface StrangerCounts {
  max_bookings_per_client: number | null
  trusted_networks_json: string | null
  /** Bookings, made or refused, of the address and its wider network in the last hour and day. */
  of_hour: number
  of_day: number
  wider_of_hour: number
  wider_of_day: number
  /** Future bookings for the client. */
  of_client: number
  /** Above zero if the business blocks the client. */
  is_blocked: number
}

/** Columns of `w` by which a stranger is counted. */
export const strangerColumns = {
  now: 'timestamptz',
  hour_ago: 'timestamptz',
  day_ago: 'timestamptz',
  network: 'text',
  wider_network: 'text',
  client: 'text',
  email: 'text',
} as const

type Counted = (Visitor & { client?: string; email?: string }) | undefined

/** Returns the values of `strangerColumns`. For keys, which nothing counts, only the times. */
export function strangerRow(stranger: Counted, now: Instant) {
  return {
    now,
    hour_ago: plusSeconds(now, -hourSeconds),
    day_ago: plusSeconds(now, -daySeconds),
    network: stranger?.network,
    wider_network: stranger?.widerNetwork,
    client: stranger?.client,
    email: stranger?.email,
  }
}

/**
 * Selects `StrangerCounts` for a row of `w` and a business `v`. Exact while the locks of `lockNames` are
 * held.
 */
export function strangerCounts(): RawBuilder<unknown> {
  const attempts = (column: string, since: string) => sql`
    (select count(*) from booking_attempts as a
      where ${sql.ref(`a.${column}`)} = ${sql.ref(`w.${column}`)} and a.business_id = v.id
        and a.counted_at > ${sql.ref(`w.${since}`)})`
  return sql`
    v.max_bookings_per_client, v.trusted_networks_json,
    ${attempts('network', 'hour_ago')} as of_hour, ${attempts('network', 'day_ago')} as of_day,
    ${attempts('wider_network', 'hour_ago')} as wider_of_hour, ${attempts('wider_network', 'day_ago')} as wider_of_day,
    (select count(*) from bookings as b
      where b.business_id = v.id and b.counted_client = w.client and b.cancelled_at is null
        and b.starts_at > w.now) as of_client,
    (select count(*) from blocked_clients as k where k.business_id = v.id and k.email in (w.email, ${sql.lit(erasedPrefix)} || w.client)) as is_blocked`
}

const visitorColumns = { ...strangerColumns, place: 'integer', business_id: 'uuid' } as const

const visitorCounts = cachedQuery(
  (db, { rows }: Params<{ rows: string }>) => sql<StrangerCounts & { place: number }>`
    select w.place, ${strangerCounts()}
      from ${rowsOf(db, visitorColumns, rows)} as w join businesses as v on v.id = w.business_id`,
)

/** Returns the numbers that the caps count for an address. */
export const countStranger = sharedStatement({
  writes: false,
  run: async (db, members: readonly { visitor: Visitor; now: Instant }[]) => {
    const rows = members.map(({ visitor, now }, place) => ({
      ...strangerRow(visitor, now),
      place,
      business_id: visitor.businessId,
    }))
    const found = (await visitorCounts(db, { rows: rowsText(db, visitorColumns, rows) })).rows
    return members.map((_member, index) => found.find(({ place }) => place === index))
  },
})

const lockQuery = cachedQuery(
  (_db, { names }: Params<{ names: string }>) => sql`
    select pg_advisory_xact_lock(key)
      from (select distinct hashtextextended(name, 0) as key
              from json_array_elements_text(${names}::json) as name
             order by key) as keys`,
)

/**
 * Waits for other transactions that lock one of the names (PostgreSQL). Locks in a fixed order, so that no
 * two deadlock.
 */
export const lockNames = sharedStatement({
  writes: false,
  step: -1, // counts must be read after these locks
  run: async (db, members: readonly (readonly string[])[]) => {
    await lockQuery(db, { names: JSON.stringify(members.flat()) })
    return members.map(() => undefined)
  },
})

export async function findTrustedNetworks(db: Reads, businessId: string): Promise<string | null> {
  const settings = await db
    .selectFrom('businesses')
    .select('trusted_networks_json')
    .where('id', '=', businessId)
    .executeTakeFirst()
  return settings?.trusted_networks_json ?? null
}

/** Number of bookings that still fit under a cap. */
export interface Room {
  /** Name of the counted subject. Members of one transaction share it. */
  name: string
  room: number
}

interface Attempt {
  /** Undefined if the business trusts the address. */
  attempt: BookingAttemptsTable | undefined
  rooms: Room[]
}

const attemptColumns = {
  business_id: 'uuid',
  id: 'uuid',
  network: 'text',
  wider_network: 'text',
  counted_at: 'timestamptz',
} as const

const insertAttempts = cachedQuery((db: Queries, { rows }: Params<{ rows: string }>) => {
  const names = sql.join(Object.keys(attemptColumns).map((name) => sql.ref(name)))
  return sql`insert into booking_attempts (${names}) select ${names} from ${rowsOf(db, attemptColumns, rows)} as w`
})

/**
 * Counts a booking or a refusal for its address. Returns false if others in its transaction have used up the
 * room since it was read.
 */
export const countAttempt = sharedStatement({
  writes: (isCounted: boolean) => isCounted,
  run: async (db, members: readonly Attempt[]): Promise<boolean[]> => {
    const taken = tallyOf(db)
    const areCounted = members.map(({ rooms }) => {
      if (rooms.some(({ name, room }) => (taken.get(name) ?? 0) >= room)) return false
      for (const { name } of rooms) taken.set(name, (taken.get(name) ?? 0) + 1)
      return true
    })
    const attempts = members.flatMap(({ attempt }, index) => (attempt && areCounted[index] ? [attempt] : []))
    if (attempts.length > 0) await insertAttempts(db, { rows: rowsText(db, attemptColumns, attempts) })
    return areCounted
  },
})

/** Deletes up to `max` attempts from before an instant; returns their number. */
export async function deleteOldAttempts(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from booking_attempts
     where (business_id, id) in (
       select business_id, id from booking_attempts where counted_at <= ${before} limit ${max})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Blocks a client. Returns the time of the first block. */
export async function insertBlockedClient(db: Queries, client: BlockedClientsTable): Promise<Instant> {
  const { blocked_at } = await db
    .insertInto('blocked_clients')
    .values(client)
    .onConflict((conflict) =>
      // changes nothing, but returns the existing row
      conflict.columns(['business_id', 'email']).doUpdateSet({ email: client.email }),
    )
    .returning('blocked_at')
    .executeTakeFirstOrThrow()
  return blocked_at
}

/** Lists by email address. `after` is that of the last row of the previous page. */
export function findBlockedClients(
  db: Reads,
  { businessId, after, rows }: { businessId: string; after: string | undefined; rows: number },
): Promise<BlockedClientsTable[]> {
  let query = db.selectFrom('blocked_clients').selectAll().where('business_id', '=', businessId)
  if (after !== undefined) query = query.where('email', '>', after)
  return query.orderBy('email').limit(rows).execute()
}

type BlockedKey = Pick<BlockedClientsTable, 'business_id' | 'email'> & {
  /** Digest of the client. */
  digest: string
}

/** Returns the time at which a client was blocked. */
export async function findBlockedClient(db: Reads, key: BlockedKey): Promise<Instant | undefined> {
  const { rows } = await sql<{ blocked_at: Instant }>`
    select blocked_at from blocked_clients
     where business_id = ${key.business_id} and email in (${key.email}, ${erasedPrefix + key.digest})
     order by blocked_at limit 1`.execute(db)
  return rows[0]?.blocked_at
}

/** Replaces the address of a blocked client by its digest. Returns the number of blocks. */
export async function eraseBlockedClient(db: Queries, key: BlockedKey): Promise<number> {
  const { numAffectedRows: written = 0n } = await sql`
    insert into blocked_clients (business_id, email, blocked_at)
    select business_id, ${erasedPrefix + key.digest}, blocked_at from blocked_clients
     where business_id = ${key.business_id} and email = ${key.email}
    on conflict do nothing`.execute(db)
  const { numDeletedRows } = await db
    .deleteFrom('blocked_clients')
    .where('business_id', '=', key.business_id)
    .where('email', '=', key.email)
    .executeTakeFirst()
  return Number(written > numDeletedRows ? written : numDeletedRows)
}

/** Unblocks a client. Returns true if it was blocked. */
export async function deleteBlockedClient(
  db: Queries,
  { business_id, email, digest }: BlockedKey,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_clients')
    .where('business_id', '=', business_id)
    .where('email', 'in', [email, erasedPrefix + digest])
    .executeTakeFirst()
  return numDeletedRows > 0n
}

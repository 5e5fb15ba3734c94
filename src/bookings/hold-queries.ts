import { sql } from 'kysely'
import { daySeconds, type Instant, plusSeconds } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries, Reads } from '../database/database.ts'
import { foreach, rowsOf, rowsText, isPostgres } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { ClaimsTable } from '../database/tables.ts'
import { isSwept } from '../database/test-time.ts'
import { inScopeOfRow, scopeColumns, scopeRow, type TenantScope } from '../database/tenant-scope.ts'

export interface HoldRow extends ClaimsTable {
  timezone: string
}

/** A hold in scope. With `ownerId`, only that owner's. */
export interface HoldKey {
  scope: TenantScope
  id: string
  ownerId: string | undefined
}

const holdColumns = {
  ...scopeColumns,
  place: 'integer',
  id: 'uuid',
  owner_id: 'uuid',
  since: 'timestamptz',
} as const

type Found = HoldRow & { place: number }

/** Returns the rows of `w` in the order of the IDs, so that all transactions lock them in the same order. */
function sorted(keys: readonly HoldKey[], now: Instant) {
  return keys
    .map(({ scope, id, ownerId }, place) => ({
      ...scopeRow(scope),
      place,
      id,
      owner_id: ownerId,
      since: plusSeconds(now, -daySeconds),
    }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

const holdsQuery = cachedQuery((db, { rows, locks }: Params<{ rows: string; locks: boolean }>) => {
  const wanted = sql`
    c.id = w.id and c.visit_id is null and (w.owner_id is null or c.owner_id = w.owner_id) and c.expires_at >= w.since
    and ${inScopeOfRow(db, 'c.business_id')}`
  const lock = locks && isPostgres(db) ? sql` for update of c` : sql``
  return sql<Found>`
    with w as materialized (select * from ${rowsOf(db, holdColumns, rows)} as r)
    select w.place, l.timezone, c.*
      from w ${foreach(db, 'claims as c', wanted)}
           join locations as l on l.id = c.location_id${lock}`
})

async function findAll(
  db: Reads,
  keys: readonly HoldKey[],
  { now, locks }: { now: Instant; locks: boolean },
) {
  const rows = rowsText(db, holdColumns, sorted(keys, now))
  const found = (await holdsQuery(db, { rows, locks })).rows
  return keys.map((_key, index) => found.find(({ place }) => place === index))
}

/** Finds a hold until a day after its `expires_at`. */
export async function findHold(db: Reads, key: HoldKey, now: Instant): Promise<HoldRow | undefined> {
  const [hold] = await findAll(db, [key], { now, locks: false })
  return hold
}

/** Finds a hold like `findHold`, and locks it until the transaction ends. */
export const findHoldForChange = sharedStatement({
  writes: false,
  locks: ({ key }: { key: HoldKey }) => key.id,
  run: (db, members: readonly { key: HoldKey; now: Instant }[]): Promise<(HoldRow | undefined)[]> => {
    const [first] = members
    if (!first) return Promise.resolve([])
    const keys = members.map(({ key }) => key)
    return findAll(db, keys, { now: first.now, locks: true }) // a transaction has a single `now`
  },
})

/**
 * Deletes up to `max` holds that expired before an instant. They must not have become a booking, or only one
 * that is cancelled.
 */
export async function deleteOldHolds(db: Queries, before: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from claims
     where id in (
       select id from claims
        where (booked_at is null or ended_at is not null) and expires_at < ${before} and visit_id is null
          and ${isSwept('claims.business_id')}
        limit ${max})
       and (booked_at is null or ended_at is not null) and expires_at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/**
 * Removes the addresses from up to `max` claims that no longer count for one. Returns their number. Earlier
 * releases kept them. Apart from them, the index of addresses contains little but active holds.
 */
export async function forgetNetworks(db: Queries, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update claims set client_network = null, client_wider_network = null
     where id in (
       select id from claims
        where client_network is not null and (booked_at is not null or ended_at is not null)
        order by client_network, expires_at
        limit ${max}${skipLocked(db)})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Skips locked rows, because waiting for a row that another transaction ends could cause a deadlock. */
function skipLocked(db: Queries) {
  return isPostgres(db) ? sql` for update skip locked` : sql``
}

/** Ends up to `max` expired holds, so that no index of active claims keeps them. Returns their number. */
export async function endExpiredHolds(db: Queries, now: Instant, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update claims
       set ended_at = expires_at, client_network = null, client_wider_network = null
     where id in (
       select id from claims
        where booked_at is null and ended_at is null and expires_at <= ${now} and visit_id is null
          and ${isSwept('claims.business_id')}
        limit ${max}${skipLocked(db)})
       and booked_at is null and ended_at is null and expires_at <= ${now}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

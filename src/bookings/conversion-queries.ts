import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import { foreach, isPostgres, rowsOf, rowsText } from '../database/json-rows.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { ClaimsTable } from '../database/tables.ts'
import { inScopeOfRow, scopeColumns, scopeRow } from '../database/tenant-scope.ts'
import type { HoldKey } from './hold-queries.ts'
import { type StrangerCounts, strangerColumns, strangerCounts, strangerRow } from './stranger-queries.ts'
import type { Stranger } from './strangers.ts'

/** A hold to convert, with everything on which the conversion depends. */
export interface ConvertibleHold extends ClaimsTable, StrangerCounts {
  /** Version of its business's catalogue. */
  catalogue_version: number
  /** To which the client must agree. */
  business_terms: string | null
}

interface Conversion {
  key: HoldKey
  /** Undefined for keys. */
  stranger: Stranger | undefined
  now: Instant
}

const conversionColumns = {
  ...scopeColumns,
  ...strangerColumns,
  place: 'integer',
  id: 'uuid',
  owner_id: 'uuid',
} as const

const convertibleHolds = cachedQuery((db, { rows }: Params<{ rows: string }>) => {
  const wanted = sql`
    c.id = w.id and c.visit_id is null and (w.owner_id is null or c.owner_id = w.owner_id)
    and c.expires_at >= w.day_ago
    and ${inScopeOfRow(db, 'c.business_id')}`
  return sql<ConvertibleHold & { place: number }>`
    with w as materialized (select * from ${rowsOf(db, conversionColumns, rows)} as r)
    select w.place, c.*, v.catalogue_version, v.terms as business_terms, ${strangerCounts()}
      from w ${foreach(db, 'claims as c', wanted)}
           join businesses as v on v.id = c.business_id
    ${isPostgres(db) ? sql`for update of c` : sql``}`
})

/** Finds a hold to convert and locks it until the transaction ends; undefined if it is out of scope. */
export const findConvertibleHold = sharedStatement({
  writes: false,
  locks: ({ key }: Conversion) => key.id,
  run: async (db, members: readonly Conversion[]): Promise<(ConvertibleHold | undefined)[]> => {
    const rows = members
      .map(({ key, stranger, now }, place) => ({
        ...scopeRow(key.scope),
        ...strangerRow(stranger, now),
        place,
        id: key.id,
        owner_id: key.ownerId,
      }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)) // all transactions lock in the same order
    const found = (await convertibleHolds(db, { rows: rowsText(db, conversionColumns, rows) })).rows
    return members.map((_member, index) => found.find(({ place }) => place === index))
  },
})

import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import { nameKey } from '../base/search-text.ts'
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
  /** The name and number of the client, if there is a number. */
  person: Person | undefined
  now: Instant
}

interface Person {
  text: string
  /** True without an address. */
  isByPhone: boolean
}

/**
 * Returns the person of a booking, by whom it is locked. The text is the same for all spellings of the number. Undefined
 * without a number.
 */
export function personOf(client: {
  first_name: string
  last_name?: string
  email?: string
  phone?: string
}): Person | undefined {
  const { first_name, last_name = '', email, phone = '' } = client
  if (phone === '') return undefined
  const digits = phone.replaceAll(/\D/g, '').slice(-lockedDigits)
  return { text: `client ${nameKey({ first_name, last_name })} ${digits}`, isByPhone: email === undefined }
}

/** The end of a number, which is the same with and without a calling code. */
const lockedDigits = 7

/**
 * Locks the persons of bookings on PostgreSQL, so that the statement that books sees who booked before. A booking by phone
 * number alone keeps all others of that person out. Bookings with addresses do not wait for each other.
 */
function personLocks(persons: Expression<string>): RawBuilder<unknown> {
  return sql`locked as materialized (
      select case when is_alone then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end
        from (select hashtextextended(text, 0) as key, bool_or("isByPhone") as is_alone
                from json_to_recordset(${persons}::json) as p(text text, "isByPhone" boolean)
               group by 1 order by 1) as keys),`
}

const conversionColumns = {
  ...scopeColumns,
  ...strangerColumns,
  place: 'integer',
  id: 'uuid',
  owner_id: 'uuid',
} as const

const convertibleHolds = cachedQuery((db, { rows, persons }: Params<{ rows: string; persons: string }>) => {
  const wanted = sql`
    c.id = w.id and c.visit_id is null and (w.owner_id is null or c.owner_id = w.owner_id)
    and c.expires_at >= w.day_ago
    and ${inScopeOfRow(db, 'c.business_id')}`
  return sql<ConvertibleHold & { place: number }>`
    with ${isPostgres(db) ? personLocks(persons) : sql``}
         w as materialized (select * from ${rowsOf(db, conversionColumns, rows)} as r)
    select w.place, c.*, v.catalogue_version, v.terms as business_terms, ${strangerCounts()}
      from w ${foreach(db, 'claims as c', wanted)}
           join businesses as v on v.id = c.business_id
    ${isPostgres(db) ? sql`where (select count(*) from locked) >= 0 for update of c` : sql``}`
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
    const persons = JSON.stringify(members.flatMap(({ person }) => person ?? []))
    const found = (await convertibleHolds(db, { rows: rowsText(db, conversionColumns, rows), persons })).rows
    return members.map((_member, index) => found.find(({ place }) => place === index))
  },
})

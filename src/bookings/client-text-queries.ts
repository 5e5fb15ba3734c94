import { sql } from 'kysely'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Queries } from '../database/database.ts'
import { foreach, isPostgres } from '../database/json-rows.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

/** Clients by whom a search finds bookings. With more, those found along the order of a list fill a page sooner. */
const maxTexts = 500
const maxBookings = 2_500

/** Columns of a client that a search found, for `rowsOf`. */
export const foundColumns = { business_id: 'uuid', email: 'text' } as const

export interface FoundClient {
  business_id: string
  /** As `lower(client_email)` of their bookings. */
  email: string
}

/** The pattern of `like` (with `escape '\\'`) for a part of a text. */
export function partPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Texts of all businesses that the index of SQLite names for a search. */
const maxNamed = sql.lit(5_000)

/** One text of nobody that is too much, where there may be more. */
const orTooMany = sql`
     union all
    select '', '', ${sql.lit(maxBookings + 1)} where (select count(*) from named) = ${maxNamed}`

type Wanted = Params<{ scope: TenantScope; part: string; pattern: string; rows: number }>

/** The texts that hold a part, found by its runs of three characters; then all texts of the same addresses. */
const clientTexts = cachedQuery((db, wanted: Wanted) => {
  const sameAddress = sql`t.business_id = w.business_id and t.email = w.email`
  return sql<FoundClient & { bookings: number }>`
    with ${isPostgres(db) ? foundInPostgres(wanted) : foundInSqlite(wanted)},
         w as materialized (select distinct business_id, email from found limit ${wanted.rows})
    select * from (
      select t.business_id, t.email, t.bookings from w ${foreach(db, 'client_texts as t', sameAddress)}
       limit ${wanted.rows}) as t${isPostgres(db) ? sql`` : orTooMany}`
})

function foundInPostgres({ scope, part, pattern, rows }: Wanted) {
  return sql`found as (
    select t.business_id, t.email
      from (select id from businesses where ${inScope('id', scope)}) as v
           cross join lateral (
             select * from client_texts as t
              where client_runs(t.business_id, t.text) @> client_runs(v.id, ${part})
                and t.text like ${pattern} escape '\\'
              limit ${rows}) as t
     where t.business_id = v.id
     limit ${rows})`
}

/** Its index is for all businesses, and names so many texts at most, no matter whose. */
function foundInSqlite({ scope, part, pattern }: Wanted) {
  const isWanted = sql`${inScope('t.business_id', scope)} and t.text like ${pattern} escape '\\'`
  return sql`named as materialized (
      select rowid as number from client_texts_runs where text match ${part} limit ${maxNamed}
    ), found as (
      select t.business_id, t.email from named cross join client_texts as t on t.number = named.number 
       where ${isWanted} and (select count(*) from named) < ${maxNamed}
      union all
      select t.business_id, t.email from client_texts as t not indexed
       where t.number > (select until from client_texts_indexed) and ${isWanted}
    )`
}

/**
 * Finds the clients with a text (see `searchText`) in their name, e-mail or phone; undefined when they, or their bookings, are too
 * many to be looked up one by one, or the text is too short to be found so.
 */
export async function findClientsBy(
  db: Queries,
  scope: TenantScope,
  text: string,
): Promise<FoundClient[] | undefined> {
  if (!/^.{3}/su.test(text)) return undefined
  const part = isPostgres(db) ? text : `"${text.replaceAll('"', '""')}"` // a phrase of FTS5
  const wanted = { scope, part, pattern: partPattern(text), rows: maxTexts + 1 }
  const { rows } = await clientTexts(db, wanted)
  const bookings = rows.reduce((sum, row) => sum + row.bookings, 0)
  if (rows.length > maxTexts || bookings > maxBookings) return undefined
  const clients = rows.map(
    ({ business_id, email }) => [`${business_id} ${email}`, { business_id, email }] as const,
  )
  return [...new Map(clients).values()]
}

/**
 * Finds the next clients of a business, by address, among the next `searched` texts. `until` is the last address that was
 * searched, when more follow.
 */
export async function findNextClientsBy(
  db: Queries,
  { businessId, text, after = '', rows, searched }: NextClients,
): Promise<{ clients: FoundClient[]; until: string | undefined }> {
  const following = sql`business_id = ${businessId} and email > ${after}`
  const [last] = (
    await sql<{ email: string }>`
      select email from client_texts where ${following} order by email limit 1 offset ${searched - 1}`.execute(
      db,
    )
  ).rows
  const upTo = last ? sql`and email <= ${last.email}` : sql``
  const { rows: clients } = await sql<FoundClient>`
    select distinct business_id, email from client_texts
     where ${following} ${upTo} and text like ${partPattern(text)} escape '\\'
     order by email limit ${rows}`.execute(db)
  return { clients, until: clients.length === rows ? clients.at(-1)?.email : last?.email }
}

interface NextClients {
  businessId: string
  text: string
  /** The last address before them. */
  after: string | undefined
  rows: number
  searched: number
}

import { type RawBuilder, sql } from 'kysely'
import { asciiEmail, isAscii, unicodeEmail } from '../base/contact-formats.ts'
import { cachedQuery, type Params } from '../database/cached-query.ts'
import type { Reads } from '../database/database.ts'
import { foreach, isPostgres } from '../database/json-rows.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'

/**
 * Limits for finding bookings by client. With more clients, searching along the order of a list fills a page
 * sooner.
 */
const maxTexts = 500
const maxBookings = 2_500

/** Columns of a client found by a search, for `rowsOf`. */
export const foundColumns = { business_id: 'uuid', email: 'text' } as const

export interface FoundClient {
  business_id: string
  /** In the form of `lower(client_email)` of their bookings. */
  email: string
}

/** Returns the `like` pattern (with `escape '\\'`) for a part of a text. */
export function partPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * Returns the forms in which `lower(client_email)` may contain an address. SQLite, and PostgreSQL in the
 * locale C, leave non-ASCII capitals. A server of an earlier release leaves `xn--` domains. Reads the addresses of the
 * scope only for a non-ASCII address.
 */
export async function storedForms(db: Reads, scope: TenantScope, email: string): Promise<string[]> {
  const wanted = unicodeEmail(email).toLowerCase()
  if (isAscii(wanted)) return [wanted]
  const isBeyondAscii = isPostgres(db)
    ? sql`email ~ ${'[^\\x01-\\x7f]'}`
    : sql`email glob ${'*[^\x01-\x7f]*'}`
  const { rows } = await sql<{ email: string }>`
    select distinct email from client_texts where ${inScope('business_id', scope)} and ${isBeyondAscii}`.execute(
    db,
  )
  const forms = rows.map((row) => row.email).filter((form) => form.toLowerCase() === wanted)
  return [...new Set([wanted, asciiEmail(wanted), ...forms])].slice(0, maxForms)
}

/** Bounds the parameters of a statement. An erasure repeats it. */
const maxForms = 100

/**
 * Returns the name in a client's searchable text: its first line (see `clientColumns`).
 * `client_texts_by_name` uses the same expression.
 */
export function nameIn(db: Reads, text: RawBuilder<unknown>): RawBuilder<string> {
  return isPostgres(db)
    ? sql<string>`(rtrim(split_part(${text}, ${sql.lit('\n')}, 1)) collate "C")`
    : sql<string>`rtrim(substr(${text}, 1, instr(${text}, char(10)) - 1))`
}

/** Maximum number of texts that SQLite's index returns for a search, over all businesses. */
const maxNamed = sql.lit(5_000)

/** One dummy text too many, if there may be more. */
const orTooMany = sql`
     union all
    select '', '', ${sql.lit(maxBookings + 1)} where (select count(*) from named) = ${maxNamed}`

type Wanted = Params<{ scope: TenantScope; part: string; pattern: string; rows: number }>

/** Finds texts that contain a part by its trigrams, then all texts of the same addresses. */
const clientTexts = cachedQuery((db, wanted: Wanted) => {
  const sameAddress = sql`t.business_id = w.business_id and t.email = w.email`
  return sql<FoundClient & { bookings: number }>`
    with ${isPostgres(db) ? foundInPostgres(wanted) : foundInSqlite(wanted)},
         w as materialized (select distinct business_id, email from found limit ${wanted.rows})
    select * from (
      select t.business_id, t.email, t.bookings from w ${foreach(db, 'client_texts as t', sameAddress)}
       limit ${wanted.rows}) as t${isPostgres(db) ? sql`` : orTooMany}`
})

/** Finds the texts of a business that contain a part, each with its address. At most `maxTexts` addresses. */
export async function findTextsOf(
  db: Reads,
  { businessId, part }: { businessId: string; part: string },
): Promise<{ email: string; text: string }[]> {
  const { rows } = await textsWith(db, {
    ...{ scope: { businessId }, part: isPostgres(db) ? part : `"${part}"` },
    ...{ pattern: partPattern(part), rows: maxTexts },
  })
  return rows
}

const textsWith = cachedQuery((db, wanted: Wanted) => {
  const sameAddress = sql`t.business_id = w.business_id and t.email = w.email`
  return sql<{ email: string; text: string }>`
    with ${isPostgres(db) ? foundInPostgres(wanted) : foundInSqlite(wanted)},
         w as materialized (select distinct business_id, email from found limit ${wanted.rows})
    select t.email, t.text from w ${foreach(db, 'client_texts as t', sameAddress)}
     where t.text like ${wanted.pattern} escape '\\'
     limit ${wanted.rows}`
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

/**
 * Finds texts with SQLite's index. It covers all businesses, so its limit applies to all of them together.
 */
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
 * Finds the clients with a text (see `searchText`) in their name, email address or phone number. Undefined if
 * they or their bookings are too many for individual lookups. Also undefined if the text is too short for the
 * index.
 */
export async function findClientsBy(
  db: Reads,
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

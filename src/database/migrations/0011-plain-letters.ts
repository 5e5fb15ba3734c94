import { type Kysely, sql } from 'kysely'
import { searchText } from '../../base/search-text.ts'
import type { Engine } from '../database.ts'

const batchRows = 1_000

export interface Searched {
  business_id: string
  id: string
  text: string
}

/**
 * Search compares plain letters, so texts of earlier releases are rewritten. Otherwise nobody with an accent would be
 * found. ASCII texts need no change. The triggers of `bookings` update `client_texts`. `rewriteRows` of migrate.ts has
 * already done nearly all of it, in separately committed batches.
 */
export async function plainLetters(db: Kysely<unknown>, engine: Engine): Promise<void> {
  let last: Searched | undefined
  do last = await plainLettersOf(db, engine, { after: last, rows: batchRows })
  while (last)
}

/** Rewrites the next texts in plain letters. Returns the last of them if more may follow. */
export async function plainLettersOf(
  db: Kysely<unknown>,
  engine: Engine,
  { after, rows: max }: { after: Searched | undefined; rows: number },
): Promise<Searched | undefined> {
  const rows = await nextWithMarks(db, engine, { after, max })
  const changed = rows
    .map((row) => ({ ...row, before: row.text, text: searchText(row.text) }))
    .filter(({ text, before }) => text !== before)
  const json = JSON.stringify(changed)
  const values =
    engine === 'postgres'
      ? sql`json_to_recordset(${json}::json) as r(business_id uuid, id uuid, text text, before text)`
      : sql`(select value ->> 'business_id' as business_id, value ->> 'id' as id, value ->> 'text' as text,
                    value ->> 'before' as before
               from json_each(${json})) as r`
  if (changed.length > 0)
    await sql`update bookings set client_search = r.text from ${values}
               where bookings.business_id = r.business_id and bookings.id = r.id
                 and bookings.client_search = r.before`.execute(db) // a client may be corrected in the meantime
  return rows.length === max ? rows.at(-1) : undefined
}

async function nextWithMarks(
  db: Kysely<unknown>,
  engine: Engine,
  { after, max }: { after: Searched | undefined; max: number },
): Promise<Searched[]> {
  const hasMarks =
    engine === 'postgres'
      ? sql`client_search ~ ${'[^\\x01-\\x7f]'}`
      : sql`client_search glob ${'*[^\x01-\x7f]*'}`
  const following = after ? sql`and (business_id, id) > (${after.business_id}, ${after.id})` : sql``
  const { rows } = await sql<Searched>`
    select business_id, id, client_search as text from bookings
     where ${hasMarks} ${following} order by business_id, id limit ${max}`.execute(db)
  return rows
}

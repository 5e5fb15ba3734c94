import { type Kysely, sql } from 'kysely'
import { searchText } from '../../base/search-text.ts'
import type { Engine } from '../database.ts'

const batchRows = 1_000

interface Searched {
  business_id: string
  id: string
  text: string
}

/**
 * Clients are found by plain letters: texts of earlier releases are brought to that, else nobody with an accent would be
 * found. Those of ASCII are so already. The triggers of `bookings` bring `client_texts` along.
 */
export async function plainLetters(db: Kysely<unknown>, engine: Engine): Promise<void> {
  let rows: Searched[] = []
  do {
    rows = await nextWithMarks(db, engine, rows.at(-1))
    const changed = rows
      .map((row) => ({ ...row, text: searchText(row.text) }))
      .filter(({ text }, index) => text !== rows[index]?.text)
    const json = JSON.stringify(changed)
    const values =
      engine === 'postgres'
        ? sql`json_to_recordset(${json}::json) as r(business_id uuid, id uuid, text text)`
        : sql`(select value ->> 'business_id' as business_id, value ->> 'id' as id, value ->> 'text' as text
                 from json_each(${json})) as r`
    if (changed.length > 0)
      await sql`update bookings set client_search = r.text from ${values}
                 where bookings.business_id = r.business_id and bookings.id = r.id`.execute(db)
  } while (rows.length === batchRows)
}

async function nextWithMarks(
  db: Kysely<unknown>,
  engine: Engine,
  after: Searched | undefined,
): Promise<Searched[]> {
  const hasMarks =
    engine === 'postgres'
      ? sql`client_search ~ ${'[^\\x01-\\x7f]'}`
      : sql`client_search glob ${'*[^\x01-\x7f]*'}`
  const following = after ? sql`and (business_id, id) > (${after.business_id}, ${after.id})` : sql``
  const { rows } = await sql<Searched>`
    select business_id, id, client_search as text from bookings
     where ${hasMarks} ${following} order by business_id, id limit ${batchRows}`.execute(db)
  return rows
}

import { sql, type Kysely } from 'kysely'
import { timeZoneNamed } from '../../instants.ts'
import type { Engine } from '../database.ts'
import { columnTypes, type ColumnTypes } from './column-types.ts'

/**
 * Bookings in the order of their start, what is searched of their clients, and marks of those who did not come. Zones
 * are spelled as the tz database does.
 */
export async function bookingsFound(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const types = columnTypes(engine)
  const statements = [
    `drop index bookings_by_start`,
    `create index bookings_by_start on bookings (business_id, starts_at, id)`,
    `alter table bookings add column client_search text not null default ''`,
    `alter table bookings add column ${types.instant('no_show_at')}
       check (no_show_at is null or status = 'completed')`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
  await fillSearch(db, types)
  for (const table of ['businesses', 'locations']) await respellZones(db, table)
}

interface ClientRow {
  business_id: string
  id: string
  client_first_name: string
  client_last_name: string
  client_email: string
  client_phone: string | null
}

const rowsAtOnce = 500

/** In JavaScript, as SQLite knows the lower case of ASCII letters only. */
async function fillSearch(db: Kysely<unknown>, { id }: ColumnTypes): Promise<void> {
  let after: ClientRow | undefined
  for (;;) {
    const beyond = after ? sql`where (business_id, id) > (${after.business_id}, ${after.id})` : sql``
    const { rows } = await sql<ClientRow>`
      select business_id, id, client_first_name, client_last_name, client_email, client_phone
        from bookings ${beyond} order by business_id, id limit ${sql.lit(rowsAtOnce)}`.execute(db)
    after = rows.at(-1)
    if (!after) return
    const found = rows.map(
      (row) =>
        sql`(cast(${row.business_id} as ${sql.raw(id)}), cast(${row.id} as ${sql.raw(id)}), cast(${searchText(row)} as text))`,
    )
    await sql`
      with found (business_id, id, client_search) as (values ${sql.join(found)})
      update bookings set client_search = found.client_search from found
       where bookings.business_id = found.business_id and bookings.id = found.id`.execute(db)
  }
}

function searchText(row: ClientRow): string {
  const phone = row.client_phone ?? ''
  const parts = [`${row.client_first_name} ${row.client_last_name}`, row.client_email, phone]
  return [...parts, phone.replace(/\D/g, '')].join('\n').toLowerCase()
}

async function respellZones(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ timezone: string }>`select distinct timezone from ${sql.table(table)}`.execute(
    db,
  )
  for (const { timezone } of rows) {
    const spelled = timeZoneNamed(timezone) ?? timezone
    if (spelled === timezone) continue
    await sql`update ${sql.table(table)} set timezone = ${spelled} where timezone = ${timezone}`.execute(db)
  }
}

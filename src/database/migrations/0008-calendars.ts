import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Feeds: secret URLs at which calendar programs read bookings. */
export async function calendars(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const statement of feedTable(engine)) await sql.raw(statement).execute(db)
}

function feedTable(engine: Engine): string[] {
  const { id, instant, table } = columnTypes(engine)
  return [
    table(
      'feeds',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       place integer not null check (place between 0 and 19),
       staff_id ${id},
       location_id ${id},
       detail text not null check (detail in ('busy', 'full')),
       digest text not null unique,
       revision integer not null default 1,
       ${instant('created_at')} not null,
       check (staff_id is null or location_id is null),
       unique (business_id, place),
       foreign key (business_id, location_id) references locations (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
  ]
}

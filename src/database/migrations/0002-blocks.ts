import { sql, type Kysely } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Times that nobody can book, and the version by which a node sees that the catalogue it remembers has changed. */
export async function blocks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    `alter table businesses add column catalogue_version integer not null default 1`,
    table(
      'blocks',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       location_id ${id},
       staff_id ${id},
       ${instant('starts_at')} not null,
       ${instant('ends_at')} not null,
       reason text,
       ${instant('created_at')} not null,
       check (ends_at > starts_at),
       check ((location_id is null) <> (staff_id is null)),
       foreign key (business_id, location_id) references locations (business_id, id),
       foreign key (business_id, staff_id) references staff (business_id, id)`,
    ),
    `create index blocks_by_start on blocks (business_id, starts_at, id)`,
    // those that are over, however many, cost a look at what is free nothing
    `create index blocks_by_location on blocks (location_id, ends_at) where location_id is not null`,
    `create index blocks_by_staff on blocks (staff_id, ends_at) where staff_id is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

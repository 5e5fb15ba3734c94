import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/** Pictures of a business, and the cover of its booking page. */
export async function images(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, instant, table } = columnTypes(engine)
  const statements = [
    table(
      'images',
      `id ${id} primary key,
       business_id ${id} not null references businesses (id),
       place integer not null check (place between 0 and 199),
       digest text not null check (length(digest) = 64),
       media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/webp')),
       content text not null check (length(content) between 1 and 700000),
       ${instant('unnamed_since')},
       ${instant('check_at')} not null,
       ${instant('created_at')} not null,
       unique (business_id, place),
       unique (business_id, digest)`,
    ),
    `create index images_by_digest on images (digest)`,
    `create index images_to_check on images (check_at)`,
    `create index services_by_image on services (business_id, image_url) where image_url is not null`,
    `create index staff_by_image on staff (business_id, image_url) where image_url is not null`,
    `alter table businesses add column cover_url text`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'

/** Slugs for links to booking pages. Descriptions and positions for lists of services and people. */
export async function links(db: Kysely<unknown>, _engine: Engine): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const slug = `slug text check (length(slug) between 3 and 60)`
const position = `position integer check (position between 1 and 9999)`

/** Rows without a position come last (`listOrder` in src/catalogue/catalogue-queries.ts). */
const inOrder = `(business_id, coalesce(position, 10000), name, id)`

const statements = [
  `alter table businesses add column phone text`,
  `alter table businesses add column ${slug}`,
  `create unique index businesses_by_slug on businesses (slug) where slug is not null`,
  `alter table services add column ${slug}`,
  `alter table services add column ${position}`,
  `alter table services add column category text`,
  `alter table services add column image_url text`,
  `create unique index services_by_slug on services (business_id, slug) where slug is not null`,
  `create index services_in_order on services ${inOrder}`,
  `drop index services_by_name`,
  `alter table staff add column ${slug}`,
  `alter table staff add column ${position}`,
  `alter table staff add column description text`,
  `alter table staff add column image_url text`,
  `create unique index staff_by_slug on staff (business_id, slug) where slug is not null`,
  `create index staff_in_order on staff ${inOrder}`,
  `drop index staff_by_name`,
]

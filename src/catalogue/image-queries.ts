import { sql } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { ImagesTable } from '../database/tables.ts'
import { maxImages } from './image-rules.ts'

/** Marks pictures as named, and returns the digests of those that the business has. */
export async function touchImages(
  db: Queries,
  { businessId, digests, checkAt }: { businessId: string; digests: readonly string[]; checkAt: Instant },
): Promise<string[]> {
  const rows = await db
    .updateTable('images')
    .set({ unnamed_since: null, check_at: checkAt })
    .where('business_id', '=', businessId)
    .where('digest', 'in', [...digests])
    .returning('digest')
    .execute()
  return rows.map(({ digest }) => digest)
}

export async function findImageId(
  db: Reads,
  { businessId, digest }: { businessId: string; digest: string },
): Promise<string | undefined> {
  const found = await db
    .selectFrom('images')
    .select('id')
    .where('business_id', '=', businessId)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return found?.id
}

/** Inserts a picture in the first free place of its business. Returns false if there is none. */
export async function insertImage(db: Queries, image: Omit<ImagesTable, 'place'>): Promise<boolean> {
  const taken = await db
    .selectFrom('images')
    .select('place')
    .where('business_id', '=', image.business_id)
    .execute()
  const used = new Set(taken.map(({ place }) => place))
  const place = Array.from({ length: maxImages }, (_, index) => index).find((one) => !used.has(one))
  if (place === undefined) return false
  await db
    .insertInto('images')
    .values({ ...image, place })
    .execute()
  return true
}

/** Finds a picture by its address, which is public: only those who have seen the picture know its digest. */
export function findImage(
  db: Reads,
  digest: string,
): Promise<Pick<ImagesTable, 'media_type' | 'content'> | undefined> {
  return db
    .selectFrom('images')
    .select(['media_type', 'content'])
    .where('digest', '=', digest)
    .limit(1)
    .executeTakeFirst()
}

/** True if the business or an item of its catalogue shows the picture. */
const isNamed = sql<boolean>`(
  exists (select 1 from services as s
           where s.business_id = images.business_id and s.image_url = '/images/' || images.digest)
  or exists (select 1 from staff as p
              where p.business_id = images.business_id and p.image_url = '/images/' || images.digest)
  or exists (select 1 from businesses as b
              where b.id = images.business_id
                and '/images/' || images.digest in (b.brand_logo_url, b.cover_url)))`

interface Check {
  now: Instant
  /** Pictures without a name since then are deleted. */
  dayAgo: Instant
  tomorrow: Instant
  soon: Instant
  max: number
}

/**
 * Checks the pictures that are due, at most `max`, and returns their number. A picture that is named at the same time
 * stays: its row is locked, and its new `check_at` is not due.
 */
export async function checkImages(db: Queries, { now, dayAgo, tomorrow, soon, max }: Check): Promise<number> {
  const due = await db
    .selectFrom('images')
    .select('id')
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(max)
    .execute()
  if (due.length === 0) return 0
  const ids = due.map(({ id }) => id)
  await db
    .deleteFrom('images')
    .where('id', 'in', ids)
    .where('check_at', '<=', now)
    .where('unnamed_since', '<=', dayAgo)
    .where(sql<boolean>`not ${isNamed}`)
    .execute()
  await db
    .updateTable('images')
    .set({ unnamed_since: now, check_at: tomorrow })
    .where('id', 'in', ids)
    .where('check_at', '<=', now)
    .where('unnamed_since', 'is', null)
    .where(sql<boolean>`not ${isNamed}`)
    .execute()
  await db
    .updateTable('images')
    .set({ unnamed_since: null, check_at: soon })
    .where('id', 'in', ids)
    .where('check_at', '<=', now)
    .execute()
  return due.length
}

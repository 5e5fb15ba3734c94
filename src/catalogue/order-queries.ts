import { sql } from 'kysely'
import type { Queries } from '../database/database.ts'
import { listOrder } from './catalogue-queries.ts'

/** Returns the active services of a business in list order. */
export function findOrder(db: Queries, businessId: string) {
  return db
    .selectFrom('services as s')
    .select(['s.id', 's.category', 's.position'])
    .where('s.business_id', '=', businessId)
    .where('s.deactivated_at', 'is', null)
    .orderBy(sql.join(listOrder('s')))
    .execute()
}

/** Services in one statement. */
const atOnce = 200

/** Sets the positions of services. */
export async function savePositions(
  db: Queries,
  businessId: string,
  changed: readonly { id: string; position: number }[],
): Promise<void> {
  for (let from = 0; from < changed.length; from += atOnce) {
    const part = changed.slice(from, from + atOnce)
    const cases = part.map(({ id, position }) => sql`when ${id} then ${sql.lit(position)}`)
    await db
      .updateTable('services')
      .set({ position: sql<number>`case cast(id as text) ${sql.join(cases, sql` `)} end` })
      .where('business_id', '=', businessId)
      .where(
        'id',
        'in',
        part.map(({ id }) => id),
      )
      .execute()
  }
}

import { type Kysely, sql } from 'kysely'
import type { Engine } from '../database.ts'
import { columnTypes } from './column-types.ts'

/**
 * Brand and last four digits of saved cards, and the removal of a card at the processor. The check keeps whole card
 * numbers out. Lost disputes are found by their time.
 */
export async function cardDetails(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { instant } = columnTypes(engine)
  const columns = [
    `card_brand text check (length(card_brand) <= 40)`,
    `card_last_four text check (length(card_last_four) = 4)`,
    instant('card_read_at'),
    instant('card_removal_requested_at'),
    instant('card_removed_at'),
  ]
  for (const column of columns) await sql.raw(`alter table payments add column ${column}`).execute(db)
  await sql`
    create index payments_by_dispute on payments (business_id, disputed_at) where dispute = 'lost'`.execute(
    db,
  )
}

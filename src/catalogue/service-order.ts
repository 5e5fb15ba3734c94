import type { Context } from '../access/context.ts'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem } from '../base/errors.ts'
import { businessForCreation } from './catalogue.ts'
import { raiseCatalogueVersion } from './catalogue-queries.ts'
import { findOrder, savePositions } from './order-queries.ts'
import { type Move, moved } from './order-rules.ts'

/**
 * Moves a service in the list, and gives all active ones their position. Throws not_found for a service of
 * another business.
 */
export async function moveService(
  context: Context,
  by: Actor,
  { businessId, move }: { businessId: string; move: Move },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const { id } = await businessForCreation(tx.db, by.scope, businessId)
    await raiseCatalogueVersion(tx.db, id) // also locks the order
    const before = await findOrder(tx.db, id)
    if (!before.some((one) => one.id === move.id)) throw new Problem('not_found', 'There is no such service.')
    const changed = moved(before, move).flatMap((one, index) =>
      one.position === index + 1 ? [] : [{ id: one.id, position: index + 1 }],
    )
    if (changed.length === 0) return
    await savePositions(tx.db, id, changed)
    await recordAudit(context, tx, { by, action: 'service.updated', subjectId: move.id, businessId: id })
  })
}

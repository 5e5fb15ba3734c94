import { isSession, type Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import type { Queries } from '../database/database.ts'
import { Problem } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { findHold, type HoldRow } from './hold-queries.ts'
import { holdStatus, type HoldStatus } from './hold-rules.ts'

/**
 * A hold that the caller may see and act on: its session's own, for business and hub keys any in their
 * reach. Throws hold_not_found.
 */
export async function holdOf(db: Queries, actor: Actor, id: string): Promise<HoldRow> {
  const ownerId = isSession(actor) ? actor.ownerId : undefined
  const hold = isUuid(id) ? await findHold(db, actor.reach, { id: id.toLowerCase(), ownerId }) : undefined
  if (!hold) throw new Problem('hold_not_found', 'There is no hold with this id.')
  return hold
}

/** A hold and what has become of it. Throws hold_not_found. */
export async function showHold(
  context: Context,
  actor: Actor,
  id: string,
): Promise<{ hold: HoldRow; status: HoldStatus }> {
  const hold = await holdOf(context.db.reads, actor, id)
  return { hold, status: holdStatus(hold, context.clock.now()) }
}

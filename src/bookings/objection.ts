import type { Actor } from '../access/actor.ts'
import { explainSlot } from '../availability/availability.ts'
import type { Instant } from '../base/instants.ts'
import type { Context } from './context.ts'
import { type Act, type Objection, objectionTo } from './objection-rules.ts'

/** A time that the business requests. */
export interface AskedTime {
  service_id: string
  location_id: string
  staff_id?: string
  starts_at: Instant
}

/** The time of several services, which `items` names as the query of availability does. */
export type AskedVisit = Pick<AskedTime, 'location_id' | 'starts_at'> & { items: string }

/**
 * Finds the objection to a time that a client could not take. It is final, or people of the business may
 * ignore it. Undefined without one. `item` is the number from 0 of the service of a visit. `changes` is the ID of a
 * booking that gets these services at its present start. Throws not_found.
 */
export async function findObjection(
  context: Context,
  actor: Actor,
  { act, time, changes }: { act: Act; time: AskedTime | AskedVisit; changes?: string },
): Promise<(Objection & { item?: number }) | undefined> {
  const explained = await explainSlot(context, actor, time, { changes })
  // people choose a minute on purpose, such as now; only what lies behind it is worth a warning
  const isOffGrid = actor.type === 'person' && explained.reason === 'not_on_grid' && 'service_id' in time
  const { reason, item } = isOffGrid
    ? await explainSlot(context, actor, time, { changes, atAnyMinute: true })
    : explained
  const objection = objectionTo(act, reason, { startsAt: time.starts_at, now: context.clock.now() })
  return objection && { ...objection, ...(item !== undefined && { item }) }
}

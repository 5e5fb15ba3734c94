import type { Context as AccessContext } from '../access/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** The dependencies of operations on webhooks and bookings. */
export interface Context extends AccessContext {
  dueDeliveries: DueSignal
}

import type { Context as AccessContext } from '../access/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** What operations of webhooks and bookings are handed. */
export interface Context extends AccessContext {
  dueDeliveries: DueSignal
}

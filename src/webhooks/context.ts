import type { Context as AccessContext } from '../access/context.ts'
import type { DeliverySignal } from './delivery-signal.ts'

/** What operations of webhooks and bookings are handed. */
export interface Context extends AccessContext {
  dueDeliveries: DeliverySignal
}

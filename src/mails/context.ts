import type { Context as WebhooksContext } from '../webhooks/context.ts'
import type { DeliverySignal } from '../webhooks/delivery-signal.ts'

/** Adds the signal that mails are due. */
export interface Context extends WebhooksContext {
  dueMails: DeliverySignal
}

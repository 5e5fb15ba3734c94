import type { Context as WebhooksContext } from '../webhooks/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** Adds the signal for due emails. */
export interface Context extends WebhooksContext {
  dueMails: DueSignal
}

import type { Context as WebhooksContext } from '../webhooks/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** Adds the signal that mails are due. */
export interface Context extends WebhooksContext {
  dueMails: DueSignal
}

import type { Context as WebhooksContext } from '../webhooks/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** Adds the signals for due emails and text messages. */
export interface Context extends WebhooksContext {
  dueMails: DueSignal
  dueTexts: DueSignal
}

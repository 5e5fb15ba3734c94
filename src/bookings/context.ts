import type { Context as WebhooksContext } from '../webhooks/context.ts'
import type { Checkouts } from './checkouts.ts'

/** Adds the checkouts of deposits, which `payments/` implements. */
export interface Context extends WebhooksContext {
  checkouts: Checkouts
}

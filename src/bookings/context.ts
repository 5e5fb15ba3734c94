import type { Context as MailsContext } from '../mails/context.ts'
import type { Checkouts } from './checkouts.ts'

/** Adds the checkouts of deposits, which `payments/` implements. */
export interface Context extends MailsContext {
  checkouts: Checkouts
}

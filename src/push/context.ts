import type { Context as MailsContext } from '../mails/context.ts'
import type { DueSignal } from '../database/lease-loop.ts'

/** Adds the signal for due notifications. */
export interface Context extends MailsContext {
  duePushes: DueSignal
}

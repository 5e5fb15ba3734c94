import type { DueSignal } from '../database/lease-loop.ts'
import type { Context as PushContext } from '../push/context.ts'
import type { Checkouts } from './checkouts.ts'

/** Adds the checkouts of deposits, which `payments/` implements, and the signals for the waiting list and busy calendars. */
export interface Context extends PushContext {
  checkouts: Checkouts
  dueOffers: DueSignal
  dueCalendars: DueSignal
}

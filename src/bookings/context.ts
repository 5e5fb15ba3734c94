import type { Context as PushContext } from '../push/context.ts'
import type { Checkouts } from './checkouts.ts'

/** Adds the checkouts of deposits, which `payments/` implements. */
export interface Context extends PushContext {
  checkouts: Checkouts
}

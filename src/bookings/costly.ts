import { type TurnLimits, Turns } from '../base/turns.ts'
import type { Context } from './context.ts'

/** What costs the serving thread so much that a business has one of it at a time. */
type CostlyKind = 'calendar' | 'numbers' | 'export' | 'feed'

/**
 * A calendar waits for the others of its business: each of its visible pages asks again after every change. Exports last as
 * long as their clients read, so they take nobody else's turn.
 */
const limits: Record<CostlyKind, TurnLimits> = {
  calendar: { owners: 2, waiting: 32, busy: 'Many calendars of this business are being read.' },
  numbers: { owners: 1, waiting: 8, busy: 'Numbers of this business are being counted.' },
  export: { waiting: 8, busy: 'Bookings of this business are being exported.' },
  feed: { owners: 1, waiting: 20, busy: 'Feeds of this business are being read.' },
}

const known = new WeakMap<object, Record<CostlyKind, Turns>>()

/** The turns of all businesses of a server. */
export function turnsFor({ db }: Pick<Context, 'db'>, kind: CostlyKind): Turns {
  const turns = known.get(db.reads) ?? {
    calendar: new Turns(limits.calendar),
    numbers: new Turns(limits.numbers),
    export: new Turns(limits.export),
    feed: new Turns(limits.feed),
  }
  known.set(db.reads, turns)
  return turns[kind]
}

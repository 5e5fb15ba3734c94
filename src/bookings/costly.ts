import { type TurnLimits, Turns } from '../base/turns.ts'
import type { Context } from './context.ts'

/** Kinds of requests that occupy the thread so much that each business may run one at a time. */
type CostlyKind = 'calendar' | 'numbers' | 'export' | 'import' | 'feed'

/**
 * Limits of each kind. Calendars of a business wait for each other, because each visible page polls after
 * every change. Exports last as long as their clients read, so they do not block other businesses.
 */
const limits: Record<CostlyKind, TurnLimits> = {
  calendar: { owners: 2, waiting: 32, busy: 'Many calendars of this business are being read.' },
  numbers: { owners: 1, waiting: 8, busy: 'Numbers of this business are being counted.' },
  export: { waiting: 8, busy: 'Bookings of this business are being exported.' },
  import: { owners: 2, waiting: 4, busy: 'Clients of this business are being imported.' },
  feed: { owners: 1, waiting: 20, busy: 'Feeds of this business are being read.' },
}

const known = new WeakMap<object, Record<CostlyKind, Turns>>()

/** Returns the queues of all businesses of a server. */
export function turnsFor({ db }: Pick<Context, 'db'>, kind: CostlyKind): Turns {
  const turns = known.get(db.reads) ?? {
    calendar: new Turns(limits.calendar),
    numbers: new Turns(limits.numbers),
    export: new Turns(limits.export),
    import: new Turns(limits.import),
    feed: new Turns(limits.feed),
  }
  known.set(db.reads, turns)
  return turns[kind]
}

/** What can become of a hold. That it lapses is nobody's act, and is not counted. */
export const holdOutcomes = ['placed', 'replaced', 'released', 'converted'] as const
/** One of them. */
export type HoldOutcome = (typeof holdOutcomes)[number]

/** What can become of a booking: the events of the same names. */
export const bookingOutcomes = ['created', 'updated', 'cancelled', 'completed'] as const
/** One of them. */
export type BookingOutcome = (typeof bookingOutcomes)[number]

/** How an attempt to deliver, or a delivery, has ended. */
export const deliveryOutcomes = ['succeeded', 'failed'] as const
/** One of them. */
export type DeliveryOutcome = (typeof deliveryOutcomes)[number]

/** An answer, in words of which there is only a bounded number: patterns and codes, no addresses, ids or keys. */
export interface CountedAnswer {
  method: string
  /** The pattern of the route; `unknown` for every path that has none. */
  route: string
  status: number
  /** From the arrival of the headers to the end of the answer; absent for what never became a request. */
  seconds?: number
  /** The code of the problem with which it was refused. */
  problem?: string | undefined
}

/** What the service counts about itself for those who watch it. Counting cannot fail. */
export interface Metrics {
  answered(answer: CountedAnswer): void
  /** Called once the change is committed. */
  hold(outcome: HoldOutcome, count?: number): void
  /** Called once the change is committed. */
  booking(outcome: BookingOutcome): void
  /** An attempt to deliver an event, and how long the exchange took. */
  attempt(outcome: DeliveryOutcome, seconds: number): void
  /** A delivery that is over: the event has arrived, or no attempt is left. */
  delivery(outcome: DeliveryOutcome): void
  /** Whether requests are counted in memory alone because what the servers share is away. */
  sharedLimitsAway(away: boolean): void
}

/** Counts nothing: for the command line, which nobody scrapes. */
export const uncounted: Metrics = {
  answered: () => undefined,
  hold: () => undefined,
  booking: () => undefined,
  attempt: () => undefined,
  delivery: () => undefined,
  sharedLimitsAway: () => undefined,
}

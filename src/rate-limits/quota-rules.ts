import type { Caller } from '../access/actor.ts'
import type { PlanName } from '../database/tables.ts'

/** Whose requests are counted together, and how many are allowed in each window. */
export interface Quota {
  /** What is counted: counts of different kinds never meet. */
  kind: 'key' | 'exchange' | 'stranger'
  /** Of a key the id of the key or session token; else the IPv4 address or IPv6 /64. */
  id: string
  perMinute: number
  /** Null where there is no limit for the hour. */
  perHour: number | null
}

/** Limits of each key and each session token (specification: Limits; contract, section 9). */
const ofPlan: Record<PlanName, { perMinute: number; perHour: number }> = {
  growth: { perMinute: 30, perHour: 300 },
  pro: { perMinute: 60, perHour: 1_000 },
  enterprise: { perMinute: 600, perHour: 20_000 },
}

const exchangesPerMinute = 20
const strangersPerMinute = 60

/** A limit times RATE_LIMIT_FACTOR, at least 1; in whole millionths, because 20 × 1.15 is 22.999… as a number. */
export function multiplied(limit: number, factor: number): number {
  return Math.max(1, Math.floor(Math.round(limit * factor * 1e6) / 1e6))
}

/** The quota of a key or session token: that of its plan; on Enterprise the figures of the business, where it has some. */
export function quotaOfKey(
  { keyId, plan, ownLimits }: Pick<Caller, 'keyId' | 'plan' | 'ownLimits'>,
  factor: number,
): Quota {
  const own = plan === 'enterprise' ? ownLimits : undefined
  const { perMinute, perHour } = ofPlan[plan]
  return {
    kind: 'key',
    id: keyId,
    perMinute: multiplied(own?.perMinute ?? perMinute, factor),
    perHour: multiplied(own?.perHour ?? perHour, factor),
  }
}

/** The quota of an address for exchanging keys for sessions: the same on all plans. */
export function quotaOfExchange(clientNetwork: string, factor: number): Quota {
  return {
    kind: 'exchange',
    id: clientNetwork,
    perMinute: multiplied(exchangesPerMinute, factor),
    perHour: null,
  }
}

/** The quota of an address for requests without a valid key. */
export function quotaOfStranger(clientNetwork: string, factor: number): Quota {
  return {
    kind: 'stranger',
    id: clientNetwork,
    perMinute: multiplied(strangersPerMinute, factor),
    perHour: null,
  }
}

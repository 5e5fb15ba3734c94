import type { Caller } from '../access/actor.ts'
import type { PlanName } from '../database/tables.ts'

/** Whose requests are counted together, and how many are allowed in each window. */
export interface Quota {
  /** What is counted: counts of different kinds never meet. */
  kind: 'key' | 'sessions' | 'exchange' | 'stranger'
  /** Of a key the id of the key or session token; else the IPv4 address, IPv6 /64 or IPv6 /48, of sessions after their business. */
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

/** Where a request comes from: its IPv4 address or IPv6 /64, and of IPv6 the /48 around it. */
export interface ClientNetworks {
  network: string
  widerNetwork: string | null
}

/** All sessions of an address together may make so many times the requests of one. */
const sessionsOfAddress = 5
/** What an IPv6 /48 may, in times of what a /64 of it may. */
export const widerNetworkFactor = 4

/**
 * What a request with a valid key is counted by: the key, and for a session also its address (null: one that its business
 * trusts), together with the other sessions of its business from there. What one business is asked leaves the limits
 * of the others alone.
 */
export function quotasOfCaller(
  caller: Pick<Caller, 'type' | 'keyId' | 'plan' | 'ownLimits' | 'reach'>,
  client: ClientNetworks | null,
  factor: number,
): Quota[] {
  const ofKey = quotaOfKey(caller, factor)
  if (!client || caller.type !== 'session' || !('businessId' in caller.reach)) return [ofKey]
  const own = quotaOfKey(caller, 1).perMinute
  const together = { kind: 'sessions', perMinute: sessionsOfAddress * own } as const
  return [ofKey, ...quotasOfNetworks(together, client, { factor, within: caller.reach.businessId })]
}

/** What an exchange of a key for a session is counted by: the address, and the same on all plans. */
export function quotasOfExchange(client: ClientNetworks, factor: number): Quota[] {
  return quotasOfNetworks({ kind: 'exchange', perMinute: exchangesPerMinute }, client, { factor })
}

/** What a request without a valid key is counted by: the address. */
export function quotasOfStranger(client: ClientNetworks, factor: number): Quota[] {
  return quotasOfNetworks({ kind: 'stranger', perMinute: strangersPerMinute }, client, { factor })
}

function quotasOfNetworks(
  { kind, perMinute }: Pick<Quota, 'kind' | 'perMinute'>,
  { network, widerNetwork }: ClientNetworks,
  { factor, within }: { factor: number; within?: string },
): Quota[] {
  const quotaOf = (id: string, times: number) => ({
    kind,
    id: within === undefined ? id : `${within}:${id}`,
    perMinute: multiplied(times * perMinute, factor),
    perHour: null,
  })
  const ofNetwork = quotaOf(network, 1)
  return widerNetwork === null ? [ofNetwork] : [ofNetwork, quotaOf(widerNetwork, widerNetworkFactor)]
}

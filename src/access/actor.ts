import { Problem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { TokenType } from '../base/token-types.ts'
import type { PlanName } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'

interface ActorParts {
  /** The ID of the key or session. */
  keyId: string
  /** Owns its holds and bookings: the key's ID, or the ID that a session keeps when refreshed. */
  ownerId: string
  scope: TenantScope
  plan: PlanName
  /** The last four characters of the token, for logs and people. */
  lastFour: string
  /** Websites that may use the token from a browser; null for any. */
  allowedOrigins: string[] | null
  /** Replace the request limits of the Enterprise plan; null for the plan's. */
  ownLimits: { perMinute: number | null; perHour: number | null }
}

/** A caller with a valid publishable key or session token. */
export interface WidgetActor extends ActorParts {
  type: 'publishable' | 'session'
  scope: { businessId: string }
  /** When the token ends; null for a publishable key. */
  expiresAt: Instant | null
  /** Address ranges that the business trusts: sessions from there share no rate limit. */
  trustedNetworks: string[]
}

/** A caller with a valid business or hub key. */
export interface KeyActor extends ActorParts {
  type: 'business' | 'hub'
}

/** The client of one booking, by its manage link: sees, moves and cancels that booking, and nothing else. */
export interface ManageActor extends ActorParts {
  type: 'manage'
  scope: { businessId: string }
  bookingId: string
  /** When the link ends: a day after the booking. */
  endsAt: Instant
}

/** The operator at the command line, with access to every business. */
interface OperatorActor extends ActorParts {
  type: 'operator'
}

/** Authenticated by the bearer token of an HTTP request. */
export type Caller = WidgetActor | KeyActor | ManageActor

export type Actor = Caller | OperatorActor

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route with `access`. */
    actor: Caller
  }
  interface FastifyContextConfig {
    /** The key types that may call the route; absent on routes that need no key. */
    access?: readonly TokenType[]
    /** The plan that every caller of the route needs. */
    plan?: 'enterprise'
  }
}

/** From the lowest to the highest. */
export const planNames = ['growth', 'pro', 'enterprise'] as const satisfies readonly PlanName[]

/** Has no token, so no network request can act as it. */
export const operator: OperatorActor = {
  type: 'operator',
  keyId: 'operator',
  ownerId: '00000000-0000-0000-0000-000000000000',
  scope: { everything: true },
  plan: 'enterprise',
  lastFour: 'none',
  allowedOrigins: null,
  ownLimits: { perMinute: null, perHour: null },
}

/** Whether the caller is a visitor rather than the business itself. */
export function isSession(actor: Actor): actor is WidgetActor {
  return actor.type === 'session'
}

/** The higher plan of a business and its hub. */
export function effectivePlan(own: PlanName, hub: PlanName | null): PlanName {
  if (!hub) return own
  return planNames.indexOf(hub) > planNames.indexOf(own) ? hub : own
}

/**
 * Throws, in this order, key_type_not_allowed, plan_required or origin_not_allowed. Business and hub keys need
 * Enterprise for every route.
 */
export function assertMayCall(
  actor: Caller,
  allowedTypes: readonly TokenType[],
  origin: string | undefined,
): void {
  if (!allowedTypes.includes(actor.type)) {
    const last = allowedTypes.at(-1) ?? ''
    const list = allowedTypes.length > 1 ? `${allowedTypes.slice(0, -1).join(', ')} or ${last}` : last
    throw new Problem(
      'key_type_not_allowed',
      `A ${actor.type} token may not do this; it needs one of type ${list}.`,
      { extensions: { allowed_key_types: allowedTypes } },
    )
  }
  if ((actor.type === 'business' || actor.type === 'hub') && actor.plan !== 'enterprise') {
    throw new Problem(
      'plan_required',
      `${actor.type === 'hub' ? 'Hub' : 'Business'} keys need the Enterprise plan.`,
      { extensions: { required_plan: 'enterprise' } },
    )
  }
  if (origin !== undefined && actor.allowedOrigins && !actor.allowedOrigins.includes(origin)) {
    throw new Problem(
      'origin_not_allowed',
      'The website that sends this request is not among those allowed for the key.',
    )
  }
}

import type { PlanName } from '../database/tables.ts'
import type { Reach } from '../database/reach.ts'
import type { Instant } from '../instants.ts'
import type { TokenType } from './token-format.ts'

interface ActorParts {
  /** The id of the key, or of the session token. */
  keyId: string
  /** What it places belongs to this id: the key's own, or the one that a session keeps over refreshes. */
  ownerId: string
  reach: Reach
  plan: PlanName
  /** The last four characters of its token, for logs and people. */
  lastFour: string
  /** Websites that may use it from a browser; null for any. */
  allowedOrigins: string[] | null
  /** What its business has in place of the Enterprise plan's limits on requests; null for the plan's. */
  ownLimits: { perMinute: number | null; perHour: number | null }
}

/** A caller with a valid publishable key or session token: always of one business. */
export interface WidgetActor extends ActorParts {
  type: 'publishable' | 'session'
  reach: { businessId: string }
  /** When the token ends; null for a publishable key. */
  expiresAt: Instant | null
  /** Address ranges that its business trusts: from there its sessions are counted one by one. */
  trustedNetworks: string[]
}

/** A caller with a valid business or hub key. */
export interface KeyActor extends ActorParts {
  type: 'business' | 'hub'
}

/** The operator at the command line: for every business, on every plan. */
export interface OperatorActor extends ActorParts {
  type: 'operator'
}

/** Who calls over HTTP, as the bearer token says: known before anything of the request is acted upon. */
export type Caller = WidgetActor | KeyActor

/** Who acts. */
export type Actor = Caller | OperatorActor

/** Whether the caller is somebody's browser or visitor rather than the business itself. */
export function isSession(actor: Actor): actor is WidgetActor {
  return actor.type === 'session'
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that names key types in its `access`. */
    actor: Caller
  }
  interface FastifyContextConfig {
    /** The key types that may call the route; absent on routes that need no key. */
    access?: readonly TokenType[]
    /** The plan that the route needs, whoever calls. */
    plan?: 'enterprise'
  }
}

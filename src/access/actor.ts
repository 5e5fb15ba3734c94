import { Problem } from '../base/errors.ts'
import type { Instant } from '../base/instants.ts'
import type { KeyScope } from '../base/key-scopes.ts'
import type { TokenType } from '../base/token-types.ts'
import type { PersonRole, PlanName, ProgramScope } from '../database/tables.ts'
import type { TenantScope } from '../database/tenant-scope.ts'
import { coversScopes } from '../http/route-scopes.ts'

interface ActorParts {
  /** The ID of the key or session. */
  keyId: string
  /** Owner of its holds and bookings: the key's ID, or the ID that a session keeps when refreshed. */
  ownerId: string
  scope: TenantScope
  plan: PlanName
  /** The last four characters of the token, for logs and people. */
  lastFour: string
  /** Websites that may use the token from a browser. Null for any. */
  allowedOrigins: string[] | null
  /** The request that the actor makes, for the audit log. Absent without a request. */
  via?: { address: string | null; requestId: string }
  /** True if the business is a test business. Its clock is read at each request. */
  isTest?: boolean
  /** Overrides the request limits of the Enterprise plan. Null for the plan's. */
  ownLimits: { perMinute: number | null; perHour: number | null }
}

/** A caller with a valid publishable key or session token. */
export interface WidgetActor extends ActorParts {
  type: 'publishable' | 'session'
  scope: { businessId: string }
  /** End of the token. Null for a publishable key. */
  expiresAt: Instant | null
  /** Address ranges that the business trusts. Sessions from there share no rate limit. */
  trustedNetworks: string[]
}

/** A caller with a valid business or hub key. */
export interface KeyActor extends ActorParts {
  type: 'business' | 'hub'
  /** The parts of the API that it may use. Null for all. */
  scopes: readonly KeyScope[] | null
  expiresAt: Instant | null
}

/** The client of one booking, with its manage link. Can see, move and cancel that booking only. */
export interface ManageActor extends ActorParts {
  type: 'manage'
  scope: { businessId: string }
  bookingId: string
  /** End of the link, a day after the booking. */
  endsAt: Instant
}

/**
 * A logged-in person, acting under one of their memberships. `keyId` is the ID of the membership, `ownerId` and
 * `userId` that of the person.
 */
export interface PersonActor extends ActorParts {
  type: 'person'
  scope: { businessId: string } | { hubId: string }
  userId: string
  logInId: string
  name: string
  email: string
  role: PersonRole
  /** The staff member whose calendar belongs to the person. Never null for the role staff. */
  staffId: string | null
  /** Set if a program acts for the person, with a token. `keyId` and `logInId` are then the ID of its grant. */
  grant?: { id: string; program: string; scope: ProgramScope }
}

/** The operator at the command line, with access to every business. */
interface OperatorActor extends ActorParts {
  type: 'operator'
}

/** Authenticated by the bearer token of an HTTP request, or by the cookie of a log-in. */
export type Caller = WidgetActor | KeyActor | ManageActor | PersonActor

export type Actor = Caller | OperatorActor

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route with `access`. */
    actor: Caller
  }
  interface FastifyContextConfig {
    /** The key types that may call the route. Absent on routes that need no key. */
    access?: readonly TokenType[]
    /** The lowest role of people who may call it. Absent if people may not call it. */
    people?: PersonRole
    /** True if programs that people have allowed may call it, for them. */
    programs?: true
    /** The plan that every caller of the route needs. */
    plan?: 'enterprise'
  }
}

/** From the lowest to the highest. */
export const planNames = ['growth', 'pro', 'enterprise'] as const satisfies readonly PlanName[]

/** From the lowest to the highest. */
export const personRoles = [
  'staff',
  'front_desk',
  'manager',
  'owner',
] as const satisfies readonly PersonRole[]

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

/** True for a program that acts for a person. */
export function isProgram(actor: Actor): actor is PersonActor & Required<Pick<PersonActor, 'grant'>> {
  return actor.type === 'person' && actor.grant !== undefined
}

/** True for a caller who sees and changes the appointments of one staff member only. */
export function isStaff(actor: Actor): actor is PersonActor & { staffId: string } {
  return actor.type === 'person' && actor.role === 'staff'
}

/** True for a person with a role or a higher one. */
export function hasRole(person: Pick<PersonActor, 'role'>, least: PersonRole): boolean {
  return personRoles.indexOf(person.role) >= personRoles.indexOf(least)
}

/**
 * Throws key_type_not_allowed for people with a lower role. A key of the business has the permissions of its owners.
 */
export function assertRole(actor: Actor, role: PersonRole): void {
  if (actor.type === 'person') assertPersonMay(actor, { access: ['business', 'hub'], people: role })
}

/** Throws not_found for another person's calendar if the caller may access only their own. */
export function assertOwnCalendar(actor: Actor, staffId: string | null): void {
  if (isStaff(actor) && actor.staffId !== staffId)
    throw new Problem('not_found', 'There is no staff member with this id.')
}

/** Returns the only staff member whose time the caller may give; undefined if there is no such limit. */
export function onlyStaffId(actor: Actor): string | undefined {
  return isStaff(actor) ? actor.staffId : undefined
}

/** True for a visitor, false for the business itself. */
export function isSession(actor: Actor): actor is WidgetActor {
  return actor.type === 'session'
}

/** The columns of a person, of a log-in or of the grant of a program. */
interface PersonRow {
  /** The log-in or grant. */
  id: string
  user_id: string
  name: string
  email: string
  role: PersonRole
  staff_id: string | null
}

/** Returns the actor of a person in a place. */
export function personActor(
  { id, user_id: userId, name, email, role, staff_id: staffId }: PersonRow,
  place: Pick<PersonActor, 'keyId' | 'scope' | 'plan'>,
): PersonActor {
  return {
    ...{ type: 'person', ...place, ownerId: userId, userId, logInId: id, name, email, role, staffId },
    ...{ lastFour: 'none', allowedOrigins: null, ownLimits: { perMinute: null, perHour: null } },
  }
}

/** Returns the higher plan of a business and its hub. */
export function effectivePlan(own: PlanName, hub: PlanName | null): PlanName {
  if (!hub) return own
  return planNames.indexOf(hub) > planNames.indexOf(own) ? hub : own
}

/** A route's requirements for its callers. */
interface RouteAccess {
  access: readonly TokenType[]
  people?: PersonRole | undefined
  plan?: 'enterprise' | undefined
  /** The scopes that open the route to a limited key. Absent or empty: only `all` opens it. */
  scopes?: readonly KeyScope[]
}

/**
 * Throws, in this order, key_type_not_allowed, plan_required, insufficient_scope or origin_not_allowed. Business and hub keys need
 * Enterprise for every route. People need it for routes whose plan is Enterprise.
 */
export function assertMayCall(actor: Caller, route: RouteAccess, origin: string | undefined): void {
  if (actor.type === 'person') {
    assertPersonMay(actor, route)
    return
  }
  const { access } = route
  if (!access.includes(actor.type)) {
    const needed = access.length > 0 ? `one of type ${listed(access)}` : 'a person who is logged in'
    const first = actor.type === 'publishable' && access.includes('session')
    const hint = first ? ' Exchange the publishable key for a session token first: POST /api/v1/session.' : ''
    throw notAllowed(`A ${actor.type} token may not do this; it needs ${needed}.${hint}`, access)
  }
  if (actor.type === 'business' || actor.type === 'hub') assertKeyMay(actor, route.scopes ?? [])
  if (origin !== undefined && actor.allowedOrigins && !actor.allowedOrigins.includes(origin)) {
    throw new Problem(
      'origin_not_allowed',
      'The website that sends this request is not among those allowed for the key.',
    )
  }
}

function assertKeyMay({ type, plan, scopes }: KeyActor, needed: readonly KeyScope[]): void {
  if (plan !== 'enterprise')
    throw needsEnterprise(`${type === 'hub' ? 'Hub' : 'Business'} keys need the Enterprise plan.`)
  if (coversScopes(scopes, needed)) return
  const required_scopes: readonly KeyScope[] = needed.length > 0 ? needed : ['all']
  throw new Problem(
    'insufficient_scope',
    `The key is limited to ${listed(scopes ?? [], 'and')}; this needs ${listed(required_scopes)}.`,
    {
      extensions: { required_scopes },
      headers: {
        'www-authenticate': `Bearer error="insufficient_scope", scope="${required_scopes.join(' ')}"`,
      },
    },
  )
}

function assertPersonMay(person: PersonActor, { access, people, plan }: RouteAccess): void {
  if (people === undefined)
    throw notAllowed(
      `People who are logged in may not do this; it needs a token of type ${listed(access)}.`,
      access,
    )
  assertRoleOf(person, people, access)
  if (access.length > 0 && 'businessId' in person.scope && !access.includes('business'))
    throw notAllowed('People of one business may not do this; it needs a person of the hub.', access)
  if (plan === 'enterprise' && person.plan !== 'enterprise')
    throw needsEnterprise('This needs the Enterprise plan.')
}

/** Throws key_type_not_allowed for a person below the role. */
function assertRoleOf(person: PersonActor, least: PersonRole, access: readonly TokenType[]): void {
  const allowed = personRoles.slice(personRoles.indexOf(least))
  if (!allowed.includes(person.role))
    throw notAllowed(`The role ${person.role} may not do this; it needs the role ${listed(allowed)}.`, access)
}

function notAllowed(detail: string, allowed_key_types: readonly TokenType[]): Problem {
  return new Problem('key_type_not_allowed', detail, { extensions: { allowed_key_types } })
}

/** Creates a 403 for a feature that the plan does not include. */
export function needsEnterprise(detail: string): Problem {
  return new Problem('plan_required', detail, { extensions: { required_plan: 'enterprise' } })
}

function listed(words: readonly string[], between: 'and' | 'or' = 'or'): string {
  const last = words.at(-1) ?? ''
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${between} ${last}` : last
}

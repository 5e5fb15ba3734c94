import { isEmail } from '../base/contact-formats.ts'
import { plusSeconds, secondsUntil } from '../base/instants.ts'
import type { ClientAddress } from '../base/client-network.ts'
import type { Transaction } from '../database/database.ts'
import type { UsersTable } from '../database/tables.ts'
import { effectivePlan, personActor, operator, type PersonActor } from './actor.ts'
import type { Author } from './audit.ts'
import type { Context } from './context.ts'
import { knownDevice } from './device.ts'
import { deleteEmailChangeOf, findInvitations } from './invitation-queries.ts'
import type { Invitee } from './invitation.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { linkTokens } from './person-link.ts'
import { passwordFault, type PasswordFault } from './password-rules.ts'
import {
  confirmPendingLogIn,
  deleteLinksOf,
  endLogIn,
  endLogInsOf,
  findActivePlaces,
  findAnyPlace,
  findLink,
  findLogIn,
  findPendingLogIn,
  findUserByEmail,
  findUser,
  findUserOfLogIn,
  insertLogIn,
  isKnownNetwork,
  lockUser,
  takeLink,
  takeRecoveryCode,
  takeTotpStep,
  updateLogIn,
  updateUser,
} from './person-queries.ts'
import { makeFirstOwner, type NewOwner } from './first-owner.ts'
import {
  endPasskeysOf,
  endSecondStepOf,
  isPersonName,
  personEmail,
  recordOfPerson,
  typedEmail,
} from './person.ts'
import { endGrants } from './program-grant.ts'
import { quotaOfCodes, quotasOfFirstTry, quotasOfLogIn, quotasOfWish } from './rate-limit-rules.ts'
import type { RateLimiter } from './rate-limits.ts'
import { isPersonToken, newToken, tokenDigest } from './token.ts'
import { plainCode, recoveryDigest, totpStep } from './totp.ts'

/** A log-in ends this long after the last request of its browser. */
const idleSeconds = 12 * 3_600
/** A log-in ends this long after its beginning. */
export const maxLogInSeconds = 14 * 86_400
/** Requests of a log-in write their time at most this often. */
const seenSeconds = 300
/** Time limit for the second step. */
const secondStepSeconds = 600
const knownNetworkSeconds = 30 * 86_400
const maxDeviceLength = 60

/** The origin of a log-in. */
export interface LogInOrigin {
  client: ClientAddress
  /** The browser's description of itself (`User-Agent`). */
  userAgent: string
  /** The marks of the browser (`device.ts`). */
  devices: string | undefined
  requestId: string
}

/** Returns a person who is about to log in as an author, for the audit log. */
function authorOf({ id, name }: Pick<UsersTable, 'id' | 'name'>, { client, requestId }: LogInOrigin): Author {
  return { type: 'person', userId: id, name, via: { address: client.address, requestId } }
}

/** Too many attempts. */
export interface Limited {
  outcome: 'limited'
  retryAfterSeconds: number
}

/** The outcome of a log-in attempt. */
type LogInResult =
  | { outcome: 'in'; token: string; email: string }
  /** The token is valid for the second step only. */
  | { outcome: 'code'; token: string }
  /** Nobody has that address and password. */
  | { outcome: 'refused' }
  | Limited

/** The outcome of setting a password with a link. */
export type LinkResult =
  /** The token of the log-in. Undefined for a person who now has to log in with a code. */
  | { outcome: 'set'; token: string | undefined; email: string }
  /** The link never existed, was used, or has expired. */
  | { outcome: 'ended' }
  | { outcome: 'fault'; fault: 'email' | 'name' | `password_${PasswordFault}` }
  | Limited

/**
 * Finds the person of a log-in token. Returns undefined if the log-in has ended or was idle for twelve hours, or if the
 * person was disabled. The database is read each time, so this applies on every server at once.
 */
export async function findPerson(context: Context, token: string): Promise<PersonActor | undefined> {
  if (!isPersonToken(token, 'login')) return undefined
  const found = await findLogIn(context.db.reads, tokenDigest(token))
  const now = context.clock.now()
  if (!found || found.expires_at <= now) return undefined
  const idle = secondsUntil(found.last_seen_at, now)
  if (idle > idleSeconds) return undefined
  if (found.place_disabled_at) return movedElsewhere(context, token, found)
  if (idle > seenSeconds)
    await context.db.transaction((tx) => updateLogIn(tx.db, found.id, { last_seen_at: tx.now }))
  const scope = found.hub_id === null ? { businessId: found.business_id ?? '' } : { hubId: found.hub_id }
  const plan = found.business_plan
    ? effectivePlan(found.business_plan, found.hub_plan)
    : (found.hub_plan ?? 'growth') // the schema requires one or the other
  return { ...personActor(found, { keyId: found.place_id, scope, plan }), isTest: found.is_test === 1 }
}

/** Switches to another place of the person after the present one was disabled. */
async function movedElsewhere(
  context: Context,
  token: string,
  { id, user_id }: { id: string; user_id: string },
): Promise<PersonActor | undefined> {
  const [place] = await findActivePlaces(context.db.reads, user_id)
  if (!place) return undefined
  await context.db.transaction((tx) => updateLogIn(tx.db, id, { place_id: place.id }))
  return findPerson(context, token)
}

/**
 * Returns the logged-in person, including one who has no access yet but an invitation. Returns undefined if nobody is
 * logged in.
 */
export async function findInvitee(
  context: Context,
  token: string,
): Promise<(Invitee & { email: string; email_proved_at: UsersTable['email_proved_at'] }) | undefined> {
  if (!isPersonToken(token, 'login')) return undefined
  const found = await findUserOfLogIn(context.db.reads, tokenDigest(token))
  const now = context.clock.now()
  if (!found || found.expires_at <= now || secondsUntil(found.last_seen_at, now) > idleSeconds)
    return undefined
  const { id: logInId, user_id: userId, name, email, email_proved_at } = found
  return { userId, logInId, name, email, email_proved_at }
}

/** A place where a person may act. */
export interface PersonPlace {
  id: string
  /** Name of the business or hub. */
  name: string
  isPresent: boolean
  scope: { businessId: string } | { hubId: string }
}

/** Lists the places of a person: hubs, then businesses, the oldest first. */
export async function placesOf(context: Context, person: PersonActor): Promise<PersonPlace[]> {
  const places = await findActivePlaces(context.db.reads, person.userId)
  return places.map(({ id, business_id, business_name, hub_id, hub_name }) => ({
    id,
    name: business_name ?? hub_name ?? '',
    isPresent: id === person.keyId,
    scope: hub_id === null ? { businessId: business_id ?? '' } : { hubId: hub_id }, // the schema requires one of them
  }))
}

/** Switches a log-in to another place of the person. Returns false if they have no such place. */
export async function goTo(context: Context, person: PersonActor, placeId: string): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    const places = await findActivePlaces(tx.db, person.userId)
    const place = places.find(({ id }) => id === placeId)
    if (place) await updateLogIn(tx.db, person.logInId, { place_id: place.id })
    return place !== undefined
  })
}

/**
 * Logs a person in. An unknown address costs the same work as a wrong password and gets the same result. Attempts are
 * limited by address, and by address and account. A limit by account applies to networks and browsers in which the
 * person has not logged in recently. So strangers slow down nobody but themselves. Throws unavailable when too many
 * people log in.
 */
export async function logIn(
  context: Context,
  limiter: RateLimiter,
  { email, password, origin }: { email: string; password: string; origin: LogInOrigin },
): Promise<LogInResult> {
  const address = typedEmail(email)
  const user = await findUserByEmail(context.db.reads, address)
  const limited = await limitedTries(context, limiter, { email: address, origin })
  if (limited) return limited
  const isRight = await verifyPassword(password, user?.password_hash ?? null)
  if (!user || !isRight || user.disabled_at) return { outcome: 'refused' }
  const token = newToken('login', context.ids)
  return context.db.transaction(async (tx): Promise<LogInResult> => {
    const present = await findUser(tx.db, user.id) // may have been disabled or given another password in the meantime
    if (!present || present.disabled_at || present.password_hash !== user.password_hash)
      return { outcome: 'refused' }
    const needsCode = present.totp_since !== null
    const isIn = await beginLogIn(context, tx, { userId: user.id, token, origin, needsCode })
    if (!isIn) return { outcome: 'refused' }
    return needsCode ? { outcome: 'code', token } : { outcome: 'in', token, email: user.email }
  })
}

/**
 * Completes the second step of a log-in with a code of the authenticator or a recovery code, each of which works once.
 * The log-in gets a new token.
 */
export async function confirmLogIn(
  context: Context,
  limiter: RateLimiter,
  { token, code, origin }: { token: string; code: string; origin: LogInOrigin },
): Promise<LogInResult> {
  const found = await findPendingLogIn(context.db.reads, tokenDigest(token), context.clock.now())
  if (!found) return { outcome: 'refused' }
  const quotas = [quotaOfCodes(found.user_id, context.config.rateLimitFactor)]
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  if (!allowed) return { outcome: 'limited', retryAfterSeconds }
  const confirmed = newToken('login', context.ids)
  const isIn = await context.db.transaction(async (tx) => {
    if (!(await takeCode(context, tx, { userId: found.user_id, code, origin }))) return false
    return confirmPendingLogIn(tx.db, found.id, {
      digest: tokenDigest(confirmed),
      now: tx.now,
      expiresAt: plusSeconds(tx.now, maxLogInSeconds),
    })
  })
  return isIn ? { outcome: 'in', token: confirmed, email: found.email } : { outcome: 'code', token }
}

/** Uses up a code. If two requests try at once, one gets it. */
async function takeCode(
  context: Pick<Context, 'clock' | 'ids'>,
  tx: Transaction,
  { userId, code, origin }: { userId: string; code: string; origin: LogInOrigin },
): Promise<boolean> {
  const user = await findUser(tx.db, userId)
  if (!user?.totp_secret || !user.totp_since || user.disabled_at) return false
  const plain = plainCode(code)
  const nowMs = context.clock.nowMs()
  const step = totpStep(user.totp_secret, plain, { nowMs, lastStep: user.totp_step })
  if (step !== undefined) return takeTotpStep(tx.db, userId, step)
  if (!(await takeRecoveryCode(tx.db, userId, { digest: recoveryDigest(plain), now: tx.now }))) return false
  const by = authorOf(user, origin)
  await recordOfPerson(context, tx, { by, action: 'user.recovery_code_used', userId })
  return true
}

/** Counts a request for a new password by email, including for an address that nobody has. */
export async function limitedWishes(
  context: Context,
  limiter: RateLimiter,
  { email, origin }: { email: string; origin: LogInOrigin },
): Promise<Limited | undefined> {
  return limitedTries(context, limiter, { email: typedEmail(email), origin, quotasOf: quotasOfWish })
}

/** Counts an attempt on an account, including one that does not exist. */
export async function limitedTries(
  context: Context,
  limiter: RateLimiter,
  {
    email,
    origin,
    quotasOf = quotasOfLogIn,
  }: { email: string; origin: LogInOrigin; quotasOf?: typeof quotasOfLogIn },
): Promise<Limited | undefined> {
  const since = plusSeconds(context.clock.now(), -knownNetworkSeconds)
  const { network } = origin.client
  // runs for unknown accounts, too: the same statements
  const isKnown = await isKnownNetwork(context.db.reads, email, { network, since })
  const device = await knownDevice(context, email, origin.devices)
  const account = (await context.secret.digester('log-in'))(email)
  const tried = { account, isKnown, device }
  const factor = context.config.rateLimitFactor
  const { allowed, retryAfterSeconds } = await limiter.count(quotasOf(origin.client, tried, factor))
  if (allowed) return undefined
  // strangers may have used up the account's shared limit, so a network without attempts gets one separately
  const first = quotasOf === quotasOfLogIn ? quotasOfFirstTry(origin.client, tried, factor) : []
  if (first.length > 0 && (await limiter.count(first)).allowed) return undefined
  return { outcome: 'limited', retryAfterSeconds }
}

interface NewLogIn {
  userId: string
  token: string
  origin: LogInOrigin
  needsCode: boolean
}

/** Begins a log-in. Returns false if the person has lost every place and has no invitation. */
export async function beginLogIn(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { userId, token, origin, needsCode }: NewLogIn,
): Promise<boolean> {
  const [active] = await findActivePlaces(tx.db, userId)
  const place = active ?? (await placeOfInvited(tx, userId))
  if (!place) return false
  await insertLogIn(tx.db, {
    id: context.ids.next(),
    user_id: userId,
    place_id: place.id,
    digest: tokenDigest(token),
    device: deviceOf(origin.userAgent),
    address: origin.client.address,
    network: origin.client.network,
    created_at: tx.now,
    confirmed_at: needsCode ? null : tx.now,
    last_seen_at: tx.now,
    expires_at: plusSeconds(tx.now, needsCode ? secondStepSeconds : maxLogInSeconds),
    ended_at: null,
  })
  return true
}

/**
 * Finds a place for the log-in of a person who can only accept an invitation. It may be one where they are disabled,
 * because every log-in needs a place.
 */
async function placeOfInvited(tx: Transaction, userId: string): Promise<{ id: string } | undefined> {
  const user = await findUser(tx.db, userId)
  if (!user || user.email_proved_at === null) return undefined
  const open = { scope: operator.scope, email: user.email, expiresAfter: tx.now, max: 1 }
  return (await findInvitations(tx.db, open)).length > 0 ? findAnyPlace(tx.db, userId) : undefined
}

/** Ends a log-in on every server at once. Does nothing if it has already ended. */
export async function logOut(context: Context, token: string): Promise<void> {
  if (!isPersonToken(token, 'login')) return
  await context.db.transaction((tx) => endLogIn(tx.db, tokenDigest(token), tx.now))
}

/**
 * Sets a password with a link, ends the person's log-ins, passkeys, programs and other links, and logs them in. An
 * emailed link proves the address. The first such proof also removes the second step, because another person may have set up the account. A
 * link delivered by another person proves nothing and ends an earlier proof. `owner` creates the first owner with their
 * business. If two requests run at once, one sets a password. Throws unavailable when too many people log in.
 */
export async function setPasswordByLink(
  context: Context,
  limiter: RateLimiter,
  {
    token: link,
    password,
    owner,
    origin,
  }: {
    token: string
    password: string
    owner?: NewOwner | undefined
    origin: LogInOrigin
  },
): Promise<LinkResult> {
  const quotas = quotasOfLogIn(origin.client, undefined, context.config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  if (!allowed) return { outcome: 'limited', retryAfterSeconds }
  const found = isPersonToken(link, 'link')
    ? await findLink(context.db.reads, tokenDigest(link), context.clock.now())
    : undefined
  if (!found || (found.user_id === null) !== (owner !== undefined)) return { outcome: 'ended' }
  if (found.user_id !== null && !(await mayBeUsed(context, found.id, link))) return { outcome: 'ended' }
  const user = found.user_id === null ? undefined : await findUser(context.db.reads, found.user_id)
  const email = user?.email ?? personEmail(owner?.email ?? '')
  if (!isEmail(email)) return { outcome: 'fault', fault: 'email' }
  if (owner && !isPersonName(owner.name)) return { outcome: 'fault', fault: 'name' }
  const fault = passwordFault(password, { email })
  if (fault !== undefined) return { outcome: 'fault', fault: `password_${fault}` }
  const hash = await hashPassword(password, context.ids)
  const token = newToken('login', context.ids)
  return context.db.transaction(async (tx): Promise<LinkResult> => {
    // locked before the link, in the same order as an acceptance of an invitation
    if (found.user_id !== null) await lockUser(tx.db, found.user_id)
    const taken = await takeLink(tx.db, tokenDigest(link), tx.now)
    if (!taken) return { outcome: 'ended' }
    const userId = taken.user_id ?? (await makeFirstOwner(context, tx, { name: '', ...owner, email }))
    const present = userId === null ? undefined : await findUser(tx.db, userId)
    if (!present || present.disabled_at) return { outcome: 'ended' }
    const by = authorOf(present, origin)
    const isProof = taken.proves_address === 1
    const isFirstProof = isProof && present.email_proved_at === null
    if (isFirstProof) await endSecondStepOf(context, tx, { by, userId: present.id })
    await updateUser(tx.db, present.id, {
      ...{ password_hash: hash, password_set_at: tx.now },
      email_proved_at: isProof ? (present.email_proved_at ?? tx.now) : null,
    })
    await endLogInsOf(tx.db, present.id, { now: tx.now })
    // a stranger who knew the old password may have added some
    await endPasskeysOf(context, tx, { by, userId: present.id })
    await endGrants(context, tx, { by, userId: present.id })
    await deleteLinksOf(tx.db, present.id)
    await deleteEmailChangeOf(tx.db, present.id)
    await recordOfPerson(context, tx, { by, action: 'user.password_set', userId: present.id })
    if (isFirstProof)
      await recordOfPerson(context, tx, { by, action: 'user.address_proved', userId: present.id })
    // a link is one step, not two
    if (present.totp_since && !isFirstProof) return { outcome: 'set', token: undefined, email }
    const isIn = await beginLogIn(context, tx, { userId: present.id, token, origin, needsCode: false })
    return { outcome: 'set', token: isIn ? token : undefined, email }
  })
}

/** With OIDC_ONLY, only links of the command line work. */
async function mayBeUsed(context: Context, linkId: string, token: string): Promise<boolean> {
  return !context.config.oidcOnly || (await linkTokens(context, 'operator link'))(linkId) === token
}

const browsers: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /Chrome\/|\bCriOS\//],
  ['Safari', /\bSafari\//],
]
const systems: [name: string, mark: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** Returns a description such as "Firefox on Linux", by which a person recognises a log-in. Unknown text is cut off. */
export function deviceOf(userAgent: string): string {
  const text = userAgent.slice(0, 500)
  const nameIn = (marks: [string, RegExp][]) => marks.find(([, mark]) => mark.test(text))?.[0]
  const browser = nameIn(browsers)
  const system = nameIn(systems)
  if (browser && system) return `${browser} on ${system}`
  return (browser ?? system ?? text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, maxDeviceLength)) || 'unknown'
}

import type { PlanName } from '../database/tables.ts'
import type { Caller, PersonActor } from './actor.ts'
import type { CountResult, Quota, Window, Windows } from './rate-limit-types.ts'

/** A quota with its windows, as far as they are known. */
interface QuotaState {
  quota: Quota
  windows: Windows | undefined
}

/** The window that a response reports. */
export interface TightestWindow {
  kind: Quota['kind']
  unit: 'minute' | 'hour'
  limit: number
  remaining: number
  resetsAtMs: number
}

/** A request's origin: its IPv4 address or IPv6 /64, and for IPv6 the surrounding /48. */
interface ClientNetworks {
  network: string
  widerNetwork: string | null
}

export const minuteMs = 60_000
export const hourMs = 3_600_000

/** Limits of each key and each session token. */
export const planLimits: Record<PlanName, { perMinute: number; perHour: number }> = {
  growth: { perMinute: 30, perHour: 300 },
  pro: { perMinute: 60, perHour: 1_000 },
  enterprise: { perMinute: 600, perHour: 20_000 },
}

const exchangesPerMinute = 20
const looksPerMinute = 600
/** Higher than other limits, because a booking page first loads without its initial data. */
const visitsPerMinute = 1_200
/**
 * Log-in attempts: from one address, on one account from one address, and on one account from addresses unknown to it.
 */
const logInsPerMinute = 20
const triesPerMinute = 5
const triesPerHour = 30
const unknownTriesPerMinute = 30
/** For networks that try the account for the first time within an hour, after the limits above are used up. */
const firstTriesPerHour = 600
/** Emails for a new password: to one person at the request of one address, and of all addresses unknown to them. */
const wishesPerHour = 3
/** Links to clients' pages that one business sends in an hour. */
const clientLinksOfBusiness = 300
const anonymousPerMinute = 60
/** Registrations of programs: of one address, and of all together. They bound the rows that wait for a person. */
const registrationsPerMinute = 10
const registrationsPerHour = 60
const registrationsOfAll = 1_000
/** Requests for tokens. Providers of agents send those of many people from few addresses. */
const tokensPerMinute = 300
/** Emails that people have sent to an address within an hour: on behalf of one business or hub, and of all. */
const mailsToAddress = 3
const mailsToAddressOfAll = 12
/** Emails that one business or hub, and one person, have sent to all addresses within an hour. */
const mailsOfSender = 60
/** Attempts of one business or hub to connect a mail server or an account of a payment processor. */
const trialsPerMinute = 5
const trialsPerHour = 30
/** Emails to clients that keys and people of one business cause within an hour. Further ones wait. */
const clientMailsPerHour: Record<PlanName, number> = { growth: 500, pro: 2_000, enterprise: 10_000 }

/**
 * Emails to `notify_emails` of one business within an hour. Five addresses get at most twenty each, so only a business
 * that keeps changing them reaches it. Further ones wait.
 */
const noticesPerHour = 120

/** Codes of coupons that visitors from one address may try at one business. */
const codesPerMinute = 10

/** All sessions from one address together may make this many times the requests of one. */
const sessionsOfAddress = 5

/** An IPv6 /48 may make this many times the requests of one of its /64s. */
export const widerNetworkFactor = 4

/** Counts a request in all windows of its quotas, or in none if one is full. */
export function countRequest(states: readonly QuotaState[], nowMs: number): CountResult {
  const now = states.map(({ quota, windows }) => ({ quota, open: openWindows(windows, nowMs) }))
  const counted = now.every(
    ({ quota, open }) =>
      (open.minute?.used ?? 0) < quota.perMinute &&
      (quota.perHour === null || (open.hour?.used ?? 0) < quota.perHour),
  )
  if (!counted) return { counted, windows: now.map(({ open }) => open) }
  const windows = now.map(({ quota, open }) => ({
    minute: incremented(open.minute, nowMs + minuteMs),
    hour: quota.perHour === null ? null : incremented(open.hour, nowMs + hourMs),
  }))
  return { counted, windows }
}

function incremented(open: Window | null, endsAtMs: number): Window {
  return open ? { ...open, used: open.used + 1 } : { used: 1, endsAtMs }
}

/** Drops windows that have ended. */
export function openWindows(windows: Windows | undefined, nowMs: number): Windows {
  return {
    minute: openOrNull(windows?.minute, minuteMs, nowMs),
    hour: openOrNull(windows?.hour, hourMs, nowMs),
  }
}

function openOrNull(window: Window | null | undefined, lengthMs: number, nowMs: number): Window | null {
  return window && window.endsAtMs > nowMs && window.endsAtMs <= latestEndMs(lengthMs, nowMs) ? window : null
}

/**
 * Returns the latest end that a window of this length can have. A later end comes from a clock that was set back since.
 * It would lock its caller out for too long. The clock of a server may run ahead by the length.
 */
export function latestEndMs(lengthMs: number, nowMs: number): number {
  return nowMs + 2 * lengthMs
}

/**
 * Returns the window with the fewest requests left, or of several the one that resets last. For a refused request,
 * returns the full window that resets last. There is at least one quota.
 */
export function tightestWindow(states: readonly QuotaState[], nowMs: number): TightestWindow {
  let tightest: TightestWindow | undefined
  for (const { quota, windows } of states) {
    tightest = tighter(tightest, reported(quota, windows?.minute, { unit: 'minute', nowMs }))
    if (quota.perHour === null) continue
    tightest = tighter(tightest, reported(quota, windows?.hour, { unit: 'hour', nowMs }))
  }
  if (!tightest) throw new TypeError('a request without a quota')
  return tightest
}

function tighter(one: TightestWindow | undefined, other: TightestWindow): TightestWindow {
  if (!one) return other
  if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other
  return one.resetsAtMs > other.resetsAtMs ? one : other
}

function reported(
  { kind, perMinute, perHour }: Quota,
  window: Window | null | undefined,
  { unit, nowMs }: { unit: TightestWindow['unit']; nowMs: number },
): TightestWindow {
  const limit = unit === 'minute' ? perMinute : (perHour ?? 0)
  return {
    kind,
    unit,
    limit,
    // after a downgrade of the plan, usage may exceed the limit
    remaining: Math.max(0, limit - (window?.used ?? 0)),
    // a closed window would open with a request now
    resetsAtMs: window?.endsAtMs ?? nowMs + (unit === 'minute' ? minuteMs : hourMs),
  }
}

/** Whole seconds, at least one, until the window resets. */
export function retryAfterSeconds({ resetsAtMs }: TightestWindow, nowMs: number): number {
  return Math.max(1, Math.ceil((resetsAtMs - nowMs) / 1000))
}

/**
 * Returns the quotas of a request with a valid key: the key's, and for a session also its address's. Sessions of one
 * business from the same address share the latter. Therefore no business uses up the limits of others. Null for an
 * address that the business trusts.
 */
export function quotasOfCaller(
  caller: LimitedCaller & Pick<Caller, 'scope'>,
  client: ClientNetworks | null,
  factor: number,
): Quota[] {
  const ofKey = quotaOfKey(caller, factor)
  if (!client || caller.type !== 'session' || !('businessId' in caller.scope)) return [ofKey]
  const perMinute = sessionsOfAddress * quotaOfKey(caller, 1).perMinute
  const within = caller.scope.businessId
  return [ofKey, ...quotasOfNetworks({ kind: 'sessions', perMinute }, client, { factor, within })]
}

type LimitedCaller = Pick<Caller, 'type' | 'keyId' | 'plan' | 'ownLimits'> & Pick<PersonActor, 'grant'>

/**
 * Returns the quota of a key or session token from its plan. On Enterprise, figures of the business take precedence. A
 * person has the Enterprise quota on every plan, for all their log-ins together. No plan limits how often its owner
 * looks at the calendar. A program that acts for them has the quota of the plan, apart from theirs.
 */
export function quotaOfKey(
  { type, keyId, plan: ofPlan, ownLimits, grant }: LimitedCaller,
  factor: number,
): Quota {
  const plan = type === 'person' && !grant ? 'enterprise' : ofPlan
  const own = plan === 'enterprise' ? ownLimits : undefined
  const { perMinute, perHour } = planLimits[plan]
  return {
    kind: 'key',
    id: keyId,
    perMinute: scaledLimit(own?.perMinute ?? perMinute, factor),
    perHour: scaledLimit(own?.perHour ?? perHour, factor),
  }
}

/** Returns the quotas for exchanging a key for a session: by address, and equal on all plans. */
export function quotasOfExchange(client: ClientNetworks, factor: number): Quota[] {
  return quotasOfNetworks({ kind: 'exchange', perMinute: exchangesPerMinute }, client, { factor })
}

/**
 * Returns the quotas of reads without a session: initial data of booking pages, feeds, and pages for visitors. Also of
 * reports about calendars by strangers. By address, and equal on all plans.
 */
export function quotasOfLook(
  kind: 'start' | 'feed' | 'page' | 'push',
  client: ClientNetworks,
  factor: number,
): Quota[] {
  return quotasOfNetworks({ kind, perMinute: kind === 'page' ? visitsPerMinute : looksPerMinute }, client, {
    factor,
  })
}

/**
 * Returns the quotas of a log-in attempt or, without an account, of setting a password with a link. The account's quota
 * counts only attempts from networks without a recent log-in of the person. It is larger than one address can use up.
 */
export function quotasOfLogIn(
  client: ClientNetworks,
  account: TriedAccount | undefined,
  factor: number,
): Quota[] {
  const ofAddress = quotasOfNetworks({ kind: 'login', perMinute: logInsPerMinute }, client, { factor })
  if (!account) return ofAddress
  const { account: id, isKnown, device } = account
  return [
    ...ofAddress,
    quotaOfTries(client, account, factor),
    ...(isKnown || device !== undefined
      ? []
      : [quotaOfAccount(id, { perMinute: unknownTriesPerMinute, perHour: null }, factor)]),
  ]
}

/** Counts attempts on one account from one network, or in one browser in which its person has logged in. */
function quotaOfTries(client: ClientNetworks, { account: id, device }: TriedAccount, factor: number): Quota {
  const limits = { perMinute: triesPerMinute, perHour: triesPerHour }
  return quotaOfAccount(`${id}:${device ?? client.network}`, limits, factor)
}

/**
 * Returns extra quotas for the first attempt of a network on this account within the hour. They apply after strangers
 * have used up the account's quota. Each further guess thus takes a new network. Empty for known networks and browsers,
 * which do not share that quota.
 */
export function quotasOfFirstTry(client: ClientNetworks, tried: TriedAccount, factor: number): Quota[] {
  const { account: id, isKnown, device } = tried
  if (isKnown || device !== undefined) return []
  const network = client.widerNetwork ?? client.network
  const limitsOf = (limit: number) => ({ perMinute: limit, perHour: limit })
  return [
    ...quotasOfLogIn(client, undefined, factor),
    quotaOfTries(client, tried, factor),
    quotaOfAccount(`first:${id}:${network}`, limitsOf(1), factor),
    quotaOfAccount(`first:${id}`, limitsOf(firstTriesPerHour), factor),
  ]
}

/** Returns the quotas of an attempt with the code of a coupon: by business and address. */
export function quotasOfCoupons(client: ClientNetworks, businessId: string, factor: number): Quota[] {
  return quotasOfNetworks({ kind: 'start', perMinute: codesPerMinute }, client, {
    factor,
    within: `coupons:${businessId}`,
  })
}

/** Returns the quotas of an email that a person has sent to an address, such as an invitation. */
export function quotasOfMail(
  { userId, place, address }: { userId: string; place: string; address: string },
  factor: number,
): Quota[] {
  const quotaOf = (id: string, limit: number): Quota => ({
    kind: 'mail',
    id,
    perMinute: scaledLimit(limit, factor),
    perHour: scaledLimit(limit, factor),
  })
  return [
    quotaOf(`to:${place}:${address}`, mailsToAddress),
    quotaOf(`to:${address}`, mailsToAddressOfAll),
    quotaOf(`of:${place}`, mailsOfSender),
    quotaOf(`of:${userId}`, mailsOfSender),
  ]
}

/** Returns the quota of attempts to connect an account, which would let an owner guess passwords elsewhere. */
export function quotaOfTrial(place: string, factor: number): Quota {
  const [perMinute, perHour] = [scaledLimit(trialsPerMinute, factor), scaledLimit(trialsPerHour, factor)]
  return { kind: 'mail', id: `trial:${place}`, perMinute, perHour }
}

/** Returns the quota of an email to a client that a key or a person of the business caused. */
export function quotaOfClientMail(
  { businessId, plan }: { businessId: string; plan: PlanName },
  factor: number,
): Quota {
  const limit = scaledLimit(clientMailsPerHour[plan], factor)
  return { kind: 'mail', id: `clients:${businessId}`, perMinute: limit, perHour: limit }
}

/** Returns the quotas of a text message: of its business, and of all businesses of the server. */
export function quotasOfText(
  { businessId, plan }: { businessId: string; plan: PlanName },
  { rateLimitFactor: factor, smsPerHour }: { rateLimitFactor: number; smsPerHour: number },
): { ofBusiness: Quota; ofServer: Quota } {
  const quotaOf = (id: string, limit: number): Quota => ({
    kind: 'mail',
    id,
    perMinute: limit,
    perHour: limit,
  })
  return {
    ofBusiness: quotaOf(`texts:${businessId}`, scaledLimit(clientMailsPerHour[plan], factor)),
    ofServer: quotaOf('texts', smsPerHour),
  }
}

/** Returns the quota of an email to one of a business's `notify_emails`. */
export function quotaOfNotice(businessId: string, factor: number): Quota {
  const limit = scaledLimit(noticesPerHour, factor)
  return { kind: 'mail', id: `notices:${businessId}`, perMinute: limit, perHour: limit }
}

/**
 * Returns the quotas of a request for a new password by email, so that strangers cannot flood a mailbox. Otherwise works
 * like those of log-in attempts.
 */
export function quotasOfWish(
  client: ClientNetworks,
  account: TriedAccount | undefined,
  factor: number,
): Quota[] {
  const ofAddress = quotasOfLogIn(client, undefined, factor)
  if (!account) return ofAddress
  const { account: id, isKnown, device } = account
  const limits = { perMinute: wishesPerHour, perHour: wishesPerHour }
  return [
    ...ofAddress,
    quotaOfAccount(`wish:${id}:${device ?? client.network}`, limits, factor),
    ...(isKnown || device !== undefined ? [] : [quotaOfAccount(`wish:${id}`, limits, factor)]),
  ]
}

/** Returns the quotas of a request for the link to a client's page. `account` names the mailbox at its business. */
export function quotasOfClientLink(
  client: ClientNetworks,
  { account, businessId }: { account: string; businessId: string },
  factor: number,
): { visitor: Quota[]; mailbox: Quota[] } {
  const ofBusiness = scaledLimit(clientLinksOfBusiness, factor)
  return {
    visitor: quotasOfLogIn(client, undefined, factor),
    mailbox: [
      quotaOfAccount(`client:${account}`, { perMinute: wishesPerHour, perHour: wishesPerHour }, factor),
      { kind: 'mail', id: `client links:${businessId}`, perMinute: ofBusiness, perHour: ofBusiness },
    ],
  }
}

/** An account of a log-in attempt, and if its person has recently logged in from that network or browser. */
interface TriedAccount {
  account: string
  isKnown: boolean
  device: string | undefined
}

function quotaOfAccount(
  id: string,
  { perMinute, perHour }: Pick<Quota, 'perMinute' | 'perHour'>,
  factor: number,
): Quota {
  return {
    kind: 'account',
    id,
    perMinute: scaledLimit(perMinute, factor),
    perHour: perHour === null ? null : scaledLimit(perHour, factor),
  }
}

/** Returns the quota of second steps of a person who has given the right password. */
export function quotaOfCodes(userId: string, factor: number): Quota {
  return quotaOfAccount(`code:${userId}`, { perMinute: triesPerMinute, perHour: triesPerHour }, factor)
}

/** Returns the quotas of a registration of a program: by address, and of the whole server. */
export function quotasOfRegistration(client: ClientNetworks, factor: number): Quota[] {
  const ofAddress = quotasOfNetworks(
    { kind: 'program', perMinute: registrationsPerMinute, perHour: registrationsPerHour },
    client,
    { factor },
  )
  const ofAll = scaledLimit(registrationsOfAll, factor)
  return [...ofAddress, { kind: 'program', id: 'all', perMinute: ofAll, perHour: ofAll }]
}

/** Returns the quotas of a program's request for tokens: by address. */
export function quotasOfTokens(client: ClientNetworks, factor: number): Quota[] {
  const within = 'tokens'
  return quotasOfNetworks({ kind: 'program', perMinute: tokensPerMinute }, client, { factor, within })
}

/** Returns the quotas of a request without a valid key: by address. */
export function anonymousQuotas(client: ClientNetworks, factor: number): Quota[] {
  return quotasOfNetworks({ kind: 'stranger', perMinute: anonymousPerMinute }, client, { factor })
}

function quotasOfNetworks(
  { kind, perMinute, perHour = null }: Pick<Quota, 'kind' | 'perMinute'> & Partial<Pick<Quota, 'perHour'>>,
  { network, widerNetwork }: ClientNetworks,
  { factor, within }: { factor: number; within?: string },
): Quota[] {
  const quotaOf = (id: string, times: number) => ({
    kind,
    id: within === undefined ? id : `${within}:${id}`,
    perMinute: scaledLimit(times * perMinute, factor),
    perHour: perHour === null ? null : scaledLimit(times * perHour, factor),
  })
  const ofNetwork = quotaOf(network, 1)
  return widerNetwork === null ? [ofNetwork] : [ofNetwork, quotaOf(widerNetwork, widerNetworkFactor)]
}

/**
 * Returns a limit times RATE_LIMIT_FACTOR, at least 1. Computed in whole millionths, because 20 × 1.15 is 22.999… as a
 * number.
 */
export function scaledLimit(limit: number, factor: number): number {
  return Math.max(1, Math.floor(Math.round(limit * factor * 1e6) / 1e6))
}

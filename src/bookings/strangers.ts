import { recordAudit } from '../access/audit.ts'
import type { Actor } from '../access/actor.ts'
import { scaledLimit, widerNetworkFactor } from '../access/rate-limit-rules.ts'
import { liesIn } from '../base/client-network.ts'
import { clientEmailOf } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { daySeconds, formatInstant, type Instant, plusSeconds } from '../base/instants.ts'
import { type PageQuery, cursorOf, textPart, readPage, presentPage } from '../base/paging.ts'
import { networksIn } from '../catalogue/business-rules.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import type { Context } from './context.ts'
import type { CleanupJob } from '../database/context.ts'
import {
  countAttempt,
  countStranger,
  deleteBlockedClient,
  deleteOldAttempts,
  erasedPrefix,
  findBlockedClients,
  findTrustedNetworks,
  insertBlockedClient,
  lockNames,
  type Room,
  type NetworkDigests,
  type StrangerCounts,
  type Visitor,
} from './stranger-queries.ts'

/*
 * Strangers are sessions. Caps limit their bookings by address and by client, and a business can block a
 * client.
 */

const hourSeconds = 3_600

export interface ClientAddress {
  /** Null if unknown. */
  address: string | null
  /** The IPv4 address or IPv6 /64. */
  network: string
  /** The IPv6 /48. */
  widerNetwork: string | null
}

/** A session that wants to book for a client. */
export interface Stranger extends Visitor {
  /** Normalised as for blocked clients. */
  email: string
  /** The digest for counting bookings of one client. */
  client: string
}

/** Computes digests. Call it outside transactions. */
export async function digestNetworks(
  { secret }: Pick<Context, 'secret'>,
  address: ClientAddress,
): Promise<NetworkDigests> {
  const known = networkDigests.get(secret)?.get(address)
  if (known) return known
  const digest = await secret.digester('network')
  const { network, widerNetwork } = address
  const digests = { network: digest(network), widerNetwork: widerNetwork && digest(widerNetwork) }
  const ofSecret = networkDigests.get(secret) ?? new WeakMap<object, NetworkDigests>()
  networkDigests.set(secret, ofSecret.set(address, digests))
  return digests
}

/** Digests of addresses from `readClientAddress`, cached because a client sends several requests. */
const networkDigests = new WeakMap<object, WeakMap<object, NetworkDigests>>()

/** Returns the stranger behind a request. Call it outside transactions. */
export async function strangerOf(
  context: Pick<Context, 'secret'>,
  { businessId, from, email }: { businessId: string; from: ClientAddress; email: string },
): Promise<Stranger> {
  const client = await digestClient(context, email)
  const networks = await digestNetworks(context, from)
  return { ...networks, businessId, address: from.address, email: clientEmailOf(email), client }
}

/** Returns the digest of a client's email address for counting. Call it outside transactions. */
export async function digestClient({ secret }: Pick<Context, 'secret'>, email: string): Promise<string> {
  const digest = await secret.digester('client')
  return digest(clientEmailOf(email))
}

/**
 * Locks the counters of a stranger's bookings until the transaction ends, so that counts read afterwards stay
 * correct. SQLite needs no lock, because it writes one transaction at a time.
 */
export async function lockCounters(
  { db }: Pick<Context, 'db'>,
  tx: Transaction,
  { businessId, network, widerNetwork, client }: Visitor & { client?: string },
): Promise<void> {
  if (db.engine === 'sqlite') return
  const names = [`bookings from ${businessId} ${widerNetwork ?? network}`]
  if (client !== undefined) names.push(`bookings for ${businessId} ${client}`)
  await lockNames(tx, names)
}

type Counted = StrangerCounts & { id: string }

/** Throws booking_limit_reached if a cap has no room for so many bookings, or the client is blocked. */
export function assertAdmitted(
  context: Context,
  stranger: Visitor & { client?: string },
  counts: Counted,
  bookings = 1,
): void {
  const rooms = roomsFor(context, stranger, counts)
  if (counts.is_blocked > 0 || rooms.some(({ room }) => room < bookings)) throw bookingLimitReached()
}

/**
 * Counts a booking for its address. Returns false if concurrent requests have used up the room under a cap.
 */
export function admitBooking(
  context: Context,
  tx: Transaction,
  { stranger, hold }: { stranger: Stranger; hold: Counted },
): Promise<boolean> {
  const rooms = roomsFor(context, stranger, hold)
  const attempt = isOfTrusted(stranger, hold) ? undefined : attemptOf(stranger, hold.id, tx.now)
  return countAttempt(tx, { attempt, rooms })
}

/**
 * Counts an entry of the waiting list for its address, as a booking. Throws booking_limit_reached if a cap of the address
 * is reached or the client is blocked.
 */
export async function admitEntry(
  context: Context,
  tx: Transaction,
  { stranger, id }: { stranger: Stranger; id: string },
): Promise<void> {
  await lockCounters(context, tx, stranger)
  const counts = await countStranger(tx, { visitor: stranger, now: tx.now })
  if (!counts) throw bookingLimitReached()
  const { client: _, ...visitor } = stranger // future bookings do not count
  assertAdmitted(context, visitor, { ...counts, id })
  const rooms = roomsFor(context, visitor, counts)
  const attempt = isOfTrusted(visitor, counts) ? undefined : attemptOf(visitor, id, tx.now)
  if (!(await countAttempt(tx, { attempt, rooms }))) throw bookingLimitReached()
}

/** Returns true for a visitor whom no cap by address counts, because the business trusts the network. */
export function isOfTrusted({ address }: Visitor, counts: StrangerCounts): boolean {
  return liesIn(address, networksIn(counts.trusted_networks_json))
}

/** Returns the number of bookings that still fit under each cap. */
function roomsFor(
  { config }: Pick<Context, 'config'>,
  visitor: Visitor & { client?: string },
  counts: StrangerCounts,
): Room[] {
  const left = (max: number, count: number) => scaledLimit(max, config.rateLimitFactor) - count
  const { businessId, network, widerNetwork, client } = visitor
  const rooms: Room[] = []
  const max = counts.max_bookings_per_client
  if (client !== undefined && max !== null) {
    rooms.push({ name: `${businessId} client ${client}`, room: left(max, counts.of_client) })
  }
  if (isOfTrusted(visitor, counts)) return rooms
  const { maxBookingsPerIpPerHour: perHour, maxBookingsPerIpPerDay: perDay } = config
  rooms.push({
    name: `${businessId} network ${network}`,
    room: Math.min(left(perHour, counts.of_hour), left(perDay, counts.of_day)),
  })
  if (widerNetwork !== null) {
    const room = Math.min(
      left(perHour * widerNetworkFactor, counts.wider_of_hour),
      left(perDay * widerNetworkFactor, counts.wider_of_day),
    )
    rooms.push({ name: `${businessId} wider ${widerNetwork}`, room })
  }
  return rooms
}

/** Returns the same refusal for all caps and for a blocked client, because it must not reveal the reason. */
export function bookingLimitReached(): Problem {
  return new Problem(
    'booking_limit_reached',
    'No more bookings can be made this way at the moment. Try again later, or ask the business itself.',
    { headers: { 'retry-after': String(hourSeconds) } },
  )
}

/**
 * Converts a hold and counts a refusal for the address. Probing for known clients must cost as much as
 * booking. The count has its own transaction, because a refused conversion is rolled back.
 */
export async function countingRefusals<T>(
  context: Context,
  { actor, from }: { actor: Actor; from: ClientAddress },
  convert: () => Promise<T>,
): Promise<T> {
  try {
    return await convert()
  } catch (error) {
    const isLimit = error instanceof Problem && error.code === 'booking_limit_reached'
    if (isLimit && 'businessId' in actor.scope) {
      const { businessId } = actor.scope
      const visitor = { ...(await digestNetworks(context, from)), businessId, address: from.address }
      await context.db.sharedTransaction((tx) => countRefusal(context, tx, visitor), { owner: businessId })
    }
    throw error
  }
}

async function countRefusal(context: Context, tx: Transaction, visitor: Visitor): Promise<void> {
  await lockCounters(context, tx, visitor)
  const counts = await countStranger(tx, { visitor, now: tx.now })
  if (!counts || isOfTrusted(visitor, counts)) return
  const attempt = attemptOf(visitor, context.ids.next(), tx.now)
  await countAttempt(tx, { attempt, rooms: roomsFor(context, visitor, counts) })
}

/** Returns true for networks that a business trusts, whose caps do not count them. */
export async function isTrusted(
  db: Reads,
  { businessId, address }: { businessId: string; address: string | null },
): Promise<boolean> {
  return liesIn(address, networksIn(await findTrustedNetworks(db, businessId)))
}

function attemptOf({ businessId, network, widerNetwork }: Visitor, id: string, now: Instant) {
  return { business_id: businessId, id, network, wider_network: widerNetwork, counted_at: now }
}

export interface BlockedClient {
  businessId: string
  timezone: string
  email: string
  blockedAt: Instant
}

/** Blocks a client, so that sessions can no longer book for them. Throws validation_failed or not_found. */
export function blockClient(
  context: Context,
  actor: Actor,
  input: { email: string; business_id?: string },
  store: StoreResponse<BlockedClient> = storeNothing,
): Promise<BlockedClient> {
  const email = clientEmailOf(input.email)
  return context.db.transaction(async (tx) => {
    const { id: businessId, timezone } = await businessForCreation(tx.db, actor.scope, input.business_id)
    const blockedAt = await blockIn(context, tx, { by: actor, businessId, email })
    const client = { businessId, timezone, email, blockedAt }
    await store(tx, client)
    return client
  })
}

interface NamedForBlock {
  by: Actor
  businessId: string
  /** In the form of `clientEmailOf`. */
  email: string
}

/** Blocks a client in a transaction. Returns since when they are blocked. */
export async function blockIn(
  context: Context,
  tx: Transaction,
  { by, businessId, email }: NamedForBlock,
): Promise<Instant> {
  const since = await insertBlockedClient(tx.db, { business_id: businessId, email, blocked_at: tx.now })
  await recordAudit(context, tx, { by, action: 'business.client_blocked', subjectId: businessId, businessId })
  return since
}

/** Unblocks a client in a transaction, blocked or not. */
export async function unblockIn(
  context: Context,
  tx: Transaction,
  { by, businessId, email, digest }: NamedForBlock & { digest: string },
): Promise<void> {
  if (!(await deleteBlockedClient(tx.db, { business_id: businessId, email, digest }))) return
  await recordAudit(context, tx, {
    by,
    action: 'business.client_unblocked',
    subjectId: businessId,
    businessId,
  })
}

/** Lists a page of a business's blocked clients by email address. Throws validation_failed or not_found. */
export async function listBlockedClients(
  context: Context,
  actor: Actor,
  { business_id, ...query }: PageQuery & { business_id?: string },
) {
  const db = context.db.reads
  const { id: businessId, timezone } = await businessForCreation(db, actor.scope, business_id)
  const page = await readPage(query, {
    cursor: blockedClientCursor,
    find: ({ after, rows }) => findBlockedClients(db, { businessId, after: after?.[0], rows }),
    position: ({ email }) => [email],
  })
  return presentPage(page, ({ email, blocked_at }) =>
    presentBlockedClient({ businessId, timezone, email, blockedAt: blocked_at }),
  )
}

const blockedClientCursor = cursorOf('blocked client', textPart)

export function presentBlockedClient({ businessId, timezone, email, blockedAt }: BlockedClient) {
  const shown = email.startsWith(erasedPrefix) ? '' : email
  return { business_id: businessId, email: shown, blocked_at: formatInstant(blockedAt, timezone) }
}

/** Unblocks a client, blocked or not. Throws validation_failed or not_found. */
export async function unblockClient(
  context: Context,
  actor: Actor,
  input: { email: string; business_id?: string },
): Promise<void> {
  const email = clientEmailOf(input.email)
  const digest = await digestClient(context, email)
  await context.db.transaction(async (tx) => {
    const { id: businessId } = await businessForCreation(tx.db, actor.scope, input.business_id)
    await unblockIn(context, tx, { by: actor, businessId, email, digest })
  })
}

export const oldAttempts: CleanupJob = {
  name: 'counts of bookings by address',
  deleteBatch: ({ db }, max) =>
    db.transaction((tx) => deleteOldAttempts(tx.db, plusSeconds(tx.now, -daySeconds), max)),
}

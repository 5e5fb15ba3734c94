import type { Actor } from '../access/actor.ts'
import { liesIn } from '../access/trusted-networks.ts'
import { networksIn } from '../catalogue/business-rules.ts'
import { businessForCreation } from '../catalogue/change-catalogue.ts'
import { clientEmailOf } from '../contact-formats.ts'
import type { Context } from '../context.ts'
import type { Queries, Transaction } from '../database/database.ts'
import { Problem } from '../errors.ts'
import type { Chore } from '../housekeeping.ts'
import { plusSeconds, type Instant } from '../instants.ts'
import { multiplied, widerNetworkFactor } from '../rate-limits/quota-rules.ts'
import {
  countAttempt,
  deleteBlockedClient,
  deleteOldAttempts,
  findStrangerSettings,
  fitsCaps,
  insertBlockedClient,
  takeTurn,
  type BookingCaps,
  type NetworkCap,
} from './stranger-queries.ts'

/*
 * What is asked of strangers, that is of sessions (contract: Strangers): how many bookings come from one address and for
 * one client, and whether a business has blocked the client.
 */

const hourSeconds = 3_600
/** Attempts are kept for so long: of every booking that is still unpaid, the network is known. */
export const daySeconds = 86_400

/** With such a RATE_LIMIT_FACTOR, of trials and benchmarks, nobody meets a cap: nothing is counted, nobody waits for a turn. */
const leastBoundlessFactor = 10_000

/** Where a request comes from. */
export interface ClientAddress {
  /** Null when it is not known. */
  address: string | null
  /** The IPv4 address or IPv6 /64. */
  network: string
  /** The IPv6 /48. */
  widerNetwork: string | null
}

/** The networks of an address, as they are kept. */
export interface NetworkDigests {
  network: string
  widerNetwork: string | null
}

/** A session of a business, by what is counted of where it comes from. */
interface Visitor extends NetworkDigests {
  businessId: string
  address: string | null
}

/** A session that wants to book for a client. */
export interface Stranger extends Visitor {
  /** As blocked clients are kept. */
  email: string
  /** A digest: as bookings for one client are counted. */
  client: string
}

/** The digests of an address's networks. Call it outside of transactions. */
export async function digestNetworks(
  { secret }: Pick<Context, 'secret'>,
  { network, widerNetwork }: ClientAddress,
): Promise<NetworkDigests> {
  const digest = await secret.digester('network')
  return { network: digest(network), widerNetwork: widerNetwork && digest(widerNetwork) }
}

/** Who wants to book for a client, and from where. Call it outside of transactions. */
export async function strangerOf(
  context: Pick<Context, 'secret'>,
  { businessId, from, email }: { businessId: string; from: ClientAddress; email: string },
): Promise<Stranger> {
  const client = await digestClient(context, email)
  const networks = await digestNetworks(context, from)
  return { ...networks, businessId, address: from.address, email: clientEmailOf(email), client }
}

/** As bookings for one client are counted. Call it outside of transactions. */
export async function digestClient({ secret }: Pick<Context, 'secret'>, email: string): Promise<string> {
  const digest = await secret.digester('client')
  return digest(clientEmailOf(email))
}

/**
 * Counts the booking that a transaction is about to write. False when it is one too many, or the client is blocked. Others
 * who are counted together with it wait until the transaction ends, so what it has seen stays true.
 */
export async function admitBooking(
  context: Context,
  tx: Transaction,
  { stranger, bookingId }: { stranger: Stranger; bookingId: string },
): Promise<boolean> {
  const { email, client } = stranger
  if (context.config.rateLimitFactor >= leastBoundlessFactor) {
    const none = { visitor: stranger, trusted: true }
    return fitsCaps(tx.db, { ...addressCaps(context, tx.now, none), ofClient: { email, cap: null } })
  }
  const { trusted, maxBookings } = await turnOf(context, tx, stranger)
  const most = maxBookings && multiplied(maxBookings, context.config.rateLimitFactor)
  const ofClient = { email, cap: most === null ? null : { client, most } }
  const caps = { ...addressCaps(context, tx.now, { visitor: stranger, trusted }), ofClient }
  return trusted ? fitsCaps(tx.db, caps) : countAttempt(tx.db, attemptOf(stranger, bookingId, tx.now), caps)
}

/** The refusal that all caps and a blocked client have in common: it does not say which of them was met. */
export function bookingLimitReached(): Problem {
  return new Problem(
    'booking_limit_reached',
    'No more bookings can be made this way at the moment. Try again later, or ask the business itself.',
    { headers: { 'retry-after': String(hourSeconds) } },
  )
}

/**
 * Converts, and counts a refusal for the address: to ask whether a client is known here costs what a booking does. An
 * address at its cap is told nothing, so there it costs nothing. The count is a transaction of its own, as a refused
 * conversion is rolled back.
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
    const isCounted = context.config.rateLimitFactor < leastBoundlessFactor
    if (isLimit && isCounted && 'businessId' in actor.reach) {
      const { businessId } = actor.reach
      const visitor = { ...(await digestNetworks(context, from)), businessId, address: from.address }
      await context.db.transaction((tx) => countRefusal(context, tx, visitor))
    }
    throw error
  }
}

async function countRefusal(context: Context, tx: Transaction, visitor: Visitor): Promise<void> {
  const { trusted } = await turnOf(context, tx, { ...visitor, client: null })
  if (trusted) return
  const caps = { ...addressCaps(context, tx.now, { visitor, trusted }), ofClient: null }
  await countAttempt(tx.db, attemptOf(visitor, context.ids.next(), tx.now), caps)
}

/** Whether a business trusts an address: none of its caps counts it. */
export async function isTrusted(
  db: Queries,
  { businessId, address }: { businessId: string; address: string | null },
): Promise<boolean> {
  const settings = await findStrangerSettings(db, businessId)
  return liesIn(address, networksIn(settings?.trusted_networks_json ?? null))
}

async function turnOf(
  { db }: Context,
  tx: Transaction,
  { businessId, network, widerNetwork, client, address }: Visitor & { client: string | null },
): Promise<{ trusted: boolean; maxBookings: number | null }> {
  const settings = await takeTurn(db.engine, tx.db, {
    businessId,
    network: `bookings from ${businessId} ${widerNetwork ?? network}`,
    client: client && `bookings for ${businessId} ${client}`,
  })
  return {
    trusted: liesIn(address, networksIn(settings?.trusted_networks_json ?? null)),
    maxBookings: settings?.max_bookings_per_client ?? null,
  }
}

function addressCaps(
  { config }: Context,
  now: Instant,
  { visitor: { businessId, network, widerNetwork }, trusted }: { visitor: Visitor; trusted: boolean },
): Omit<BookingCaps, 'ofClient'> {
  const capOf = (network: string, times: number): NetworkCap => ({
    network,
    perHour: multiplied(config.maxBookingsPerIpPerHour * times, config.rateLimitFactor),
    perDay: multiplied(config.maxBookingsPerIpPerDay * times, config.rateLimitFactor),
  })
  const wider = widerNetwork === null ? null : capOf(widerNetwork, widerNetworkFactor)
  return {
    businessId,
    now,
    hourAgo: plusSeconds(now, -hourSeconds),
    dayAgo: plusSeconds(now, -daySeconds),
    ofAddress: trusted ? null : { own: capOf(network, 1), wider },
  }
}

function attemptOf({ businessId, network, widerNetwork }: Visitor, id: string, now: Instant) {
  return { business_id: businessId, id, network, wider_network: widerNetwork, counted_at: now }
}

/** A client for whom sessions book nothing any more, as a business sees it. */
export interface BlockedClient {
  businessId: string
  timezone: string
  email: string
  blockedAt: Instant
}

/** Blocks a client of a business: sessions book nothing for them any more. Throws validation_failed or not_found. */
export function blockClient(
  context: Context,
  actor: Actor,
  input: { email: string; business_id?: string },
): Promise<BlockedClient> {
  const email = clientEmailOf(input.email)
  return context.db.transaction(async (tx) => {
    const { id: businessId, timezone } = await businessForCreation(tx.db, actor.reach, input.business_id)
    const blocked = { business_id: businessId, email, blocked_at: tx.now }
    return { businessId, timezone, email, blockedAt: await insertBlockedClient(tx.db, blocked) }
  })
}

/** Lets a client book again, whether or not they were blocked. Throws validation_failed or not_found. */
export function unblockClient(
  context: Context,
  actor: Actor,
  input: { email: string; business_id?: string },
): Promise<void> {
  return context.db.transaction(async (tx) => {
    const { id } = await businessForCreation(tx.db, actor.reach, input.business_id)
    await deleteBlockedClient(tx.db, { business_id: id, email: clientEmailOf(input.email) })
  })
}

/** What addresses are counted by, a day after. */
export const oldAttempts: Chore = {
  name: 'counts of bookings by address',
  deleteBatch: ({ db }, most) =>
    db.transaction((tx) => deleteOldAttempts(tx.db, plusSeconds(tx.now, -daySeconds), most)),
}

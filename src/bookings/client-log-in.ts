import { type ManageActor, operator } from '../access/actor.ts'
import { clientSeconds } from '../access/log-in-cookie.ts'
import { entryPath } from '../access/entry-link.ts'
import { manageUrl } from '../access/manage-link.ts'
import { internationalNumber } from '../base/phone-countries.ts'
import { businessInScope } from '../catalogue/business.ts'
import { findNumbers } from './client-number-queries.ts'
import { isPersonToken, newToken, tokenDigest } from '../access/token.ts'
import { Problem } from '../base/errors.ts'
import { formatInstant, type Instant, plusSeconds } from '../base/instants.ts'
import { mostPerPage } from '../base/paging.ts'
import type { CleanupJob } from '../database/context.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { ClientMailbox } from '../mails/client-link-mail.ts'
import { mailboxOfNumber } from '../mails/client-link-text.ts'
import { listBookings, showBooking } from './booking.ts'
import {
  deleteClientLogIn,
  deleteOldClientLogIns,
  findClientLogIn,
  insertClientLogIn,
  useClientLink,
} from './client-log-in-queries.ts'
import { type ClientCard, type ClientFee, listClientCards, listClientFees } from './client-fees.ts'
import type { Context } from './context.ts'
import { presentBooking } from './presented-booking.ts'
import { cancelByClientInSeries } from './series-change.ts'
import { listEntries, presentEntry } from './waitlist.ts'
import { type LinkedEntry, withQuestions } from './waitlist-link.ts'

/*
 * The page of a client: all bookings with one mailbox, or one phone number, at a business. A link by email or text opens
 * it, once, and a cookie keeps it open. It has no password, because the mailbox or the phone proves the client. People
 * who share it share the page.
 */

/** Opens a client's page with the token of a link. Returns undefined for a wrong, used or expired one. */
export async function openClientPage(
  { db, ids }: Pick<Context, 'db' | 'ids'>,
  token: string,
): Promise<{ businessId: string; token: string } | undefined> {
  if (!isPersonToken(token, 'client')) return undefined
  const logIn = newToken('client', ids)
  return db.transaction(async (tx) => {
    const link = await useClientLink(tx.db, { digest: tokenDigest(token), now: tx.now })
    if (!link) return undefined
    const expires_at = plusSeconds(tx.now, clientSeconds)
    const { businessId } = link
    const { email, phone } =
      'phone' in link ? mailboxOfNumber(businessId, link.phone) : { email: link.email, phone: null }
    await insertClientLogIn(tx.db, {
      ...{ business_id: businessId, email, phone },
      ...{ digest: tokenDigest(logIn), created_at: tx.now, expires_at },
    })
    return { businessId, token: logIn }
  })
}

/** Returns the mailbox or number of a cookie's token at a business, or undefined if the log-in has ended. */
export async function clientOfToken(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { businessId, token }: { businessId: string; token: string | undefined },
): Promise<ClientMailbox | undefined> {
  if (token === undefined) return undefined
  const key = { businessId, digest: tokenDigest(token), now: clock.now() }
  const found = await findClientLogIn(db.reads, key)
  return found && { businessId, ...found }
}

/** Ends the log-in of a cookie's token. */
export async function closeClientPage({ db }: Pick<Context, 'db'>, token: string): Promise<void> {
  await db.transaction((tx) => deleteClientLogIn(tx.db, tokenDigest(token)))
}

/** Reports if a mailbox or number has bookings at a business, or is on its waiting list. */
export async function isClient(context: Context, mailbox: ClientMailbox): Promise<boolean> {
  // always both, because an unknown address must cost the same
  const bookings = await bookingsOf(context, mailbox, { limit: 1 })
  const entries = await entriesOf(context, mailbox, { status: 'active', limit: 1 })
  return bookings.data.length + entries.data.length > 0
}

/** Earlier bookings of one page. */
const earlierAtOnce = 20

/** A booking on its client's page. */
export interface OwnBooking {
  booking: BookingRow
  /** Null if the link belongs to an earlier HOLDFAST_SECRET. */
  manageUrl: string | null
  fees: readonly ClientFee[]
  /** The saved card, if any. */
  card: ClientCard | undefined
}

/** An entry of the waiting list on its client's page. */
export interface OwnEntry extends LinkedEntry {
  /** The path of the page of this entry. */
  path: string
}

/** Returns the active entries of a mailbox on the waiting list, at most 100. */
export async function showOwnEntries(context: Context, mailbox: ClientMailbox): Promise<OwnEntry[]> {
  const { data } = await entriesOf(context, mailbox, { status: 'active', limit: mostPerPage })
  const linked = await withQuestions(context, data)
  return Promise.all(linked.map(async (own) => ({ ...own, path: await entryPath(context, own.entry.id) })))
}

/** Returns the bookings of a mailbox: those ahead in order, and a page of the earlier ones, the latest first. */
export async function showOwnBookings(
  context: Context,
  mailbox: ClientMailbox,
  cursor: string | undefined,
): Promise<{ ahead: OwnBooking[]; earlier: OwnBooking[]; next_cursor: string | null }> {
  const now = context.clock.now()
  const ahead =
    cursor === undefined
      ? await bookingsOf(context, mailbox, { sort: 'starts_at', from: now, limit: mostPerPage })
      : { data: [] }
  const earlier = await bookingsOf(context, mailbox, {
    ...{ sort: '-starts_at', to: now, limit: earlierAtOnce },
    ...(cursor !== undefined && { cursor }),
  })
  const all = [...ahead.data, ...earlier.data]
  const fees = await listClientFees(context, all)
  const cards = await listClientCards(context, all, fees)
  const linked = async (booking: BookingRow): Promise<OwnBooking> => ({
    booking,
    ...{ fees: fees.get(booking.id) ?? [], card: cards.get(booking.id) },
    manageUrl: (await manageUrl(context, booking)) ?? null,
  })
  return {
    ahead: await Promise.all(ahead.data.map(linked)),
    earlier: await Promise.all(earlier.data.map(linked)),
    next_cursor: earlier.next_cursor,
  }
}

/**
 * Cancels all dates ahead of a series that belong to a mailbox, by the rules for clients. Throws not_found, or
 * change_not_allowed if one may no longer be cancelled.
 */
export async function cancelOwnSeries(
  context: Context,
  mailbox: ClientMailbox,
  seriesId: string,
): Promise<void> {
  const { data } = await bookingsOf(context, mailbox, {
    ...{ sort: 'starts_at', from: context.clock.now(), series_id: seriesId, limit: mostPerPage },
  })
  const booking = data.find(({ status }) => isAhead(status))
  if (!booking) throw new Problem('not_found', 'This series has no dates ahead.')
  const actor = clientOf(mailbox, booking)
  await cancelByClientInSeries(context, actor, { reach: 'all' })
}

/**
 * Returns the client of a booking of a mailbox, with the rights of its manage link. Throws not_found for any other
 * booking.
 */
export async function ownBookingClient(
  context: Context,
  mailbox: ClientMailbox,
  bookingId: string,
): Promise<ManageActor> {
  const { starts_at: from } = await showBooking(context, actorAt(mailbox), bookingId)
  const at = { sort: 'starts_at', from, to: plusSeconds(from, 1), limit: mostPerPage } as const
  const booking = (await bookingsOf(context, mailbox, at)).data.find(
    ({ id }) => id === bookingId.toLowerCase(),
  )
  if (!booking) throw new Problem('not_found', 'There is no such booking.')
  return clientOf(mailbox, booking)
}

function clientOf({ businessId }: ClientMailbox, { id, ends_at }: BookingRow): ManageActor {
  return {
    ...{ type: 'manage', keyId: id, ownerId: id, bookingId: id },
    ...{ scope: { businessId }, endsAt: ends_at },
    // as of a caller without a key
    ...{ plan: 'growth', lastFour: 'none', allowedOrigins: null },
    ownLimits: { perMinute: null, perHour: null },
  }
}

function isAhead(status: BookingRow['status']): boolean {
  return status === 'pending' || status === 'confirmed'
}

/** Returns all bookings and entries of a mailbox at a business, for its client to keep (GDPR, article 20). */
export async function exportOwnBookings(context: Context, mailbox: ClientMailbox) {
  const { email, phone } = mailbox
  const bookings: ReturnType<typeof presentBooking>[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await bookingsOf(context, mailbox, { limit: mostPerPage, ...(cursor && { cursor }) })
    bookings.push(...page.data.map((booking) => presentBooking(booking, actorAt(mailbox))))
    cursor = page.next_cursor
  }
  const waitlist: ReturnType<typeof presentEntry>[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await entriesOf(context, mailbox, { limit: mostPerPage, ...(cursor && { cursor }) })
    waitlist.push(...page.data.map((shown) => presentEntry(shown, actorAt(mailbox))))
    cursor = page.next_cursor
  }
  const contact = phone === null ? { email } : { phone }
  return { ...contact, exported_at: formatInstant(context.clock.now(), 'UTC'), bookings, waitlist }
}

type BookingsQuery = Omit<Parameters<typeof listBookings>[2], 'business_id' | 'email'> & {
  from?: Instant
  to?: Instant
}

async function bookingsOf(context: Context, mailbox: ClientMailbox, query: BookingsQuery) {
  if (mailbox.phone === null)
    return listBookings(context, actorAt(mailbox), { ...query, email: mailbox.email })
  const contacts = await findContactsOf(context, mailbox, mailbox.phone)
  return listBookings(context, actorAt(mailbox), { ...query, contacts })
}

type EntriesQuery = Omit<Parameters<typeof listEntries>[2], 'business_id' | 'email'>

async function entriesOf(context: Context, mailbox: ClientMailbox, query: EntriesQuery) {
  if (mailbox.phone === null)
    return listEntries(context, actorAt(mailbox), { ...query, email: mailbox.email })
  const { phones } = await findContactsOf(context, mailbox, mailbox.phone)
  return listEntries(context, actorAt(mailbox), { ...query, phones })
}

/**
 * Finds the spellings of a number in the bookings and entries of a business, and the addresses of these bookings. A
 * number without a prefix belongs to the country of the business.
 */
async function findContactsOf(
  { db }: Pick<Context, 'db'>,
  { businessId, email }: ClientMailbox,
  number: string,
): Promise<{ emails: string[]; phones: string[] }> {
  const { timezone } = await businessInScope(db.reads, { businessId }, businessId)
  const part = number.slice(-searchedDigits)
  const found = (await findNumbers(db.reads, { businessId, part })).filter(
    ({ phone }) => internationalNumber(phone, timezone) === number,
  )
  return {
    emails: [...new Set([email, ...found.flatMap((one) => one.email ?? [])])],
    phones: [...new Set([number, ...found.map(({ phone }) => phone)])],
  }
}

/** The end of a number, which is the same with and without a calling code. */
const searchedDigits = 7

function actorAt({ businessId }: ClientMailbox) {
  return { ...operator, scope: { businessId } }
}

export const oldClientLogIns: CleanupJob = {
  name: 'old log-ins of clients',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldClientLogIns(tx.db, tx.now, max)),
}

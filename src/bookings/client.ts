import type { Static } from 'typebox'
import { type Actor, isStaff } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { clientEmailOf, isStandIn, shownEmail } from '../base/contact-formats.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant } from '../base/instants.ts'
import { metadataOf } from '../base/metadata-rules.ts'
import { searchTerm } from '../base/search-text.ts'
import { cursorOf, idPart, type Page, pageRows, textPart } from '../base/paging.ts'
import { businessForCreation } from '../catalogue/catalogue.ts'
import { localeNamed } from '../catalogue/mail-settings-rules.ts'
import type { Reads } from '../database/database.ts'
import { findByMetadata } from '../database/metadata-values.ts'
import { shownDiscountOf } from '../database/shown-item-rules.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { showBooking } from './booking.ts'
import {
  type ClientHistory,
  type ClientRow,
  countBookings,
  findBlockedAmong,
  findByKey,
  findClient,
  findClients,
  findClientTimes,
  findNamesIn,
  findOwnBooking,
  findDiscountedVisits,
  findServicesTaken,
  insertClient,
  lockBookingsOfClient,
  lockClients,
  moveToClient,
  type ServiceTaken,
  updateClient,
} from './client-queries.ts'
import {
  distinctTags,
  formerKey,
  keyColumns,
  leadingTo,
  mergedClient,
  type NamedClient,
  tagsOf,
} from './client-rules.ts'
import type { ChangeClient, ClientsQuery, CreateClient } from './client-schemas.ts'
import type { Context } from './context.ts'
import { maySeeClient } from './presented-booking.ts'
import { blockIn, unblockIn } from './strangers.ts'
import { moveEntries } from './waitlist-data-queries.ts'

/** Maximum number of clients that a page of a search reads. It bounds the cost, however many there are. */
const maxSearched = 2_500

/** A client of a business, with the zone in which its times are shown. */
export interface ShownClient {
  client: ClientRow
  timezone: string
  blocked: boolean
}

/**
 * Lists the clients of a business by name. A search may return a short or empty page although more follow. Throws
 * validation_failed or not_found (the business).
 */
export async function listClients(
  context: Context,
  actor: Actor,
  query: Static<typeof ClientsQuery> & { sort?: 'name' | '-name'; proven?: 'proven' },
): Promise<Page<ShownClient>> {
  const db = context.db.reads
  const { id: businessId, timezone } = await businessForCreation(db, actor.scope, query.business_id)
  const { sort = 'name' } = query
  const clientCursor = clientCursors[sort]
  const page = pageRows(query, clientCursor)
  const { rows: found, until } = await findClients(db, {
    businessId,
    ...{ email: query.email, proven: query.proven },
    after: page.after && { key: page.after[0], id: page.after[1] },
    text: query.q === undefined ? undefined : searchTerm(query.q),
    ids: query.metadata && (await findByMetadata(db, { businessId }, query.metadata)),
    metadata: Object.entries(query.metadata ?? {}).map(([name, value]) => ({ name, value })),
    rows: page.rows,
    isDescending: sort === '-name',
    searched: maxSearched,
  })
  const rows = found.slice(0, page.rows - 1)
  const end = rows.at(-1)
  const last = found.length > rows.length && end ? { key: end.sort_key ?? end.name, id: end.id } : until
  return {
    data: await withBlocks(db, rows, timezone),
    next_cursor: last === undefined ? null : clientCursor.write([last.key, last.id]),
  }
}

async function withBlocks(db: Reads, rows: readonly ClientRow[], timezone: string): Promise<ShownClient[]> {
  const [first] = rows
  if (!first) return []
  const emails = rows.flatMap(({ email }) => email ?? [])
  const blocked = await findBlockedAmong(db, first.business_id, emails.map(clientEmailOf))
  return rows.map((client) => {
    return { client, timezone, blocked: client.email !== null && blocked.has(clientEmailOf(client.email)) }
  })
}

/**
 * Reads a client in the caller's scope. Staff see only clients of their own appointments, with the contact of the last of
 * these. Throws not_found.
 */
export async function showClient(context: Context, actor: Actor, id: string): Promise<ShownClient> {
  const db = context.db.reads
  const found = await clientInScope(db, actor, id)
  const { timezone, ...client } = found
  const own = isStaff(actor) ? await findOwnBooking(db, client, actor.staffId) : undefined
  if (isStaff(actor) && !own) throw noSuchClient()
  const seen = own
    ? { ...client, email: shownEmail(own.client_email) || null, phone: own.client_phone }
    : client
  const [shown] = await withBlocks(db, [seen], timezone)
  if (!shown) throw noSuchClient()
  return shown
}

async function clientInScope(db: Reads, actor: Actor, id: string) {
  const found = isUuid(id) ? await findClient(db, actor.scope, id.toLowerCase()) : undefined
  if (!found) throw noSuchClient()
  return found
}

function noSuchClient(): Problem {
  return new Problem('not_found', 'There is no client with this id.')
}

/** Presents a client in the zone of the business. */
export function presentClient({ client, timezone, blocked }: ShownClient) {
  const { id, business_id, first_name, last_name, email, phone, notes, locale, time_zone } = client
  const { booking_count, no_show_count, last_booking_at, created_at } = client
  return {
    ...{ id, business_id, first_name, last_name, email, phone },
    notes,
    tags: tagsOf(client),
    ...{ locale, time_zone, metadata: metadataOf(client), blocked, booking_count, no_show_count },
    last_booking_at: last_booking_at && formatInstant(last_booking_at, timezone),
    created_at: formatInstant(created_at, timezone),
  }
}

type NewClient = Static<typeof CreateClient>

/** Adds a client. Throws client_exists for a name and address that another client has, validation_failed or not_found. */
export function createClient(
  context: Context,
  actor: Actor,
  input: NewClient,
  store: StoreResponse<ShownClient> = storeNothing,
): Promise<ShownClient> {
  return context.db.transaction(async (tx) => {
    const { id: business_id, timezone } = await businessForCreation(tx.db, actor.scope, input.business_id)
    const id = context.ids.next()
    const { first_name, last_name = '', email = null, phone = null, notes = null } = input
    const written = { first_name, last_name, email, phone: phone || null }
    const client: ClientRow = {
      ...{ id, business_id, ...written, ...keyColumns(written, { id, timezone }) },
      notes: notes || null,
      tags_json: JSON.stringify(distinctTags(input.tags ?? [])),
      metadata_json: JSON.stringify(input.metadata ?? {}),
      locale: input.locale === undefined ? null : (localeNamed(input.locale) ?? null),
      time_zone: input.time_zone ?? null,
      ...{ booking_count: 0, no_show_count: 0, last_booking_at: null, merged_into: null, is_kept: 1 },
      created_at: tx.now,
    }
    if (!(await insertClient(tx.db, client))) throw await clientExists(tx.db, client)
    await recordAudit(context, tx, {
      by: actor,
      action: 'client.created',
      subjectId: id,
      businessId: business_id,
    })
    const [shown] = await withBlocks(tx.db, [client], timezone)
    if (!shown) throw noSuchClient()
    await store(tx, shown)
    return shown
  })
}

async function clientExists(db: Reads, client: ClientRow): Promise<Problem> {
  const client_id = await findByKey(db, client)
  const detail = 'Another client has this name and contact; change or merge that one.'
  return new Problem('client_exists', detail, { extensions: { client_id } })
}

/**
 * Changes a client. Bookings keep their own name and contact. Further ones with the earlier name or
 * address still belong to the client. Throws not_found, validation_failed or client_exists.
 */
export async function changeClient(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: Static<typeof ChangeClient> },
): Promise<ShownClient> {
  const { timezone, business_id } = await clientInScope(context.db.reads, actor, id)
  const { blocked, tags, metadata, locale, ...texts } = change
  const email = texts.email === undefined ? undefined : texts.email || null
  const digestOf = await context.secret.digester('client')
  return context.db.transaction(async (tx) => {
    const [before] = await lockClients(tx.db, business_id, [id.toLowerCase()])
    if (!before) throw noSuchClient()
    const written = {
      first_name: texts.first_name ?? before.first_name,
      last_name: texts.last_name === undefined ? before.last_name : (texts.last_name ?? ''),
      email: email === undefined ? before.email : email,
      phone: texts.phone === undefined ? before.phone : texts.phone || null,
    }
    const after: ClientRow = {
      ...before,
      ...written,
      ...keyColumns(written, { id: before.id, timezone, before }),
      ...(texts.notes !== undefined && { notes: texts.notes || null }),
      ...(texts.time_zone !== undefined && { time_zone: texts.time_zone }),
      ...(locale !== undefined && { locale: locale === null ? null : (localeNamed(locale) ?? null) }),
      ...(tags && { tags_json: JSON.stringify(distinctTags(tags)) }),
      ...(metadata && { metadata_json: JSON.stringify(metadata) }),
      is_kept: 1,
    }
    if (!(await updateClient(tx.db, before, after))) throw await clientExists(tx.db, after)
    if (after.name !== before.name || after.address !== before.address)
      await insertClient(tx.db, formerKey(before, context.ids.next()))
    await recordAudit(context, tx, {
      ...{ by: actor, action: 'client.updated', subjectId: before.id, businessId: business_id },
    })
    if (blocked !== undefined && after.email !== null) {
      const address = clientEmailOf(after.email)
      const named = { by: actor, businessId: business_id, email: address }
      if (blocked) await blockIn(context, tx, named)
      else await unblockIn(context, tx, { ...named, digest: digestOf(address) })
    } else if (blocked) throw notBlockable()
    const [shown] = await withBlocks(tx.db, [after], timezone)
    if (!shown) throw noSuchClient()
    return shown
  })
}

function notBlockable(): Problem {
  const detail = 'can be true only with an email address, by which visitors are known'
  return validationProblem([{ pointer: '/blocked', code: 'not_allowed', detail }])
}

/**
 * Merges a client into another one of the same business. That one gets the bookings, notes and tags, and the contact that
 * it lacks. Further bookings of either belong to the other one. Throws not_found or validation_failed.
 */
export async function mergeClients(
  context: Context,
  actor: Actor,
  { id, into }: { id: string; into: string },
): Promise<ShownClient> {
  const { business_id, timezone, ...one } = await clientInScope(context.db.reads, actor, id)
  if (into === one.id) throw wrongTarget('must be another client')
  return context.db.transaction(async (tx) => {
    await lockBookingsOfClient(tx.db, { business_id, id: one.id })
    const locked = await lockClients(tx.db, business_id, [one.id, into])
    const [from, target] = [one.id, into].map((wanted) => locked.find((row) => row.id === wanted))
    if (!from) throw noSuchClient()
    if (!target) throw wrongTarget('is not the id of a client of this business')
    await updateClient(tx.db, from, leadingTo(target.id, from))
    await updateClient(tx.db, target, mergedClient(target, from))
    await moveToClient(tx.db, { business_id, from: from.id, to: target.id })
    await moveEntries(tx.db, { business_id, from: from.id, to: target.id })
    for (const subjectId of [from.id, target.id])
      await recordAudit(context, tx, {
        by: actor,
        action: 'client.merged',
        subjectId,
        businessId: business_id,
      })
    const merged = await findClient(tx.db, { businessId: business_id }, target.id)
    const [shown] = await withBlocks(tx.db, merged ? [merged] : [], timezone)
    if (!shown) throw noSuchClient()
    return shown
  })
}

function wrongTarget(detail: string): Problem {
  return validationProblem([{ pointer: '/into', code: 'unknown_reference', detail }])
}

/** A client of a business, or everybody with an address. */
export type ClientName = ({ email: string } | { client_id: string }) & { business_id?: string }

/** Returns the client that a request names. Throws not_found, also for an erased client. */
export async function namedClient(
  context: Context,
  actor: Actor,
  { email, client_id, booking_id = '', business_id }: NamedClient,
): Promise<ClientName> {
  if (email !== undefined) return { email, ...(business_id !== undefined && { business_id }) }
  const { client } =
    client_id === undefined
      ? await clientAt(context, actor, booking_id)
      : await showClient(context, actor, client_id)
  if (business_id === undefined || business_id === client.business_id)
    return { client_id: client.id, business_id: client.business_id }
  throw new Problem('not_found', 'There is no such client at this business.')
}

/**
 * Returns the stand-in address of a client who has no address and still has the same phone number. The ID is that of the
 * client or of an earlier booking. Undefined for any other client, and for one whom the caller may not see. Throws
 * not_found.
 */
export async function findStandIn(
  context: Context,
  actor: Actor,
  { id, phone }: { id: string; phone: string | undefined },
): Promise<string | undefined> {
  const booking = await unlessMissing(showBooking(context, actor, id))
  const known = booking
    ? maySeeClient(booking, actor) && { address: booking.client_email, phone: booking.client_phone }
    : (await showClient(context, actor, id)).client
  if (!known || !isStandIn(known.address)) return undefined
  return (phone ?? known.phone) === known.phone ? known.address : undefined
}

/** Returns undefined instead of a not_found. */
async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}

/** Reads the client with an ID, or the client of the booking with it. Throws not_found, also for an erased client. */
export async function clientAt(context: Context, actor: Actor, id: string): Promise<ShownClient> {
  const found = await unlessMissing(showClient(context, actor, id))
  if (found) return found
  const booking = await showBooking(context, actor, id)
  if (booking.client_id === null || !maySeeClient(booking, actor)) throw noSuchClient()
  return showClient(context, actor, booking.client_id)
}

/** Returns true for a booking whose client was erased. */
export async function isErased(context: Context, actor: Actor, bookingId: string): Promise<boolean> {
  const booking = await unlessMissing(showBooking(context, actor, bookingId))
  return booking?.client_email === ''
}

/** Reads when some clients came last, and when they come next. */
export async function clientTimes(context: Context, shown: readonly ShownClient[]) {
  const now = context.clock.now()
  const times = await findClientTimes(
    context.db.reads,
    shown.map(({ client }) => client),
    now,
  )
  return shown.map((one) => ({ ...one, last_at: null, next_at: null, ...times.get(one.client.id) }))
}

/** Counts a client's bookings, or those that start before a time. */
export function clientHistory(
  context: Context,
  { client }: ShownClient,
  before?: Instant,
): Promise<ClientHistory> {
  return countBookings(context.db.reads, client, before)
}

/** A client's past visits, summed up. */
export interface ClientFigures {
  /** Total prices of past visits, one for each currency. */
  spent: { amount: number; currency: string }[]
  /** The service that they had most often, and who gave it. */
  usual: { service: string; staff: string | null } | null
}

/** Sums up a client's past visits. */
export async function clientFigures(context: Context, { client }: ShownClient): Promise<ClientFigures> {
  const now = context.clock.now()
  const [taken, discounted] = await Promise.all([
    findServicesTaken(context.db.reads, client, now),
    findDiscountedVisits(context.db.reads, client, now),
  ])
  const discounts = discounted.flatMap((booking) => shownDiscountOf(booking) ?? [])
  const byCurrency = Map.groupBy(
    taken.filter(({ currency }) => currency !== null),
    ({ currency }) => currency ?? '',
  )
  const byService = Map.groupBy(taken, ({ service_id }) => service_id).values()
  const countOf = (rows: readonly ServiceTaken[]) => rows.reduce((sum, { count }) => sum + count, 0)
  const [most] = [...byService].toSorted((one, other) => countOf(other) - countOf(one))
  const usual = most?.[0] // with the person who gave it most often
  return {
    spent: [...byCurrency].map(([currency, rows]) => ({
      currency,
      amount:
        rows.reduce((sum, { amount }) => sum + (amount ?? 0), 0) -
        discounts.reduce((sum, one) => sum + (one.currency === currency ? one.amount : 0), 0),
    })),
    usual: usual ? { service: usual.service_name, staff: usual.staff_name } : null,
  }
}

/** Returns the clients' names in some bookings of a business, by the ID of the booking. */
export async function clientNamesIn(
  context: Context,
  businessId: string,
  ids: readonly string[],
): Promise<Map<string, { first_name: string; last_name: string; email: string }>> {
  const rows = await findNamesIn(context.db.reads, businessId, [...new Set(ids)])
  return new Map(
    rows.map(({ id, client_first_name: first_name, client_last_name: last_name, client_email: email }) => [
      id,
      { first_name, last_name, email },
    ]),
  )
}

const clientCursors = {
  name: cursorOf('client', textPart, idPart),
  '-name': cursorOf(['client', '-name'], textPart, idPart),
}

import { fullName } from '../base/contact-formats.ts'
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { type Actor, effectivePlan } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { tokenDigest } from '../access/token.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { daySeconds, formatInstant, type Instant, plusSeconds } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import { Slices } from '../base/slices.ts'
import { type Page, timeCursorOf, readPage, presentPage } from '../base/paging.ts'
import type { Context } from '../bookings/context.ts'
import { turnsFor } from '../bookings/costly.ts'
import type { Queries, Reads } from '../database/database.ts'
import { itemName, itemNames, itemsOf, type ShownItem } from '../database/shown-item-rules.ts'
import { lockBusiness, type TenantScope } from '../database/tenant-scope.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { feedBegin, feedEnd, feedEvent } from '../mails/calendar.ts'
import {
  deleteFeedRow,
  type FeedBookingRow,
  type FeedItemRow,
  type FeedRow,
  findBusinessOf,
  findFeed,
  findFeedBookings,
  findFeedItems,
  findFeeds,
  findReadFeed,
  insertFeed,
  maxFeeds,
  type ReadFeed,
  updateDigest,
} from './feed-queries.ts'
import type { FeedCreation, FeedsQuery } from './feed-schemas.ts'

export { maxFeeds } from './feed-queries.ts'

/*
 * Feeds: secret URLs at which calendar programs read the bookings of a staff member, a location or a
 * business. Only the digest of the secret is stored. Each request looks it up, so deleting a feed takes
 * effect at once.
 */

const secretBytes = 32
const secretPattern = /^[\w-]{43}$/

/** A feed and its new URL. */
interface NewFeed {
  feed: FeedRow
  url: string
}

/** Creates a feed. `store` never receives the URL. Throws validation_failed and calendar_limit_reached. */
export async function createFeed(
  context: Context,
  actor: Actor,
  input: FeedCreation,
  store: StoreResponse<null> = storeNothing,
): Promise<NewFeed> {
  const { digest, url } = newSecret(context)
  const feed = await context.db.transaction(async (tx) => {
    const businessId = await businessOf(tx.db, actor, input)
    const row = {
      id: context.ids.next(),
      business_id: businessId,
      staff_id: input.staff_id ?? null,
      location_id: input.location_id ?? null,
      detail: input.detail ?? 'busy',
      digest,
      created_at: tx.now,
    }
    if (!(await insertFeed(tx.db, row)))
      throw new Problem('calendar_limit_reached', `The business has ${maxFeeds} feeds; delete one first.`)
    await recordAudit(context, tx, { by: actor, action: 'feed.created', subjectId: row.id, businessId })
    const created = await existingFeed(tx.db, actor.scope, row.id)
    await store(tx, null)
    return created
  })
  return { feed, url }
}

/**
 * Determines the business from the staff member or location, otherwise from the caller or the request. Locks
 * the business.
 */
async function businessOf(
  db: Queries,
  { scope }: Actor,
  { staff_id, location_id, business_id }: FeedCreation,
): Promise<string> {
  const named = [
    ...(staff_id === undefined ? [] : [{ pointer: '/staff_id', table: 'staff' as const, id: staff_id }]),
    ...(location_id === undefined
      ? []
      : [{ pointer: '/location_id', table: 'locations' as const, id: location_id }]),
  ][0]
  const own = 'businessId' in scope ? scope.businessId : undefined
  const found = named ? await findBusinessOf(db, scope, named) : (business_id ?? own)
  if (found === undefined) {
    if (named) throw unknownReference(named.pointer)
    throw validationProblem([
      {
        pointer: '/business_id',
        code: 'required',
        detail: 'is required unless staff_id or location_id is given',
      },
    ])
  }
  const isOther = business_id !== undefined && business_id !== found
  if (isOther || !(await lockBusiness(db, scope, found))) throw unknownReference('/business_id')
  return found
}

function unknownReference(pointer: string): Problem {
  const noun = { '/staff_id': 'staff member', '/location_id': 'location' }[pointer] ?? 'business'
  const detail = `is not the id of a ${noun} that this key reaches, or not of the same business`
  return validationProblem([{ pointer, code: 'unknown_reference', detail }])
}

function newSecret({ ids, config }: Context): { digest: string; url: string } {
  const secret = ids.bytes(secretBytes).toString('base64url')
  return { digest: tokenDigest(secret), url: `${publicUrl(config)}/feeds/${secret}.ics` }
}

async function existingFeed(db: Reads, scope: TenantScope, id: string): Promise<FeedRow> {
  const feed = isUuid(id) ? await findFeed(db, scope, id.toLowerCase()) : undefined
  if (!feed) throw noSuchFeed()
  return feed
}

function noSuchFeed(): Problem {
  return new Problem('not_found', 'There is no feed with this id.')
}

/** Lists feeds in the caller's scope, newest first. */
export async function listFeeds(
  context: Context,
  actor: Actor,
  query: Static<typeof FeedsQuery>,
): Promise<Page<ReturnType<typeof presentFeed>>> {
  const page = await readPage(query, {
    cursor: feedCursor,
    find: (page) => findFeeds(context.db.reads, actor.scope, { businessId: query.business_id, ...page }),
    position: ({ created_at, id }) => [created_at, id],
  })
  return presentPage(page, presentFeed)
}

const feedCursor = timeCursorOf('feed')

/** Gives a feed a new URL. The old one stops working at once. Throws not_found. */
export async function rotateFeed(
  context: Context,
  actor: Actor,
  id: string,
  store: StoreResponse<null> = storeNothing,
): Promise<NewFeed> {
  const { digest, url } = newSecret(context)
  const feed = await context.db.transaction(async (tx) => {
    const { id: subjectId } = await existingFeed(tx.db, actor.scope, id)
    const updated = await updateDigest(tx.db, actor.scope, { id: subjectId, digest })
    if (!updated) throw noSuchFeed()
    const { business_id: businessId } = updated
    await recordAudit(context, tx, { by: actor, action: 'feed.rotated', subjectId, businessId })
    await store(tx, null)
    return existingFeed(tx.db, actor.scope, subjectId)
  })
  return { feed, url }
}

/** Deletes a feed. Its URL stops working at once. Throws not_found. */
export async function deleteFeed(context: Context, actor: Actor, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchFeed()
  const subjectId = id.toLowerCase()
  await context.db.transaction(async (tx) => {
    const deleted = await deleteFeedRow(tx.db, actor.scope, subjectId)
    if (!deleted) throw noSuchFeed()
    const { business_id: businessId } = deleted
    await recordAudit(context, tx, { by: actor, action: 'feed.deleted', subjectId, businessId })
  })
}

function presentFeed(feed: FeedRow) {
  const { id, business_id, staff_id, location_id, detail, created_at, timezone } = feed
  return {
    ...{ id, business_id, staff_id, location_id, detail },
    created_at: formatInstant(created_at, timezone),
  }
}

/** Returns a feed for display with its URL, which is possible only while the URL is new. */
export function presentNewFeed({ feed, url }: NewFeed) {
  return { ...presentFeed(feed), url }
}

const refreshMinutes = 15
const daysBack = 30
const daysAhead = 366
/** Rows per page. Other requests proceed between two pages. */
const pageRows = 200
/** Bounds the memory of one answer. Upcoming times come first. */
const maxBookings = 20_000

/** The answer to a reader. `text` is undefined if they already have it. */
interface FeedAnswer {
  /** Value of the entity tag, without quotes. */
  tag: string
  text: string | undefined
}

/**
 * Reads a feed by its secret. One index lookup finds out whether the reader already has it. Feeds of one
 * business are read one at a time. Throws not_found, unavailable if too many are waiting, and MemberGone.
 *
 * The tag is read first. A change between the two reads gives a new tag, so the feed is read again.
 */
export async function readFeed(
  context: Pick<Context, 'db' | 'clock'>,
  secret: string,
  { knows, isGone }: { knows: (tag: string) => boolean; isGone?: () => boolean },
): Promise<FeedAnswer> {
  const db = context.db.reads
  const feed = secretPattern.test(secret) ? await findReadFeed(db, tokenDigest(secret)) : undefined
  if (!feed) throw new Problem('not_found', 'There is no feed at this address.')
  const now = context.clock.now()
  const today = `${now.slice(0, 10)}T00:00:00.000Z` as Instant // the time range of a feed moves once a day
  const tag = hash('sha256', JSON.stringify([feed, today]), 'base64url').slice(0, 27)
  if (knows(tag)) return { tag, text: undefined }
  const write = () => writtenFeed(db, feed, { today, slices: new Slices(isGone) })
  return { tag, text: await turnsFor(context, 'feed').run(feed.business_id, write, isGone) }
}

async function writtenFeed(
  db: Reads,
  feed: ReadFeed,
  { today, slices }: { today: Instant; slices: Slices },
): Promise<string> {
  const parts = [feedBegin({ name: nameOf(feed), timezone: feed.timezone, refreshMinutes })]
  const range = {
    feed,
    from: plusSeconds(today, -daysBack * daySeconds),
    to: plusSeconds(today, daysAhead * daySeconds),
    rows: pageRows,
  }
  const busy = languageFor(feed.locale).say('calendar.busy')
  let read = 0
  /** Adds the events of all pages of a list. */
  const add = async <Row extends FeedBookingRow | FeedItemRow>(
    find: (after: readonly [Instant, string] | undefined) => Promise<Row[]>,
    position: (row: Row) => readonly [Instant, string],
  ) => {
    for (let after: readonly [Instant, string] | undefined; read < maxBookings; read += pageRows) {
      const rows = await find(after)
      parts.push(...(await slices.map(rows, (row) => feedEvent(appointmentOf(feed, row, busy)))))
      await slices.giveWay()
      const last = rows.at(-1)
      if (!last || rows.length < pageRows) break
      after = position(last)
    }
  }
  await add(
    (after) => findFeedBookings(db, { ...range, after }),
    (row) => [row.starts_at, row.id],
  )
  const { staff_id } = feed
  // a person's feed shows their own part of a visit
  if (staff_id !== null)
    await add(
      (after) => findFeedItems(db, { ...range, feed: { ...feed, staff_id }, after }),
      (row) => [row.item_starts_at, row.item_id],
    )
  return parts.join('') + feedEnd
}

function nameOf(feed: ReadFeed): string {
  const hasBrand = effectivePlan(feed.plan, feed.hub_plan) === 'enterprise'
  const business = (hasBrand ? feed.brand_name : null) ?? feed.business_name
  const whose = feed.staff_name ?? feed.location_name
  return whose === null ? business : `${whose} – ${business}`
}

/** Returns a booking, or an item of a visit, as calendars show it. */
export function appointmentOf(
  { detail, timezone }: Pick<ReadFeed, 'detail' | 'timezone'>,
  booking: FeedBookingRow | FeedItemRow,
  busy: string,
) {
  const { version, updated_at: writtenAt } = booking
  const all = itemsOf(booking)
  const items = 'item_id' in booking ? all.filter(({ id }) => id === booking.item_id) : all
  const {
    id,
    starts_at: startsAt,
    ends_at: endsAt,
  } = ('item_id' in booking ? items[0] : undefined) ?? booking
  const times = { id, version, startsAt, endsAt, writtenAt, isCancelled: false }
  if (detail === 'busy') return { ...times, title: busy, place: '', description: '' }
  const { client_first_name, client_last_name } = booking
  const service = itemNames(items)
  const people = items.length > 1 ? items.map((item) => itemLine(item, timezone)) : [items[0]?.staff?.name]
  const client = booking.erased_at === null ? fullName(client_first_name, client_last_name) : ''
  return {
    ...times,
    title: client === '' ? service : `${service} – ${client}`,
    place: booking.online_url ?? [booking.location_name, booking.location_address].filter(Boolean).join(', '),
    description: [...people, booking.client_phone, booking.online_url].filter(Boolean).join('\n'),
    isTentative: booking.status === 'pending',
    url: booking.online_url,
  }
}

/** Returns a line such as `10:00 Cut, Anna`, in the zone of the feed. */
function itemLine(item: ShownItem, timezone: string): string {
  const time = formatInstant(item.starts_at, timezone).slice(11, 16)
  return [`${time} ${itemName(item)}`, item.staff?.name].filter(Boolean).join(', ')
}

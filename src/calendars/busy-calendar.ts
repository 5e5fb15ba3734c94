import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import {
  daySeconds,
  formatInstant,
  type Instant,
  nearestInstant,
  plusMinutes,
  plusSeconds,
  secondsUntil,
  toMs,
} from '../base/instants.ts'
import { type Page, timeCursorOf, readPage, presentPage } from '../base/paging.ts'
import { merged } from '../bookings/calendar-rules.ts'
import type { Context } from '../bookings/context.ts'
import type { Reads, Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { lockBusiness } from '../database/tenant-scope.ts'
import { writeCalendarMails } from '../mails/calendar-mail.ts'
import { checkDestination } from '../webhooks/addresses.ts'
import { readRetryAfter } from '../webhooks/send.ts'
import {
  type BusyCalendarRow,
  deleteBusyCalendarRow,
  findBusyBlocks,
  findBusyCalendar,
  findBusyCalendars,
  findOldestCopy,
  findOwnBookings,
  insertBusyCalendar,
  leaseCalendar,
  lockStaffMember,
  maxBusyCalendars,
  replaceBlocks,
  tellOf,
  unread,
  writeFetch,
} from './busy-calendar-queries.ts'
import type { BusyCalendarCreation, BusyCalendarsQuery } from './busy-calendar-schemas.ts'
import type { CalendarReader, Fetched } from './busy-file.ts'
import type { BusyTime } from './busy-times.ts'
import { findCalendarAccount } from './calendar-account-queries.ts'
import { openAccount } from './account-server.ts'
import { putBackChanged, writtenOf } from './calendar-account.ts'
import { FetchFailed, type FetchFault, type FetchProblem, faultOf } from './calendar-http.ts'
import { type CalendarFault, horizonDays, lastFault, told, withPlace } from './fetch-problems.ts'
import { findBusinessOf } from './feed-queries.ts'
import { realNow } from '../base/clock.ts'

export { maxBusyCalendars } from './busy-calendar-queries.ts'

/*
 * Busy calendars: external calendars of staff, fetched every 15 minutes by one of the servers. Their times
 * become blocks that name the calendar. A failed fetch changes no block, so it never frees time.
 *
 * The URL is a secret. It is stored because fetches need it, but never shown or logged.
 */

const pollMinutes = 15
/** Calendars of accounts are asked whether anything has changed, which costs little. */
const accountPollSeconds = 45
/** The same where the provider reports changes, for those that it missed. */
const pushedPollSeconds = 300
/** A report of a change during this time waits for the end of the reading. */
const readingSeconds = accountPollSeconds
/**
 * Hours before the next attempt at a file whose reading was aborted. Such a file occupies a core of this
 * machine.
 */
const restHours = 6
const heavy = new Set<FetchProblem>(['too_slow', 'too_much_memory'])
/** An account that somebody has to connect again. The business is notified at once. */
const ended = new Set<FetchProblem>(['sign_in_refused', 'secret_changed', 'access_revoked'])
/** A failing calendar is retried after as long as it has been failing, up to this limit. */
const maxPauseMinutes = 60
/** Hours of failure after which the business is notified. */
const tellAfterHours = 24
/**
 * Hours of failure after which other calendars of the business join the notification. A failing provider
 * usually fails for all.
 */
const joinAfterHours = 12

/**
 * Adds a calendar, which is due at once. With `once`, rejects a URL that the staff member already has. Throws
 * validation_failed and calendar_limit_reached.
 */
export async function addBusyCalendar(
  context: Context,
  actor: Actor,
  { staff_id, url: given, once = false }: BusyCalendarCreation & { once?: boolean },
  store: StoreResponse<BusyCalendarRow> = storeNothing,
): Promise<BusyCalendarRow> {
  const url = secureAddress(given)
  await checkDestination(context, url, { example })
  return context.db.transaction(async (tx) => {
    const businessId = await lockStaffMember(tx.db, actor.scope, staff_id)
    if (businessId === undefined) throw noSuchStaffMember()
    if (once) await assertNewAddress(tx.db, { businessId, staffId: staff_id, url })
    const id = context.ids.next()
    const row = {
      ...{ id, business_id: businessId, staff_id, url, etag: null, last_modified: null },
      ...{ last_fetched_at: null, last_error: null, busy_until: null },
      ...{ next_fetch_at: realNow(tx.now), created_at: tx.now, failing_since: null, told_at: null },
      ...{ account_id: null, name: null, keeps_busy: 1 as const, ...unread },
    }
    if (!(await insertBusyCalendar(tx.db, row))) throw tooManyCalendars()
    const action = 'busy_calendar.created'
    await recordAudit(context, tx, { by: actor, action, subjectId: id, businessId })
    const created = await findBusyCalendar(tx.db, actor.scope, id)
    if (!created) throw noSuchCalendar()
    await store(tx, created)
    return created
  })
}

function noSuchStaffMember(): Problem {
  const detail = 'is not the id of a staff member that this key reaches'
  return validationProblem([{ pointer: '/staff_id', code: 'unknown_reference', detail }])
}

function tooManyCalendars(): Problem {
  const detail = `The staff member has ${maxBusyCalendars} busy calendars; delete one first.`
  return new Problem('calendar_limit_reached', detail)
}

/** Returns the calendars of the staff member. Throws validation_failed if one of them has this URL. */
async function assertNewAddress(
  db: Reads,
  { businessId, staffId, url }: { businessId: string; staffId: string; url: string },
): Promise<BusyCalendarRow[]> {
  const filter = { businessId, staffId, after: undefined, rows: maxBusyCalendars }
  const known = await findBusyCalendars(db, { businessId }, filter)
  if (known.some((calendar) => new URL(calendar.url).href === new URL(url).href)) {
    const detail = 'is already the address of a busy calendar of this staff member'
    throw validationProblem([{ pointer: '/url', code: 'repeated', detail }])
  }
  return known
}

const secureAddress = (given: string) => given.replace(/^webcals?:/i, 'https:')

const example = 'https://calendar.example.com/anna/basic.ics'

/** Time limit in milliseconds, because a person is waiting. */
const checkMs = 5_000

/**
 * Tries to read the calendar at a URL and returns the reason why it cannot be added. Returns undefined for a
 * valid calendar and for a server that may answer later. Does not fetch a calendar that could not be added.
 * Throws validation_failed, calendar_limit_reached, or unavailable if too many are waiting.
 */
export async function calendarFault(
  context: Context,
  actor: Actor,
  { staff_id, url: given }: Pick<BusyCalendarCreation, 'staff_id' | 'url'>,
  reader: CalendarReader,
): Promise<(CalendarFault & { origin: string }) | undefined> {
  const url = secureAddress(given)
  await checkDestination(context, url, { example })
  const db = context.db.reads
  const businessId = await findBusinessOf(db, actor.scope, { table: 'staff', id: staff_id })
  if (businessId === undefined) throw noSuchStaffMember()
  const known = await assertNewAddress(db, { businessId, staffId: staff_id, url })
  if (known.length === maxBusyCalendars) throw tooManyCalendars()
  const now = context.clock.now()
  const read = await reader.look(businessId, url, {
    ...{ fromMs: toMs(now), toMs: toMs(plusSeconds(now, horizonDays * daySeconds)) },
    ...{ timezone: 'UTC', withinMs: checkMs },
  })
  if (!read || !('problem' in read) || read.problem === undefined || passing.test(read.problem))
    return undefined
  return { ...told(read), origin: new URL(url).origin }
}

/** Problems of a reachable server that may be over by the next fetch. */
const passing = /^(timeout|too_slow|too_much_memory|connection_reset|status_(429|5\d\d))$/

function noSuchCalendar(): Problem {
  return new Problem('not_found', 'There is no busy calendar with this id.')
}

/** Lists busy calendars in the caller's scope, newest first, as the API shows them. */
export async function listBusyCalendars(
  context: Context,
  actor: Actor,
  query: Static<typeof BusyCalendarsQuery>,
): Promise<Page<ReturnType<typeof presentBusyCalendar>>> {
  return presentPage(await pageOfBusyCalendars(context, actor, query), presentBusyCalendar)
}

/** Returns the rows of `listBusyCalendars`, also those of accounts if wanted. */
export function pageOfBusyCalendars(
  context: Context,
  actor: Actor,
  { withAccounts = false, ...query }: Static<typeof BusyCalendarsQuery> & { withAccounts?: boolean },
): Promise<Page<BusyCalendarRow>> {
  const filter = { businessId: query.business_id, staffId: query.staff_id, withAccounts }
  return readPage(query, {
    cursor: busyCalendarCursor,
    find: (page) => findBusyCalendars(context.db.reads, actor.scope, { ...filter, ...page }),
    position: ({ created_at, id }) => [created_at, id],
  })
}

const busyCalendarCursor = timeCursorOf('busy-calendar')

/** Deletes a busy calendar and its times. Throws not_found. */
export async function deleteBusyCalendar(context: Context, actor: Actor, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchCalendar()
  const subjectId = id.toLowerCase()
  await context.db.transaction(async (tx) => {
    const businessId = await deleteBusyCalendarRow(tx.db, actor.scope, subjectId)
    if (businessId === undefined) throw noSuchCalendar()
    const action = 'busy_calendar.deleted'
    await recordAudit(context, tx, { by: actor, action, subjectId, businessId })
  })
}

/** Returns a busy calendar for display, with only the host of its URL. */
export function presentBusyCalendar(calendar: BusyCalendarRow) {
  const { id, business_id, staff_id, url, timezone } = calendar
  const local = (instant: Instant | null) => instant && formatInstant(instant, timezone)
  const fault = lastFault(calendar)
  return {
    ...{ id, business_id, staff_id, host: new URL(url).host },
    last_fetched_at: local(calendar.last_fetched_at),
    last_error: fault ? withPlace(fault.sentence, fault.where) : null,
    busy_until: local(calendar.busy_until),
    created_at: formatInstant(calendar.created_at, timezone),
  }
}

/** Returns the age of the oldest copy of a calendar in seconds; 0 without calendars. */
export async function readOldestCopy({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const oldest = await findOldestCopy(db.reads)
  return oldest === undefined ? 0 : Math.max(0, secondsUntil(oldest, clock.now()))
}

/** Fetches a calendar now. Throws not_found. The returned calendar contains the result. */
export async function fetchBusyCalendar(
  context: Context,
  actor: Actor,
  { id, reader }: { id: string; reader: CalendarReader },
): Promise<BusyCalendarRow> {
  const find = () =>
    isUuid(id) ? findBusyCalendar(context.db.reads, actor.scope, id.toLowerCase()) : undefined
  const calendar = await find()
  if (!calendar) throw noSuchCalendar()
  const leased = await leaseBusyCalendar(context, calendar)
  if (leased) await fetchLeased(context, leased, reader)
  const fetched = await find()
  if (!fetched) throw noSuchCalendar()
  return fetched
}

/** Leases a calendar until its next fetch. Returns undefined if another server was faster. */
export async function leaseBusyCalendar(
  { db, clock }: Context,
  calendar: BusyCalendarRow,
): Promise<BusyCalendarRow | undefined> {
  const now = clock.now()
  const next_fetch_at = plusSeconds(now, pollSecondsOf(calendar, now))
  const reading_until = plusSeconds(now, readingSeconds)
  const isLeased = await db.transaction((tx) =>
    leaseCalendar(tx.db, calendar, { next_fetch_at, reading_until }),
  )
  return isLeased ? { ...calendar, next_fetch_at } : undefined
}

function pollSecondsOf(
  { account_id, channel_until }: Pick<BusyCalendarRow, 'account_id' | 'channel_until'>,
  now: Instant,
): number {
  if (account_id === null) return pollMinutes * 60
  return channel_until !== null && channel_until > now ? pushedPollSeconds : accountPollSeconds
}

/** Fetches a leased calendar. Stores the result if the lease still holds. */
export async function fetchLeased(
  context: Context,
  calendar: BusyCalendarRow,
  reader: CalendarReader,
): Promise<void> {
  const { db, clock } = context
  const now = clock.now()
  const horizon = plusSeconds(now, horizonDays * daySeconds)
  // after a day, an unchanged answer is read again, because times beyond the horizon have come into range
  const isFresh = calendar.busy_until !== null && calendar.busy_until > plusSeconds(horizon, -daySeconds)
  const span = { fromMs: toMs(now), toMs: toMs(horizon), timezone: calendar.timezone }
  const known = isFresh ? calendar : undefined
  const { account_id: accountId } = calendar
  // before the calendar is read, so that events written meanwhile are not taken for changed ones
  const written = accountId === null ? [] : await writtenOf(context, accountId)
  const fetched =
    accountId === null
      ? await reader.read(calendar.url, { ...span, known })
      : await readThroughAccount(context, reader, { calendar, accountId, span, known })
  if (!fetched) return
  await db.transaction(async (tx) => {
    const isStored = await write(context, tx, { calendar, fetched, horizon })
    if (isStored && fetched.times)
      await putBackChanged(tx, { calendar: calendar.url, own: fetched.own ?? [], written }, span)
  })
  if ('problem' in fetched)
    context.log.info(
      { busy_calendar: calendar.id, problem: fetched.problem },
      'a busy calendar has no new copy',
    )
}

/** Reads a calendar of an account, unless its server says that nothing has changed. */
async function readThroughAccount(
  context: Context,
  reader: CalendarReader,
  {
    calendar,
    accountId,
    span,
    known,
  }: {
    calendar: BusyCalendarRow
    accountId: string
    span: { fromMs: number; toMs: number; timezone: string }
    known: Pick<BusyCalendarRow, 'etag'> | undefined
  },
): Promise<Fetched | undefined> {
  const { business_id, url } = calendar
  try {
    const account = await findCalendarAccount(
      context.db.reads,
      { scope: { businessId: business_id }, staffId: undefined },
      accountId,
    )
    if (!account) return undefined // deleted meanwhile
    const server = await openAccount(context, reader, account)
    const read = await server.read(url, span, known?.etag ?? null)
    if (!read) return { times: undefined }
    const times = calendar.keeps_busy === 1 ? read.times : []
    return { times, own: read.own, etag: read.state, last_modified: null }
  } catch (error) {
    if (reader.http.isClosed) return undefined
    const retryAfter = error instanceof FetchFailed ? error.retryAfter : null
    return { times: undefined, ...faultOf(error), retryAfter }
  }
}

/** Stores the result of a fetch. Returns true for new times. */
async function write(
  context: Context,
  tx: Transaction,
  { calendar, fetched, horizon }: { calendar: BusyCalendarRow; fetched: Fetched; horizon: Instant },
): Promise<boolean> {
  if (!fetched.times) {
    if (fetched.problem === undefined)
      await writeFetch(tx.db, calendar, { ...works, last_fetched_at: tx.now })
    else await writeFailure(context, tx, { calendar, fault: fetched })
    return false
  }
  const { times, etag, last_modified } = fetched
  const isOfAccount = calendar.account_id !== null // its state may be an address
  const validators = {
    etag: usable(etag, isOfAccount ? maxState : undefined),
    last_modified: usable(last_modified),
  }
  const outcome = { ...validators, ...works, last_fetched_at: tx.now, busy_until: horizon }
  if (!(await writeFetch(tx.db, calendar, outcome))) return false
  await replaceTimes(context, tx, { calendar, times })
  return true
}

/** Fields that a successful fetch resets, so that the next outage causes a new notification. */
const works = { last_error: null, failing_since: null, told_at: null }

/** Stores the reason for a failed fetch. After a day of outage, also notifies the business, once. */
async function writeFailure(
  context: Context,
  tx: Transaction,
  {
    calendar,
    fault: { problem, where, retryAfter },
  }: { calendar: BusyCalendarRow; fault: FetchFault & { retryAfter?: string | null } },
): Promise<void> {
  const failing_since = calendar.failing_since ?? tx.now
  const isOver = calendar.account_id !== null && ended.has(problem)
  const tellAfterSeconds = isOver ? 0 : tellAfterHours * 3_600
  const isNews = calendar.told_at === null && secondsUntil(failing_since, tx.now) >= tellAfterSeconds
  // locked before the calendar's row, so that two calendars of one business cannot wait for each other
  if (isNews) await lockBusiness(tx.db, { businessId: calendar.business_id }, calendar.business_id)
  const failingMinutes = secondsUntil(failing_since, tx.now) / 60
  const pauseMinutes = Math.min(
    Math.max(pollSecondsOf(calendar, tx.now) / 60, Math.floor(failingMinutes)),
    maxPauseMinutes,
  )
  const askedSeconds = readRetryAfter(retryAfter ?? undefined, toMs(tx.now)) ?? 0
  const askedMinutes = Math.min(askedSeconds / 60, maxPauseMinutes)
  const next_fetch_at = plusMinutes(
    tx.now,
    heavy.has(problem) ? restHours * 60 : Math.max(pauseMinutes, askedMinutes),
  )
  const last_error = where === undefined ? problem : `${problem} ${where}`
  if (!(await writeFetch(tx.db, calendar, { last_error, failing_since, next_fetch_at })) || !isNews) return
  const others = plusSeconds(tx.now, -joinAfterHours * 3_600)
  if (await tellOf(tx.db, calendar, { now: tx.now, others })) await writeCalendarMails(context, tx, calendar)
}

const maxState = 4_000

/** Returns a response header if it is short enough to store and send back. */
function usable(header: string | null, max = 500): string | null {
  return header !== null && header.length <= max ? header : null
}

/** Replaces the blocks of a calendar by its times. Unchanged blocks are not written. */
async function replaceTimes(
  context: Context,
  tx: Transaction,
  { calendar, times }: { calendar: BusyCalendarRow; times: readonly BusyTime[] },
): Promise<void> {
  const { id, business_id, staff_id } = calendar
  const ids = new Set(times.flatMap(([, , bookingId]) => bookingId ?? []))
  const own = await findOwnBookings(tx.db, business_id, [...ids])
  const wanted = new Map(
    merged(
      times
        .filter(([, , bookingId]) => bookingId === null || !own.has(bookingId))
        .map(([from, to]) => ({ from, to })),
    ).map(({ from, to }) => {
      const [starts_at, ends_at] = [nearestInstant(from), nearestInstant(to)]
      return [`${starts_at} ${ends_at}`, { starts_at, ends_at }]
    }),
  )
  const gone: string[] = []
  for (const block of await findBusyBlocks(tx.db, id)) {
    if (!wanted.delete(`${block.starts_at} ${block.ends_at}`)) gone.push(block.id)
  }
  const added = [...wanted.values()].map((span) => ({
    ...{ id: context.ids.next(), business_id, staff_id, location_id: null, resource_id: null },
    ...{ ...span, reason: null, created_at: tx.now, busy_calendar_id: id, booking_ids_json: null },
  }))
  await replaceBlocks(tx.db, { gone, added })
}

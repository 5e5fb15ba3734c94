import type { Static } from 'typebox'
import { type Actor, hasRole } from '../access/actor.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, type Instant, toMs } from '../base/instants.ts'
import { type Page, timeCursorOf, readPage } from '../base/paging.ts'
import type { Context } from '../bookings/context.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Reads, Transaction } from '../database/database.ts'
import type { AccountCalendar, CalendarAccountsTable, CalendarWritesTable } from '../database/tables.ts'
import {
  type BusyCalendarRow,
  deleteCalendarRows,
  findCalendarsOf,
  insertBusyCalendar,
  lockStaffMember,
  maxBusyCalendars,
  unread,
  updateKeepsBusy,
} from './busy-calendar-queries.ts'
import { type CalendarFault, lastFault, told, withPlace } from './fetch-problems.ts'
import {
  type AccountReach,
  type CalendarAccountRow,
  countBrokenAccounts,
  deleteCalendarAccountRow,
  findCalendarAccount,
  findCalendarAccounts,
  findWritten,
  giveUpWrites,
  lockCalendarAccount,
  makeAllDue,
  putBack,
  readCalendarsAgain,
  storeCalendarAccount,
  updateCalendarAccount,
} from './calendar-account-queries.ts'
import type {
  CalendarAccount,
  CalendarAccountChange,
  CalendarAccountsQuery,
} from './calendar-account-schemas.ts'
import { recordDisconnection } from './calendar-disconnections.ts'
import type { FetchProblem } from './calendar-http.ts'
import type { CalendarReading, FoundAccount, WrittenEvent } from './calendar-server.ts'
import { findBusinessOf } from './feed-queries.ts'
import { assertNoTest, businessInScope } from '../catalogue/business.ts'

/*
 * Calendar accounts of staff. Chosen calendars are read every minute as busy calendars, by the same worker. Bookings
 * are written into one of them (calendar-writer.ts). Below managers, people see and change only their own accounts.
 */

/** An account with its credential, as it was just accepted. */
interface ConnectedAccount {
  kind: CalendarAccountsTable['kind']
  staff_id: string
  credential_sealed: string
  found: FoundAccount
}

/**
 * Stores an account. At first, its first calendar keeps the staff member busy, and none receives bookings. A known
 * account gets the new credential and is read and written again. Throws validation_failed and calendar_limit_reached.
 */
export async function storeConnected(
  context: Context,
  actor: Actor,
  { kind, staff_id, credential_sealed, found: { address, userName: user_name, calendars } }: ConnectedAccount,
): Promise<CalendarAccountRow> {
  return context.db.transaction(async (tx) => {
    const businessId = await lockStaffMember(tx.db, actor.scope, staff_id)
    if (businessId === undefined || !isOwnStaff(actor, staff_id)) throw noSuchStaffMember()
    const fresh = context.ids.next()
    const account = {
      ...{ id: fresh, business_id: businessId, staff_id, kind, address, user_name, credential_sealed },
      ...{ calendars_json: JSON.stringify(calendars), writes_to: null, write_failures: 0 },
      ...{ next_write_at: tx.now, connected_at: tx.now, created_at: tx.now },
    }
    const id = await storeCalendarAccount(tx.db, account)
    const stored = await lockCalendarAccount(tx.db, reachOf(actor), id)
    if (!stored) throw noSuchAccount()
    if (id === fresh) await choose(context, tx, stored, { keeps_busy: firstOf(calendars), writes_to: null })
    else {
      await readCalendarsAgain(tx.db, id, tx.now)
      await makeAllDue(tx.db, stored, tx.now)
    }
    const action = id === fresh ? 'calendar_account.created' : 'calendar_account.updated'
    await recordAudit(context, tx, { by: actor, action, subjectId: id, businessId })
    return accountInScope(tx.db, actor, id)
  })
}

/** Throws validation_failed unless the caller may connect accounts of a staff member. */
export async function assertMayConnect({ db }: Context, actor: Actor, staffId: string): Promise<void> {
  const known = isUuid(staffId)
    ? await findBusinessOf(db.reads, actor.scope, { table: 'staff', id: staffId })
    : undefined
  if (known === undefined || !isOwnStaff(actor, staffId)) throw noSuchStaffMember()
  assertNoTest(await businessInScope(db.reads, actor.scope, known), 'It writes to no calendars.')
}

/** Returns true if the caller may have accounts of a staff member. */
function isOwnStaff(actor: Actor, staffId: string): boolean {
  const own = ownStaffId(actor)
  return own === undefined || own === staffId
}

/** Returns the only staff member whose accounts the caller may have; undefined if there is no such limit. */
function ownStaffId(actor: Actor): string | null | undefined {
  return actor.type === 'person' && !hasRole(actor, 'manager') ? actor.staffId : undefined
}

function reachOf(actor: Actor): AccountReach {
  return { scope: actor.scope, staffId: ownStaffId(actor) }
}

function firstOf(calendars: readonly AccountCalendar[]): string[] {
  const first = calendars.find(({ writable }) => writable) ?? calendars[0]
  return first ? [first.calendar] : []
}

function noSuchStaffMember(): Problem {
  const detail = 'is not the id of a staff member that this key reaches'
  return validationProblem([{ pointer: '/staff_id', code: 'unknown_reference', detail }])
}

function noSuchAccount(): Problem {
  return new Problem('not_found', 'There is no calendar account with this id.')
}

async function accountInScope(db: Reads, actor: Actor, id: string): Promise<CalendarAccountRow> {
  const account = isUuid(id) ? await findCalendarAccount(db, reachOf(actor), id.toLowerCase()) : undefined
  if (!account) throw noSuchAccount()
  return account
}

/** The calendars of an account that Holdfast uses. */
interface Choice {
  keeps_busy: readonly string[]
  writes_to: string | null
}

/**
 * Changes which calendars keep the staff member busy and which one receives bookings. Upcoming bookings move to a new
 * one. Throws not_found, validation_failed and calendar_limit_reached.
 */
export async function changeCalendarAccount(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: CalendarAccountChange },
): Promise<CalendarAccountShown> {
  if (!isUuid(id)) throw noSuchAccount()
  return context.db.transaction(async (tx) => {
    const account = await lockCalendarAccount(tx.db, reachOf(actor), id.toLowerCase())
    if (!account) throw noSuchAccount()
    assertKnown(account, change)
    const present = await findCalendarsOf(tx.db, account.id)
    const busy = present.filter(({ keeps_busy }) => keeps_busy === 1).map(({ url }) => url)
    const { keeps_busy = busy, writes_to = account.writes_to } = change
    await choose(context, tx, account, { keeps_busy, writes_to })
    const audit = { action: 'calendar_account.updated', subjectId: account.id } as const
    await recordAudit(context, tx, { by: actor, ...audit, businessId: account.business_id })
    return showCalendarAccount({ db: { reads: tx.db } }, actor, account.id)
  })
}

function assertKnown(
  account: CalendarAccountsTable,
  { keeps_busy = [], writes_to }: CalendarAccountChange,
): void {
  const calendars = calendarsOf(account)
  const detail = 'is not a calendar of this account'
  for (const [index, calendar] of keeps_busy.entries()) {
    if (!calendars.some((one) => one.calendar === calendar))
      throw validationProblem([{ pointer: `/keeps_busy/${index}`, code: 'unknown_reference', detail }])
  }
  if (writes_to === undefined || writes_to === null) return
  const target = calendars.find((one) => one.calendar === writes_to)
  if (!target) throw validationProblem([{ pointer: '/writes_to', code: 'unknown_reference', detail }])
  if (!target.writable) {
    const reason = 'is a calendar that this account may only read'
    throw validationProblem([{ pointer: '/writes_to', code: 'not_allowed', detail: reason }])
  }
}

function calendarsOf({ calendars_json }: Pick<CalendarAccountsTable, 'calendars_json'>): AccountCalendar[] {
  return JSON.parse(calendars_json) as AccountCalendar[]
}

async function choose(
  context: Context,
  tx: Transaction,
  account: CalendarAccountsTable,
  { keeps_busy, writes_to }: Choice,
): Promise<void> {
  const used = new Set(writes_to === null ? keeps_busy : [...keeps_busy, writes_to])
  const present = await findCalendarsOf(tx.db, account.id)
  const unused = present.filter(({ url }) => !used.has(url))
  await recordDisconnection(context, tx, { account, calendars: unused, endsGrant: false })
  await deleteCalendarRows(
    tx.db,
    unused.map(({ id }) => id),
  )
  for (const url of used) {
    const isBusy = keeps_busy.includes(url) ? 1 : 0
    const known = present.find((one) => one.url === url)
    if (known && known.keeps_busy !== isBusy)
      await updateKeepsBusy(tx.db, known.id, { keeps_busy: isBusy, now: tx.now })
    if (!known) await addCalendar(context, tx, { account, url, isBusy })
  }
  if (writes_to === account.writes_to) return
  await updateCalendarAccount(tx.db, account.id, { writes_to })
  await makeAllDue(tx.db, account, tx.now)
}

async function addCalendar(
  { ids }: Context,
  tx: Transaction,
  { account, url, isBusy }: { account: CalendarAccountsTable; url: string; isBusy: 0 | 1 },
): Promise<void> {
  const { id: account_id, business_id, staff_id } = account
  const row = {
    ...{ id: ids.next(), business_id, staff_id, url, etag: null, last_modified: null },
    ...{ last_fetched_at: null, last_error: null, busy_until: null },
    ...{ next_fetch_at: tx.now, created_at: tx.now, failing_since: null, told_at: null },
    ...{ account_id, keeps_busy: isBusy, ...unread },
    channel_due_at: account.kind === 'caldav' ? null : tx.now,
    name: calendarsOf(account).find(({ calendar }) => calendar === url)?.name ?? null,
  }
  if (await insertBusyCalendar(tx.db, row)) return
  const detail = `Holdfast reads at most ${maxBusyCalendars} calendars of a staff member; choose fewer.`
  throw new Problem('calendar_limit_reached', detail)
}

/**
 * Forgets an account with its password, its times and its queue. Events that were written stay in its calendar. A
 * provider is then asked to end its channels and its grant. Throws not_found.
 */
export async function deleteCalendarAccount(context: Context, actor: Actor, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchAccount()
  await context.db.transaction(async (tx) => {
    const account = await lockCalendarAccount(tx.db, reachOf(actor), id.toLowerCase())
    if (!account) throw noSuchAccount()
    const calendars = await findCalendarsOf(tx.db, account.id)
    await recordDisconnection(context, tx, { account, calendars, endsGrant: true })
    await deleteCalendarRows(
      tx.db,
      calendars.map((calendar) => calendar.id),
    )
    await deleteCalendarAccountRow(tx.db, account.id)
    const audit = { action: 'calendar_account.deleted', subjectId: account.id } as const
    await recordAudit(context, tx, { by: actor, ...audit, businessId: account.business_id })
  })
}

const cursor = timeCursorOf('calendar-account')

/** Lists accounts in the caller's scope, newest first. */
export async function listCalendarAccounts(
  context: Pick<Context, 'db'>,
  actor: Actor,
  query: Static<typeof CalendarAccountsQuery>,
): Promise<Page<CalendarAccountShown>> {
  const { reads } = context.db
  const filter = { businessId: query.business_id, staffId: query.staff_id }
  const { data, next_cursor } = await readPage(query, {
    cursor,
    find: (range) => findCalendarAccounts(reads, reachOf(actor), { ...filter, ...range }),
    position: ({ created_at, id }) => [created_at, id],
  })
  const calendars = await findCalendarsOf(reads, ...data.map(({ id }) => id))
  const of = ({ id }: CalendarAccountRow) => calendars.filter(({ account_id }) => account_id === id)
  return { data: data.map((row) => shownAccount(row, of(row))), next_cursor }
}

/** Shows an account. Throws not_found. */
export async function showCalendarAccount(
  { db }: { db: Pick<Context['db'], 'reads'> },
  actor: Actor,
  id: string,
): Promise<CalendarAccountShown> {
  const account = await accountInScope(db.reads, actor, id)
  return shownAccount(account, await findCalendarsOf(db.reads, account.id))
}

/** An account for the console: with its faults and the address of its server. `presentCalendarAccount` leaves them out. */
export interface CalendarAccountShown extends Static<typeof CalendarAccount> {
  url: string
  fault: CalendarFault | undefined
  write_fault: CalendarFault | undefined
}

/** Returns an account for the API. */
export function presentCalendarAccount({
  url: _url,
  fault: _fault,
  write_fault: _writeFault,
  ...account
}: CalendarAccountShown): Static<typeof CalendarAccount> {
  return account
}

function shownAccount(
  account: CalendarAccountRow,
  calendars: readonly BusyCalendarRow[],
): CalendarAccountShown {
  const { id, business_id, staff_id, kind, address, user_name, timezone, waiting, writes_to } = account
  const local = (instant: Instant) => formatInstant(instant, timezone)
  const fetched = calendars.map(({ last_fetched_at }) => last_fetched_at)
  const oldest = fetched.includes(null) ? undefined : fetched.filter((at) => at !== null).toSorted()[0]
  const fault = calendars.map(lastFault).find((one) => one !== undefined)
  const { last_write_error: code } = account
  const writeFault = code === null ? undefined : told({ problem: code as FetchProblem })
  return {
    ...{ id, business_id, staff_id, kind, host: new URL(address).host, user_name },
    ...{ url: address, fault, write_fault: writeFault },
    calendars: calendarsOf(account),
    keeps_busy: calendars.filter(({ keeps_busy }) => keeps_busy === 1).map(({ url }) => url),
    writes_to,
    last_fetched_at: oldest === undefined ? null : local(oldest),
    last_error: fault ? withPlace(fault.sentence, fault.where) : null,
    waiting,
    last_write_error: writeFault?.sentence ?? null,
    connected_at: local(account.connected_at),
    created_at: local(account.created_at),
  }
}

/** Counts the accounts of a business that have stopped working. */
export function brokenAccounts({ db }: Pick<Context, 'db'>, businessId: string): Promise<number> {
  return countBrokenAccounts(db.reads, businessId)
}

/** Returns an event of which nothing is known but that it may be there. */
export function planned({ item, calendar, starts_at, ends_at }: Omit<WrittenEvent, 'etag'>): WrittenEvent {
  return { item, calendar, starts_at, ends_at, etag: '', digest: '' }
}

/** Events that an account has written, before its calendar is read. */
export type Written = Pick<CalendarWritesTable, 'account_id' | 'booking_id' | 'changes' | 'objects_json'>

/** Finds the events that an account has written. */
export function writtenOf({ db }: Context, accountId: string): Promise<Written[]> {
  return findWritten(db.reads, accountId)
}

/** Makes the events due that somebody changed or deleted in a calendar. All its events in a span were read before. */
export async function putBackChanged(
  tx: Transaction,
  { calendar, own, written }: { calendar: string; own: CalendarReading['own']; written: readonly Written[] },
  { fromMs, toMs: untilMs }: { fromMs: number; toMs: number },
): Promise<void> {
  const found = new Map(own)
  const isRead = (event: WrittenEvent) =>
    event.calendar === calendar && toMs(event.ends_at) > fromMs && toMs(event.starts_at) < untilMs
  const shownOf = (event: WrittenEvent) => found.get(event.key ?? event.item)
  for (const row of written) {
    const events = JSON.parse(row.objects_json) as WrittenEvent[]
    const isChanged = events.some((event) => isRead(event) && shownOf(event) !== (event.shown ?? event.etag))
    if (!isChanged) continue
    // a deleted event may still have its ID in a bin
    const objects = events.map((event) =>
      isRead(event) && shownOf(event) === undefined ? planned(event) : event,
    )
    await putBack(tx.db, { ...row, objects }, tx.now)
  }
}

/** Gives up the queues of accounts that have not worked for a week. */
export const oldCalendarWrites: CleanupJob<Context> = {
  name: 'bookings that waited for a calendar account',
  deleteBatch: ({ db }, max) => db.transaction((tx) => giveUpWrites(tx.db, tx.now, max)),
}

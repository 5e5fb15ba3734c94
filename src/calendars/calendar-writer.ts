import { hash } from 'node:crypto'
import { plusSeconds, secondsUntil } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import type { Context } from '../bookings/context.ts'
import { pause } from '../database/database.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import type { CalendarWritesTable } from '../database/tables.ts'
import { calendarObject } from '../mails/calendar.ts'
import { readRetryAfter } from '../webhooks/send.ts'
import type { CalendarReader } from './busy-file.ts'
import type { CalDav } from './caldav.ts'
import { addressOf, openCalDav, type WrittenEvent } from './calendar-account.ts'
import {
  type CalendarAccountRow,
  endLease,
  findDueWrites,
  leaseDueAccount,
  postponeWrite,
  storePlanned,
  storeWritten,
} from './calendar-account-queries.ts'
import { faultOf, FetchFailed, type FetchProblem } from './calendar-http.ts'
import { findStaffBooking, findStaffItems } from './feed-queries.ts'
import { appointmentOf } from './feed.ts'

/*
 * Writes bookings into calendars of accounts: one event for each booking of the staff member, or for each of their items
 * of a visit. Triggers make a booking due in the transaction of its change. The event shows the booking as it is when it
 * is written, so several changes are written once. A repeated write does no harm.
 */

const leaseSeconds = 120
/** A write begins only this long before the end of the lease. */
const reserveSeconds = 65
const maxWrites = 100
/** Between two writes, because servers limit their rate. */
const restMs = 50
const minPauseSeconds = 30
const maxPauseSeconds = 3_600

/** Writes the queues of accounts, one server at a time for each, in the order of the changes. */
export class CalendarWriter extends LeaseLoop<Context, CalendarAccountRow> {
  private readonly reader: Pick<CalendarReader, 'http'>

  constructor(context: Context, reader: Pick<CalendarReader, 'http'>) {
    const failing = 'writing to calendars failed; retrying in some seconds'
    super(context, { maxInFlight: 8, pollMs: 5_000, failing, failed: ['warn', 'calendar_account', failing] })
    this.reader = reader
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    const leased: CalendarAccountRow[] = []
    while (this.mode === 'running' && leased.length < max) {
      const now = clock.now()
      const until = plusSeconds(now, leaseSeconds)
      const account = await db.transaction((tx) => leaseDueAccount(tx.db, { now, until }))
      if (!account) break
      leased.push(account)
    }
    return { leased }
  }

  protected override async work(account: CalendarAccountRow): Promise<undefined> {
    await writeQueue(this.context, this.reader, account)
  }
}

/** Writes what is due, until the lease nears its end or the server does not take it. */
async function writeQueue(
  context: Context,
  { http }: Pick<CalendarReader, 'http'>,
  account: CalendarAccountRow,
): Promise<void> {
  const { db, clock } = context
  let problem: FetchProblem | null = null
  let pauseSeconds = 0
  try {
    const due = await findDueWrites(db.reads, account.id, { now: clock.now(), max: maxWrites })
    const dav = await openCalDav(context, http, account)
    for (const row of due) {
      if (secondsUntil(clock.now(), account.next_write_at) < reserveSeconds) break
      problem = (await writeRow(context, dav, { account, row })) ?? problem
      await pause(restMs)
    }
  } catch (error) {
    problem = faultOf(error).problem
    pauseSeconds = pauseAfter(error, { failures: account.write_failures, nowMs: clock.nowMs() })
  }
  const write_failures = pauseSeconds === 0 ? 0 : account.write_failures + 1
  const next_write_at = plusSeconds(clock.now(), pauseSeconds)
  if (problem !== null)
    context.log.info({ calendar_account: account.id, problem }, 'a calendar was not written')
  await db.transaction((tx) =>
    endLease(tx.db, account, { next_write_at, write_failures, last_write_error: problem }),
  )
}

/** Returns the pause after a failure of a server: as long as it asks for, else twice as long each time. */
function pauseAfter(error: unknown, { failures, nowMs }: { failures: number; nowMs: number }): number {
  const asked =
    error instanceof FetchFailed ? readRetryAfter(error.retryAfter ?? undefined, nowMs) : undefined
  const usual = minPauseSeconds * 2 ** Math.min(failures, 10)
  return Math.min(Math.max(asked ?? usual, 1), maxPauseSeconds)
}

/** Answers to a single event. All others concern the whole account. */
const ofOneEvent = /^status_4(?!01|29)\d\d$/

/** Writes the events of one booking. Returns the reason if the server refuses one of them. Throws all other failures. */
async function writeRow(
  context: Context,
  dav: CalDav,
  { account, row }: { account: CalendarAccountRow; row: CalendarWritesTable },
): Promise<FetchProblem | undefined> {
  const { db, clock } = context
  const objects = JSON.parse(row.objects_json) as WrittenEvent[]
  try {
    const wanted = await eventsOf(context, account, row)
    // stored before they are written, so that no lost result leaves an event there that nobody knows
    const added = wanted.filter((one) => !objects.some(isSame(one))).map(planned)
    const present = [...objects, ...added]
    if (added.length > 0) await db.transaction((tx) => storePlanned(tx.db, row, present))
    const written = await writeEvents(dav, present, wanted)
    await db.transaction((tx) => storeWritten(tx.db, row, written))
    return undefined
  } catch (error) {
    const { problem } = faultOf(error)
    if (!ofOneEvent.test(problem)) throw error
    const attempts = row.attempts + 1
    const pauseSeconds = Math.min(minPauseSeconds * 2 ** Math.min(attempts, 10), maxPauseSeconds)
    const due_at = plusSeconds(clock.now(), pauseSeconds)
    await db.transaction((tx) => postponeWrite(tx.db, row, { attempts, due_at }))
    return problem
  }
}

type WantedEvent = Omit<WrittenEvent, 'etag'> & { file: string }

const isSame =
  ({ item, calendar }: Pick<WrittenEvent, 'item' | 'calendar'>) =>
  (other: WrittenEvent) =>
    other.item === item && other.calendar === calendar

/** An event that may be in the calendar. Nothing is known of it. */
function planned({ item, calendar, starts_at, ends_at }: WantedEvent): WrittenEvent {
  return { item, calendar, starts_at, ends_at, etag: '', digest: '' }
}

/** Returns the events that a calendar should have of a booking. */
async function eventsOf(
  { db }: Pick<Context, 'db'>,
  account: CalendarAccountRow,
  { booking_id, put_backs }: Pick<CalendarWritesTable, 'booking_id' | 'put_backs'>,
): Promise<WantedEvent[]> {
  const { writes_to: calendar, timezone, locale } = account
  if (calendar === null) return []
  const single = await findStaffBooking(db.reads, account, booking_id)
  const rows = single ? [single] : await findStaffItems(db.reads, account, booking_id)
  const note = put_backs === 0 ? '' : languageFor(locale).say('calendar.putBack')
  return rows.map((booking) => {
    const appointment = appointmentOf({ detail: 'full', timezone }, booking, '')
    const description = [appointment.description, note].filter((text) => text !== '').join('\n\n')
    const file = calendarObject({ ...appointment, description })
    return {
      ...{
        item: appointment.id,
        calendar,
        file,
        digest: hash('sha256', `${put_backs} ${file}`, 'base64url'),
      },
      ...{ starts_at: appointment.startsAt, ends_at: appointment.endsAt },
    }
  })
}

/** Makes a calendar have exactly the wanted events. Returns them with their entity tags. */
async function writeEvents(
  dav: CalDav,
  present: readonly WrittenEvent[],
  wanted: readonly WantedEvent[],
): Promise<WrittenEvent[]> {
  for (const event of present) {
    if (!wanted.some((one) => isSame(one)(event))) await dav.delete(addressOf(event))
  }
  const written: WrittenEvent[] = []
  for (const { file, ...event } of wanted) {
    const known = present.find(isSame(event))
    if (known?.digest === event.digest) written.push(known)
    else written.push({ ...event, etag: await writeEvent(dav, addressOf(event), { file, known }) })
  }
  return written
}

/** Writes one event. Replaces what a lost answer or somebody else left there. Returns its entity tag. */
async function writeEvent(
  dav: CalDav,
  address: URL,
  { file, known }: { file: string; known: WrittenEvent | undefined },
): Promise<string> {
  if (!(await dav.put(address, file, known?.etag || null))) await dav.put(address, file, undefined)
  const etag = await dav.etagOf(address)
  if (etag === undefined) throw new FetchFailed('invalid_response')
  return etag
}

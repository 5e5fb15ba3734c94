import { hash } from 'node:crypto'
import { plusSeconds, secondsUntil } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import type { Context } from '../bookings/context.ts'
import { pause } from '../database/database.ts'
import { LeaseLoop } from '../database/lease-loop.ts'
import type { CalendarWritesTable } from '../database/tables.ts'
import { calendarObject } from '../mails/calendar.ts'
import type { CalendarReader } from './busy-file.ts'
import { openAccount } from './account-server.ts'
import { planned } from './calendar-account.ts'
import {
  type CalendarAccountRow,
  endLease,
  findDueWrites,
  leaseDueAccount,
  postponeWrite,
  storePlanned,
  storeWritten,
} from './calendar-account-queries.ts'
import { faultOf, type FetchProblem, pauseAfter } from './calendar-http.ts'
import type { CalendarServer, EventToWrite, WrittenEvent } from './calendar-server.ts'
import { maxInFlight, waitingFor } from './fair-share-rules.ts'
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
const pauses = { minSeconds: 30, maxSeconds: 3_600 }

/** Writes the queues of accounts in fair shares. Those of one account go in the order of the changes. */
export class CalendarWriter extends LeaseLoop<Context, CalendarAccountRow> {
  private readonly reader: CalendarReader

  constructor(context: Context, reader: CalendarReader) {
    const failing = 'writing to calendars failed; retrying in some seconds'
    super(context, { maxInFlight, pollMs: 5_000, failing, failed: ['warn', 'calendar_account', failing] })
    this.reader = reader
  }

  protected override async lease(max: number) {
    const { db, clock } = this.context
    const leased: CalendarAccountRow[] = []
    while (this.mode === 'running' && leased.length < max) {
      const now = clock.now()
      const until = plusSeconds(now, leaseSeconds)
      const waiting = waitingFor([...this.inFlight.keys(), ...leased])
      const account = await db.transaction((tx) => leaseDueAccount(tx.db, { now, until, waiting }))
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
  reader: CalendarReader,
  account: CalendarAccountRow,
): Promise<void> {
  const { db, clock } = context
  let problem: FetchProblem | null = null
  let pauseSeconds = 0
  try {
    const due = await findDueWrites(db.reads, account.id, { now: clock.now(), max: maxWrites })
    const server = await openAccount(context, reader, account)
    for (const row of due) {
      if (secondsUntil(clock.now(), account.next_write_at) < reserveSeconds) break
      problem = (await writeRow(context, server, { account, row })) ?? problem
      await pause(restMs)
    }
  } catch (error) {
    problem = faultOf(error).problem
    const { write_failures: failures } = account
    pauseSeconds = pauseAfter(error, { failures, nowMs: clock.nowMs(), ...pauses })
  }
  const write_failures = pauseSeconds === 0 ? 0 : account.write_failures + 1
  const next_write_at = plusSeconds(clock.now(), pauseSeconds)
  if (problem !== null)
    context.log.info({ calendar_account: account.id, problem }, 'a calendar was not written')
  await db.transaction((tx) =>
    endLease(tx.db, account, { next_write_at, write_failures, last_write_error: problem }),
  )
}

/** Answers to a single event. All others concern the whole account. */
const ofOneEvent = /^status_4(?!01|29)\d\d$/

/** Writes the events of one booking. Returns the reason if the server refuses one of them. Throws all other failures. */
async function writeRow(
  context: Context,
  server: CalendarServer,
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
    const written = await writeEvents(server, present, wanted)
    await db.transaction((tx) => storeWritten(tx.db, row, written))
    return undefined
  } catch (error) {
    const { problem } = faultOf(error)
    if (!ofOneEvent.test(problem)) throw error
    const attempts = row.attempts + 1
    const pauseSeconds = pauseAfter(error, { failures: attempts, nowMs: clock.nowMs(), ...pauses })
    const due_at = plusSeconds(clock.now(), pauseSeconds)
    await db.transaction((tx) => postponeWrite(tx.db, row, { attempts, due_at }))
    return problem
  }
}

type WantedEvent = Omit<WrittenEvent, 'etag' | 'key' | 'shown'> & EventToWrite

const isSame =
  ({ item, calendar }: Pick<WrittenEvent, 'item' | 'calendar'>) =>
  (other: WrittenEvent) =>
    other.item === item && other.calendar === calendar

/** Returns the events that a calendar should have of a booking. */
async function eventsOf(
  { db }: Pick<Context, 'db'>,
  account: CalendarAccountRow,
  { booking_id, put_backs, changes }: Pick<CalendarWritesTable, 'booking_id' | 'put_backs' | 'changes'>,
): Promise<WantedEvent[]> {
  const { writes_to: calendar, timezone, locale } = account
  if (calendar === null) return []
  const single = await findStaffBooking(db.reads, account, booking_id)
  const rows = single ? [single] : await findStaffItems(db.reads, account, booking_id)
  const note = put_backs === 0 ? '' : languageFor(locale).say('calendar.putBack')
  return rows.map((booking) => {
    const plain = appointmentOf({ detail: 'full', timezone }, booking, '')
    const description = [plain.description, note].filter((text) => text !== '').join('\n\n')
    const appointment = { ...plain, description }
    return {
      ...{ item: appointment.id, calendar, appointment, changes },
      digest: hash('sha256', `${put_backs} ${calendarObject(appointment)}`, 'base64url'),
      ...{ starts_at: appointment.startsAt, ends_at: appointment.endsAt },
    }
  })
}

/** Makes a calendar have exactly the wanted events. Returns them as they are there. */
async function writeEvents(
  server: CalendarServer,
  present: readonly WrittenEvent[],
  wanted: readonly WantedEvent[],
): Promise<WrittenEvent[]> {
  for (const event of present) {
    if (!wanted.some((one) => isSame(one)(event))) await server.delete(event)
  }
  const written: WrittenEvent[] = []
  for (const { appointment, changes, ...event } of wanted) {
    const { item, calendar } = event
    const known = present.find(isSame(event))
    if (known?.digest === event.digest) written.push(known)
    else
      written.push({
        ...event,
        ...(await server.write({ item, calendar, appointment, changes }, known)),
      })
  }
  return written
}

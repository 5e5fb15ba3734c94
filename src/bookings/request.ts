import { type Actor, isStaff, operator, type PersonActor } from '../access/actor.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { findNearest } from '../availability/availability.ts'
import { readAskedItems } from '../availability/visit-query-rules.ts'
import { type Instant, readInstant, toMs } from '../base/instants.ts'
import { type Page, readPage, timeCursorOf } from '../base/paging.ts'
import { publicUrl } from '../base/public-url.ts'
import { repeat } from '../base/repeat.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { findSeriesDates } from '../database/series.ts'
import { recordReminder } from '../push/outbox.ts'
import { againUrl, anyone } from './again-link.ts'
import { lockBooking } from './booking-queries.ts'
import type { Context } from './context.ts'
import { endUnanswered } from './pending-booking.ts'
import { offerToMove } from './manage.ts'
import {
  countOpenRequests,
  type DueRequest,
  findDueRequests,
  findOpenRequests,
  findRequestedDates,
  postponeRequest,
} from './request-queries.ts'

/*
 * A request: a booking by a session that keeps its time until the business confirms or declines it, or until
 * `respond_by`. `request_check_at` is the next thing that the server does about it: the reminder, then the end.
 *
 * Guarantees: each step is decided under the lock of the booking, in the transaction that writes its emails. It happens
 * once, however many servers look, and survives every crash. An answer at the same moment wins or loses as a whole.
 */

const pauseMs = 15_000
const requestsAtOnce = 100

/** Checks due requests of all businesses. Every server does, and the lock of a booking decides between two. */
export class RequestWorker {
  private readonly context: Context
  private checks: ReturnType<typeof repeat> | undefined

  constructor(context: Context) {
    this.context = context
  }

  start(): void {
    this.checks = repeat(() => this.check(), pauseMs, 0)
  }

  async stop(): Promise<void> {
    await this.checks?.stop()
  }

  /** Reminds of due requests, and ends those without an answer. Never rejects. */
  async check(): Promise<void> {
    const { clock, db, log } = this.context
    try {
      for (;;) {
        const due = await findDueRequests(db.reads, { now: clock.now(), max: requestsAtOnce })
        const apart = new Map(due.map((request) => [request.series_id ?? request.id, request]))
        const checked = await Promise.all([...apart.values()].map((request) => this.checkOne(request)))
        // one that failed is still due, and must not be asked for at once again
        if (due.length < requestsAtOnce || !checked.includes(true)) return
      }
    } catch (error) {
      log.warn({ err: error }, 'due requests could not be found; retrying')
    }
  }

  private async checkOne(request: DueRequest): Promise<boolean> {
    try {
      await checkRequest(this.context, request)
      return true
    } catch (error) {
      this.context.log.warn(
        { err: error, booking_id: request.id },
        'a request could not be checked; retrying',
      )
      return false
    }
  }
}

/** Does all that is due about a request without an answer and the others of its series, with one email. */
async function checkRequest(
  context: Context,
  { id, business_id: businessId, series_id }: DueRequest,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const dates =
      series_id === null ? [{ id }] : await findSeriesDates(tx.reads, { business_id: businessId, series_id })
    const due: BookingRow[] = []
    for (const date of dates) {
      const booking = await lockBooking(tx, { scope: { businessId }, id: date.id })
      if (booking?.respond_by && booking.request_check_at && booking.request_check_at <= tx.now)
        due.push(booking)
    }
    const isOver = ({ respond_by }: BookingRow) => respond_by !== null && respond_by <= tx.now
    const over = due.filter(isOver)
    for (const booking of over) await endUnanswered(context, tx, booking, booking === over[0])
    const open = due.filter((booking) => !isOver(booking))
    for (const booking of open) {
      const until = booking.respond_by ?? tx.now
      await postponeRequest(tx.db, { id: booking.id, businessId, until })
    }
    const [first] = open
    if (first) await recordReminder(context, tx, first)
  })
}

/** Returns the holder of a link in an email about a request, as the author of the answer. */
export function answererOf({ mailId, businessId, email }: Answerer): Actor {
  return {
    ...operator,
    ...{ type: 'person', keyId: mailId, ownerId: mailId, userId: mailId, logInId: mailId },
    ...{ scope: { businessId }, name: email, email, role: 'manager', staffId: null },
  }
}

interface Answerer {
  mailId: string
  businessId: string
  /** The recipient, who gets no email about their own answer. */
  email: string
}

/** Requests are counted up to this number, which stands for all larger ones. */
export const maxCounted = 100
const requestsPerPage = 20

/** Counts the unanswered requests that a person may answer, at most 100. A series is one. */
export function countRequests({ db }: Pick<Context, 'db'>, person: PersonActor, businessId: string) {
  return countOpenRequests(db.reads, { ...answerable(person, businessId), max: maxCounted })
}

/** A request: a booking, or all dates of a series, in the order of their times. */
type ListedRequest = readonly [BookingRow, ...BookingRow[]]

const requestCursor = timeCursorOf('requests')

/**
 * Lists 20 unanswered requests that a person may answer. Those that end first come first. Throws validation_failed for a
 * cursor of another list.
 */
export async function listRequests(
  { db }: Pick<Context, 'db'>,
  person: PersonActor,
  { businessId, cursor }: { businessId: string; cursor: string | undefined },
): Promise<Page<ListedRequest>> {
  const of = answerable(person, businessId)
  const { data: found, next_cursor } = await readPage(
    { limit: requestsPerPage, cursor },
    {
      cursor: requestCursor,
      find: (page) => findOpenRequests(db.reads, { ...of, ...page }),
      position: ({ position }) => position,
    },
  )
  if (found.length === 0) return { data: [], next_cursor }
  const dates = await findRequestedDates(db.reads, {
    ...of,
    ids: found.filter(({ series_id }) => series_id === null).map(({ id }) => id),
    seriesIds: found.flatMap(({ series_id }) => series_id ?? []),
  })
  const requests = Map.groupBy(dates, ({ id, series_id }) => series_id ?? id)
  const data = found.flatMap(({ id, series_id }) => {
    const [first, ...others] = requests.get(series_id ?? id) ?? [] // empty if answered meanwhile
    return first ? [[first, ...others] as const] : []
  })
  return { data, next_cursor }
}

function answerable(person: PersonActor, businessId: string) {
  return { businessId, ...(isStaff(person) && { staffId: person.staffId }) }
}

/** A free time in place of a request, with the page that books it. */
interface OtherTime {
  startsAt: Instant
  url: string
}

/** Returns up to three free times near that of a booking, apart from it. None without a booking page. */
export async function otherTimes(context: Context, booking: BookingRow): Promise<OtherTime[]> {
  const key = await bookingPageKey(context, booking.business_id)
  if (key === undefined) return []
  const lengthMs = toMs(booking.ends_at) - toMs(booking.starts_at)
  const wish = await offerToMove(context, booking)
  const query = { ...wish, location_id: booking.location_id }
  const startsAtMs = toMs(booking.starts_at)
  const slots = await findNearest(context, operator, { query, startsAtMs, apartMs: lengthMs })
  return slots
    .map((slot) => {
      const startsAt = readInstant(slot.starts_at)
      const bookingUrl = `${publicUrl(context.config)}/book/${key}`
      return { startsAt, url: againUrl(bookingUrl, booking, { staffId: personIn(wish), startsAt }) }
    })
    .toSorted((one, other) => (one.startsAt < other.startsAt ? -1 : 1))
}

/** Returns the person for whom the client asked, or `anyone`. Several people of a visit do not fit into a link. */
function personIn({ staff_id, items }: Awaited<ReturnType<typeof offerToMove>>): string {
  const people = items === undefined ? [staff_id] : readAskedItems(items).map((item) => item.staff_id)
  const [person = anyone, ...others] = new Set(people)
  return others.length === 0 ? person : anyone
}

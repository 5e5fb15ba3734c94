import type { Instant } from '../base/instants.ts'
import { findSeriesDates, type SeriesDate } from '../database/series.ts'
import type { Context } from './context.ts'
import type { LeasedMail, ShownBooking } from './mail-queries.ts'
import { endKinds, type MailView } from './render.ts'

/*
 * One email reports what happened to several bookings of a series at once. It is about the first of them, and lists all
 * dates.
 */

/** The series of a booking, for an email. */
interface ToldSeries {
  view: NonNullable<MailView['booking']['series']>
  /** IDs of the other bookings that the email reports. */
  others: string[]
}

/** Reads the series of an email's booking. Undefined if it stands alone, or for a reminder. */
export async function findToldSeries(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  {
    booking,
    kind,
    waiting,
  }: { booking: ShownBooking; kind: LeasedMail['kind']; waiting: readonly LeasedMail[] },
): Promise<ToldSeries | undefined> {
  const { series_id, business_id } = booking
  if (series_id === null || kind === 'reminder') return undefined
  const all = await findSeriesDates(db.reads, { business_id, series_id })
  const dates = all.filter(({ client_id }) => client_id === booking.client_id) // one may have gone to another client
  return toldSeries(dates, { booking, kind, waiting, now: clock.now() })
}

function toldSeries(
  dates: readonly SeriesDate[],
  {
    booking,
    kind,
    waiting,
    now,
  }: { booking: ShownBooking; kind: LeasedMail['kind']; waiting: readonly LeasedMail[]; now: Instant },
): ToldSeries {
  const [since = now] = waiting
    .filter(({ booking_id }) => booking_id === booking.id)
    .map(({ created_at }) => created_at)
    .toSorted()
  const isCancelled = ({ status }: SeriesDate) => status === 'cancelled'
  const ahead = dates.filter((date) => !isCancelled(date) && date.ends_at > now)
  const isOver = endKinds.has(kind)
  const others = (isOver ? dates.filter(isCancelled) : ahead).filter(
    ({ id, updated_at }) => id !== booking.id && updated_at >= since,
  )
  const cancelled = dates.filter(({ id }) => id === booking.id || others.some((other) => other.id === id))
  const spans = (some: readonly SeriesDate[]) =>
    some.map(({ starts_at: startsAt, ends_at: endsAt }) => ({ startsAt, endsAt }))
  return {
    view: {
      reports: others.length + 1,
      dates: spans(isOver ? cancelled : ahead),
      left: spans(isOver ? ahead : []),
    },
    others: others.map(({ id }) => id),
  }
}

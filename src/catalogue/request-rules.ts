import { type Instant, plusMinutes } from '../base/instants.ts'
import type { ServicesTable } from '../database/tables.ts'

/** The ways in which a booking by a session is confirmed: at once, or by the business. */
export const confirmations = ['automatic', 'request'] as const satisfies ServicesTable['confirmation'][]

/** Default time in which a business answers a request, in minutes: one day. */
export const usualResponseMinutes = 1_440
export const minResponseMinutes = 60
/** Two weeks. */
export const maxResponseMinutes = 20_160

/** A request is answered this long before its start at the latest, in minutes. */
export const answeredBeforeMinutes = 60

/** So a request starts this far ahead at least, in minutes. The business then has an hour, less the life of a hold. */
export const requestNoticeMinutes = 120

type Asking = Pick<ServicesTable, 'confirmation' | 'respond_within_minutes'>

/** Returns the notice that a session needs for a service, in minutes. */
export function noticeOf({
  min_notice_minutes: own,
  confirmation,
}: Pick<ServicesTable, 'min_notice_minutes' | 'confirmation'>): number {
  return confirmation === 'request' ? Math.max(own, requestNoticeMinutes) : own
}

/** Returns until when the client may move a booking. Null: never, because the business has to confirm the new time. */
export function moveUntilOf({
  reschedule_until_minutes: own,
  confirmation,
}: Pick<ServicesTable, 'reschedule_until_minutes' | 'confirmation'>): number | null {
  return confirmation === 'request' ? null : own
}

/**
 * Returns when a request for services ends without an answer: after the shortest time of those that ask, and an hour
 * before the start. Undefined if none asks.
 */
export function answerBy(
  services: readonly Asking[],
  { startsAt, now }: { startsAt: Instant; now: Instant },
): Instant | undefined {
  const asking = services.filter(({ confirmation }) => confirmation === 'request')
  if (asking.length === 0) return undefined
  const minutes = Math.min(...asking.map(({ respond_within_minutes }) => respond_within_minutes))
  const usual = plusMinutes(now, minutes)
  const latest = plusMinutes(startsAt, -answeredBeforeMinutes)
  return usual < latest ? usual : latest
}

/** Returns when the business is reminded of a request: half-way to its end. */
export function answerReminderAt({ now, respondBy }: { now: Instant; respondBy: Instant }): Instant {
  const halfMs = (Date.parse(respondBy) - Date.parse(now)) / 2
  return plusMinutes(now, Math.max(Math.floor(halfMs / 60_000), 0))
}

import { type Instant, plusSeconds, toMs } from '../base/instants.ts'
import type { QuietHours } from '../catalogue/mail-settings-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { PersonRole, PushKind } from '../database/tables.ts'

/** The kinds that a person chooses from, in the order of the form. */
export const pushKinds = ['booked', 'changed', 'cancelled', 'late'] as const satisfies readonly PushKind[]

export type ChosenKind = (typeof pushKinds)[number]

/** The choice of a person that covers each kind. */
export const choiceFor: Readonly<Record<Exclude<PushKind, 'test'>, ChosenKind>> = {
  ...{ booked: 'booked', changed: 'changed', cancelled: 'cancelled', late: 'late' },
  ...{ requested: 'booked', answer_due: 'booked', unanswered: 'cancelled' },
}

/** A business that does not mark arrivals would be warned of every client, so `late` is chosen by hand. */
export const usualKinds: readonly ChosenKind[] = ['booked', 'changed', 'cancelled']

export const maxDevices = 10

/** A client who has not arrived this long after the start is late. */
export const lateSeconds = 600

/** An older notification is dropped, because nobody needs it any more. */
export const maxAgeSeconds = 3_600

/** Longer than an attempt and the write of its result. */
export const leaseSeconds = 30

/** A device on which nobody has opened the console for this long receives no more. */
export const unusedDeviceSeconds = 90 * 86_400

/** Returns the pause after a failed attempt, at most ten minutes. The push service may ask for a longer one. */
export function pauseSeconds(attempts: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(30 * 2 ** (attempts - 1), 600), retryAfterSeconds)
}

/** True between the quiet hours of a person, in a time zone. */
export function isQuiet(hours: QuietHours | null, now: Instant, timezone: string): boolean {
  if (!hours) return false
  const local = Temporal.Instant.fromEpochMilliseconds(toMs(now)).toZonedDateTimeISO(timezone)
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' })
  const { from, to } = hours
  return to < from ? time >= from || time < to : time >= from && time < to
}

/** A membership with access to the business of a booking. */
interface Membership {
  role: PersonRole
  staff_id: string | null
}

/** True if one of the memberships shows the booking as a person's own business. Staff see their own appointments. */
export function mayKnow(memberships: readonly Membership[], staffIds: readonly (string | null)[]): boolean {
  return memberships.some(
    ({ role, staff_id }) => role !== 'staff' || (staff_id !== null && staffIds.includes(staff_id)),
  )
}

/** True if the booking as it is now still fits the notification. */
export function isCurrent(
  kind: Exclude<PushKind, 'test'>,
  {
    status,
    starts_at,
    ends_at,
    respond_by,
  }: Pick<BookingRow, 'status' | 'starts_at' | 'ends_at' | 'respond_by'>,
  now: Instant,
): boolean {
  if (kind === 'cancelled' || kind === 'unanswered') return status === 'cancelled'
  if (kind === 'requested' || kind === 'answer_due') return respond_by !== null
  if (kind === 'late') return status === 'confirmed' && plusSeconds(starts_at, lateSeconds) <= now
  return status !== 'cancelled' && ends_at > now
}

import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import type { BookingsTable, PaymentsTable, ServicesTable } from '../database/tables.ts'

/** A service's rules for changes by clients. */
type ChangeRules = Pick<
  ServicesTable,
  'cancel_until_minutes' | 'reschedule_until_minutes' | 'max_reschedules'
>

/** What the rules decide about. */
type ChangeSubject = Pick<BookingsTable, 'status' | 'starts_at' | 'client_reschedules'> & {
  /** Of the deposit; null without one. */
  payment_status: PaymentsTable['status'] | null
}

/** Why a client may not change a booking. */
export type ChangeRefusal = 'not_allowed' | 'too_late' | 'too_many'

/** What the client of a booking may do with it. */
export interface ChangePolicy {
  /** Null: may. */
  cancelRefusal: ChangeRefusal | null
  /** The last moment for it, excluded; null when the service never allows it. */
  cancelUntil: Instant | null
  rescheduleRefusal: ChangeRefusal | null
  rescheduleUntil: Instant | null
  reschedulesLeft: number
  /** What becomes of a paid deposit when the client cancels now. */
  refund: 'full' | 'none'
}

/** Judges what the client of a booking may change at a moment. */
export function policyOf(rules: ChangeRules, booking: ChangeSubject, now: Instant): ChangePolicy {
  const cancelUntil = beforeStart(booking, rules.cancel_until_minutes)
  const rescheduleUntil = beforeStart(booking, rules.reschedule_until_minutes)
  const reschedulesLeft = Math.max(0, rules.max_reschedules - booking.client_reschedules)
  const isOpen = booking.status === 'pending' || booking.status === 'confirmed'
  const refusalOf = (until: Instant | null): ChangeRefusal | null => {
    if (!isOpen || until === null) return 'not_allowed'
    return now < until ? null : 'too_late'
  }
  const isInTime = refusalOf(cancelUntil) === null
  const cancelRefusal = booking.status === 'pending' ? null : refusalOf(cancelUntil)
  return {
    cancelRefusal,
    cancelUntil,
    rescheduleRefusal: refusalOf(rescheduleUntil) ?? (reschedulesLeft === 0 ? 'too_many' : null),
    rescheduleUntil,
    reschedulesLeft,
    refund: isInTime && booking.payment_status === 'paid' ? 'full' : 'none',
  }
}

function beforeStart({ starts_at }: ChangeSubject, minutes: number | null): Instant | null {
  return minutes === null ? null : instantFromMs(Math.max(0, toMs(starts_at) - minutes * 60_000))
}

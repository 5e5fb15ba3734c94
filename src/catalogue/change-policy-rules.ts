import { type Instant, instantFromMs, toMs } from '../base/instants.ts'
import { type BookingFee, cancelFee, type FeeColumns } from './booking-fee-rules.ts'
import type { BookingsTable, PaymentsTable, ServicesTable } from '../database/tables.ts'

/** A service's rules for changes by clients. */
type ChangeRules = Pick<
  ServicesTable,
  'cancel_until_minutes' | 'reschedule_until_minutes' | 'max_reschedules'
>

/** The input of the rules. */
type ChangeSubject = Pick<BookingsTable, 'status' | 'starts_at' | 'client_reschedules' | 'respond_by'> &
  FeeColumns & {
    /** Status of the deposit; null without one. */
    payment_status: PaymentsTable['status'] | null
  }

/** The reason why a client may not change a booking. */
export type ChangeRefusal = 'not_allowed' | 'too_late' | 'too_many'

/** The changes that the client of a booking may make. */
export interface ChangePolicy {
  /** Null if cancelling is allowed. */
  cancelRefusal: ChangeRefusal | null
  /** The deadline, exclusive; null if the service never allows it. */
  cancelUntil: Instant | null
  rescheduleRefusal: ChangeRefusal | null
  rescheduleUntil: Instant | null
  reschedulesLeft: number
  /** The outcome for a paid deposit if the client cancels now. `part`: all but the fee. */
  refund: 'full' | 'part' | 'none'
  /** The fee if the client cancels now. Null: it costs nothing. */
  fee: BookingFee | null
}

/** Returns the changes that the client of a booking may make at an instant. */
export function policyOf(rules: ChangeRules, booking: ChangeSubject, now: Instant): ChangePolicy {
  const cancelUntil = beforeStart(booking, rules.cancel_until_minutes)
  const rescheduleUntil = beforeStart(booking, rules.reschedule_until_minutes)
  const reschedulesLeft = Math.max(0, rules.max_reschedules - booking.client_reschedules)
  const isOpen = booking.status === 'pending' || booking.status === 'confirmed'
  const isRequest = booking.respond_by !== null
  const refusalOf = (until: Instant | null): ChangeRefusal | null => {
    if (!isOpen || until === null) return 'not_allowed'
    return now < until ? null : 'too_late'
  }
  const isInTime = refusalOf(cancelUntil) === null
  const fee = cancelFee(booking, now)
  const cancelRefusal = booking.status === 'pending' ? null : refusalOf(cancelUntil)
  return {
    cancelRefusal,
    cancelUntil,
    rescheduleRefusal: isRequest
      ? 'not_allowed'
      : (refusalOf(rescheduleUntil) ?? (reschedulesLeft === 0 ? 'too_many' : null)),
    rescheduleUntil,
    reschedulesLeft,
    refund: isInTime && isRefundable(booking) ? refundBeside(fee) : 'none',
    fee: isInTime ? fee : null,
  }
}

function isRefundable({ payment_status, payment_kind }: ChangeSubject): boolean {
  return payment_status === 'paid' && payment_kind !== 'card'
}

function refundBeside(fee: BookingFee | null): ChangePolicy['refund'] {
  if (!fee) return 'full'
  return fee.refunded > 0 ? 'part' : 'none'
}

function beforeStart({ starts_at }: ChangeSubject, minutes: number | null): Instant | null {
  return minutes === null ? null : instantFromMs(Math.max(0, toMs(starts_at) - minutes * 60_000))
}

import type { Static } from 'typebox'
import { formatInstant } from '../base/instants.ts'
import type { PaymentOfBooking } from './payment-schemas.ts'
import type { ListedPayment } from './payment-list-queries.ts'
import { shownCardOf } from './saved-card-rules.ts'

export type ShownPayment = Static<typeof PaymentOfBooking>

/** Returns a payment as keys and people see it. */
export function presentPayment(payment: ListedPayment, { timezone }: { timezone: string }): ShownPayment {
  const { id, kind, amount, currency, status, paid_at, refund_total, refunded_amount } = payment
  const { reason, failure, dispute } = payment
  const whole = status === 'refunded' ? amount : refunded_amount // a server of the previous release sets the status alone
  return {
    ...{ id, kind, amount, currency },
    status: status as ShownPayment['status'], // as the query selects
    ...{ reason, failure, dispute, card: shownCardOf(payment) },
    paid_at: paid_at && formatInstant(paid_at, timezone),
    ...{ refunded_amount: whole, refunding_amount: Math.max(refund_total - whole, 0) },
  }
}

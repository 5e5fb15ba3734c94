import { html, type Html } from '../../base/html.ts'
import { minorDigits } from '../../base/money.ts'
import type { ShownPayment } from '../../bookings/shown-payment.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { field, type FormState, hidden, type Typed } from '../../pages/form.ts'
import { readAmount } from '../frame/amounts.ts'
import { FormFault } from '../frame/console-route.ts'
import { leftToRefund, paymentText, type PaymentView } from './fee-lines.ts'

/* The form that refunds a payment of a booking, wholly or in part. */

/** Returns the payment to refund: the one with an ID, otherwise the first of which something is left. */
export function paymentToRefund(
  { payments }: Pick<PaymentView, 'payments'>,
  id = '',
): ShownPayment | undefined {
  const open = payments.filter((payment) => leftToRefund(payment).amount > 0)
  return id === '' ? open[0] : open.find((payment) => payment.id === id)
}

/** Returns the initial values of the form: everything that is left. */
export function presentRefund(view: Pick<PaymentView, 'payments'>, id?: string): Typed {
  const payment = paymentToRefund(view, id)
  if (!payment) return { payment: id ?? '' }
  const { amount, currency } = leftToRefund(payment)
  const digits = minorDigits(currency)
  const text = (amount / 10 ** digits).toFixed(amount % 10 ** digits === 0 ? 0 : digits)
  return { payment: payment.id, amount: text, tell: 'yes' }
}

/** Renders the fields of the form: the payment, and how much of it to refund. */
export function refundFields(view: PaymentView, state: FormState): Html {
  const payment = paymentToRefund(view, state.typed['payment'])
  if (!payment) return html``
  const texts = view.visit.texts.booking
  const left = leftToRefund(payment)
  const hint = texts.refundHint({ amount: moneyText(left, view.visit.locale) })
  const label = `${texts.refundAmount} (${left.currency})`
  return html`${hidden({ payment: payment.id })}
    <p><b>${paymentText(view, payment)}</b></p>
    ${field(state, { ...{ name: 'amount', label, hint, type: 'number', isDecimal: true, required: true } })}
    ${field(state, { name: 'reason', label: texts.refundReason, rows: 3, max: 500 })}`
}

/** Returns the members of a refund as they were typed. Throws a FormFault for an amount that is not left. */
export function readRefund(view: Pick<PaymentView, 'visit' | 'payments'>, typed: Typed): object {
  const payment = paymentToRefund(view, typed['payment'])
  if (!payment) throw new FormFault({ '': view.visit.texts.booking.nothingLeft })
  const left = leftToRefund(payment)
  const { locale } = view.visit
  const amount = readAmount(typed['amount'], { digits: minorDigits(left.currency), locale })
  if (typeof amount === 'string') throw new FormFault({ amount: view.visit.texts.fault.amount })
  if (typeof amount !== 'number' || amount < 1 || amount > left.amount) {
    const most = view.visit.texts.booking.refundHint({ amount: moneyText(left, view.visit.locale) })
    throw new FormFault({ amount: most })
  }
  const reason = typed['reason'] ?? ''
  return {
    ...{ payment_id: payment.id, amount, notify: typed['tell'] !== 'no' },
    ...(reason !== '' && { reason }),
  }
}

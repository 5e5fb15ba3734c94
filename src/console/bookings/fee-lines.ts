import { hasRole } from '../../access/actor.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import { cardText } from '../../bookings/saved-card-rules.ts'
import type { ShownPayment } from '../../bookings/shown-payment.ts'
import type { Money } from '../../catalogue/catalogue-types.ts'
import { chargeFailureOf } from '../../catalogue/charge-failure-rules.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { type ItemColumns, totalPriceOf } from '../../database/shown-item-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { icon } from '../../pages/icons.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { dayText } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'

/* The payments of a booking: the lines of fees, and the buttons of all. */

type Row = ItemColumns & Pick<BookingRow, 'timezone' | 'payment_currency'>

export interface PaymentView {
  visit: ConsoleVisit
  row: Row
  payments: readonly ShownPayment[]
}

/** Renders the fees of a booking, each with its buttons. `pathTo` names the pages of the booking. */
export function feeLines(view: PaymentView, pathTo: (form: 'waive' | 'refund') => string): Html {
  const { visit, payments } = view
  const fees = payments.filter(({ kind }) => kind === 'fee')
  return html`${fees.map((fee) => {
    const more = [...failureText(visit, fee), ...partRefunded(visit, fee), ...disputeText(visit, fee)].join(
      ' · ',
    )
    return html`<li>
      ${icon('money')}
      <div>${feeText(view, fee)}${more === '' ? '' : html`<span class="soft">${more}</span>`}</div>
      <div class="ends not-printed">
        ${refundLink(visit, fee, pathTo('refund'))}
        ${mayWaive(view, fee) ? waiveLink(view, fee, pathTo('waive')) : ''}
      </div>
    </li>`
  })}`
}

/** Says to managers why the card was not charged, while the fee is open. */
function failureText({ person, texts }: ConsoleVisit, { status, failure }: ShownPayment): string[] {
  if (failure === null || status !== 'due' || !hasRole(person, 'manager')) return []
  const { declined, failures } = texts.booking
  const why = chargeFailureOf(failure)
  return [declined({ reason: why === 'other' ? failures.other({ code: failure }) : failures[why] })]
}

/** Names what was refunded of a payment, if a part remains. */
export function partRefunded({ texts, locale }: ConsoleVisit, payment: ShownPayment): string[] {
  const { status, currency, refunded_amount, refunding_amount } = payment
  const amount = status === 'paid' ? refunded_amount + refunding_amount : 0
  return amount > 0 ? [texts.booking.partRefunded({ amount: moneyText({ amount, currency }, locale) })] : []
}

/** Returns what can still be refunded of a payment. */
export function leftToRefund(payment: ShownPayment): Money {
  const { status, dispute, amount, currency, refunded_amount, refunding_amount } = payment
  const isTaken = status === 'paid' && dispute !== 'lost'
  return { amount: isTaken ? amount - refunded_amount - refunding_amount : 0, currency }
}

/** Renders a link to the form that refunds a payment, if something is left and the person may do it. */
export function refundLink(visit: ConsoleVisit, payment: ShownPayment, formPath: string): Html {
  if (leftToRefund(payment).amount <= 0 || !hasRole(visit.person, 'manager')) return html``
  const address = `${formPath}${formPath.includes('?') ? '&' : '?'}payment=${payment.id}`
  return html`<a class="button not-printed" href="${address}">${visit.texts.booking.refund}</a>`
}

/** Names the card that was saved with a payment. */
export function savedCard({ texts }: ConsoleVisit, { card }: ShownPayment): string[] {
  if (!card) return []
  return card.removing ? [texts.booking.cardRemoving] : [cardText(card)]
}

/** True if the person may have a saved card of a booking removed. */
export function mayRemoveCard({ visit, payments }: Pick<PaymentView, 'visit' | 'payments'>): boolean {
  return payments.some(({ card }) => card?.removing === false) && hasRole(visit.person, 'manager')
}

/** Describes a payment that was made. */
export function paymentText(view: PaymentView, payment: ShownPayment): string {
  if (payment.kind === 'fee') return feeText(view, payment)
  const { texts, locale } = view.visit
  return `${texts.payments.kinds[payment.kind]}: ${moneyText(payment, locale)}`
}

function feeText({ visit, row }: PaymentView, fee: ShownPayment): string {
  const { booking: texts } = visit.texts
  const what = feeReasonText(texts, fee.reason ?? '')
  const amount = moneyText(fee, visit.locale)
  const { paid_at: at } = fee
  const day = at === null ? '' : dayText(readInstant(at), { timezone: row.timezone, locale: visit.locale })
  return texts.fees[fee.status]({ what, amount, day })
}

/** Returns the reason of a fee: Holdfast's own in words, or that of the business. */
export function feeReasonText({ feeReasons }: ConsoleVisit['texts']['booking'], reason: string): string {
  return textFor(feeReasons, reason) ?? reason
}

/** Describes a dispute, if there is one. */
export function disputeText({ texts }: ConsoleVisit, { dispute }: Pick<ShownPayment, 'dispute'>): string[] {
  return dispute === null ? [] : [texts.booking.disputes[dispute]]
}

/** True if the person may waive a fee, and something of it is left to waive. */
export function mayWaive(
  { visit }: Pick<PaymentView, 'visit'>,
  { status, dispute, refunding_amount, refunded_amount, amount }: ShownPayment,
): boolean {
  const isOpen = status === 'charging' || status === 'due' || (status === 'paid' && dispute !== 'lost')
  return isOpen && refunding_amount + refunded_amount < amount && hasRole(visit.person, 'manager')
}

/** Renders a link to the question before a fee is waived. */
function waiveLink({ visit }: PaymentView, fee: ShownPayment, path: string): Html {
  const address = `${path}${path.includes('?') ? '&' : '?'}payment=${fee.id}`
  return html`<a class="button" href="${address}">${waiveLabel(visit, fee)}</a>`
}

export function waiveLabel({ texts: { booking } }: ConsoleVisit, { status }: ShownPayment): string {
  return status === 'paid' ? booking.waivePaid : booking.waive
}

/** Returns the currency of charges. Undefined for a booking without a price. */
export function chargeCurrency({ row }: Pick<PaymentView, 'row'>): string | undefined {
  return row.payment_currency ?? totalPriceOf(row)?.currency
}

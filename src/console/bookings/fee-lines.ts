import { hasRole } from '../../access/actor.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import type { ShownPayment } from '../../bookings/shown-payment.ts'
import { minorDigits } from '../../base/money.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { type ItemColumns, totalPriceOf } from '../../database/shown-item-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { field, type FormState, hidden, numberOf, type Typed } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import { dayText } from '../frame/formats.ts'
import { textFor } from '../frame/text-groups.ts'

/* The fees of a booking: its lines, and the form that charges one. */

type Row = ItemColumns & Pick<BookingRow, 'timezone' | 'payment_currency'>

interface View {
  visit: ConsoleVisit
  row: Row
  payments: readonly ShownPayment[]
}

/** Renders the fees of a booking, each with a button that waives it by a form to a path. */
export function feeLines(view: View, path: string): Html {
  const { visit, payments } = view
  const fees = payments.filter(({ kind }) => kind === 'fee')
  return html`${fees.map(
    (fee) =>
      html`<li>
        ${icon('money')}
        <div>
          ${feeText(view, fee)}${disputeText(visit, fee) === '' ? '' : html`<span class="soft">${disputeText(visit, fee)}</span>`}
        </div>
        ${mayWaive(view, fee) ? waiveButton(view, fee, path) : ''}
      </li>`,
  )}`
}

function feeText({ visit, row }: View, fee: ShownPayment): string {
  const { booking: texts } = visit.texts
  const what = textFor(texts.feeReasons, fee.reason ?? '') ?? fee.reason ?? ''
  const amount = moneyText(fee, visit.locale)
  const { paid_at: at } = fee
  const day = at === null ? '' : dayText(readInstant(at), { timezone: row.timezone, locale: visit.locale })
  return texts.fees[fee.status]({ what, amount, day })
}

/** Describes a dispute; empty without one. */
export function disputeText({ texts }: ConsoleVisit, { dispute }: Pick<ShownPayment, 'dispute'>): string {
  return dispute === null ? '' : texts.booking.disputes[dispute]
}

function mayWaive(
  { visit }: View,
  { status, refunding_amount, refunded_amount, amount }: ShownPayment,
): boolean {
  const isOpen = status === 'charging' || status === 'due' || status === 'paid'
  return isOpen && refunding_amount + refunded_amount < amount && hasRole(visit.person, 'manager')
}

function waiveButton({ visit }: View, fee: ShownPayment, path: string): Html {
  return html`<form method="post" action="${path}" class="not-printed">
    ${hidden({ once: visit.once, payment: fee.id })}
    <button type="submit">${visit.texts.booking.waive}</button>
  </form>`
}

/** Returns the currency of charges. Undefined for a booking without a price. */
export function chargeCurrency({ row }: Pick<View, 'row'>): string | undefined {
  return row.payment_currency ?? totalPriceOf(row)?.currency
}

/** Renders the fields of the form that charges a card. */
export function chargeFields(view: Pick<View, 'visit' | 'row'>, state: FormState): Html {
  const texts = view.visit.texts.booking
  const label = `${texts.refundAmount} (${chargeCurrency(view) ?? ''})`
  return html`<p>${texts.chargeHint}</p>
    ${field(state, { ...{ name: 'amount', label, type: 'number', isDecimal: true, required: true } })}
    ${field(state, { name: 'reason', label: texts.chargeReason, required: true, max: 200 })}`
}

/** Returns the members of a charge as they were typed. */
export function readCharge(view: Pick<View, 'row'>, typed: Typed): object {
  const amount = numberOf(typed['amount'], 10 ** minorDigits(chargeCurrency(view) ?? 'EUR'))
  return { ...(amount !== null && { amount }), reason: typed['reason'] ?? '' }
}

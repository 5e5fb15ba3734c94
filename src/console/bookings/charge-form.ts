import { html, type Html } from '../../base/html.ts'
import { minorDigits } from '../../base/money.ts'
import { chargeLimit, type FeeColumns } from '../../catalogue/booking-fee-rules.ts'
import type { Money } from '../../catalogue/catalogue-types.ts'
import type { BookingRow } from '../../database/shown-booking.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { field, type FormState, type Typed } from '../../pages/form.ts'
import { readAmount } from '../frame/amounts.ts'
import { FormFault } from '../frame/console-route.ts'
import type { PaymentView } from './fee-lines.ts'

/* The form that charges a card. Its question comes from charge-questions.ts. */

/** Thrown to ask before a charge. `again` then shows the question. */
export class Unconfirmed extends FormFault {
  constructor() {
    super({})
  }
}

type ChargeView = Pick<PaymentView, 'visit' | 'payments'> & {
  row: FeeColumns & Pick<BookingRow, 'no_show_at'>
}

/** Returns what may still be charged. Undefined for a booking without a price. */
export function leftToCharge({ row, payments }: Pick<ChargeView, 'row' | 'payments'>): Money | undefined {
  const fees = payments.filter(({ kind }) => kind === 'fee')
  const limit = chargeLimit(
    row,
    fees.map(({ status, amount, refunded_amount, refunding_amount }) => ({
      ...{ status, amount },
      returned: refunded_amount + refunding_amount,
    })),
  )
  return limit ? { amount: limit.left, currency: limit.currency } : undefined
}

function mostText({ visit, ...view }: ChargeView): string {
  const { chargeMost, chargeNothing } = visit.texts.booking
  const left = leftToCharge(view)
  return left && left.amount > 0 ? chargeMost({ amount: moneyText(left, visit.locale) }) : chargeNothing
}

/** False if nothing is left to charge to the card. A refused form keeps its fields. */
export function mayCharge(view: ChargeView & { hasCard: boolean }, state: FormState): boolean {
  return !view.hasCard || leftToCharge(view)?.amount !== 0 || Object.keys(state.faults).length > 0
}

/** Renders the fields of the form that charges a card. Without anything left to charge, says so instead. */
export function chargeFields(view: ChargeView & { hasCard: boolean }, state: FormState): Html {
  const texts = view.visit.texts.booking
  if (!mayCharge(view, state)) return html`<p>${texts.chargeNothing}</p>`
  const label = `${texts.refundAmount} (${leftToCharge(view)?.currency ?? ''})`
  const hint = view.hasCard ? mostText(view) : undefined
  return html`<p>${view.hasCard ? texts.chargeHint : texts.chargeNoCard}</p>
    ${field(state, { ...{ name: 'amount', label, hint, type: 'number', isDecimal: true, required: true } })}
    ${field(state, { name: 'reason', label: texts.chargeReason, required: true, max: 200 })}`
}

/** Returns the members of a charge as they were typed. Throws a FormFault for more than the client agreed to. */
export function readCharge(view: ChargeView & { hasCard: boolean }, typed: Typed): object {
  const left = leftToCharge(view)
  const digits = minorDigits(left?.currency ?? 'EUR')
  const amount = readAmount(typed['amount'], { digits, locale: view.visit.locale })
  if (view.hasCard && left && typeof amount === 'number' && amount > left.amount)
    throw new FormFault({ amount: mostText(view) })
  return { ...(amount !== null && { amount }), reason: typed['reason'] ?? '' }
}

/** Throws Unconfirmed unless the person has confirmed this amount for this reason. */
export function assertSure({ amount, reason }: { amount: number; reason: string }, typed: Typed): void {
  if (typed['sure'] !== `${amount} ${reason}`) throw new Unconfirmed()
}

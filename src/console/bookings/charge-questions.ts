import { html, type Html } from '../../base/html.ts'
import { minorDigits } from '../../base/money.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { noShowFee } from '../../catalogue/booking-fee-rules.ts'
import type { Money } from '../../catalogue/catalogue-types.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import { type FormState, hidden } from '../../pages/form.ts'
import { readAmount } from '../frame/amounts.ts'
import type { ShownPage } from '../frame/console-route.ts'
import { clientName } from '../frame/formats.ts'
import { clientLine } from './booking-forms.ts'
import { bookingHead, bookingPath, type BookingView, versionFields } from './booking-page.ts'
import { leftToCharge } from './charge-form.ts'
import { feeReasonText, mayWaive, waiveLabel } from './fee-lines.ts'

/* The questions before money is taken, a fee waived or a card removed. Each names the client, and works without scripts. */

/** Asks before a charge by hand. */
export function chargeQuestion(view: BookingView, { typed }: FormState, hasCard: boolean): ShownPage {
  const { visit, row } = view
  const texts = visit.texts.booking
  const currency = leftToCharge(view)?.currency ?? 'EUR'
  const { amount: text = '', reason = '' } = typed
  const minor = Number(readAmount(text, { digits: minorDigits(currency), locale: visit.locale }))
  const amount = moneyText({ amount: minor, currency }, visit.locale)
  const name = clientName(presentBooking(row, visit.person).client, visit)
  return question(view, {
    title: texts.chargeAsk({ amount }),
    text: hasCard ? texts.chargeAskCard({ amount, name }) : texts.chargeAskLink({ amount, name }),
    more: html`<p class="soft"><bdi>${reason}</bdi></p>`,
    form: 'charge',
    fields: { amount: text, reason, sure: `${minor} ${reason}` },
    buttons: html`<button type="submit" class="main">
      ${hasCard ? texts.chargeNow({ amount }) : texts.chargeRequest({ amount })}
    </button>`,
  })
}

/** Returns the amount that marking a no-show charges. Undefined: nothing. */
export function noShowCharge({ row }: Pick<BookingView, 'row'>): Money | undefined {
  const fee = row.no_show_at === null ? noShowFee(row) : null
  return fee && fee.charged > 0 ? { amount: fee.charged, currency: fee.currency } : undefined
}

/** Names the whole fee for a no-show, its paid part, and what was refunded of that. */
function noShowReasons({ visit, row }: BookingView, name: string): string {
  const texts = visit.texts.booking
  const fee = noShowFee(row)
  if (!fee) return ''
  const money = (amount: number) => moneyText({ amount, currency: fee.currency }, visit.locale)
  const [paid, refunded] = [fee.amount - fee.charged, row.payment_refund_total ?? 0]
  return [
    texts.noShowWhy({ amount: money(fee.amount), name }),
    ...(paid > 0 ? [texts.noShowPaid({ amount: money(paid) })] : []),
    ...(refunded > 0 ? [texts.noShowRefunded({ amount: money(refunded) })] : []),
  ].join(' ')
}

/** Asks if marking a no-show charges its fee. */
export function noShowQuestion(view: BookingView, { typed }: FormState, hasCard: boolean): ShownPage {
  const { visit, row } = view
  const texts = visit.texts.booking
  const charged = noShowCharge(view) ?? { amount: 0, currency: 'EUR' }
  const amount = moneyText(charged, visit.locale)
  const name = clientName(presentBooking(row, visit.person).client, visit)
  const { to } = typed
  return question(view, {
    title: texts.noShowAsk,
    text: noShowReasons(view, name),
    form: 'status',
    fields: { action: 'no_show', ...(to !== undefined && { to }) },
    buttons: html`<button type="submit" name="fee" value="${charged.amount}" class="main">
        ${hasCard ? texts.noShowCharge({ amount }) : texts.noShowRequest({ amount })}
      </button>
      <button type="submit" name="fee" value="none">${texts.noShowFree}</button>`,
  })
}

/** Asks before the saved card is removed. */
export function cardQuestion(view: BookingView): ShownPage {
  const texts = view.visit.texts.booking
  return question(view, {
    title: texts.cardRemoveAsk,
    text: texts.cardRemoveHow,
    form: 'card',
    fields: {},
    buttons: html`<button type="submit" class="danger">${texts.cardRemove}</button>`,
  })
}

/** Asks before a fee is waived. Undefined if there is no such fee, or nothing of it is left to waive. */
export function waiveQuestion(view: BookingView, paymentId: string | undefined): ShownPage | undefined {
  const { visit, row, payments } = view
  const fee = payments.find((one) => one.id === paymentId && one.kind === 'fee' && mayWaive(view, one))
  if (!fee) return undefined
  const texts = visit.texts.booking
  const { amount, currency, refunded_amount, refunding_amount } = fee
  const left = { amount: amount - refunded_amount - refunding_amount, currency }
  const name = clientName(presentBooking(row, visit.person).client, visit)
  return question(view, {
    title: texts.waiveAsk({ amount: moneyText(left, visit.locale) }),
    text: fee.status === 'paid' ? texts.waivePaidHow({ name }) : texts.waiveHow({ name }),
    more: html`<p class="soft"><bdi>${feeReasonText(texts, fee.reason ?? '')}</bdi></p>`,
    form: 'waive',
    fields: { payment: fee.id },
    buttons: html`<button type="submit" class="danger">${waiveLabel(visit, fee)}</button>`,
  })
}

interface Question {
  title: string
  text: string
  more?: Html
  form: 'charge' | 'status' | 'card' | 'waive'
  fields: Record<string, string>
  buttons: Html
}

function question(view: BookingView, { title, text, more, form, fields, buttons }: Question): ShownPage {
  return {
    title,
    visit: view.visit,
    section: 'bookings',
    panel: true,
    body: html`<div class="narrow">
      <h1>${title}</h1>
      <div class="card">${bookingHead(view, 2)} ${clientLine(view)}</div>
      <p role="status">${text}</p>
      ${more ?? ''}
      <form method="post" action="${bookingPath(view, form)}" class="fields">
        ${versionFields(view)} ${hidden(fields)}
        <div class="buttons">
          ${buttons}
          <a class="button" href="${bookingPath(view)}">${view.visit.texts.form.back}</a>
        </div>
      </form>
    </div>`,
  }
}

import type { Static } from 'typebox'
import { shownEmail } from '../../base/contact-formats.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { isInstant, readInstant } from '../../base/instants.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import type { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { HistoryEntry } from '../../bookings/history.ts'
import { usualClientFields } from '../../catalogue/service-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import {
  choice,
  faultSummary,
  field,
  type FormState,
  hidden,
  radios,
  type Typed,
  typedPhone,
} from '../../pages/form.ts'
import type { RefusedForm, ShownPage } from '../frame/console-route.ts'
import { face } from '../frame/faces.ts'
import { clientName, momentText } from '../frame/formats.ts'
import { answerFields, answersOf, typedAnswers } from '../../pages/answer-fields.ts'
import { nearTimesOf } from './book-page.ts'
import { conflictList, conflictsOf, reachChoice } from './book-series.ts'
import {
  bookingHead,
  bookingPath,
  type BookingView,
  historyText,
  isPaid,
  mayRefund,
  versionFields,
} from './booking-page.ts'
import { answerWords, bookingWords } from './booking-words.ts'
import { namesOfPeople } from './item-list.ts'
import { chargeFields, mayCharge } from './charge-form.ts'
import { leftToRefund } from './fee-lines.ts'
import { presentRefund, refundFields } from './refund-form.ts'
import type { TextKind } from '../../catalogue/mail-settings-rules.ts'
import { filedHint, toldAt } from './telling.ts'

/*
 * The forms of a booking. After a refusal, each keeps its input and shows the changes made by others
 * meanwhile.
 */

export const formNames = ['cancel', 'charge', 'client', 'details', 'person', 'refund'] as const

export type FormName = (typeof formNames)[number]

/** The staff members who could take the booking. */
export type Takers = readonly (readonly [id: string, name: string])[]

/** Returns the initial values of a form. */
export function presentFields(name: FormName, view: BookingView, paymentId?: string): Typed {
  const { row } = view
  switch (name) {
    case 'cancel':
      return { refund: 'full', tell: 'yes' }
    case 'charge':
      return { amount: '', reason: '' }
    case 'client':
      return {
        first_name: row.client_first_name,
        last_name: row.client_last_name,
        email: shownEmail(row.client_email),
        phone: row.client_phone ?? '',
      }
    case 'details':
      return {
        notes: row.notes ?? '',
        ...typedAnswers(view.questions, presentAnswers(view)),
      }
    case 'person':
      return { staff_id: row.staff_id ?? '', tell: 'yes' }
    case 'refund':
      return presentRefund(view, paymentId)
  }
}

function presentAnswers({ visit, row }: BookingView) {
  return presentBooking(row, visit.person).custom_field_values
}

interface ShownForm {
  view: BookingView
  state: FormState
  /** The current values, if somebody else has changed the booking since the form was shown. */
  present: Typed | undefined
}

/** Returns the page of a form: initially, or after a refusal with its faults. */
export function formPage(
  name: FormName,
  view: BookingView,
  { state, takers, hasCard }: { state: FormState & Partial<RefusedForm>; takers: Takers; hasCard: boolean },
): ShownPage {
  const { texts } = view.visit
  const { save, back } = texts.form
  const changes = changesSince(view, state)
  const form = { view, state, present: changes && presentFields(name, view) }
  const parts = {
    cancel: () => cancelForm(form),
    charge: () => ({
      ...{
        title: texts.booking.chargeTitle,
        fields: chargeFields({ ...view, hasCard }, state),
        submit: mayCharge({ ...view, hasCard }, state) ? texts.booking.chargeSend : undefined,
      },
    }),
    client: () => ({ title: texts.booking.correct, fields: clientFields(form), submit: save }),
    details: () => ({ title: texts.booking.detailsTitle, fields: detailFields(form), submit: save }),
    refund: () => ({
      title: texts.booking.refundSome,
      fields: html`${refundFields(view, state)} ${tellChoice(view, state)}`,
      submit: texts.booking.refundSend,
    }),
    person: () => ({ title: texts.booking.personTitle, fields: personFields(form, takers), submit: save }),
  }
  const { title, fields, submit } = parts[name]()
  return {
    title,
    visit: view.visit,
    section: 'bookings',
    panel: true,
    body: html`<div class="narrow">
      <h1>${title}</h1>
      <div class="card">${bookingHead(view, 2)} ${clientLine(view)}</div>
      ${faultSummary(
        state,
        bookingWords(texts),
        html`${changeList(view, changes ?? [])} ${changes ? html`<p>${texts.form.kept}</p>` : ''}
        ${nearestTimes(view, state.refusal)}`,
      )}
      <form method="post" action="${bookingPath(view, name)}" class="fields">
        ${versionFields(view)} ${fields}
        <div class="buttons">
          ${
            submit === undefined
              ? ''
              : html`<button
                  type="submit"
                  class="main${name === 'cancel' && view.row.status !== 'cancelled' ? ' danger' : ''}"
                >
                  ${submit}
                </button>`
          }
          <a class="button" href="${bookingPath(view)}">${name === 'cancel' ? texts.booking.keepIt : back}</a>
        </div>
      </form>
    </div>`,
  }
}

/** Renders the client, and who gives the services. */
export function clientLine({ visit, row }: Pick<BookingView, 'visit' | 'row'>): Html {
  const name = clientName(presentBooking(row, visit.person).client, visit)
  const people = namesOfPeople(row)
  return html`<p class="who">
    ${face(name)}
    <span
      ><bdi>${name}</bdi
      >${people.length === 0 ? '' : html` <span class="soft">${visit.texts.calendar.withWhom({ name: people.join(', ') })}</span>`}</span
    >
  </p>`
}

/** Returns changes since a form was shown, oldest first, if they caused its refusal. */
export function changesSince(
  { history = [] }: BookingView,
  { typed, refusal }: FormState & Partial<RefusedForm>,
): HistoryEntry[] | undefined {
  if (!(refusal instanceof Problem) || refusal.code !== 'version_conflict') return undefined
  const { seen = '' } = typed
  return isInstant(seen) ? history.filter(({ at }) => at > seen) : []
}

/** Renders changes by others in plain words. */
export function changeList(view: BookingView, changes: HistoryEntry[]): Html {
  const setting = { timezone: view.row.timezone, locale: view.visit.locale }
  if (changes.length === 0) return html``
  return html`<ul>
    ${changes.map((entry) => html`<li>${momentText(entry.at, setting)}: ${historyText(view, entry)}</li>`)}
  </ul>`
}

/** Renders the free times in a refusal. */
export function nearestTimes({ visit, row }: BookingView, refusal: unknown): Html {
  const near = nearTimesOf(refusal)
  const setting = { timezone: row.timezone, locale: visit.locale }
  const conflicts = conflictsOf(refusal)
  if (conflicts.length > 0) return conflictList(visit, conflicts, setting)
  if (near.length === 0) return html``
  return html`<p>${visit.texts.booking.nearest}</p>
    <ul>
      ${near.map(({ starts_at }) => html`<li>${momentText(readInstant(starts_at), setting)}</li>`)}
    </ul>`
}

/** Formats what is left of the payment in advance. */
function depositText({ visit, row, payments }: BookingView): string {
  const paid = payments.find(({ id }) => id === row.payment_id)
  return paid ? moneyText(leftToRefund(paid), visit.locale) : ''
}

function cancelForm({ view, state }: ShownForm): { title: string; fields: Html; submit: string } {
  const { visit, row } = view
  const texts = visit.texts.booking
  const amount = depositText(view)
  if (row.status === 'cancelled')
    return {
      title: texts.refundTitle,
      fields: hidden({ refund: 'full' }),
      submit: texts.refundNow({ amount }),
    }
  const refund = !isPaid(row)
    ? html``
    : mayRefund(view)
      ? radios(state, {
          ...{ name: 'refund', label: texts.depositAsk },
          options: [
            ['full', texts.refundYes({ amount })],
            ['none', texts.refundNo({ amount })],
          ],
        })
      : html`<p>${texts.refundByOwner({ amount })}</p>`
  return {
    title: texts.cancelTitle,
    fields: html`${refund} ${reachChoice(visit, state, row.series_id)} ${tellChoice(view, state, 'cancelled')}
    ${field(state, { name: 'cancel_reason', label: texts.reasonLabel, rows: 4, max: 500 })}`,
    submit: texts.cancelNow,
  }
}

/** Renders the choice of telling the client. Messages without a kind go by email only. */
export function tellChoice({ visit, row }: BookingView, state: FormState, kind?: TextKind): Html {
  const texts = visit.texts.booking
  if (row.client_email === '') return html``
  const told = toldAt(visit, row, kind === undefined ? [] : [kind])
  if ('why' in told) return html`<p class="soft">${told.why}</p>`
  const asked = radios(state, {
    ...{ name: 'tell', label: texts.tellAsk },
    options: [
      ['yes', texts.tellYes({ email: told.to })],
      ['no', texts.tellNo],
    ],
  })
  return html`${asked} ${filedHint(visit)}`
}

const clientParts = [
  ['first_name', 'firstName', 'text', 100],
  ['last_name', 'lastName', 'text', 100],
  ['email', 'email', 'email', 254],
  ['phone', 'phone', 'tel', 32],
] as const

function clientFields({ view, state, present }: ShownForm): Html {
  const { booking, form } = view.visit.texts
  const uses = {
    ...(view.service?.client_fields ?? usualClientFields),
    first_name: 'required',
    email: 'optional',
  }
  return html`${clientParts.map(([name, label, type, max]) =>
    field(state, {
      ...{ name, label: booking[label], type, max, required: uses[name] === 'required' },
      now: nowText(form.now, { name, state, present }),
    }),
  )}`
}

function nowText(label: string, { name, state, present }: Omit<ShownForm, 'view'> & { name: string }) {
  const now = present?.[name] ?? ''
  if (!present || now === (state.typed[name] ?? '')) return undefined
  return html`${label} <bdi>${now || '–'}</bdi>`
}

function needsLastName(service: BookingView['service']): boolean {
  return (service?.client_fields ?? usualClientFields).last_name === 'required'
}

/** Converts the form about the client into the API's format. */
export function readClient({ service }: BookingView, typed: Typed): Static<typeof ChangeBooking> {
  const { first_name = '', last_name, email } = typed
  const phone = typedPhone(typed['phone'])
  return {
    client: {
      first_name,
      last_name: last_name || (needsLastName(service) ? '' : null),
      email: email || null,
      phone: phone || null,
    },
  }
}

function detailFields({ view, state, present }: ShownForm): Html {
  const { texts } = view.visit
  const now = nowText(texts.form.now, { name: 'notes', state, present })
  return html`${field(state, { name: 'notes', label: texts.booking.notes, rows: 4, max: 1000, now })}
  ${answerFields(answerWords(texts), state, { fields: view.questions, present })}`
}

/**
 * Converts the form about notes and answers into the API's format. Keeps answers to questions that are no
 * longer asked.
 */
export function readDetails(view: BookingView, typed: Typed) {
  const fields = view.questions
  const old = presentAnswers(view)
    .filter(({ field_id }) => !fields.some(({ id }) => id === field_id))
    .map(({ field_id, value }) => ({ field_id, value }))
  return { notes: typed['notes'] || null, custom_field_values: [...answersOf(fields, typed), ...old] }
}

function personFields({ view, state }: ShownForm, takers: Takers): Html {
  const texts = view.visit.texts.booking
  return html`${choice(state, { name: 'staff_id', label: texts.who, options: [...takers, ['', texts.anyone]] })}
  ${reachChoice(view.visit, state, view.row.series_id)} ${tellChoice(view, state, 'changed')}`
}

import type { Static } from 'typebox'
import type { ChangeBooking } from '../../bookings/booking-schemas.ts'
import { presentBooking } from '../../bookings/booking.ts'
import type { HistoryEntry } from '../../bookings/history.ts'
import type { CustomField } from '../../catalogue/catalogue-types.ts'
import { moneyText } from '../../mails/render.ts'
import { html, type Html } from '../page.ts'
import {
  bookingHead,
  bookingPath,
  type BookingView,
  historyText,
  mayRefund,
  timeFacts,
  versionFields,
} from './booking-page.ts'
import { faultBox, type FormFault, inputField, selectField, textField } from './console-form.ts'
import { momentText } from './formats.ts'

/* The forms of a booking. Each comes back with what was typed, and says what others changed meanwhile. */

export type Filled = Record<string, string>

/** A form as it is shown: for the first time, or again with what was wrong. */
interface ShownForm {
  view: BookingView
  /** What was typed; undefined for the first time. */
  filled?: Filled | undefined
  fault?: FormFault | undefined
  /** Changes since the form was shown, the oldest first; undefined unless it was stale. */
  changes?: HistoryEntry[] | undefined
  /** Free times near one that was refused. */
  nearest?: string[]
}

export const formNames = ['cancel', 'client', 'details', 'person'] as const

export type FormName = (typeof formNames)[number]

/** The page of a form. */
export function formPage(
  name: FormName,
  form: ShownForm,
  staff: readonly (readonly [string, string])[],
): Html {
  const { view } = form
  const texts = view.visit.texts.booking
  const parts: Record<FormName, () => { title: string; fields: Html; submit: string }> = {
    cancel: () => cancelForm(form),
    client: () => ({ title: texts.correct, fields: clientFields(form), submit: view.visit.texts.form.save }),
    details: () => ({
      title: texts.detailsTitle,
      fields: detailFields(form),
      submit: view.visit.texts.form.save,
    }),
    person: () => ({
      title: texts.personTitle,
      fields: personFields(form, staff),
      submit: view.visit.texts.form.save,
    }),
  }
  const { title, fields, submit } = parts[name]()
  return html`<div class="narrow">
    <h1>${title}</h1>
    <div class="card">
      ${bookingHead(view, 2)}
      <dl class="facts">${timeFacts(view)}</dl>
    </div>
    ${faultBox(form.fault, stalePart(form))}
    <form method="post" action="${bookingPath(view, name)}" class="fields">
      ${versionFields(view)} ${fields}
      <div class="buttons">
        <button type="submit" class="main">${submit}</button>
        <a class="button" href="${bookingPath(view)}"
          >${name === 'cancel' ? texts.keepIt : view.visit.texts.form.back}</a
        >
      </div>
    </form>
  </div>`
}

/** What others changed since the form was shown, and near times where one was refused. */
function stalePart({ view, changes, nearest = [] }: ShownForm): Html {
  const { texts } = view.visit
  const list = changes ? changeList(view, changes) : html``
  const times =
    nearest.length === 0
      ? html``
      : html`<p>${texts.booking.nearest}</p>
          <ul>
            ${nearest.map((time) => html`<li>${time}</li>`)}
          </ul>`
  return html`${list}${changes ? html`<p>${texts.form.kept}</p>` : ''}${times}`
}

/** Changes by others, in plain words. */
export function changeList(view: BookingView, changes: HistoryEntry[]): Html {
  const setting = { timezone: view.row.timezone, locale: view.visit.locale }
  if (changes.length === 0) return html``
  return html`<ul>
    ${changes.map((entry) => html`<li>${momentText(entry.at, setting)}: ${historyText(view, entry)}</li>`)}
  </ul>`
}

function depositText({ visit, row }: BookingView): string {
  if (row.payment_currency === null) return ''
  return moneyText({ amount: row.payment_amount ?? 0, currency: row.payment_currency }, visit.locale)
}

function cancelForm({ view, filled, fault }: ShownForm): { title: string; fields: Html; submit: string } {
  const { visit, row } = view
  const texts = visit.texts.booking
  const amount = depositText(view)
  if (row.status === 'cancelled')
    return {
      title: texts.refundTitle,
      fields: html`<input type="hidden" name="refund" value="full" />`,
      submit: texts.refundNow(amount),
    }
  const refund =
    row.payment_status !== 'paid'
      ? html``
      : mayRefund(view)
        ? choice('refund', texts.depositAsk, {
            chosen: filled?.['refund'] ?? 'full',
            options: [
              ['full', texts.refundYes(amount)],
              ['none', texts.refundNo(amount)],
            ],
          })
        : html`<p>${texts.refundByOwner(amount)}</p>`
  return {
    title: texts.cancelTitle,
    fields: html`${refund} ${row.client_email === '' ? '' : tellChoice(view, filled)}
    ${textField(visit.texts.form, {
      id: 'cancel_reason',
      label: texts.reasonLabel,
      value: filled?.['cancel_reason'] ?? '',
      fault: fault?.fields['cancel_reason'],
      maxLength: 500,
    })}`,
    submit: texts.cancelNow,
  }
}

function tellChoice({ visit, row }: BookingView, filled: Filled | undefined): Html {
  const texts = visit.texts.booking
  return choice('tell', texts.tellAsk, {
    chosen: filled?.['tell'] ?? 'yes',
    options: [
      ['yes', texts.tellYes(row.client_email)],
      ['no', texts.tellNo],
    ],
  })
}

function choice(
  name: string,
  legend: string,
  { chosen, options }: { chosen: string; options: (readonly [value: string, label: string])[] },
): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${options.map(
      ([value, label]) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${value}" ${value === chosen ? html`checked` : ''} />
          <span>${label}</span></label
        >`,
    )}
  </fieldset>`
}

const clientParts = [
  ['first_name', 'firstName', 'text', 100],
  ['last_name', 'lastName', 'text', 100],
  ['email', 'email', 'email', 254],
  ['phone', 'phone', 'tel', 32],
] as const

function clientFields({ view, filled, fault, changes }: ShownForm): Html {
  const { visit, row } = view
  const now: Filled = presentClient(row)
  return html`${clientParts.map(([name, label, type, maxLength]) => {
    const present = now[name] ?? ''
    const value = filled?.[name] ?? present
    return inputField(visit.texts.form, {
      ...{ id: name, label: visit.texts.booking[label], type, maxLength, value },
      fault: fault?.fields[`client/${name}`],
      now: changes && value !== present ? present : undefined,
      required: name !== 'phone',
      autocomplete: 'off',
    })
  })}`
}

function presentClient(row: BookingView['row']): Filled {
  return {
    first_name: row.client_first_name,
    last_name: row.client_last_name,
    email: row.client_email,
    phone: row.client_phone ?? '',
  }
}

/** What the form about the client says, as the API takes it. */
export function readClient(filled: Filled): Static<typeof ChangeBooking> {
  const { first_name = '', last_name = '', email = '', phone = '' } = filled
  return { client: { first_name, last_name, email, phone: phone.trim() || null } }
}

function detailFields({ view, filled, fault, changes }: ShownForm): Html {
  const { visit, row } = view
  const texts = visit.texts
  const present = row.notes ?? ''
  const notes = filled?.['notes'] ?? present
  return html`${textField(texts.form, {
    ...{ id: 'notes', label: texts.booking.notes, value: notes, maxLength: 1000 },
    fault: fault?.fields['notes'],
    now: changes && notes !== present ? present : undefined,
  })}
  ${(view.service?.custom_fields ?? []).map((field) => answerField(field, { view, filled, fault, changes }))}`
}

function answerField(field: CustomField, { view, filled, fault }: ShownForm): Html {
  const { texts } = view.visit
  const id = `answer-${field.id}`
  const given = answersOf(view).find(({ field_id }) => field_id === field.id)?.value
  const filledValue = filled?.[id]
  const value = filledValue ?? (given === undefined || Array.isArray(given) ? '' : String(given))
  const index = filled ? readAnswers(view, filled).findIndex(({ field_id }) => field_id === field.id) : -1
  const shown = {
    ...{ id, label: field.label, value, required: false, autocomplete: 'off' },
    fault:
      fault?.fields[`custom_field_values/${index}/value`] ?? missingFault(field, { view, filled, fault }),
  }
  const none = ['', '–'] as const
  switch (field.type) {
    case 'textarea':
      return textField(texts.form, shown)
    case 'boolean':
      return selectField(texts.form, {
        ...shown,
        options: [none, ['true', texts.booking.yes], ['false', texts.booking.no]],
      })
    case 'select':
      return selectField(texts.form, {
        ...shown,
        options: [none, ...(field.options ?? []).map((option) => [option, option] as const)],
      })
    case 'multi_select':
      return manyField(field, {
        chosen: chosenOf(field, filled) ?? (Array.isArray(given) ? given : []),
        fault: shown.fault,
      })
    case 'number':
      return inputField(texts.form, { ...shown, type: 'text' }) // a browser's number field loses what it cannot read
    case 'date':
    case 'email':
    case 'url':
      return inputField(texts.form, { ...shown, type: field.type })
    case 'phone':
      return inputField(texts.form, { ...shown, type: 'tel' })
    case 'text':
      return inputField(texts.form, shown)
  }
}

function missingFault(field: CustomField, { view, filled, fault }: ShownForm): string | undefined {
  const missing = fault?.fields['custom_field_values']
  if (missing === undefined || !field.required || !filled) return undefined
  return readAnswers(view, filled).some(({ field_id }) => field_id === field.id) ? undefined : missing
}

function manyField(
  field: CustomField,
  { chosen, fault }: { chosen: string[]; fault: string | undefined },
): Html {
  return html`<fieldset>
    <legend>${field.label}</legend>
    ${(field.options ?? []).map(
      (option, index) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="answer-${field.id}-${index}"
            value="yes"
            ${chosen.includes(option) ? html`checked` : ''}
          />
          <span dir="auto">${option}</span></label
        >`,
    )}
    ${fault === undefined ? '' : html`<p class="hint"><span class="fault">${fault}</span></p>`}
  </fieldset>`
}

/** The boxes that are ticked; undefined before the form was sent. */
function chosenOf(field: CustomField, filled: Filled | undefined): string[] | undefined {
  return (
    filled &&
    (field.options ?? []).filter((_option, index) => filled[`answer-${field.id}-${index}`] !== undefined)
  )
}

type Answers = NonNullable<Static<typeof ChangeBooking>['custom_field_values']>

function answersOf({ visit, row }: BookingView): Answers {
  return presentBooking(row, visit.person).custom_field_values
}

/** What the form about notes and answers says, as the API takes it. */
export function readDetails(view: BookingView, filled: Filled): Static<typeof ChangeBooking> {
  return { notes: filled['notes']?.trim() || null, custom_field_values: readAnswers(view, filled) }
}

/** Answers to questions that are not asked any more stay. */
function readAnswers(view: BookingView, filled: Filled): Answers {
  const fields = view.service?.custom_fields ?? []
  const old = answersOf(view).filter(({ field_id }) => !fields.some(({ id }) => id === field_id))
  const given = fields.flatMap((field): Answers => {
    const value = answerOf(field, filled)
    return value === undefined ? [] : [{ field_id: field.id, value }]
  })
  return [...given, ...old]
}

function answerOf(field: CustomField, filled: Filled): Answers[number]['value'] {
  if (field.type === 'multi_select') {
    const chosen = chosenOf(field, filled) ?? []
    return chosen.length === 0 ? undefined : chosen
  }
  const text = filled[`answer-${field.id}`]?.trim() ?? ''
  if (text === '') return undefined
  if (field.type === 'boolean') return text === 'true'
  if (field.type !== 'number') return text
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : text // which is refused
}

function personFields(
  { view, filled, fault }: ShownForm,
  staff: readonly (readonly [string, string])[],
): Html {
  const { visit, row } = view
  const texts = visit.texts
  return html`${selectField(texts.form, {
    ...{ id: 'staff_id', label: texts.booking.who, value: filled?.['staff_id'] ?? row.staff_id ?? '' },
    fault: fault?.fields['staff_id'],
    options: [...staff, ['', texts.booking.anyone]],
  })}
  ${row.client_email === '' ? '' : tellChoice(view, filled)}`
}

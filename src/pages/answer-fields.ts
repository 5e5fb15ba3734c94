import { Problem, validationProblem } from '../base/errors.ts'
import { html, type Html } from '../base/html.ts'
import type { FieldAnswer, FieldValue } from '../bookings/custom-field-rules.ts'
import type { CustomField } from '../catalogue/catalogue-types.ts'
import { labelParts } from '../catalogue/service-rules.ts'
import { choice, field as fieldOfForm, type FormState, tick, ticks, type Typed, typedPhone } from './form.ts'

/* The questions of a service as form fields, with answers. */

/** Returns the name of an answer's field, or of one of its choices. */
function answerName(id: string, option?: number): string {
  return option === undefined ? `answer-${id}` : `answer-${id}-${option}`
}

/** Returns the field values for answers. */
export function typedAnswers(fields: readonly CustomField[], answers: readonly FieldAnswer[]): Typed {
  const typed: Typed = {}
  for (const { id, type, options = [] } of fields) {
    const value = answers.find(({ field_id }) => field_id === id)?.value
    if (Array.isArray(value)) {
      for (const [index, option] of options.entries())
        if (value.includes(option)) typed[answerName(id, index)] = 'on'
    } else if (type === 'consent') {
      if (value === true) typed[answerName(id)] = 'on'
    } else if (value !== undefined) typed[answerName(id)] = String(value)
  }
  return typed
}

/** Returns the answers from the field values. */
export function answersOf(fields: readonly CustomField[], typed: Typed): FieldAnswer[] {
  return fields.flatMap((field) => {
    const value = answerOf(field, typed)
    return value === undefined ? [] : [{ field_id: field.id, value }]
  })
}

function answerOf({ id, type, options = [] }: CustomField, typed: Typed): FieldValue | undefined {
  if (type === 'multi_select') {
    const chosen = options.filter((_option, index) => typed[answerName(id, index)] !== undefined)
    return chosen.length === 0 ? undefined : chosen
  }
  const text = typed[answerName(id)] ?? ''
  if (text === '') return undefined
  if (type === 'consent') return true
  if (type === 'boolean') return text === 'true'
  if (type === 'phone') return typedPhone(text)
  if (type !== 'number') return text
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : text // the operation refuses it
}

/** Maps the errors of refused answers to their fields: `/answer-…`. Leaves other errors unchanged. */
export function refusedAnswers(
  error: unknown,
  { fields, answers }: { fields: readonly CustomField[]; answers: readonly FieldAnswer[] },
): unknown {
  if (!(error instanceof Problem) || error.code !== 'validation_failed') return error
  const errors = (error.parts.errors ?? []).map((one) => {
    const [, member, index] = one.pointer.split('/')
    if (member !== 'custom_field_values') return one
    const given = answers[Number(index)]?.field_id
    const field = fields.find(({ id }) => id === given || (given === undefined && one.detail.includes(id)))
    return field ? { ...one, pointer: `/${answerName(field.id)}` } : one
  })
  return validationProblem(errors)
}

/**
 * Renders the fields of the questions. `present` contains the current answers if somebody else has changed
 * them.
 */
export function answerFields(
  words: Record<'yes' | 'no' | 'now', string>,
  state: FormState,
  { fields, present }: { fields: readonly CustomField[]; present?: Typed | undefined },
): Html {
  return html`${fields.map((field) => {
    const { id, label, type, required, options = [] } = field
    const name = answerName(id)
    if (type === 'multi_select')
      return ticks(state, {
        ...{ name, label, required },
        boxes: options.map((option, index) => tick(state, answerName(id, index), html`<bdi>${option}</bdi>`)),
      })
    if (type === 'consent') {
      const fault = state.faults[name]
      return html`<div>
        ${tick(state, name, linkedLabel(label), { required })}
        ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
      </div>`
    }
    if (type === 'boolean' || type === 'select') {
      const choices =
        type === 'select'
          ? options.map((option) => [option, option] as const)
          : ([
              ['true', words.yes],
              ['false', words.no],
            ] as const)
      return choice(state, { name, label, required, options: [['', '–'], ...choices] })
    }
    const now = present?.[name] ?? ''
    return fieldOfForm(state, {
      ...{ name, label, required, isDecimal: true },
      ...(type === 'textarea' ? { rows: 4 } : { type: inputTypes[type] }),
      now:
        present && now !== (state.typed[name] ?? '')
          ? html`${words.now} <bdi>${now || '–'}</bdi>`
          : undefined,
    })
  })}`
}

/** Renders the text of a consent with its link. */
export function linkedLabel(label: string): Html {
  const { before, link, after } = labelParts(label)
  if (!link) return html`${before}`
  return html`${before}<a href="${link.url}" target="_blank" rel="noreferrer">${link.text}</a>${after}`
}

const inputTypes = {
  text: 'text',
  number: 'number',
  date: 'date',
  email: 'email',
  phone: 'tel',
  url: 'url',
} as const

import type { FastifyInstance } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { assertOwnPage, isReading } from '../../access/authentication-hook.ts'
import { type FieldError, Problem, validationProblem } from '../../base/errors.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { bodyLimitBytes, normalise } from '../../http/body.ts'
import { readForms } from '../../http/forms.ts'
import { compileSchema, fieldErrorsOf, type Validator } from '../../http/validation.ts'
import { problems } from '../../http/wire.ts'
import { html, type Html } from '../page.ts'
import type { ConsoleTexts } from './texts/en.ts'

/** What a form answers before its route is asked. */
export const refusedForms = problems('origin_not_allowed', 'payload_too_large', 'unsupported_media_type')

/** For the schema of a route that takes a form. */
export const formMedia = ['application/x-www-form-urlencoded']

/** Takes forms, from pages of this server alone. The pages themselves open from anywhere, such as from a link in a mail. */
export function ownFormsOnly(scope: FastifyInstance, ours: ReadonlySet<string>, limitBytes?: number): void {
  readForms(scope, limitBytes)
  scope.addHook('onRequest', (request, _reply, next) => {
    try {
      if (!isReading(request)) assertOwnPage(request, ours)
      next()
    } catch (error) {
      next(error as Error)
    }
  })
}

/** Adds routes of forms: they take forms alone, and from pages of this server alone. */
export function addForms(
  app: FastifyInstance,
  context: Context,
  add: (scope: FastifyInstance) => void,
): void {
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    ownFormsOnly(scope, ours, bodyLimitBytes)
    add(scope)
    done()
  })
}

const validators = new WeakMap<TSchema, Validator>()

/** What a form says, checked as the API checks its bodies. Throws validation_failed. */
export function checkedForm<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const validate = validators.get(schema) ?? compileSchema(schema)
  validators.set(schema, validate)
  const input = normalise(value)
  if (!validate(input)) throw validationProblem(fieldErrorsOf(validate.errors ?? []))
  return input as Static<T> // it fits the schema
}

/** What is wrong with a form. */
export interface FormFault {
  /** Stands above the form. */
  message: string
  /** By the name of the field, such as `client/email`. */
  fields: Record<string, string>
}

/** What is wrong, in words; rethrows what no form can answer. */
export function faultOf(texts: ConsoleTexts['form'], error: unknown): FormFault {
  if (!(error instanceof Problem)) throw error
  const { code, parts } = error
  if (code === 'validation_failed') {
    const fields = (parts.errors ?? []).map((one) => [one.pointer.slice(1), fieldFault(texts, one)] as const)
    return { message: texts.checkFields, fields: Object.fromEntries(fields) }
  }
  const text = Object.hasOwn(texts.problems, code)
    ? texts.problems[code as keyof typeof texts.problems]
    : undefined
  if (text === undefined) throw error
  return { message: text, fields: {} }
}

function fieldFault({ faults }: ConsoleTexts['form'], { code, detail }: FieldError): string {
  return Object.hasOwn(faults, code) ? faults[code as keyof typeof faults] : detail
}

interface Field {
  id: string
  /** Of the value; else `id`. */
  name?: string
  label: string
  value: string
  fault?: string | undefined
  /** What the value is now, where somebody else has changed it. */
  now?: string | undefined
  type?: string
  required?: boolean
  maxLength?: number
  autocomplete?: string
}

/** A field with its label, its fault, and what it says now. */
export function inputField(texts: ConsoleTexts['form'], field: Field): Html {
  const { id, name = id, label, value, fault, type = 'text', required = false, maxLength } = field
  return html`<div>
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      dir="auto"
      ${field.autocomplete === undefined ? '' : html`autocomplete="${field.autocomplete}"`}
      ${required ? html`required` : ''}
      ${maxLength === undefined ? '' : html`maxlength="${maxLength}"`}
      ${describedBy(field)}
    />
    ${hints(texts, { id, fault, now: field.now })}
  </div>`
}

/** As `inputField`, for text of several lines. */
export function textField(texts: ConsoleTexts['form'], field: Field): Html {
  const { id, name = id, label, value, fault, required = false, maxLength } = field
  return html`<div>
    <label for="${id}">${label}</label>
    <textarea
      id="${id}"
      name="${name}"
      rows="4"
      dir="auto"
      ${required ? html`required` : ''}
      ${maxLength === undefined ? '' : html`maxlength="${maxLength}"`}
      ${describedBy(field)}
    >
${value}</textarea>
    ${hints(texts, { id, fault, now: field.now })}
  </div>`
}

/** One of several values. */
export function selectField(
  texts: ConsoleTexts['form'],
  field: Field & { options: (readonly [value: string, label: string])[] },
): Html {
  const { id, name = id, label, value, fault, options } = field
  return html`<div>
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}" ${describedBy(field)}>
      ${options.map(
        ([one, text]) =>
          html`<option value="${one}" ${one === value ? html`selected` : ''} dir="auto">${text}</option>`,
      )}
    </select>
    ${hints(texts, { id, fault, now: field.now })}
  </div>`
}

function describedBy({ id, fault, now }: Field): Html {
  if (fault === undefined && now === undefined) return html``
  const invalid = fault === undefined ? '' : html` aria-invalid="true"`
  return html`aria-describedby="${id}-hint"${invalid}`
}

function hints(texts: ConsoleTexts['form'], { id, fault, now }: Pick<Field, 'id' | 'fault' | 'now'>): Html {
  if (fault === undefined && now === undefined) return html``
  return html`<p id="${id}-hint" class="hint">
    ${fault === undefined ? '' : html`<span class="fault">${fault}</span>`}
    ${now === undefined ? '' : html`<span>${texts.now} <bdi>${now || '–'}</bdi></span>`}
  </p>`
}

/** What is wrong with the whole form. */
export function faultBox(fault: FormFault | undefined, more: Html = html``): Html {
  if (!fault) return html``
  return html`<div class="alert" role="alert">
    <p>${fault.message}</p>
    ${more}
  </div>`
}

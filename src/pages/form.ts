import { isPhone } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { html, type Html } from '../base/html.ts'

/* The fields of every console form: values, faults, and how to render both. */

/** Submitted or initial values by field name. An unticked box is absent. */
export type Typed = Record<string, string>

/** Faults by field name. Faults of the whole form have an empty name. */
export type Faults = Record<string, string>

/** A form to render: with initial values, or after a fault with the submitted ones. */
export interface FormState {
  typed: Typed
  faults: Faults
}

/** Returns a form without faults. */
export function filledForm(typed: Typed = {}): FormState {
  return { typed, faults: {} }
}

/** Texts for faults, such as the group `setUp` of the texts or `bookingWords`. */
export interface FaultWords {
  /** Beginning of the summary above the form. */
  notSaved: string
  checkMarked: string
  /** Returns the text for a field's fault, given its API code and detail. */
  fault: (code: string, detail: string, pointer?: string) => string
  /** Returns the text for a fault without a field, given its API code and detail. */
  problem: (code: string, detail: string) => string
}

/** Translates an operation's faults for people. `fieldOf` finds the field for a pointer (RFC 6901). */
export function faultsOf(
  errors: FieldError[],
  texts: FaultWords,
  fieldOf: (pointer: string) => string,
): Faults {
  const faults: Faults = {}
  for (const { pointer, code, detail } of errors)
    faults[fieldOf(pointer)] ??= texts.fault(code, detail, pointer)
  return faults
}

/** A field with one line, or several (`rows`). */
export interface Field {
  name: string
  label: string
  hint?: string | undefined
  /** Warning about a saved value that may be unintended. */
  warning?: string | undefined
  type?: 'text' | 'number' | 'email' | 'tel' | 'url' | 'date' | 'time' | 'color' | 'password'
  required?: boolean
  max?: number
  rows?: number
  /** Text after a number, such as a unit. */
  unit?: string
  /** Allows fractions. */
  isDecimal?: boolean
  /** Shows the value without a way to change it. The form still submits it. */
  isReadOnly?: boolean
  autocomplete?: string
  /** True to focus this field when the page opens, so that typing can continue. */
  focus?: boolean
  /** The current value, if somebody else has changed it. */
  now?: Html | undefined
}

export function field(state: FormState, { name, label, hint, warning, unit, now, ...input }: Field): Html {
  const fault = state.faults[name] ?? warning
  return html`<div>
    <label for="${name}"
      >${label}${unit === undefined ? '' : html` <span class="soft">(${unit})</span>`}</label
    >
    ${inputOf(state, { name, ...input, describedBy: describedBy(name, hint, fault) })}
    ${notesOf(name, hint, fault)} ${now === undefined ? '' : html`<p class="hint">${now}</p>`}
  </div>`
}

function inputOf(
  { typed, faults }: FormState,
  { name, type = 'text', required = false, max, rows, ...rest }: Omit<Field, 'label'> & { describedBy: Html },
): Html {
  const value = type === 'password' ? '' : (typed[name] ?? '') // no page repeats a secret
  const common = html`id="${name}" name="${name}" dir="auto" ${required ? html`required` : ''}
  ${rest.isReadOnly === true ? html`readonly` : ''}
  ${focusIf(rest.focus === true || faults[name] !== undefined)}
  ${max === undefined ? '' : html`maxlength="${max}"`} ${rest.describedBy}
  ${faults[name] === undefined ? '' : html`aria-invalid="true"`}`
  if (rows !== undefined) return html`<textarea ${common} rows="${rows}">${value}</textarea>` // browsers drop the first line break
  const isNumber = type === 'number'
  return html`<input
    ${common}
    type="${isNumber ? 'text' : type}"
    ${isNumber ? html`inputmode="${rest.isDecimal ? 'decimal' : 'numeric'}"` : ''}
    autocomplete="${rest.autocomplete ?? 'off'}"
    value="${value}"
  />`
}

function describedBy(name: string, hint: string | undefined, fault: string | undefined): Html {
  const ids = [fault === undefined ? [] : `${name}-fault`, hint === undefined ? [] : `${name}-hint`].flat()
  return ids.length === 0 ? html`` : html`aria-describedby="${ids.join(' ')}"`
}

function notesOf(name: string, hint: string | undefined, fault: string | undefined): Html {
  return html`${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}
  ${hint === undefined ? '' : html`<p class="soft" id="${name}-hint">${hint}</p>`}`
}

/** An option of a drop-down list. Those with the same group are together. */
type Option = readonly [value: string, text: string, group?: string]

/** Renders a choice from a drop-down list. */
export function choice(
  state: FormState,
  {
    name,
    label,
    hint,
    required = false,
    options,
    id = name,
  }: Pick<Field, 'name' | 'label' | 'hint' | 'required'> & {
    options: Option[]
    /** Differs from the name if another form of the page may have the same field. */
    id?: string
  },
): Html {
  const fault = state.faults[name]
  const { [name]: chosen = '' } = state.typed
  const option = ([value, text]: Option) =>
    html`<option value="${value}" ${value === chosen ? html`selected` : ''} dir="auto">${text}</option>`
  return html`<div>
    <label for="${id}">${label}</label>
    <select
      id="${id}"
      name="${name}"
      ${required ? html`required` : ''}
      ${describedBy(name, hint, fault)}
      ${fault === undefined ? '' : html`aria-invalid="true" autofocus`}
    >
      ${Map.groupBy(options, ([, , group = '']) => group)
        .entries()
        .map(([group, some]) =>
          group === ''
            ? html`${some.map(option)}`
            : html`<optgroup label="${group}">${some.map(option)}</optgroup>`,
        )
        .toArray()}
    </select>
    ${notesOf(name, hint, fault)}
  </div>`
}

/** Renders a choice with all options visible. */
export function radios(
  { typed, faults }: FormState,
  {
    name,
    label,
    hint,
    options,
  }: Pick<Field, 'name' | 'label' | 'hint'> & { options: (readonly [value: string, text: string])[] },
): Html {
  const fault = faults[name]
  return html`<fieldset ${describedBy(name, hint, fault)}>
    <legend>${label}</legend>
    ${notesOf(name, hint, fault)}
    ${options.map(
      ([value, text]) =>
        html`<label class="choice">
          <input type="radio" name="${name}" value="${value}" ${value === typed[name] ? html`checked` : ''} />
          <span>${text}</span>
        </label>`,
    )}
  </fieldset>`
}

/** Renders hidden fields. */
export function hidden(values: Record<string, string | undefined>): Html {
  return html`${Object.entries(values).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`
}

/** Returns the attribute that focuses an element when the page opens. The first one on the page gets the focus. */
export const focusIf = (isNext: boolean): Html => (isNext ? html`autofocus` : html``)

/** Renders a checkbox. */
export function tick(
  state: FormState,
  name: string,
  label: string | Html,
  { focus = false, required = false } = {},
): Html {
  const checked = state.typed[name] === 'on' ? html`checked` : ''
  return html`<label class="choice">
    <input
      type="checkbox"
      ${focusIf(focus)}
      name="${name}"
      value="on"
      ${checked}
      ${required ? html`required` : ''}
    />
    <span>${label}</span>
  </label>`
}

/**
 * Renders the checkboxes of one question. A fault of the question appears at `name`. Browsers do not check
 * that at least one is ticked.
 */
export function ticks(state: FormState, { name, label, hint, required = false, boxes }: TicksParts): Html {
  const fault = state.faults[name]
  return html`<fieldset ${required ? html`class="required"` : ''} ${describedBy(name, hint, fault)}>
    <legend>${label}</legend>
    ${notesOf(name, hint, fault)}
    <div class="boxes">${boxes}</div>
  </fieldset>`
}

type TicksParts = Pick<Field, 'name' | 'label' | 'hint' | 'required'> & { boxes: Html[] }

/** Renders a notice that nothing was saved, with the faults without a field and further help. */
export function faultSummary({ faults }: FormState, texts: FaultWords, more: Html = html``): Html {
  if (Object.keys(faults).length === 0) return html``
  return html`<div class="alert" role="alert">
    <p>${texts.notSaved} ${faults[''] ?? texts.checkMarked}</p>
    ${more}
  </div>`
}

/** Returns the names of ticked boxes with a prefix, without the prefix. */
export function ticked(typed: Typed, prefix: string): string[] {
  return Object.keys(typed).flatMap((name) =>
    name.startsWith(prefix) && typed[name] === 'on' ? [name.slice(prefix.length)] : [],
  )
}

/** Returns values that tick boxes. */
export function tickedOf(prefix: string, names: readonly string[]): Typed {
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, 'on']))
}

/**
 * Reads a number with a point or comma. Returns null for an empty text, and the text itself if it is not a
 * number. Decimals must fit a factor of 1, 10 or 100.
 */
export function numberOf(text: string | undefined, factor = 1): number | string | null {
  const given = (text ?? '').trim()
  if (given === '') return null
  const number = /^\d{1,9}(?:[.,](\d{1,6}))?$/.exec(given)
  const digits = Math.log10(factor)
  // "1,000" may mean a thousand
  const isTooFine = Number.isInteger(digits) && (number?.[1]?.length ?? 0) > digits
  return !number || isTooFine ? given : Math.round(Number(given.replace(',', '.')) * factor)
}

/**
 * Converts a phone number as typed into the format of the API: digits of any script, and a space for slashes
 * and dashes.
 */
export function typedPhone(text = ''): string {
  if (isPhone(text)) return text
  return text
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll(/[/\s\u2010-\u2015]+/g, ' ')
    .trim()
}

/** Formats a number for `numberOf`. */
export function numberText(value: number | null, factor = 1): string {
  return value === null ? '' : String(Math.round((value / factor) * 10_000) / 10_000)
}

/** Returns the non-empty lines of a text. */
export function linesOf(text = '', between: string | RegExp = '\n'): string[] {
  return text
    .split(between)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Renders a text to copy. A script adds a copy button. */
export function copied(
  words: { copy: string; copied: string },
  { name, label, text, rows }: { name: string; label: string; text: string; rows: number },
): Html {
  const attributes = html`dir="ltr" id="${name}" readonly`
  return html`<div class="fields copied">
    <label for="${name}">${label}</label>
    ${rows > 1 ? html`<textarea ${attributes} rows="${rows}">${text}</textarea>` : html`<input ${attributes} value="${text}" />`}
    <button type="button" hidden data-copy="${name}">
      ${words.copy} <span class="unseen">${label}</span>
    </button>
    <p id="${name}-copied" role="status" hidden>${words.copied}</p>
  </div>`
}

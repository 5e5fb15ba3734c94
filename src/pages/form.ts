import { isPhone } from '../base/contact-formats.ts'
import type { FieldError } from '../base/errors.ts'
import { html, type Html } from '../base/html.ts'

/* The fields of every form of the console: what they hold, what is wrong with them, and how both are shown. */

/** What a form has sent, or shows: texts by the names of its fields. A box that is not ticked is absent. */
export type Typed = Record<string, string>

/** What is wrong, by the names of fields; under an empty name what belongs to none of them. */
export type Faults = Record<string, string>

/** A form as it is shown: filled in, and after a fault with what was typed. */
export interface FormState {
  typed: Typed
  faults: Faults
}

/** Without faults. */
export function filledForm(typed: Typed = {}): FormState {
  return { typed, faults: {} }
}

/** How a form says what is wrong: as the group `setUp` of the texts does, or as `bookingWords`. */
export interface FaultWords {
  /** Begins what stands above the form. */
  notSaved: string
  checkMarked: string
  /** Of a field: a code of the API, and its words for it. */
  fault: (code: string, detail: string) => string
  /** What belongs to no field: a code of the API, and its words for it. */
  problem: (code: string, detail: string) => string
}

/** Faults of an operation for people, each at the field that `fieldOf` finds for its pointer (RFC 6901). */
export function faultsOf(
  errors: FieldError[],
  texts: FaultWords,
  fieldOf: (pointer: string) => string,
): Faults {
  const faults: Faults = {}
  for (const { pointer, code, detail } of errors) faults[fieldOf(pointer)] ??= texts.fault(code, detail)
  return faults
}

/** A field of one line, or of several (`rows`). */
interface Field {
  name: string
  label: string
  hint?: string
  /** What is saved, but may not be meant. */
  warning?: string | undefined
  type?: 'text' | 'number' | 'email' | 'tel' | 'url' | 'date' | 'time' | 'color'
  required?: boolean
  max?: number
  rows?: number
  /** What stands behind a number, such as a unit. */
  unit?: string
  /** Allows fractions. */
  isDecimal?: boolean
  autocomplete?: string
  /** Whether the page opens with it in sight, to go on typing. */
  focus?: boolean
  /** What the value is now, where somebody else has changed it. */
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
  const value = typed[name] ?? ''
  const common = html`id="${name}" name="${name}" dir="auto" ${required ? html`required` : ''}
  ${focusIf(rest.focus === true)} ${max === undefined ? '' : html`maxlength="${max}"`} ${rest.describedBy}
  ${faults[name] === undefined ? '' : html`aria-invalid="true"`}`
  if (rows !== undefined) return html`<textarea ${common} rows="${rows}">${value}</textarea>` // a browser drops the first line break
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

/** One of a few. */
export function choice(
  state: FormState,
  {
    name,
    label,
    hint,
    required = false,
    options,
  }: Pick<Field, 'name' | 'label' | 'hint' | 'required'> & {
    options: (readonly [value: string, text: string])[]
  },
): Html {
  const fault = state.faults[name]
  const { [name]: chosen = '' } = state.typed
  return html`<div>
    <label for="${name}">${label}</label>
    <select
      id="${name}"
      name="${name}"
      ${required ? html`required` : ''}
      ${describedBy(name, hint, fault)}
      ${fault === undefined ? '' : html`aria-invalid="true"`}
    >
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''} dir="auto">
            ${text}
          </option>`,
      )}
    </select>
    ${notesOf(name, hint, fault)}
  </div>`
}

/** One of a few, all in sight. */
export function radios(
  { typed }: FormState,
  {
    name,
    label,
    options,
  }: { name: string; label: string; options: (readonly [value: string, text: string])[] },
): Html {
  return html`<fieldset>
    <legend>${label}</legend>
    ${options.map(
      ([value, text]) =>
        html`<label class="choice">
          <input type="radio" name="${name}" value="${value}" ${value === typed[name] ? html`checked` : ''} />
          <span>${text}</span>
        </label>`,
    )}
  </fieldset>`
}

/** Fields that nobody sees. */
export function hidden(values: Record<string, string | undefined>): Html {
  return html`${Object.entries(values).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`
}

/** For what a page opens with in sight. */
export const focusIf = (isNext: boolean): Html => (isNext ? html`autofocus` : html``)

/** A box to tick. */
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

/** Boxes of one question; a fault of the question stands at `name`. No browser checks that one is ticked. */
export function ticks(state: FormState, { name, label, hint, required = false, boxes }: TicksParts): Html {
  const fault = state.faults[name]
  return html`<fieldset ${required ? html`class="required"` : ''} ${describedBy(name, hint, fault)}>
    <legend>${label}</legend>
    ${notesOf(name, hint, fault)} ${boxes}
  </fieldset>`
}

type TicksParts = Pick<Field, 'name' | 'label' | 'hint' | 'required'> & { boxes: Html[] }

/** That nothing was saved, with what belongs to no field, and what else helps. */
export function faultSummary({ faults }: FormState, texts: FaultWords, more: Html = html``): Html {
  if (Object.keys(faults).length === 0) return html``
  return html`<div class="alert" role="alert">
    <p>${texts.notSaved} ${faults[''] ?? texts.checkMarked}</p>
    ${more}
  </div>`
}

/** The names of ticked boxes that begin with a prefix, without it. */
export function ticked(typed: Typed, prefix: string): string[] {
  return Object.keys(typed).flatMap((name) =>
    name.startsWith(prefix) && typed[name] === 'on' ? [name.slice(prefix.length)] : [],
  )
}

/** Ticks boxes. */
export function tickedOf(prefix: string, names: readonly string[]): Typed {
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, 'on']))
}

/** Reads a number with a point or comma; null where nothing is typed, the text where it is not a number. */
export function numberOf(text: string | undefined, factor = 1): number | string | null {
  const given = (text ?? '').trim()
  if (given === '') return null
  return /^\d{1,9}(?:[.,]\d{1,6})?$/.test(given)
    ? Math.round(Number(given.replace(',', '.')) * factor)
    : given
}

/** A phone number as people type it, in what the API takes: digits of any script, a space for slashes and dashes. */
export function typedPhone(text = ''): string {
  if (isPhone(text)) return text
  return text
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll(/[/\s\u2010-\u2015]+/g, ' ')
    .trim()
}

/** A number as `numberOf` reads it. */
export function numberText(value: number | null, factor = 1): string {
  return value === null ? '' : String(Math.round((value / factor) * 10_000) / 10_000)
}

/** Texts that are not empty, one a line. */
export function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** A text to take along; a script adds a button that copies it. */
export function copied(
  words: { copy: string; copied: string },
  { name, label, text, rows }: { name: string; label: string; text: string; rows: number },
): Html {
  const attributes = html`id="${name}" readonly`
  return html`<div class="fields copied">
    <label for="${name}">${label}</label>
    ${rows > 1 ? html`<textarea ${attributes} rows="${rows}">${text}</textarea>` : html`<input ${attributes} value="${text}" />`}
    <button type="button" hidden data-copy="${name}">
      ${words.copy} <span class="unseen">${label}</span>
    </button>
    <p id="${name}-copied" role="status" hidden>${words.copied}</p>
  </div>`
}

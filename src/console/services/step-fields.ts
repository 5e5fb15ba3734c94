import { html, type Html } from '../../base/html.ts'
import type { Step } from '../../catalogue/catalogue-types.ts'
import { maxSteps } from '../../catalogue/service-rules.ts'
import { type FormState, numberOf, type Typed } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { type Codec, number } from '../frame/form-rows.ts'
import type { ConsoleTexts } from '../frame/texts.ts'

/* The steps of a service, or of one person's terms, as rows of a form. */

type Words = ConsoleTexts['services']

/** The number of further empty rows for browsers without scripts. */
const furtherSteps = 3

/** A step as typed. The API rejects minutes that are not a number. */
interface TypedStep extends Pick<Step, 'staffed'> {
  minutes: number | string | null
}

const minutesName = (name: string, row: number) => `${name}.${row}.minutes`
const staffedName = (name: string, row: number) => `${name}.${row}.staffed`

/** Returns the numbers of the rows that have a step. */
export function stepRows(typed: Typed, name: string): number[] {
  const rows = Array.from({ length: maxSteps }, (_, row) => row)
  return rows.filter((row) => (typed[minutesName(name, row)] ?? '').trim() !== '')
}

/** Returns the steps in a form; undefined without any. */
export function readSteps(typed: Typed, name: string): TypedStep[] | undefined {
  const steps = stepRows(typed, name).map((row) => ({
    minutes: numberOf(typed[minutesName(name, row)]),
    staffed: typed[staffedName(name, row)] !== 'no',
  }))
  return steps.length === 0 ? undefined : steps
}

export function showSteps(steps: readonly Step[], name: string): Typed {
  return Object.fromEntries(
    steps.flatMap(({ minutes, staffed }, row): [string, string][] => [
      [minutesName(name, row), String(minutes)],
      [staffedName(name, row), staffed ? 'yes' : 'no'],
    ]),
  )
}

/** Returns the field for a fault of steps. */
export function stepField([index = '0', part]: (string | undefined)[], typed: Typed, name: string): string {
  const row = stepRows(typed, name)[Number(index)] ?? 0
  return part === 'staffed' ? staffedName(name, row) : minutesName(name, row)
}

/** Returns the codec of the steps of a service. */
export function steps(words: Words): Codec {
  return {
    read: (typed, name) => (minutesName(name, 0) in typed ? (readSteps(typed, name) ?? null) : undefined),
    show: (value, name) => showSteps((value ?? []) as Step[], name),
    inputAt: stepField,
    input: (state, { name, label, hint }) => {
      const free = (stepRows(state.typed, name).at(-1) ?? -1) + 1
      const further = { name, first: free + 1, count: furtherSteps }
      return html`<fieldset data-steps data-rows>
        <legend>${label}</legend>
        <p class="soft">${hint ?? ''}</p>
        ${stepFields(words, state, { name, count: free + 1 })}
        <noscript>${stepFields(words, state, further)}</noscript>
        <button type="button" hidden data-add>${icon('add')} ${words.addStep}</button>
      </fieldset>`
    },
  }
}

/** Renders rows of steps: minutes, with the person or without. */
export function stepFields(
  words: Words,
  state: FormState,
  { name, first = 0, count }: { name: string; first?: number; count: number },
): Html {
  const rows = Array.from({ length: count }, (_, index) => first + index).filter((row) => row < maxSteps)
  return html`${rows.map((row) => stepRow(words, state, name, row))}`
}

function stepRow(words: Words, { typed, faults }: FormState, name: string, row: number): Html {
  const label = words.step({ number: row + 1 })
  const minutes = minutesName(name, row)
  const staffed = staffedName(name, row)
  const isWithout = typed[staffed] === 'no'
  const wrong = (field: string) =>
    faults[field] === undefined ? '' : html`aria-invalid="true" aria-describedby="${field}-fault"`
  const option = (value: string, text: string, isChosen: boolean) =>
    html`<option value="${value}" ${isChosen ? html`selected` : ''}>${text}</option>`
  return html`<div class="step" data-row="${row}">
    <span data-number>${label}</span>
    <input
      name="${minutes}"
      value="${typed[minutes] ?? ''}"
      inputmode="numeric"
      autocomplete="off"
      aria-label="${label}: ${words.minutes}"
      ${wrong(minutes)}
    />
    <span class="soft">${words.minutes}</span>
    <select name="${staffed}" aria-label="${label}: ${words.stepWho}" ${wrong(staffed)}>
      ${option('yes', words.withPerson, !isWithout)} ${option('no', words.withoutPerson, isWithout)}
    </select>
    ${[minutes, staffed].map((field) =>
      faults[field] === undefined ? '' : html`<p class="fault" id="${field}-fault">${faults[field]}</p>`,
    )}
  </div>`
}

/** The field of the steps of a service. */
const ofService = 'steps'

/** Returns the length of a service with steps. Undefined without steps, or if one is not a number. */
export function lengthOfSteps(typed: Typed): number | undefined {
  const sum = readSteps(typed, ofService)?.reduce((all, { minutes }) => all + Number(minutes), 0)
  return sum === undefined || Number.isNaN(sum) ? undefined : sum
}

/** Returns the codec of the duration of a service. Steps replace it with their sum. */
export function duration(words: Words): Codec {
  const look = { unit: words.minutes, required: true }
  const plain = number(look)
  return {
    ...plain,
    read: (typed, name) => (readSteps(typed, ofService) ? undefined : plain.read(typed, name)),
    input: (state, parts) => {
      const sum = lengthOfSteps(state.typed)
      if (sum === undefined) return plain.input(state, parts)
      const typed = { ...state.typed, [parts.name]: String(sum) }
      return number({ ...look, isReadOnly: true }).input({ ...state, typed }, { ...parts, hint: words.sum })
    },
  }
}

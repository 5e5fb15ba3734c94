import { html, type Html } from '../../base/html.ts'
import type { Step } from '../../catalogue/catalogue-types.ts'
import { maxSteps } from '../../catalogue/service-rules.ts'
import { type FormState, numberOf, type Typed } from '../../pages/form.ts'
import { type Codec, number } from '../frame/form-rows.ts'
import type { ConsoleTexts } from '../frame/texts.ts'

/* The steps of a service, or of one person's terms, as rows of a form. */

type Words = ConsoleTexts['services']

/** The number of rows for the steps of a new service, and of empty rows after the last step. */
const firstSteps = 3
const freeSteps = 2

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
      const last = stepRows(state.typed, name).at(-1) ?? -1
      const count = Math.max(firstSteps, last + 1 + freeSteps)
      return html`<fieldset data-steps>
        <legend>${label}</legend>
        <p class="soft">${hint ?? ''}</p>
        ${stepFields(words, state, { name, count })}
      </fieldset>`
    },
  }
}

/** Renders the first rows of steps: minutes, with the person or without. */
export function stepFields(
  words: Words,
  state: FormState,
  { name, count }: { name: string; count: number },
): Html {
  const rows = Array.from({ length: Math.min(count, maxSteps) }, (_, row) => row)
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
  return html`<div class="step">
    <span>${label}</span>
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

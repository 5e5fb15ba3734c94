import { html, type Html } from '../../base/html.ts'
import { type Need, needTimes, type Step, type Terms } from '../../catalogue/catalogue-types.ts'
import { maxNeeds } from '../../catalogue/service-rules.ts'
import {
  choice,
  type Faults,
  field,
  type FormState,
  tick,
  ticked,
  tickedOf,
  ticks,
  type Typed,
} from '../../pages/form.ts'
import { areWrong, type Codec, fieldsOf, number, type Offered, type Row } from '../frame/form-rows.ts'
import type { ConsoleLanguage, ConsoleTexts } from '../frame/texts.ts'
import { money } from './currencies.ts'
import { readSteps, showSteps, stepField, stepFields, stepRows, steps } from './step-fields.ts'

/* The rarely used parts of a service: steps, rooms and equipment, and other prices and lengths of its staff. */

type Words = ConsoleTexts['services']
type Part = 'steps' | 'needs' | 'terms'

type Person = Offered & { name: string }

interface Equipment extends Offered {
  quantity: number
  location_id: string
}

interface Place {
  id: string
  name: string
}

/** The staff members and resources that a service can name. */
export interface PartChoices {
  staff: readonly Person[]
  resources: readonly Equipment[]
}

export function partRows(language: ConsoleLanguage, { staff, resources }: PartChoices): Row<Part>[] {
  const { services: words } = language.texts
  return [
    ['steps', steps(words), words.steps, words.stepsHint],
    [
      'needs',
      needs(words, resources),
      words.needs,
      resources.length > 0 ? words.needsHint : words.noResources,
    ],
    ['terms', terms(words, staff, money(language)), words.terms, words.termsHint],
  ]
}

/** Renders the section of the parts, which is open if one of them is set. */
export function partFields(words: Words, state: FormState, rows: readonly Row[]): Html {
  const parts: Part[] = ['steps', 'needs', 'terms']
  const isSet = [stepRows(state.typed, 'steps'), needRows(state.typed), peopleWithTerms(state.typed)].some(
    (set) => set.length > 0,
  )
  return html`<details ${isSet || areWrong(state, parts) ? html`open` : ''}>
    <summary>${words.parts}</summary>
    ${fieldsOf(rows, state)(...parts)}
  </details>`
}

const needName = (row: number, part: string) => `needs.${row}.${part}`
const quantity = number({ usual: 1 })

/** Returns the numbers of the rows that have a need. */
function needRows(typed: Typed): number[] {
  const rows = Array.from({ length: maxNeeds }, (_, row) => row)
  return rows.filter((row) => ticked(typed, needName(row, 'resource_ids.')).length > 0)
}

/** Returns the codec of needs. A need keeps the order of its resources, which is that of preference. */
function needs(words: Words, resources: readonly Offered[]): Codec {
  return {
    read: (typed) =>
      needName(0, 'quantity') in typed
        ? needRows(typed).map((row) => ({
            resource_ids: ticked(typed, needName(row, 'resource_ids.')),
            quantity: quantity.read(typed, needName(row, 'quantity')),
            during: typed[needName(row, 'during')],
          }))
        : undefined,
    show: (value) =>
      Object.assign(
        {},
        ...((value ?? []) as Need[]).map((need, row) => ({
          ...tickedOf(needName(row, 'resource_ids.'), need.resource_ids),
          ...quantity.show(need.quantity, needName(row, 'quantity')),
          [needName(row, 'during')]: need.during,
        })),
      ) as Typed,
    inputAt: ([index = '0', part = 'resource_ids'], typed) =>
      needName(needRows(typed)[Number(index)] ?? 0, part),
    input: (state, { name, label, hint }) => {
      const { [name]: fault } = state.faults
      const last = needRows(state.typed).at(-1) ?? 0
      const shown = Array.from({ length: last + 1 }, (_, row) => row)
      const isFull = last + 1 >= maxNeeds || resources.length < 2
      return html`<fieldset>
        <legend>${label}</legend>
        <p class="soft">${hint ?? ''}</p>
        ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
        ${
          resources.length === 0
            ? ''
            : html`${shown.map((row) => needFields(words, state, { row, resources }))}
              ${
                isFull
                  ? ''
                  : html`<details>
                      <summary>${words.anotherNeed}</summary>
                      ${needFields(words, state, { row: last + 1, resources })}
                    </details>`
              }`
        }
      </fieldset>`
    },
  }
}

/** Returns faults for needs that take more than there are, or that a location lacks: nobody could book those. */
export function needFaults(
  words: Words,
  typed: Typed,
  { resources, locations }: { resources: readonly Equipment[]; locations: readonly Place[] },
): Faults {
  const faults: Faults = {}
  for (const row of needRows(typed)) {
    const chosen = ticked(typed, needName(row, 'resource_ids.'))
    const wanted = resources.filter(({ id }) => chosen.includes(id))
    const most = Math.max(0, ...wanted.map((one) => one.quantity))
    const name = needName(row, 'quantity')
    if (most > 0 && Number(quantity.read(typed, name)) > most) faults[name] = words.needsTooMany({ most })
    const places = locations.filter(({ id }) => typed[`location_ids.${id}`] === 'on')
    const has = ({ id }: Place) => wanted.some((one) => one.location_id === id)
    const bare = places.find((place) => !has(place))
    if (bare && places.some(has))
      faults[needName(row, 'resource_ids')] = words.needsElsewhere({ location: bare.name })
  }
  return faults
}

function needFields(
  words: Words,
  state: FormState,
  { row, resources }: { row: number; resources: readonly Offered[] },
): Html {
  const at = (part: string) => needName(row, part)
  const chosen = ticked(state.typed, at('resource_ids.'))
  const rank = ({ id }: Offered) => (chosen.includes(id) ? chosen.indexOf(id) : chosen.length)
  const boxes = resources
    .filter(({ id, active }) => active !== false || chosen.includes(id))
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id, name }) => tick(state, at(`resource_ids.${id}`), html`<bdi>${name}</bdi>`))
  const during = needTimes.map((time) => [time, words.during[time]] as const)
  return html`${ticks(state, { name: at('resource_ids'), label: words.need, boxes })}
    <div class="beside">
      ${quantity.input(
        { ...state, typed: { [at('quantity')]: '1', ...state.typed } },
        { name: at('quantity'), label: words.needQuantity },
      )}
      ${choice(state, { name: at('during'), label: words.needDuring, options: during })}
    </div>`
}

const termName = (staffId: string, part: string) => `terms.${staffId}.${part}`
const pricePart = 'price'
const stepsPart = 'steps'

/** Returns the staff members with fields for terms. */
function peopleInForm(typed: Typed): string[] {
  return Object.keys(typed).flatMap((name) => /^terms\.([^.]+)\.price\.amount$/.exec(name)?.[1] ?? [])
}

function peopleWithTerms(typed: Typed): string[] {
  return peopleInForm(typed).filter(
    (id) =>
      (typed[`${termName(id, pricePart)}.amount`] ?? '').trim() !== '' ||
      readSteps(typed, termName(id, stepsPart)) !== undefined,
  )
}

function readTerms(typed: Typed, staffId: string, amount: Codec) {
  const price = amount.read(typed, termName(staffId, pricePart))
  const own = readSteps(typed, termName(staffId, stepsPart))
  const [only, ...others] = own ?? []
  const isPlain = only?.staffed === true && others.length === 0
  return {
    staff_id: staffId,
    ...(price !== null && { price }),
    ...(own !== undefined && (isPlain ? { duration_minutes: only.minutes } : { steps: own })),
  }
}

function showTerms({ staff_id, price, steps: own, duration_minutes: minutes }: Terms, amount: Codec): Typed {
  const plain: Step[] = minutes === undefined ? [] : [{ minutes, staffed: true }]
  return {
    ...amount.show(price, termName(staff_id, pricePart)),
    ...showSteps(own ?? plain, termName(staff_id, stepsPart)),
  }
}

/** Returns the codec of terms: a section for each person who gives the service or has terms. */
function terms(words: Words, staff: readonly Person[], amount: Codec): Codec {
  return {
    read: (typed) =>
      peopleInForm(typed).length === 0
        ? undefined
        : peopleWithTerms(typed).map((id) => readTerms(typed, id, amount)),
    show: (value) =>
      Object.assign({}, ...((value ?? []) as Terms[]).map((one) => showTerms(one, amount))) as Typed,
    inputAt: ([index, part, ...rest], typed, name) => {
      const staffId = peopleWithTerms(typed)[Number(index)]
      if (staffId === undefined) return name
      if (part === 'price') return `${termName(staffId, pricePart)}.amount`
      if (part === 'staff_id' || part === undefined) return termName(staffId, 'staff_id')
      return stepField(rest, typed, termName(staffId, stepsPart))
    },
    factorOf: (typed, [, part]) => (part === 'price' ? (amount.factorOf?.(typed, []) ?? 1) : 1),
    input: (state, { name, label, hint }) => {
      const { [name]: fault } = state.faults
      const having = peopleWithTerms(state.typed)
      const shown = staff.filter(({ id }) => having.includes(id) || state.typed[`staff_ids.${id}`] === 'on')
      if (shown.length === 0) return html``
      return html`<fieldset>
        <legend>${label}</legend>
        <p class="soft">${hint ?? ''}</p>
        ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
        ${shown.map((person) => termFields(words, state, { person, amount, isSet: having.includes(person.id) }))}
      </fieldset>`
    },
  }
}

function termFields(
  words: Words,
  state: FormState,
  { person: { id, name }, isSet, amount }: { person: Person; isSet: boolean; amount: Codec },
): Html {
  const own = termName(id, 'staff_id')
  const { [own]: fault } = state.faults
  const isOpen = isSet || areWrong(state, [`terms.${id}`])
  const price = amount.input(state, { name: termName(id, pricePart), label: words.price })
  const length = termName(id, stepsPart)
  const rowsOf = (of: string) => (stepRows(state.typed, of).at(-1) ?? -1) + 1
  const ofService = rowsOf('steps')
  const count = Math.max(ofService, rowsOf(length)) + (ofService > 0 ? 1 : 0)
  return html`<details ${isOpen ? html`open` : ''}>
    <summary><bdi>${name}</bdi></summary>
    <div role="group" aria-label="${name}">
      ${fault === undefined ? '' : html`<p class="fault" id="${own}-fault">${fault}</p>`}
      ${
        count > 1
          ? html`${price} ${stepFields(words, state, { name: length, count })}`
          : html`<div class="beside">
              ${price}
              ${field(state, { name: stepField([], {}, length), label: words.duration, unit: words.minutes, type: 'number' })}
            </div>`
      }
    </div>
  </details>`
}

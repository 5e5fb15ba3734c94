import { type IdleStart, idleStarts } from '../../availability/timetable-rules.ts'
import { html, type Html } from '../../base/html.ts'
import {
  clientFieldUses,
  type CustomField,
  customFieldTypes,
  type Money,
  type Timetable,
  type Weekday,
} from '../../catalogue/catalogue-types.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { opensErrors, weekdays } from '../../catalogue/schedule-rules.ts'
import {
  currencyErrors,
  minorDigits,
  usualAdvanceDays,
  usualChangeMinutes,
  usualClientFields,
  usualReschedules,
} from '../../catalogue/service-rules.ts'
import { moneyText } from '../../mails/render.ts'
import {
  choice,
  type Faults,
  field,
  type FormState,
  linesOf,
  numberOf,
  numberText,
  tick,
  ticked,
  tickedOf,
  ticks,
  type Typed,
} from '../../pages/form.ts'
import { shownFields, shownOf, typedShown } from '../frame/shown-form.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { weekdayName } from '../team/hours-form.ts'
import { currencyChoices, usualCurrency, withoutSign } from './currencies.ts'

/* The form of a service: a few questions that each has, and behind them those that few need. */

const minutesAnHour = 60
/** Room for one more question than there are. */
const freeQuestions = 1

/** Whom and where a service can name. */
interface ServiceChoices {
  locations: Location[]
  staff: StaffMember[]
}

export function typedService(service: Service): Typed {
  return {
    name: service.name,
    description: service.description ?? '',
    category: service.category ?? '',
    ...typedShown(service),
    minutes: String(service.duration_minutes),
    price: amountTyped(service.price),
    deposit: amountTyped(service.deposit),
    currency: (service.price ?? service.deposit)?.currency ?? '',
    before: String(service.buffer_before_minutes),
    after: String(service.buffer_after_minutes),
    grid: String(service.slot_interval_minutes),
    capacity: String(service.capacity),
    notice: numberText(service.min_notice_minutes, minutesAnHour),
    ahead: numberText(service.max_advance_days),
    cancel: numberText(service.cancel_until_minutes, minutesAnHour),
    move: numberText(service.reschedule_until_minutes, minutesAnHour),
    moves: String(service.max_reschedules),
    ask_phone: service.client_fields.phone,
    ask_last_name: service.client_fields.last_name,
    ...tickedOf('location.', service.location_ids),
    ...tickedOf('staff.', service.staff_ids),
    ...typedTimetable(service.timetable),
    ...Object.fromEntries(
      service.custom_fields.flatMap((one, index) => Object.entries(typedQuestion(one, index))),
    ),
  }
}

function amountTyped(money: Money | null): string {
  if (!money) return ''
  const digits = minorDigits(money.currency)
  const units = money.amount / 10 ** digits
  return Number.isInteger(units) ? String(units) : units.toFixed(digits)
}

function typedTimetable(timetable: Timetable | null): Typed {
  return Object.fromEntries(
    (timetable ?? []).map(({ weekday, starts }) => [`start.${weekday}`, starts.join(' ')]),
  )
}

function typedQuestion({ id, key, label, type, required, options = [] }: CustomField, index: number): Typed {
  const at = `question.${index}`
  return {
    ...{ [`${at}.id`]: id, [`${at}.key`]: key, [`${at}.label`]: label, [`${at}.type`]: type },
    [`${at}.options`]: options.join('\n'),
    ...(required && { [`${at}.required`]: 'on' }),
  }
}

/** How a new service begins: with the defaults of the API, and the currency of the others. */
export function newService(services: Service[], at: { timezone: string; locale: string }): Typed {
  const { currency } = services.flatMap(({ price }) => price ?? [])[0] ?? { currency: usualCurrency(at) }
  return {
    ...{ minutes: '30', currency, before: '0', after: '0', capacity: '1', notice: '0' },
    ahead: numberText(usualAdvanceDays),
    cancel: numberText(usualChangeMinutes, minutesAnHour),
    move: numberText(usualChangeMinutes, minutesAnHour),
    moves: String(usualReschedules),
    ask_phone: usualClientFields.phone,
    ask_last_name: usualClientFields.last_name,
  }
}

/** What the API takes. Fields that the form lacks, such as those of a short form, are left out. */
export function serviceOf(typed: Typed): Record<string, unknown> {
  const currency = (typed['currency'] ?? '').toUpperCase()
  const given = (name: string, value: () => unknown) => (name in typed ? { [memberOf(name)]: value() } : {})
  const number = (name: string, factor = 1) => given(name, () => numberOf(typed[name], factor))
  const usual = (name: string, value: number) => given(name, () => numberOf(typed[name]) ?? value)
  return {
    ...given('name', () => typed['name']),
    ...given('description', () => typed['description'] || null),
    ...given('minutes', () => numberOf(typed['minutes'])),
    ...given('price', () => moneyOf(typed['price'], currency)),
    ...given('deposit', () => moneyOf(typed['deposit'], currency)),
    ...{ ...usual('before', 0), ...usual('after', 0), ...usual('capacity', 1), ...usual('moves', 0) },
    ...(typed['grid'] && number('grid')),
    ...given('notice', () => numberOf(typed['notice'], minutesAnHour) ?? 0),
    ...{ ...number('ahead'), ...number('cancel', minutesAnHour), ...number('move', minutesAnHour) },
    ...shownOf(typed),
    location_ids: ticked(typed, 'location.'),
    staff_ids: ticked(typed, 'staff.'),
    ...('ask_phone' in typed && {
      client_fields: { phone: typed['ask_phone'], last_name: typed['ask_last_name'] },
    }),
    ...('question.0.label' in typed && { custom_fields: questionsOf(typed) }),
    ...('start.monday' in typed && { timetable: timetableOf(typed) }),
  }
}

/** Members of the API by the names of fields. */
const members: Record<string, string> = {
  minutes: 'duration_minutes',
  before: 'buffer_before_minutes',
  after: 'buffer_after_minutes',
  grid: 'slot_interval_minutes',
  notice: 'min_notice_minutes',
  ahead: 'max_advance_days',
  cancel: 'cancel_until_minutes',
  move: 'reschedule_until_minutes',
  moves: 'max_reschedules',
  locations: 'location_ids',
  staff: 'staff_ids',
  questions: 'custom_fields',
  starts: 'timetable',
}

function memberOf(name: string): string {
  return members[name] ?? name
}

/** The field of a fault. */
export function serviceFieldOf(pointer: string, typed: Typed): string {
  const [, member = '', part] = pointer.split('/')
  const day = member === 'timetable' ? timetableOf(typed)?.[Number(part)]?.weekday : undefined
  if (day) return `start.${day}`
  if (part === 'currency') return 'currency'
  return Object.keys(members).find((name) => members[name] === member) ?? member
}

/** An amount as people type it; one that cannot be read goes on as text, for the API to refuse. */
function moneyOf(text: string | undefined, currency: string): { amount: unknown; currency: string } | null {
  const given = (text ?? '').trim()
  if (given === '') return null
  const digits = currencyErrors(currency).length === 0 ? minorDigits(currency) : 2
  return { amount: numberOf(withoutSign(given), 10 ** digits), currency }
}

function timetableOf(typed: Typed): Timetable | null {
  const days = weekdays.flatMap((weekday) => {
    const starts = startsOf(typed, weekday)
    return starts.length === 0 ? [] : [{ weekday, starts }]
  })
  return days.length === 0 ? null : days
}

/** The start times of a day, each once and in order. */
function startsOf(typed: Typed, day: Weekday): string[] {
  return [...new Set(typedStarts(typed, day).map(startOf))].toSorted()
}

/** As they were typed, without "Uhr". */
function typedStarts(typed: Typed, day: Weekday): string[] {
  return (typed[`start.${day}`] ?? '').split(/(?:[\s,;]|uhr)+/i).filter((start) => start !== '')
}

/** `9:00`, `18.30` and `18` in the form of the API; what is no time of day as it is. */
function startOf(text: string): string {
  const [, hour, minute = '00'] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(text) ?? []
  return hour === undefined ? text : `${hour.padStart(2, '0')}:${minute}`
}

/** Start times that are not times of day, as faults of their days. */
export function startFaults({ texts: { services: words }, locale }: ConsoleLanguage, typed: Typed): Faults {
  const faults: Faults = {}
  for (const day of weekdays) {
    const wrong = typedStarts(typed, day).filter((start) => opensErrors(startOf(start)).length > 0)
    if (wrong.length > 0)
      faults[`start.${day}`] = words.notATime({
        day: weekdayName(day, locale),
        starts: wrong.join(', '),
      })
  }
  return faults
}

/** Start times that nobody can book in the usual hours. */
export function idleStartsOf(typed: Typed, { locations, staff }: ServiceChoices): IdleStart[] {
  const timetable = timetableOf(typed) ?? []
  const minutes = Number(typed['minutes'])
  const faults = timetable.flatMap(({ starts }) => starts.flatMap((start) => opensErrors(start)))
  const places = chosen(typed, 'location', locations)
  if (faults.length > 0 || !(minutes > 0) || places.length === 0) return []
  const people = chosen(typed, 'staff', staff)
  return idleStarts({
    ...{ minutes, timetable, locations: places },
    staff: people.length === 0 ? undefined : people,
  })
}

/** What is ticked and still there. */
function chosen<One extends Choice>(typed: Typed, name: 'staff' | 'location', all: One[]): One[] {
  return all.filter(({ id, active }) => active && typed[`${name}.${id}`] === 'on')
}

type Choice = Pick<Location, 'id' | 'name' | 'active'>

function questionNumbers(typed: Typed): number[] {
  const numbers = Object.keys(typed).flatMap((name) => {
    const [, index] = /^question\.(\d{1,3})\.label$/.exec(name) ?? []
    return index === undefined ? [] : [Number(index)]
  })
  return numbers.toSorted((one, other) => one - other)
}

function questionsOf(typed: Typed): unknown[] {
  const keys = new Set<string>()
  return questionNumbers(typed).flatMap((index) => {
    const at = (part: string) => typed[`question.${index}.${part}`] ?? ''
    if (at('label') === '') return []
    const key = at('key') || unusedKey(at('label'), keys)
    keys.add(key)
    const options = linesOf(at('options'))
    const chooses = at('type') === 'select' || at('type') === 'multi_select'
    return [
      {
        ...(at('id') !== '' && { id: at('id') }),
        ...{ key, label: at('label'), type: at('type') },
        ...(at('type') !== 'consent' && { required: at('required') === 'on' }),
        ...(chooses && { options }),
      },
    ]
  })
}

/** A name for programs, made of what people read. */
function unusedKey(label: string, taken: ReadonlySet<string>): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 40)
  const base = words === '' ? 'question' : words
  if (!taken.has(base)) return base
  let number = 2
  while (taken.has(`${base}_${number}`)) number += 1
  return `${base}_${number}`
}

/** The fields of a service. */
export function serviceFields(language: ConsoleLanguage, state: FormState, choices: ServiceChoices): Html {
  const { services: words } = language.texts
  return html`${shortServiceFields(language, state)}
  ${field(state, { name: 'description', label: words.description, rows: 3, max: 5_000 })}
  ${boxes(state, { name: 'staff', label: words.staff, hint: words.staffHint, all: choices.staff })}
  ${boxes(state, { name: 'location', label: words.locations, all: choices.locations })}
  ${shownFields(language, state, { hasCategory: true })} ${classFields(language, state, choices)}
  ${moreFields(language, state)} ${questionFields(language, state)}`
}

/** What a first service is asked for. */
export function shortServiceFields({ texts, locale }: ConsoleLanguage, state: FormState): Html {
  const { services: words } = texts
  const currency = (state.typed['currency'] ?? '').toUpperCase()
  const chosen = { ...state, typed: { ...state.typed, currency } }
  return html`${field(state, { name: 'name', label: words.name, required: true, max: 200 })}
    <div class="beside">
      ${field(state, { name: 'minutes', label: words.duration, unit: words.minutes, type: 'number', required: true })}
      ${field(state, { name: 'price', label: words.price, type: 'number', isDecimal: true })}
      ${choice(chosen, { name: 'currency', label: words.currency, options: currencyChoices(currency, { locale }) })}
    </div>`
}

/** With one to choose there is nothing to ask. */
function boxes(
  state: FormState,
  { name, label, hint, all }: { name: 'staff' | 'location'; label: string; hint?: string; all: Choice[] },
): Html {
  const shown = all.filter(({ id, active }) => active || state.typed[`${name}.${id}`] === 'on')
  const [only, other] = shown
  const group = name === 'staff' ? 'staff' : 'locations'
  if (name === 'location' && only && !other && state.faults[group] === undefined)
    return html`<input type="hidden" name="location.${only.id}" value="on" />`
  if (shown.length === 0) return html``
  return ticks(state, {
    name: group,
    label,
    ...(hint !== undefined && { hint }),
    boxes: shown.map((one) => tick(state, `${name}.${one.id}`, html`<bdi>${one.name}</bdi>`)),
  })
}

/** What makes a service a class: in sight where it is one. */
function classFields({ texts, locale }: ConsoleLanguage, state: FormState, choices: ServiceChoices): Html {
  const { services: words } = texts
  const { typed, faults } = state
  const isClass =
    (typed['capacity'] ?? '1') !== '1' || weekdays.some((day) => (typed[`start.${day}`] ?? '') !== '')
  const isOpen = isClass || Object.keys(faults).some((name) => /^(capacity|start)/.test(name))
  const idle = idleStartsOf(typed, choices)
  const places = chosen(typed, 'location', choices.locations).map(({ name }) => name)
  const warningOf = (weekday: Weekday) => {
    const name = weekdayName(weekday, locale)
    const texts = idle
      .filter((one) => one.weekday === weekday)
      .map(({ start, isOpen }) =>
        isOpen
          ? words.nobodyWorks({ day: name, start })
          : words.outsideHours({ day: name, start, places: places.join(', ') }),
      )
    return texts.length === 0 ? undefined : texts.join(' ')
  }
  return html`<details ${isOpen ? html`open` : ''}>
    <summary>${words.group}</summary>
    ${field(state, { name: 'capacity', label: words.capacity, hint: words.capacityHint, type: 'number' })}
    ${seatsLine(words.seats, { people: chosen(typed, 'staff', choices.staff).length, places: Number(typed['capacity']) })}
    <fieldset>
      <legend>${words.starts}</legend>
      ${state.faults['starts'] === undefined ? '' : html`<p class="fault">${state.faults['starts']}</p>`}
      <p class="soft">${words.startsHint}</p>
      ${weekdays.map((day) =>
        field(state, {
          ...{ name: `start.${day}`, label: weekdayName(day, locale), max: 600 },
          warning: warningOf(day),
        }),
      )}
    </fieldset>
  </details>`
}

/** How many clients a class takes at once. A script writes it anew as the form changes. */
function seatsLine(
  { none, one, many }: { none: string; one: string; many: string },
  { people, places }: { people: number; places: number },
): Html {
  const isClass = places > 1
  const text = (people === 0 ? none : people === 1 ? one : many)
    .replace('{people}', String(people))
    .replace('{places}', String(places))
    .replace('{all}', String(people * places))
  return html`<p
    class="soft"
    role="status"
    data-seats
    data-none="${none}"
    data-one="${one}"
    data-many="${many}"
    ${isClass ? '' : html`hidden`}
  >
    ${isClass ? text : ''}
  </p>`
}

const rareFields = ['deposit', 'before', 'after', 'grid', 'notice', 'ahead', 'cancel', 'move', 'moves']

function moreFields({ texts }: ConsoleLanguage, state: FormState): Html {
  const { services: words } = texts
  const number = (
    name: string,
    label: string,
    more: { unit?: string; hint?: string; isDecimal?: boolean } = {},
  ) => field(state, { name, label, type: 'number', ...more })
  const hours = { unit: words.hours, isDecimal: true }
  const minutes = { unit: words.minutes }
  const isOpen = rareFields.some((name) => name in state.faults)
  return html`<details ${isOpen ? html`open` : ''}>
    <summary>${words.more}</summary>
    ${number('deposit', words.deposit, { hint: words.depositHint, isDecimal: true })}
    <div class="beside">
      ${number('before', words.before, minutes)} ${number('after', words.after, minutes)}
    </div>
    ${number('grid', words.grid, { ...minutes, hint: words.gridHint })}
    <div class="beside">
      ${number('notice', words.notice, hours)}
      ${number('ahead', words.ahead, { unit: words.days, hint: words.aheadHint })}
    </div>
    <div class="beside">
      ${number('cancel', words.cancel, { ...hours, hint: words.neverHint })}
      ${number('move', words.move, { ...hours, hint: words.neverHint })}
    </div>
    ${number('moves', words.moves)}
  </details>`
}

function questionFields({ texts }: ConsoleLanguage, state: FormState): Html {
  const { services: words } = texts
  const numbers = questionNumbers(state.typed).filter(
    (index) => state.typed[`question.${index}.label`] !== '',
  )
  const next = (numbers.at(-1) ?? -1) + 1
  const shown = [...numbers, ...Array.from({ length: freeQuestions }, (_, index) => next + index)]
  const fault = state.faults['questions']
  const uses = clientFieldUses.map((use) => [use, words.uses[use]] as const)
  return html`<details ${fault !== undefined || numbers.length > 0 ? html`open` : ''}>
    <summary>${words.questions}</summary>
    <div class="beside">
      ${choice(state, { name: 'ask_last_name', label: words.askLastName, options: uses })}
      ${choice(state, { name: 'ask_phone', label: words.askPhone, options: uses })}
    </div>
    <p class="soft">${words.questionsHint}</p>
    ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
    ${shown.map((index) => questionField(words, state, index))}
  </details>`
}

function questionField(words: ConsoleLanguage['texts']['services'], state: FormState, index: number): Html {
  const at = `question.${index}`
  const kept = (part: string) =>
    html`<input type="hidden" name="${at}.${part}" value="${state.typed[`${at}.${part}`] ?? ''}" />`
  return html`<fieldset>
    <legend>${words.question({ number: index + 1 })}</legend>
    ${kept('id')} ${kept('key')}
    <div class="beside">
      ${field(state, { name: `${at}.label`, label: words.questionText, max: 500 })}
      ${choice(state, {
        name: `${at}.type`,
        label: words.questionType,
        options: customFieldTypes.map((type) => [type, words.types[type]]),
      })}
    </div>
    ${tick(state, `${at}.required`, words.required)}
    ${field(state, { name: `${at}.options`, label: words.options, hint: words.optionsHint, rows: 2 })}
  </fieldset>`
}

/** Such as "30 min · €35". */
export function serviceSummary(service: Service, { locale, texts }: ConsoleLanguage): string {
  const { services: words } = texts
  const minutes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'short' })
  return [
    minutes.format(service.duration_minutes),
    ...(service.price ? [moneyText(service.price, locale)] : []),
    ...(service.deposit ? [words.withDeposit({ amount: moneyText(service.deposit, locale) })] : []),
    ...(service.capacity > 1 ? [words.forMany({ count: service.capacity })] : []),
  ].join(' · ')
}

import { type IdleStart, idleStarts } from '../../availability/timetable-rules.ts'
import { html, type Html } from '../../base/html.ts'
import {
  clientFieldUses,
  type CustomField,
  customFieldTypes,
  type Fee,
  paymentModes,
  type Timetable,
  type Weekday,
} from '../../catalogue/catalogue-types.ts'
import { maxFees } from '../../catalogue/fee-rules.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { confirmations, usualResponseMinutes } from '../../catalogue/request-rules.ts'
import { opensErrors, weekdays } from '../../catalogue/schedule-rules.ts'
import {
  usualAdvanceDays,
  usualChangeMinutes,
  usualClientFields,
  usualReschedules,
} from '../../catalogue/service-rules.ts'
import { moneyText } from '../../mails/times-and-money.ts'
import {
  choice,
  type Faults,
  field,
  type FormState,
  hidden,
  linesOf,
  numberOf,
  numberText,
  tick,
  ticked,
  type Typed,
} from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import {
  areWrong,
  type Codec,
  fieldsOf,
  fillRows,
  ids,
  inColumns,
  number,
  optional,
  type Rows,
  text,
  yesOrNo,
} from '../frame/form-rows.ts'
import { shownFields, shownRows } from '../frame/shown-form.ts'
import type { ConsoleLanguage, ConsoleTexts } from '../frame/texts.ts'
import { weekdayName, weekdaysIn } from '../team/hours-form.ts'
import { currencyField, currencyName, money, usualCurrency } from './currencies.ts'
import { type PartChoices, partFields, partRows } from './service-parts.ts'
import { duration, lengthOfSteps } from './step-fields.ts'

/* The form of a service: a few fields that every service needs, and a section with rarely used ones. */

const minutesAnHour = 60
/** Number of empty questions after the existing ones. A script adds more. */
const freeQuestions = 2

/** The locations, staff members and resources that a service can name. */
interface ServiceChoices {
  locations: Location[]
  staff: StaffMember[]
  resources: PartChoices['resources']
  /** The categories of other services, in their order. */
  categories: string[]
}

/** Those whose hours decide about start times. */
type Hours = Pick<ServiceChoices, 'locations' | 'staff'>

export function serviceRows(language: ConsoleLanguage, choices?: ServiceChoices): Rows<Service> {
  const { services: words, shown } = language.texts
  const { locations, staff, resources } = choices ?? { locations: [], staff: [], resources: [] }
  const minutes = { unit: words.minutes, usual: 0 }
  const hours = { unit: words.hours, factor: minutesAnHour, isDecimal: true }
  const options = clientFieldUses.map((use) => [use, words.uses[use]] as const)
  return [
    ['name', text({ required: true, max: 200 }), words.name],
    ['duration_minutes', duration(words), words.duration],
    ['price', money(language), words.price],
    ['deposit', deposit(language), words.deposit, words.depositHint],
    [
      'payment',
      text({ radios: paymentModes.map((one) => [one, words.payments[one]] as const) }),
      words.payment,
    ],
    ['fees', feeList(words), words.fees, words.feesHint],
    ['no_show_percent', number({ unit: '%' }), words.noShowPercent],
    ['category', category(shown, choices?.categories ?? []), shown.category, shown.categoryHint],
    ['description', optional({ rows: 3, max: 5_000 }), words.description],
    ['staff_ids', ids(staff), words.staff, words.staffHint],
    ['location_ids', ids(locations, { least: 2, isOnlyTicked: true }), words.locations],
    ...shownRows(language.texts, 'service'),
    ['capacity', capacity(), words.capacity, words.capacityHint],
    ['timetable', timetable(language, { locations, staff }), words.starts, words.startsHint],
    ['buffer_before_minutes', number(minutes), words.before],
    ['buffer_after_minutes', number(minutes), words.after],
    ['slot_interval_minutes', number({ ...minutes, usual: undefined }), words.grid, words.gridHint],
    ['min_notice_minutes', number({ ...hours, usual: 0 }), words.notice],
    [
      'confirmation',
      text({ options: confirmations.map((one) => [one, words.confirmations[one]] as const) }),
      words.confirmation,
      words.confirmationHint,
    ],
    [
      'respond_within_minutes',
      number({ ...hours, usual: usualResponseMinutes }),
      words.respond,
      words.respondHint,
    ],
    ['max_advance_days', number({ unit: words.days }), words.ahead, words.aheadHint],
    ['cancel_until_minutes', number(hours), words.cancel, words.neverHint],
    ['reschedule_until_minutes', number(hours), words.move, words.neverHint],
    ['max_reschedules', number({ usual: 0 }), words.moves],
    ['waitlist', yesOrNo(), words.waitlist],
    ['max_repeats', number({ usual: 1 }), words.repeats, words.repeatsHint],
    ['client_fields.last_name', text({ options }), words.askLastName],
    ['client_fields.phone', text({ options }), words.askPhone],
    ['custom_fields', questions(words), words.questions, words.questionsHint],
    ...partRows(language, { staff, resources }),
  ]
}

/** True for a mode of payment that replaces the deposit. A deposit with the mode `none` is a fault, not lost. */
function isOtherMode(mode: string | undefined): boolean {
  return mode === 'full' || mode === 'card'
}

const feeLines = Array.from({ length: maxFees }, (_, line) => line)

function feeNames(name: string, line: number) {
  return { within_minutes: `${name}.${line}.hours`, percent: `${name}.${line}.percent` } as const
}

/** Explains how the time of a fee and the cancellation notice work together, if they differ. */
function feeNote(
  words: ConsoleLanguage['texts']['services'],
  typed: Typed,
  line: number,
): { text: string; isIdle: boolean } | undefined {
  const hours = numberOf(typed[feeNames('fees', line).within_minutes], minutesAnHour)
  const notice = numberOf(typed['cancel_until_minutes'], minutesAnHour)
  if (typeof hours !== 'number' || typeof notice === 'string' || typed['payment'] === 'none') return undefined
  if (notice === null) return { text: words.feeNever, isIdle: true }
  const inHours = (minutes: number) => numberText(minutes, minutesAnHour)
  if (hours <= notice) return { text: words.feeTooLate({ notice: inHours(notice) }), isIdle: true }
  if (notice === 0) return undefined
  return { text: words.feeUntil({ hours: inHours(hours), notice: inHours(notice) }), isIdle: false }
}

/** True if a fee can never be charged, because clients cannot cancel that late. */
export function hasIdleFees({ texts: { services: words } }: ConsoleLanguage, typed: Typed): boolean {
  return feeLines.some((line) => feeNote(words, typed, line)?.isIdle)
}

/** The fees for late cancellations: hours and percent in each line. Ignores empty lines. */
function feeList(words: ConsoleLanguage['texts']['services']): Codec {
  const [names, lines] = [feeNames, feeLines]
  const filled = (typed: Typed, name: string) =>
    lines.filter((line) => Object.values(names(name, line)).some((one) => (typed[one] ?? '') !== ''))
  return {
    read: (typed, name) => {
      if (!(names(name, 0).percent in typed)) return undefined
      return filled(typed, name).map((line) => ({
        within_minutes: numberOf(typed[names(name, line).within_minutes], minutesAnHour),
        percent: numberOf(typed[names(name, line).percent], 1),
      }))
    },
    show: (value, name) =>
      Object.fromEntries(
        ((value ?? []) as Fee[]).flatMap(({ within_minutes, percent }, line) => [
          [names(name, line).within_minutes, String(within_minutes / minutesAnHour)],
          [names(name, line).percent, String(percent)],
        ]),
      ),
    input: (state, { name, label, hint }) =>
      html`<fieldset>
        <legend>${label}</legend>
        ${hint === undefined ? '' : html`<p class="soft">${hint}</p>`}
        ${lines.map((line) => {
          const note = feeNote(words, state.typed, line)
          return html`<div class="beside">
              ${field(state, {
                ...{ name: names(name, line).within_minutes, label: words.feeHours },
                ...{ type: 'number', isDecimal: true },
                ...(note?.isIdle && { warning: note.text }),
              })}
              ${field(state, { name: names(name, line).percent, label: words.feePercent, type: 'number' })}
            </div>
            ${note && !note.isIdle ? html`<p class="soft">${note.text}</p>` : ''}`
        })}
      </fieldset>`,
    factorOf: (_typed, [, member]) => (member === 'within_minutes' ? minutesAnHour : 1),
    inputAt: ([index = '0', member = 'percent'], typed, name) => {
      const line = filled(typed, name)[Number(index)] ?? 0
      return names(name, line)[member === 'within_minutes' ? member : 'percent']
    },
  }
}

/** The deposit, which only its mode of payment has. */
function deposit(language: ConsoleLanguage): Codec {
  const plain = money(language)
  return {
    ...plain,
    read: (typed, name) => (isOtherMode(typed['payment']) ? null : plain.read(typed, name)),
  }
}

/** The checkbox that each person gives a class alone. It is no field of the service. */
const eachName = 'capacity.each'

/** Returns the codec of the number of clients. A class that several people give already was meant so. */
function capacity(): Codec {
  const plain = number({ usual: 1 })
  return {
    ...plain,
    show: (value, name) => ({ ...plain.show(value, name), ...(Number(value) > 1 && { [eachName]: 'on' }) }),
  }
}

/** Returns a fault for a class that several people would give, unless the form says that this is intended. */
export function classFaults({ texts: { services: words } }: ConsoleLanguage, typed: Typed): Faults {
  const places = numberOf(typed['capacity'])
  const isMeant = typed[eachName] === 'on' || typeof places !== 'number' || places < 2
  return isMeant || ticked(typed, 'staff_ids.').length < 2 ? {} : { staff_ids: words.whoGives }
}

/** The option for a category that no service has yet. */
const newCategory = '+'
const newCategoryName = 'category.new'

/** Returns the codec of a category: a list of those in use, and a field for another one. */
function category(words: ConsoleTexts['shown'], known: readonly string[]): Codec {
  return {
    ...optional(),
    read: (typed, name) =>
      name in typed
        ? (typed[name] === newCategory ? (typed[newCategoryName] ?? '') : (typed[name] ?? '')) || null
        : undefined,
    inputAt: (_parts, typed, name) => (typed[name] === newCategory ? newCategoryName : name),
    input: (state, { name, label, hint }) => {
      const other = field(state, { name: newCategoryName, label: words.newCategory, hint, max: 60 })
      const { [name]: chosen = '' } = state.typed
      const all = [...new Set([...known, ...(chosen === newCategory ? [] : [chosen])])].filter(Boolean)
      const options = [
        ['', words.noCategory],
        ...all.map((one) => [one, one]),
        [newCategory, words.newCategory],
      ]
      return html`${choice(state, { name, label, options: options as [string, string][] })}
        <div class="other">${other}</div>`
    },
  }
}

/** Grid for the starts of new services. One as long as the service would offer a balayage three times a day. */
export const usualGridMinutes = 15

/** Returns the values of a new service: the defaults of the API, a finer grid, and the currency of other services. */
export function newService(
  { business: { timezone }, ...language }: ConsoleLanguage & { business: { timezone: string } },
  services: Service[],
  more: Partial<Service> = {},
): Typed {
  const { currency } = services.flatMap(({ price }) => price ?? [])[0] ?? {
    currency: usualCurrency({ timezone, locale: language.locale }),
  }
  const usual = {
    ...{ duration_minutes: 30, buffer_before_minutes: 0, buffer_after_minutes: 0 },
    ...{ capacity: 1, min_notice_minutes: 0, max_advance_days: usualAdvanceDays },
    slot_interval_minutes: usualGridMinutes,
    ...{ cancel_until_minutes: usualChangeMinutes, reschedule_until_minutes: usualChangeMinutes },
    ...{ waitlist: true, max_reschedules: usualReschedules, client_fields: usualClientFields },
    ...{ confirmation: 'automatic' as const, respond_within_minutes: usualResponseMinutes },
    payment: 'none' as const,
  }
  return { ...fillRows(serviceRows(language), { ...usual, ...more }), [currencyName]: currency }
}

/** Returns the codec of start times by weekday, one line each. */
function timetable(language: ConsoleLanguage, choices: Hours): Codec {
  return {
    read: (typed) => (startName('monday') in typed ? timetableOf(typed) : undefined),
    show: (value) =>
      Object.fromEntries(
        ((value ?? []) as Timetable).map(({ weekday, starts }) => [startName(weekday), starts.join(' ')]),
      ),
    inputAt: ([index], typed, name) => {
      const day = timetableOf(typed)?.[Number(index)]?.weekday
      return day ? startName(day) : name
    },
    input: (state, { name, label, hint }) =>
      html`<fieldset>
        <legend>${label}</legend>
        ${state.faults[name] === undefined ? '' : html`<p class="fault">${state.faults[name]}</p>`}
        <p class="soft">${hint ?? ''}</p>
        ${startFields(language, state, choices)}
      </fieldset>`,
  }
}

const startName = (day: Weekday) => `timetable.${day}`

function timetableOf(typed: Typed): Timetable | null {
  const days = weekdays.flatMap((weekday) => {
    const starts = startsOf(typed, weekday)
    return starts.length === 0 ? [] : [{ weekday, starts }]
  })
  return days.length === 0 ? null : days
}

/** Returns the distinct start times of a day, in order. */
function startsOf(typed: Typed, day: Weekday): string[] {
  return [...new Set(typedStarts(typed, day).map(startOf))].toSorted()
}

/** Returns the start times as typed, without "Uhr". */
function typedStarts(typed: Typed, day: Weekday): string[] {
  return (typed[startName(day)] ?? '').split(/(?:[\s,;]|uhr)+/i).filter((start) => start !== '')
}

/** Converts `9:00`, `18.30` and `18` into the format of the API. Returns other text unchanged. */
function startOf(text: string): string {
  const [, hour, minute = '00'] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(text) ?? []
  return hour === undefined ? text : `${hour.padStart(2, '0')}:${minute}`
}

/** Returns faults, by day, for invalid start times. */
export function startFaults({ texts: { services: words }, locale }: ConsoleLanguage, typed: Typed): Faults {
  const faults: Faults = {}
  for (const day of weekdays) {
    const wrong = typedStarts(typed, day).filter((start) => opensErrors(startOf(start)).length > 0)
    if (wrong.length > 0)
      faults[startName(day)] = words.notATime({
        day: weekdayName(day, locale),
        starts: wrong.join(', '),
      })
  }
  return faults
}

/** Returns start times that nobody can book in the usual hours. */
export function idleStartsOf(typed: Typed, { locations, staff }: Hours): IdleStart[] {
  const timetable = timetableOf(typed) ?? []
  const minutes = lengthOfSteps(typed) ?? Number(typed['duration_minutes'])
  const faults = timetable.flatMap(({ starts }) => starts.flatMap((start) => opensErrors(start)))
  const places = chosen(typed, 'location_ids', locations)
  if (faults.length > 0 || !(minutes > 0) || places.length === 0) return []
  const people = chosen(typed, 'staff_ids', staff)
  return idleStarts({
    ...{ minutes, timetable, locations: places },
    staff: people.length === 0 ? undefined : people,
  })
}

/** Returns the ticked items that still exist. */
function chosen<One extends Choice>(typed: Typed, name: 'staff_ids' | 'location_ids', all: One[]): One[] {
  return all.filter(({ id, active }) => active && typed[`${name}.${id}`] === 'on')
}

type Choice = Pick<Location, 'id' | 'name' | 'active'>

const questionName = (index: number, part: string) => `custom_fields.${index}.${part}`

function questionNumbers(typed: Typed): number[] {
  const numbers = Object.keys(typed).flatMap((name) => {
    const [, index] = /^custom_fields\.(\d{1,3})\.label$/.exec(name) ?? []
    return index === undefined ? [] : [Number(index)]
  })
  return numbers.toSorted((one, other) => one - other)
}

/**
 * Returns the codec of questions to clients. IDs and keys stay the same, so that past answers keep their
 * question.
 */
function questions(words: ConsoleTexts['services']): Codec {
  return {
    read: (typed) => (questionName(0, 'label') in typed ? questionsOf(typed) : undefined),
    show: (value) =>
      Object.fromEntries(
        ((value ?? []) as CustomField[]).flatMap((one, index) => Object.entries(typedQuestion(one, index))),
      ),
    inputAt: (_parts, _typed, name) => name,
    input: (state, { name, hint }) => {
      const fault = state.faults[name]
      const asked = askedNumbers(state)
      const next = (asked.at(-1) ?? -1) + 1
      const shown = [...asked, ...Array.from({ length: freeQuestions }, (_, index) => next + index)]
      return html`<p class="soft">${hint ?? ''}</p>
        ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
        <div data-rows>
          ${shown.map((index) => questionField(words, state, { index, isFree: index >= next }))}
          <button type="button" hidden data-add>${icon('add')} ${words.addQuestion}</button>
        </div>`
    },
  }
}

function typedQuestion({ required, options = [], ...question }: CustomField, index: number): Typed {
  const given = { ...question, options: options.join('\n'), ...(required && { required: 'on' }) }
  return Object.fromEntries(Object.entries(given).map(([part, value]) => [questionName(index, part), value]))
}

function questionField(
  words: ConsoleTexts['services'],
  state: FormState,
  { index, isFree }: { index: number; isFree: boolean },
): Html {
  const at = (part: string) => questionName(index, part)
  const kept = Object.fromEntries([at('id'), at('key')].map((name) => [name, state.typed[name] ?? '']))
  return html`<fieldset data-row="${index}" ${isFree ? html`data-free` : ''}>
    <legend data-number>${words.question({ number: index + 1 })}</legend>
    ${hidden(kept)}
    <div class="beside">
      ${field(state, { name: at('label'), label: words.questionText, max: 500 })}
      ${choice(state, {
        name: at('type'),
        label: words.questionType,
        options: customFieldTypes.map((type) => [type, words.types[type]]),
      })}
    </div>
    ${tick(state, at('required'), words.required)}
    ${field(state, { name: at('options'), label: words.options, hint: words.optionsHint, rows: 2 })}
  </fieldset>`
}

function questionsOf(typed: Typed): unknown[] {
  const keys = new Set<string>()
  return questionNumbers(typed).flatMap((index) => {
    const at = (part: string) => typed[questionName(index, part)] ?? ''
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

/** Returns an unused key for programs, derived from the label. */
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

/** Renders the fields of a service. */
export function serviceFields(language: ConsoleLanguage, state: FormState, choices: ServiceChoices): Html {
  const { services: words } = language.texts
  const rows = serviceRows(language, choices)
  const at = fieldsOf(rows, state)
  const opened = (isOpen: boolean) => (isOpen ? html`open` : html``)
  const places = Number(state.typed['capacity'])
  const people = chosen(state.typed, 'staff_ids', choices.staff).length
  const folded = html`${shownFields(language, state, rows)}
    <details ${opened(isClass(state) || areWrong(state, ['capacity', 'timetable']))}>
      <summary>${words.group}</summary>
      ${at('capacity')} ${seatsLine(words.seats, { people, places })}
      <div data-each ${places > 1 && people > 1 ? '' : html`hidden`}>
        ${tick(state, eachName, words.each)}
      </div>
      ${at('timetable')}
    </details>
    ${partFields(words, state, rows)}
    <details ${opened(areWrong(state, moneyPointers) || hasIdleFees(language, state.typed))}>
      <summary>${words.money}</summary>
      ${at('payment')}
      <div data-payment="deposit">${at('deposit')}</div>
      <div data-payment="deposit full card">${at('fees')} ${at('no_show_percent')}</div>
    </details>
    <details ${opened(areWrong(state, rarePointers))}>
      <summary>${words.more}</summary>
      <div class="beside">${at('buffer_before_minutes', 'buffer_after_minutes')}</div>
      ${at('slot_interval_minutes')}
      <div class="beside">${at('min_notice_minutes', 'max_advance_days')}</div>
      <div class="beside">${at('cancel_until_minutes', 'reschedule_until_minutes')}</div>
      ${at('max_reschedules')} ${at('max_repeats')} ${at('waitlist')}
      <div class="beside">${at('confirmation', 'respond_within_minutes')}</div>
    </details>
    <details ${opened(areWrong(state, ['custom_fields']) || askedNumbers(state).length > 0)}>
      <summary>${words.questions}</summary>
      <div class="beside">${at('client_fields.last_name', 'client_fields.phone')}</div>
      ${at('custom_fields')}
    </details>`
  return inColumns(
    html`<section class="card">
        ${shortServiceFields(language, state)} ${at('category', 'description')}
      </section>
      ${at('staff_ids', 'location_ids')}`,
    html`<section class="card folds">${folded}</section>`,
  )
}

const moneyPointers = ['deposit', 'payment', 'fees', 'no_show_percent']

const rarePointers = [
  ...['buffer_before_minutes', 'buffer_after_minutes', 'slot_interval_minutes'],
  ...['min_notice_minutes', 'max_advance_days', 'cancel_until_minutes', 'reschedule_until_minutes'],
  ...['max_reschedules', 'max_repeats'],
  ...['confirmation', 'respond_within_minutes'],
]

/** Renders the fields of the first service. */
export function shortServiceFields(language: ConsoleLanguage, state: FormState): Html {
  const at = fieldsOf(serviceRows(language), state)
  return html`${at('name')}
    <div class="beside">${at('duration_minutes', 'price')} ${currencyField(language, state)}</div>`
}

function isClass({ typed }: FormState): boolean {
  return (typed['capacity'] ?? '1') !== '1' || weekdays.some((day) => (typed[startName(day)] ?? '') !== '')
}

/** Renders warnings about start times that nobody can book in the usual hours. */
function startFields({ texts, locale }: ConsoleLanguage, state: FormState, choices: Hours): Html[] {
  const { services: words } = texts
  const idle = idleStartsOf(state.typed, choices)
  const places = chosen(state.typed, 'location_ids', choices.locations).map(({ name }) => name)
  return weekdaysIn(locale).map((weekday) => {
    const label = weekdayName(weekday, locale)
    const warnings = idle
      .filter((one) => one.weekday === weekday)
      .map(({ start, isOpen }) =>
        isOpen
          ? words.nobodyWorks({ day: label, start })
          : words.outsideHours({ day: label, start, places: places.join(', ') }),
      )
    const warning = warnings.length === 0 ? undefined : warnings.join(' ')
    return field(state, { name: startName(weekday), label, max: 600, warning })
  })
}

/** Renders the number of clients in a class. A script updates it when the form changes. */
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

function askedNumbers({ typed }: FormState): number[] {
  return questionNumbers(typed).filter((index) => typed[questionName(index, 'label')] !== '')
}

/** Returns a summary without length and price, such as "deposit €10". */
export function serviceSummary(service: Service, { locale, texts }: ConsoleLanguage): string {
  const { services: words } = texts
  return [
    ...(service.payment === 'full' ? [words.paidWhole] : []),
    ...(service.payment === 'card' ? [words.savesCard] : []),
    ...(service.deposit ? [words.withDeposit({ amount: moneyText(service.deposit, locale) })] : []),
    ...(service.capacity > 1 ? [words.forMany({ count: service.capacity })] : []),
  ].join(' · ')
}

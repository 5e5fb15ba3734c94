import { html, type Html } from '../../base/html.ts'
import type { DateOverride, Hours, Weekday, WeeklyHours } from '../../catalogue/catalogue-types.ts'
import { weekdays } from '../../catalogue/schedule-rules.ts'
import { type Faults, type Field, type FormState, tick, type Typed } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { datesAt, firstWeekday, hoursSpan } from '../frame/formats.ts'
import type { Codec, Row } from '../frame/form-rows.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'

/* The hours of a location or staff member in a form: weekly ones, and those of single dates. */

/** The language, and the zone that decides between varieties of English. */
type HoursLanguage = ConsoleLanguage & { business?: { timezone: string } | undefined }

interface Scheduled {
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
}

/** Number of empty spans after those of a weekday, such as for the time after a break. */
const freeSpans = 1
/** Maximum length of a holiday in days. */
const maxHolidayDays = 366

/** The hours of a new location: Monday to Friday, without a break. */
export const usualWeek: WeeklyHours = weekdays
  .slice(0, 5)
  .map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' }))

/** A list of days is about a person, who is away, or a place, which is closed. */
type Whose = 'person' | 'place'

/** Returns the rows for hours. `none` describes the default without own hours, and `usual` suggests some. */
export function hoursRows(
  language: ConsoleLanguage,
  none: string,
  { usual = usualWeek, whose = 'place' }: { usual?: WeeklyHours; whose?: Whose } = {},
): Row<keyof Scheduled>[] {
  const { hours, overrides } = language.texts
  const hint = whose === 'person' ? overrides.hintAway : overrides.hint
  return [
    ['weekly_hours', weeklyHours(language, none, usual), hours.title, hours.hint],
    ['date_overrides', dateOverrides(language, whose), overrides.title, hint],
  ]
}

function weeklyHours(language: ConsoleLanguage, none: string, usual: WeeklyHours): Codec {
  return {
    read: (typed) =>
      'hours' in typed ? (typed['hours'] === 'own' ? weeklyHoursOf(typed) : null) : undefined,
    show: (value) => typedWeek((value ?? null) as WeeklyHours | null, usual),
    input: (state, parts) => weekFields(language, state, { ...parts, none }),
    inputAt: ([index = '', part], typed) => {
      const span = typedSpans(typed)[index === '' ? -1 : Number(index)]
      return span ? `${span.fields}.${part === 'closes' ? part : 'opens'}` : 'hours'
    },
  }
}

/** Returns the codec for hours of single dates. Holidays become their dates. */
function dateOverrides(language: ConsoleLanguage, whose: Whose): Codec {
  return {
    read: overridesOf,
    show: (value) =>
      Object.fromEntries(
        ((value ?? []) as DateOverride[]).map((one, index) => [`override.${index}`, overrideText(one)]),
      ),
    input: (state, parts) => overrideFields(language, state, { ...parts, whose }),
    inputAt: () => 'from',
  }
}

/** Returns the values of a form. Without own hours, those of `usual` are ready to be chosen. */
export function typedWeek(week: WeeklyHours | null, usual: WeeklyHours): Typed {
  const typed: Typed = { hours: week ? 'own' : 'none' }
  for (const day of weekdays) {
    const spans = (week ?? usual).filter(({ weekday }) => weekday === day)
    if (spans.length > 0) typed[openName(day)] = 'on'
    spans.forEach(({ opens, closes }, index) => {
      typed[`${day}.${index}.opens`] = opens
      typed[`${day}.${index}.closes`] = closes === '24:00' ? '00:00' : closes // browser fields end at 23:59
    })
  }
  return typed
}

const openName = (day: Weekday) => `${day}.open`

/** Formats `2026-12-24 10:00-14:00`. */
function overrideText({ date, hours }: DateOverride): string {
  return [date, ...hours.map(({ opens, closes }) => `${opens}-${closes}`)].join(' ')
}

function overrideOf(text: string): DateOverride {
  const [date = '', ...spans] = text.split(' ')
  const hours = spans.map((span) => {
    const [opens = '', closes = ''] = span.split('-')
    return { opens, closes }
  })
  return { date, hours }
}

function weeklyHoursOf(typed: Typed): (Hours & { weekday: Weekday })[] {
  return typedSpans(typed).map(({ weekday, opens, closes }) => ({ weekday, opens, closes }))
}

/** Returns the weekly hours, each with the prefix of its field names. */
function typedSpans(typed: Typed): (TypedSpan & { weekday: Weekday })[] {
  const open = weekdays.filter((day) => typed[openName(day)] === 'on')
  const [first] = open
  return open.flatMap((weekday) => {
    const source = typed['same'] === 'on' ? (first ?? weekday) : weekday
    return spansOf(typed, source).map((span) => ({ weekday, ...span }))
  })
}

type TypedSpan = Hours & { fields: string }

function spansOf(typed: Typed, day: Weekday): TypedSpan[] {
  return spanNumbers(typed, day).flatMap((index) => {
    const fields = `${day}.${index}`
    const opens = typed[`${fields}.opens`] ?? ''
    const closes = typed[`${fields}.closes`] ?? ''
    if (opens === '' && closes === '') return []
    return [{ fields, opens, closes: closes === '00:00' ? '24:00' : closes }]
  })
}

function spanNumbers(typed: Typed, day: Weekday): number[] {
  const filled = Object.keys(typed).filter((name) => name.startsWith(`${day}.`) && name.endsWith('.opens'))
  return Array.from({ length: Math.max(1, filled.length) }, (_, index) => index)
}

function overridesOf(typed: Typed): DateOverride[] {
  const kept = keptOverrides(typed).map(({ text }) => overrideOf(text))
  const added = addedOverrides(typed)
  const replaced = new Set(added.map(({ date }) => date))
  return [...kept.filter(({ date }) => !replaced.has(date)), ...added].toSorted((one, other) =>
    one.date < other.date ? -1 : 1,
  )
}

function keptOverrides(typed: Typed): { name: string; text: string }[] {
  return Object.keys(typed).flatMap((name) =>
    /^override\.\d+$/.test(name) && typed[`${name}.drop`] !== 'on' ? [{ name, text: typed[name] ?? '' }] : [],
  )
}

function addedOverrides(typed: Typed): DateOverride[] {
  const { from = '', until = '', opens = '', closes = '' } = typed
  if (from === '') return []
  const hours =
    opens === '' && closes === '' ? [] : [{ opens, closes: closes === '00:00' ? '24:00' : closes }]
  return datesBetween(from, until).map((date) => ({ date, hours }))
}

function datesBetween(from: string, until: string): string[] {
  try {
    const first = Temporal.PlainDate.from(from)
    const last = until === '' ? first : Temporal.PlainDate.from(until)
    const days = Math.min(first.until(last).days + 1, maxHolidayDays)
    return days < 1 ? [from] : Array.from({ length: days }, (_, day) => first.add({ days: day }).toString())
  } catch {
    return [from] // the API explains its fault
  }
}

/**
 * Returns faults that only the form can find: hours and holidays without an end, and holidays that end before
 * they begin.
 */
export function hoursFaults(language: ConsoleLanguage, typed: Typed): Faults {
  return { ...halfSpans(language, typed), ...holidayFaults(language, typed) }
}

function holidayFaults({ texts: { overrides: words } }: ConsoleLanguage, typed: Typed): Faults {
  const { from = '', until = '', opens = '', closes = '' } = typed
  if (from === '') return until + opens + closes === '' ? {} : { from: words.needsFirst }
  return until !== '' && until < from ? { until: words.order } : {}
}

/** Returns faults for open days without hours, and for spans without a beginning or an end. */
function halfSpans({ texts: { hours: words }, locale }: ConsoleLanguage, typed: Typed): Faults {
  if (typed['hours'] !== 'own') return {}
  const faults: Faults = {}
  for (const { fields, opens, closes } of typedSpans(typed)) {
    const name = weekdayName(dayOfFields(fields), locale)
    if (closes === '') faults[`${fields}.closes`] = words.needsEnd({ day: name, opens })
    if (opens === '') faults[`${fields}.opens`] = words.needsStart({ day: name, closes })
  }
  for (const day of weekdays)
    if (typed['same'] !== 'on' && typed[openName(day)] === 'on' && spansOf(typed, day).length === 0)
      faults[`${day}.0.opens`] = words.needsTimes({ day: weekdayName(day, locale) })
  return faults
}

function dayOfFields(fields: string): Weekday {
  return weekdays.find((day) => fields.startsWith(`${day}.`)) ?? 'monday'
}

type HoursParts = Pick<Field, 'label' | 'hint'>

function weekFields(
  language: ConsoleLanguage,
  state: FormState,
  { label, hint, none }: HoursParts & { none: string },
): Html {
  const { locale, texts } = language
  const { hours: words } = texts
  const { typed, faults } = state
  const option = (value: string, text: string) =>
    html`<label class="choice">
      <input type="radio" name="hours" value="${value}" ${typed['hours'] === value ? html`checked` : ''} />
      <span>${text}</span>
    </label>`
  return html`<fieldset ${faults['hours'] === undefined ? '' : html`aria-describedby="hours-fault"`}>
    <legend>${label}</legend>
    ${faultAt(state, 'hours')} ${option('none', none)} ${option('own', words.own)}
    <div class="own-hours" data-week>
      ${weekdaysIn(locale).map((day) => dayFields(language, state, day))}
      <div data-plain>${tick(state, 'same', words.same)}</div>
      <p class="soft" role="status" hidden data-copied>${words.copied}</p>
      <p class="soft">${hint ?? ''}</p>
    </div>
  </fieldset>`
}

function faultAt({ faults }: FormState, name: string): Html {
  const fault = faults[name]
  return fault === undefined ? html`` : html`<p class="fault" id="${name}-fault">${fault}</p>`
}

/** Renders a day: a switch, its spans, and buttons for one more span and for the same on all open days. */
function dayFields(
  { texts: { hours: words }, locale }: ConsoleLanguage,
  state: FormState,
  day: Weekday,
): Html {
  const { typed, faults } = state
  const name = weekdayName(day, locale)
  const time = (index: number, end: 'opens' | 'closes', label: string) => {
    const field = `${day}.${index}.${end}`
    return html`<input
      type="time"
      name="${field}"
      value="${typed[field] ?? ''}"
      aria-label="${name}: ${label}"
      ${faults[field] === undefined ? '' : html`aria-invalid="true" aria-describedby="${field}-fault" autofocus`}
    />`
  }
  const span = (index: number, isFree: boolean) =>
    html`<span class="span" data-row="${index}" ${isFree ? html`data-free` : ''}
      >${time(index, 'opens', words.opens({ span: index + 1 }))}–${time(index, 'closes', words.closes({ span: index + 1 }))}</span
    >`
  const button = (does: 'add' | 'copied', text: string) =>
    html`<button
      type="button"
      class="bare"
      hidden
      data-${does === 'add' ? 'add' : 'copy-day'}
      title="${text}"
    >
      ${icon(does)}<span class="unseen">${text}</span>
    </button>`
  const typedIn = (index: number) =>
    [typed[`${day}.${index}.opens`], typed[`${day}.${index}.closes`]].some(Boolean)
  const last = spanNumbers(typed, day).findLastIndex(typedIn)
  const filled = Array.from({ length: Math.max(1, last + 1) }, (_, index) => index)
  const free = Array.from({ length: freeSpans }, (_, index) => filled.length + index)
  const ofDay = Object.keys(faults).filter((field) => field.startsWith(`${day}.`))
  return html`<div class="day" data-rows>
    <label class="choice"
      ><input
        type="checkbox"
        class="switch"
        name="${openName(day)}"
        value="on"
        ${typed[openName(day)] === 'on' ? html`checked` : ''}
      /><span>${name}</span></label
    >
    <span class="soft closed">${words.closed}</span>
    <div class="spans">
      ${filled.map((index) => span(index, false))} ${free.map((index) => span(index, true))}
    </div>
    <div class="day-more">
      ${button('add', words.add({ day: name }))} ${button('copied', words.copy({ day: name }))}
    </div>
    ${ofDay.map((field) => faultAt(state, field))}
  </div>`
}

function overrideFields(
  language: ConsoleLanguage,
  state: FormState,
  { label, hint, whose }: HoursParts & { whose: Whose },
): Html {
  const { overrides: words } = language.texts
  const { typed, faults } = state
  const input = (name: string, type: string, label: string) =>
    html`<div>
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${typed[name] ?? ''}"
        ${faults[name] === undefined ? '' : html`aria-invalid="true" aria-describedby="${name}-fault"`}
      />
      ${faultAt(state, name)}
    </div>`
  return html`<fieldset>
    <legend>${label}</legend>
    ${keptOverrides(typed).map(({ name, text }) => {
      const shown = overrideName(overrideOf(text), language, { whose })
      return html`<div class="override">
        <input type="hidden" name="${name}" value="${text}" /><span>${shown}</span>
        ${tick(state, `${name}.drop`, html`${words.drop}<span class="unseen"> ${shown}</span>`)}
      </div>`
    })}
    <div class="beside">${input('from', 'date', words.from)} ${input('until', 'date', words.until)}</div>
    <div class="beside">${input('opens', 'time', words.opens)} ${input('closes', 'time', words.closes)}</div>
    <p class="soft">${hint ?? ''}</p>
  </fieldset>`
}

/** Formats "Thursday, 24 December 2026: closed", or the date alone. */
export function overrideName(
  override: DateOverride,
  language: HoursLanguage,
  { hasHours = true, whose = 'place' }: { hasHours?: boolean; whose?: Whose } = {},
): string {
  const name = dateName(override.date, language.locale)
  return hasHours ? `${name}: ${spansText(override, language, whose)}` : name
}

function dateName(date: string, locale: string): string {
  const days = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(days)) return date
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }).format(days)
}

/** Returns the days in the order of a locale's weeks. */
export function weekdaysIn(locale: string): Weekday[] {
  const first = firstWeekday(locale) - 1
  return [...weekdays.slice(first), ...weekdays.slice(0, first)]
}

/** A Monday. */
const someMonday = Date.UTC(2024, 0, 1)
const dayMs = 86_400_000

export function weekdayName(day: Weekday, locale: string, weekday: 'long' | 'short' = 'long'): string {
  const instant = someMonday + weekdays.indexOf(day) * dayMs
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(instant)
}

/** Formats weekly hours in a line, such as "Mon–Fri 9:00–18:00, Sat 10:00–14:00". */
export function hoursText(hours: WeeklyHours, language: HoursLanguage): string {
  const { locale, texts } = language
  const ofDays = weekdays.map((day) =>
    hours
      .filter(({ weekday }) => weekday === day)
      .map((span) => hoursSpan(span, language))
      .join(' '),
  )
  const parts: string[] = []
  for (let first = 0; first < ofDays.length;) {
    let last = first
    while (ofDays[last + 1] === ofDays[first] && last + 1 < ofDays.length) last += 1
    const names = [first, ...(last > first ? [last] : [])].map((index) =>
      weekdayName(weekdays[index] ?? 'monday', locale, 'short'),
    )
    if (ofDays[first] !== '') parts.push(`${names.join('–')} ${ofDays[first]}`)
    first = last + 1
  }
  return parts.length === 0 ? texts.hours.never : parts.join(', ')
}

/** Returns the hours of a date, such as "9:00–18:00"; empty if closed, undefined without own hours. */
export function hoursOn(
  { weekly_hours, date_overrides }: Scheduled,
  date: string,
  language: HoursLanguage,
): string | undefined {
  const weekday = weekdays[Temporal.PlainDate.from(date).dayOfWeek - 1]
  const hours =
    date_overrides.find((one) => one.date === date)?.hours ??
    weekly_hours?.filter((one) => one.weekday === weekday)
  return hours?.map((span) => hoursSpan(span, language)).join(', ')
}

/** Maximum number of other days in a list. */
const maxShownSpans = 3

/**
 * Returns the next exceptional days, such as "24–26 Dec 2026: closed". Empty if there are none from a date
 * on.
 */
export function nextDaysText(
  overrides: readonly DateOverride[],
  today: string,
  language: ConsoleLanguage & { business: { timezone: string }; whose?: Whose },
): string {
  const { locale, business, whose = 'place' } = language
  const spans: { first: string; last: string; hours: string }[] = []
  for (const override of overrides.toSorted((one, other) => (one.date < other.date ? -1 : 1))) {
    const { date } = override
    const hours = spansText(override, language, whose)
    const span = spans.at(-1)
    if (date < today) continue
    if (span?.hours === hours && dateAfter(span.last) === date) span.last = date
    else spans.push({ first: date, last: date, hours })
  }
  const format = new Intl.DateTimeFormat(datesAt(locale, business.timezone), {
    ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  })
  const shown = spans
    .slice(0, maxShownSpans)
    .map(({ first, last, hours }) => `${format.formatRange(Date.parse(first), Date.parse(last))}: ${hours}`)
  return [...shown, ...(spans.length > maxShownSpans ? ['…'] : [])].join(' · ')
}

function dateAfter(date: string): string {
  return Temporal.PlainDate.from(date).add({ days: 1 }).toString()
}

function spansText({ hours }: DateOverride, language: HoursLanguage, whose: Whose): string {
  const { overrides } = language.texts
  const spans = hours.map((span) => hoursSpan(span, language)).join(', ')
  return spans === '' ? (whose === 'person' ? overrides.away : overrides.closed) : spans
}

import { isStaff } from '../../access/actor.ts'
import { showFirstDays } from '../../availability/availability.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { dayMs } from '../../availability/zone-rules.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, readInstant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { focusIf, type FormState } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import type { BusinessVisit } from '../frame/console-route.ts'
import { clockText, dateFormat, dayText, firstWeekday, instantOf, wallFields } from '../frame/formats.ts'
import { type ItemRow, queryOfItems, readParty } from './item-fields.ts'

/* The free times of a new booking: a week or a month of days, and the times of one of them. */

/** A free time with its number of free seats. */
interface FreeTime {
  start: Instant
  seatsLeft: number
}

/** A day to choose. */
interface FreeDay {
  date: string
  isOver: boolean
  /** False only if the day has no free times. */
  mayBeFree: boolean
}

/** Free times on the chosen day, or on the first one after it that has any. */
export interface FreeTimes {
  times: readonly FreeTime[]
  /** The day of these times; without any, the chosen one. */
  date: string
  /** Whole weeks, of which the first contains that day. */
  days: readonly FreeDay[]
  today: string
}

/** Other people who are free at a refused time. */
export interface OthersFree {
  startsAt: Instant
  people: readonly { id: string; name: string }[]
}

/** The part of the form that decides about free times. */
interface AskedTimes {
  visit: BusinessVisit
  catalogue: WholeCatalogue
  service: Service
  items: readonly ItemRow[]
  location: Location
  state: FormState
}

/** Always enough for two weeks from the chosen day. */
const searchedWeeks = 3
const monthWeeks = 5
/** The last weeks before the year 10000, which dates do not reach. */
const lastDay = dayOf('9999-10-31')

/** Returns the free times from the chosen day on, and the days of a week or a month. */
export async function readFreeTimes(
  context: Context,
  { visit, service, items, location, state }: AskedTimes,
  { isMonth = false } = {},
): Promise<FreeTimes> {
  const { who = '', date = '' } = state.typed
  const party = readParty(service, state.typed['party_size'])
  const today = dayOf(wallFields(context.clock.now(), location.timezone).date)
  const chosen = Math.min(Math.max(today, Date.parse(date) / dayMs || today), lastDay)
  const first = weekOf(chosen, visit.locale)
  const weeks = isMonth ? monthWeeks : searchedWeeks
  const { days } = await showFirstDays(context, visit.person, {
    location_id: location.id,
    ...(items.length > 1
      ? { items: queryOfItems(items) }
      : {
          service_id: service.id,
          ...(service.staff_ids.includes(who) && { staff_id: who }),
          ...(party !== undefined && { party_size: party }),
        }),
    ...{ from: dateOf(Math.max(today, first)), to: dateOf(first + 7 * weeks - 1) },
  })
  const found = days.find((day) => day.date >= dateOf(chosen) && day.slots.length > 0)
  const shown = found ? dayOf(found.date) : chosen
  const start = weekOf(shown, visit.locale)
  const known = new Map(days.map((day) => [day.date, day.slots.length > 0]))
  return {
    date: dateOf(shown),
    today: dateOf(today),
    times: (found?.slots ?? []).map(({ starts_at, seats_left }) => ({
      start: readInstant(starts_at),
      seatsLeft: seats_left,
    })),
    days: Array.from({ length: 7 * (isMonth ? monthWeeks : 1) }, (_, index) => ({
      date: dateOf(start + index),
      isOver: start + index < today,
      mayBeFree: start + index >= today && (known.get(dateOf(start + index)) ?? true),
    })),
  }
}

/** Returns the first day of a day's week. */
function weekOf(day: number, locale: string): number {
  return day - ((((day + 4 - firstWeekday(locale)) % 7) + 7) % 7) // day 0 was a Thursday
}

/** Returns the people who are free at the time of the form while the chosen one is not. Undefined without a choice. */
export async function readOthersFree(
  context: Context,
  { visit, catalogue, service, items, location, state: { typed } }: AskedTimes,
): Promise<OthersFree | undefined> {
  const { date = '', time = '', who = '' } = typed
  const startsAt = instantOf({ date, time }, location.timezone)
  if (
    startsAt === undefined ||
    startsAt === 'skipped' ||
    items.length > 1 ||
    !service.staff_ids.includes(who) ||
    isStaff(visit.person)
  )
    return undefined
  const party = readParty(service, typed['party_size'])
  const { days } = await showFirstDays(context, visit.person, {
    ...{ location_id: location.id, service_id: service.id, from: date, to: date },
    ...(party !== undefined && { party_size: party }),
  })
  const slot = days[0]?.slots.find(({ starts_at }) => readInstant(starts_at) === startsAt)
  const people = catalogue.staff.filter(({ id }) => id !== who && slot?.staff_ids.includes(id))
  return { startsAt, people }
}

/** Renders the days and free times of a form as buttons that submit it. */
export function freeTimes({
  visit,
  service: { capacity },
  items,
  location: { timezone },
  state,
  free,
  asked = false,
}: Omit<AskedTimes, 'visit' | 'catalogue'> & {
  visit: ConsoleVisit
  free: FreeTimes | undefined
  /** True if the times were just requested. */
  asked?: boolean
}): Html {
  if (!free) return html``
  const { locale, texts } = visit
  const t = texts.book
  const [first] = free.times
  const day = first && dayText(first.start, { timezone, locale })
  const isLater = (state.typed['date'] ?? '') < free.date && state.typed['date'] !== ''
  const parts = Map.groupBy(free.times, ({ start }) => partOfDay(wallFields(start, timezone).time))
  const attributes = (start: Instant) => html`formnovalidate ${focusIf(asked && start === first?.start)}`
  const buttons = (some: readonly FreeTime[]) =>
    some.map(
      ({ start, seatsLeft }) =>
        html`<button type="submit" name="use" value="${start}" ${attributes(start)}>
          ${clockText(start, { timezone, locale })}${capacity > 1 && items.length === 1 ? html` · ${t.seatsLeft({ count: seatsLeft })}` : ''}
        </button>`,
    )
  return html`${freeDays(visit, free)}
    <p role="status">
      ${day === undefined ? t.noFreeTimes : isLater ? t.freeLater({ day }) : t.freeOn({ day })}
    </p>
    ${Array.from(parts, ([part, some]) => nearGroup(t[part], buttons(some)))}`
}

/** Renders the days, with buttons for the weeks before and after. A week has one for a month. */
function freeDays({ texts: { book: t }, locale }: ConsoleVisit, free: FreeTimes): Html {
  const { date, days, today } = free
  const isMonth = days.length > 7
  const format = (options: Intl.DateTimeFormatOptions) => dateFormat(locale, 'UTC', options)
  const at = (day: string) => Date.parse(day)
  const [first, last] = [days[0]?.date ?? date, days.at(-1)?.date ?? date]
  const months = format({ month: 'long', year: 'numeric' }).formatRange(at(first), at(last))
  const step = ({ by, label, isOff = false }: { by: -1 | 1; label: string; isOff?: boolean }) =>
    html`<button
      type="submit"
      name="${isMonth ? 'month' : 'day'}"
      value="${dateOf(Math.max(dayOf(today), dayOf(date) + by * days.length))}"
      id="${by < 0 ? 'days-before' : 'days-after'}"
      aria-label="${label}"
      title="${label}"
      formnovalidate
      ${isOff ? html`disabled` : ''}
    >
      ${icon(by < 0 ? 'previous' : 'next')}
    </button>`
  const [weekday, number] = [format({ weekday: 'short' }), format({ day: 'numeric' })]
  const whole = format({ weekday: 'long', day: 'numeric', month: 'long' })
  return html`<div class="free-days" role="group" aria-label="${months}">
    <p>
      ${step({ by: -1, label: t.earlier, isOff: first <= today })} <b>${months}</b>
      ${step({ by: 1, label: t.later })}
      ${isMonth ? '' : html`<button type="submit" name="month" value="${date}" formnovalidate>${t.month}</button>`}
    </p>
    <div>
      ${days.slice(0, 7).map((day) => html`<span class="soft" aria-hidden="true">${weekday.format(at(day.date))}</span>`)}
      ${days.map((day) => {
        const name = whole.format(at(day.date))
        return html`<button
          type="submit"
          name="day"
          value="${day.date}"
          aria-label="${day.mayBeFree ? name : t.dayFull({ day: name })}"
          class="${day.mayBeFree ? '' : 'is-full'}"
          formnovalidate
          ${day.date === date ? html`aria-current="date"` : ''}
          ${day.isOver ? html`disabled` : ''}
        >
          ${number.format(at(day.date))}
        </button>`
      })}
    </div>
  </div>`
}

/** Renders buttons with a quiet label above them. */
export function nearGroup(label: string, buttons: Html[]): Html {
  return html`<div class="near" role="group" aria-label="${label}">
    <span class="soft">${label}</span>
    ${buttons}
  </div>`
}

/** Returns the part of the day of a clock time such as 09:30, as in the widget. */
function partOfDay(time: string): 'morning' | 'afternoon' | 'evening' {
  return time < '12' ? 'morning' : time < '17' ? 'afternoon' : 'evening'
}

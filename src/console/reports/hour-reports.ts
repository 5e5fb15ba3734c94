import { html } from '../../base/html.ts'
import { dateFormat, firstWeekday } from '../frame/formats.ts'
import { heatMap } from './numbers-plots.ts'
import {
  bestOf,
  type Counted,
  nameOf,
  type Report,
  shareOf,
  sumOf,
  sumsOf,
  type Tools,
} from './report-tools.ts'

/* The reports by hour of the day: of all weekdays, and of those who are booked. */

/** Fewer bookings show no pattern. */
const minPattern = 10
/** Maximum number of people and things with a row. The file of all numbers has the others. */
const maxRows = 50
export function peopleReport({
  texts,
  locale,
  columns,
  percent,
  text,
  count,
  share,
  hours,
  amountHeads,
  amounts,
}: Tools): Report {
  const shown = columns.filter(
    (one) => sumOf(one.open_minutes) + sumOf(one.bookings) + sumOf(one.cancellations) > 0,
  )
  const staffFirst = shown.toSorted((one, other) => Number(one.staff === null) - Number(other.staff === null))
  const rows = staffFirst.slice(0, maxRows)
  const dayHours = hoursShown(rows.map((one) => one.hours))
  const best = bestOf(
    rows.filter(({ staff }) => staff),
    (one) => shareOf(sumsOf(one)) ?? 0,
  )
  const bestShare = best && shareOf(sumsOf(best))
  return {
    id: 'people',
    title: texts.byPerson,
    isWide: true,
    sentence: best && bestShare ? texts.peopleSay({ name: nameOf(best), share: percent(bestShare) }) : '',
    plot: heatMap(
      {
        corner: texts.who,
        heads: [...dayHours.map((hour) => hourText(hour, locale)), texts.all],
        closed: texts.closed,
      },
      rows.map((one) => ({
        head: html`<bdi>${nameOf(one)}</bdi>`,
        cells: [
          ...dayHours.map((hour) => cellOf(one.hours.booked_minutes[hour], one.hours.open_minutes[hour])),
          shareOf(sumsOf(one)),
        ],
      })),
      percent,
    ),
    heads: [
      ...[texts.who, texts.busy, texts.booked, texts.open, texts.bookings, texts.noShows, texts.cancelled],
      ...amountHeads(texts.bookedMoney),
      ...amountHeads(texts.missed),
    ],
    rows: rows.map((one) => {
      const { booked_minutes: booked, open_minutes: open } = sumsOf(one)
      return [
        ...[text(nameOf(one)), share(booked, open), hours(booked), hours(open)],
        ...[count(sumOf(one.bookings)), count(sumOf(one.no_shows)), count(sumOf(one.cancellations))],
        ...[...amounts(one.money, 'booked'), ...amounts(one.money, 'missed')],
      ]
    }),
  }
}

export function weekReport({ texts, locale, numbers, total, percent, text, share, hours }: Tools): Report {
  const { booked_minutes: booked, open_minutes: open } = numbers.hours
  const dayHours = hoursShown(
    booked.map((minutes, day) => ({ booked_minutes: minutes, open_minutes: open[day] ?? [] })),
  )
  const days = weekdays(locale)
  const parts = partsOf(numbers.hours, days, texts.parts, dayHours)
  const low = parts.at(-1)
  const high = parts[0]
  return {
    id: 'hours',
    title: texts.byHour,
    isWide: true,
    sentence:
      total.bookings < minPattern
        ? texts.tooFew({ count: minPattern })
        : low && high && low !== high
          ? texts.hoursSay({
              ...{ low: low.name, least: percent(low.share) },
              high: `${high.name} (${percent(high.share)})`,
            })
          : '',
    plot: heatMap(
      { corner: texts.hour, heads: days.map(({ short }) => short), closed: texts.closed },
      dayHours.map((hour) => ({
        head: hourText(hour, locale),
        cells: days.map(({ at }) => cellOf(booked[at]?.[hour], open[at]?.[hour])),
      })),
      percent,
    ),
    heads: [texts.day, texts.hour, texts.busy, texts.booked, texts.open],
    rows: days.flatMap(({ long, at }) =>
      dayHours.map((hour) => {
        const [some = 0, all = 0] = [booked[at]?.[hour], open[at]?.[hour]]
        return [text(long), text(hourText(hour, locale)), share(some, all), hours(some), hours(all)]
      }),
    ),
  }
}

function cellOf(booked = 0, open = 0): number | undefined {
  return open === 0 ? (booked === 0 ? undefined : 1) : booked / open
}

/** Longer opening hours, such as those of an online service, are shown as far as somebody books. */
const maxDayHours = 14

/** Returns the hours of the day from the first to the last that is open. */
function hoursShown(list: readonly { booked_minutes: number[]; open_minutes: number[] }[]): number[] {
  const used = (kind: 'booked_minutes' | 'open_minutes') => {
    const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
      list.some((one) => (one[kind][hour] ?? 0) > 0),
    )
    const [first = 0] = hours
    return Array.from({ length: (hours.at(-1) ?? -1) - first + 1 }, (_, at) => first + at)
  }
  const open = used('open_minutes')
  const booked = used('booked_minutes')
  return open.length > 0 && (open.length <= maxDayHours || booked.length === 0) ? open : booked
}

/** The first hours of parts of the day. */
const dayParts = [
  ['morning', 0, 12],
  ['afternoon', 12, 17],
  ['evening', 17, 24],
] as const

/** Returns the parts of all weekdays that are open for an hour or longer, the fullest first. */
function partsOf(
  { booked_minutes, open_minutes }: Counted['hours'],
  days: readonly Day[],
  texts: Record<(typeof dayParts)[number][0], (values: { day: string }) => string>,
  hours: readonly number[],
): { name: string; share: number }[] {
  const within = (list: readonly number[] = [], from: number, to: number) =>
    hours.filter((hour) => hour >= from && hour < to).map((hour) => list[hour] ?? 0)
  return days
    .flatMap(({ long, at }) =>
      dayParts.map(([part, from, to]) => ({
        name: texts[part]({ day: long }),
        booked: sumOf(within(booked_minutes[at], from, to)),
        open: sumOf(within(open_minutes[at], from, to)),
      })),
    )
    .filter(({ open }) => open >= 60)
    .map(({ name, booked, open }) => ({ name, share: Math.min(1, booked / open) }))
    .toSorted((one, other) => other.share - one.share)
}

/** A weekday, with its place in the counts, from 0 for Monday. */
interface Day {
  at: number
  long: string
  short: string
}

/** Returns the weekdays in the order of the locale. */
function weekdays(locale: string): Day[] {
  const monday = Date.UTC(2026, 10, 2)
  return Array.from({ length: 7 }, (_, day) => {
    const at = (day + firstWeekday(locale) - 1) % 7
    const named = (weekday: 'long' | 'short') =>
      dateFormat(locale, 'UTC', { weekday }).format(monday + at * 86_400_000)
    return { at, long: named('long'), short: named('short') }
  })
}

function hourText(hour: number, locale: string): string {
  return dateFormat(locale, 'UTC', { hour: 'numeric' }).format(hour * 3_600_000)
}

import { Type } from 'typebox'
import type { Html } from '../../base/html.ts'
import { html } from '../../base/html.ts'
import { isDate, toMs } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { maxNumbersDays, numbersErrors } from '../../bookings/numbers-rules.ts'
import { choice, field, type FormState, hidden } from '../../pages/form.ts'
import type { BusinessVisit } from './console-route.ts'
import { firstWeekday } from './formats.ts'

/* The choice of a period, in the addresses and forms of pages that add something up. */

const Choice = Type.Optional(Type.String({ maxLength: 600 }))
export const periodQuery = {
  range: Type.Optional(
    Type.String({
      maxLength: 600,
      description: '`week`, `month` (else), `last_month`, `quarter`, `year`, or `own` with `from` and `to`.',
    }),
  ),
  from: Choice,
  to: Choice,
  shown: Type.Optional(
    Type.String({ maxLength: 600, description: 'The days that the form showed, with which `own` begins.' }),
  ),
}

const ranges = ['week', 'month', 'last_month', 'quarter', 'year', 'own'] as const

/** The first and last day of a period. */
export interface Dates {
  from: string
  to: string
}

/** The days in an address. */
export interface AskedPeriod extends Dates {
  range: (typeof ranges)[number]
  /** The period with which it is compared. */
  before: Dates
}

/** Reads the days in an address, with the input and its faults. The default is the current month. */
export function readPeriod(
  context: Context,
  { business, texts, locale }: BusinessVisit,
  query: Record<string, string | undefined>,
): AskedPeriod & FormState {
  const today = Temporal.Instant.fromEpochMilliseconds(toMs(context.clock.now()))
    .toZonedDateTimeISO(business.timezone)
    .toPlainDate()
  const [shownFrom, shownTo] = query['shown']?.split('/') ?? []
  const { from = shownFrom, to = shownTo } = query
  const isTyped = query['range'] === undefined && from !== undefined && to !== undefined
  const range = isTyped ? 'own' : (ranges.find((one) => one === query['range']) ?? 'month')
  const usual = usualDays(range === 'own' ? 'month' : range, today, firstWeekday(locale))
  const days =
    range === 'own' && (from !== undefined || to !== undefined)
      ? { from: from ?? '', to: to ?? '' }
      : usual.days
  const faults = range === 'own' ? faultsOfDays(days, texts.numbers) : {}
  const before = range === 'own' && Object.keys(faults).length === 0 ? daysBefore(days) : usual.before
  return { range, ...days, before, typed: { range, ...days }, faults }
}

/** Returns the part of an address that names a period. */
export function periodAddress({ range, from, to }: AskedPeriod): Record<string, string> {
  return { range, ...(range === 'own' && { from, to }) }
}

/** Renders the choice of a period. The typed days need a button. */
export function periodFields(
  { texts: { numbers: texts } }: BusinessVisit,
  { range, from, to }: AskedPeriod,
  state: FormState,
): Html {
  const options = ranges.map((one) => [one, texts.ranges[one]] as const)
  return html`${range === 'own' ? '' : hidden({ shown: `${from}/${to}` })}
  ${choice(state, { name: 'range', label: texts.range, options })}
  ${
    range === 'own'
      ? html`${field(state, { name: 'from', label: texts.from, type: 'date' })}
        ${field(state, { name: 'to', label: texts.to, type: 'date' })}`
      : ''
  }`
}

/** Returns a usual period and the one before it. */
function usualDays(
  range: Exclude<AskedPeriod['range'], 'own'>,
  today: Temporal.PlainDate,
  firstDay: number,
): { days: Dates; before: Dates } {
  const month = today.with({ day: 1 })
  const start = {
    week: today.subtract({ days: (today.dayOfWeek - firstDay + 7) % 7 }),
    month,
    last_month: month.subtract({ months: 1 }),
    quarter: month.subtract({ months: (month.month - 1) % 3 }),
    year: month.with({ month: 1 }),
  }[range]
  const length = {
    week: { days: 7 },
    month: { months: 1 },
    last_month: { months: 1 },
    quarter: { months: 3 },
    year: { years: 1 },
  }[range]
  const until = (from: Temporal.PlainDate) => ({
    from: from.toString(),
    to: from.add(length).subtract({ days: 1 }).toString(),
  })
  return { days: until(start), before: until(start.subtract(length)) }
}

/** Returns as many days before a period. */
function daysBefore({ from, to }: Dates): Dates {
  const first = Temporal.PlainDate.from(from)
  const { days } = first.until(to)
  return {
    from: first.subtract({ days: days + 1 }).toString(),
    to: first.subtract({ days: 1 }).toString(),
  }
}

function faultsOfDays({ from, to }: Dates, texts: BusinessVisit['texts']['numbers']): Record<string, string> {
  const faults = { ...(!isDate(from) && { from: texts.noDay }), ...(!isDate(to) && { to: texts.noDay }) }
  if (Object.keys(faults).length > 0) return faults
  if (to < from) return { to: texts.endsBefore }
  return numbersErrors({ from, to }).length > 0
    ? { to: texts.tooLong({ weeks: Math.floor(maxNumbersDays / 7) }) }
    : {}
}

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keyTarget } from '../flow/month-keys.ts'
import { lastDayOf, monthOf, plusMonths, weeksOf } from '../times/civil-dates.ts'
import type { Formats } from '../times/formats.ts'
import type { TimesView } from './view.ts'

interface MonthParts extends TimesView {
  today: string
  /** The last month with bookable days; null without a limit. */
  lastMonth: string | null
  isFree: (date: string) => boolean
  isLoading: boolean
  /** True to show the next weeks, also of the next month. */
  goesOn: boolean
  onChoose: (date: string) => void
}

/** Renders a month as a grid. Tab reaches one day, and arrow keys reach the others. */
export function Month(props: MonthParts) {
  const { flow, state, language, formats, today, lastMonth, isFree, isLoading, goesOn, onChoose } = props
  const { month, date } = state
  const weeks = weeksOf(month, formats.firstWeekday, goesOn && today)
  const [cursor, setCursor] = useState<string | null>(null)
  const wanted = useRef<string | null>(null)
  const grid = useRef<HTMLTableElement>(null)
  const current = cursorIn(month, [cursor, date], isFree)
  useLayoutEffect(() => {
    if (wanted.current !== current) return
    wanted.current = null
    grid.current?.querySelector<HTMLElement>(`[data-date="${current}"]`)?.focus()
  }, [current])

  const onKeyDown = (event: KeyboardEvent) => {
    const target = keyTarget(event.key, current, {
      firstWeekday: formats.firstWeekday,
      rightToLeft: language.direction === 'rtl',
      today,
    })
    if (target === undefined || monthOf(target) > (lastMonth ?? target)) return
    event.preventDefault()
    wanted.current = target
    setCursor(target)
    if (monthOf(target) !== month) void flow.showMonth(monthOf(target))
  }

  return (
    <div class="month" part="month">
      <MonthHeader {...props} />
      <table role="grid" aria-label={formats.month(month)} ref={grid} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdayNames(formats).map((name, index) => (
              <th key={index} scope="col" abbr={formats.weekdays('long')[index]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class={isLoading ? 'is-loading' : ''}>
          {weeks.map((week, index) => (
            <tr key={index} class={week.some((day) => day !== null && day >= today) ? '' : 'is-past'}>
              {week.map((day, weekday) =>
                day === null ? (
                  <td key={weekday} />
                ) : (
                  <td key={weekday} aria-selected={day === date}>
                    <Day
                      {...props}
                      day={day}
                      isFree={isFree(day)}
                      isLoading={isLoading}
                      isCursor={day === current}
                      onChoose={onChoose}
                    />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Maximum width, because short weekday names of some languages exceed a column. */
const maxLetters = 5

function weekdayNames(formats: Formats): string[] {
  const short = formats.weekdays('short').map((name) => name.replace(/\.$/, ''))
  return short.some(({ length }) => length > maxLetters) ? formats.weekdays('narrow') : short
}

function MonthHeader({ flow, state, language, formats, today, lastMonth, goesOn }: MonthParts) {
  const { texts } = language
  const { month } = state
  const arrow = (months: 1 | -1, isLast: boolean) => (
    <button
      type="button"
      class="icon-button"
      part="month-button"
      aria-label={months > 0 ? texts.nextMonth : texts.previousMonth}
      {...{ [months > 0 ? 'disabled' : 'aria-disabled']: isLast }}
      onClick={() => {
        if (!isLast) void flow.showMonth(plusMonths(month, months))
      }}
    >
      <svg class={months > 0 ? 'ahead' : 'turned'} viewBox="0 0 16 16" aria-hidden="true">
        <path d="M6 3l5 5-5 5" />
      </svg>
    </button>
  )
  return (
    <div class="month-header">
      {arrow(-1, month <= monthOf(today))}
      <p class="month-name" aria-live="polite">
        {goesOn ? formats.months(month, plusMonths(month, 1)) : formats.month(month)}
      </p>
      {arrow(1, month >= (lastMonth ?? '9'))}
    </div>
  )
}

interface DayParts extends TimesView {
  day: string
  today: string
  isFree: boolean
  isLoading: boolean
  isCursor: boolean
  onChoose: (date: string) => void
}

function Day({ state, language, formats, day, today, isFree, isLoading, isCursor, onChoose }: DayParts) {
  const { texts } = language
  const isChosen = day === state.date
  const says = [
    formats.longDate(day),
    isFree ? texts.free : isLoading ? texts.loading : texts.notFree,
    ...(isChosen ? [texts.chosen] : []),
  ]
  return (
    <button
      type="button"
      class={`day${isFree ? ' is-free' : ''}${isChosen ? ' is-chosen' : ''}`}
      part={`day${isFree ? ' day-free' : ''}${isChosen ? ' day-chosen' : ''}`}
      data-date={day}
      tabIndex={isCursor ? 0 : -1}
      aria-label={says.join(', ')}
      aria-disabled={!isFree}
      {...(day === today && { 'aria-current': 'date' })}
      onClick={() => {
        if (isFree) onChoose(day)
      }}
    >
      {formats.dayOfMonth(day)}
    </button>
  )
}

/**
 * Returns the day that Tab reaches: the last focused, otherwise the selected, otherwise the first free one.
 */
function cursorIn(month: string, wanted: (string | null)[], isFree: (date: string) => boolean): string {
  const here = wanted.find((date) => date !== null && monthOf(date) === month)
  if (here) return here
  return (
    weeksOf(month, 1)
      .flat()
      .find((date) => date !== null && isFree(date)) ?? lastDayOf(month)
  )
}

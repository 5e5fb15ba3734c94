import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { locationOf, servicesOf } from '../flow/choice-rules.ts'
import { knownSlots, slotsByDate, type Slot } from '../flow/slots.ts'
import { fill } from '../texts.ts'
import { isNearEnd, monthOf, plusDays, plusMonths } from '../times/civil-dates.ts'
import { placeOf } from '../times/formats.ts'
import { dateIn, hourIn, sameTimeIn } from '../times/zones.ts'
import { Month } from './month.tsx'
import type { TimesView } from './view.ts'
import { ZoneChoice } from './zone-choice.tsx'

/** With at most this many free days in a month, there is room for the next month. */
const fewDays = 7

interface NoneAtAll {
  /** Further options if nothing is free. */
  none?: ComponentChildren
}

/** Renders a month with its free days, and the times of one of them. */
export function TimeStep(props: TimesView & NoneAtAll & { above?: ComponentChildren }) {
  const { flow, state, language, formats, nowMs } = props
  const { month, slots, zone, date } = state
  const known = knownSlots(state, month)
  const byDate = useMemo(() => slotsByDate(known ?? [], zone), [known, zone])
  const soon = state.first?.dates ?? []
  const isFree = (day: string) =>
    byDate.has(day) || ((monthOf(day) > month || !slots[month]) && soon.includes(day))
  const today = dateIn(zone, nowMs())
  const next = plusMonths(month, 1)
  // while the times load, too: the grid must not grow when they arrive
  const goesOn = isNearEnd(month, today) && !(known && !state.first)
  const days = Math.min(
    ...servicesOf(state.catalogue, state.choice).flatMap((one) => one.max_advance_days ?? []),
  )
  const lastMonth = days < Infinity ? monthOf(plusDays(today, days)) : null
  const freeDays = [...(slots[month] ? byDate.keys() : soon)].filter((day) => monthOf(day) === month).length
  const times = useRef<HTMLDivElement>(null)
  const ofDay = date === null ? [] : (byDate.get(date) ?? [])
  const [chosen, setChosen] = useState<string | null>(null)
  return (
    <>
      {props.above}
      <NextFree {...props} />
      <div class="when">
        <div class="when-month">
          <Month
            {...props}
            today={today}
            lastMonth={lastMonth}
            isFree={isFree}
            goesOn={goesOn}
            isLoading={state.busy === 'slots' || known === undefined}
            onChoose={(day) => {
              if (monthOf(day) === month) flow.chooseDate(day)
              else void flow.showMonth(monthOf(day)).then(() => flow.chooseDate(day))
              setChosen(day)
              times.current?.scrollIntoView({ block: 'nearest' })
            }}
          />
          {!goesOn && freeDays > 0 && freeDays < fewDays && next <= (lastMonth ?? next) && (
            <button type="button" class="more" part="more-days" onClick={() => void flow.showMonth(next)}>
              {fill(language.texts.moreDays, { month: formats.month(next) })}
            </button>
          )}
          <ZoneChoice {...props} />
        </div>
        <div class="when-times" ref={times}>
          {date !== null && ofDay.length > 0 ? (
            <Times {...props} date={date} slots={ofDay} />
          ) : (
            <NoTimes
              {...props}
              isLoading={state.busy === 'slots' || (known === undefined && state.soonest !== null)}
              anyFree={freeDays > 0}
            />
          )}
        </div>
      </div>
      <p class="heard" role="status">
        {date !== null &&
          date === chosen &&
          ofDay.length > 0 &&
          `${fill(language.texts.timesOn, { date: formats.longDate(date) })}: ${formats.number(ofDay.length)}`}
      </p>
    </>
  )
}

/** Renders the next free times on several days, above the month. */
function NextFree(props: TimesView) {
  const { flow, state, language, formats } = props
  const { first, zone, busy, slots } = state
  const { nextFree } = language.texts
  // reserves room for pending times, so that nothing moves
  const isComing = !first && busy === 'slots' && Object.keys(slots).length === 0
  if (!isComing && !first?.next.length) return null
  return (
    <div
      class={`next-free${isComing ? ' is-coming' : ''}`}
      part="next-free"
      role="group"
      aria-label={nextFree}
      aria-hidden={isComing}
    >
      <span class="hint" aria-hidden="true">
        {nextFree}
      </span>
      {isComing &&
        ['', '', '', ''].map(() => (
          <span class="crumb">
            <span>…</span>…
          </span>
        ))}
      {first?.next.map((slot) => (
        <button
          key={slot.startsAt}
          type="button"
          class="crumb"
          part="next-free-time"
          aria-disabled={busy === 'hold'}
          onClick={() => void flow.chooseSlot(slot)}
        >
          <span class="next-free-day">{formats.shortDay(slot.startsAtMs, zone)}</span>
          {formats.time(slot.startsAtMs, zone)}
        </button>
      ))}
    </div>
  )
}

function NoTimes({
  flow,
  state,
  language,
  formats,
  anyFree,
  isLoading,
  none,
}: TimesView & NoneAtAll & { anyFree: boolean; isLoading: boolean }) {
  const { texts } = language
  const { month, soonest, zone } = state
  if (isLoading) return <p class="hint">{texts.loading}</p>
  if (anyFree) return <p class="hint">{texts.chooseDay}</p>
  if (soonest === null)
    return (
      <>
        <p class="hint">{texts.noneAtAll}</p>
        {none}
      </>
    )
  return (
    <>
      <p class="hint">{fill(texts.noneInMonth, { month: formats.month(month) })}</p>
      {soonest && dateIn(zone, soonest.startsAtMs) > month && (
        <p class="next-free">
          <span class="hint">{texts.nextFree}</span>
          <button
            type="button"
            class="secondary"
            part="secondary-button"
            onClick={() => {
              const day = dateIn(zone, soonest.startsAtMs)
              void flow.showMonth(day.slice(0, 7)).then(() => flow.chooseDate(day))
            }}
          >
            {formats.shortDay(soonest.startsAtMs, zone)}
          </button>
        </p>
      )}
    </>
  )
}

const parts = [
  { name: 'morning', until: 12 },
  { name: 'afternoon', until: 17 },
  { name: 'evening', until: 24 },
] as const

/** The length of `10:30`. Twelve-hour times need a wider button. */
const shortTime = 5

function Times(props: TimesView & { date: string; slots: Slot[] }) {
  const { state, language, formats, date, slots } = props
  const { zone } = state
  const isWide = slots.some(({ startsAtMs }) => formats.time(startsAtMs, zone).length > shortTime)
  const groups = Map.groupBy(slots, ({ startsAtMs }) => {
    const hour = hourIn(zone, startsAtMs)
    return parts.find(({ until }) => hour < until)?.name ?? 'evening'
  })
  return (
    <section class="times" part="times">
      <h3>{fill(language.texts.timesOn, { date: formats.longDate(date) })}</h3>
      {[...groups].map(([name, ofPart]) => (
        <div key={name} role="group" aria-label={language.texts[name]}>
          <p class="part-of-day" aria-hidden="true">
            {language.texts[name]}
          </p>
          <div class={`time-grid${isWide ? ' is-wide' : ''}`}>
            {ofPart.map((slot) => (
              <TimeButton key={slot.startsAt} {...props} slot={slot} />
            ))}
          </div>
        </div>
      ))}
    </section>
  )
}

function TimeButton({ flow, state, language, formats, slot }: TimesView & { slot: Slot }) {
  const { zone, catalogue, choice, busy, wanted } = state
  const location = locationOf(catalogue, choice)
  const there = location && !sameTimeIn(zone, location.timezone, slot.startsAtMs) ? location.timezone : null
  const isWanted = busy === 'hold' && wanted?.startsAt === slot.startsAt
  const [service, another] = servicesOf(catalogue, choice)
  const showsSeats = !another && (service?.capacity ?? 1) > 1
  return (
    <button
      type="button"
      class={`time${isWanted ? ' is-working' : ''}${slot.heldByYou ? ' is-held' : ''}`}
      part="time"
      aria-disabled={busy === 'hold'}
      onClick={() => void flow.chooseSlot(slot)}
    >
      <span class="time-text">{formats.time(slot.startsAtMs, zone)}</span>
      {there && (
        <span class="time-more">
          {fill(language.texts.atLocation, {
            time: `${dateIn(zone, slot.startsAtMs) === dateIn(there, slot.startsAtMs) ? '' : `${formats.shortDay(slot.startsAtMs, there)}, `}${formats.time(slot.startsAtMs, there)}`,
            place: placeOf(there),
          })}
        </span>
      )}
      {showsSeats && (
        <span class="time-more">
          {fill(language.texts.seatsLeft, { count: formats.number(slot.seatsLeft) })}
        </span>
      )}
    </button>
  )
}

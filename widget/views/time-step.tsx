import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { locationOf, serviceOf } from '../flow/choice-rules.ts'
import { repeatedTimes, slotsByDate, type Slot } from '../flow/slots.ts'
import { fill } from '../locales/texts.ts'
import { placeOf } from '../times/formats.ts'
import { dateIn, hourIn, sameTimeIn } from '../times/zones.ts'
import { Month } from './month.tsx'
import { SlotNotice } from './slot-notice.tsx'
import type { TimesView } from './view.ts'
import { ZoneChoice } from './zone-choice.tsx'

/** A month with its free days, and the times of one of them. */
export function TimeStep(props: TimesView & { above?: ComponentChildren }) {
  const { flow, state, nowMs } = props
  const { month, slots, zone, date } = state
  const byDate = useMemo(() => slotsByDate(slots[month] ?? [], zone), [slots, month, zone])
  const today = dateIn(zone, nowMs())
  const times = useRef<HTMLDivElement>(null)
  const ofDay = date === null ? [] : (byDate.get(date) ?? [])
  return (
    <>
      <SlotNotice {...props} />
      <div class="when">
        <div class="when-month">
          {props.above}
          <Month
            {...props}
            today={today}
            isFree={(day) => byDate.has(day)}
            isLoading={state.busy === 'slots' || slots[month] === undefined}
            onChoose={(day) => {
              flow.chooseDate(day)
              times.current?.scrollIntoView({ block: 'nearest' })
            }}
          />
          <ZoneChoice {...props} />
        </div>
        <div class="when-times" ref={times}>
          {date !== null && ofDay.length > 0 ? (
            <Times {...props} date={date} slots={ofDay} />
          ) : (
            <NoTimes {...props} anyFree={[...byDate.keys()].some((day) => day.startsWith(month))} />
          )}
        </div>
      </div>
    </>
  )
}

function NoTimes({ flow, state, language, formats, anyFree }: TimesView & { anyFree: boolean }) {
  const { texts } = language
  const { month, slots, soonest, zone } = state
  if (slots[month] === undefined) return <p class="quiet">{texts.loading}</p>
  if (anyFree) return <p class="quiet">{texts.chooseDay}</p>
  if (soonest === null) return <p class="quiet">{texts.noneAtAll}</p>
  return (
    <>
      <p class="quiet">{fill(texts.noneInMonth, { month: formats.month(month) })}</p>
      {soonest && (
        <button
          type="button"
          class="secondary"
          part="secondary-button"
          onClick={() => {
            const day = dateIn(zone, soonest.startsAtMs)
            void flow.showMonth(day.slice(0, 7)).then(() => flow.chooseDate(day))
          }}
        >
          {fill(texts.nextFree, { date: formats.shortDay(soonest.startsAtMs, zone) })}
        </button>
      )}
    </>
  )
}

const parts = [
  { name: 'morning', until: 12 },
  { name: 'afternoon', until: 17 },
  { name: 'evening', until: 24 },
] as const

/** The length of `10:30`; twelve-hour times need a wider button. */
const shortTime = 5

function Times(props: TimesView & { date: string; slots: Slot[] }) {
  const { state, language, formats, date, slots } = props
  const { zone } = state
  const repeated = repeatedTimes(slots, (ms) => formats.time(ms, zone))
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
              <TimeButton
                key={slot.startsAt}
                {...props}
                slot={slot}
                repeated={repeated.has(slot.startsAtMs)}
              />
            ))}
          </div>
        </div>
      ))}
    </section>
  )
}

function TimeButton({
  flow,
  state,
  language,
  formats,
  slot,
  repeated,
}: TimesView & { slot: Slot; repeated: boolean }) {
  const { zone, catalogue, choice, busy, wanted } = state
  const location = locationOf(catalogue, choice)
  const there = location && !sameTimeIn(zone, location.timezone, slot.startsAtMs) ? location.timezone : null
  const isWanted = busy === 'hold' && wanted?.startsAt === slot.startsAt
  const write = repeated ? 'timeWithOffset' : 'time'
  const sharesSlot = (serviceOf(catalogue, choice)?.capacity ?? 1) > 1
  return (
    <button
      type="button"
      class={`time${isWanted ? ' is-working' : ''}${slot.heldByYou ? ' is-held' : ''}`}
      part="time"
      aria-disabled={busy === 'hold'}
      onClick={() => void flow.chooseSlot(slot)}
    >
      <span class="time-text">{formats[write](slot.startsAtMs, zone)}</span>
      {there && (
        <span class="time-more">
          {fill(language.texts.atLocation, {
            time: `${dateIn(zone, slot.startsAtMs) === dateIn(there, slot.startsAtMs) ? '' : `${formats.shortDay(slot.startsAtMs, there)}, `}${formats.time(slot.startsAtMs, there)}`,
            place: placeOf(there),
          })}
        </span>
      )}
      {sharesSlot && (
        <span class="time-more">
          {fill(language.texts.seatsLeft, { count: formats.number(slot.seatsLeft) })}
        </span>
      )}
    </button>
  )
}

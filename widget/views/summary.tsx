import { countdownText } from '../times/countdown.ts'
import { useEffect, useState } from 'preact/hooks'
import type { ChangeRules } from '../flow/change-rules.ts'
import { secondsLeft } from '../flow/hold-rules.ts'
import type { Booking, Location, Money } from '../api/api-types.ts'
import { fillCount } from '../counts.ts'
import { fill } from '../texts.ts'
import { Contact } from './contact.tsx'
import { leftOnSite } from './left-on-site.ts'
import { Place } from './place.tsx'
import { priceText } from './price-text.ts'
import { placeOf } from '../times/formats.ts'
import { momentText } from '../times/moment.ts'
import { dateIn, ownZoneName, sameTimeIn } from '../times/zones.ts'
import type { View } from './view.ts'

/** One service of an appointment. */
export interface SummaryItem {
  service: string
  staff: string | undefined
  startsAtMs: number
  endsAtMs: number
  /** Null for one person. */
  party: number | null
}

interface Appointment {
  service: string
  /** Several services. */
  items?: SummaryItem[]
  /** True for a price that depends on the person. */
  isFrom?: boolean
  /** Total for all people, after a discount. */
  price: Money | null
  /** The reduction by a coupon. */
  discount?: Booking['discount'] | undefined
  /** Total for all people. */
  deposit: (Money & { status: 'wanted' | 'due' | 'paid' }) | null
  /** Null if the widget does not ask for the number. */
  party: number | null
  location: Omit<Location, 'id' | 'active'> | undefined
  staff: string | undefined
  startsAtMs: number
  endsAtMs: number
  /** Rules of the service; undefined if nothing can be changed any more. */
  rules: ChangeRules | undefined
}

type SummaryView = Pick<View, 'language' | 'formats' | 'nowMs'> & {
  state: Pick<View['state'], 'zone' | 'business' | 'booking'>
  appointment: Appointment
}

/** Renders the appointment: service, time, location, staff member and price. */
export function Summary(props: SummaryView) {
  const { language, formats, appointment } = props
  const { zone, booking } = props.state
  const { texts } = language
  const { service, party, location, staff, startsAtMs, endsAtMs, items = [] } = appointment
  const isVisit = items.length > 1
  const there = location && !sameTimeIn(zone, location.timezone, startsAtMs) ? location.timezone : null
  const range = (inZone: string) => `${formats.time(startsAtMs, inZone)} – ${formats.time(endsAtMs, inZone)}`
  const isBooked = booking?.status === 'confirmed'
  return (
    <div class="summary-text">
      {!isVisit && (
        <span>
          <bdi class="summary-service">{service}</bdi>
          {party !== null && ` ${fillCount(texts.people, party, formats)}`}
        </span>
      )}
      <span class="summary-time">{formats.longDay(startsAtMs, zone)}</span>
      <span class="summary-time">
        {range(zone)}
        {(there || !sameTimeIn(zone, ownZoneName(), startsAtMs)) && (
          <span class="hint"> {formats.zone(zone, startsAtMs)}</span>
        )}
        <span class="hint"> · {formats.minutes((endsAtMs - startsAtMs) / 60_000)}</span>
      </span>
      {there && (
        <span class="hint">
          {fill(texts.atLocation, {
            time: `${dateIn(zone, startsAtMs) === dateIn(there, startsAtMs) ? '' : `${formats.shortDay(startsAtMs, there)}, `}${range(there)}`,
            place: placeOf(there),
          })}
        </span>
      )}
      {isVisit ? <Items {...{ items, zone, texts, formats }} /> : staff && <bdi class="hint">{staff}</bdi>}
      {location && (
        <span class="hint">
          <Place
            location={{ ...location, online_url: isBooked ? location.online_url : null }}
            texts={texts}
            hasLinks={booking?.status !== 'cancelled'}
          />
        </span>
      )}
      {location?.online_url && !isBooked && booking?.status !== 'cancelled' && (
        <span class="hint">{texts.onlineLater}</span>
      )}
      <Amounts {...props} />
      <Policy {...props} />
    </div>
  )
}

/** Renders several services, each with its time and person. */
export function Items({
  items,
  zone,
  texts,
  formats,
}: Pick<View, 'formats'> & { items: SummaryItem[]; zone: string; texts: View['language']['texts'] }) {
  return (
    <ol class="summary-items">
      {items.map(({ service, staff, startsAtMs, endsAtMs, party }, at) => (
        <li key={at}>
          <span>
            <bdi class="summary-service">{service}</bdi>
            {party !== null && ` ${fillCount(texts.people, party, formats)}`}
          </span>
          <span class="hint">
            {formats.time(startsAtMs, zone)} – {formats.time(endsAtMs, zone)}
            {staff && (
              <>
                {' · '}
                <bdi>{staff}</bdi>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Returns the services of a booking; empty for one. */
export function bookedItems({ items }: Pick<Booking, 'items'>): SummaryItem[] {
  if (items.length < 2) return []
  return items.map(({ service, staff, starts_at, ends_at, party_size }) => ({
    service: service.name,
    staff: staff?.name,
    startsAtMs: Date.parse(starts_at),
    endsAtMs: Date.parse(ends_at),
    party: party_size > 1 ? party_size : null,
  }))
}

/** Renders the price, the deposit, and the rest to pay at the location. */
function Amounts({ language: { texts }, formats, appointment }: SummaryView) {
  const { price, discount, deposit, isFrom = false } = appointment
  const left = isFrom ? undefined : leftOnSite(price, deposit)
  const depositText = deposit && { wanted: texts.deposit, due: texts.due, paid: texts.paid }[deposit.status]
  const parts = [
    price && priceText(price, { texts, formats }, isFrom),
    deposit && depositText && fill(depositText, { amount: formats.money(deposit) }),
    left && fill(texts.left, { amount: formats.money(left) }),
  ].filter(Boolean)
  return (
    <>
      {discount && (
        <span class="hint">
          {fill(texts.discount, { code: discount.code, amount: formats.money(discount) })}
        </span>
      )}
      {parts.length > 0 && <span class="hint">{parts.join(' · ')}</span>}
    </>
  )
}

/** Returns the deadlines for moving and cancelling in milliseconds; -Infinity for never. */
export function changesUntil(rules: ChangeRules, startsAtMs: number): { move: number; cancel: number } {
  const until = (minutes: number | null) => startsAtMs - (minutes ?? Infinity) * 60_000
  return {
    move: rules.max_reschedules > 0 ? until(rules.reschedule_until_minutes) : -Infinity,
    cancel: until(rules.cancel_until_minutes),
  }
}

/** Renders the deadlines for moving and cancelling that are still ahead, otherwise the contact. */
function Policy({ state, language: { texts }, formats, nowMs, appointment }: SummaryView) {
  const { rules, startsAtMs, deposit } = appointment
  if (!rules) return null
  const { zone, business } = state
  const until = changesUntil(rules, startsAtMs)
  const told = (ms: number) => (ms > nowMs() ? momentText(formats, ms, zone) : '')
  const cancel = told(until.cancel)
  const move = told(until.move)
  if (!cancel && !move)
    return <span class="hint">{business && <Contact text={texts.contact} business={business} />}</span>
  const lines =
    cancel === move
      ? [fill(texts.untilBoth, { time: cancel })]
      : [move && fill(texts.untilMove, { time: move }), cancel && fill(texts.untilCancel, { time: cancel })]
  if (cancel && deposit && rules.isFree) lines.push(texts.refundUntil)
  return <span class="hint">{lines.filter(Boolean).join(' ')}</span>
}

const circle = 2 * Math.PI * 9
const wholeSeconds = 600

/** Multiplies an amount by the number of people. */
export function times<Of extends Money>(money: Of, count: number): Of {
  return { ...money, amount: money.amount * count }
}

/** Renders the countdown of the hold. */
export function Countdown({ state, language, formats, nowMs }: View) {
  const { held } = state
  const [, redraw] = useState(0)
  useEffect(() => {
    const ticking = setInterval(() => redraw((count) => count + 1), 1000)
    return () => clearInterval(ticking)
  }, [])
  if (!held) return null
  const left = secondsLeft(held.deadlineMs, nowMs())
  const gone = circle * (1 - Math.min(1, left / wholeSeconds))
  return (
    <p class={`countdown${left <= 120 ? ' is-short' : ''}`} part="countdown">
      <svg viewBox="0 0 22 22" aria-hidden="true">
        <circle cx="11" cy="11" r="9" class="countdown-track" />
        <circle
          cx="11"
          cy="11"
          r="9"
          class="countdown-left"
          stroke-dasharray={circle}
          stroke-dashoffset={gone}
        />
      </svg>
      <span>{language.texts.held}</span>
      <span class="countdown-time" role="timer" aria-live="off">
        {countdownText(formats, left)}
      </span>
    </p>
  )
}

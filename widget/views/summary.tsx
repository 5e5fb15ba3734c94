import { useEffect, useState } from 'preact/hooks'
import { secondsLeft } from '../flow/hold-rules.ts'
import type { Money } from '../api/api-types.ts'
import { fill } from '../locales/texts.ts'
import { placeOf } from '../times/formats.ts'
import { dateIn, sameTimeIn } from '../times/zones.ts'
import type { View } from './view.ts'

interface Appointment {
  service: string
  price: Money | null
  location: { name: string; address: string | null; timezone: string } | undefined
  staff: string | undefined
  startsAtMs: number
  endsAtMs: number
}

/** The appointment: when, where, with whom. */
export function Summary({
  state: { zone },
  language,
  formats,
  appointment,
}: Pick<View, 'language' | 'formats'> & { state: Pick<View['state'], 'zone'>; appointment: Appointment }) {
  const { service, price, location, staff, startsAtMs, endsAtMs } = appointment
  const there = location && !sameTimeIn(zone, location.timezone, startsAtMs) ? location.timezone : null
  const range = (inZone: string) => `${formats.time(startsAtMs, inZone)} – ${formats.time(endsAtMs, inZone)}`
  return (
    <div class="summary-text">
      <bdi class="summary-service">{service}</bdi>
      <span class="summary-time">{formats.longDay(startsAtMs, zone)}</span>
      <span class="summary-time">
        {range(zone)}
        {there && <span class="hint"> {formats.zone(zone, startsAtMs)}</span>}
      </span>
      {there && (
        <span class="hint">
          {fill(language.texts.atLocation, {
            time: `${dateIn(zone, startsAtMs) === dateIn(there, startsAtMs) ? '' : `${formats.shortDay(startsAtMs, there)}, `}${range(there)}`,
            place: placeOf(there),
          })}
        </span>
      )}
      <span class="hint">
        {[location?.name, staff].filter(Boolean).map((name, index) => (
          <span key={index}>
            {index > 0 && ' · '}
            <bdi>{name}</bdi>
          </span>
        ))}
      </span>
      {location?.address && <bdi class="hint">{location.address}</bdi>}
      {price && <span class="hint">{formats.money(price)}</span>}
    </div>
  )
}

const circle = 2 * Math.PI * 9
const wholeSeconds = 600

/** The countdown of the hold. */
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
        {formats.countdown(left)}
      </span>
    </p>
  )
}

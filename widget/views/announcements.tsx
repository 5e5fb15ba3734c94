import { useEffect, useState } from 'preact/hooks'
import { servicesOf } from '../flow/choice-rules.ts'
import { secondsLeft } from '../flow/hold-rules.ts'
import { isAsking } from '../flow/request-rules.ts'
import { fill } from '../texts.ts'
import type { View } from './view.ts'

const warnSeconds = 120

/** Announces a few events to screen readers. A countdown must not speak every second. */
export function Announcements({ flow, state, language, formats, nowMs }: View) {
  const { held, busy, catalogue, choice } = state
  const { texts } = language
  const [isNearlyOver, setNearlyOver] = useState(false)
  useEffect(() => {
    setNearlyOver(false)
    if (!held) return undefined
    const look = () => {
      const left = secondsLeft(held.deadlineMs, nowMs())
      setNearlyOver(left <= warnSeconds)
      if (left === 0) flow.late?.lapse()
    }
    const ticking = setInterval(look, 1000)
    return () => clearInterval(ticking)
  }, [held])
  const minutes = Math.round(secondsLeft(held?.deadlineMs ?? 0, nowMs()) / 60)
  const [heldText, setHeldText] = useState('')
  useEffect(() => {
    setHeldText(held ? fill(texts.heldFor, { time: formats.minutes(minutes) }) : '')
  }, [held?.id])
  const text =
    busy === 'hold'
      ? texts.holding
      : busy === 'booking'
        ? servicesOf(catalogue, choice).some(isAsking)
          ? texts.loading
          : texts.booking
        : isNearlyOver
          ? texts.twoMinutesLeft
          : heldText
  return (
    <p class="heard" role="status">
      {text}
    </p>
  )
}

import type { BookingFlow } from '../flow/booking-flow.ts'
import { nextStep, steps, type Step } from '../flow/choice-rules.ts'
import { expired, startedAnew } from '../flow/late-state.ts'
import { respondByMs } from '../flow/request-rules.ts'

interface HistoryParts {
  flow: BookingFlow
  /** Unique among the page's elements, and unchanged by a reload. */
  key: string
  hasSteps: boolean
  /** Called if the visitor goes back to before an overlay was opened. */
  onGone: (() => void) | undefined
}

/** A history entry: its step, and the number of entries of this visit so far. */
interface Entry {
  step: Step
  depth: number
}

/**
 * Entries in the browser's history, in addition to the page's own: one for an overlay, and one for each step.
 */
export class StepHistory {
  private readonly parts: HistoryParts
  private step: Step

  constructor(parts: HistoryParts) {
    this.parts = parts
    const { trail, state } = parts.flow
    this.step = parts.hasSteps ? (trail[0] ?? state.step) : state.step
    const { entry } = this // exists after a reload
    if (parts.onGone && !entry) this.write(1, true)
    else if (parts.hasSteps || entry) this.write(entry?.depth ?? 0, false)
    for (const step of trail.slice(1)) this.follow(step)
    addEventListener('popstate', this.arrive)
  }

  /** Records the step of the flow if it has changed. */
  follow(step = this.parts.flow.state.step): void {
    const { hasSteps } = this.parts
    if (!hasSteps || step === this.step) return
    this.step = step
    // nothing leads back to the form of a completed booking
    const isNew = step !== 'done'
    this.write((this.entry?.depth ?? 0) + Number(isNew), isNew)
  }

  /** Keeps the visitor in the overlay. */
  comeBack(): void {
    this.write(1, true)
  }

  /** Goes back past the entries of a closed overlay. */
  leave(): void {
    const depth = this.entry?.depth ?? 0
    this.stop()
    if (depth > 0) history.go(-depth)
  }

  stop(): void {
    removeEventListener('popstate', this.arrive)
  }

  private readonly arrive = (): void => {
    const { flow, hasSteps, onGone } = this.parts
    const { entry } = this
    if (!entry) onGone?.()
    else if (hasSteps && entry.step !== flow.state.step) {
      const before = this.step
      this.step = entry.step // the following change creates no entry
      if (goTo(flow, entry.step)) return
      this.step = before
      this.write(entry.depth, false)
    }
  }

  private get entry(): Entry | undefined {
    return (history.state as Record<string, Entry> | null)?.[this.parts.key]
  }

  private write(depth: number, isNew: boolean): void {
    const entry: Entry = { step: this.step, depth }
    const state = { ...(history.state as object | null), [this.parts.key]: entry }
    if (isNew) history.pushState(state, '')
    else history.replaceState(state, '')
  }
}

/** Goes to a step that the visitor has seen. Returns true if it can be shown. */
export function goTo(flow: BookingFlow, step: Step): boolean {
  const { state, store, slots } = flow
  const { booking, busy, choice, held, wanted } = state
  if (busy === 'booking' || step === 'done') return false
  if (booking?.status === 'pending' && respondByMs(booking) === undefined) return false // its deposit is paid
  if (step === 'details') {
    if (!wanted || booking) return false
    slots.stop()
    const there = { ...store.state, step }
    store.replace(held ? { ...there, notice: null } : expired(there))
    return true
  }
  if (steps.indexOf(step) > steps.indexOf(nextStep(choice))) return false
  if (booking) store.replace({ ...startedAnew(state), choice, manageUrl: state.manageUrl })
  flow.goBack(step)
  return true
}

import type { BookingFlow } from '../flow/booking-flow.ts'
import type { FlowState } from '../flow/flow-state.ts'
import type { Slot } from '../flow/slots.ts'
import type { Language } from '../languages.ts'
import type { Formats } from '../times/formats.ts'

/** The later steps, from a separate file. */
export type LaterSteps = typeof import('./later-steps.tsx')

/** The visitor's actions on a month and its times, for booking and for moving a booking. */
export interface TimesFlow {
  showMonth(month: string): Promise<void>
  chooseDate(date: string): void
  chooseSlot(slot: Slot): Promise<void>
  setZone(zone: string): void
  goBack(step: 'time'): void
  holdAgain(): Promise<void>
}

/** The state shown by a month and its times. */
export type TimesState = Pick<
  FlowState,
  | 'step'
  | 'busy'
  | 'month'
  | 'date'
  | 'zone'
  | 'slots'
  | 'soonest'
  | 'wanted'
  | 'notice'
  | 'catalogue'
  | 'choice'
> &
  Partial<Pick<FlowState, 'first'>>

/** The props of the month and its times. */
export interface TimesView {
  flow: TimesFlow
  state: TimesState
  language: Language
  formats: Formats
  nowMs: () => number
}

/** The props of every view of the widget. */
export interface View extends TimesView {
  flow: BookingFlow
  state: FlowState
  /** The later steps, once loaded: before the first hold. */
  later: LaterSteps | undefined
}

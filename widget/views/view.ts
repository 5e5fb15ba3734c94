import type { BookingFlow } from '../flow/booking-flow.ts'
import type { FlowState } from '../flow/flow-state.ts'
import type { Language } from '../locales/languages.ts'
import type { Formats } from '../times/formats.ts'

/** The props of every view. */
export interface View {
  flow: BookingFlow
  state: FlowState
  language: Language
  formats: Formats
  nowMs: () => number
}

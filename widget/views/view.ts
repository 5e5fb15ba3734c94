import type { BookingFlow } from '../flow/booking-flow.ts'
import type { FlowState } from '../flow/flow-state.ts'
import type { Language } from '../locales/languages.ts'
import type { Formats } from '../times/formats.ts'

/** The steps of a file of their own. */
export type LaterSteps = typeof import('./later-steps.tsx')

/** The props of every view. */
export interface View {
  flow: BookingFlow
  state: FlowState
  language: Language
  formats: Formats
  nowMs: () => number
  /** Loads the steps that come later, and their styles. */
  loadLaterSteps: () => Promise<LaterSteps>
}

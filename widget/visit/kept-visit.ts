import type { Preset } from '../flow/choice-rules.ts'
import type { FlowState } from '../flow/flow-state.ts'
import type { Prefill } from '../flow/prefill.ts'

/** What outlives a reload: where the visitor was, and what they typed. */
export interface KeptVisit extends Partial<
  Pick<FlowState, 'choice' | 'party' | 'month' | 'wanted' | 'draft'>
> {
  step?: FlowState['step']
  /** What the page has filled in, as it was. */
  prefilled?: Prefill
  /** Until when the slot was held, in milliseconds by the clock of this device; 0 for not at all. */
  heldUntilMs?: number
}

/** Reads what was kept for this tab; with another preselection, only what was typed. */
export function readVisit(key: string, preset: Preset): KeptVisit {
  try {
    const { of, visit } = JSON.parse(sessionStorage.getItem(key) ?? '') as { of: Preset; visit: KeptVisit }
    if (JSON.stringify(of) === JSON.stringify(preset)) return visit
    const { draft, prefilled } = visit
    return draft ? { draft, ...(prefilled && { prefilled }) } : {}
  } catch {
    return {} // nothing kept, or storage is disabled
  }
}

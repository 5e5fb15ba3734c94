import type { Preset } from '../flow/choice-rules.ts'
import type { FlowState } from '../flow/flow-state.ts'
import type { Prefill } from '../flow/prefill.ts'

/** The part of a visit that survives a reload: the visitor's position and input. */
export interface KeptVisit extends Partial<
  Pick<FlowState, 'choice' | 'party' | 'month' | 'wanted' | 'draft'>
> {
  step?: FlowState['step']
  /** The values that the page had prefilled. */
  prefilled?: Prefill
  /** Expiry of the hold, in milliseconds by the clock of this device; 0 without a hold. */
  heldUntilMs?: number
  /** The time of the link that was followed last. */
  linked?: string | null
}

/** Reads the stored visit of this tab. With another preselection, keeps only the input. */
export function readVisit(key: string, preset: Preset): KeptVisit {
  try {
    const { of, visit } = JSON.parse(sessionStorage.getItem(key) ?? '') as { of: Preset; visit: KeptVisit }
    if (JSON.stringify(of) === JSON.stringify(preset)) return visit
    const { draft, prefilled } = visit
    return draft ? { draft, ...(prefilled && { prefilled }) } : {}
  } catch {
    return {} // nothing is stored, or storage is disabled
  }
}

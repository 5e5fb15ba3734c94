import type { PlanName } from '../database/tables.ts'

/** From the lowest to the highest. */
export const planNames = ['growth', 'pro', 'enterprise'] as const satisfies readonly PlanName[]

/** The plan in effect for a business: the higher of its own and its hub's. */
export function effectivePlan(own: PlanName, ofHub: PlanName | null): PlanName {
  if (!ofHub) return own
  return planNames.indexOf(ofHub) > planNames.indexOf(own) ? ofHub : own
}

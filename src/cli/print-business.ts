import { effectivePlan } from '../access/plans.ts'
import { networksIn } from '../catalogue/business-rules.ts'
import type { showBusiness } from '../catalogue/manage-businesses.ts'
import { print } from './run-command.ts'
import { tableLines } from './table.ts'

type Business = Awaited<ReturnType<typeof showBusiness>>

/** A business as `--json` gives it: in a hub, the plan in effect may be the hub's. */
export function presentBusiness({ trusted_networks_json, ...business }: Business) {
  const trusted_networks = networksIn(trusted_networks_json)
  return { ...business, trusted_networks, plan_in_effect: effectivePlan(business.plan, business.hub_plan) }
}

/** Prints one business: a line for each thing that can be changed, or data with `--json`. */
export function printBusiness(business: Business, json: boolean | undefined): void {
  const shown = presentBusiness(business)
  print(shown, { json, lines: () => businessLines(shown) })
}

function businessLines(business: ReturnType<typeof presentBusiness>): string[] {
  const { plan, plan_in_effect: inEffect } = business
  const hub = business.hub_id === null ? '' : `${business.hub_name ?? ''} (${business.hub_id})`
  return tableLines(
    ['BUSINESS', business.id],
    [
      ['name', business.name],
      ['plan', inEffect === plan ? plan : `${plan}, in effect ${inEffect} by its hub`],
      ['time zone', business.timezone],
      ['hub', hub],
      ['brand name', business.brand_name ?? ''],
      ['brand colour', business.brand_color ?? ''],
      ['brand logo', business.brand_logo_url ?? ''],
      ['requests a minute', limitOf(business.limit_per_minute)],
      ['requests an hour', limitOf(business.limit_per_hour)],
      ['bookings for one client', String(business.max_bookings_per_client ?? 'any number')],
      ['trusted networks', business.trusted_networks.join(', ')],
    ],
  )
}

function limitOf(own: number | null): string {
  return own === null ? 'as its plan has it' : `${own} for each key`
}

import type { Command } from 'commander'
import { effectivePlan } from '../access/plans.ts'
import type { BusinessRow } from '../catalogue/business-queries.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { print, withDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

/** `holdfast business show`: shows one business. */
export function addBusinessShow(business: Command): void {
  business
    .command('show <id>')
    .description('show one business')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast business show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const shown = await withDatabase((context) => showBusiness(context, id))
      print(shown, { json, lines: () => businessLines(shown) })
    })
}

/** One business for people, a line for each thing that can be changed. */
export function businessLines(business: BusinessRow): string[] {
  const inEffect = effectivePlan(business.plan, business.hub_plan)
  const hub = business.hub_id === null ? '' : `${business.hub_name ?? ''} (${business.hub_id})`
  return tableLines(
    ['BUSINESS', business.id],
    [
      ['name', business.name],
      ['plan', inEffect === business.plan ? inEffect : `${business.plan}, in effect ${inEffect} by its hub`],
      ['time zone', business.timezone],
      ['hub', hub],
      ['brand name', business.brand_name ?? ''],
      ['brand colour', business.brand_color ?? ''],
      ['brand logo', business.brand_logo_url ?? ''],
    ],
  )
}

import type { Command } from 'commander'
import { listBusinesses } from '../catalogue/manage-businesses.ts'
import { presentBusiness } from './print-business.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

/** `holdfast business list`: shows the businesses. */
export function addBusinessList(business: Command): void {
  business
    .command('list')
    .description('show the businesses, with the plan that is in effect')
    .option('--hub <id>', 'only those of this hub')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast business list --hub 0198…')
    .action(async ({ hub, json }: { hub?: string; json?: boolean }) => {
      const rows = await withExistingDatabase((context) => listBusinesses(context, hub))
      const businesses = rows.map(presentBusiness)
      print(businesses, {
        json,
        lines: () =>
          tableLines(
            ['ID', 'NAME', 'PLAN', 'TIME ZONE', 'HUB'],
            businesses.map((row) => [row.id, row.name, row.plan_in_effect, row.timezone, row.hub_name ?? '']),
          ),
      })
    })
}

import type { Command } from 'commander'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { printBusiness } from './print-business.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast business show`: shows one business. */
export function addBusinessShow(business: Command): void {
  business
    .command('show <id>')
    .description('show one business')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast business show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      printBusiness(await withExistingDatabase((context) => showBusiness(context, id)), json)
    })
}

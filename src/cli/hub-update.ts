import { Option, type Command } from 'commander'
import { planNames } from '../access/plans.ts'
import { changeHub } from '../catalogue/manage-businesses.ts'
import type { PlanName } from '../database/tables.ts'
import { UsageError } from '../errors.ts'
import { print, withExistingDatabase } from './run-command.ts'

/** `holdfast hub update`: changes a hub's name or plan. */
export function addHubUpdate(hub: Command): void {
  hub
    .command('update <id>')
    .description('change a hub; a plan takes effect within five seconds, also on running servers')
    .option('--name <name>', 'its new name')
    .addOption(new Option('--plan <plan>', 'its new plan').choices(planNames))
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast hub update 0198… --plan growth')
    .action(async (id: string, options: { name?: string; plan?: PlanName; json?: boolean }) => {
      const { json, ...changes } = options
      if (Object.keys(changes).length === 0) throw new UsageError('Nothing to change: give --name or --plan.')
      const changed = await withExistingDatabase((context) => changeHub(context, id, changes))
      print(changed, { json, lines: () => [`hub ${changed.id}  ${changed.name}  (${changed.plan})`] })
    })
}

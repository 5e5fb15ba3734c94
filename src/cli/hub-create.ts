import { Option, type Command } from 'commander'
import { planNames } from '../access/plans.ts'
import { createHub } from '../catalogue/create-business.ts'
import type { PlanName } from '../database/tables.ts'
import { print, withDatabase } from './run-command.ts'

/** `holdfast hub create`: makes a hub. */
export function addHubCreate(hub: Command): void {
  hub
    .command('create <name>')
    .description('make a hub')
    .addOption(new Option('--plan <plan>', 'its plan').choices(planNames).default('enterprise'))
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast hub create "Salons of Europe"')
    .action(async (name: string, { plan, json }: { plan: PlanName; json?: boolean }) => {
      const created = await withDatabase((context) => createHub(context, { name, plan }))
      print(created, { json, lines: () => [`hub ${created.id}  ${created.name}  (${created.plan})`] })
    })
}

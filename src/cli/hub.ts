import { Option } from 'commander'
import { planNames } from '../access/actor.ts'
import { changeHub, createHub, listHubs } from '../catalogue/business.ts'
import type { PlanName } from '../database/tables.ts'
import { type CliCommand, print, printTable, withDatabase, withExistingDatabase } from './command-line.ts'
import { readName } from './business-options.ts'
import { assertChanges, given } from './input.ts'

export function registerHubCommands(program: CliCommand): void {
  const group = program.group('hub', 'manage hubs: platforms with many businesses', 'list')
  registerCreate(group)
  registerList(group)
  registerUpdate(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create <name>')
    .description('create a hub')
    .addOption(new Option('--plan <plan>', 'plan').choices(planNames).default('enterprise'))
    .withJson()
    .examples('hub create "Salons of Europe"')
    .action(async (name: string, { plan, json }: { plan: PlanName; json?: boolean }) => {
      const created = await withDatabase((context) => createHub(context, { name: readName(name), plan }))
      print(created, json, () => [`hub ${created.id}  ${created.name}  (${created.plan})`])
    })
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list hubs')
    .withJson()
    .examples('hub list')
    .action(async ({ json }: { json?: boolean }) => {
      const hubs = await withExistingDatabase(listHubs)
      printTable(hubs, json, {
        title: 'All hubs:',
        columns: { ID: ({ id }) => id, NAME: ({ name }) => name, PLAN: ({ plan }) => plan },
      })
    })
}

function registerUpdate(group: CliCommand): void {
  group
    .command('update <hub>')
    .description('change a hub; running servers apply a new plan within five seconds')
    .option('--name <name>', 'new name')
    .addOption(new Option('--plan <plan>', 'new plan').choices(planNames))
    .withJson()
    .examples('hub update "Salons of Europe" --plan growth')
    .action(async (id: string, options: { name?: string; plan?: PlanName; json?: boolean }) => {
      const { json, name, plan } = options
      const changes = given({ name: name === undefined ? undefined : readName(name), plan })
      assertChanges(changes, '--name or --plan')
      const changed = await withExistingDatabase((context) => changeHub(context, id, changes))
      print(changed, json, () => [`hub ${changed.id}  ${changed.name}  (${changed.plan})`])
    })
}

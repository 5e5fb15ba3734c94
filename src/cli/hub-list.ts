import type { Command } from 'commander'
import { listHubs } from '../catalogue/manage-businesses.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

/** `holdfast hub list`: shows the hubs. */
export function addHubList(hub: Command): void {
  hub
    .command('list')
    .description('show the hubs')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast hub list')
    .action(async ({ json }: { json?: boolean }) => {
      const hubs = await withExistingDatabase((context) => listHubs(context))
      print(hubs, {
        json,
        lines: () =>
          tableLines(
            ['ID', 'NAME', 'PLAN'],
            hubs.map(({ id, name, plan }) => [id, name, plan]),
          ),
      })
    })
}

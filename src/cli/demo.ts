import type { Command } from 'commander'
import { makeDemoWorld, type DemoWorld } from '../catalogue/make-demo-world.ts'
import { UsageError } from '../errors.ts'
import { print, withDatabase } from './run-command.ts'

/** `holdfast demo`: adds a world to try things in, and issues new keys for it each time. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('add a hub and four businesses to try things with, and print new keys for them')
    .option('--json', 'print data instead of text')
    .option('--yes', 'also in production')
    .addHelpText('after', '\nExample:\n  $ holdfast demo --json > demo.json')
    .action(async ({ json, yes }: { json?: boolean; yes?: boolean }) => {
      const world = await withDatabase((context) => {
        if (context.config.environment === 'production' && !yes) {
          throw new UsageError('NODE_ENV is production: add --yes to put demo businesses into this database.')
        }
        return makeDemoWorld(context)
      })
      print(world, { json, lines: () => demoLines(world) })
    })
}

/** The keys of the demo world, for people. */
export function demoLines({ hub, businesses }: DemoWorld): string[] {
  return [
    `${hub.name} (${hub.plan})`,
    `  hub key          ${hub.key}`,
    ...businesses.flatMap((business) => [
      `${business.name} (${business.plan}, ${business.timezone}${business.hub_id ? ', in the hub' : ''})`,
      `  business key     ${business.business_key}`,
      `  publishable key  ${business.publishable_key}`,
    ]),
  ]
}

import type { Command } from 'commander'
import { openContext, print } from './run-command.ts'

/** `holdfast migrate`: brings the schema up to date and does nothing else. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database up to date; the server does the same when it starts')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://localhost/holdfast holdfast migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const context = await openContext()
      try {
        const ran = await context.db.migrate()
        print(
          { ran },
          { json, lines: () => (ran.length > 0 ? ran.map((name) => `ran ${name}`) : ['up to date']) },
        )
      } finally {
        await context.db.close()
      }
    })
}

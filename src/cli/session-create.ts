import type { Command } from 'commander'
import { createSession } from '../access/create-session.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { print, withExistingDatabase } from './run-command.ts'

/** `holdfast session create`: a session token, for trying things out. */
export function addSessionCreate(session: Command): void {
  session
    .command('create')
    .description('make a session token, as a widget gets it for a publishable key; for trying things out')
    .requiredOption('--business <id>', 'the business that it acts for')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ TOKEN=$(holdfast session create --business 0198…)')
    .action(async ({ business, json }: { business: string; json?: boolean }) => {
      const session = await withExistingDatabase(async (context) =>
        createSession(context, (await showBusiness(context, business)).id),
      )
      // the bare token, so that a shell can take it
      print(session, { json, lines: () => [session.session_token] })
    })
}

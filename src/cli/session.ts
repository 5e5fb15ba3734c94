import { createSession } from '../access/session.ts'
import { showBusiness } from '../catalogue/business.ts'
import { type CliCommand, print, withExistingDatabase } from './command-line.ts'

export function registerSessionCommands(program: CliCommand): void {
  program
    .group('session', 'create session tokens', 'create --business "Salon Spree"')
    .command('create')
    .description('create a session token, as the widget does with a publishable key')
    .requiredOption('--business <name or id>', 'the business')
    .withJson()
    .examples('session create --business "Salon Spree"')
    .action(async ({ business, json }: { business: string; json?: boolean }) => {
      const session = await withExistingDatabase(async (context) =>
        createSession(context, (await showBusiness(context, business)).id),
      )
      // prints the bare token for use in TOKEN=$(holdfast session create …)
      print(session, json, () => [session.session_token])
    })
}

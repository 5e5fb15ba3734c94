import { refuseUnfinishedSchema } from '../database/expected-schema.ts'
import { type CliCommand, openContext, print } from './command-line.ts'

/** `holdfast migrate` */
export function registerMigrate(program: CliCommand): void {
  program
    .command('migrate')
    .description('bring the database up to date, as the server does when it starts')
    .withJson()
    .examples('migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const context = await openContext()
      try {
        const ran = await context.db.migrate()
        await refuseUnfinishedSchema(context.db)
        print({ ran }, json, () => (ran.length > 0 ? ran.map((name) => `ran ${name}`) : ['up to date']))
      } finally {
        await context.db.close()
      }
    })
}

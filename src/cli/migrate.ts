import { refuseUnfinishedSchema } from '../database/expected-schema.ts'
import { restoreOverlapRules } from '../database/overlap-constraints.ts'
import { type CliCommand, openContext, print } from './command-line.ts'

export function registerMigrate(program: CliCommand): void {
  program
    .command('migrate')
    .description(
      'migrate the database, as the server does at startup; restores missing rules against double booking',
    )
    .withJson()
    .examples('migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const context = await openContext()
      try {
        let restored: string[] = []
        const ran = await context.db.migrate(async (db) => {
          restored = await restoreOverlapRules(db, context.clock.now())
        })
        await refuseUnfinishedSchema(context.db)
        const done = [...ran.map((name) => `ran ${name}`), ...restored.map((name) => `made ${name} again`)]
        print({ ran, restored }, json, () => (done.length > 0 ? done : ['up to date']))
      } finally {
        await context.db.close()
      }
    })
}

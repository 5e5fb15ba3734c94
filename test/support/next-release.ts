import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyDirectory, project } from './holdfast-process.ts'

/** The next release's additions to the schema, within the rules of a rolling upgrade: nothing existing changes. */
const migration = `
import type { Kysely } from 'kysely'

export async function nextRelease(db: Kysely<any>): Promise<void> {
  for (const table of ['services', 'bookings', 'claims', 'events', 'webhooks']) {
    await db.schema.alterTable(table).addColumn('of_next_release', 'integer', (c) => c.notNull().defaultTo(0)).execute()
  }
  await db.schema.createTable('next_things').addColumn('id', 'text', (c) => c.primaryKey()).execute()
}
`

/** Creates a copy of the sources with one more migration. Returns the path of its program. */
export function makeNextRelease(): string {
  const directory = emptyDirectory()
  for (const part of ['src', 'texts', 'package.json', 'widget/dist']) {
    cpSync(join(project, part), join(directory, part), { recursive: true })
  }
  symlinkSync(join(project, 'node_modules'), join(directory, 'node_modules'))
  writeFileSync(join(directory, 'src/database/migrations/9999-next-release.ts'), migration)
  const list = join(directory, 'src/database/migrate.ts')
  const text = readFileSync(list, 'utf8')
  const end = text.indexOf('\n}\n', text.indexOf('const migrations'))
  if (end < 0) throw new Error('src/database/migrate.ts is not as expected')
  writeFileSync(
    list,
    `import { nextRelease } from './migrations/9999-next-release.ts'\n${text.slice(0, end)}\n  '9999-next-release': nextRelease,${text.slice(end)}`,
  )
  return join(directory, 'src/main.ts')
}

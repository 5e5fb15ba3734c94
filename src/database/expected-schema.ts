import { OperatorError } from '../base/errors.ts'
import type { Database, Reads } from './database.ts'
import { migratedInMemory } from './sqlite.ts'

/**
 * Throws an OperatorError if tables or columns are missing that the migrations of this release create. A development
 * version may have run an unfinished migration under the same name. Its database looks up to date and would fail later.
 * Takes about 20 ms, so some commands skip it.
 */
export async function refuseUnfinishedSchema(db: Database): Promise<void> {
  const missing = await missingColumns(db)
  if (missing.length === 0) return
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
  throw new OperatorError(
    `DATABASE_URL: the database was made by an unreleased version of Holdfast: its migrations have run, but it lacks ${missing.slice(0, 3).join(', ')}${more}.`,
    { fix: 'Use it with the version that made it, restore a backup, or begin with an empty database.' },
  )
}

/**
 * Returns columns that the migrations of this release create but a migrated database lacks, such as `bookings.version`.
 */
export async function missingColumns({ reads }: Pick<Database, 'reads'>): Promise<string[]> {
  const expected = await migratedInMemory(columnsOf) // both engines use the same column names
  const found = new Set(await columnsOf(reads))
  return expected.filter((column) => !found.has(column))
}

async function columnsOf({ introspection }: Reads): Promise<string[]> {
  const tables = (await introspection.getTables()).filter(({ name }) => !isIndexTable(name))
  return tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
}

/** Recognises the tables of SQLite's index over `client_texts`. PostgreSQL has no such tables. */
function isIndexTable(name: string): boolean {
  return name.startsWith('client_texts_')
}

import { OperatorError } from '../base/errors.ts'
import type { Database, Reads } from './database.ts'
import { migratedInMemory } from './sqlite.ts'

/**
 * Throws an OperatorError if tables or columns are missing that the migrations of this release make. A version between two
 * releases may have run a migration of the same name before it was finished: its database looks up to date, and would fail
 * later. Takes some 20 ms, so not every command asks.
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

/** Columns that the migrations of this release make and a migrated database lacks, such as `bookings.version`. */
export async function missingColumns({ reads }: Pick<Database, 'reads'>): Promise<string[]> {
  const expected = await migratedInMemory(columnsOf) // both engines give their columns the same names
  const found = new Set(await columnsOf(reads))
  return expected.filter((column) => !found.has(column))
}

async function columnsOf({ introspection }: Reads): Promise<string[]> {
  const tables = (await introspection.getTables()).filter(({ name }) => !isIndexTable(name))
  return tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
}

/** Whether a table is part of SQLite's index of `client_texts`, which PostgreSQL has no table for. */
function isIndexTable(name: string): boolean {
  return name.startsWith('client_texts_')
}

import pg from 'pg'
import { UsageError } from '../base/errors.ts'

/* Reads tables of another program's database, as of one moment, and changes nothing there. */

/** A row as JSON shows it. */
export type ForeignRow = Readonly<Record<string, unknown>>

interface ForeignTable {
  name: string
  /** True if older releases of the program do not have it. */
  isOptional?: boolean
}

const maxRows = 200_000
const connectMs = 10_000
const statementMs = 120_000

/**
 * Reads all rows of some tables. `secrets` are columns that stay there. Throws a UsageError if the database cannot be read,
 * without its password.
 */
export async function readForeignTables(
  url: string,
  { tables, secrets }: { tables: readonly ForeignTable[]; secrets: readonly string[] },
): Promise<Map<string, ForeignRow[]>> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
  })
  client.on('error', () => undefined) // the statement under way fails
  const read = new Map<string, ForeignRow[]>()
  try {
    await client.connect()
    await client.query('begin transaction isolation level repeatable read read only')
    for (const { name, isOptional = false } of tables) {
      const quoted = client.escapeIdentifier(name)
      const known = await client.query<{ is_there: boolean }>(
        'select to_regclass($1) is not null as is_there',
        [quoted],
      )
      if (!known.rows[0]?.is_there) {
        if (isOptional) continue
        throw new UsageError(`The database has no table ${name}: it is not one of this system.`)
      }
      const { rows } = await client.query<{ row: ForeignRow }>(
        `select to_jsonb(t) - $1::text[] as row from ${quoted} as t limit ${maxRows + 1}`,
        [secrets],
      )
      if (rows.length > maxRows) throw new UsageError(`The table ${name} has more than ${maxRows} rows.`)
      read.set(
        name,
        rows.map(({ row }) => row),
      )
    }
    return read
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `The database cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

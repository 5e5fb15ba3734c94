import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Runs one statement on a database of either engine, bypassing the program. */
export async function changeDirectly(databaseUrl: string, statement: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 60_000 })
    file.exec(statement)
    file.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}

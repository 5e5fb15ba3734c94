import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Runs statements on a database of either engine, bypassing the program, to create rows that the program would not. */
export async function execute(databaseUrl: string, statements: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 60_000 })
    file.exec(statements)
    file.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}

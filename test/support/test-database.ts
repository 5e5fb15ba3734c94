import pg from 'pg'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Engine } from '../../src/database/database.ts'

/** An empty database of a test's own. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  drop(): Promise<void>
}

let counter = 0

export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === 'sqlite' ? sqliteFile() : postgresDatabase()
}

function sqliteFile(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  return {
    url: `sqlite:${join(directory, 'test.db')}`,
    drop: () => {
      rmSync(directory, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

/** The global setup drops those that a killed run left: their name carries its process id. */
async function postgresDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl')
  if (adminUrl === null) throw new Error('there is no PostgreSQL; the suite should not run')
  counter += 1
  const name = `holdfast_test_${process.pid}_${counter}`
  await asAdmin(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`) }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

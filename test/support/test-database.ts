import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Engine } from '../../src/database/database.ts'
import { asAdmin } from './postgres-admin.ts'

/** An empty database for one test. */
export interface TestDatabase {
  /** For DATABASE_URL. */
  url: string
  drop(): Promise<void>
}

let counter = 0

export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === 'sqlite' ? sqliteFile() : postgresDatabase()
}

/** Creates one with the whole schema, for tests that are not about migrations. */
export async function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  const { sqlite, postgres } = inject('templates')
  return engine === 'sqlite' ? sqliteFile(sqlite) : postgresDatabase(postgres ?? undefined)
}

function sqliteFile(template?: string): TestDatabase {
  const directory = mkdtempSync(join(inject('filesDirectory'), 'test-'))
  const file = join(directory, 'test.db')
  if (template !== undefined) copyFileSync(template, file)
  return {
    url: `sqlite:${file}`,
    drop: () => {
      rmSync(directory, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

/** The global setup drops those of a killed run, because their names contain its process ID. */
async function postgresDatabase(template = 'template1'): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl')
  if (adminUrl === null) throw new Error('there is no PostgreSQL; the suite should not run')
  counter += 1
  const name = `holdfast_test_${process.pid}_${counter}`
  await asAdmin(adminUrl, `create database ${name} template ${template}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`) }
}

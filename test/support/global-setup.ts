import type { TestProject } from 'vitest/node'
import { makeServer } from '../../packaging/server-build.ts'
import { makeWidget } from '../../widget/build.ts'
import { makeFilesDirectory } from './files-directory.ts'
import { haproxyProgram } from './haproxy-program.ts'
import { makeTemplates, type MigratedTemplates } from './migrated-templates.ts'
import { asAdmin } from './postgres-admin.ts'
import { dropLeftoverDatabases, findPostgres, waysOfTests, type PostgresServer } from './postgres-server.ts'
import { findRedis } from './redis-server.ts'
import { printRepeats } from './repeats.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests create databases named holdfast_test_<pid>_<n>. Null if this machine has none. */
    postgresUrl: string | null
    /** A server in which tests create keys with individual prefixes. Null if this machine has none. */
    redisUrl: string | null
    /** The directory for SQLite databases of tests. Removed after the run. */
    filesDirectory: string
    templates: MigratedTemplates
    /** The load balancer for tests of several servers. Null if this machine has none. */
    haproxy: string | null
  }
}

const WARNING = `
************************************************************************************
*** NO POSTGRESQL: everything that runs on PostgreSQL is NOT TESTED in this run.
***
*** Any one of these will do:
***   - name a server whose user may create databases in TEST_DATABASE_URL
***   - let one answer at postgres://postgres@127.0.0.1:5432/postgres
***   - install PostgreSQL (on Debian: apt-get install postgresql)
***   - run npm ci without --omit=optional, which brings a server for the tests
************************************************************************************
`

const REDIS_WARNING = `
************************************************************************************
*** NO REDIS: rate limits in Redis are NOT TESTED in this run.
***
*** Any one of these will do:
***   - name a server in TEST_REDIS_URL
***   - let one answer at redis://127.0.0.1:6379
***   - install Redis (on Debian: apt-get install redis-server)
************************************************************************************
`

const HAPROXY_WARNING = `
************************************************************************************
*** NO HAPROXY: several servers behind a load balancer are NOT TESTED in this run.
***
*** Install it (on Debian: apt-get install haproxy).
************************************************************************************
`

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await makeWidget() // servers in tests serve it
  await makeServer() // and run it in separate processes
  const files = makeFilesDirectory()
  project.provide('filesDirectory', files.path)
  const postgres = await providePostgres(project)
  const templates = await makeTemplates(files.path, postgres?.url ?? null)
  project.provide('templates', templates)
  const stopRedis = await provideRedis(project)
  project.provide('haproxy', haproxyProgram())
  if (haproxyProgram() === null) missing(HAPROXY_WARNING)
  return async () => {
    printRepeats(files.path)
    if (postgres) await asAdmin(postgres.url, `drop database ${templates.postgres ?? ''}`)
    await postgres?.stop()
    await stopRedis()
    files.remove()
  }
}

async function providePostgres(project: TestProject): Promise<PostgresServer | null> {
  const server = await findPostgres(process.env, waysOfTests)
  project.provide('postgresUrl', server?.url ?? null)
  if (!server) {
    missing(WARNING)
    return null
  }
  console.log(`PostgreSQL for the tests: ${server.origin}`)
  await dropLeftoverDatabases(server.url)
  return server
}

async function provideRedis(project: TestProject): Promise<() => Promise<void>> {
  const server = await findRedis(process.env)
  project.provide('redisUrl', server?.url ?? null)
  if (!server) {
    missing(REDIS_WARNING)
    return () => Promise.resolve()
  }
  console.log(`Redis for the tests: ${server.origin}`)
  return () => server.stop()
}

/** Fails if nobody reads the output, because a run that skipped promises must not look complete. */
function missing(warning: string): void {
  if (process.env['CI'] && process.env['CI'] !== 'false') throw new Error(warning)
  console.warn(warning)
}

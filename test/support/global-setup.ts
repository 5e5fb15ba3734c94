import type { TestProject } from 'vitest/node'
import { dropLeftoverDatabases, findPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests make databases named holdfast_test_<pid>_<n>; null when this machine has none. */
    postgresUrl: string | null
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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findPostgres(process.env)
  if (!server) {
    // Where nobody reads the output, a run that skipped half its promises must not look like one that kept them.
    if (process.env['CI'] && process.env['CI'] !== 'false') throw new Error(WARNING)
    console.warn(WARNING)
    project.provide('postgresUrl', null)
    return () => Promise.resolve()
  }
  console.log(`PostgreSQL for the tests: ${server.origin}`)
  await dropLeftoverDatabases(server.url)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

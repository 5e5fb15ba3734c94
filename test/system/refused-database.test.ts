/** @module-tag long */
import { describe, expect, inject, test } from 'vitest'
import { emptyDirectory, runHoldfast } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'
import { startOwnPostgres } from '../support/postgres-server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { engines } from '../support/test-service.ts'

/** Starts a server that must refuse the database. Returns its output. */
async function refusalOf(url: string): Promise<string> {
  const ran = await runHoldfast(['serve'], { variables: { DATABASE_URL: url, PORT: '0' } })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).not.toContain('    at ')
  return ran.stderr
}

const password = 'very%20secret'

test('a server that is not there is told with the variable and without its password', async () => {
  const said = await refusalOf(`postgres://ada:${password}@127.0.0.1:1/appointments`)
  expect(said).toMatch(
    /^holdfast: DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:1\/appointments \(.*ECONNREFUSED/,
  )
  expect(said).not.toMatch(/very|secret/)
})

longTest('a name that no server has is told as such', async () => {
  const said = await refusalOf(`postgres://ada:${password}@nowhere.invalid/appointments`)
  expect(said).toMatch(
    /^holdfast: DATABASE_URL: no PostgreSQL answers at nowhere\.invalid\/appointments \(.*nowhere\.invalid/,
  )
  expect(said).not.toMatch(/very|secret/)
})

describe.runIf(engines.includes('postgres'))('with a PostgreSQL server', () => {
  const given = () => inject('postgresUrl') ?? ''

  test('a database that does not exist is told by its name', async () => {
    const url = new URL(given())
    url.pathname = '/holdfast_is_not_here'
    expect(await refusalOf(url.href)).toMatch(/"holdfast_is_not_here" does not exist/)
  })

  longTest('one that accepts connections and says nothing is given up soon', async () => {
    const proxy = await startProxy(given())
    proxy.set('hang')
    expect(await refusalOf(proxy.url)).toMatch(
      /^holdfast: DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+/,
    )
    await proxy.close()
  })

  longTest.each(['fsync', 'full_page_writes'])(
    'one with %s=off is refused, because it could lose what was acknowledged',
    async (setting) => {
      const server = await startOwnPostgres({ [setting]: 'off' })
      if (!server) {
        console.warn(`*** NOT TESTED: no PostgreSQL here can be started with ${setting}=off`)
        return
      }
      try {
        const said = await refusalOf(server.url)
        expect(said).toContain(`runs with ${setting}=off`)
        expect(said).toContain(`Set ${setting}=on`)
        expect(said).not.toContain(new URL(server.url).password)
      } finally {
        await server.stop()
      }
    },
  )
})

test('a file that is no database is told with the variable', async () => {
  const directory = emptyDirectory()
  const { writeFileSync } = await import('node:fs')
  writeFileSync(`${directory}/notes.txt`, 'this is a text of more than a hundred bytes. '.repeat(20))
  expect(await refusalOf(`sqlite:${directory}/notes.txt`)).toMatch(
    /^holdfast: DATABASE_URL: the SQLite file .*notes\.txt cannot be opened \(file is not a database\)/,
  )
})

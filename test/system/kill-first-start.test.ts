/** @module-tag long */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { findErrors, readRows } from '../support/checker.ts'
import { builtServer, startHoldfast } from '../support/holdfast-process.ts'
import { isLong, isWhole, onOneEngine } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'

const dieAtStatement = pathToFileURL(join(import.meta.dirname, '../support/die-at-statement.ts')).href
/** Each is a separate process: all of them, or some of the first and later ones. */
const statements = isWhole
  ? Array.from({ length: 300 }, (_, index) => index + 1)
  : isLong
    ? [1, 9, 20, 45]
    : [4, 45]

onOneEngine('sqlite', 'a server that is killed during its very first start', (engine) => {
  test('starts well the next time, with the whole schema and demo world', { timeout: 600_000 }, async () => {
    const database = await createTestDatabase(engine)
    let killed = 0
    for (const statement of statements) {
      const variables = {
        DATABASE_URL: database.url,
        PORT: '0',
        DIE_AT: String(statement),
        LOG_LEVEL: 'warn',
      }
      const server = startHoldfast(['serve'], {
        ...{ variables, preloads: [dieAtStatement], program: builtServer },
      })
      const ending = await Promise.race([server.ended, server.says(/^Holdfast serves/m)])
      if (!('signal' in ending)) {
        server.signal('SIGKILL') // with fewer statements, this is a first start without a death
        await server.ended
        break
      }
      expect(ending).toEqual({ code: null, signal: 'SIGKILL' })
      killed += 1
    }
    expect(killed).toBeGreaterThan(isLong ? 2 : 1)
    const server = await startServer(database.url, { NODE_ENV: 'development' })
    expect(await readRows(database.url, 'select id from businesses')).toHaveLength(4)
    expect(await findErrors(database.url)).toEqual([])
    expect(await server.stop()).toEqual({ code: 0, signal: null })
    await database.drop()
  })
})

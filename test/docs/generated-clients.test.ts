import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { demoWorld, project } from '../support/holdfast-process.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'
import { blocksOf, documentAt } from './documents.ts'

const modules = join(project, 'node_modules')

// the document is the same on both engines
onOneEngine('sqlite', 'a client that is made from the document of a running server', (engine) => {
  let directory: string
  let database: TestDatabase
  let server: ServerProcess
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'holdfast-generated-'))
    database = await createTestDatabase(engine)
    const { publishable_key, business_key } = businessOf(await demoWorld(database.url), 'Salon Spree')
    server = await startServer(database.url)
    const [block] = blocksOf(documentAt('docs/guides/generated-clients.md'))
    const program = (block?.text ?? '')
      .replace('http://127.0.0.1:3000', server.address)
      .replace('cal_pub_…', publishable_key)
      .replace('cal_biz_…', business_key)
    mkdirSync(join(directory, 'node_modules'))
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(modules, name), join(directory, 'node_modules', name))
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(directory, 'book.ts'), program)
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
    rmSync(directory, { recursive: true })
  })

  /** Runs a program of the package. Returns its output if it fails. */
  function run(file: string, ...options: string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...options], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
    return stdout
  }

  longTest('by openapi-typescript has the program of the guide compile, book and change', () => {
    const address = `${server.address}/openapi.json`
    run(join(modules, 'openapi-typescript/bin/cli.js'), address, '-o', 'holdfast.d.ts')
    const strict = [
      '--strict',
      '--noEmit',
      '--target',
      'es2023',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
    ]
    const resolved = [
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--lib',
      'es2023,dom,dom.iterable',
    ]
    run(join(modules, 'typescript/bin/tsc'), ...strict, ...resolved, 'book.ts')
    expect(run('book.ts')).toBe('confirmed: Please ring twice.\n')
  })
})

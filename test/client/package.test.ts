import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeClient } from '../../client/build.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { businessOf } from '../support/test-service.ts'

const project = resolve(import.meta.dirname, '../..')
const compiler = join(project, 'node_modules/typescript/bin/tsc')

/** The compiler reads all of the API's types, twice. */
const patient = { timeout: 120_000 }

let directory: string
beforeAll(async () => {
  await makeClient()
  directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
}, patient.timeout)
afterAll(() => {
  rmSync(directory, { recursive: true })
})

/** The text of every file below a directory. */
function filesIn(root: string): Record<string, string> {
  const names = globSync('**/*.*', { cwd: root }).toSorted()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

/** A directory in which the package is installed as npm does it: files below node_modules, and what they need. */
function installed(): string {
  const root = mkdtempSync(join(directory, 'installed-'))
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { files: string[] }
  for (const path of ['package.json', ...manifest.files.filter((file) => file.startsWith('client'))]) {
    const target = join(root, 'node_modules/holdfast', path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(project, path), target, { recursive: true })
  }
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types', 'undici-types']) {
    symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name))
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module' }))
  return root
}

describe('the installed package', () => {
  const [block] = blocksOf(documentAt('docs/guides/client.md')).filter(({ mark }) => mark === 'typed client')
  const example = block?.text ?? ''
  const exampleFor = (address: string, key: string) =>
    example.replace("'http://127.0.0.1:3000'", `'${address}'`).replace("'cal_pub_…'", `'${key}'`)

  /** Compiles files as strictly as can be, and gives what the compiler says. */
  const compile = (root: string, ...args: string[]) => {
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const command = [compiler, ...options, '--exactOptionalPropertyTypes', ...args]
    return spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' }).stdout.trim()
  }

  test('has the example of the guide compile, and finds a name that no hold has', patient, () => {
    const root = installed()
    writeFileSync(join(root, 'example.ts'), example)
    writeFileSync(join(root, 'wrong.ts'), example.replace('hold_id: hold.hold_id', 'hold_id: hold.id'))
    const said = compile(root, '--skipLibCheck', 'example.ts', 'wrong.ts').split('\n')
    expect(said[0]).toMatch(/^wrong\.ts.* Property 'id' does not exist/)
    expect(said.filter((line) => line.startsWith('example.ts'))).toEqual([])
  })

  longTest('compiles with its libraries checked', patient, () => {
    const root = installed()
    writeFileSync(join(root, 'example.ts'), example)
    expect(compile(root, 'example.ts')).toBe('')
  })

  test('needs nothing of the server at run time', () => {
    for (const [name, text] of Object.entries(filesIn(join(project, 'client/dist')))) {
      const imports = [...text.matchAll(/(?:from|import) ['"]([^'"]+)['"]/g)].map(([, target]) => target)
      for (const target of imports)
        expect({ name, target }).toEqual({
          name,
          target: expect.stringMatching(/^(\.\/[\w-]+\.js|openapi-fetch)$/),
        })
    }
  })

  // the client knows nothing of engines
  onOneEngine('sqlite', 'with a server', (engine) => {
    let database: TestDatabase
    let server: ServerProcess
    let key: string
    beforeAll(async () => {
      database = await createTestDatabase(engine)
      key = businessOf(await demoWorld(database.url), 'Salon Spree').publishable_key
      server = await startServer(database.url)
    })
    afterAll(async () => {
      await server.stop()
      await database.drop()
    })

    test('has the example of the guide run, below node_modules, and book', () => {
      const root = installed()
      writeFileSync(join(root, 'example.ts'), exampleFor(server.address, key))
      const { stdout, stderr, status } = spawnSync(process.execPath, ['example.ts'], {
        cwd: root,
        encoding: 'utf8',
      })
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
      expect(stdout).toMatch(/^Booked: Haircut at \d{4}-\d\d-\d\dT/)
    })
  })
})

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { emptyDirectory, project } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'
import { startServer } from '../support/server-process.ts'

/** Loaded before the program. Writes the name of each module to a file. */
const noting = (file: string) => `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(file)}, url + '\\n'), next(url, context)) })`

/** Starts a server of a checkout on SQLite, waits until it is ready, and requests paths. Returns the loaded modules. */
async function modulesLoaded(variables: Record<string, string>, paths: string[]): Promise<string[]> {
  const directory = emptyDirectory()
  const [file, preload] = [join(directory, 'modules'), join(directory, 'noting.mjs')]
  writeFileSync(preload, noting(file))
  const { address, stop } = await startServer(`sqlite:${directory}/holdfast.db`, variables, {
    preloads: [preload],
  })
  for (const path of ['/readyz', ...paths]) expect((await fetch(address + path)).status).toBe(200)
  await stop()
  return readFileSync(file, 'utf8').split('\n')
}

const seldomUsed = [
  ...['/node_modules/pg/', '/node_modules/ioredis/', '/node_modules/stripe/', '/node_modules/undici/'],
  ...['/src/base/spans.ts', '/node_modules/@opentelemetry/sdk-trace/', '/node_modules/rolldown/'],
  ...['/node_modules/@fastify/swagger/', '/node_modules/yaml/', '/node_modules/nodemailer/'],
  ...['/src/pages/reference-page.ts', '/src/database/postgres-driver.ts', '/tools/'],
]

let atStart: string[]
beforeAll(async () => {
  atStart = await modulesLoaded({}, [])
})

test('a server on SQLite loads nothing of what only others use', () => {
  expect(atStart).toContain(`file://${join(project, 'src/server.ts')}`)
  expect(atStart.filter((url) => seldomUsed.some((part) => url.includes(part)))).toEqual([])
})

longTest('what is used later is loaded then', async () => {
  const later = (await modulesLoaded({}, ['/docs'])).filter((url) => !atStart.includes(url))
  const files = later.map((url) => url.replace(`file://${project}/`, ''))
  expect(files.filter((path) => path.startsWith('src/'))).toEqual(['src/pages/reference-page.ts'])
  expect(files).toContain('node_modules/@fastify/swagger/index.js')
})

test('--version loads the launcher alone', () => {
  const directory = emptyDirectory()
  const [file, preload] = [join(directory, 'modules'), join(directory, 'noting.mjs')]
  writeFileSync(preload, noting(file))
  const launcher = join(project, 'bin/holdfast.js')
  const { stdout } = spawnSync(process.execPath, ['--import', preload, launcher, '--version'])
  expect(stdout.toString()).toBe(`${packageJson.version}\n`)
  const loaded = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(loaded.filter((url) => !url.startsWith('node:'))).toEqual([`file://${launcher}`])
})

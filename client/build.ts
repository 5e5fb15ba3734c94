/*
 * Builds the client: types from the OpenAPI document, JavaScript and declarations from the sources. `holdfast/client` has
 * to be JavaScript, because Node runs no TypeScript below node_modules. Run by `npm ci`, `npm test` and `npm pack`
 * (packaging/build.js).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const project = resolve(import.meta.dirname, '..')

const heading = `/*
 * The types of the API, generated from its OpenAPI document. Do not edit.
 */

`

/** Builds `client/api-types.ts` and `client/dist` if a source has changed. Returns whether it did. */
export function makeClient(): Promise<boolean> {
  return makeUnlessMade({
    root: project,
    // the OpenAPI document comes from all of src/, and package.json has the versions of the tools
    sources: [
      'client/*.{ts,json}',
      'src/**/*.ts',
      'packaging/made-files.ts',
      'package.json',
      'tsconfig.json',
    ],
    notSources: ['client/api-types.ts'],
    note: 'client/dist/.made-of',
    make: async (write) => {
      write('client/api-types.ts', await typesOf(await currentDocument())) // the sources beside import it
      for (const [name, text] of Object.entries(compiledClient())) write(`client/dist/${name}`, text)
    },
  })
}

/** The types of the API's own paths. */
async function typesOf(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const { paths, ...rest } = document as { paths: Record<string, unknown> }
  const api = Object.entries(paths).filter(([path]) => path.startsWith('/api/'))
  const nodes = await openapiTS(JSON.stringify({ ...rest, paths: Object.fromEntries(api) }))
  return heading + astToString(nodes)
}

/** The files of the client, by name. */
function compiledClient(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const options = ['--project', join(project, 'client/tsconfig.json'), '--outDir', directory]
  try {
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the client does not compile:\n${stdout}`)
    const read = (name: string) => {
      const text = readFileSync(join(directory, name), 'utf8')
      // the compiler rewrites the imports of its JavaScript, but not those of its declarations
      return name.endsWith('.d.ts') ? text.replaceAll(/(from '[.]\/[\w-]+)[.]ts'/g, "$1.js'") : text
    }
    return Object.fromEntries(globSync('*', { cwd: directory }).map((name) => [name, read(name)]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The current OpenAPI document. */
async function currentDocument(): Promise<object> {
  const [{ createApp }, { readConfig }, { createContext }] = await Promise.all([
    import('../src/server.ts'),
    import('../src/base/config.ts'),
    import('../src/operate/open.ts'),
  ])
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  try {
    const context = await createContext(
      readConfig({ DATABASE_URL: `sqlite:${directory}/empty.db`, LOG_LEVEL: 'fatal' }),
    )
    await context.db.migrate()
    const app = await createApp(context)
    await app.server.ready()
    const document = app.server.swagger()
    await app.stop()
    return document
  } finally {
    rmSync(directory, { recursive: true })
  }
}

if (import.meta.main) await makeClient()

/*
 * Makes the client that is installed: types out of the OpenAPI document, JavaScript and declarations out of the sources
 * beside. Node takes no TypeScript below node_modules, so `holdfast/client` has to be JavaScript. `npm ci` does so,
 * `npm test` whenever a source has changed, and `npm pack` (packaging/build.js).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const project = resolve(import.meta.dirname, '..')

const heading = `/*
 * The types of the API, made of its OpenAPI document. A change here is lost.
 */

`

/** Makes `client/api-types.ts` and `client/dist`, unless they were made of these very sources. Tells whether it had to. */
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

/** The types of an OpenAPI document, as far as it is about the API itself. */
async function typesOf(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const { paths, ...rest } = document as { paths: Record<string, unknown> }
  const api = Object.entries(paths).filter(([path]) => path.startsWith('/api/'))
  const nodes = await openapiTS(JSON.stringify({ ...rest, paths: Object.fromEntries(api) }))
  return heading + astToString(nodes)
}

/** The text of each file of the client, by its name. */
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

/** The OpenAPI document of the service as it is. */
async function currentDocument(): Promise<object> {
  const [{ createApp }, { readConfig }, { createContext }] = await Promise.all([
    import('../src/app.ts'),
    import('../src/config.ts'),
    import('../src/create-context.ts'),
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

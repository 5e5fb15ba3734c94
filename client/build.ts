/*
 * Makes the client that is installed: types out of the OpenAPI document, JavaScript and declarations out of the sources
 * beside. Node takes no TypeScript below node_modules, so `holdfast/client` has to be JavaScript. Run by
 * `npm run build:client`; a test compares what is committed with what this makes.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createContext } from '../src/create-context.ts'

const project = resolve(import.meta.dirname, '..')

const heading = `/*
 * The types of the API, made from /openapi.json by \`npm run build:client\`. Do not edit them here.
 */

`

/** The types of an OpenAPI document, as far as it is about the API itself. */
export async function typesOf(document: object): Promise<string> {
  const { paths, ...rest } = document as { paths: Record<string, unknown> }
  const api = Object.entries(paths).filter(([path]) => path.startsWith('/api/'))
  const nodes = await openapiTS(JSON.stringify({ ...rest, paths: Object.fromEntries(api) }))
  return heading + astToString(nodes)
}

/** Compiles the client into a directory. */
export function compileClient(directory: string): void {
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const options = ['--project', join(project, 'client/tsconfig.json'), '--outDir', directory]
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the client does not compile:\n${stdout}`)
  for (const file of globSync('*.d.ts', { cwd: directory })) rewriteImports(join(directory, file))
}

/** The compiler rewrites the imports of its JavaScript, but not those of its declarations. */
function rewriteImports(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '[.]\/[\w-]+)[.]ts'/g, "$1.js'"))
}

/** The OpenAPI document of the service as it is. */
async function currentDocument(): Promise<object> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  const context = await createContext(
    readConfig({ DATABASE_URL: `sqlite:${join(directory, 'empty.db')}`, LOG_LEVEL: 'fatal' }),
  )
  await context.db.migrate()
  const app = await createApp(context)
  await app.server.ready()
  const document = app.server.swagger()
  await app.stop()
  rmSync(directory, { recursive: true })
  return document
}

if (import.meta.main) {
  writeFileSync(join(project, 'client/api-types.ts'), await typesOf(await currentDocument()))
  compileClient(join(project, 'client/dist'))
}

/*
 * Builds the package @holdfast/client: types and methods from the OpenAPI document, one file of JavaScript, and
 * declarations. Run by `npm ci`, `npm test` and `npm pack` (packaging/build.js).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'
import { querySchemas, resourcesSource, type Operation, type Route, type Schema } from './write-resources.ts'

const project = resolve(import.meta.dirname, '..')
const modules = join(project, 'node_modules')

const banner = '/*! @holdfast/client, Apache-2.0. */'

const heading = `/*
 * Generated from the OpenAPI document of the API. Do not edit.
 */

`

/** Builds `client/api-types.ts` and `client/dist` if a source has changed. Returns true if it did. */
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
    notSources: ['client/api-types.ts', 'client/api-resources.ts'],
    note: 'client/dist/.made-of',
    make: async (write) => {
      // the neighbouring sources import them
      for (const [name, text] of Object.entries(await apiSources(await currentDocument()))) {
        write(`client/${name}`, heading + text)
      }
      write('client/LICENSE', readFileSync(join(project, 'LICENSE'), 'utf8'))
      for (const [name, text] of Object.entries(declarations())) write(`client/dist/${name}`, text)
      write('client/dist/holdfast-client.js', await bundledClient())
    },
  })
}

/** Returns the sources with the types and the methods of the API, by name of the file. */
async function apiSources(document: object): Promise<Record<string, string>> {
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const { paths, components, ...rest } = document as ApiDocument
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => path.startsWith('/api/v1/') && takesToken(operation))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.slice('/api/v1'.length),
        operation,
      })),
  )
  const all = { ...components.schemas, ...querySchemas(routes) }
  for (const [name, schema] of Object.entries(all)) slim(name, schema)
  const used = schemasOf(routes.map(usedParts), all)
  for (const name of Object.keys(all))
    if (/(?:Problem|Query)$/.test(name)) schemasOf(reference(name), all, used)
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
  const kept = { ...rest, components: { schemas }, paths: {} }
  const types = astToString(await openapiTS(JSON.stringify(kept, shortened), { defaultNonNullable: false }))
  const [, shapes = ''] = /^ {4}schemas: (\{.*?^ {4}\});$/ms.exec(types) ?? []
  const short = shapes.replaceAll('components["schemas"]', 'Schemas').replaceAll(/^ {4}/gm, '')
  return { 'api-types.ts': typesSource(short), 'api-resources.ts': resourcesSource(routes) }
}

/** Returns the source of `api-types.ts`. The members that all problems have in common are there once. */
function typesSource(shapes: string): string {
  const constant = /(?:\s*\/\*\* @constant \*\/)?\s*/.source
  const common = [
    `\\{${constant}type: "/problems/\\w+";\\s*title: string;${constant}status: (?<status>\\d+);`,
    `\\s*detail: string;${constant}code: (?<code>"\\w+");\\s*request_id: string;`,
  ]
  return `/** The members of every problem document (RFC 9457). */
export interface BasicProblem<Code extends string, Status extends number> {
    type: \`/problems/\${Code}\`
    title: string
    status: Status
    detail: string
    code: Code
    request_id: string
}

/** Every shape of the API by its name, such as \`Schemas['Availability']\`. */
export interface Schemas ${shapes
    .replaceAll(new RegExp(common.join(''), 'g'), 'BasicProblem<$<code>, $<status>> & {')
    .replaceAll(/ & \{\s*\}/g, '')}
`
}

/** Returns the parts of an operation with the schemas that its callers see. */
function usedParts({ operation }: Route): unknown {
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  return [operation.requestBody, successes]
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

/** True if programs may call it. Only people manage people, with the cookie of their log-in. */
function takesToken({ security = [{}] }: Operation): boolean {
  return security.some((one) => !('logIn' in one))
}

/** Returns the names of the schemas that these parts of the document refer to, directly or through others. */
function schemasOf(part: unknown, schemas: Record<string, unknown>, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    schemasOf(schemas[name], schemas, found)
  }
  return found
}

const everyInstant = 'In whole seconds, with the offset of its zone.'

/** Keeps the first sentence of a description, unless it is that of every instant. The API reference has the rest. */
function shortened(key: string, value: unknown): unknown {
  if (key !== 'description' || typeof value !== 'string') return value
  const [first = ''] = value.split(/(?<=[^.][.]) (?=[A-Z`])/)
  return first === everyInstant ? undefined : first
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Types without comments, to stay small: problems, which have pages, and those of reports and tools. */
const uncommented =
  /Problem$|Numbers$|^(?:List|Show|Change|Create)?(?:Audit|Business|BusyC|Calendar|Deliver|Erase|Event|ExportedC|Feed|History|IssuedKey|Key|Mail|Numbers|Payment|Policy|Resource|Webhook)/

/** Leaves out comments that no editor needs at a call. */
function slim(name: string, schema: Schema): void {
  delete schema.description
  for (const [property, one] of Object.entries(schema.properties ?? {})) {
    if (uncommented.test(name) || ['limit', 'cursor', 'next_cursor'].includes(property)) strip(one)
  }
}

/** Removes the descriptions of a schema and of its parts. */
function strip(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  if ('description' in schema && typeof schema.description === 'string') delete schema.description
  Object.values(schema).forEach(strip)
}

/** Returns the declarations of the sources, by name of the file. */
function declarations(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
  const options = ['--project', join(project, 'client/tsconfig.json'), '--outDir', directory]
  try {
    const command = [join(modules, 'typescript/bin/tsc'), ...options]
    const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the client does not compile:\n${stdout}`)
    const read = (name: string) => shipped(readFileSync(join(directory, name), 'utf8'))
    const used = globSync('*', { cwd: directory, exclude: ['send-with-session.d.ts'] }) // internal
    return Object.fromEntries(used.map((name) => [name, read(name)]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * Returns a declaration that imports only neighbouring files. It omits examples and comments that repeat
 * the type.
 */
function shipped(declaration: string): string {
  return declaration
    .replaceAll(/(?<=(?:from |import\()['"])(?:[.]\/)?([\w-]+)(?:[.]ts)?(?=['"])/g, './$1.js')
    .replaceAll(/\n *\* \w+(?=\n *\* @description)/g, '')
    .replaceAll(/\n *\* @example.*?(?=\n *\*(?: @|\/))/gs, '')
    .replaceAll(/^ *\/\*\* @example [^\n]*\*\/\n/gm, '')
    .replaceAll(/\n *\* (?:@constant|@enum .*|Format: .*|@description discriminator enum property .*)$/gm, '')
    .replaceAll(/^ *\/\*\*\s(?: *\* )?\w+\s+\*\/\n/gm, '')
    .replaceAll(/^ *\/\*\*(?: (?:@constant|@enum \{string\}|Format: [\w-]+) |\n *)\*\/\n/gm, '')
    .replaceAll(/^\/\/ [^\n]*\n/gm, '')
    .replaceAll('@description ', '')
    .replaceAll(/\/\*\*\n *\* ([^\n]*)\n *\*\//g, '/** $1 */')
    .replaceAll(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4))
}

async function bundledClient(): Promise<string> {
  const { rolldown } = await import('rolldown') // loaded late, because the up-to-date check does not need it
  const bundle = await rolldown({
    input: join(project, 'client/holdfast-client.ts'),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'es2022' },
  })
  const { output } = await bundle.generate({
    format: 'es',
    minify: { compress: true, mangle: { toplevel: false }, codegen: true }, // a stack has the names of functions
    postBanner: banner,
  })
  await bundle.close()
  return output[0].code.replaceAll(betweenParts, '\n')
}

/** Node prints the line that threw an error, so each function or class gets a separate line. */
const betweenParts = /(?<=[};])(?=(?:async )?function |(?:const|let|var) |class |export)/g

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
    const document = await app.server.openApi()
    await app.stop()
    return document
  } finally {
    rmSync(directory, { recursive: true })
  }
}

if (import.meta.main) await makeClient()

/*
 * Builds the package holdfast-client: types from the OpenAPI document, one file of JavaScript that includes
 * openapi-fetch, and declarations. Run by `npm ci`, `npm test` and `npm pack` (packaging/build.js).
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeUnlessMade } from '../packaging/made-files.ts'

const project = resolve(import.meta.dirname, '..')
const modules = join(project, 'node_modules')

/** Packages whose code and types the client includes. */
const brought = ['openapi-fetch', 'openapi-typescript-helpers']

const banner = '/*! holdfast-client, Apache-2.0. Contains openapi-fetch (c) 2023 Drew Powers, MIT. */'

const heading = `/*
 * The types of the API, generated from its OpenAPI document. Do not edit.
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
    notSources: ['client/api-types.ts'],
    note: 'client/dist/.made-of',
    make: async (write) => {
      write('client/api-types.ts', await typesOf(await currentDocument())) // the neighbouring sources import it
      write('client/LICENSE', readFileSync(join(project, 'LICENSE'), 'utf8'))
      for (const [name, text] of Object.entries(declarations())) write(`client/dist/${name}`, text)
      for (const name of brought) {
        const declaration = readFileSync(join(modules, name, 'dist/index.d.mts'), 'utf8')
        write(`client/dist/${name}.d.ts`, shipped(declaration.replaceAll(/\/\*\*.*?\*\/\s*/gs, '')))
      }
      write('client/dist/openapi-fetch.LICENSE', readFileSync(join(modules, 'openapi-fetch/LICENSE'), 'utf8'))
      write('client/dist/holdfast-client.js', await bundledClient())
    },
  })
}

/** Left out to stay small, because no program needs types for operations of a set-up or of tools. */
const leftOut = ['/api/v1/busy-calendars', '/api/v1/events/samples']

/** Returns the types of the API's own paths. */
async function typesOf(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const { paths, components, ...rest } = document as ApiDocument
  const api = Object.entries(paths).filter(([path, operations]) => {
    return (
      path.startsWith('/api/') &&
      !leftOut.some((one) => path.startsWith(one)) &&
      Object.values(operations).some(takesToken)
    )
  })
  const sets = api.flatMap(([, operations]) => Object.values(operations)).map(slim)
  for (const [name, schema] of Object.entries(components.schemas))
    if (name.endsWith('Problem')) slimProblem(schema)
  const used = schemasOf(api, components.schemas)
  const usual = nameUsual(sets)
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).filter(([name]) => used.has(name) || name.endsWith('Problem')),
  )
  const kept = {
    ...rest,
    components: { schemas: { ...schemas, UsualRefusal: { oneOf: usual } } },
    paths: Object.fromEntries(api),
  }
  const nodes = await openapiTS(JSON.stringify(kept, shortened))
  return heading + astToString(nodes)
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

/** Keeps the first sentence of a description. The API reference has the rest. */
function shortened(key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string'
    ? value.replace(/(?<=[^.][.]) [A-Z`].*$/s, '')
    : value
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Described & { properties?: Record<string, Described> }> }
}

interface Described {
  description?: string
}

interface Operation {
  summary?: string
  description?: string
  security?: object[]
  responses: Record<string, Answer>
}

interface Answer {
  headers?: object
  description: string
  content?: Record<string, { schema: Reference | { oneOf: Reference[] } }>
}

interface Reference {
  $ref: string
}

/**
 * Leaves out everything that no editor shows at a call, and that no type of a call needs. Returns the remaining union
 * of problems.
 */
function slim(operation: Operation): Refused {
  delete operation.summary
  delete operation.description
  const problems = new Set<string>()
  const successes: Operation['responses'] = {}
  for (const [status, { content = {} }] of Object.entries(operation.responses)) {
    const schema = content['application/problem+json']?.schema
    if (schema === undefined) successes[status] = { description: '', content }
    else for (const { $ref } of 'oneOf' in schema ? schema.oneOf : [schema]) problems.add($ref)
  }
  const schema = { oneOf: [...problems].map(($ref) => ({ $ref })) }
  const refusal = { description: '', content: { 'application/problem+json': { schema } } }
  operation.responses = { ...successes, default: refusal }
  return schema
}

interface Refused {
  oneOf: Reference[]
}

/** Names the problems that all operations have in common, which halves their types. Returns those problems. */
function nameUsual(operations: Refused[]): Reference[] {
  const has = ({ oneOf }: Refused, { $ref }: Reference) => oneOf.some((one) => one.$ref === $ref)
  const usual = (operations[0]?.oneOf ?? []).filter((one) => operations.every((set) => has(set, one)))
  for (const set of operations) {
    const own = set.oneOf.filter((one) => !has({ oneOf: usual }, one))
    set.oneOf = [{ $ref: '#/components/schemas/UsualRefusal' }, ...own]
  }
  return usual
}

/** Leaves out the contents of each problem's page, whose URL is in `type`. */
function slimProblem(schema: ApiDocument['components']['schemas'][string]): void {
  delete schema.description
  for (const property of Object.values(schema.properties ?? {})) delete property.description
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
    return Object.fromEntries(globSync('*', { cwd: directory }).map((name) => [name, read(name)]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * Returns a declaration that imports only neighbouring files. It omits examples, comments that repeat the type, and
 * methods that a path lacks.
 */
function shipped(declaration: string): string {
  return declaration
    .replaceAll(/(?<=(?:from |import\()['"])(?:[.]\/)?([\w-]+)(?:[.]ts)?(?=['"])/g, './$1.js')
    .replaceAll(/\n *\* \w+(?=\n *\* @description)/g, '')
    .replaceAll(/\n *\* @example.*?(?=\n *\*(?: @|\/))/gs, '')
    .replaceAll(/^ *\/\*\* @example [^\n]*\*\/\n/gm, '')
    .replaceAll(/\n *\* (?:@constant|@enum .*|Format: .*|@description discriminator enum property .*)$/gm, '')
    .replaceAll(/^ *\/\*\*\s(?: *\* )?\w+\s+\*\/\n/gm, '')
    .replaceAll(/^ *\/\*\*(?: (?:@constant|Format: [\w-]+) |\n *)\*\/\n/gm, '')
    .replaceAll(/^ {8}(?:get|put|post|delete|options|head|patch|trace)\?: never;\n/gm, '')
    .replaceAll(
      /^ +(?:(?:header|path|cookie)[?]: never;|headers: [{]\s+\[name: string\]: unknown;\s+[}];)\n/gm,
      '',
    )
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

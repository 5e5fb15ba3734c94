/*
 * Writes the resource methods of the client from the operations of the OpenAPI document: their types, and the table of
 * routes from which call.ts makes them.
 */

/** An operation of the document, with the parts that a method needs. */
export interface Operation {
  operationId: string
  summary?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
  security?: object[]
}

interface Parameter {
  name: string
  in: string
  description?: string
  required?: boolean
  schema: Schema
}

type Content = Record<string, { schema: Schema }>

export interface Schema {
  $ref?: string
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Route {
  /** Such as `GET`. */
  method: string
  /** Below `/api/v1`, such as `/bookings/{id}`. */
  path: string
  operation: Operation
}

interface Method extends Route {
  resource: string
  name: string
}

/** Resources with a name that differs from the beginning of their path. */
const renamedResources: [path: string, resource: string][] = [['/bookings/hold', 'holds']]

/** Verbs of operation IDs that programs know by another name. */
const renamedVerbs: Record<string, string> = {
  add: 'create',
  change: 'update',
  place: 'create',
  show: 'get',
}

/** Names that the rule would give twice. */
const renamedMethods: Record<string, string> = { changeBookings: 'updateMany' }

/** Words of operation IDs that repeat the resource. */
const repeating: Record<string, string[]> = {
  availability: ['slot'],
  holds: ['hold'],
  manage: ['managed', 'booking'],
  staff: ['member'],
  waitlist: ['entry', 'waitlist'],
}

/** Returns the schema of each query, by its name. */
export function querySchemas(routes: Route[]): Record<string, Schema> {
  return Object.fromEntries(
    routes
      .filter((route) => queryOf(route).length > 0)
      .map(({ operation }) => [
        queryName(operation),
        {
          type: 'object',
          properties: Object.fromEntries(
            queryOf({ operation }).map(({ name, schema, description = '' }) => [
              name,
              schema.enum?.join() === 'true,false'
                ? { type: 'boolean', description }
                : '$ref' in schema
                  ? schema
                  : { ...schema, description },
            ]),
          ),
          required: queryOf({ operation }).flatMap(({ name, required }) => (required ? [name] : [])),
        },
      ]),
  )
}

/** Returns the source of `api-resources.ts`. Throws an Error if two methods have one name. */
export function resourcesSource(routes: Route[]): string {
  const resources = Object.entries(
    Object.groupBy(routes.map(methodOf), ({ resource }) => resource) as Record<string, Method[]>,
  )
  for (const [resource, methods] of resources) {
    const names = methods.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`${resource}.${twice} stands for two operations`)
  }
  return `import type { Schemas } from './api-types.ts'
import type { Call, CallOptions, CreateOptions, List } from './call.ts'

/** The resources of the API and their methods. */
export interface Resources {
${resources.map(([resource, methods]) => `readonly ${resource}: {\n${methods.map(signatureOf).join('\n')}\n}`).join('\n')}
}

/**
 * A route for each method: HTTP method, marks (see call.ts) and path.
 *
 * @internal
 */
export const routes = {
${resources.map(([resource, methods]) => `${resource}: {${methods.map((one) => `${one.name}: '${lineOf(one)}'`).join(', ')}}`).join(',\n')}
}
`
}

function methodOf(route: Route): Method {
  const { path, operation } = route
  const resource =
    renamedResources.find(([start]) => path.startsWith(start))?.[1] ?? camelCase(path.split('/')[1] ?? '')
  const own = [...wordsOf(resource), ...(repeating[resource] ?? [])].map(singular)
  const [verb = '', ...nouns] = wordsOf(operation.operationId)
  const kept = nouns.filter((word) => !own.includes(singular(word)))
  const name = camelCase([renamedVerbs[verb] ?? verb, ...kept].join('-'))
  return { ...route, resource, name: renamedMethods[operation.operationId] ?? name }
}

/** Returns a route as the table has it, such as `POST bk /bookings/hold`. */
function lineOf(route: Route): string {
  const { method, path, operation } = route
  const marks = [
    operation.requestBody && 'b',
    queryOf(route).length > 0 && 'q',
    takesKey(operation) && 'k',
    isList(route) && 'l',
    'text/calendar' in answerOf(operation) && 't',
  ].filter((mark) => typeof mark === 'string')
  return `${method} ${marks.join('')} ${path}`
}

function signatureOf({ name, ...route }: Method): string {
  const { path, operation } = route
  const { requestBody, summary } = operation
  const body = requestBody && bodyType(requestBody.content)
  const isQueryNeeded = queryOf(route).some(({ required }) => required)
  const parts = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(
      ([, part = '']) => `${camelCase(part.replace('_', '-'))}: string`,
    ),
    ...(body === undefined ? [] : [`body${requestBody?.required ? '' : '?'}: ${body}`]),
    ...(queryOf(route).length === 0
      ? []
      : [`query${isQueryNeeded ? '' : '?'}: Schemas['${queryName(operation)}']`]),
    `options?: ${takesKey(operation) ? 'CreateOptions' : 'CallOptions'}`,
  ]
  const answer = typeOf(Object.values(answerOf(operation))[0]?.schema)
  const result = isList(route) ? `List<${answer}>` : `Call<${answer}>`
  return `/** ${summary ?? operation.operationId}. */\n${name}(${parts.join(', ')}): ${result}`
}

function bodyType(content: Content): string {
  const json = content['application/json']
  return json ? typeOf(json.schema) : 'Blob'
}

function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'undefined'
  if (schema.$ref !== undefined) return `Schemas['${schema.$ref.split('/').at(-1) ?? ''}']`
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  return schema.type ?? 'unknown'
}

/** Returns the contents of a success, none for 204. */
function answerOf({ responses }: Operation): Content {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  return success?.content ?? {}
}

function queryOf({ operation }: Pick<Route, 'operation'>): Parameter[] {
  return (operation.parameters ?? []).filter((one) => one.in === 'query')
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key')
}

/** True for a list in pages. The calendar has pages, too, but of days. */
function isList({ method, operation }: Route): boolean {
  const answer = answerOf(operation)['application/json']?.schema.$ref ?? ''
  return (
    method === 'GET' &&
    answer.endsWith('Page') &&
    queryOf({ operation }).some(({ name }) => name === 'cursor')
  )
}

function queryName({ operationId }: Operation): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
}

function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
}

function singular(word: string): string {
  return word
    .replace(/(?<=sse|[^s])s$/, '')
    .replace(/ie$/, 'y')
    .replace(/sse$/, 'ss')
}

function camelCase(words: string): string {
  return words.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

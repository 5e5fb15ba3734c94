import { fastify, type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { type ProblemCode, problemKinds } from '../base/errors.ts'
import type { PersonRole } from '../database/tables.ts'
import { keyScopes } from '../base/key-scopes.ts'
import { scopesOfRoute } from './route-scopes.ts'
import { exampleOf, exampleOfParameter } from './openapi-examples.ts'
import { problemComponents, problemResponse } from './openapi-problems.ts'
import { componentReference, type Schema, SchemaWriter } from './openapi-schemas.ts'
import { EmptyObject } from '../base/wire.ts'

const description = `
Holdfast books appointments: a client holds a slot, then books it. A slot is never sold twice.

**Keys.** Send a key or a session token as \`Authorization: Bearer …\`. A website exchanges its publishable key for a
session token, which acts for one visitor. Each operation says which keys it is open to.

**Problems.** Every refusal is a problem document (RFC 9457) with a \`code\` that does not change. Each operation lists
the codes that it can give; [/problems](/problems) says of each what happened and what to do. Before a request reaches an
operation it can be refused with 400 \`malformed_request\`, 404 \`not_found\`, 405 \`method_not_allowed\`,
408 \`request_timeout\` or 431 \`headers_too_large\`.

**Limits.** Every answer of the API tells in its headers how many requests are left. After a 429, wait the seconds of
\`Retry-After\`.

**Values.** Unknown fields and parameters are refused, and nothing is converted: \`"3"\` is not 3. Times are RFC 3339
with an offset. Texts are trimmed and brought to Unicode NFC, and their lengths count code points.

**Request ids.** Every answer carries \`X-Request-Id\`, which the log of the server names too. A request may choose it:
1 to 128 letters, digits and \`_ . ~ : / + = @ -\`.
`.trim()

const tags = [
  { name: 'Sessions', description: 'Exchange a publishable key for a session token of one visitor.' },
  {
    name: 'Availability',
    description: 'Free slots, the next free slot, and the reason why a slot is not offered.',
  },
  { name: 'Holds', description: 'Reserve a slot for ten minutes.' },
  { name: 'Bookings', description: 'Convert, read, list, reschedule and cancel.' },
  { name: 'Coupons', description: 'Codes that make a booking cheaper.' },
  { name: 'Waiting list', description: 'Clients who wait for a time, and the times that they are offered.' },
  {
    name: 'Manage link',
    description: 'Operations for the client of one booking, with the link in their emails.',
  },
  {
    name: 'Clients',
    description: 'List, block, export and erase clients.',
  },
  { name: 'Catalogue', description: 'Services, locations, staff members and blocked times.' },
  { name: 'Businesses', description: 'Businesses and their keys.' },
  { name: 'Test businesses', description: 'Businesses for tests, with a movable clock.' },
  { name: 'Webhooks', description: 'Events of bookings, sent to your URL as they happen.' },
  { name: 'Calendars', description: 'Bookings in the calendar programs that people already use.' },
  { name: 'Mails', description: 'Emails to clients and owners about bookings.' },
  { name: 'People', description: 'People who log in to the console, and their roles.' },
  { name: 'Agents', description: 'The API as tools for programs that act on behalf of people.' },
  { name: 'Audit', description: 'Changes and their authors.' },
  {
    name: 'Service',
    description: 'Health, metrics and this document. They need no key and count against no limit.',
  },
]

/** Tag of routes outside the API: pages, their assets, and the targets of their forms. */
export const pageTag = 'Pages'

const securitySchemes = {
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'cal_ses_…',
    description: 'A session token from `POST /api/v1/session`, which expires after an hour.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'cal_pub_…, cal_biz_… or cal_hub_…',
    description:
      'A key. Publishable keys may be public and create sessions. Business and hub keys must stay secret.',
  },
  logIn: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-holdfast',
    description: 'The log-in of a person on pages of this server.',
  },
} as const

const seconds = { type: 'integer', minimum: 1 } as const

const headers = {
  'X-Request-Id': {
    description: 'The ID of this request in the log of the server.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'The limit of the window with the fewest requests left.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'The requests left in that window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'The end of that window, in Unix seconds.',
    schema: { type: 'integer' },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: seconds },
  'WWW-Authenticate': { description: 'The authentication scheme (RFC 6750).', schema: { type: 'string' } },
  ETag: {
    description: 'The version of the booking, for `If-Match`.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} as const

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns the OpenAPI document of the API, created at the first request. The server must be ready. `withPages`
     * describes pages as well, so that tests can compare their answers with it.
     */
    openApi: (scope?: 'api' | 'withPages') => Promise<object>
  }
}

/** Adds `app.openApi()`. */
export function describeInOpenApi(app: FastifyInstance): void {
  const documents = new Map<string, Promise<object>>()
  app.decorate('openApi', (scope = 'api') => {
    const known = documents.get(scope)
    if (known) return known
    const routes = scope === 'withPages' ? app.knownRoutes : app.knownRoutes.filter(isNoPage)
    const document = documentOf(routes).catch((error: unknown) => {
      documents.delete(scope) // for example if no file can be opened at the moment
      throw error
    })
    documents.set(scope, document)
    return document
  })
}

function isNoPage({ options: { schema } }: FastifyInstance['knownRoutes'][number]): boolean {
  return schema?.tags?.some((tag) => tag === pageTag || tag === 'Console') !== true
}

/**
 * Creates the document from the schemas of the routes, in an instance that serves nothing. The plugin and its YAML
 * parser would cost an idle server 3 MB. Most servers are never asked for the document.
 */
async function documentOf(routes: FastifyInstance['knownRoutes']): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Holdfast',
        version: packageJson.version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags,
      components: { securitySchemes },
    },
    transform: ({ url, route }) => ({ schema: describeRoute(route), url }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is not of OpenAPI 3')
      return complete(document.openapiObject as unknown as Draft)
    },
  })
  for (const { method, url, options } of routes) {
    const { schema = {}, config = {} } = options
    if (method !== 'HEAD') app.route({ method, url, schema, config, handler: () => undefined })
  }
  await app.ready()
  return app.swagger()
}

/** The document of the plugin, before it is completed. */
interface Draft {
  paths: Record<string, Record<string, Operation>>
  components: object
}

function complete(draft: Draft): object {
  const schemas = new SchemaWriter()
  const operations = Object.values(draft.paths).flatMap((path) => Object.values(path))
  const codes = new Set<ProblemCode>()
  for (const operation of operations) {
    for (const code of completeOperation(operation, schemas)) codes.add(code)
  }
  for (const operation of operations) addExamples(operation, schemas.components)
  const problems = problemComponents([...codes])
  return {
    ...draft,
    components: {
      ...draft.components,
      headers: used(headers, JSON.stringify(draft.paths)),
      examples: problems.examples,
      schemas: { ...schemas.components, ...problems.schemas },
    },
  }
}

/** Drops the header components that no response refers to. */
function used(components: Record<string, unknown>, paths: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => paths.includes(`#/components/headers/${name}"`)),
  )
}

/** An operation and the problem codes of its responses. */
interface DescribedOperation {
  operationId: string
  summary: string
  needsKey: boolean
  codes: string[]
}

/** Lists the operations with their problem codes. The server must be ready. */
export async function codesOfOperations(app: FastifyInstance): Promise<DescribedOperation[]> {
  const { paths } = (await app.openApi()) as Draft
  return Object.values(paths)
    .flatMap((path) => Object.values(path))
    .map(({ operationId, summary, security = [], responses }) => ({
      operationId,
      summary,
      needsKey: security.length > 0,
      codes: Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}),
      ),
    }))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The successful answer has an `ETag`. */
    etag?: true
    /** The route honours an `Idempotency-Key`. */
    idempotent?: true
  }
}

/** The extension that passes a route's notes from `transform` to `transformObject`. */
const notes = 'x-holdfast'

interface Notes {
  codes: ProblemCode[]
  needsKey: boolean
  etag: boolean
  idempotent: boolean
}

interface Operation {
  [notes]?: Notes
  operationId: string
  summary: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; schema: Schema; example?: unknown }[]
  requestBody?: { content?: Record<string, Media> }
  responses: Record<string, Response>
}

interface Response {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

interface Media {
  schema?: Schema | undefined
  example?: unknown
  examples?: object
}

const bodyMethods = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the schema of a route for the document, with notes on its configuration. */
function describeRoute(route: RouteOptions): FastifySchema {
  const { config = {}, schema = {} } = route
  const { access, people, etag = false, idempotent = false } = config
  const callers = [
    ...(access && access.length > 0 ? [`Keys: ${access.join(', ')}.`] : []),
    ...(isForPrograms(access) ? [`Scopes: ${scopesText(route)}.`] : []),
    ...(people ? [`People: ${rolesFrom(people).join(', ')}.`] : []),
  ].join(' ')
  const { body, response, ...rest } = schema
  const own: Notes = { codes: codesOf(route), needsKey: access !== undefined, etag, idempotent }
  return {
    ...rest,
    ...(body !== undefined && body !== EmptyObject && { body }),
    ...(idempotent && { headers: { ...IdempotencyHeaders, ...(schema.headers as object | undefined) } }),
    response: withoutProblems(response),
    description: [schema.description, callers].filter(Boolean).join('\n\n'),
    security: [...securityOf(access), ...(people ? [{ logIn: [] }] : [])],
    ...{ [notes]: own },
  }
}

function isForPrograms(access: readonly string[] = []): boolean {
  return access.includes('business') || access.includes('hub')
}

function scopesText(route: RouteOptions): string {
  const scopes = scopesOfRoute(route)
  return scopes.length === keyScopes.length ? 'any' : [...scopes, 'all'].join(' or ')
}

const IdempotencyHeaders = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description:
        'A unique name for this request. A repetition with the same name within 24 hours changes nothing and gets the first answer with `Idempotent-Replayed: true`.',
    },
  },
}

/** In the order of src/access/actor.ts. */
function rolesFrom(least: PersonRole): PersonRole[] {
  const roles: PersonRole[] = ['staff', 'front_desk', 'manager', 'owner']
  return roles.slice(roles.indexOf(least))
}

function securityOf(access: readonly string[] = []): Record<string, string[]>[] {
  const keys = access.filter((type) => type !== 'session')
  return [
    ...(access.includes('session') ? [{ sessionToken: [] }] : []),
    ...(keys.length > 0 ? [{ apiKey: keys }] : []),
  ]
}

/**
 * Returns every problem code of a route: those thrown by its operation, and those that follow from its configuration.
 */
function codesOf({ method, url, config = {}, schema = {} }: RouteOptions): ProblemCode[] {
  const { access, plan, idempotent, countsVisits } = config
  const declared = declaredCodes(schema.response)
  const hasBody = [method].flat().some((one) => bodyMethods.includes(one))
  const hasPlan = plan !== undefined || isForPrograms(access)
  const named404 = declared.some((code) => problemKinds[code].status === 404)
  const all: ProblemCode[] = [
    ...(access ? ofKeys : []),
    ...(url.startsWith('/console') || countsVisits ? ofConsole : []),
    ...(access && hasPlan ? (['plan_required'] as const) : []),
    ...(isForPrograms(access) ? (['insufficient_scope'] as const) : []),
    ...(hasBody ? ofBodies : []),
    ...(schema.querystring || schema.body || idempotent ? (['validation_failed'] as const) : []),
    ...(schema.params && !named404 ? (['not_found'] as const) : []),
    ...(idempotent ? (['idempotency_in_flight', 'idempotency_key_reused'] as const) : []),
    'malformed_request', // two Host headers, for example
    'internal',
    ...declared,
  ]
  const inOrder = Object.keys(problemKinds) as ProblemCode[] // its own keys
  return inOrder.filter((code) => all.includes(code))
}

const ofKeys: ProblemCode[] = [
  'missing_credentials',
  'invalid_credentials',
  'session_expired',
  'key_type_not_allowed',
  'origin_not_allowed',
  'rate_limited',
  'unavailable',
]

/** Codes that logged-in people, and visitors of pages that read the database, can get on every page. */
const ofConsole: ProblemCode[] = ['rate_limited', 'unavailable']

const ofBodies: ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']

/** Returns the codes that `problems()` has put into response schemas. */
function declaredCodes(response: unknown): ProblemCode[] {
  return Object.values((response ?? {}) as Record<string, Schema>).flatMap(codesIn)
}

function codesIn(schema: Schema): ProblemCode[] {
  const codes = schema.properties?.['code']?.enum ?? []
  return codes.filter((code): code is ProblemCode => Object.hasOwn(problemKinds, String(code)))
}

function withoutProblems(response: unknown): Record<string, Schema> {
  const all = Object.entries((response ?? {}) as Record<string, Schema>)
  return Object.fromEntries(all.filter(([, schema]) => codesIn(schema).length === 0))
}

/** Completes an operation: converts its schemas, adds its problems and response headers. Returns its problem codes. */
function completeOperation(operation: Operation, schemas: SchemaWriter): ProblemCode[] {
  const { [notes]: own } = operation
  if (!own) throw new Error('an operation was not described')
  Reflect.deleteProperty(operation, notes)
  for (const parameter of operation.parameters ?? []) {
    parameter.schema = schemas.write(parameter.schema)
    if (parameter.in === 'header') parameter.name = titleCase(parameter.name)
    if (parameter.schema.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true })
  }
  for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
    for (const media of Object.values(content)) writeMedia(media, schemas)
  }
  const byStatus = Map.groupBy(own.codes, (code) => problemKinds[code].status)
  for (const [status, codes] of byStatus) {
    if (!(status in operation.responses)) operation.responses[status] = problemResponse(codes)
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = headersOf(Number(status), own)
    response.headers = Object.fromEntries(
      names.map((name) => [name, { $ref: componentReference(name, 'headers') }]),
    )
  }
  return own.codes
}

/** The plugin moves the example of a body out of its schema. This moves it back, so that a component keeps it. */
function writeMedia(media: Media, schemas: SchemaWriter): void {
  const { example, schema } = media
  media.schema = schemas.write({ ...schema, ...(example !== undefined && { examples: [example] }) })
  delete media.example
}

/** Adds examples to JSON bodies and to parameters. */
function addExamples(
  { parameters = [], requestBody = {}, responses }: Operation,
  components: Record<string, Schema>,
): void {
  for (const parameter of parameters) {
    const example = parameter.example ?? exampleOfParameter(parameter.name, parameter.schema)
    if (example !== undefined)
      parameter.example = parameter.schema.type === 'integer' ? Number(example) : example
  }
  for (const { content = {} } of [requestBody, ...Object.values(responses)]) {
    const media = content['application/json']
    const example = media?.schema && exampleOf(media.schema, components)
    if (media && example !== undefined) media.example = example
  }
}

/** Returns the names of the header components of a response. */
function headersOf(status: number, { codes, needsKey, etag, idempotent }: Notes): string[] {
  const waits = [429, 503].includes(status) || (status === 409 && codes.includes('idempotency_in_flight'))
  return [
    'X-Request-Id',
    ...(needsKey ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    ...(waits ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(etag && (status < 300 || status === 304) ? ['ETag'] : []),
    ...(idempotent && status < 300 ? ['Idempotent-Replayed'] : []),
  ]
}

function titleCase(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

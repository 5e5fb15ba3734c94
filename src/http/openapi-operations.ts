import type { FastifySchema, RouteOptions } from 'fastify'
import { problemKinds, type ProblemCode } from '../errors.ts'
import { Nothing } from '../wire.ts'
import { problemResponse } from './openapi-problems.ts'
import type { Schema } from './openapi-formats.ts'
import { componentReference, type SchemaWriter } from './openapi-schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The successful answer carries an `ETag`. */
    etag?: true
    /** The route heeds an `Idempotency-Key`. */
    idempotent?: true
  }
}

/** What is added to every operation by how its route works; under this name from one step to the next. */
const notes = 'x-holdfast'

interface Notes {
  codes: ProblemCode[]
  needsKey: boolean
  etag: boolean
  idempotent: boolean
}

/** An operation of the document, as far as it is read here. */
export interface Operation {
  [notes]?: Notes
  operationId: string
  summary: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; schema: Schema }[]
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

/** The schema of a route as the document shows it; what follows from the route's configuration goes into notes. */
export function describeRoute(route: RouteOptions): FastifySchema {
  const { config = {}, schema = {} } = route
  if (config.answersWrongMethod) return { hide: true }
  const { access, etag = false, idempotent = false } = config
  const { body, response, ...rest } = schema
  const own: Notes = { codes: codesOf(route), needsKey: access !== undefined, etag, idempotent }
  return {
    ...rest,
    ...(body !== undefined && body !== Nothing && { body }),
    ...(idempotent && { headers: { ...IdempotencyHeaders, ...(schema.headers as object | undefined) } }),
    response: withoutProblems(response),
    description: [schema.description, access && `Keys: ${access.join(', ')}.`].filter(Boolean).join('\n\n'),
    security: securityOf(access),
    ...{ [notes]: own },
  }
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
        'A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`.',
    },
  },
}

function securityOf(access: readonly string[] = []): Record<string, string[]>[] {
  const keys = access.filter((type) => type !== 'session')
  return [
    ...(access.includes('session') ? [{ sessionToken: [] }] : []),
    ...(keys.length > 0 ? [{ apiKey: keys }] : []),
  ]
}

/** Every problem code that a route can give: what its operation throws, and what follows from how it works. */
function codesOf({ method, config = {}, schema = {} }: RouteOptions): ProblemCode[] {
  const { access, plan, idempotent } = config
  const declared = declaredCodes(schema.response)
  const hasBody = [method].flat().some((one) => bodyMethods.includes(one))
  const hasPlan = plan !== undefined || access?.includes('business') || access?.includes('hub')
  const named404 = declared.some((code) => problemKinds[code].status === 404)
  const all: ProblemCode[] = [
    ...(access ? ofKeys : []),
    ...(access && hasPlan ? (['plan_required'] as const) : []),
    ...(hasBody ? ofBodies : []),
    ...(schema.querystring || schema.body || idempotent ? (['validation_failed'] as const) : []),
    ...(schema.params && !named404 ? (['not_found'] as const) : []),
    ...(idempotent ? (['idempotency_in_flight', 'idempotency_key_reused'] as const) : []),
    'malformed_request', // two headers Host, for one
    'internal',
    ...declared,
  ]
  const inOrder = Object.keys(problemKinds) as ProblemCode[] // its own keys
  return inOrder.filter((code) => all.includes(code))
}

const ofKeys: ProblemCode[] = [
  ...(['missing_credentials', 'invalid_credentials', 'session_expired'] as const),
  ...(['key_type_not_allowed', 'origin_not_allowed', 'rate_limited', 'unavailable'] as const),
]

const ofBodies: ProblemCode[] = [
  ...(['malformed_json', 'payload_too_large', 'unsupported_media_type'] as const),
]

/** The codes that `problems()` has put into response schemas. */
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

/**
 * Completes an operation: its schemas in the form of the document, its problems, its response headers. Gives the
 * codes of its problems.
 */
export function completeOperation(operation: Operation, schemas: SchemaWriter): ProblemCode[] {
  const { [notes]: own } = operation
  if (!own) throw new Error('an operation was not described')
  Reflect.deleteProperty(operation, notes)
  for (const parameter of operation.parameters ?? []) {
    parameter.schema = schemas.write(parameter.schema)
    if (parameter.in === 'header') parameter.name = titleCase(parameter.name)
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

/** The plugin takes the example of a whole body out of its schema; a component is to keep its own. */
function writeMedia(media: Media, schemas: SchemaWriter): void {
  const { example, schema } = media
  media.schema = schemas.write({ ...schema, ...(example !== undefined && { examples: [example] }) })
  delete media.example
}

/** The names of the header components that a response carries. */
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

/** HTTP does not care about the case of a header's name; people do. */
function titleCase(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

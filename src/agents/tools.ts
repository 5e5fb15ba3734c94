import { type FieldError, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { TokenType } from '../base/token-types.ts'
import type { ProgramScope } from '../database/tables.ts'
import { type About, toolList } from './tool-list.ts'

/*
 * The tools of agents. Each is one operation of the API. Its arguments are those of /openapi.json, from
 * path, query and body. Its permissions are those of its route.
 */

interface Schema {
  [keyword: string]: unknown
  $ref?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
}

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** The parts of an OpenAPI document that tools use. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A request to the API. */
interface ApiRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** A tool in the format of `tools/list`. */
interface ShownTool {
  name: string
  title: string
  description: string
  inputSchema: object
  outputSchema: object
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

export interface Tool {
  /** Its route, as in `knownRoutes`. */
  method: string
  url: string
  /** The allowed callers; undefined for all callers of its route. */
  access: readonly TokenType[] | undefined
  /** The scope that a program needs. */
  scope: ProgramScope
  shown: ShownTool
  details: About['details']
  /** Converts the answer; undefined if it is that of the operation. */
  answer: NonNullable<About['short']>['answer'] | undefined
  /** Returns the request for a call. Throws validation_failed. */
  request(args: Record<string, unknown>): ApiRequest
  /**
   * Returns the booking whose manage link the request needs. Undefined for requests with the caller's
   * credential.
   */
  bookingOf(args: Record<string, unknown>): string | undefined
}

/** `path`, `query`, `header` or `body`, or `booking` for the booking whose manage link is used. */
type Place = string

/** Returns the tools of an API. Tools of the same name have different callers. */
export function toolsOf(document: ApiDocument): Tool[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return toolList.map((own) => {
    const found = operations.find(({ operation }) => operation.operationId === own.operation)
    if (!found) throw new Error(`the API has no operation ${own.operation}`)
    return toolOf(document, { ...found, own })
  })
}

function toolOf(
  document: ApiDocument,
  { own, path, method, operation }: { own: About; path: string; method: string; operation: Operation },
): Tool {
  const { places, properties, required } = argumentsOf(document, operation, own)
  const { short, byManageLink } = own
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    access: own.access,
    scope: own.reads ? 'read' : own.manages ? 'manage' : 'book',
    shown: {
      name: own.name,
      title: own.title,
      description: own.description,
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
      outputSchema: answerSchema(document, operation, short?.schema),
      annotations: {
        readOnlyHint: own.reads ?? false,
        destructiveHint: own.destroys ?? false,
        idempotentHint: method !== 'POST',
        openWorldHint: false,
      },
    },
    details: own.details,
    answer: short?.answer,
    request: (args) => requestOf(args, { method, path, places, required, own: short?.arguments }),
    bookingOf: ({ id }) => (byManageLink ? String(id) : undefined),
  }
}

const problemSchema = {
  type: 'object',
  description: 'A refusal, with isError.',
  properties: {
    code: { type: 'string' },
    status: { type: 'integer' },
    title: { type: 'string' },
    detail: { type: 'string' },
    errors: { type: 'array', items: { type: 'object' } },
    alternatives: { type: 'array', items: { type: 'object' } },
  },
  required: ['code', 'status', 'title', 'detail'],
}

/** Returns the schema of a tool's answer: the success response of its operation, or a problem. */
function answerSchema(document: ApiDocument, { responses = {} }: Operation, short: object | undefined) {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const own = success?.content?.['application/json']?.schema ?? { type: 'object', properties: {} }
  const schema = short ? (JSON.parse(JSON.stringify(short)) as Schema) : own
  return { type: 'object', anyOf: [whole(document, schema, withoutWords), problemSchema] }
}

/** Returns the arguments of an operation, each with a unique name and its location in the request. */
function argumentsOf(
  document: ApiDocument,
  { parameters = [], requestBody }: Operation,
  { only, short, byManageLink }: About,
) {
  const body = whole(document, requestBody?.content['application/json']?.schema ?? {})
  const all = [
    ...parameters.map(({ name, in: place, required = false, schema, description }) => ({
      name: name === 'Idempotency-Key' ? 'idempotency_key' : name,
      place,
      required,
      schema: { ...whole(document, schema), ...(description !== undefined && { description }) },
    })),
    ...Object.entries(body.properties ?? {}).map(([name, schema]) => ({
      ...{ name, schema, place: 'body' },
      required: body.required?.includes(name) ?? false,
    })),
  ]
  const isAsked = (name: string) => only?.includes(`${name}!`) ?? false
  const kept = [...(byManageLink ? [bookingArgument] : []), ...all].filter(
    ({ name }) =>
      name !== 'If-Match' &&
      !short?.arguments?.replaced.includes(name) &&
      (!only || only.includes(name) || isAsked(name)),
  )
  const own = short?.arguments
  return {
    places: new Map(kept.map(({ name, place }) => [name, place])),
    properties: { ...Object.fromEntries(kept.map(({ name, schema }) => [name, schema])), ...own?.schemas },
    required: [
      ...kept.flatMap(({ name, required }) => (required || isAsked(name) ? [name] : [])),
      ...(own?.required ?? []),
    ],
  }
}

const bookingArgument = {
  name: 'id',
  place: 'booking',
  required: true,
  schema: { type: 'string', format: 'uuid', maxLength: 36, description: 'The id of the booking.' },
}

/** Keywords for human readers, which answers omit because their names explain themselves. */
const withoutWords = ['description', 'examples']

/**
 * Returns a schema without references, titles and other `dropped` keywords, because an agent sees nothing
 * else.
 */
function whole(document: ApiDocument, schema: Schema, dropped: readonly string[] = []): Schema {
  const { $ref, ...own } = schema
  if ($ref !== undefined) {
    const referred = document.components.schemas[$ref.split('/').at(-1) ?? '']
    return whole(document, { ...referred, ...own }, dropped)
  }
  const part = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(part)
      : isObject(value)
        ? whole(document, value as Schema, dropped)
        : value
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== 'title' && !dropped.includes(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'properties')
        return [
          keyword,
          Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, part(member)])),
        ]
      return [keyword, ['items', 'anyOf'].includes(keyword) ? part(value) : value]
    }),
  )
}

interface Target {
  method: string
  path: string
  places: Map<string, Place>
  required: string[]
  /** The tool's own arguments. */
  own: NonNullable<About['short']>['arguments']
}

function requestOf(
  all: Record<string, unknown>,
  { method, path, places, required, own }: Target,
): ApiRequest {
  const isOwn = (name: string) => own !== undefined && Object.hasOwn(own.schemas, name)
  const args = Object.fromEntries(Object.entries(all).filter(([name]) => !isOwn(name)))
  const given = Object.entries(args).filter(([name, value]) => value !== null || places.get(name) === 'body')
  const faults = [
    ...given.flatMap(([name, value]) => faultOf(name, value, places.get(name))),
    // the API itself reports missing members of its query and body
    ...required.flatMap((name) =>
      ['path', 'booking'].includes(places.get(name) ?? '') && !given.some(([one]) => one === name)
        ? [{ pointer: `/${name}`, code: 'required', detail: 'is required' }]
        : [],
    ),
    ...(own?.faults(all) ?? []),
  ]
  if (faults.length > 0) throw validationProblem(faults)
  const meant = own ? Object.entries(own.meant(all)).filter(([name]) => own.replaced.includes(name)) : []
  const of = (place: Place) => given.filter(([name]) => places.get(name) === place)
  const query = new URLSearchParams(
    [...of('query'), ...meant].map(([name, value]) => [name, String(value)]),
  ).toString()
  const bound = of('path').reduce((url, [name, value]) => url.replace(`{${name}}`, String(value)), path)
  const [key] = of('header')
  const hasBody = [...places.values()].includes('body')
  return {
    method,
    url: query === '' ? bound : `${bound}?${query}`,
    headers: {
      ...(key && { 'idempotency-key': String(key[1]) }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    body: hasBody ? JSON.stringify(Object.fromEntries(of('body'))) : undefined,
  }
}

const maxEchoLength = 64

function faultOf(name: string, value: unknown, place: Place | undefined): FieldError[] {
  const pointer = `/${name.slice(0, maxEchoLength).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
  if (place === undefined) {
    return [{ pointer, code: 'unknown_field', detail: 'is not known here; leave it out' }]
  }
  if (place === 'body') return []
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    return [{ pointer, code: 'wrong_type', detail: 'must be of type string' }]
  }
  // any other text could change the path
  if (['path', 'booking'].includes(place) && !isUuid(String(value))) {
    return [{ pointer, code: 'invalid_format', detail: 'must be a UUID' }]
  }
  return []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

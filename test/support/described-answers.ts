import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { isUuid } from '../../src/base/ids.ts'

/*
 * Compares replies with their description in /openapi.json. Every reply that a test gets through `call()` goes through
 * here, so the scenario tests prove the document.
 */

/** A reply in a test, and the request that it answers. */
export interface Answer {
  method: string
  /** As sent, with its query. */
  url: string
  status: number
  body: unknown
  headers: Record<string, string | undefined>
}

interface Media {
  schema?: object
}

interface DescribedResponse {
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

interface Operation {
  responses: Record<string, DescribedResponse>
}

/** The parts of an OpenAPI document that this file reads. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties?: Record<string, unknown> }>; headers: object }
}

/** Returns the faults of an answer in words, or an empty list. */
type Comparison = (answer: Answer) => string[]

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

/** Described headers that are not in every response. */
const sometimes = ['Retry-After', 'Idempotent-Replayed']

/** Creates a comparison with a document. Schemas are compiled at their first use. */
export function compareWith(described: OpenApiDocument): Comparison {
  const document = closed(described)
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('date-time', dateTime)
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
  ajv.addFormat('email', true)
  ajv.addSchema({ $id: 'document', ...document })
  const compiled = new Map<object, ValidateFunction>()
  const validatorOf = (schema: object): ValidateFunction => {
    const known = compiled.get(schema)
    if (known) return known
    const validate = ajv.compile(absolute(schema))
    compiled.set(schema, validate)
    return validate
  }
  const operationOf = operationFinder(document)

  return (answer) => {
    const { method, status } = answer
    if (method === 'OPTIONS' || (isPageForPeople(answer) && anywhere.includes(status))) return []
    const operation = operationOf(answer)
    const code = codeOf(answer.body)
    if (!operation) {
      return isPageForPeople(answer) ||
        ['not_found', 'method_not_allowed', 'rate_limited', 'unavailable'].includes(code ?? '') ||
        (method === 'HEAD' && [404, 405].includes(status))
        ? []
        : [`${method} ${answer.url} is in no document, but answers ${status}`]
    }
    const response = operation.responses[status]
    if (!response) return [`${status} ${code ?? ''} is not among its answers`]
    return [
      ...headerErrors(response, answer),
      ...(method === 'HEAD' || isPageForPeople(answer) ? [] : bodyErrors(response, answer, validatorOf)),
      ...(code === undefined ? [] : memberErrors(document, code, answer.body)),
    ]
  }
}

/** Statuses of pages that are in no document. */
const anywhere = [429, 500, 503]

/** Outside the API, people get a page instead of a problem document. The document describes the answers to programs. */
function isPageForPeople({ url, status, headers }: Answer): boolean {
  return (
    status >= 400 && !url.startsWith('/api/v1') && plainType(headers['content-type'] ?? '') === 'text/html'
  )
}

/** Turns references within the document into absolute ones. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')) as object
}

/** An undescribed member could be a secret. Objects have no others, unless their schema allows it. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]))
  const isOpen = parts['type'] === 'object' && Object.keys(parts['properties'] ?? {}).length > 0
  return (isOpen ? { additionalProperties: false, ...parts } : parts) as T
}

function operationFinder({ paths }: OpenApiDocument) {
  // as in the router, a literal segment precedes a parameter
  const patterns = Object.entries(paths)
    .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, operations]) => ({
      matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
      operations,
    }))
  return ({ method, url }: Answer): Operation | undefined => {
    const path = pathOf(url)
    const found = patterns.find(({ matches }) => path !== undefined && matches.test(path))
    return found && operationIn(found.operations, method)
  }
}

/** Returns the path as the server receives it, or undefined if it cannot be decoded and thus is no URL. */
function pathOf(url: string): string | undefined {
  const { pathname } = new URL(url, 'http://localhost')
  try {
    decodeURIComponent(pathname)
    return pathname
  } catch {
    return undefined
  }
}

function operationIn(operations: Record<string, Operation>, method: string): Operation | undefined {
  return operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
}

function codeOf(body: unknown): string | undefined {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
  return typeof code === 'string' ? code : undefined
}

function headerErrors({ headers = {} }: DescribedResponse, answer: Answer): string[] {
  return Object.keys(headers)
    .filter((name) => !sometimes.includes(name) && answer.headers[name.toLowerCase()] === undefined)
    .map((name) => `the header ${name} is missing`)
}

function bodyErrors(
  { content }: DescribedResponse,
  { body, headers }: Answer,
  validatorOf: (schema: object) => ValidateFunction,
): string[] {
  if (!content) return body === undefined ? [] : ['it has a body']
  const type = plainType(headers['content-type'] ?? 'nothing')
  const described = Object.entries(content).find(([name]) => ['*/*', type].includes(plainType(name)))
  const media = described?.[1]
  if (!media) return [`it is ${type} and not ${Object.keys(content).join(', ')}`]
  if (!media.schema || !type.endsWith('json')) return []
  const validate = validatorOf(media.schema)
  return validate(body)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message = '' }) => `${instancePath || 'the body'} ${message}`,
      )
}

/** Returns a media type without its parameters. */
function plainType(type: string): string {
  return type.split(';', 1)[0] ?? ''
}

/** Problem documents may grow, but their present members are described. */
function memberErrors({ components }: OpenApiDocument, code: string, body: unknown): string[] {
  const schema = Object.values(components.schemas).find(
    ({ properties }) => (properties?.['code'] as { const?: string } | undefined)?.const === code,
  )
  return Object.keys(body as object)
    .filter((name) => schema && !Object.hasOwn(schema.properties ?? {}, name))
    .map((name) => `${code} has a member ${name} that no schema names`)
}

let comparison: Comparison | undefined

/** Throws if a reply of a ready server differs from its document. */
export async function expectDescribed(server: FastifyInstance, answer: Answer): Promise<void> {
  comparison ??= compareWith(await documentOf(server))
  const fieldErrors = comparison(answer)
  if (fieldErrors.length === 0) return
  const told = answer.body === undefined ? 'no body' : JSON.stringify(answer.body).slice(0, 500)
  throw new Error(
    `${answer.method} ${answer.url} answers ${answer.status} not as /openapi.json says:\n- ${fieldErrors.join('\n- ')}\n${told}`,
  )
}

/** Returns the OpenAPI document of a ready server, with its pages. */
export async function documentOf(server: FastifyInstance): Promise<OpenApiDocument> {
  return JSON.parse(JSON.stringify(await server.openApi('withPages'))) as OpenApiDocument
}

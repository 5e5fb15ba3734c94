import { mutate } from '../support/mutations.ts'
import type { Random } from '../support/random.ts'
import type { CallOptions } from '../support/test-service.ts'
import type { ApiDocument, Operation, Schema } from './api-document.ts'

/** Valid values by the name of their field. Without them nearly everything would be a 404. */
type KnownValues = Record<string, readonly unknown[]>

/** A request for `call` of a test service. */
export interface FuzzedRequest {
  method: string
  path: string
  options: CallOptions
}

const strangeTexts = [
  ...['', ' ', 'null', '-1', '0', '101', '1e309', '9'.repeat(300), '2147483648', 'NaN', '\u0000'],
  ...['🦊', 'e\u0301', '\u202e', 'ä', 'x'.repeat(600), '%', '%25', '%00', '__proto__', "'--", '{}', '[]'],
  ...['a\r\nX-Injected: yes', 'a\nX-Injected: yes', '%0d%0aX-Injected:%20yes', '1970-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59Z', '10000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '"1"', '"2"', '*', 'W/"1"'],
]
const strangeNumbers = [-1, 0, 1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e300]

/** Removes NUL from header values, because Node refuses it before there is a request. */
function headerText(text: string): string {
  return text.replaceAll('\u0000', '')
}

/** Creates requests from the document: valid ones first, most of which then get a fault. */
export class RequestGenerator {
  private readonly document: ApiDocument
  private readonly random: Random
  private readonly known: KnownValues

  constructor(document: ApiDocument, random: Random, known: KnownValues) {
    this.document = document
    this.random = random
    this.known = known
  }

  request(operation: Operation): FuzzedRequest {
    const headers = { ...this.headersFor(operation), ...this.extraHeaders() }
    const body = this.bodyFor(operation)
    return {
      method: operation.method === 'GET' && this.random.chance(0.1) ? 'HEAD' : operation.method,
      path: this.pathFor(operation) + this.queryFor(operation),
      options: { ...body, headers: { ...('headers' in body ? body.headers : {}), ...headers } },
    }
  }

  private pathFor({ method, path, parameters }: Operation): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const schema = parameters.find((one) => one.name === name)?.schema ?? { type: 'string' }
      const text = this.text(this.value(schema, this.nameOfId(method, path, name)), 0.15)
      // an empty value would make another path
      return encodeURIComponent((text || '-').toWellFormed()).replace(/^\.{1,2}$/, '-')
    })
  }

  /**
   * `/api/v1/services/{id}` takes the values of `service_id`. Changes and deletions take things that nothing else
   * needs, or soon nothing could be booked.
   */
  private nameOfId(method: string, path: string, name: string): string {
    const [, collection] = /\/(\w+)\/\{id\}/.exec(path) ?? []
    if (!collection || name !== 'id') return name
    if (collection === 'businesses') return 'business_id'
    const noun = collection === 'staff' ? 'staff' : collection.slice(0, -1)
    const spare = ['PATCH', 'DELETE'].includes(method) && ['service', 'location', 'staff'].includes(noun)
    return `${spare ? 'spare_' : ''}${noun}_id`
  }

  private queryFor({ parameters }: Operation): string {
    const pairs = parameters
      .filter((one) => one.in === 'query' && (one.required || this.random.chance(0.3)))
      .map(({ name, schema }): [string, string] => [name, this.text(this.value(schema, name), 0.2)])
    if (this.random.chance(0.05)) pairs.push([this.random.of(strangeTexts), this.random.of(strangeTexts)])
    if (this.random.chance(0.03)) pairs.push(...pairs)
    if (pairs.length === 0) return ''
    const encoded = pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
    return `?${encoded.join('&')}${this.random.chance(0.02) ? '&%zz' : ''}`
  }

  private headersFor({ parameters }: Operation): Record<string, string> {
    const taken = parameters.filter((one) => one.in === 'header' && this.random.chance(0.4))
    return Object.fromEntries(
      taken.map(({ name, schema }) => [
        name.toLowerCase(),
        headerText(this.text(this.value(schema, name), 0.3)),
      ]),
    )
  }

  private extraHeaders(): Record<string, string> {
    const names = [
      'origin',
      'x-request-id',
      'if-match',
      'if-none-match',
      'accept',
      'traceparent',
      'x-forwarded-for',
    ]
    return this.random.chance(0.15)
      ? { [this.random.of(names)]: headerText(this.random.of(strangeTexts)) }
      : {}
  }

  private bodyFor({ method, body }: Operation): CallOptions {
    if (method === 'GET') return {}
    if (body === undefined && this.random.chance(0.9)) return {}
    const right = body === undefined ? {} : this.value(body, '')
    const sent = this.random.chance(0.5) ? mutate(right, this.random) : right
    if (this.random.chance(0.96)) return { body: sent ?? null }
    const text = JSON.stringify(sent)
    const type = this.random.of([
      'application/json',
      'application/json; charset=latin1',
      'text/plain',
      'x',
      '',
    ])
    const rawBody = this.random.of([
      text.slice(0, -1),
      `${text}x`,
      '[' + text,
      '',
      '"\\ud800"',
      'x'.repeat(70_000),
    ])
    return { rawBody, headers: { 'content-type': type } }
  }

  /** Returns a value that the schema allows, or one known to be valid there. */
  private value(given: Schema, name: string): unknown {
    const schema = this.document.resolve(given)
    const known = this.known[name]
    // the entries of a list are known, not the list
    if (known && known.length > 0 && schema.type !== 'array' && this.random.chance(0.9)) {
      return this.random.of(known)
    }
    if ('const' in schema) return schema.const
    if (schema.enum) return this.random.of(schema.enum)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives) return this.value(this.random.of(alternatives), name)
    const type = Array.isArray(schema.type) ? this.random.of(schema.type) : schema.type
    switch (type ?? 'string') {
      case 'object':
        return this.object(schema)
      case 'array':
        return Array.from({ length: this.random.below(4) }, () => this.value(schema.items ?? {}, name))
      case 'integer':
      case 'number':
        return this.number(schema)
      case 'boolean':
        return this.random.chance(0.5)
      case 'null':
        return null
      default:
        return this.string(schema)
    }
  }

  private object({ properties = {}, required = [] }: Schema): object {
    const members = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.random.chance(0.4),
    )
    return Object.fromEntries(members.map(([name, schema]) => [name, this.value(schema, name)]))
  }

  private number({ minimum = 0, maximum = 1_000 }: Schema): number {
    if (this.random.chance(0.1)) return this.random.of([minimum - 1, maximum + 1, ...strangeNumbers])
    return minimum + this.random.below(maximum - minimum + 1)
  }

  private string({ format, minLength = 0, maxLength = 40 }: Schema): string {
    const day = String(1 + this.random.below(28)).padStart(2, '0')
    if (format === 'uuid')
      return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-8${this.hex(3)}-${this.hex(12)}`
    if (format === 'date-time' || format === 'instant') return `2027-06-${day}T10:00:00+02:00`
    if (format === 'date') return `2027-06-${day}`
    if (format === 'email') return `${this.hex(6)}@example.com`
    const edge = this.random.of([minLength, minLength + 1, maxLength, maxLength + 1, 5])
    return 'x'.repeat(Math.min(edge, 6_000))
  }

  private hex(digits: number): string {
    return Array.from({ length: digits }, () => this.random.below(16).toString(16)).join('')
  }

  /** Returns the value as text, sometimes in an unexpected form. */
  private text(value: unknown, strange: number): string {
    if (this.random.chance(strange)) return this.random.of(strangeTexts)
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

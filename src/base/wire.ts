import { type Static, type TSchema, Type } from 'typebox'
import { nameFault } from './contact-formats.ts'
import { type FieldError, type ProblemCode, problemKinds } from './errors.ts'
import type { Instant } from './instants.ts'

/*
 * Schemas that routes share. Each is validation, type and description in one. validation.ts defines the keywords
 * `lowercase`, `mailbox`, `timeZone`, `trimmed` and `rule`. It also defines the formats `instant`, `line`, `text` and `email`.
 */

/** A UUID, in lower case after validation. */
export const Id = Type.String({ format: 'uuid', maxLength: 36, lowercase: true })

/** Accepts any text as an ID in a path, because an ID that is not a UUID is a 404. */
export function PathId(noun: string, example: string) {
  return Type.String({ description: `The ID of the ${noun}, a UUID.`, examples: [example] })
}

/** A UUID in a response. */
export const ShownId = Type.String({ format: 'uuid' })

/** An RFC 3339 date-time with an explicit offset. */
export const InstantText = Type.String({
  format: 'instant',
  maxLength: 64,
  description: 'With an offset or `Z`. Fractions of a second are dropped.',
})

/** The same in a query, where validation parses it. */
export function QueryInstant(options: Annotations = {}) {
  return Type.Unsafe<Instant>({ ...InstantText, ...options })
}

/** An instant in a response. */
export const ShownInstant = Type.String({
  format: 'date-time',
  description: 'In whole seconds, with the offset of its zone.',
})

/** One line without control characters. Lengths count code points after trimming and NFC. */
export function Line(min: number, max: number) {
  return Type.String({ format: 'line', minLength: min, maxLength: max })
}

/** Text that may have new lines and tabs. */
export function Text(max: number, options: Annotations = {}) {
  return Type.String({ format: 'text', maxLength: max, ...options })
}

export function Nullable<T extends TSchema>(schema: T, options: Annotations = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** A schema with a title becomes a separate type in the API reference and the client. */
type Annotations = { title?: string; description?: string; examples?: unknown[] }

/** An object that refuses unknown members. */
export function StrictObject<T extends Record<string, TSchema>>(members: T, options: Annotations = {}) {
  return Type.Object(members, { ...options, additionalProperties: false })
}

/**
 * Finds errors that the schema cannot express. Pointers begin at the value. Gets undefined in place of members and
 * entries that violate the schema.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each rule declares its own type
export type Rule = (value: any) => FieldError[]

export function Ruled<T extends TSchema>(schema: T, rule: Rule) {
  return Type.Unsafe<Static<T>>({ ...schema, rule })
}

/** A name that emails show to strangers: one line without a web address. */
export function UnlinkedName(max: number) {
  return Ruled(Line(1, max), nameErrors)
}

function nameErrors(name: string): FieldError[] {
  const fault = nameFault(name)
  if (fault === 'direction')
    return [
      {
        ...{ pointer: '', code: 'invalid_format' },
        detail: 'must not contain characters that change the direction of text (U+202A–202E, U+2066–2069)',
      },
    ]
  if (fault === undefined) return []
  return [{ pointer: '', code: 'web_address', detail: 'must not contain a web address (:// or www.)' }]
}

/** A client's email address, with its domain in Unicode after validation. */
export function ClientEmail(options: { minLength?: number; description?: string } = {}) {
  return Type.String({ format: 'email', maxLength: 254, mailbox: true, ...options })
}

/** A schema of a query parameter. The text is trimmed first, like the strings of bodies. */
export function Trimmed<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>({ ...schema, trimmed: true })
}

/** For changes: the value, or null to clear it. The short form gives one error for an invalid value. */
export function OrNull<T extends TSchema>(schema: T) {
  const { title: _, ...rest } = schema as T & { type?: string; title?: string; description?: string }
  const description = [rest.description, 'Null clears it.'].filter(Boolean).join(' ')
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [rest.type, 'null'], description })
}

/** For operations that take no body (absent or `{}`) or no query parameters. */
export const EmptyObject = StrictObject({})

/** The query parameters of every list. Validation turns the limit into a number. */
export const listParameters = {
  limit: Type.Optional(
    Type.Unsafe<number | undefined>({
      ...Type.String(),
      format: 'limit',
      maxLength: 3,
      description: 'The maximum number of entries.',
    }),
  ),
  cursor: Type.Optional(
    Type.Unsafe<string | undefined>({
      ...Type.String(),
      minLength: 1,
      maxLength: 500,
      description: '`next_cursor` of the previous page. Absent for the first page.',
    }),
  ),
}

/** One page of a list: up to `limit` items, and the cursor of the next page or null. */
export function Page<T extends TSchema>(item: T, options: Annotations) {
  const next = Nullable(Type.String(), {
    description: 'The `cursor` of the next page. Null on the last page.',
  })
  return Type.Object({ data: Type.Array(item), next_cursor: next }, options)
}

/** A problem document (RFC 9457) with one of these codes, and any extension members. */
function problemDocument(codes: readonly ProblemCode[]) {
  return Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      code: Type.Unsafe<ProblemCode>({ type: 'string', enum: codes }),
      request_id: Type.String(),
      errors: Type.Optional(
        Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
      ),
    },
    { additionalProperties: true },
  )
}

type ProblemDocument = ReturnType<typeof problemDocument>

/**
 * Response schemas by status, for the codes that the operation of a route throws. http/openapi.ts adds the codes that
 * follow from how every route works (keys, limits, bodies, validation, path IDs).
 */
export function problems(...codes: ProblemCode[]): Record<number, ProblemDocument> {
  const byStatus = Map.groupBy(codes, (code) => problemKinds[code].status)
  return Object.fromEntries(Array.from(byStatus, ([status, ofStatus]) => [status, problemDocument(ofStatus)]))
}

/** A response of one media type that is sent as text, unserialised. */
export function Media(mediaType: string, description: string, schema: TSchema = Type.String()) {
  return { description, content: { [mediaType]: { schema } } }
}

export type ProblemBody = Static<ProblemDocument>

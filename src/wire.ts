import { Type, type Static, type TSchema } from 'typebox'
import { problemKinds, type Fault, type ProblemCode } from './errors.ts'

/*
 * Pieces of the wire format that all routes share. One schema is validation, type and serialisation.
 * The keywords `lowercase`, `timeZone` and `rule` and the formats `instant`, `line`, `text` and `email` are defined in
 * http/validation.ts.
 */

/** A UUID, in lower case after validation. */
export const Id = Type.String({ format: 'uuid', maxLength: 36, lowercase: true })

/** An id in a path. What is no UUID there is answered as unknown, so the schema lets any text through. */
export function PathId(noun: string, example: string) {
  return Type.String({ description: `The id of the ${noun}, a UUID.`, examples: [example] })
}

/** A UUID as answers show it. */
export const ShownId = Type.String({ format: 'uuid' })

/** An RFC 3339 date-time with an explicit offset. */
export const InstantText = Type.String({
  format: 'instant',
  maxLength: 64,
  description: 'With an offset or `Z`; fractions of a second are cut off.',
})

/** An instant as answers show it. */
export const ShownInstant = Type.String({
  format: 'date-time',
  description: 'Whole seconds, with the offset of its zone.',
})

/** One line of text: no control characters; trimmed and NFC before it is measured in code points. */
export function Line(least: number, most: number) {
  return Type.String({ format: 'line', minLength: least, maxLength: most })
}

/** Text in which new lines and tabs are fine. */
export function Text(most: number) {
  return Type.String({ format: 'text', maxLength: most })
}

/** What the schema says, or null. */
export function Nullable<T extends TSchema>(schema: T, options: Annotations = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** What a schema says for people; one with a title is a type of its own in the API reference and the client. */
type Annotations = { title?: string; description?: string; examples?: unknown[] }

/** An object that refuses unknown members. */
export function Closed<T extends Record<string, TSchema>>(members: T, options: Annotations = {}) {
  return Type.Object(members, { ...options, additionalProperties: false })
}

/**
 * Finds what is wrong with a value although its schema holds; each pointer begins at the value. It is handed what
 * fits the schema, with undefined in place of members of an object and entries of a list that do not.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each rule says what it is handed
export type Rule = (value: any) => Fault[]

/** The schema with a rule that its values keep besides. */
export function Ruled<T extends TSchema>(schema: T, rule: Rule) {
  return Type.Unsafe<Static<T>>({ ...schema, rule })
}

/** For changes: the value, or null to clear it. The short form, in which a fault of the value is one fault. */
export function OrNull<T extends TSchema>(schema: T) {
  const { title: _, ...rest } = schema as T & { type?: string; title?: string; description?: string }
  const description = [rest.description, 'Null clears it.'].filter(Boolean).join(' ')
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [rest.type, 'null'], description })
}

/** For operations that take no body (absent or `{}`) or no query parameters. */
export const Nothing = Closed({})

/** The query parameters that every list takes. */
export const listParameters = {
  limit: Type.Optional(
    Type.String({ format: 'limit', maxLength: 3, description: 'How many entries the page has at most.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: '`next_cursor` of the page before; absent for the first page.',
    }),
  ),
}

const defaultLimit = 20

/** The number of rows asked for; the schema has checked the text. */
export function readLimit(text: string | undefined): number {
  return text === undefined ? defaultLimit : Number(text)
}

/** One page of a list: up to the limit, and the cursor of the next page or null. */
export function Page<T extends TSchema>(item: T, options: Annotations) {
  const next = Nullable(Type.String(), { description: 'For `cursor`; null on the last page.' })
  return Type.Object({ data: Type.Array(item), next_cursor: next }, options)
}

/** A problem document (RFC 9457) with one of these codes. Extension members come beside these. */
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
 * Response schemas for the codes that the operation of a route throws, by status. What follows from how
 * every route works (keys, limits, bodies, validation, path ids) is added in http/openapi-problems.ts.
 */
export function problems(...codes: ProblemCode[]): Record<number, ProblemDocument> {
  const byStatus = Map.groupBy(codes, (code) => problemKinds[code].status)
  return Object.fromEntries(Array.from(byStatus, ([status, ofStatus]) => [status, problemDocument(ofStatus)]))
}

/** A response of one media type that no serialiser touches: it is sent as text. */
export function Media(mediaType: string, description: string, schema: TSchema = Type.String()) {
  return { description, content: { [mediaType]: { schema } } }
}

/** What a page of rows, read one longer than the limit, and its cursor are made of. */
export function pageOf<Row, Item>(
  rows: Row[],
  limit: number,
  parts: { present: (row: Row) => Item; cursor: (row: Row) => string[] },
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map(parts.present), next_cursor: last ? encodeCursor(parts.cursor(last)) : null }
}

/** The cursor that names a place. */
export function encodeCursor(place: string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The place that a cursor names; undefined when it is none of ours with that many parts. */
export function decodeCursor(cursor: string, parts: number): string[] | undefined {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const fits =
      Array.isArray(place) && place.length === parts && place.every((part) => typeof part === 'string')
    return fits ? place : undefined
  } catch {
    return undefined
  }
}

/** A problem document (RFC 9457) as it is sent. */
export type ProblemBody = Static<ProblemDocument>

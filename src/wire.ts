import { Type, type Static, type TSchema } from 'typebox'
import { problemKinds, type ProblemCode } from './errors.ts'

/*
 * Pieces of the wire format that all routes share. One schema is validation, type and serialisation.
 * The keyword `lowercase` and the formats `instant`, `line`, `text` and `email` are defined in
 * http/validation.ts.
 */

/** A UUID, in lower case after validation. */
export const Id = Type.String({ format: 'uuid', maxLength: 36, lowercase: true })

/** An RFC 3339 date-time with an explicit offset. */
export const InstantText = Type.String({ format: 'instant', maxLength: 64 })

/** One line of text: no control characters; trimmed and NFC before it is measured in code points. */
export function Line(least: number, most: number) {
  return Type.String({ format: 'line', minLength: least, maxLength: most })
}

/** Text in which new lines and tabs are fine. */
export function Text(most: number) {
  return Type.String({ format: 'text', maxLength: most })
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** An object that refuses unknown members. */
export function Closed<T extends Record<string, TSchema>>(members: T) {
  return Type.Object(members, { additionalProperties: false })
}

/** For operations that take no body (absent or `{}`) or no query parameters. */
export const Nothing = Closed({})

/** The query parameters that every list takes. */
export const listParameters = {
  limit: Type.Optional(Type.String({ format: 'limit', maxLength: 3 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
}

const defaultLimit = 20

/** The number of rows asked for; the schema has checked the text. */
export function readLimit(text: string | undefined): number {
  return text === undefined ? defaultLimit : Number(text)
}

/** One page of a list: up to the limit, and the cursor of the next page or null. */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({ data: Type.Array(item), next_cursor: Nullable(Type.String()) })
}

/** A problem document (RFC 9457). Extension members come beside these. */
export const ProblemDocument = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
    ),
  },
  { additionalProperties: true },
)

/** Response schemas for the statuses of these problem codes. */
export function problems(...codes: ProblemCode[]): Record<number, typeof ProblemDocument> {
  return Object.fromEntries(codes.map((code) => [problemKinds[code].status, ProblemDocument]))
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

function encodeCursor(place: string[]): string {
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

export type ProblemBody = Static<typeof ProblemDocument>

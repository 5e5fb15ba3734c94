import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox'
import { OrNull } from '../base/wire.ts'

/*
 * Fields whose column has the same name and value. One table of them defines an item's schemas, and drives
 * reading, writing, export and import.
 */

interface PlainField {
  /** The schema in answers. */
  shown: TSchema
  /** The schema in creations and changes. */
  input: TSchema
  /**
   * The default, or a function that derives it from the other fields. Absent if every creation must have the
   * field.
   */
  usual?: unknown
  /** True if a file contains the field even with its default. */
  always?: true
}

type PlainFields = Record<string, PlainField>

type Shown<Field extends PlainField> = Static<Field['shown']>

type PlainValues<Fields extends PlainFields> = { [Name in keyof Fields]: Shown<Fields[Name]> }

type Clearable<Field extends PlainField> =
  null extends Shown<Field> ? TUnsafe<Static<Field['input']> | null> : Field['input']

export function shownMembers<Fields extends PlainFields>(fields: Fields) {
  type Members = { [Name in keyof Fields]: Fields[Name]['shown'] }
  return eachOf(fields, ({ shown }) => shown) as Members
}

export function creationMembers<Fields extends PlainFields>(fields: Fields) {
  type Member<Field extends PlainField> = Field extends { usual: unknown }
    ? TOptional<Field['input']>
    : Field['input']
  type Members = { [Name in keyof Fields]: Member<Fields[Name]> }
  return eachOf(fields, ({ input, ...field }) => ('usual' in field ? Type.Optional(input) : input)) as Members
}

export function changeMembers<Fields extends PlainFields>(fields: Fields) {
  type Members = { [Name in keyof Fields]: TOptional<Clearable<Fields[Name]>> }
  return eachOf(fields, (field) => Type.Optional(clearable(field))) as Members
}

/**
 * Returns the members of a creation, but nullable if null is not the default. An entry of a file lists only
 * differences from the default.
 */
export function entryMembers<Fields extends PlainFields>(fields: Fields) {
  type Member<Field extends PlainField> = Field extends { usual: infer Usual }
    ? TOptional<Usual extends null ? Field['input'] : Clearable<Field>>
    : Field['input']
  type Members = { [Name in keyof Fields]: Member<Fields[Name]> }
  return eachOf(fields, (field) => {
    if (!('usual' in field)) return field.input
    return Type.Optional(field.usual === null ? field.input : clearable(field))
  }) as Members
}

function clearable({ shown, input }: PlainField): TSchema {
  const kinds = 'anyOf' in shown ? (shown.anyOf as { type?: string }[]) : [] // the format of `Nullable`
  return kinds.some(({ type }) => type === 'null') ? OrNull(input) : input
}

function eachOf(
  fields: PlainFields,
  map: (field: PlainField, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(field, name)]))
}

/** Returns the plain fields of an item or a row. */
export function plainOf<Fields extends PlainFields>(
  fields: Fields,
  item: PlainValues<Fields>,
): PlainValues<Fields> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) values[name] = item[name] // a loop, because hundreds of rows are read at once
  return values as PlainValues<Fields>
}

type UsualNames<Fields extends PlainFields> = {
  [Name in keyof Fields]: Fields[Name] extends { usual: unknown } ? Name : never
}[keyof Fields]

type EntryValue<Field extends PlainField> = Field extends { usual: null }
  ? NonNullable<Shown<Field>>
  : Shown<Field>

/** The plain fields without those that have their default. */
export type PlainEntry<Fields extends PlainFields> = {
  [Name in Exclude<keyof Fields, UsualNames<Fields>>]: EntryValue<Fields[Name]>
} & { [Name in UsualNames<Fields>]?: EntryValue<Fields[Name]> }

/** Fills in the defaults. */
export function completed<Fields extends PlainFields>(
  fields: Fields,
  given: PlainEntry<Fields>,
): PlainValues<Fields> {
  const values: Record<string, unknown> = { ...given }
  return eachOf(fields, ({ usual }, name) =>
    name in values ? values[name] : usualOf(usual, given),
  ) as PlainValues<Fields>
}

/** Omits defaults, as files do. */
export function unusual<Fields extends PlainFields>(
  fields: Fields,
  item: PlainValues<Fields>,
): PlainEntry<Fields> {
  const differing = Object.entries(fields).filter(
    ([name, field]) => !('usual' in field) || field.always || item[name] !== usualOf(field.usual, item),
  )
  return Object.fromEntries(differing.map(([name]) => [name, item[name]])) as PlainEntry<Fields>
}

function usualOf(usual: unknown, others: object): unknown {
  return typeof usual === 'function' ? (usual as (others: object) => unknown)(others) : usual
}

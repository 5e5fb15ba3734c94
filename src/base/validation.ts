import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isEmail, isLine, isPhone, isText, unicodeEmail } from './contact-formats.ts'
import type { FieldError } from './errors.ts'
import { isUuid } from './ids.ts'
import { isDate, parseInstant, readInstant, timeZoneNamed } from './instants.ts'
import { trimmed } from './normalise.ts'
import type { Rule } from './wire.ts'

interface Format {
  holds: (text: string) => boolean
  /** The expected form, for people. */
  expected: string
  /** Converts the text of a query into its value. */
  read?: (text: string) => unknown
}

const formats: Record<string, Format> = {
  uuid: { holds: isUuid, expected: 'must be a UUID' },
  instant: {
    holds: (text) => parseInstant(text) !== undefined,
    expected:
      'must be an existing date and time with an offset or Z, such as 2026-12-01T10:00:00+01:00, in the years 1970 to 9999',
    read: readInstant,
  },
  date: { holds: isDate, expected: 'must be an existing date such as 2026-12-01, in the years 1970 to 9999' },
  line: { holds: isLine, expected: 'must be one line of well-formed text without control characters' },
  text: {
    holds: isText,
    expected: 'must be well-formed text without control characters other than tab and new line',
  },
  email: {
    holds: isEmail,
    expected: 'must be an email address such as ada@example.com, of at most 254 characters',
  },
  phone: { holds: isPhone, expected: 'must be at most 32 digits, spaces and + ( ) - .' },
  'party-size': {
    holds: (text) => /^([1-9]\d?|[1-4]\d\d|500)$/.test(text),
    expected: 'must be a whole number from 1 to 500',
    read: Number,
  },
  limit: {
    holds: (text) => /^([1-9]\d?|100)$/.test(text),
    expected: 'must be a whole number from 1 to 100',
    read: Number,
  },
}

const maxErrors = 100
const maxEchoLength = 64

function createAjv(): Ajv {
  // never coerces, adds or drops anything; refuses values that do not fit
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    verbose: true, // errors carry the value
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
  })
  for (const [name, { holds }] of Object.entries(formats)) ajv.addFormat(name, holds)
  for (const [keyword, spell] of Object.entries(spellings)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'boolean',
      modifying: true,
      errors: false,
      before: 'maxLength', // lengths and formats are those of the new spelling
      validate: respelled(spell),
    })
  }
  ajv.addKeyword({ keyword: 'fieldValue', schemaType: 'boolean', errors: false, validate: isFieldValue })
  addRuleKeyword(ajv)
  return ajv
}

/**
 * Normalised spellings. UUIDs are compared as text, and zones are shown in the spelling of the tz database. A mailbox
 * has one spelling in the database, so that SQL can compare it.
 */
const spellings: Record<string, (text: string) => string> = {
  trimmed,
  mailbox: unicodeEmail,
  lowercase: (text) => text.toLowerCase(),
  timeZone: (text) => timeZoneNamed(text) ?? text,
}

interface Place {
  parentData?: Record<string | number, unknown>
  parentDataProperty: string | number
}

function respelled(spell: (text: string) => string) {
  return (_schema: boolean, text: string, _parentSchema: unknown, place?: Place): boolean => {
    if (place?.parentData) place.parentData[place.parentDataProperty] = spell(text)
    return true
  }
}

/** Accepts any value that some custom field accepts. Each field checks its own. */
function isFieldValue(_schema: boolean, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string' && isText(one))
  if (typeof value === 'string') return isText(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

const ajv = createAjv()

/** Validates a part of a request. `errors` belongs to the last call. */
export interface Validator {
  (value: unknown): boolean
  errors?: ErrorObject[] | null
}

/** Creates a validator that is compiled at its first use, because most processes need few. */
export function compileSchema(schema: object): Validator {
  let validate: ValidateFunction | undefined
  const validator: Validator = (value) => {
    validate ??= ajv.compile(schema)
    const holds = validate(value)
    validator.errors = validate.errors ?? null
    return holds
  }
  return validator
}

/** Creates a validator for the body of a creation, where an optional null means absent. */
export function compileCreation(schema: object): Validator {
  const validate = compileSchema(schema)
  const validator: Validator = (value) => {
    dropOptionalNulls(schema, value)
    const holds = validate(value)
    validator.errors = validate.errors ?? null
    return holds
  }
  return validator
}

/**
 * Creates a validator for a query. Makes a list of a parameter that may be repeated, and an object of `name[key]=value`.
 * If the query is valid, it converts texts of numbers and instants in place.
 */
export function compileQuery(schema: object): Validator {
  const validate = compileSchema(schema)
  const { properties = {} } = schema as ObjectOrArraySchema
  const named = (type: string) => Object.keys(properties).filter((name) => properties[name]?.type === type)
  const [lists, objects] = [named('array'), named('object')]
  const readers = Object.entries(properties).flatMap(([name, { format = '' }]) => {
    const read = formats[format]?.read
    return read ? [[name, read] as const] : []
  })
  const validator: Validator = (value) => {
    const given = value as Record<string, unknown> // the parser of queries makes objects
    for (const name of lists) if (typeof given[name] === 'string') given[name] = [given[name]]
    for (const name of objects) gatherMembers(given, name)
    const holds = validate(value)
    validator.errors = validate.errors?.map((error) => ofParameter(error, lists)) ?? null
    const query = holds ? given : {}
    for (const [name, read] of readers) {
      const text = query[name]
      if (typeof text === 'string') query[name] = read(text)
    }
    return holds
  }
  return validator
}

/** Names the parameter, not its position. */
function ofParameter(error: ErrorObject, lists: string[]): ErrorObject {
  const name = lists.find((one) => error.instancePath.startsWith(`/${one}/`))
  return name === undefined ? error : { ...error, instancePath: `/${name}` }
}

/** Moves `name[key]` parameters into one object. */
function gatherMembers(query: Record<string, unknown>, name: string): void {
  const members = Object.entries(query).filter(([key]) => key.startsWith(`${name}[`) && key.endsWith(']'))
  if (members.length === 0) return
  query[name] = Object.fromEntries(members.map(([key, value]) => [key.slice(name.length + 1, -1), value]))
  for (const [key] of members) Reflect.deleteProperty(query, key)
}

interface ObjectOrArraySchema {
  type?: string | string[]
  format?: string
  properties?: Record<string, ObjectOrArraySchema>
  required?: string[]
  items?: object
}

/**
 * Drops known members only, because an unknown one is refused whatever its value. If null has a meaning, as in imported
 * files, the schema allows it.
 */
function dropOptionalNulls(schema: ObjectOrArraySchema, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) dropOptionalNulls(schema.items ?? {}, item)
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown> // created by our own parser
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const isMeant = member.type?.includes('null') || schema.required?.includes(name)
      if (members[name] === null && !isMeant) Reflect.deleteProperty(members, name)
      else dropOptionalNulls(member, members[name])
    }
  }
}

/**
 * Turns the errors of a validation into at most one per pointer. An error of a format is more useful than one of a
 * length.
 */
export function fieldErrorsOf(errors: ErrorObject[]): FieldError[] {
  const byPointer = new Map<string, FieldError>()
  for (const error of errors) {
    const fieldError = error.keyword === 'rule' ? fieldErrorOfRule(error) : toFieldError(error)
    const { pointer } = fieldError
    const isNew = !byPointer.has(pointer) && byPointer.size < maxErrors
    const known = byPointer.get(pointer)?.code
    // a rule sees no wrong values, and takes them for missing ones
    const saysMore = (error.keyword === 'format' && known === 'too_long') || known === 'required'
    if (isNew || saysMore) byPointer.set(pointer, fieldError)
  }
  return [...byPointer.values()]
}

/** Returns a member of a JSON pointer (RFC 6901, section 3), truncated. */
function pointerMember(name: string): string {
  const cut = name.length > maxEchoLength ? `${name.slice(0, maxEchoLength)}…` : name
  return `/${cut.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function toFieldError({ instancePath, keyword, params, data }: ErrorObject): FieldError {
  const fieldError = (code: string, detail: string, member = '') => ({
    pointer: instancePath + member,
    code,
    detail,
  })
  const count = String(params.limit)
  switch (keyword) {
    case 'required':
      return fieldError('required', 'is required', pointerMember(String(params.missingProperty)))
    case 'additionalProperties':
      return fieldError(
        'unknown_field',
        'is not known here; leave it out',
        pointerMember(String(params.additionalProperty)),
      )
    case 'type':
      return fieldError('wrong_type', `must be of type ${String(params.type).replace(',', ' or ')}`)
    case 'format':
      return fieldError('invalid_format', expectedOf(String(params.format), data))
    case 'minLength':
      return fieldError(
        'too_short',
        count === '1' ? 'must not be empty' : `must have at least ${count} characters`,
      )
    case 'maxLength':
      return fieldError('too_long', `must have at most ${count} characters`)
    case 'minItems':
      return fieldError('too_few', `must have at least ${count} ${count === '1' ? 'entry' : 'entries'}`)
    case 'maxItems':
      return fieldError('too_many', `must have at most ${count} entries`)
    case 'uniqueItems':
      return fieldError('repeated', 'must not name anything twice')
    case 'minimum':
      return fieldError('out_of_range', `must be at least ${count}`)
    case 'maximum':
      return fieldError('out_of_range', `must be at most ${count}`)
    case 'enum':
      // our enums contain strings only
      return fieldError('not_allowed', `must be one of: ${(params.allowedValues as string[]).join(', ')}`)
    case 'fieldValue':
      return fieldError(
        'wrong_type',
        'must be text without control characters, a number, true, false or a list of texts',
      )
    default:
      return fieldError('invalid', 'is not valid')
  }
}

/**
 * Describes the expected format. If a text lost its `+` in a query, where it means a space, explains how to keep it.
 */
function expectedOf(name: string, value: unknown): string {
  const format = formats[name]
  if (!format) return 'has the wrong form'
  const text = String(value)
  const lostPlus = text.includes(' ') && format.holds(text.replaceAll(' ', '+'))
  return lostPlus ? `${format.expected}; write + as %2B in a query` : format.expected
}

interface RuledSchema {
  type?: string | string[]
  rule?: Rule
  properties?: Record<string, object>
  items?: object
  maxItems?: number
}

/** Ajv's interface to compiled keywords. */
interface Check {
  (value: unknown, place?: { instancePath: string }): boolean
  errors?: Partial<ErrorObject>[]
}

/**
 * Adds the keyword `rule`: a pure function finds errors that no other keyword can express, such as overlapping opening
 * hours. It gets undefined in place of members and entries that violate the rest of the schema. So one response names
 * the errors of both kinds.
 */
function addRuleKeyword(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'rule',
    errors: 'full',
    compile: (rule: Rule, parent) => {
      const fitting = fittingPart(ajv, parent as RuledSchema)
      const validate: Check = (value, place) => {
        const part = fitting(value)
        const fieldErrors = part === undefined ? [] : rule(part)
        validate.errors = fieldErrors.map((fieldError) => ({
          keyword: 'rule',
          instancePath: (place?.instancePath ?? '') + fieldError.pointer,
          params: { fieldError },
        }))
        return fieldErrors.length === 0
      }
      return validate
    },
  })
}

function fieldErrorOfRule({ instancePath, params }: ErrorObject) {
  const { code, detail } = (params as { fieldError: ReturnType<Rule>[number] }).fieldError // created above
  return { pointer: instancePath, code, detail }
}

type Fitting = (value: unknown) => unknown

function fittingPart(ajv: Ajv, schema: RuledSchema): Fitting {
  const types = [schema.type].flat()
  if (types.includes('object') && schema.properties) return fittingMembers(ajv, schema.properties)
  if (types.includes('array')) return fittingEntries(ajv, schema)
  const { rule: _, ...rest } = schema
  const fits = ajv.compile(rest)
  return (value) => (value !== null && fits(value) ? value : undefined)
}

function fittingMembers(ajv: Ajv, properties: Record<string, object>): Fitting {
  const members = Object.entries(properties).map(([name, schema]) => [name, ajv.compile(schema)] as const)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const given = value as Record<string, unknown>
    const known = members.filter(([name]) => Object.hasOwn(given, name))
    return Object.fromEntries(
      known.map(([name, fits]) => [name, fits(given[name]) ? given[name] : undefined]),
    )
  }
}

function fittingEntries(ajv: Ajv, { items = {}, maxItems = Infinity }: RuledSchema): Fitting {
  const fitting = fittingPart(ajv, items)
  return (value) => (Array.isArray(value) && value.length <= maxItems ? value.map(fitting) : undefined)
}

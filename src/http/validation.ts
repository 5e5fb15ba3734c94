import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isEmail, isLine, isPhone, isText } from '../contact-formats.ts'
import type { Fault } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { isDate, parseInstant, timeZoneNamed } from '../instants.ts'
import { addRuleKeyword, faultOfRule } from './rule-keyword.ts'

/** The formats that schemas name: how each is checked, and what a person is told. */
const formats: Record<string, { holds: (text: string) => boolean; expected: string }> = {
  uuid: { holds: isUuid, expected: 'must be a UUID' },
  instant: {
    holds: (text) => parseInstant(text) !== undefined,
    expected:
      'must be an existing date and time with an offset or Z, such as 2026-12-01T10:00:00+01:00, in the years 1970 to 9999',
  },
  date: { holds: isDate, expected: 'must be an existing date such as 2026-12-01, in the years 1970 to 9999' },
  line: { holds: isLine, expected: 'must be one line of well-formed text without control characters' },
  text: { holds: isText, expected: 'must be well-formed text; of control characters only tab and new line' },
  email: {
    holds: isEmail,
    expected: 'must be an e-mail address such as ada@example.com, of at most 254 characters',
  },
  phone: { holds: isPhone, expected: 'must be at most 32 digits, spaces and + ( ) - .' },
  limit: { holds: (text) => /^([1-9]\d?|100)$/.test(text), expected: 'must be a whole number from 1 to 100' },
}

const mostFaults = 100
const longestEcho = 64

function createAjv(): Ajv {
  // nothing is coerced, filled in or left out: what does not fit is refused
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
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
      validate: respelled(spell),
    })
  }
  ajv.addKeyword({ keyword: 'fieldValue', schemaType: 'boolean', errors: false, validate: isFieldValue })
  addRuleKeyword(ajv)
  return ajv
}

/** Texts of which there are several spellings are brought to one: UUIDs are compared as text, zones shown as it is customary. */
const spellings: Record<string, (text: string) => string> = {
  lowercase: (text) => text.toLowerCase(),
  timeZone: (text) => timeZoneNamed(text) ?? text,
}

/** Where a value stands: in what, and under which name. */
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

/** What may answer a custom field at all; which of it does is the field's matter. */
function isFieldValue(_schema: boolean, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string' && isText(one))
  if (typeof value === 'string') return isText(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

const ajv = createAjv()

/** What checks a part of a request, and what it found last. */
export interface Validator {
  (value: unknown): boolean
  errors?: ErrorObject[] | null
}

/** What checks a body, query or path. Compiled at its first use: most of what a server or command knows it never needs. */
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

/** What checks a body that creates something: there an optional null is the same as absent. */
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

interface ObjectOrArraySchema {
  type?: string | string[]
  properties?: Record<string, ObjectOrArraySchema>
  required?: string[]
  items?: object
}

/**
 * Only known members: an unknown one is refused whatever its value. Where null means something, as in imported files, the
 * schema says so.
 */
function dropOptionalNulls(schema: ObjectOrArraySchema, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) dropOptionalNulls(schema.items ?? {}, item)
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown> // made by our own parser
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const isMeant = member.type?.includes('null') || schema.required?.includes(name)
      if (members[name] === null && !isMeant) Reflect.deleteProperty(members, name)
      else dropOptionalNulls(member, members[name])
    }
  }
}

/** The faults that a validation found: at most one for each place, each with what to do about it. */
export function faultsOf(errors: ErrorObject[]): Fault[] {
  const byPointer = new Map<string, Fault>()
  for (const error of errors) {
    const fault = error.keyword === 'rule' ? faultOfRule(error) : toFault(error)
    if (!byPointer.has(fault.pointer) && byPointer.size < mostFaults) byPointer.set(fault.pointer, fault)
  }
  return [...byPointer.values()]
}

/** A member of a JSON pointer (RFC 6901, section 3), cut to a bearable length. */
function pointerMember(name: string): string {
  const cut = name.length > longestEcho ? `${name.slice(0, longestEcho)}…` : name
  return `/${cut.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function toFault({ instancePath, keyword, params }: ErrorObject): Fault {
  const fault = (code: string, detail: string, member = '') => ({
    pointer: instancePath + member,
    code,
    detail,
  })
  const count = String(params.limit)
  switch (keyword) {
    case 'required':
      return fault('required', 'is required', pointerMember(String(params.missingProperty)))
    case 'additionalProperties':
      return fault(
        'unknown_field',
        'is not known here; leave it out',
        pointerMember(String(params.additionalProperty)),
      )
    case 'type':
      return fault('wrong_type', `must be of type ${String(params.type).replace(',', ' or ')}`)
    case 'format':
      return fault('invalid_format', formats[String(params.format)]?.expected ?? 'has the wrong form')
    case 'minLength':
      return fault(
        'too_short',
        count === '1' ? 'must not be empty' : `must have at least ${count} characters`,
      )
    case 'maxLength':
      return fault('too_long', `must have at most ${count} characters`)
    case 'minItems':
      return fault('too_few', `must have at least ${count} ${count === '1' ? 'entry' : 'entries'}`)
    case 'maxItems':
      return fault('too_many', `must have at most ${count} entries`)
    case 'uniqueItems':
      return fault('repeated', 'must not name anything twice')
    case 'minimum':
      return fault('out_of_range', `must be at least ${count}`)
    case 'maximum':
      return fault('out_of_range', `must be at most ${count}`)
    case 'enum':
      return fault('not_allowed', `must be one of: ${(params.allowedValues as string[]).join(', ')}`) // our enums are of strings
    case 'fieldValue':
      return fault(
        'wrong_type',
        'must be text without control characters, a number, true, false or a list of texts',
      )
    default:
      return fault('invalid', 'is not valid')
  }
}

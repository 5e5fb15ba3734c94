import type { Ajv, ErrorObject } from 'ajv'
import type { Rule } from '../wire.ts'

interface RuledSchema {
  type?: string | string[]
  rule?: Rule
  properties?: Record<string, object>
  items?: object
  maxItems?: number
}

/** How Ajv calls what a keyword has compiled, and where it looks for the errors. */
interface Check {
  (value: unknown, place?: { instancePath: string }): boolean
  errors?: Partial<ErrorObject>[]
}

/**
 * The keyword `rule`: a pure function finds what no other keyword can say, such as opening hours that overlap. It is
 * handed what fits the rest of the schema, with undefined in place of members and entries that do not. So one answer
 * names the faults of both kinds.
 */
export function addRuleKeyword(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'rule',
    errors: 'full',
    compile: (rule: Rule, parent) => {
      const fitting = fittingPart(ajv, parent as RuledSchema)
      const validate: Check = (value, place) => {
        const part = fitting(value)
        const faults = part === undefined ? [] : rule(part)
        validate.errors = faults.map((fault) => ({
          keyword: 'rule',
          instancePath: (place?.instancePath ?? '') + fault.pointer,
          params: { fault },
        }))
        return faults.length === 0
      }
      return validate
    },
  })
}

/** The fault that a rule has found, as it goes into the answer. */
export function faultOfRule({ instancePath, params }: ErrorObject) {
  const { code, detail } = (params as { fault: ReturnType<Rule>[number] }).fault // made above
  return { pointer: instancePath, code, detail }
}

type Fitting = (value: unknown) => unknown

function fittingPart(ajv: Ajv, schema: RuledSchema): Fitting {
  const types = [schema.type].flat()
  if (types.includes('object')) return fittingMembers(ajv, schema.properties ?? {})
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

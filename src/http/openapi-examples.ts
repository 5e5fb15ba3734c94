import { exampleIds, exampleTimes } from '../base/examples.ts'

/*
 * Adds examples to bodies and parameters, where tools look for them. Importers of OpenAPI documents, such as Postman's,
 * do not read the `examples` of schemas. They make up values that the API refuses.
 */

/** The keywords of a schema that contribute to an example. */
interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  examples?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

const byFormat: Record<string, string> = { uuid: exampleIds.booking, 'date-time': exampleTimes.createdAt }

/** Returns the example of a schema: its own, or one made of its parts. Returns undefined if a part has none. */
export function exampleOf(schema: Schema, components: Record<string, Schema>): unknown {
  const { $ref, examples, anyOf, items, properties, required = [] } = schema
  if ($ref !== undefined) return exampleOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, components)
  if (Array.isArray(examples)) return examples[0]
  if (anyOf) return anyOf.map((one) => exampleOf(one, components)).find((one) => one !== undefined)
  if (items) {
    const item = exampleOf(items, components)
    return item === undefined ? undefined : [item]
  }
  if (properties === undefined) return ofSimple(schema)
  const members = required.map((name) => [name, exampleOf(properties[name] ?? {}, components)] as const)
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
}

function ofSimple({ type, format = '', enum: values, const: only }: Schema): unknown {
  if (only !== undefined) return only
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return null
  return values?.[0] ?? byFormat[format]
}

/** Examples of ID parameters, from the demo data. */
const byName: Record<string, string> = {
  business_id: exampleIds.business,
  service_id: exampleIds.service,
  location_id: exampleIds.location,
  staff_id: exampleIds.staff,
  booking_id: exampleIds.booking,
  after: exampleIds.event,
}

/** Returns the example of a parameter, or undefined if its schema is sufficient. */
export function exampleOfParameter(name: string, { format }: Schema): unknown {
  return format === 'uuid' ? byName[name] : undefined
}

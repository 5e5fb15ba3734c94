/* The schemas of the OpenAPI document, converted from the validation schemas. */

/**
 * Converts validation schemas to those of the document. Replaces our own formats and keywords, and turns a schema with
 * a title into a component.
 */
export class SchemaWriter {
  /** The components so far, by name. */
  readonly components: Record<string, Schema> = {}

  write(schema: Schema): Schema {
    const { title, ...written } = this.convert(schema)
    if (title === undefined) return written
    this.keep(title, { title, ...written })
    return { $ref: componentReference(title) }
  }

  private keep(title: string, schema: Schema): void {
    const known = this.components[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas have the title ${title}`)
    }
    this.components[title] = schema
  }

  private convert(schema: Schema): Schema {
    if (schema['fieldValue'] === true) return this.within(withoutKeywords(schema, fieldValueSchema))
    return this.within(ofKnownFormat(withoutKeywords(schema, {})))
  }

  /** Converts the subschemas. */
  private within({ properties, items, anyOf, ...schema }: Schema): Schema {
    return {
      ...(anyOf && alternatives(anyOf.map((one) => this.write(one)))),
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, this.write(member)]),
        ),
      }),
      ...(items && { items: this.write(items) }),
    }
  }
}

/** Returns the reference to a component of the document. */
export function componentReference(name: string, section = 'schemas'): string {
  return `#/components/${section}/${name}`
}

/**
 * Keywords for our validation only. With `maxProperties` tools make up that many fields for each form: gigabytes of
 * them.
 */
const ownKeywords = ['lowercase', 'mailbox', 'timeZone', 'trimmed', 'fieldValue', 'rule', 'maxProperties']

function withoutKeywords(schema: Schema, added: Schema): Schema {
  const known = Object.entries(schema).filter(([keyword]) => !ownKeywords.includes(keyword))
  return { ...added, ...Object.fromEntries(known) }
}

function ofKnownFormat(schema: Schema): Schema {
  const { format, ...rest } = schema
  const known = format === undefined ? undefined : formatSchemas[format]
  if (known)
    return known.replaces ? { ...known.schema, ...annotationsOf(rest) } : { ...rest, ...known.schema }
  return schema.enum && schema.type === undefined && areTexts(schema.enum)
    ? { type: 'string', ...schema }
    : schema
}

function annotationsOf({ description, examples }: Schema): Schema {
  return { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) }
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Returns "this or null" in the short form if the schema is simple. */
function alternatives(schemas: Schema[]): Schema {
  const [one, other, ...more] = schemas
  const isShort =
    one !== undefined &&
    other?.type === 'null' &&
    more.length === 0 &&
    typeof one.type === 'string' &&
    one.enum === undefined
  return isShort ? { ...one, type: [String(one.type), 'null'] } : { anyOf: schemas }
}

/** A JSON Schema (draft 2020-12) of OpenAPI 3.1, or one of ours before its conversion. */
export interface Schema {
  [keyword: string]: unknown
  $ref?: string
  title?: string
  type?: string | string[]
  format?: string
  enum?: readonly unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** The OpenAPI form of one of our formats (base/validation.ts). It replaces the schema, or adds to it. */
interface FormatSchema {
  schema: Schema
  replaces?: true
}

const formatSchemas: Record<string, FormatSchema> = {
  instant: { schema: { format: 'date-time' } },
  line: { schema: { pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$` } },
  text: { schema: { pattern: String.raw`^(?:[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\r\n)*$` } },
  phone: { schema: { pattern: String.raw`^(?:(?=.*[0-9])[0-9 +().-]+)?$` } },
  // in a query everything is text, so a number for clients is the same on the wire
  limit: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, replaces: true },
  'party-size': { schema: { type: 'integer', minimum: 1, maximum: 500 }, replaces: true },
}

/** The keyword `fieldValue`. */
const fieldValueSchema: Schema = {
  title: 'FieldValue',
  description:
    'The answer to a custom field: a text, a number or a boolean, or a list of texts for `multi_select`.',
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
  ],
}

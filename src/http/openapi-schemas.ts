import { fieldValueSchema, formatSchemas, type Schema } from './openapi-formats.ts'

/**
 * Turns the schemas that validate and serialise into those of the document: our own formats and keywords
 * become what everybody knows, and a schema with a title becomes a component, which is referred to.
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

  /** Converts what lies within a schema. */
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

/** The reference to a component of the document. */
export function componentReference(name: string, section = 'schemas'): string {
  return `#/components/${section}/${name}`
}

/** Keywords that only our validation knows. */
const ownKeywords = ['lowercase', 'timeZone', 'fieldValue', 'rule']

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

/** "This or null" in the short form where the schema is a simple one. */
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

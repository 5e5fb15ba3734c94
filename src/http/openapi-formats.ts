/** A JSON Schema (draft 2020-12) as OpenAPI 3.1 has it, or one of ours on the way there. */
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

/** How a format of ours (http/validation.ts) is said in OpenAPI: in place of the schema, or beside the rest of it. */
interface FormatSchema {
  schema: Schema
  replaces?: true
}

/** The formats that OpenAPI does not know, or not by our name. */
export const formatSchemas: Record<string, FormatSchema> = {
  instant: { schema: { format: 'date-time' } },
  line: { schema: { pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$` } },
  text: { schema: { pattern: String.raw`^(?:[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\r\n)*$` } },
  phone: { schema: { pattern: String.raw`^(?:(?=.*[0-9])[0-9 +().-]+)?$` } },
  // in a query everything is text, so a number for clients is the same on the wire
  limit: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, replaces: true },
}

/** The keyword `fieldValue`: what may answer a custom field. */
export const fieldValueSchema: Schema = {
  title: 'FieldValue',
  description:
    'The answer to a custom field: a text, a number, true or false, or for `multi_select` a list of texts.',
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
  ],
}

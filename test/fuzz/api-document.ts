/** A JSON Schema in the document. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

/** One operation of the document. */
export interface Operation {
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[]
  body: Schema | undefined
  needsKey: boolean
}

type Draft = Partial<Operation> & {
  requestBody?: { content: Record<string, { schema?: Schema }> }
  security?: unknown[]
}

/** `/openapi.json`, for creating requests from it. */
export class ApiDocument {
  readonly operations: Operation[]
  private readonly document: object

  constructor(document: { paths: Record<string, Record<string, Draft>> }) {
    this.document = document
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, draft]) => ({
        method: method.toUpperCase(),
        path,
        parameters: draft.parameters ?? [],
        body: draft.requestBody?.content['application/json']?.schema,
        needsKey: (draft.security ?? []).length > 0,
      })),
    )
  }

  /** Returns the schema itself, if it only refers to another. */
  resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.resolve(this.at(schema.$ref))
  }

  private at(reference: string): Schema {
    const names = reference.replace('#/', '').split('/')
    return names.reduce<unknown>(
      (place, name) => (place as Record<string, unknown>)[name],
      this.document,
    ) as Schema
  }
}

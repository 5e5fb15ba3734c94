import { type Html, html } from '../base/html.ts'
import { manualLayout } from './page.ts'

/** The part of the OpenAPI document that the page shows. */
export interface ReferenceDocument {
  info: { title: string; description: string; version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { description?: string; content: Record<string, Body> }
  responses: Record<string, { description: string; content?: Record<string, Body> }>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Body {
  schema: Schema
  example?: unknown
  examples?: object
}

interface Schema {
  $ref?: string
  title?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  pattern?: string
  examples?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const problemMedia = 'application/problem+json'

/** Renders the whole OpenAPI document as the API reference, so that it needs no script; or what a search finds. */
export function referencePage(document: ReferenceDocument, query = ''): Html {
  const { info, tags, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    members: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  // a problem has its own page
  const schemas = Object.entries(components.schemas).filter(([name]) => !name.endsWith('Problem'))
  const title = `${info.title} API ${info.version}`
  return manualLayout({
    ...{ name: 'API reference', path: '/docs', query, list: operationList(groups) },
    content:
      query === ''
        ? html`<div class="reference">
            <h1>${title}</h1>
            ${paragraphs(info.description)}
            ${groups.map(
              ({ name, description, members }) =>
                html`<h2 id="${tagId(name)}">${name}</h2>
                  ${paragraphs(description)}
                  ${members.map((member) => operationSection(member, components.schemas))}`,
            )}
            <h2 id="schemas">Schemas</h2>
            ${schemas.map(([name, schema]) => schemaSection(name, schema))}
          </div>`
        : html`<h1>${title}</h1>
            ${foundOperations(operations, query, components.schemas)}`,
  })
}

interface Group {
  name: string
  description: string
  members: Member[]
}

function operationList(groups: readonly Group[]): Html {
  return html`<details>
    <summary>All operations</summary>
    ${groups.map(
      ({ name, members }) =>
        html`<details>
          <summary>${name}</summary>
          <ul>
            <li><a href="/docs#${tagId(name)}">Overview</a></li>
            ${members.map(
              ({ operation: { operationId, summary } }) =>
                html`<li><a href="/docs#${operationId}">${summary}</a></li>`,
            )}
          </ul>
        </details>`,
    )}
    <ul>
      <li><a href="/docs#schemas">Schemas</a></li>
    </ul>
  </details>`
}

function tagId(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(' ', '-')}`
}

/** Words that a search ignores, unless there are no others. */
const smallWords = new Set('a an the to of by for with in on and or make add new'.split(' '))

/** Returns the text of an operation that a search reads: description, parameters, fields of the body and problem codes. */
function searchedTextOf(
  { description = '', parameters = [], requestBody, responses }: Operation,
  schemas: Record<string, Schema>,
): string {
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => resolved(schema, schemas))
  const fields = bodies.flatMap(({ properties = {} }) => Object.keys(properties))
  const codes = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.[problemMedia]?.examples ?? {}),
  )
  return [description, ...parameters.map(({ name }) => name), ...fields, ...codes].join(' ')
}

/** Returns the schema that a reference names. */
function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schemas[schema.$ref?.replace(/.*\//, '') ?? ''] ?? schema
}

/** Lists the operations that contain all words of a search: first those with this path, then those with the words in their name. */
function foundOperations(
  operations: readonly Member[],
  query: string,
  schemas: Record<string, Schema>,
): Html {
  const all = query.toLowerCase().split(/\s+/).filter(Boolean)
  const telling = all.filter((word) => !smallWords.has(word))
  const words = telling.length > 0 ? telling : all
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const nameOf = ({ path, method, operation }: Member) =>
    `${method} ${path} ${operation.operationId} ${operation.summary}`
  const found = operations.filter((one) => has(`${nameOf(one)} ${searchedTextOf(one.operation, schemas)}`))
  const isPath = ({ method, path }: Member) =>
    [`${method} ${path}`, path].some((text) => text.endsWith(query))
  const rank = (one: Member) => (isPath(one) ? 0 : has(one.operation.summary) ? 1 : has(nameOf(one)) ? 2 : 3)
  const inOrder = found.toSorted((one, other) => rank(one) - rank(other))
  return html`<p role="status">
      ${found.length === 0 ? 'Nothing found.' : `Operations found: ${found.length}.`}
      <a href="/guides?q=${encodeURIComponent(query)}">Search the guides</a>
    </p>
    <ul class="codes">
      ${inOrder.map(
        ({ path, method, operation: { operationId, summary } }) =>
          html`<li>
            <a href="/docs#${operationId}">${summary}</a>
            <p><code>${method} ${path}</code></p>
          </li>`,
      )}
    </ul>`
}

interface Member {
  path: string
  method: string
  operation: Operation
}

function operationSection(member: Member, schemas: Record<string, Schema>): Html {
  const { path, method, operation } = member
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation
  return html`<section aria-labelledby="${operationId}">
    <div>
      <h3 id="${operationId}">${summary}</h3>
      <p><code>${method} ${path}</code></p>
      ${paragraphs(description)}
      ${
        parameters.length === 0
          ? ''
          : table(
              ['Parameter', 'Type', 'Meaning'],
              parameters.map((parameter) => [
                html`<code>${parameter.name}</code>
                  (${parameter.in}${parameter.required ? ', required' : ''})`,
                typeOf(parameter.schema),
                meaningOf({ ...parameter.schema, ...describedBy(parameter) }),
              ]),
            )
      }
      ${requestBody ? bodyPart(requestBody, schemas) : ''}
      ${table(['Status', 'Response'], Object.entries(responses).map(responseRow))}
    </div>
    <div class="samples">${sampleCall(member, schemas)} ${exampleAnswers(responses)}</div>
  </section>`
}

/** Renders the example of each successful answer in JSON. */
function exampleAnswers(responses: Operation['responses']): Html[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => {
    const example = status.startsWith('2') ? content['application/json']?.example : undefined
    if (example === undefined) return []
    return [
      html`<p class="soft">Response ${status}</p>
        <pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`,
    ]
  })
}

function describedBy({ description }: { description?: string }): { description?: string } {
  return description === undefined ? {} : { description }
}

function bodyPart(
  { description = '', content }: NonNullable<Operation['requestBody']>,
  schemas: Record<string, Schema>,
): Html {
  const [schema] = Object.values(content).map((body) => body.schema)
  if (!schema) return html``
  const fields = propertyTable(resolved(schema, schemas))
  return html`<p>Body: ${typeOf(schema)}. ${inline(description)}</p>
    ${
      schema.$ref === undefined || fields.text === ''
        ? fields
        : html`<details>
            <summary>Fields of the body</summary>
            ${fields}
          </details>`
    }`
}

function responseRow([status, { description, content = {} }]: [
  string,
  { description: string; content?: Record<string, Body> },
]): Html[] {
  const problem = content[problemMedia]
  if (problem) {
    const links = Object.keys(problem.examples ?? {}).map(
      (code) => html`<a href="/problems/${code}"><code>${code}</code></a> `,
    )
    return [html`${status}`, html`${links}`]
  }
  const shown = Object.entries(content).map(([media, { schema }]) =>
    media === 'application/json' ? html` ${typeOf(schema)}` : html` (<code>${media}</code>)`,
  )
  const fields = Object.values(content).map(({ schema }) => propertyTable(schema))
  return [html`${status}`, html`${inline(description)} ${shown} ${fields}`]
}

function schemaSection(name: string, schema: Schema): Html {
  const [example] = schema.examples ?? []
  return html`<section aria-labelledby="schema-${name}">
    <h3 id="schema-${name}">${name}</h3>
    ${paragraphs(schema.description ?? '')} ${schema.properties ? '' : html`<p>${typeOf(schema)}</p>`}
    ${propertyTable(schema)}
    ${
      example === undefined
        ? ''
        : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`
    }
  </section>`
}

function propertyTable(schema: Schema): Html {
  const rows = propertyRows(schema, '')
  return rows.length === 0 ? html`` : table(['Field', 'Type', 'Meaning'], rows)
}

/** Returns a row for each field. Nested fields have dotted names. */
function propertyRows({ properties = {}, required = [] }: Schema, prefix: string): Html[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isArray = schema.items !== undefined
    const within = (isArray ? schema.items : schema) ?? schema
    const mark = required.includes(name) ? html` (required)` : html``
    const own = [html`<code>${prefix}${name}</code>${mark}`, typeOf(schema), meaningOf(schema)]
    return [own, ...propertyRows(within, `${prefix}${name}${isArray ? '[]' : ''}.`)]
  })
}

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, type, format } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (anyOf) return html`${anyOf.map((one, index) => html`${index > 0 ? ' or ' : ''}${typeOf(one)}`)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return html`${schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code> `)}`
  if (items) return html`array of ${typeOf(items)}`
  const names = type === undefined ? 'any' : [type].flat().join(' or ')
  return html`${names}${format === undefined ? '' : ` (${format})`}`
}

function meaningOf({ description, pattern, ...schema }: Schema): Html {
  const bounds = [
    boundsOf(schema.minimum, schema.maximum, ''),
    boundsOf(schema.minLength, schema.maxLength, ' characters'),
    boundsOf(schema.minItems, schema.maxItems, ' entries'),
  ].filter((text) => text !== '')
  const lines = [
    ...(description === undefined ? [] : [inline(description)]),
    ...bounds.map((text) => html`<small>${text}</small>`),
    ...(schema.default === undefined ? [] : [html`<small>default ${JSON.stringify(schema.default)}</small>`]),
    ...(pattern === undefined ? [] : [html`<small>matches <code>${pattern}</code></small>`]),
  ]
  return html`${lines.map((line, index) => html`${index > 0 ? html`<br />` : ''}${line}`)}`
}

function boundsOf(min: number | undefined, max: number | undefined, unit: string): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`
  if (min !== undefined) return `at least ${min}${unit}`
  return max === undefined ? '' : `at most ${max}${unit}`
}

/** Renders a curl command with the example body. The script of the page sends what its attributes say. */
function sampleCall({ path, method, operation }: Member, schemas: Record<string, Schema>): Html {
  const { parameters = [], requestBody, security = [] } = operation
  const names = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = names.map(({ name }) => `${name}=…`)
  const [media = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const [example] = body ? (resolved(body.schema, schemas).examples ?? []) : []
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$HOLDFAST${path}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(example === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`]),
  ]
  const hasQuery = parameters.some((parameter) => parameter.in === 'query')
  const shown = names.map(({ name }) => `${name}=`).join('&')
  return html`<pre
    tabindex="0"
    data-call="${method} ${path}"
    ${media === 'application/json' ? html`data-body="${JSON.stringify(example ?? {}, null, 2)}"` : ''}
    ${hasQuery ? html`data-query="${shown}"` : ''}
    ${security.length > 0 ? html`data-key` : ''}
  ><code>${lines.join(' \\\n  ')}</code></pre>`
}

function table(heads: string[], rows: Html[][]): Html {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function paragraphs(text: string): Html {
  const parts = text.split('\n\n').filter((part) => part !== '')
  return html`${parts.map((part) => html`<p>${inline(part)}</p>`)}`
}

/** Renders the Markdown of our descriptions: code spans, bold text and links. */
function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    const [, words = '', address = ''] = /^\[(.*)\]\((.*)\)$/.exec(part) ?? []
    return html`<a href="${address}">${words}</a>`
  })}`
}

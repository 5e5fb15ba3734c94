/*
 * The API as a collection of requests in the format of Postman 2.1, which Bruno, Insomnia and others also
 * import. It is made from the OpenAPI document. The first folder makes a booking: each request stores
 * values for the next one in variables.
 */

/** The parts of the OpenAPI document that the collection uses. */
export interface DescribedApi {
  info: { title: string; version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
}

interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; description?: string; example?: unknown }[]
  requestBody?: { content?: Record<string, { example?: unknown }> }
}

interface Request {
  path: string
  method: string
  operation: DescribedOperation
}

/** Variables that each request of the first booking stores for the next ones, by member of the response. */
const firstBooking: Record<string, Record<string, string>> = {
  createSession: { session_token: 'session_token' },
  findSoonestSlot: { starts_at: 'starts_at' },
  placeHold: { hold_id: 'hold_id' },
  createBooking: { id: 'booking_id' },
  showBooking: {},
  changeBooking: {},
  cancelBooking: {},
}

/**
 * Bodies of the first booking that differ from the examples: stored values, and a change that is always
 * possible.
 */
const bodies: Record<string, (example: object) => object> = {
  placeHold: (example) => ({ ...example, starts_at: '{{starts_at}}' }),
  createBooking: (example) => ({ ...example, hold_id: '{{hold_id}}' }),
  changeBooking: () => ({ notes: 'Please ring twice.' }),
}

/** Variables that users fill in, and those that requests store. */
const variables = [
  ...['publishable_key', 'business_key', 'manage_token'],
  ...['session_token', 'starts_at', 'hold_id', 'booking_id'],
]

/** Creates the collection for the server at this URL. */
export function postmanCollection({ info, tags, paths }: DescribedApi, address: string): object {
  const requests = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Request => ({ path, method, operation })),
  )
  const api = requests.filter(({ path }) => path.startsWith('/api/'))
  const first = Object.keys(firstBooking).flatMap((id) =>
    api.filter((one) => one.operation.operationId === id),
  )
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: api.filter(({ operation }) => operation.tags?.includes(name)).map((one) => itemOf(one)),
  }))
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description:
        'Fill in the variables publishable_key and business_key. Then run the folder "A first booking" from top to bottom.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [{ key: 'base_url', value: address }, ...variables.map((key) => ({ key, value: '' }))],
    item: [
      { name: 'A first booking', item: first.map((one) => itemOf(one, true)) },
      ...folders.filter(({ item }) => item.length > 0),
    ],
  }
}

function itemOf({ path, method, operation }: Request, isFirst = false): object {
  const { operationId, summary, description } = operation
  const kept = Object.entries(isFirst ? (firstBooking[operationId] ?? {}) : {})
  const body = bodyOf(operation, isFirst)
  const request = {
    method: method.toUpperCase(),
    description,
    auth: { type: 'bearer', bearer: [{ key: 'token', value: `{{${tokenOf(operation)}}}`, type: 'string' }] },
    header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
    ...(body !== undefined && { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    url: urlOf(path, operation),
  }
  const keep = kept.map(
    ([member, variable]) => `pm.collectionVariables.set('${variable}', pm.response.json()?.${member})`,
  )
  const script = { type: 'text/javascript', exec: keep }
  return { name: summary, request, ...(keep.length > 0 && { event: [{ listen: 'test', script }] }) }
}

function bodyOf({ operationId, requestBody }: DescribedOperation, isFirst: boolean): unknown {
  const example = requestBody?.content?.['application/json']?.example
  const change = isFirst ? bodies[operationId] : undefined
  return change ? change(example as object) : example
}

/** Returns the variable with the weakest token that may call an operation. */
function tokenOf({ security = [] }: DescribedOperation): string {
  if (security.some((one) => 'sessionToken' in one)) return 'session_token'
  const types = security.flatMap((one) => one['apiKey'] ?? [])
  if (types.includes('business') || types.includes('hub')) return 'business_key'
  return types.includes('manage') ? 'manage_token' : 'publishable_key'
}

function urlOf(path: string, { parameters = [] }: DescribedOperation): object {
  // either a service or the items of a visit
  const isChosen = (name: string) => name === 'service_id' && parameters.some((one) => one.name === 'items')
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, required, description, example = '' }) => ({
      ...{ key: name, value: String(example), description },
      ...(!required && !isChosen(name) && { disabled: true }),
    }))
  const variable = parameters
    .filter((one) => one.in === 'path')
    .map(({ name, example = '' }) => ({ key: name, value: idOf(path, name) ?? String(example) }))
  const inPath = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const asked = query.filter((one) => !('disabled' in one)).map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{base_url}}${inPath}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: inPath.slice(1).split('/'),
    query,
    variable,
  }
}

function idOf(path: string, name: string): string | undefined {
  if (name === 'hold_id') return '{{hold_id}}'
  return path.startsWith('/api/v1/bookings/{id}') ? '{{booking_id}}' : undefined
}

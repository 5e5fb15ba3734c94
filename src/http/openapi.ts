import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import type { ProblemCode } from '../errors.ts'
import { completeOperation, describeRoute, type Operation } from './openapi-operations.ts'
import { problemComponents } from './openapi-problems.ts'
import { SchemaWriter } from './openapi-schemas.ts'

const description = `
Holdfast books appointments: a client holds a slot, then books it. A slot is never sold twice.

**Keys.** Send a key or a session token as \`Authorization: Bearer …\`. A website exchanges its publishable key for a
session token, which acts for one visitor. Each operation says which keys it is open to.

**Problems.** Every refusal is a problem document (RFC 9457) with a \`code\` that does not change. Each operation lists
the codes that it can give; [/problems](/problems) says of each what happened and what to do. Before a request reaches an
operation it can be refused with 400 \`malformed_request\`, 404 \`not_found\`, 405 \`method_not_allowed\`,
408 \`request_timeout\` or 431 \`headers_too_large\`.

**Limits.** Every answer of the API tells in its headers how many requests are left. After a 429, wait the seconds of
\`Retry-After\`.

**Values.** Unknown fields and parameters are refused, and nothing is converted: \`"3"\` is not 3. Times are RFC 3339
with an offset. Texts are trimmed and brought to Unicode NFC, and their lengths count code points.

**Request ids.** Every answer carries \`X-Request-Id\`, which the log of the server names too. A request may choose it:
1 to 128 letters, digits and \`_ . ~ : / + = @ -\`.
`.trim()

const tags = [
  { name: 'Sessions', description: 'From a publishable key to a session token for one visitor.' },
  { name: 'Availability', description: 'Which slots are free, which is next, and why one is not.' },
  { name: 'Holds', description: 'A slot that is kept for ten minutes.' },
  { name: 'Bookings', description: 'What becomes of a hold: shown, listed, rescheduled, cancelled.' },
  { name: 'Clients', description: 'For whom nobody books any more.' },
  { name: 'Catalogue', description: 'What can be booked, where, and with whom; and when not.' },
  { name: 'Businesses', description: 'Those who offer it, and their keys.' },
  { name: 'Webhooks', description: 'What happens to bookings, sent to an address of yours as it happens.' },
  {
    name: 'Service',
    description: 'Health, and these pages. None of it needs a key or counts against a limit.',
  },
]

const securitySchemes = {
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'cal_ses_…',
    description: 'A session token, which ends after an hour. `POST /api/v1/session` gives it.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'cal_pub_…, cal_biz_… or cal_hub_…',
    description:
      'A key. Publishable keys may be seen by everybody and make sessions; business and hub keys must stay secret.',
  },
} as const

const seconds = { type: 'integer', minimum: 1 } as const

const headers = {
  'X-Request-Id': {
    description: 'The id of this request in the log of the server.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'How many requests the window allows that has the fewest left.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'How many requests are left in it.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': { description: 'When it ends, in Unix seconds.', schema: { type: 'integer' } },
  'Retry-After': { description: 'The seconds after which it is worth trying again.', schema: seconds },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: { type: 'string' } },
  ETag: {
    description: 'The version of the booking, for `If-Match`.',
    schema: { type: 'string', examples: ['"1"'] },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} as const

/**
 * Makes the OpenAPI document out of the schemas of all routes that are added afterwards; `app.swagger()`
 * gives it once the server is ready.
 */
export async function describeInOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Holdfast',
        version: packageJson.version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags,
      components: { securitySchemes },
    },
    transform: ({ url, route }) => ({ schema: describeRoute(route), url }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is not of OpenAPI 3')
      return complete(document.openapiObject as unknown as Draft)
    },
  })
}

/** The document as it comes from the routes. */
interface Draft {
  paths: Record<string, Record<string, Operation>>
  components: object
}

function complete(draft: Draft): object {
  const schemas = new SchemaWriter()
  const operations = Object.values(draft.paths).flatMap((path) => Object.values(path))
  const codes = new Set<ProblemCode>()
  for (const operation of operations) {
    for (const code of completeOperation(operation, schemas)) codes.add(code)
  }
  const problems = problemComponents([...codes])
  return {
    ...draft,
    components: {
      ...draft.components,
      headers: used(headers, JSON.stringify(draft.paths)),
      examples: problems.examples,
      schemas: { ...schemas.components, ...problems.schemas },
    },
  }
}

/** The components that something refers to: a document tells nothing that no route gives. */
function used(components: Record<string, unknown>, paths: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => paths.includes(`#/components/headers/${name}"`)),
  )
}

/** An operation of the document, and the codes of the problems that it can give. */
interface DescribedOperation {
  operationId: string
  summary: string
  needsKey: boolean
  codes: string[]
}

/** What each operation of the document can give. The server must be ready. */
export function codesOfOperations(app: FastifyInstance): DescribedOperation[] {
  const { paths } = app.swagger() as unknown as Draft
  return Object.values(paths)
    .flatMap((path) => Object.values(path))
    .map(({ operationId, summary, security = [], responses }) => ({
      operationId,
      summary,
      needsKey: security.length > 0,
      codes: Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}),
      ),
    }))
}

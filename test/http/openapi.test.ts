import type { RouteOptions } from 'fastify'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { problemKinds } from '../../src/base/errors.ts'
import { isUuid } from '../../src/base/ids.ts'
import { type Answer, compareWith, documentOf, type OpenApiDocument } from '../support/described-answers.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { unknownId } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const project = resolve(import.meta.dirname, '../..')

interface DescribedOperation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: { in: string; required: boolean; schema: object; example?: unknown }[]
  requestBody?: { content: Record<string, object> }
  responses: Record<string, { headers: object; content?: Record<string, { examples?: object }> }>
}

function operationsOf({ paths }: OpenApiDocument): [name: string, operation: DescribedOperation][] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, DescribedOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation as unknown as DescribedOperation,
    ]),
  )
}

function codesOf({ responses }: DescribedOperation, status?: number): string[] {
  return Object.entries(responses).flatMap(([given, { content }]) =>
    status === undefined || Number(given) === status
      ? Object.keys(content?.['application/problem+json']?.examples ?? {})
      : [],
  )
}

function isPage({ schema }: RouteOptions): boolean {
  return schema?.tags?.some((tag) => ['Console', 'Pages'].includes(tag)) ?? false
}

onOneEngine('sqlite', 'the OpenAPI document', (engine) => {
  let service: TestService
  let document: OpenApiDocument
  let operations: Map<string, DescribedOperation>
  beforeAll(async () => {
    service = await startTestService(engine)
    document = (await service.call('GET', '//openapi.json')).body as OpenApiDocument
    operations = new Map(operationsOf(document))
  })
  afterAll(() => service.stop())

  test('has every route that programs can call, and nothing else', () => {
    const routes = service.app.server.knownRoutes
      .filter(({ method, options }) => method !== 'HEAD' && !isPage(options))
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect([...operations.keys()].toSorted()).toEqual(routes.toSorted())
    expect(routes.length).toBeGreaterThan(15)
  })

  test('says of every operation what it is for, under a name of its own', () => {
    const names = [...operations.values()].map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const described = (document as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name)
    for (const [name, { operationId, summary, description, tags = [] }] of operations) {
      expect({ name, operationId }).toEqual({ name, operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/) })
      expect([summary, description].join()).toMatch(/\w.*\w/)
      expect(described).toEqual(expect.arrayContaining(tags))
      expect(tags).toHaveLength(1)
    }
  })

  test('says of every operation which keys it is open to', () => {
    for (const { method, url, access } of service.app.server.knownRoutes) {
      const operation = operations.get(`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
      if (!operation) continue
      const shown = (operation.security ?? []).flatMap((each) => [
        ...('sessionToken' in each ? ['session'] : []),
        ...(each['apiKey'] ?? []),
      ])
      expect(shown.toSorted()).toEqual([...(access ?? [])].toSorted())
    }
  })

  test('lists what follows from how a route works, and what its operation throws', () => {
    const hold = operations.get('POST /api/v1/bookings/hold')
    const list = operations.get('GET /api/v1/bookings')
    const session = operations.get('POST /api/v1/session')
    const change = operations.get('PATCH /api/v1/bookings/{id}')
    if (!hold || !list || !session || !change) throw new Error('an operation is missing')
    expect(codesOf(hold, 401)).toEqual(['missing_credentials', 'invalid_credentials', 'session_expired'])
    expect(codesOf(hold, 429)).toEqual(['rate_limited', 'hold_limit_reached'])
    expect(codesOf(list, 403)).toEqual([
      ...['key_type_not_allowed', 'plan_required', 'insufficient_scope', 'origin_not_allowed'],
    ])
    expect(codesOf(session, 403)).toEqual(['key_type_not_allowed', 'origin_not_allowed'])
    expect(Object.keys(list.responses)).toEqual(['200', '400', '401', '403', '422', '429', '500', '503'])
    expect(codesOf(change, 409)).toEqual(['slot_held', 'slot_booked', 'change_not_allowed'])
    expect(codesOf(change, 422)).toEqual(['validation_failed', 'slot_not_offered'])
    expect(codesOf(change, 404)).toEqual(['not_found'])
    expect(session.requestBody).toBeUndefined()
  })

  test('has every code but those of what never reaches an operation', () => {
    const listed = new Set([...operations.values()].flatMap((operation) => codesOf(operation)))
    const before = ['method_not_allowed', 'request_timeout', 'headers_too_large']
    expect([...listed, ...before].toSorted()).toEqual(Object.keys(problemKinds).toSorted())
  })

  test('names the rate-limit headers on every answer that needs a key', () => {
    for (const { security = [], responses } of operations.values()) {
      for (const [status, { headers }] of Object.entries(responses)) {
        const names = Object.keys(headers)
        expect(names).toContain('X-Request-Id')
        expect(names.includes('X-RateLimit-Remaining')).toBe(security.length > 0)
        if (['429', '503'].includes(status)) expect(names).toContain('Retry-After')
      }
    }
  })

  test('knows nothing of our own formats and keywords', () => {
    const text = JSON.stringify(document)
    const formats = [...text.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format)
    expect([...new Set(formats)].toSorted()).toEqual(['binary', 'date', 'date-time', 'email', 'uuid'])
    // importers make up as many fields of a form as `maxProperties` allows
    expect(text).not.toMatch(/"(lowercase|fieldValue|maxProperties|x-holdfast)":/)
  })

  test('has a valid example of every body in JSON, and of every parameter that a program has to send', () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addFormat('uuid', isUuid)
    for (const format of ['date-time', 'date', 'email']) ajv.addFormat(format, true)
    ajv.addSchema({ $id: 'document', ...document })
    const absolute = (schema: object) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object
    const wrong: string[] = []
    let count = 0
    for (const [name, { parameters = [], requestBody, responses }] of operations) {
      if (!name.includes(' /api/v1/')) continue
      const needed = parameters.filter((one) => one.in !== 'header' && (one.required || 'example' in one))
      const bodies = [requestBody, ...Object.values(responses)].flatMap((one) => {
        const media = one?.content?.['application/json'] as { schema: object; example?: unknown } | undefined
        return media ? [media] : []
      })
      for (const { schema, example } of [...needed, ...bodies]) {
        count += 1
        if (!ajv.validate(absolute(schema), example)) wrong.push(`${name}: ${ajv.errorsText()}`)
      }
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(100)
  })
})

longTest('redocly lint finds nothing to complain of, not even a warning', async () => {
  const service = await startTestService('sqlite')
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-openapi-'))
  try {
    const file = join(directory, 'openapi.json')
    const lint = (document: object) => {
      writeFileSync(file, JSON.stringify(document))
      const { stdout } = spawnSync(
        process.execPath,
        [
          join(project, 'node_modules/@redocly/cli/bin/cli.js'),
          ...['lint', file, '--extends', 'recommended', '--format', 'json'],
          // forms of pages are answered with 303, and every other operation has a success
          ...['--skip-rule', 'operation-2xx-response'],
          // `hold` is not the ID of a booking
          ...['--skip-rule', 'no-ambiguous-paths'],
        ],
        {
          cwd: directory,
          encoding: 'utf8',
          env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
        },
      )
      return JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
    }
    const document = await documentOf(service.app.server)
    const { problems, totals } = lint(document)
    for (const [name, { responses }] of operationsOf(document)) {
      const good = Object.keys(responses).filter((status) => /^2|^303$/.test(status))
      expect({ name, good: good.length > 0 }).toEqual({ name, good: true })
    }
    expect(problems.map(({ message }) => message)).toEqual([])
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
    const { summary: _summary, ...nameless } = document.paths['/healthz']?.['get'] as unknown as {
      summary: string
    }
    const broken = { ...document, paths: { ...document.paths, '/healthz': { get: nameless } } }
    expect(lint(broken).problems).toHaveLength(1)
  } finally {
    rmSync(directory, { recursive: true })
    await service.stop()
  }
})

test('the document holds the API only: no page, and nothing that pages load or send', async () => {
  const service = await startTestService('sqlite')
  try {
    const { body, rawBody } = await service.call('GET', '//openapi.json').then(({ body: document }) => ({
      body: document as OpenApiDocument,
      rawBody: JSON.stringify(document),
    }))
    expect(rawBody).not.toMatch(/text\/(html|css|javascript)/)
    const others = Object.keys(body.paths).filter((path) => !path.startsWith('/api/v1/'))
    expect(others.toSorted()).toEqual([
      ...['/book/{publishable_key}/start', '/calendar-pushes/google', '/calendar-pushes/microsoft/{channel}'],
      ...['/feeds/{file}', '/healthz', '/mcp', '/metrics', '/openapi.json'],
      ...['/payments/stripe/webhook', '/payments/stripe/webhook/{business_id}', '/postman.json', '/readyz'],
      '/texts/callback',
    ])
    expect(String((await service.call('GET', '//docs')).body)).not.toContain('/console/bookings')
  } finally {
    await service.stop()
  }
})

describe('a reply that is not as the document says', () => {
  let service: TestService
  let document: OpenApiDocument
  let hold: Answer
  let refusal: Answer
  beforeAll(async () => {
    service = await startTestService('sqlite')
    document = await documentOf(service.app.server)
    const { business_key: token } = businessOf(service.world, 'Salon Spree')
    const listed = await service.call('GET', '/services', { token })
    hold = { ...listed, method: 'GET', url: '/api/v1/services' }
    const refused = await service.call('GET', `/bookings/${unknownId}`, { token })
    refusal = { ...refused, method: 'GET', url: `/api/v1/bookings/${unknownId}` }
  })
  afterAll(() => service.stop())
  afterEach(() => vi.restoreAllMocks())

  const withBody = (answer: Answer, change: object): Answer => ({
    ...answer,
    body: { ...(answer.body as object), ...change },
  })

  test('one that is passes', () => {
    const compare = compareWith(document)
    expect([...compare(hold), ...compare(refusal)]).toEqual([])
  })

  const planted: [what: string, plant: () => Answer, fieldError: RegExp][] = [
    ['a status', () => ({ ...hold, status: 202 }), /202 .* not among/],
    [
      'a member of the wrong type',
      () => withBody(hold, { data: [{ id: 3 }] }),
      /\/data\/0\/id must be string/,
    ],
    ['a missing member', () => ({ ...hold, body: { data: [] } }), /next_cursor/],
    ['no body', () => ({ ...hold, body: undefined }), /body/],
    [
      'a missing header',
      () => ({ ...hold, headers: { 'content-type': 'application/json' } }),
      /X-Request-Id/,
    ],
    [
      'another media type',
      () => ({ ...hold, headers: { ...hold.headers, 'content-type': 'text/html' } }),
      /text\/html/,
    ],
    ['a code of another route', () => withBody(refusal, { code: 'hold_expired' }), /constant/],
    ['a member that no schema names', () => withBody(refusal, { hint: 'x' }), /hint/],
    ['a route that is in no document', () => ({ ...hold, url: '/api/v1/secrets' }), /no document/],
    [
      'a code at a status without it',
      () => ({ ...withBody(refusal, { code: 'slot_held' }), status: 409 }),
      /409/,
    ],
  ]

  test.each(planted)('%s is found', (_what, plant, fieldError) => {
    expect(compareWith(document)(plant()).join('\n')).toMatch(fieldError)
  })

  test('fails the test that gets it', async () => {
    const { server } = service.app
    const asked = server.inject.bind(server) as (options: object) => Promise<{ statusCode: number }>
    vi.spyOn(server, 'inject').mockImplementation(((options: object) =>
      asked(options).then((reply) => Object.assign(reply, { statusCode: 402 }))) as never)
    await expect(service.call('GET', '/services')).rejects.toThrow(/402 .* is not among its answers/)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenTypes } from '../../src/base/token-types.ts'
import { newToken } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { createLog, redact } from '../../src/base/log.ts'
import { expectNoSecrets, seededRequests, type SeededRequests } from '../support/seeded-secrets.ts'
import { type Tenant, unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the log', (engine) => {
  let service: TestService
  let salon: Tenant
  let seeded: SeededRequests
  beforeAll(async () => {
    service = await startTestService(engine, { LOG_LEVEL: 'trace' })
    salon = businessOf(service.world, 'Salon Spree')
    seeded = seededRequests(service, engine, salon)
  })
  afterAll(() => service.stop())

  test('at level trace holds no token and nothing of a client, through successes and refusals', async () => {
    const { replies, tokens } = await seeded.provoke()
    const statuses = new Set(replies.map(({ status }) => status))
    for (const status of [200, 201, 400, 401, 403, 404, 405, 412, 413, 415, 422])
      expect(statuses).toContain(status)
    expect(service.logLines.length).toBeGreaterThan(replies.length)
    expectNoSecrets(service, service.logLines.join('\n'), tokens)
  })

  test('has one line for each request: its id, method, route, status, duration and whose key', async () => {
    service.logLines.length = 0
    const token = await service.session(salon)
    await service.call('GET', `/services/${unknownId}?x=1`, { token, headers: { 'x-request-id': 'trace-1' } })
    await service.call('GET', '/nothing', { headers: { 'x-request-id': 'trace-2' } })
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const about = (id: string) => lines.filter((line) => line.request_id === id && line.msg === 'request')
    expect(about('trace-1')).toEqual([
      {
        ...{ level: 'info', time: expect.any(String), msg: 'request', request_id: 'trace-1' },
        ...{ method: 'GET', route: '/api/v1/services/:id', status: 422, problem: 'validation_failed' },
        duration_ms: expect.any(Number),
        ...{ key_type: 'session', key_last_four: token.slice(-4) },
      },
    ])
    expect(about('trace-2')).toMatchObject([{ route: 'unknown', status: 404 }])
    expect(about('trace-2')[0]).not.toHaveProperty('key_type')
  })

  test('has what balancers and Prometheus ask again and again at level debug, unless something is wrong', async () => {
    service.logLines.length = 0
    for (const path of ['//healthz', '//readyz', '//metrics', '//readyz?x=1']) await service.call('GET', path)
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.map(({ level, route, status }) => [level, route, status])).toEqual([
      ['debug', '/healthz', 200],
      ['debug', '/readyz', 200],
      ['debug', '/metrics', 200],
      ['info', '/readyz', 422],
    ])
  })

  test('of an internal error says where it happened, and holds no secret either', async () => {
    service.logLines.length = 0
    const { replies, tokens } = await seeded.failInside()
    expect(replies.map(({ status }) => status)).toEqual([500, 500])
    const errors = service.logLines.filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(2)
    for (const [index, { body }] of replies.entries()) {
      expect(errors[index]).toContain(`"request_id":"${body.request_id as string}"`)
      expect(errors[index]).toMatch(/src\/\w+/)
      expect(JSON.stringify(body)).not.toMatch(/events|surprise|constraint|src\//)
    }
    expectNoSecrets(service, service.logLines.join('\n'), tokens)
  })

  test('nothing that is logged by mistake shows a token, a webhook secret or a password', () => {
    const lines: string[] = []
    const log = createLog('trace', { write: (line) => lines.push(line) })
    const secrets = [...tokenTypes.map((type) => newToken(type, systemIds)), `whsec_${'Ab+/'.repeat(11)}=`]
    for (const secret of secrets) {
      log.info(secret)
      log.info({ secret, deep: [{ headers: { authorization: `Bearer ${secret}` } }], [secret]: 1 }, 'x')
      log.error({ err: new Error(`wrong: ${secret}`, { cause: new Error(secret) }) })
      log.child({ secret }).warn('%s', secret)
    }
    for (const secret of secrets) log.info(`x${secret}, 1${secret}, _${secret}x, and ${secret}${secret}`)
    log.info({ url: 'postgres://admin:hunter2@db.example:5432/x' }, 'at postgres://admin:hunter2@db')
    log.info('9postgres://admin:hunter2@db.example, _redis://:hunter2@cache, POSTGRES://a:hunter2@db')
    expect(lines).toHaveLength(secrets.length * 5 + 2)
    const text = lines.join('')
    for (const secret of secrets) expect(text).not.toContain(secret.slice(8, 40))
    expect(text).not.toContain('hunter2')
    expect(redact('cal_biz_abc and cal_ses_def')).toBe('cal_biz_[redacted] and cal_ses_[redacted]')
  })
})

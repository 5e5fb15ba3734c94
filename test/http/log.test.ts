import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newToken, tokenTypes } from '../../src/access/token-format.ts'
import { systemIds } from '../../src/ids.ts'
import { createLog, redact } from '../../src/log.ts'
import { changeRows, nextStart, unknownId, type Tenant } from '../support/tenant-things.ts'
import {
  businessOf,
  offer,
  onEachEngine,
  startTestService,
  type TestService,
} from '../support/test-service.ts'

/** What a client says of themselves: each text occurs nowhere else. */
const said = {
  first_name: 'Quintessa',
  last_name: 'Zyxwvut',
  email: 'quintessa.secret@private.example',
  phone: '+49 555 0199 777',
  notes: 'Plans a surprise divorce party',
  answer: 'An embarrassing reason',
  query: 'colour-of-money',
  origin: 'https://shady-embedder.example',
  header: 'idempotent-looking-secret',
}

/** What makes the database refuse each booking; PostgreSQL's errors quote what was written. */
const surprises = {
  sqlite: [`create trigger surprise before insert on bookings begin select raise(abort, 'a surprise'); end`],
  postgres: [
    `create function surprise() returns trigger language plpgsql as
       $$ begin raise exception 'a surprise: %', new.client_email using detail = new.notes, hint = new.client_phone; end $$`,
    `create trigger surprise before insert on bookings for each row execute function surprise()`,
  ],
}

onEachEngine('the log', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine, { LOG_LEVEL: 'trace' })
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const client = {
    first_name: said.first_name,
    last_name: said.last_name,
    email: said.email,
    phone: said.phone,
  }

  const holdAndBook = async (token: string, more: object = {}) => {
    const consultation = salon.services.find(({ name }) => name === 'Consultation')
    const held = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer(salon, 'Consultation'), starts_at: nextStart() },
    })
    const field_id = consultation?.custom_fields[0]?.id
    return service.call('POST', '/bookings', {
      token,
      body: {
        hold_id: held.body?.hold_id ?? unknownId,
        client,
        notes: said.notes,
        custom_field_values: [{ field_id, value: said.answer }],
        ...more,
      },
    })
  }

  /** Successes and refusals of every kind that carry secrets; the tokens that were used. */
  const provoke = async () => {
    const token = await service.session(salon)
    const refreshed = await service.session(salon, { 'x-previous-session': token })
    const key = salon.business_key
    const booked = await holdAndBook(refreshed)
    const path = `/bookings/${booked.body.id ?? unknownId}`
    const json = { 'content-type': 'application/json' }
    const seeded = { authorization: `Basic ${said.header}`, cookie: said.header, 'if-match': said.header }
    const replies = [
      booked,
      await service.call('GET', path, { token: key }),
      await service.call('PATCH', path, { token: key, body: { notes: `${said.notes}!` } }),
      await service.call('GET', `/bookings?email=${encodeURIComponent(said.email)}`, { token: key }),
      await service.call('DELETE', path, { token: service.world.hub.key }),
      await holdAndBook(refreshed, { extra: said.answer, [said.answer]: 1 }),
      await holdAndBook(refreshed, { hold_id: said.notes }),
      await holdAndBook(refreshed, { client: { ...client, email: `${said.email}@` } }),
      await service.call('GET', `/services?${said.query}=${said.query}`, { token: key }),
      await service.call('GET', `/services/${said.query}`, { token: key }),
      await service.call('GET', `/${said.query}/${said.query}`),
      await service.call('GET', `/services/%zz${said.query}`, { token: key }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: json,
        rawBody: `{"notes":"${said.notes}"`,
      }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: json,
        rawBody: said.notes.repeat(5000),
      }),
      await service.call('POST', '/bookings', {
        token: key,
        headers: { 'content-type': said.header },
        rawBody: said.notes,
      }),
      await service.call('GET', '/services', { headers: seeded }),
      await service.call('GET', '/services', { token: `${key}x` }),
      await service.call('GET', '/services', { token: newToken('business', systemIds) }),
      await service.call('PATCH', path, { token: refreshed, body: { notes: said.notes } }),
      await service.call('GET', '/services', {
        token: businessOf(service.world, 'Lotus Clinic').business_key,
      }),
      await service.call('GET', '/services', { token }),
      await service.call('PATCH', path, {
        token: key,
        headers: { 'if-match': `"${said.header}"` },
        body: {},
      }),
      await service.call('GET', '/services', {
        token: key,
        headers: { origin: said.origin, referer: said.origin },
      }),
      await service.call('PUT', `/services/${said.query}`, { token: key, body: { notes: said.notes } }),
      await service.call('GET', '/services', { token: key, headers: { 'x-request-id': key } }),
    ]
    return { replies, tokens: [token, refreshed] }
  }

  /** Fails when a line of the log holds a secret of a token or anything that a client said. */
  const expectNoSecrets = (tokens: string[]) => {
    const log = service.logLines.join('\n')
    const { world } = service
    const keys = [
      world.hub.key,
      ...world.businesses.flatMap((each) => [each.business_key, each.publishable_key]),
    ]
    for (const token of [...tokens, ...keys]) {
      for (const part of [token, token.slice(8, 40), token.slice(8, 20), token.slice(20, 40)]) {
        expect(log).not.toContain(part)
      }
    }
    for (const text of [...Object.values(said), encodeURIComponent(said.email), 'Zyx', '0199']) {
      expect(log.toLowerCase()).not.toContain(text.toLowerCase())
    }
  }

  test('at level trace holds no token and nothing of a client, through successes and refusals', async () => {
    const { replies, tokens } = await provoke()
    const statuses = new Set(replies.map(({ status }) => status))
    for (const status of [200, 201, 400, 401, 403, 404, 405, 412, 413, 415, 422])
      expect(statuses).toContain(status)
    expect(service.logLines.length).toBeGreaterThan(replies.length)
    expectNoSecrets(tokens)
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

  test('of an internal error says where it happened, and holds no secret either', async () => {
    service.logLines.length = 0
    const token = await service.session(salon)
    await changeRows(service, sql`alter table events rename to events_gone`)
    const failed = await holdAndBook(token)
    await changeRows(service, sql`alter table events_gone rename to events`)
    for (const statement of surprises[engine]) await changeRows(service, sql.raw(statement))
    const quoted = await holdAndBook(token)
    expect([failed.status, quoted.status]).toEqual([500, 500])
    const errors = service.logLines.filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(2)
    for (const [index, { body }] of [failed, quoted].entries()) {
      expect(errors[index]).toContain(`"request_id":"${body.request_id as string}"`)
      expect(errors[index]).toMatch(/src\/\w+/)
      expect(JSON.stringify(body)).not.toMatch(/events|surprise|constraint|src\//)
    }
    expectNoSecrets([token])
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
    log.info({ url: 'postgres://admin:hunter2@db.example:5432/x' }, 'at postgres://admin:hunter2@db')
    expect(lines).toHaveLength(secrets.length * 4 + 1)
    const text = lines.join('')
    for (const secret of secrets) expect(text).not.toContain(secret.slice(8, 40))
    expect(text).not.toContain('hunter2')
    expect(redact('cal_biz_abc and cal_ses_def')).toBe('cal_biz_[redacted] and cal_ses_[redacted]')
  })
})

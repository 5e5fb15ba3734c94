import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenTypes } from '../../src/base/token-types.ts'
import { newToken, tokenType } from '../../src/access/token.ts'
import { systemIds } from '../../src/base/ids.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { makeThings } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService, withoutLimiter } from '../support/test-service.ts'

/** Created by another program. The last six characters are the CRC-32 of all before them, in base62. */
const known = {
  cal_hub_0123456789ABCDEFGHIJKLMNOPQRSTUV1UZZyu: 'hub',
  cal_biz_0123456789ABCDEFGHIJKLMNOPQRSTUV08GlLz: 'business',
  cal_pub_0123456789ABCDEFGHIJKLMNOPQRSTUV3WSu3i: 'publishable',
  cal_ses_0123456789ABCDEFGHIJKLMNOPQRSTUV4I07GA: 'session',
  cal_hub_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz4b018v: 'hub',
  cal_ses_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz1BZiMp: 'session',
}
const [example] = Object.keys(known) as [string]

describe('the format of tokens', () => {
  test.each(Object.entries(known))('%s is a %s token', (token, type) => {
    expect(tokenType(token)).toBe(type)
  })

  test.each(tokenTypes)(
    'a new %s token has its prefix, 32 secret characters and a right checksum',
    (type) => {
      const prefixes = { hub: 'hub', business: 'biz', publishable: 'pub', session: 'ses', manage: 'man' }
      const prefix = `cal_${prefixes[type]}_`
      const tokens = Array.from({ length: 200 }, () => newToken(type, systemIds))
      for (const token of tokens) {
        expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
        expect(tokenType(token)).toBe(type)
      }
      expect(new Set(tokens).size).toBe(200)
      expect(new Set(tokens.flatMap((token) => Array.from(token.slice(8, 40)))).size).toBe(62)
    },
  )

  test('one character that differs, anywhere, makes it none', () => {
    for (const [index, character] of Array.from(example).entries()) {
      const other = character === 'A' ? 'B' : 'A'
      expect(tokenType(example.slice(0, index) + other + example.slice(index + 1))).toBeUndefined()
    }
  })

  test.each([
    '',
    'cal_biz_',
    example.slice(0, -1),
    `${example}0`,
    ` ${example}`,
    example.toLowerCase(),
    example.replace('cal', 'xyz'),
    'x'.repeat(1_000_000),
  ])('a text of another form is none', (text) => {
    expect(tokenType(text)).toBeUndefined()
  })
})

onOneEngine('sqlite', 'tokens', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('a malformed token or a wrong checksum is refused before any look-up', async () => {
    const { business_key } = businessOf(service.world, 'Salon Spree')
    const last = business_key.endsWith('0') ? '1' : '0'
    const wrong = [
      business_key.slice(0, -1) + last,
      business_key.slice(0, -1),
      `${business_key}0`,
      'secret',
      'cal_biz_',
    ]
    service.statements.length = 0
    for (const token of wrong) {
      expectProblem(await service.call('GET', '/services', { token }), 'invalid_credentials')
    }
    expect(withoutLimiter(service.statements)).toEqual([])
  })

  test('an unknown token with a right checksum is refused after one look-up', async () => {
    for (const type of tokenTypes) {
      service.statements.length = 0
      const token = newToken(type, systemIds)
      expectProblem(await service.call('GET', '/services', { token }), 'invalid_credentials')
      expect(withoutLimiter(service.statements)).toHaveLength(1)
    }
  })

  test('a token that was found is looked up again only after five seconds', async () => {
    const token = await service.session()
    const lookUps = async () => {
      service.statements.length = 0
      expect((await service.call('GET', '/services', { token })).status).toBe(200)
      return withoutLimiter(service.statements).length - 1 // one reads the services
    }
    expect(await lookUps()).toBe(1)
    service.clock.advance(4.9)
    expect(await lookUps()).toBe(0)
    service.clock.advance(0.1)
    expect(await lookUps()).toBe(1)
  })

  test('a miss is not remembered: a key works from the moment of its creation', async () => {
    const ids = { ...systemIds, secret: () => 'S'.repeat(32) }
    const token = newToken('session', ids)
    expectProblem(await service.call('GET', '/services', { token }), 'invalid_credentials')
    const { secret } = service.app.context.ids
    service.app.context.ids = Object.assign(Object.create(systemIds) as typeof ids, ids)
    try {
      expect(await service.session()).toBe(token)
    } finally {
      service.app.context.ids = { ...systemIds, secret }
    }
    expect((await service.call('GET', '/services', { token })).status).toBe(200)
  })

  test('no token is stored: the database holds digests and last characters only', async () => {
    const { world } = service
    const tokens = [
      world.hub.key,
      ...world.businesses.flatMap((each) => [each.business_key, each.publishable_key]),
    ]
    for (const business of world.businesses) {
      const token = await service.session(business)
      const refreshed = await service.session(business, { 'x-previous-session': token })
      tokens.push(token, refreshed, (await makeThings(service, business)).token)
    }
    const stored = JSON.stringify(await everyRow())
    expect(stored).toContain(businessOf(world, 'Salon Spree').id)
    for (const token of tokens) {
      expect(stored).not.toContain(token)
      expect(stored).not.toContain(token.slice(8, 40))
      expect(stored).toContain(`"${token.slice(-4)}"`)
    }
    expect(stored).not.toMatch(/cal_(hub|biz|pub|ses)_/)
  })

  const everyRow = async () => {
    const tables = await service.context.db.reads.introspection.getTables()
    expect(tables.length).toBeGreaterThan(12)
    return Promise.all(tables.map(({ name }) => service.rows(name)))
  }
})

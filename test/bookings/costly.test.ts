import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { turnsFor } from '../../src/bookings/costly.ts'
import { readConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { rawConnection } from '../support/raw-connections.ts'
import { bookerOf } from '../support/salon-day.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, type Reply, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'what costs the serving thread', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let feed: string
  const business = () => businessOf(service.world, 'Salon Spree')
  const byKey = (path: string, token = business().business_key) => service.call('GET', path, { token })
  const days = 'from=2026-11-20&to=2026-11-21'
  const asked: [string, Parameters<typeof turnsFor>[1], number, () => Promise<Reply>][] = [
    ['GET /calendar', 'calendar', 32, () => byKey(`/calendar?${days}`)],
    ['/console', 'calendar', 32, () => readConsole(service, '/console', owner)],
    ['/console/calendar', 'calendar', 32, () => readConsole(service, '/console/calendar', owner)],
    ['GET /numbers', 'numbers', 8, () => byKey(`/numbers?${days}`)],
    ['/console/numbers', 'numbers', 8, () => readConsole(service, '/console/numbers', owner)],
    ['/console/numbers.csv', 'export', 8, () => readConsole(service, '/console/numbers.csv', owner)],
    [
      '/console/bookings.csv',
      'export',
      8,
      () => readConsole(service, '/console/bookings.csv?when=all', owner),
    ],
    ['a feed', 'feed', 20, () => service.call('GET', feed)],
  ]
  beforeAll(async () => {
    service = await startTestService(engine)
    const place = { businessId: business().id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', role: 'owner', place })
    await bookerOf(service).book('Haircut', '2026-11-20T15:00:00+01:00')
    const made = await service.call('POST', '/feeds', {
      token: business().business_key,
      body: { detail: 'busy' },
    })
    feed = `/${new URL(String(made.body.url)).pathname}`
  })
  afterAll(() => service.stop())

  test.each(asked)(
    '%s: a business has one at a time, some wait, others are told when',
    async (_what, kind, waiting, ask) => {
      const end = await turnsFor(service.context, kind).take(business().id)
      let answered = 0
      const all = Array.from({ length: waiting + 2 }, async () => {
        const reply = await ask()
        answered += 1
        return reply
      })
      await eventually('two refusals', () => answered >= 2 || undefined)
      expect(answered).toBe(2)
      end()
      const replies = await Promise.all(all)
      const refused = replies.filter(({ status }) => status === 503)
      expect(refused).toHaveLength(2)
      for (const { headers } of refused) expect(headers['retry-after']).toBe('1')
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(waiting)
    },
  )

  test.each(['calendar', 'export'] as const)('%s: another business need not wait', async (kind) => {
    const end = await turnsFor(service.context, kind).take(business().id)
    const other = businessOf(service.world, 'Hudson Studio').business_key
    expect((await byKey(`/calendar?${days}`, other)).status).toBe(200)
    end()
  })

  test('a calendar that its reader has already waits for nothing', async () => {
    const { headers } = await byKey(`/calendar?${days}`)
    const end = await turnsFor(service.context, 'calendar').take(business().id)
    const again = await service.call('GET', `/calendar?${days}`, {
      token: business().business_key,
      headers: { 'if-none-match': headers['etag'] ?? '' },
    })
    expect(again.status).toBe(304)
    end()
  })

  test('is not done for a client that has gone while it waited', async () => {
    await service.app.server.listen({ port: 0, host: '127.0.0.1' })
    const address = `http://127.0.0.1:${(service.app.server.server.address() as AddressInfo).port}`
    const turns = turnsFor(service.context, 'numbers')
    const end = await turns.take(business().id)
    const connected = once(service.app.server.server, 'connection')
    const request = `GET /api/v1/numbers?${days} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${business().business_key}\r\n\r\n`
    const client = rawConnection(address, request)
    const [connection] = (await connected) as [import('node:net').Socket]
    let isNext = false
    const behind = async () => {
      await turns.run(business().id, async () => {
        isNext = true
      })
    }
    await eventually('the request to wait', () => turns.waits(business().id) || undefined)
    const closed = once(connection, 'close')
    client.socket.destroy()
    await closed
    const after = behind()
    service.statements.length = 0
    end()
    await after
    expect(isNext).toBe(true)
    expect(service.statements.filter((text) => text.includes('select t.span'))).toEqual([])
  })

  test('a large catalogue is read in many small statements, and others get their turn in between', async () => {
    const { id } = businessOf(service.world, 'Hudson Studio')
    await service.context.db.transaction(async (tx) => {
      for (let index = 0; index < 200; index += 1)
        await sql`insert into staff (id, business_id, name, date_overrides_json, created_at)
                  values (${service.context.ids.next()}, ${id}, ${`Person ${index}`}, '[]', ${tx.now})`.execute(
          tx.db,
        )
      await sql`update businesses set catalogue_version = catalogue_version + 1 where id = ${id}`.execute(
        tx.db,
      )
    })
    let turns = 0
    let isOver = false
    const loop = () => {
      turns += 1
      if (!isOver) setImmediate(loop)
    }
    setImmediate(loop)
    const token = businessOf(service.world, 'Hudson Studio').business_key
    const statements = await service.statementsOf(() => byKey(`/calendar?${days}`, token))
    isOver = true
    const ofStaff = statements.filter((text) => /from "staff" as "p".* in \(/.test(text))
    expect(ofStaff.length).toBeGreaterThanOrEqual(10)
    expect(turns).toBeGreaterThan(3)
  })
})

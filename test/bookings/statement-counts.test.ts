import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer } from '../support/offers.ts'
import {
  onEachEngine,
  startTestService,
  withoutLimiter,
  type Reply,
  type TestService,
} from '../support/test-service.ts'

const callers = ['session', 'business', 'hub'] as const

onEachEngine('statements of the hot paths', (engine) => {
  let service: TestService
  let clients: Record<(typeof callers)[number], Client>
  let offers: Offer[]
  beforeAll(async () => {
    service = await startTestService(engine)
    const business = await makeBusiness(service, { hubId: service.world.hub.id })
    clients = {
      session: await sessionClient(service, business),
      business: clientOf(service, business.key),
      hub: clientOf(service, service.world.hub.key),
    }
    const staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    offers = [
      await makeOffer(service, business.id),
      await makeOffer(service, business.id, { staffIds }),
      await makeOffer(service, business.id, { staffIds: staffIds.slice(1), capacity: 8 }),
    ]
    // the token, the service and its staff, and the location are remembered for five seconds from here on
    for (const client of Object.values(clients)) {
      for (const offer of offers) await book(client, offer)
    }
  })
  afterAll(() => service.stop())

  let lastSlot = 0
  /** A start at which nothing conflicts. */
  const nextStart = () => new Date(Date.UTC(2027, 0, 1, (lastSlot += 1))).toISOString()

  async function book(client: Client, offer: Offer): Promise<string> {
    const held = await client.hold(offer, nextStart())
    await client.book(String(held.body.hold_id))
    return String(held.body.hold_id)
  }

  /** What reaches the database during a call, besides the edges of its transaction and the counting of the request. */
  async function statementsOf(call: () => Promise<Reply>): Promise<{ reply: Reply; statements: string[] }> {
    service.statements.length = 0
    const reply = await call()
    const statements = withoutLimiter(service.statements).filter((text) => !/^(begin|commit)/.test(text))
    return { reply, statements }
  }

  /** Deliveries are written with their event in one statement; SQLite, which is near, takes one more. */
  const withEvent = engine === 'sqlite' ? 1 : 0

  /** What comes from strangers is counted: the settings of the business and a turn, then whether it fits. */
  const counting = { session: 2, business: 0, hub: 0 }

  test.each(callers)(
    'a %s places a hold and converts it with three statements each, beside counts of strangers',
    async (caller) => {
      const client = clients[caller]
      for (const offer of offers) {
        const { reply: held, statements: ofHold } = await statementsOf(() => client.hold(offer, nextStart()))
        expect(held.status).toBe(201)
        expect(ofHold).toHaveLength(3)
        const id = String(held.body.hold_id)
        const { reply: booked, statements: ofBooking } = await statementsOf(() => client.book(id))
        expect(booked.status).toBe(201)
        expect(ofBooking).toHaveLength(3 + withEvent + counting[caller])
      }
    },
  )

  test.each(callers)('a %s reads a booking and a hold with one statement', async (caller) => {
    const client = clients[caller]
    const id = await book(client, offers[1] as Offer)
    for (const read of [() => client.show(id), () => client.showHold(id)]) {
      const { reply, statements } = await statementsOf(read)
      expect(reply.status).toBe(200)
      expect(statements).toHaveLength(1)
    }
  })

  test.each(['business', 'hub'] as const)('a %s key lists bookings with one statement', async (caller) => {
    const { reply, statements } = await statementsOf(() => clients[caller].list({ status: 'confirmed' }))
    expect(reply.body.data).toHaveLength(20)
    expect(statements).toHaveLength(1)
  })

  test('a session that already has holds places another with three statements', async () => {
    const [offer] = offers as [Offer]
    await clients.session.hold(offer, nextStart())
    const { reply, statements } = await statementsOf(() => clients.session.hold(offer, nextStart()))
    expect(reply.status).toBe(201)
    expect(statements).toHaveLength(3)
  })

  test('an Idempotency-Key costs as many more as ARCHITECTURE.md says', async () => {
    const [offer] = offers as [Offer]
    const options = {
      token: clients.session.token,
      headers: { 'idempotency-key': 'once' },
      body: { ...offer, starts_at: nextStart() },
    }
    const { reply, statements } = await statementsOf(() => service.call('POST', '/bookings/hold', options))
    expect(reply.status).toBe(201)
    expect(statements).toHaveLength(3 + (engine === 'sqlite' ? 3 : 4))
  })

  test('a change of notes takes three statements, a move six', async () => {
    const id = await book(clients.business, offers[0] as Offer)
    const notes = await statementsOf(() => clients.business.change(id, { notes: 'x' }))
    expect(notes.statements).toHaveLength(3 + withEvent)
    const move = await statementsOf(() => clients.business.change(id, { starts_at: nextStart() }))
    expect(move.reply.status).toBe(200)
    expect(move.statements).toHaveLength(6 + withEvent)
  })

  test('with nothing remembered, a look-up of the token and one of the whole offer come first', async () => {
    service.clock.advance(5)
    const { reply, statements } = await statementsOf(() =>
      clients.business.hold(offers[1] as Offer, nextStart()),
    )
    expect(reply.status).toBe(201)
    expect(statements).toHaveLength(3 + 2)
  })
})

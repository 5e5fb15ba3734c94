import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { deposit } from '../support/deposits.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine, rounds, testFirstOf } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { ada, type Reply, startTestService, type TestService } from '../support/test-service.ts'

const perHour = 4
const perDay = 6
const perClient = 2
const hour = 3_600

onOneEngine('sqlite', 'bookings of strangers', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  let last = 0
  beforeAll(async () => {
    service = await startTestService(engine, {
      MAX_BOOKINGS_PER_IP_PER_HOUR: String(perHour),
      MAX_BOOKINGS_PER_IP_PER_DAY: String(perDay),
      MAX_HOLDS_PER_IP: '8',
      RATE_LIMIT_FACTOR: '1',
    })
    business = await makeBusiness(service, { hubId: service.world.hub.id })
    offer = await makeOffer(service, business.id)
    await change({ max_bookings_per_client: null })
  })
  afterAll(() => service.stop())

  /** Return an address, a client and a start that no other test has. */
  const address = () => `192.0.2.${(last += 1)}`
  const nobody = () => ({ ...ada, email: `client${(last += 1)}@example.com` })
  const nextStart = () => new Date(Date.UTC(2027, 0, 1, 0, (last += 1) * 30)).toISOString()

  const change = (settings: object, of = business) =>
    service.call('PATCH', `/businesses/${of.id}`, { token: of.key, body: settings })
  const newcomer = (at: string, of = business) => sessionClient(service, of, at)

  async function book(client: Client, who: object = nobody(), what = offer): Promise<Reply> {
    const held = await client.hold(what, nextStart())
    expect(held).toMatchObject({ status: 201 })
    return client.book(String(held.body.hold_id), { client: who })
  }
  async function bookings(client: Client, count: number, who?: object): Promise<Reply[]> {
    const replies: Reply[] = []
    for (let index = 0; index < count; index += 1) replies.push(await book(client, who))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    return replies
  }
  function expectLimit(reply: Reply): void {
    expectProblem(reply, 'booking_limit_reached')
    expect(reply.headers['retry-after']).toBe('3600')
  }
  const essence = ({ status, headers, body }: Reply) => {
    const { request_id: _, ...rest } = body as Record<string, unknown>
    return { status, body: rest, retryAfter: headers['retry-after'] }
  }

  test('an address makes as many bookings within an hour as it may, whatever its sessions', async () => {
    const at = address()
    await bookings(await newcomer(at), 2)
    service.clock.advance(hour / 2)
    await bookings(await newcomer(at), 2)
    const another = await newcomer(at)
    expectLimit(await book(another))
    service.clock.advance(hour / 2 - 1)
    expectLimit(await book(await newcomer(at)))
    service.clock.advance(1) // the first two are an hour old
    await bookings(await newcomer(at), 2)
    expectLimit(await book(await newcomer(at)))
  })

  test('bookings at once, of which one takes more steps, are counted exactly', async () => {
    const [kim = '', lee = ''] = await makeStaff(service, business.id, ['Kim', 'Lee'])
    for (let round = 0; round < rounds(2, 10); round += 1) {
      const staffed = await makeOffer(service, business.id, { staffIds: [kim, lee] })
      const at = address()
      await bookings(await newcomer(at), perHour - 1)
      const [one, two] = [await newcomer(at), await newcomer(at)]
      const plain = String((await one.hold(offer, nextStart())).body.hold_id)
      const withKim = String((await two.hold(staffed, nextStart(), { staff_id: kim })).body.hold_id)
      // the staff of the service are checked when the booking is made
      const path = `/services/${staffed.service_id}`
      await service.call('PATCH', path, { token: business.key, body: { staff_ids: [lee] } })
      const replies = await Promise.all([
        one.book(plain, { client: nobody() }),
        two.book(withKim, { client: nobody() }),
      ])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 429])
    }
  })

  test('an address makes as many bookings within 24 hours as it may', async () => {
    const at = address()
    await bookings(await newcomer(at), perHour)
    service.clock.advance(hour)
    await bookings(await newcomer(at), perDay - perHour)
    service.clock.advance(hour)
    expectLimit(await book(await newcomer(at)))
    service.clock.advance(22 * hour - 1)
    expectLimit(await book(await newcomer(at)))
    service.clock.advance(1)
    await bookings(await newcomer(at), perHour)
  })

  test('a refused conversion leaves its hold, and neither booking nor event', async () => {
    const client = await newcomer(address())
    await bookings(client, perHour)
    const events = (await service.events()).length
    const held = await client.hold(offer, nextStart())
    const id = String(held.body.hold_id)
    expectLimit(await client.book(id, { client: nobody() }))
    expect(await client.showHold(id)).toMatchObject({ body: { status: 'active' } })
    expect(await client.show(id)).toMatchObject({ status: 404 })
    expect(await service.events()).toHaveLength(events)
    expect(await clientOf(service, business.key).book(id)).toMatchObject({ status: 201 })
  })

  test('other refusals come first, and count for nothing', async () => {
    const at = address()
    const client = await newcomer(at)
    await bookings(client, perHour - 1)
    const held = await client.hold(offer, nextStart())
    const unknown = '01a1fa68-2f8d-7aba-8613-821934a98a29'
    expectProblem(await client.book(unknown, { client: nobody() }), 'hold_not_found')
    const field_id = unknown
    expectErrors(
      await client.book(String(held.body.hold_id), { custom_field_values: [{ field_id, value: 1 }] }),
      '/custom_field_values/0/field_id',
    )
    const [booked] = await bookings(client, 1)
    expectProblem(await client.book(String(booked?.body.id)), 'hold_converted', {
      booking_id: booked?.body.id,
    })
    const lapsing = await client.hold(offer, nextStart())
    service.clock.advance(600)
    expectProblem(await client.book(String(lapsing.body.hold_id)), 'hold_expired')
    expectLimit(await book(client))
  })

  test('each business has its own count of an address, and another address its own', async () => {
    const [here, there] = [address(), address()]
    const other = await makeBusiness(service)
    await bookings(await newcomer(here), perHour)
    const elsewhere = await newcomer(here, other)
    expect(await book(elsewhere, nobody(), await makeOffer(service, other.id))).toMatchObject({ status: 201 })
    await bookings(await newcomer(there), perHour)
  })

  test('what counts for an IPv6 address is its /64, and its /48 may four times as much', async () => {
    for (let network = 0; network < 4; network += 1) {
      await bookings(await newcomer(`2001:db8:7:${network}::1`), perHour - 1)
      await bookings(await newcomer(`2001:db8:7:${network}::2`), 1)
      expectLimit(await book(await newcomer(`2001:db8:7:${network}::3`)))
    }
    expectLimit(await book(await newcomer('2001:db8:7:ffff::1')))
    await bookings(await newcomer('2001:db8:8:ffff::1'), 1)
  })

  test('business and hub keys book as much as they like and take nobody’s room', async () => {
    const at = address()
    await change({ max_bookings_per_client: perClient })
    try {
      const who = nobody()
      for (const token of [business.key, service.world.hub.key]) {
        const keyed = clientOf(service, token, at)
        await bookings(keyed, perHour + 1, who)
      }
      await bookings(await newcomer(at), perHour)
      await bookings(await newcomer(address()), perClient, who)
      await bookings(clientOf(service, business.key, at), 1, who)
    } finally {
      await change({ max_bookings_per_client: null })
    }
  })

  test('a client has as many bookings ahead as the business allows, however the address is written', async () => {
    await change({ max_bookings_per_client: perClient })
    try {
      const { email } = nobody()
      const spelled = [email, email.toUpperCase(), email.replace('@', '+x+y@')].map((email) => ({
        ...ada,
        email,
      }))
      const [first] = await bookings(await newcomer(address()), 1, spelled[0])
      await bookings(await newcomer(address()), 1, spelled[1])
      for (const who of spelled) expectLimit(await book(await newcomer(address()), who))
      expect(await book(await newcomer(address()))).toMatchObject({ status: 201 })
      await clientOf(service, business.key).cancel(String(first?.body.id))
      await bookings(await newcomer(address()), 1, spelled[2])
      expectLimit(await book(await newcomer(address()), spelled[0]))
      expect(await change({ max_bookings_per_client: perClient + 1 })).toMatchObject({ status: 200 })
      await bookings(await newcomer(address()), 1, spelled[0])
    } finally {
      await change({ max_bookings_per_client: null })
    }
  })

  test('a booking that has begun is not ahead', async () => {
    const own = await makeBusiness(service)
    const soon = await makeOffer(service, own.id)
    await change({ max_bookings_per_client: 1 }, own)
    const who = nobody()
    const startsAt = new Date(Math.ceil(Date.parse(service.clock.now()) / 300_000) * 300_000 + 300_000)
    const client = await newcomer(address(), own)
    const held = await client.hold(soon, startsAt.toISOString())
    expect(await client.book(String(held.body.hold_id), { client: who })).toMatchObject({ status: 201 })
    expectLimit(await book(await newcomer(address(), own), who, soon))
    service.clock.advance((startsAt.getTime() - Date.parse(service.clock.now())) / 1000)
    expect(await book(await newcomer(address(), own), who, soon)).toMatchObject({ status: 201 })
  })

  test('a booking whose e-mail is corrected counts for the client that it is of now', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    await change({ max_bookings_per_client: 1 }, own)
    const [mistaken, right] = [nobody(), nobody()]
    const { id } = (await book(await newcomer(address(), own), mistaken, what)).body as { id: string }
    const corrected = { client: { email: right.email } }
    expect(await clientOf(service, own.key).change(id, corrected)).toMatchObject({ status: 200 })
    expect(await book(await newcomer(address(), own), mistaken, what)).toMatchObject({ status: 201 })
    expectLimit(await book(await newcomer(address(), own), right, what))
  })

  test('to ask whether a client is known costs, and the answer is that of every cap', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    await change({ max_bookings_per_client: 1 }, own)
    const known = nobody()
    await book(await newcomer(address(), own), known, what)
    const at = address()
    const curious = await newcomer(at, own)
    const refusals: Reply[] = []
    for (let asked = 0; asked < perHour; asked += 1) refusals.push(await book(curious, known, what))
    for (const refusal of refusals) expectLimit(refusal)
    const full = await book(await newcomer(at, own), nobody(), what)
    expect(essence(full)).toEqual(essence(refusals[0] as Reply))
    service.clock.advance(hour)
    expect(await book(await newcomer(at, own), nobody(), what)).toMatchObject({ status: 201 })
  })

  test('a refusal counts once for each request, also with an Idempotency-Key', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    const known = nobody()
    await service.call('POST', '/clients/block', { token: own.key, body: { email: known.email } })
    const at = address()
    const curious = await newcomer(at, own)
    const held = await curious.hold(what, nextStart())
    for (let asked = 0; asked < perHour; asked += 1) {
      const body = { hold_id: held.body.hold_id, client: known }
      const headers = { 'idempotency-key': 'the same' }
      const options = { token: curious.token, remoteAddress: at, body, headers }
      expectLimit(await service.call('POST', '/bookings', options))
    }
    expectLimit(await curious.book(String(held.body.hold_id), { client: nobody() }))
  })

  test('a blocked client is refused like one with too many bookings, and keys still book for them', async () => {
    const own = await makeBusiness(service, { hubId: service.world.hub.id })
    const what = await makeOffer(service, own.id)
    const who = nobody()
    const block = (method: string, body: object, token = own.key) =>
      service.call(method, '/clients/block', { token, body })
    const [local, domain] = who.email.split('@')
    const blocked = await block('POST', { email: `${local?.toUpperCase()}+x@${domain}` })
    expect(blocked).toMatchObject({ status: 201, body: { business_id: own.id, email: who.email } })
    expect(Object.keys(blocked.body as object)).toEqual(['business_id', 'email', 'blocked_at'])
    service.clock.advance(10)
    expect((await block('POST', { email: who.email })).body).toEqual(blocked.body)
    const client = await newcomer(address(), own)
    const refused = await book(client, { ...who, email: `${local}+y@${domain}` }, what)
    expectLimit(refused)
    expect(await book(client, nobody(), what)).toMatchObject({ status: 201 })
    expect(await book(clientOf(service, own.key), who, what)).toMatchObject({ status: 201 })
    expect(await book(await newcomer(address()), who)).toMatchObject({ status: 201 }) // at another business
    const hub = service.world.hub.key
    expectErrors(await block('DELETE', { email: who.email }, hub), '/business_id')
    expectErrors(await block('POST', { email: who.email }, hub), '/business_id')
    expectErrors(await block('POST', { email: 'nobody' }), '/email')
    expect(await block('DELETE', { email: who.email, business_id: own.id }, hub)).toMatchObject({
      status: 204,
    })
    expect(await block('DELETE', { email: who.email })).toMatchObject({ status: 204 })
    expect(await book(client, who, what)).toMatchObject({ status: 201 })
  })

  test('an address that the business trusts is exempt from the caps of an address, not from that of a client', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    const [tablet, stranger] = ['198.51.100.7', '198.51.100.8']
    const asked = { trusted_networks: ['198.51.100.7/32', '2001:db8:9::/48'], max_bookings_per_client: 9 }
    expect(await change(asked, own)).toMatchObject({ status: 200, body: asked })
    const six = ['2001:db8:9:1::1', '2001:db8:9:2::1']
    for (const at of [tablet, ...six]) {
      const client = await newcomer(at, own)
      for (let index = 0; index < perHour + 1; index += 1) {
        expect(await book(client, nobody(), what)).toMatchObject({ status: 201 })
      }
    }
    await change({ max_bookings_per_client: 1 }, own)
    const who = nobody()
    const client = await newcomer(tablet, own)
    expect(await book(client, who, what)).toMatchObject({ status: 201 })
    expectLimit(await book(client, who, what))
    const at = await newcomer(stranger, own)
    for (let index = 0; index < perHour; index += 1) await book(at, nobody(), what)
    expectLimit(await book(at, nobody(), what))
  })

  test('the cap on holds of an address leaves out those that the business trusts', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    const tablet = '198.51.100.77'
    const fill = async (at: string) => {
      const statuses: number[] = []
      for (let index = 0; index < 9; index += 1) {
        statuses.push((await (await newcomer(at, own)).hold(what, nextStart())).status)
      }
      return statuses
    }
    expect(await fill(tablet)).toEqual([...Array<number>(8).fill(201), 429])
    await change({ trusted_networks: [`${tablet}/32`] }, own)
    expect(await fill(tablet)).toEqual(Array<number>(9).fill(201))
    await change({ trusted_networks: null }, own)
    expect(await (await newcomer(tablet, own)).hold(what, nextStart())).toMatchObject({ status: 429 })
    service.clock.advance(600)
  })

  test('an IPv6 /48 has four times as many active holds as a /64 of it', async () => {
    const own = await makeBusiness(service)
    const what = await makeOffer(service, own.id)
    const hold = async (network: number) =>
      (await newcomer(`2001:db8:5:${network}::1`, own)).hold(what, nextStart())
    for (let network = 0; network < 4; network += 1) {
      for (let index = 0; index < 8; index += 1) expect(await hold(network)).toMatchObject({ status: 201 })
      expect(await hold(network)).toMatchObject({ status: 429, body: { code: 'hold_limit_reached' } })
    }
    expect(await hold(99)).toMatchObject({ status: 429, body: { code: 'hold_limit_reached' } })
    service.clock.advance(600)
    expect(await hold(99)).toMatchObject({ status: 201 })
  })

  test('of addresses and clients the counts keep digests alone, for a day', async () => {
    const [at, who] = ['203.0.113.99', { ...ada, email: 'secretive@example.org' }]
    await book(await newcomer(at), who)
    const rows = await service.rows('booking_attempts')
    expect(rows.length).toBeGreaterThan(0)
    const kept = JSON.stringify([rows, await service.rows('claims')])
    expect(kept).not.toContain(at)
    expect(kept).not.toContain('secretive')
    service.clock.advance(24 * hour - 1)
    await tidy(service.context, jobs)
    expect(await service.rows('booking_attempts')).not.toEqual([])
    service.clock.advance(1)
    await tidy(service.context, jobs)
    expect(await service.rows('booking_attempts')).toEqual([])
  })

  test('a claim keeps the digest of an address only while it is a living hold', async () => {
    const at = '2001:db8:99:1::1'
    const networks = async () =>
      (await service.rows('claims'))
        .flatMap((row) => [row['client_network'], row['client_wider_network']])
        .filter((digest) => digest !== null)
    await tidy(service.context, jobs)
    const before = (await networks()).length
    await book(await newcomer(at)) // converted
    const client = await newcomer(at)
    const released = await client.hold(offer, nextStart())
    expect((await networks()).length).toBe(before + 2)
    await client.release(String(released.body.hold_id))
    expect((await networks()).length).toBe(before)
    expect(await client.hold(offer, nextStart())).toMatchObject({ status: 201 })
    service.clock.advance(600)
    await tidy(service.context, jobs)
    expect((await networks()).length).toBe(0)
  })

  test('what an earlier release kept of addresses on bookings is forgotten', async () => {
    await book(await newcomer('203.0.113.98'))
    await service.context.db.transaction(({ db }) =>
      db
        .updateTable('claims')
        .set({ client_network: 'a digest', client_wider_network: 'a digest' })
        .where('booked_at', 'is not', null)
        .execute(),
    )
    await tidy(service.context, jobs)
    expect(JSON.stringify(await service.rows('claims'))).not.toContain('a digest')
  })
})

onOneEngine('sqlite', 'bookings that wait for their deposit', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let paid: Offer
  let free: Offer
  beforeAll(async () => {
    service = await startTestService(engine, {
      MAX_HOLDS_PER_SESSION: '3',
      MAX_HOLDS_PER_IP: '4',
      RATE_LIMIT_FACTOR: '1',
    })
    business = await makeBusiness(service)
    paid = await makeOffer(service, business.id, { deposit })
    free = await makeOffer(service, business.id)
  })
  afterAll(() => service.stop())

  let last = 0
  const nextStart = () => new Date(Date.UTC(2027, 0, 1, 0, (last += 1) * 30)).toISOString()
  const book = async (client: Client) => {
    const held = await client.hold(paid, nextStart())
    expect(held).toMatchObject({ status: 201 })
    const email = `client${(last += 1)}@example.com`
    const booked = await client.book(String(held.body.hold_id), { client: { ...ada, email } })
    expect(booked).toMatchObject({ status: 201, body: { status: 'pending' } })
    return booked
  }

  test('they count as holds of their session and of their address until they are paid or over', async () => {
    const at = '192.0.2.1'
    const client = await sessionClient(service, business, at)
    const [first, second] = [await book(client), await book(client), await book(client)]
    const refused = await client.hold(free, nextStart())
    expectProblem(refused, 'hold_limit_reached')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600) // the checkout's life, not that of a hold
    const other = await sessionClient(service, business, at)
    expect(await other.hold(free, nextStart())).toMatchObject({ status: 201 })
    expectProblem(await other.hold(free, nextStart()), 'hold_limit_reached')
    const keyed = clientOf(service, business.key)
    await keyed.cancel(String(first.body.id))
    expect(await other.hold(free, nextStart())).toMatchObject({ status: 201 })
    expectProblem(await other.hold(free, nextStart()), 'hold_limit_reached')
    await keyed.change(String(second.body.id), { status: 'confirmed' })
    expect(await client.hold(free, nextStart())).toMatchObject({ status: 201 })
    expect(await (await sessionClient(service, business, '192.0.2.2')).hold(free, nextStart())).toMatchObject(
      {
        status: 201,
      },
    )
  })
})

onOneEngine('sqlite', 'the caps that a service has by default', (engine) => {
  testFirstOf([
    [{}, 10, 5],
    [{ RATE_LIMIT_FACTOR: '2' }, 20, 10],
    [{ MAX_BOOKINGS_PER_IP_PER_HOUR: '40' }, 30, 5], // those of the day come first
  ])('with %j an address makes %i bookings, and a client %i', async (variables, max, ofClient) => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1', ...variables })
    try {
      const [salon] = service.world.businesses
      const business = await makeBusiness(service)
      const offer = await makeOffer(service, business.id)
      const shown = await service.call('GET', `/businesses/${salon?.id}`, {
        token: salon?.business_key ?? '',
      })
      expect(shown.body).toMatchObject({ max_bookings_per_client: 5, trusted_networks: [] })
      let made = 0
      const attempt = async (email: string, at: string) => {
        made += 1
        const client = clientOf(
          service,
          (await sessionClient(service, business, `192.0.2.${made}`)).token,
          at,
        )
        const held = await client.hold(offer, new Date(Date.UTC(2027, 0, 1, made)).toISOString())
        return (await client.book(String(held.body.hold_id), { client: { ...ada, email } })).status
      }
      const statuses: number[] = []
      for (let n = 0; n <= max; n += 1) statuses.push(await attempt(`client${n}@example.com`, '203.0.113.1'))
      expect(statuses).toEqual([...Array<number>(max).fill(201), 429])
      const ofOne: number[] = []
      for (let n = 0; n <= ofClient; n += 1)
        ofOne.push(await attempt('ada@example.com', `203.0.113.${n + 2}`))
      expect(ofOne).toEqual([...Array<number>(ofClient).fill(201), 429])
    } finally {
      await service.stop()
    }
  })
})

onOneEngine('sqlite', 'how far ahead strangers book', (engine) => {
  let service: TestService
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
  })
  afterAll(() => service.stop())

  // it is 10:00 on 20 November 2026 in Berlin, and no day of the two years is skipped
  const lastDay = '2028-11-19'
  const dayAfter = '2028-11-20'

  test.each([[null], [1_000], [730]])(
    'with max_advance_days %s, no session holds what starts more than 730 days ahead, and none is offered',
    async (horizonDays) => {
      const offer = await makeOffer(service, business.id, { horizonDays, minutes: 60, intervalMinutes: 60 })
      const session = await sessionClient(service, business)
      const ask = (path: string, query: Record<string, string>) =>
        service.call(
          'GET',
          `/availability${path}?${new URLSearchParams({ ...offer, ...query }).toString()}`,
          {
            token: session.token,
          },
        )
      const { body } = await ask('', { from: lastDay, to: dayAfter })
      const days = body.days as { slots: object[] }[]
      expect(days.map(({ slots }) => slots.length)).toEqual([24, 0])
      const [fits, beyond] = [`${lastDay}T23:00:00+01:00`, `${dayAfter}T00:00:00+01:00`]
      expect((await ask('/explain', { starts_at: fits })).body).toMatchObject({ offered: true, reason: null })
      const reason = 'beyond_horizon'
      expect((await ask('/explain', { starts_at: beyond })).body).toMatchObject({ offered: false, reason })
      expect(await session.hold(offer, fits)).toMatchObject({ status: 201 })
      const refusal = { status: 422, body: { code: 'slot_not_offered', reason } }
      expect(await session.hold(offer, beyond)).toMatchObject(refusal)
      expect(await session.hold(offer, '9999-12-01T10:00:00Z')).toMatchObject(refusal)
      expect(await clientOf(service, business.key).hold(offer, beyond)).toMatchObject({ status: 201 })
    },
  )

  test('a new service is offered 365 days ahead unless it says otherwise, and null takes the limit away', async () => {
    const call = (method: string, path: string, body: object) =>
      service.call(method, path, { token: business.key, body })
    const { location_id } = await makeOffer(service, business.id)
    const plain = { name: 'New', duration_minutes: 30, location_ids: [location_id] }
    const made = await call('POST', '/services', plain)
    expect(made).toMatchObject({ status: 201, body: { max_advance_days: 365 } })
    const withNull = await call('POST', '/services', { ...plain, max_advance_days: null })
    expect(withNull).toMatchObject({ status: 201, body: { max_advance_days: 365 } })
    const path = `/services/${String(made.body.id)}`
    expect((await call('PATCH', path, { max_advance_days: null })).body).toMatchObject({
      max_advance_days: null,
    })
    expect((await call('PATCH', path, { name: 'Same' })).body).toMatchObject({ max_advance_days: null })
  })
})

onOneEngine('sqlite', 'what is refused of settings about strangers', (engine) => {
  let service: TestService
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
  })
  afterAll(() => service.stop())

  test.each<[object, string[]]>([
    [{ max_bookings_per_client: 0 }, ['/max_bookings_per_client']],
    [{ max_bookings_per_client: 101 }, ['/max_bookings_per_client']],
    [{ max_bookings_per_client: '5' }, ['/max_bookings_per_client']],
    [{ trusted_networks: ['203.0.113.7'] }, ['/trusted_networks/0']],
    [
      { trusted_networks: ['10.0.0.0/8', '10/8', '10.0.0.0/33', 'x', ''] },
      [1, 2, 3, 4].map((n) => `/trusted_networks/${n}`),
    ],
    [{ trusted_networks: Array.from({ length: 11 }, (_, n) => `10.${n}.0.0/16`) }, ['/trusted_networks']],
    [{ trusted_networks: ['::1/128', '::1/128'] }, ['/trusted_networks']],
    [{ trusted_networks: '10.0.0.0/8' }, ['/trusted_networks']],
    [
      {
        trusted_networks: ['10.0.0.0/8', '0.0.0.0/0', '2001:db8::/32', '::/0', '10.0.0.0/7', '2001:db8::/31'],
      },
      [1, 3, 4, 5].map((n) => `/trusted_networks/${n}`),
    ],
  ])('%j', async (body, pointers) => {
    const before = await service.rows('businesses')
    const reply = await service.call('PATCH', `/businesses/${business.id}`, { token: business.key, body })
    expectErrors(reply, ...pointers)
    expect(await service.rows('businesses')).toEqual(before)
  })

  test('a single address is refused with the range that means it', async () => {
    const body = { trusted_networks: ['203.0.113.7', '2001:db8::7'] }
    const reply = await service.call('PATCH', `/businesses/${business.id}`, { token: business.key, body })
    const details = (reply.body.errors as { detail: string }[]).map(({ detail }) => detail)
    expect(details).toEqual([
      expect.stringContaining('203.0.113.7/32'),
      expect.stringContaining('2001:db8::7/128'),
    ])
  })
})

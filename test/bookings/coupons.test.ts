import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientFigures } from '../../src/bookings/client.ts'
import { couponReductions } from '../../src/bookings/coupon.ts'
import { bookSlot, sessionClient } from '../support/client.ts'
import { depositWorld, type DepositWorld, sessionOf } from '../support/deposits.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine, rounds } from '../support/long.ts'
import { nextClient } from '../support/mail-world.ts'
import { makeBusiness, makeOffer, type Offer } from '../support/offers.ts'
import { type Reply } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`
const euros = (amount: number) => ({ amount, currency: 'EUR' })

onOneEngine('sqlite', 'coupons', (engine) => {
  let world: DepositWorld
  let offer: Offer
  let codes = 0
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  beforeEach(async () => {
    await world.newSession()
    offer = await priced(euros(3_500))
  })
  afterAll(() => world.stop())

  const call = (method: string, path: string, body?: object, token = world.business.key): Promise<Reply> =>
    world.service.call(method, path, { token, ...(body && { body }) })
  async function priced(price: object | null, parts: object = {}): Promise<Offer> {
    const made = await makeOffer(world.service, world.business.id, { capacity: 200, ...parts })
    expect((await call('PATCH', `/services/${made.service_id}`, { price })).status).toBe(200)
    return made
  }
  const add = async (parts: object): Promise<Reply['body']> => {
    const reply = await call('POST', '/coupons', { code: `CODE-${(codes += 1)}`, ...parts })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    return reply.body
  }
  const uses = async (id: string) => (await call('GET', `/coupons/${id}`)).body.uses as number
  const bookWith = async (
    code: string,
    parts: { client?: object; offer?: Offer; hold?: Record<string, unknown> } = {},
  ) => {
    const held = await world.session.hold(parts.offer ?? offer, at('10:00'), parts.hold)
    const { client = nextClient() } = parts
    return world.session.book(String(held.body.hold_id), { client, coupon: code })
  }

  test('take a percentage off, rounded half up, whatever the case of the code', async () => {
    const { id, code } = await add({ code: 'Summer_15', percent: 15 })
    expect(code).toBe('SUMMER_15')
    const odd = await priced(euros(3_330)) // 499.5 cents
    const { body } = await bookWith('summer_15', { offer: odd })
    expect(body).toMatchObject({
      price: euros(2_830),
      discount: { code: 'SUMMER_15', ...euros(500) },
      service: { price: euros(3_330) },
    })
    expect(await uses(id)).toBe(1)
    // the agreed price stays
    expect(
      (await call('PATCH', `/coupons/${id}`, { percent: null, amount: 1, currency: 'EUR' })).status,
    ).toBe(200)
    expect((await call('DELETE', `/coupons/${id}`)).status).toBe(204)
    expect((await world.key.show(String(body.id))).body).toMatchObject({ price: euros(2_830) })
  })

  test('take an amount off the whole booking, at most its price', async () => {
    const { code } = await add({ amount: 5_000, currency: 'EUR' })
    expect((await bookWith(code, { hold: { party_size: 2 } })).body).toMatchObject({ price: euros(2_000) })
    expect((await bookWith(code)).body).toMatchObject({ price: euros(0), discount: euros(3_500) })
    // yen have no decimals, dinars three
    const yen = await add({ amount: 500, currency: 'JPY' })
    const inYen = await priced({ amount: 3_000, currency: 'JPY' })
    expect((await bookWith(yen.code, { offer: inYen })).body.price).toEqual({
      amount: 2_500,
      currency: 'JPY',
    })
    const tenth = await add({ percent: 10 })
    const inDinars = await priced({ amount: 12_345, currency: 'KWD' })
    const { price } = (await bookWith(tenth.code, { offer: inDinars })).body
    expect(price).toEqual({ amount: 11_110, currency: 'KWD' })
  })

  test('lower a deposit to what remains, and need none for a free booking', async () => {
    const withDeposit = await priced(euros(3_500), { deposit: euros(2_500) })
    const half = await add({ percent: 50 })
    const paying = await bookWith(half.code, { offer: withDeposit })
    expect(world.stripe.sessions.get(sessionOf(world.stripe, paying))).toMatchObject({ amount_total: 1_750 })
    const free = await add({ percent: 100 })
    const { body } = await bookWith(free.code, { offer: withDeposit })
    expect(body).toMatchObject({ status: 'confirmed', price: euros(0) })
    expect(body).not.toHaveProperty('redirect_url')
    // an unpaid booking gives its use back when its checkout ends
    expect(await uses(half.id)).toBe(1)
    await call('DELETE', `/bookings/${String(paying.body.id)}`)
    expect(await uses(half.id)).toBe(0)
  })

  test('are added as the guide shows', async () => {
    const guide = readFileSync(new URL('../../docs/guides/coupons.md', import.meta.url), 'utf8')
    const [, json = ''] = /```json\n(.*?)```/s.exec(guide) ?? []
    expect(await add(JSON.parse(json) as object)).toMatchObject({ code: 'SUMMER10', uses: 0, active: true })
  })

  test('are refused alike, whatever the reason', async () => {
    const other = await makeOffer(world.service, world.business.id)
    const refused = [
      await add({ percent: 10, active: false }),
      await add({ percent: 10, valid_from: '2027-01-01T00:00:00Z' }),
      await add({ percent: 10, valid_until: '2026-11-01T00:00:00Z' }),
      await add({ percent: 10, service_ids: [other.service_id] }),
      await add({ amount: 100, currency: 'USD' }),
      { code: 'UNKNOWN' },
    ]
    const answers = new Set<string>()
    const held = await world.session.hold(offer, at('10:00'))
    for (const { code } of refused) {
      const reply = await world.session.book(String(held.body.hold_id), {
        client: nextClient(),
        coupon: code,
      })
      expectErrors(reply, '/coupon')
      const { request_id: _, ...same } = reply.body
      answers.add(JSON.stringify(same))
    }
    expect(answers.size).toBe(1)
    for (const { code } of refused) {
      const checked = await world.service.call(
        'GET',
        `/coupons/check?code=${code}&items=${offer.service_id}`,
        {
          token: world.business.key,
        },
      )
      expectErrors(checked, '/code')
    }
    // the hold is still there
    expect((await world.session.book(String(held.body.hold_id), { client: nextClient() })).status).toBe(201)
  })

  test('are given back by a cancellation before the start, and counted again by its undoing', async () => {
    const { id, code } = await add({ percent: 10, max_uses: 1 })
    const { body: first } = await bookWith(code)
    expectErrors(await bookWith(code), '/coupon')
    await call('DELETE', `/bookings/${String(first.id)}`)
    expect(await uses(id)).toBe(0)
    expect((await call('PATCH', `/bookings/${String(first.id)}`, { status: 'confirmed' })).status).toBe(200)
    expect(await uses(id)).toBe(1)
    await call('DELETE', `/bookings/${String(first.id)}`)
    expect((await bookWith(code)).status).toBe(201)
    const back = await call('PATCH', `/bookings/${String(first.id)}`, { status: 'confirmed' })
    expectProblem(back, 'change_not_allowed', { reason: 'not_allowed' })
    expect((await call('PATCH', `/coupons/${id}`, { max_uses: 2 })).status).toBe(200)
    expect((await call('PATCH', `/bookings/${String(first.id)}`, { status: 'confirmed' })).status).toBe(200)
    expectErrors(await call('PATCH', `/coupons/${id}`, { max_uses: 1 }), '/max_uses')
  })

  test('lower what a client has spent', async () => {
    const { code } = await add({ percent: 10 })
    const soon = new Date(world.service.clock.nowMs() + 300_000).toISOString()
    const body = await bookSlot(world.key, offer, soon, { book: { client: nextClient(), coupon: code } })
    world.service.clock.advance(3_600)
    const client = { id: String(body.client.id), business_id: world.business.id }
    const { spent } = await clientFigures(world.service.context, { client } as Parameters<
      typeof clientFigures
    >[1])
    expect(spent).toEqual([euros(3_150)])
    await world.newSession()
  })

  test('that were used for a time that has begun stay used', async () => {
    const { id, code } = await add({ percent: 10, max_uses: 1 })
    const soon = new Date(world.service.clock.nowMs() + 300_000).toISOString()
    const body = await bookSlot(world.key, offer, soon, { book: { client: nextClient(), coupon: code } })
    world.service.clock.advance(600)
    await call('PATCH', `/bookings/${String(body.id)}`, { status: 'cancelled' })
    expect(await uses(id)).toBe(1)
  })

  test('count the uses of one address, in any spelling', async () => {
    const { code } = await add({ percent: 10, max_uses_per_client: 1 })
    const client = nextClient()
    expect((await bookWith(code, { client })).status).toBe(201)
    expectErrors(
      await bookWith(code, { client: { ...client, email: client.email.toUpperCase() } }),
      '/coupon',
    )
    expect((await bookWith(code)).status).toBe(201)
  })

  test('with room for some are won by exactly as many of those who ask at once', async () => {
    const [askers, room] = [rounds(40, 200), rounds(7, 37)]
    const { id, code } = await add({ percent: 10, max_uses: room })
    const once = await add({ percent: 10, max_uses_per_client: 1 })
    const client = nextClient()
    const ask = async (coupon: string, by: object, time = '11:00') => {
      const held = await world.key.hold(offer, at(time))
      const book = () => world.key.book(String(held.body.hold_id), { client: by, coupon })
      let reply = await book()
      for (let left = 20; reply.status === 503 && left > 0; left -= 1) reply = await book() // too many at once
      return reply
    }
    const replies = await Promise.all(Array.from({ length: askers }, () => ask(code, nextClient())))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(askers - room)
    for (const reply of refused) expectErrors(reply, '/coupon')
    expect(await uses(id)).toBe(room)
    const same = await Promise.all(Array.from({ length: 10 }, () => ask(once.code, client, '12:00')))
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await uses(once.id)).toBe(1)
  })

  test('apply to the services of a visit that they are for', async () => {
    const second = await priced(euros(2_000))
    const visit = { ...second, location_id: offer.location_id }
    expect(
      (await call('PATCH', `/services/${second.service_id}`, { location_ids: [offer.location_id] })).status,
    ).toBe(200)
    const { code } = await add({ amount: 3_000, currency: 'EUR', service_ids: [second.service_id] })
    const held = await call('POST', '/bookings/hold', {
      location_id: visit.location_id,
      starts_at: at('12:00'),
      items: [{ service_id: offer.service_id }, { service_id: second.service_id }],
    })
    expect(held.status, JSON.stringify(held.body)).toBe(201)
    const { body } = await world.key.book(String(held.body.hold_id), { client: nextClient(), coupon: code })
    expect(body).toMatchObject({ price: euros(3_500), discount: euros(2_000) })
    const check = `/coupons/check?code=${code}&items=${offer.service_id},${second.service_id}*2`
    expect((await call('GET', check)).body).toEqual({ code, discount: euros(3_000), price: euros(4_500) })
    // a service that leaves the visit takes its discount along
    const [item] = body.items as { id: string }[]
    const changed = await call('PATCH', `/bookings/${String(body.id)}`, { items: [{ id: item?.id }] })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect(changed.body).toMatchObject({ price: euros(3_500), discount: euros(0) })
  })

  test('know what their uses have taken off, by currency', async () => {
    const { id, code } = await add({ percent: 15 })
    const coupon = { id: String(id), business_id: world.business.id }
    const off = () => couponReductions(world.service.context, coupon)
    expect(await off()).toEqual([])
    const odd = await priced(euros(3_330)) // 499.5 cents off for one
    const dinars = await priced({ amount: 10_000, currency: 'KWD' })
    const cancelled = await bookWith(code, { offer: odd })
    const bookings = [
      ...[await bookWith(code, { offer: odd }), await bookWith(code, { offer: odd })],
      ...[
        await bookWith(code, { offer: odd, hold: { party_size: 3 } }),
        await bookWith(code, { offer: dinars }),
      ],
    ]
    const second = await priced(euros(2_010))
    await call('PATCH', `/services/${second.service_id}`, { location_ids: [offer.location_id] })
    const held = await call('POST', '/bookings/hold', {
      ...{ location_id: offer.location_id, starts_at: at('12:00') },
      items: [{ service_id: offer.service_id }, { service_id: second.service_id }],
    })
    expect(held.status, JSON.stringify(held.body)).toBe(201)
    bookings.push(await world.key.book(String(held.body.hold_id), { client: nextClient(), coupon: code }))
    expect(await uses(String(id))).toBe(6)
    await call('DELETE', `/bookings/${String(cancelled.body.id)}`)
    await bookWith((await add({ percent: 50 })).code as string) // another coupon
    const taken = bookings.map(({ body }) => body.discount as { amount: number; currency: string })
    const inEuros = taken.filter(({ currency }) => currency === 'EUR')
    expect(inEuros).toHaveLength(4)
    const sum = inEuros.reduce((total, { amount }) => total + amount, 0)
    expect(sum).toBe(500 + 500 + 1_499 + 525 + 302)
    expect(await off()).toEqual([euros(sum), { amount: 1_500, currency: 'KWD' }])
    const stranger = await makeBusiness(world.service)
    expect(await couponReductions(world.service.context, { ...coupon, business_id: stranger.id })).toEqual([])
  })

  test('lower the revenue of the numbers', async () => {
    const business = await makeBusiness(world.service)
    const own = await makeOffer(world.service, business.id)
    const asOwner = (method: string, path: string, body?: object) => call(method, path, body, business.key)
    await asOwner('PATCH', `/services/${own.service_id}`, { price: euros(3_500) })
    await asOwner('POST', '/coupons', { code: 'TEN', percent: 10 })
    const client = await sessionClient(world.service, business)
    const held = await client.hold(own, at('10:00'))
    await client.book(String(held.body.hold_id), { client: nextClient(), coupon: 'TEN' })
    const { body } = await asOwner('GET', '/numbers?from=2026-12-01&to=2026-12-01')
    expect(body.total.money).toEqual([{ currency: 'EUR', booked: 3_150, missed: 0 }])
    expect(body.services[0].money).toEqual([{ currency: 'EUR', booked: 3_150, missed: 0 }])
  })

  test('can be tried ten times a minute from one address, by checks and bookings together', async () => {
    const limited = await depositWorld(engine, { RATE_LIMIT_FACTOR: '1' })
    try {
      const { service, session } = limited
      const other = await makeOffer(service, limited.business.id)
      const held = await session.hold(other, at('10:00'))
      const check = () =>
        service.call('GET', `/coupons/check?code=GUESS&items=${other.service_id}`, { token: session.token })
      for (let tries = 0; tries < 9; tries += 1) expectErrors(await check(), '/code')
      expectErrors(await session.book(String(held.body.hold_id), { coupon: 'GUESS' }), '/coupon')
      expect(await check()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      const refused = await session.book(String(held.body.hold_id), { coupon: 'GUESS' })
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      service.clock.advance(61)
      expectErrors(await check(), '/code')
    } finally {
      await limited.stop()
    }
  })

  test('need a percentage or an amount, a unique code, and services of their business', async () => {
    const refuse = async (body: object, ...pointers: string[]) =>
      expectErrors(await call('POST', '/coupons', { code: 'REFUSED', ...body }), ...pointers)
    await refuse({}, '/percent')
    await refuse({ percent: 10, amount: 100, currency: 'EUR' }, '/percent')
    await refuse({ amount: 100 }, '/currency')
    await refuse({ percent: 10, currency: 'EUR' }, '/currency')
    await refuse({ percent: 101 }, '/percent')
    await refuse({ percent: 10, code: 'no spaces' }, '/code')
    await refuse({ percent: 10, max_uses: 0 }, '/max_uses')
    const backwards = { valid_from: '2026-12-02T00:00:00Z', valid_until: '2026-12-01T00:00:00Z' }
    await refuse({ percent: 10, ...backwards }, '/valid_until')
    const stranger = await makeBusiness(world.service)
    const foreign = await makeOffer(world.service, stranger.id)
    await refuse({ percent: 10, service_ids: [foreign.service_id] }, '/service_ids/0')
    const { id, code } = (await add({ percent: 10 })) as { id: string; code: string }
    await refuse({ percent: 10, code: code.toLowerCase() }, '/code')
    const another = await add({ percent: 20 })
    expectErrors(await call('PATCH', `/coupons/${another.id}`, { code }), '/code')
    expectErrors(await call('PATCH', `/coupons/${id}`, { percent: null }), '/percent')
    const renamed = await Promise.all(
      [id, String(another.id)].map((one) => call('PATCH', `/coupons/${one}`, { code: `S-${id}` })),
    )
    expect(renamed.map(({ status }) => status).toSorted()).toEqual([200, 422])
    // another business sees nothing
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expectProblem(
        await call(method, `/coupons/${id}`, method === 'PATCH' ? {} : undefined, stranger.key),
        'not_found',
      )
    const { data } = (await call('GET', '/coupons?limit=100')).body as { data: { code: string }[] }
    expect(data.map((one) => one.code)).toContain(`S-${id}`.toUpperCase())
    expect((await call('GET', '/coupons', undefined, stranger.key)).body.data).toEqual([])
  })
})

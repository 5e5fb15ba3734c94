import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { connectCalendarAccount } from '../../src/calendars/calendar-connection.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { deposit, type DepositWorld, depositWorld } from '../support/deposits.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { mailVariables, nextClient } from '../support/mail-world.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'
import { makeWebhook } from '../support/webhooks.ts'
import { blocksOf, documentAt } from '../docs/documents.ts'

/** The services begin on Friday, 20 November 2026, at 10:00 in Berlin. */
const tomorrow = (time: string) => `2026-11-21T${time}:00+01:00`

interface MailList {
  data: { kind: string; status: string }[]
}

/** A business that speaks for itself. */
interface Tenant {
  business: OwnBusiness
  call: (method: string, path: string, body?: unknown, at?: TestService) => ReturnType<TestService['call']>
  move: (now: string) => ReturnType<TestService['call']>
  hold: (offer: Offer, startsAt: string) => Promise<string>
  book: (offer: Offer, startsAt: string, more?: object) => Promise<string>
}

function tenantOf(service: TestService, business: OwnBusiness): Tenant {
  const call: Tenant['call'] = (method, path, body, at = service) =>
    at.call(method, path, { token: business.key, ...(body !== undefined && { body }) })
  const hold: Tenant['hold'] = async (offer, startsAt) => {
    const { status, body } = await call('POST', '/bookings/hold', { ...offer, starts_at: startsAt })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.hold_id as string
  }
  return {
    ...{ business, call, hold },
    move: (now) => call('POST', '/test/clock', { now }),
    book: async (offer, startsAt, more = {}) => {
      const hold_id = await hold(offer, startsAt)
      const { status, body } = await call('POST', '/bookings', { hold_id, client: nextClient(), ...more })
      expect(status, JSON.stringify(body)).toBe(201)
      return body.id as string
    },
  }
}

onOneEngine('sqlite', 'test businesses', (engine) => {
  let server: MailServer
  let service: TestService
  let receiver: Receiver
  beforeAll(async () => {
    server = await startMailServer()
    receiver = await startReceiver()
    service = await startTestService(engine, mailVariables(server.url))
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
    await server.close()
  })
  const tenant = async (isTest: boolean) => tenantOf(service, await makeBusiness(service, { isTest }))
  const offerOf = ({ business }: Tenant, parts: object = {}) =>
    makeOffer(service, business.id, { horizonDays: null, ...parts })
  const statusOf = async ({ call }: Tenant, hold: string) => {
    const { status, body } = await call('GET', `/bookings/hold/${hold}`)
    return status === 200 ? (body.status as string) : (body.code as string)
  }

  test('a hub creates a test business, which shows that it is one and cannot change it', async () => {
    const { key } = service.world.hub
    const made = await service.call('POST', '/businesses', {
      token: key,
      body: { name: 'Trial', timezone: 'Europe/Berlin', test: true },
    })
    expect(made).toMatchObject({ status: 201, body: { test: true } })
    const usual = await service.call('POST', '/businesses', {
      token: key,
      body: { name: 'Salon', timezone: 'Europe/Berlin' },
    })
    expect(usual.body.test).toBe(false)
    const path = `/businesses/${made.body.id}`
    expectErrors(await service.call('PATCH', path, { token: key, body: { test: false } }), '/test')
    const clock = await service.call('GET', `/test/clock?business_id=${made.body.id}`, { token: key })
    expect(clock.body).toEqual({
      ...{ business_id: made.body.id, now: '2026-11-20T10:00:00+01:00', frozen: false },
    })
    const moved = await service.call('POST', '/test/clock', {
      token: key,
      body: { now: '2026-12-24T12:00:00Z', business_id: made.body.id },
    })
    expect(moved).toMatchObject({ status: 200, body: { now: '2026-12-24T13:00:00+01:00', frozen: true } })
  })

  test('only a test business has a clock', async () => {
    const usual = await tenant(false)
    expectProblem(await usual.move('2026-12-01T00:00:00Z'), 'test_business')
    expectProblem(await usual.call('GET', '/test/clock'), 'test_business')
    const test = await tenant(true)
    const other = { now: '2026-12-01T00:00:00Z', business_id: usual.business.id }
    expectProblem(await test.call('POST', '/test/clock', other), 'not_found')
  })

  test('a clock goes forward only, five years at most, and then stands still', async () => {
    const { move, call } = await tenant(true)
    const early = await move('2026-11-20T08:59:59Z')
    expectErrors(early, '/now')
    expect(early.body.detail).toContain('2026-11-20T10:00:00+01:00')
    expectErrors(await move('2032-01-01T00:00:00Z'), '/now')
    expect((await move('2026-11-21T09:00:00Z')).status).toBe(200)
    expect((await move('2026-11-21T09:00:00Z')).status).toBe(200)
    expectErrors(await move('2026-11-21T08:59:59Z'), '/now')
    service.clock.advance(60)
    expect((await call('GET', '/test/clock')).body.now).toBe('2026-11-21T10:00:00+01:00')
  })

  test('the request of the guide moves the clock', async () => {
    const [block] = blocksOf(documentAt('docs/guides/testing.md')).filter(
      ({ language }) => language === 'http',
    )
    const [line = '', ...rest] = (block?.text ?? '').split('\n')
    const [method = '', path = ''] = line.split(' ')
    const { call } = await tenant(true)
    const reply = await call(method, path.replace('/api/v1', ''), JSON.parse(rest.at(-1) ?? ''))
    expect(reply).toMatchObject({ status: 200, body: { now: '2027-01-05T10:00:00+01:00' } })
  })

  test('holds expire in the business whose clock is moved, and in no other', async () => {
    const [moved, still, usual] = [await tenant(true), await tenant(true), await tenant(false)]
    const all = [moved, still, usual]
    await still.move('2026-11-20T12:00:00Z')
    const offers = await Promise.all(all.map((one) => offerOf(one)))
    const holds = await Promise.all(
      all.map((one, index) => one.hold(offers[index] as Offer, '2026-11-23T10:00:00+01:00')),
    )
    await moved.move(tomorrow('09:00'))
    const now = () => Promise.all(all.map((one, index) => statusOf(one, holds[index] ?? '')))
    expect(await now()).toEqual(['expired', 'active', 'active'])
    // the slot is free again, and the new hold lasts in the time of the business
    const again = await moved.call('POST', '/bookings/hold', {
      ...offers[0],
      starts_at: '2026-11-23T10:00:00+01:00',
    })
    expect(again).toMatchObject({ status: 201, body: { expires_at: tomorrow('09:10') } })
    const late = await moved.call('POST', '/bookings', { hold_id: holds[0], client: nextClient() })
    expect(late.body.code).toBe('hold_expired')

    // real time moves the usual business only, also for what sweeps do
    service.clock.advance(7_200)
    await service.context.db.transaction((tx) =>
      tx.db
        .updateTable('claims')
        .set({ client_network: null })
        .where('id', '=', holds[1] ?? '')
        .execute(),
    )
    await tidy(service.context, jobs)
    expect(await statusOf(still, holds[1] ?? '')).toBe('active')
    expect(await statusOf(moved, again.body.hold_id)).toBe('active')
    expect(await statusOf(usual, holds[2] ?? '')).toBe('expired')
    const booked = await still.call('POST', '/bookings', { hold_id: holds[1], client: nextClient() })
    expect(booked).toMatchObject({ status: 201, body: { created_at: '2026-11-20T13:00:00+01:00' } })
  })

  test('availability, notice and past slots follow the clock', async () => {
    const moved = await tenant(true)
    const offer = await offerOf(moved, { intervalMinutes: 60, minutes: 60, noticeMinutes: 120 })
    await moved.move('2027-01-05T09:00:00Z')
    const slotsOn = async (date: string) => {
      const query = new URLSearchParams({ ...offer, from: date, to: date }).toString()
      return (await moved.call('GET', `/availability?${query}`)).body.days[0].slots
    }
    expect(await slotsOn('2027-01-04')).toEqual([])
    expect((await slotsOn('2027-01-05'))[0].starts_at).toBe('2027-01-05T12:00:00+01:00')
    const past = { ...offer, starts_at: '2027-01-04T10:00:00+01:00' }
    expect((await moved.call('POST', '/bookings/hold', past)).status).toBe(422)
  })

  test('messages are kept: a confirmation, and a reminder once it is due', async () => {
    const { business, book, move, call } = await tenant(true)
    const kept = tenantOf(service, business)
    const offer = await offerOf(kept)
    const sentBefore = server.mails.length
    const id = await book(offer, '2026-12-03T10:00:00+01:00')
    await service.app.mails.settled()
    const kinds = async () => {
      const { data } = (await call('GET', `/mails?booking_id=${id}`)).body as MailList
      return data.map(({ kind, status }) => `${kind} ${status}`).toSorted()
    }
    expect(await kinds()).toEqual(['confirmed kept'])
    await move('2026-12-02T08:00:00Z')
    expect(await kinds()).toEqual(['confirmed kept'])
    await move('2026-12-02T09:00:00Z')
    expect(await kinds()).toEqual(['confirmed kept', 'reminder kept'])
    // a change in standing time is reported at once, without another move
    await call('DELETE', `/bookings/${id}`)
    await service.app.testClocks.settled()
    expect(await kinds()).toEqual(['cancelled kept', 'confirmed kept', 'reminder kept'])
    expect((await call('GET', '/mails?status=kept')).body.data).toHaveLength(3)
    expect((await call('GET', '/mails?status=sent')).body.data).toEqual([])
    expect(server.mails.length).toBe(sentBefore)
  })

  test('webhooks are sent in real time, with events in the time of the business', async () => {
    const { business, move, call } = await tenant(true)
    const shop = tenantOf(service, business)
    const offer = await offerOf(shop)
    await makeWebhook(service, { token: business.key, to: receiver, path: '/clock' })
    await move('2027-02-01T09:00:00Z')
    const id = await shop.book(offer, '2027-02-03T10:00:00+01:00')
    await service.app.deliveries.settled()
    const [received] = receiver.received.filter(({ path }) => path === '/clock')
    const event = JSON.parse(received?.body.toString() ?? '{}')
    expect(event).toMatchObject({ event: 'booking.created', timestamp: '2027-02-01T10:00:00+01:00' })
    expect((await call('GET', `/events?booking_id=${id}`)).body.data).toHaveLength(1)
  })

  test('an offer of the waiting list passes with its minutes', async () => {
    const shop = await tenant(true)
    const openAt10 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:00' }]
    const offer = await offerOf(shop, { minutes: 60, intervalMinutes: 60, weeklyHours: openAt10 })
    await shop.move('2026-11-30T09:00:00Z')
    const booking = await shop.book(offer, '2026-12-02T10:00:00+01:00')
    const join = async () => {
      const day = { from: '2026-12-02', to: '2026-12-02' }
      const { body } = await shop.call('POST', '/waitlist', { ...offer, ...day, client: nextClient() })
      return body.id as string
    }
    const [first, second] = [await join(), await join()]
    const statuses = () =>
      Promise.all([first, second].map(async (id) => (await shop.call('GET', `/waitlist/${id}`)).body.status))
    await shop.call('DELETE', `/bookings/${booking}`)
    await service.app.testClocks.settled()
    expect(await statuses()).toEqual(['offered', 'waiting'])
    service.clock.advance(7_200)
    await service.app.offers.settled()
    expect(await statuses()).toEqual(['offered', 'waiting'])
    await shop.move('2026-11-30T10:00:01Z')
    expect(await statuses()).toEqual(['waiting', 'offered'])
    const { data } = (await shop.call('GET', '/mails?status=kept')).body as MailList
    expect(data.filter(({ kind }) => kind === 'offered')).toHaveLength(2)
  })

  test('a request without an answer ends with its time', async () => {
    const shop = await tenant(true)
    const offer = await offerOf(shop, { respondWithin: 60 })
    await shop.move('2026-11-30T09:00:00Z')
    const { body: session } = await service.call('POST', '/session', { token: shop.business.publishableKey })
    const token = session.session_token as string
    const starts_at = '2026-12-02T10:00:00+01:00'
    const held = await service.call('POST', '/bookings/hold', { token, body: { ...offer, starts_at } })
    const asked = await service.call('POST', '/bookings', {
      token,
      body: { hold_id: held.body.hold_id, client: nextClient() },
    })
    expect(asked.body.status).toBe('pending')
    service.clock.advance(7_200)
    await service.app.testClocks.settled()
    const now = async () => (await shop.call('GET', `/bookings/${asked.body.id}`)).body.status
    expect(await now()).toBe('pending')
    await shop.move('2026-11-30T10:00:00Z')
    expect(await now()).toBe('cancelled')
  })

  test('sessions and stored responses stay in real time', async () => {
    const shop = await tenant(true)
    const offer = await offerOf(shop)
    await shop.move('2027-03-01T09:00:00Z')
    const { body: session } = await service.call('POST', '/session', { token: shop.business.publishableKey })
    const token = session.session_token as string
    const headers = { 'idempotency-key': 'the same' }
    const hold = () =>
      service.call('POST', '/bookings/hold', {
        ...{ token, headers },
        body: { ...offer, starts_at: '2027-03-20T10:00:00+01:00' },
      })
    const first = await hold()
    expect(first.status).toBe(201)
    await shop.move('2027-03-05T09:00:00Z')
    expect((await hold()).body).toEqual(first.body)
    service.clock.advance(3_599)
    expect((await service.call('GET', `/bookings/hold/${first.body.hold_id}`, { token })).status).toBe(404)
    service.clock.advance(1)
    expectProblem(await hold(), 'session_expired')
  })

  test('a test business gets no mail server, payment account or calendar account', async () => {
    const { business } = await tenant(true)
    const path = `/businesses/${business.id}`
    const place = { businessId: business.id }
    const email = `owner-${business.id}@example.com`
    const owner = await logInNewPerson(service, { email, role: 'owner', place })
    const server = {
      ...{ host: 'smtp.example.com', port: 587, user: 'salon', password: 'secret' },
      from_email: 'salon@example.com',
    }
    expectProblem(await owner.call('PUT', `${path}/smtp`, server), 'test_business')
    const keys = { secret_key: `sk_test_${'a'.repeat(24)}`, webhook_secret: `whsec_${'a'.repeat(24)}` }
    expectProblem(await owner.call('PUT', `${path}/stripe`, keys), 'test_business')
    const [staff_id] = await makeStaff(service, business.id, ['Mia'])
    const account = {
      staff_id: staff_id ?? '',
      url: 'https://dav.example.com/',
      user_name: 'mia',
      password: '-',
    }
    const connecting = connectCalendarAccount(service.context, operator, account, {} as CalendarReader)
    await expect(connecting).rejects.toMatchObject({ code: 'test_business' })
  })
})

onOneEngine('sqlite', 'payments of a test business', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  afterAll(() => world.stop())

  test('stay in the sandbox of a server with Stripe, and lapse with the clock', async () => {
    const { service, stripe } = world
    const shop = tenantOf(service, await makeBusiness(service, { isTest: true }))
    const offer = await makeOffer(service, shop.business.id, { horizonDays: null, deposit })
    await shop.move('2027-01-04T09:00:00Z')
    const { body: session } = await service.call('POST', '/session', { token: shop.business.publishableKey })
    const book = async (starts_at: string) => {
      const token = session.session_token as string
      const held = await service.call('POST', '/bookings/hold', { token, body: { ...offer, starts_at } })
      const { status, body } = await service.call('POST', '/bookings', {
        ...{ token, body: { hold_id: held.body.hold_id, client: nextClient() } },
      })
      expect(status, JSON.stringify(body)).toBe(201)
      expect(body).toMatchObject({ status: 'pending', payment: { provider: 'sandbox', status: 'due' } })
      return body as { id: string; redirect_url: string }
    }
    const [paid, lapsed] = [await book('2027-01-05T10:00:00+01:00'), await book('2027-01-06T10:00:00+01:00')]
    expect(stripe.sessions.size).toBe(0)
    const page = new URL(paid.redirect_url).pathname
    expect((await service.call('GET', `/${page}`)).status).toBe(200)
    expect((await service.call('POST', `/${page}/pay`, { body: {} })).status).toBe(303)
    const shown = async ({ id }: { id: string }) => (await shop.call('GET', `/bookings/${id}`)).body
    expect(await shown(paid)).toMatchObject({
      ...{ status: 'confirmed', payment: { status: 'paid', paid_at: '2027-01-04T10:00:00+01:00' } },
    })
    service.clock.advance(86_400)
    await service.app.payments.settled()
    expect(await shown(lapsed)).toMatchObject({ status: 'pending' })
    await shop.move('2027-01-04T12:00:00Z')
    expect(await shown(lapsed)).toMatchObject({ status: 'cancelled' })
    expect(await shown(paid)).toMatchObject({ status: 'confirmed' })
  })
})

test.runIf(engines.includes('postgres'))(
  'two servers sell no slot twice while a clock moves, and agree about its time',
  async () => {
    const one = await startTestService('postgres')
    const two = await startTestService('postgres', {}, { beside: one })
    try {
      const shop = tenantOf(one, await makeBusiness(one, { isTest: true }))
      const offer = await makeOffer(one, shop.business.id, { horizonDays: null })
      await shop.move('2027-01-04T09:00:00Z')
      for (let round = 0; round < 5; round += 1) {
        const starts_at = `2027-01-0${5 + round}T10:00:00+01:00`
        const stale = await shop.hold(offer, starts_at)
        // the clock passes the end of the hold while its owner and rivals want the slot
        const [moved, ...answers] = await Promise.all([
          shop.move(`2027-01-04T10:${String(round * 11).padStart(2, '0')}:00Z`),
          ...[one, two, one, two].map(async (server, index) => {
            const body =
              index < 2
                ? { hold_id: stale, client: nextClient() }
                : { hold_id: await rivalHold(shop, server, { ...offer, starts_at }), client: nextClient() }
            return shop.call('POST', '/bookings', body, server)
          }),
        ])
        expect(moved.status).toBe(200)
        expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1)
        const clocks = await Promise.all(
          [one, two].map((at) => shop.call('GET', '/test/clock', undefined, at)),
        )
        expect(new Set(clocks.map(({ body }) => body.now)).size).toBe(1)
        const { body } = await shop.call('GET', `/bookings?from=${encodeURIComponent(starts_at)}`)
        const booked = (body.data as { starts_at: string }[]).filter((row) => row.starts_at === starts_at)
        expect(booked.length).toBeLessThanOrEqual(1)
      }
    } finally {
      await two.stop()
      await one.stop()
    }
  },
)

/** Returns the ID of a hold, or of none if the slot is taken. */
async function rivalHold(shop: Tenant, at: TestService, body: object): Promise<string> {
  const held = await shop.call('POST', '/bookings/hold', body, at)
  return held.status === 201 ? (held.body.hold_id as string) : '00000000-0000-7000-8000-000000000000'
}

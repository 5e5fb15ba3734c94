import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { answerRequests } from '../../src/bookings/series-change.ts'
import { bookSlot, clientOf, sessionClient, type Client } from '../support/client.ts'
import { mailVariables, type MailWorld, mailWorld, nextClient } from '../support/mail-world.ts'
import { type Offer, makeService } from '../support/offers.ts'
import { sendForm } from '../support/person.ts'
import { takenClaim } from '../support/records.ts'
import { onOneEngine } from '../support/long.ts'
import { engines, startOfTime, startTestService } from '../support/test-service.ts'

/** The start of a request, twelve days ahead. */
const monday = '2026-12-07T10:00:00+01:00'
const desk = 'desk@salon.example'
/** A minute. */
const minute = 60

onOneEngine('sqlite', 'requests', (engine) => {
  let world: MailWorld
  let key: Client
  let session: Client
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: [desk] } })
    key = clientOf(world.service, world.business.key)
  })
  beforeEach(async () => {
    world.service.clock.advance((startOfTime - world.service.clock.nowMs()) / 1000)
    session = await sessionClient(world.service, world.business)
    await world.sent()
    world.fresh()
    await world.service.context.db.transaction(async (tx) => {
      await tx.db.deleteFrom('mails').execute()
      // requests of earlier tests are not the subject
      await tx.db.updateTable('bookings').set({ respond_by: null, request_check_at: null }).execute()
    })
  })
  afterAll(() => world.stop())

  const request = async (
    parts: Parameters<MailWorld['offer']>[0] = {},
    startsAt = monday,
  ): Promise<{ offer: Offer; id: string; body: Record<string, unknown>; email: string }> => {
    const offer = await world.offer({ respondWithin: 1_440, ...parts })
    const client = nextClient()
    const body = await bookSlot(session, offer, startsAt, { book: { client } })
    return { offer, id: String(body.id), body, email: client.email }
  }
  const typesOf = async (id: string) =>
    (await world.service.rows('events'))
      .filter((event) => event['booking_id'] === id)
      .toSorted((one, other) => Number(one['position']) - Number(other['position']))
      .map((event) => String(event['type']))
  const subjects = async () => {
    await world.sent()
    return world
      .fresh()
      .map(
        ({ recipients, headers }) =>
          `${recipients[0] === desk ? 'desk' : 'client'}: ${headers.subject?.split(':')[0]}`,
      )
      .toSorted()
  }
  const pass = async (seconds: number) => {
    world.service.clock.advance(seconds)
    await world.service.app.requests.check()
  }

  test('a booking by a session is pending, keeps its time, and tells both', async () => {
    const { offer, id, body } = await request()
    expect(body).toMatchObject({ status: 'pending', respond_by: '2026-11-21T10:00:00+01:00' })
    expect(body).not.toHaveProperty('redirect_url')
    expect((await key.hold(offer, monday)).body.code).toBe('slot_booked')
    expect(await typesOf(id)).toEqual(['booking.requested'])
    const listed = await world.call('GET', `/events?booking_id=${id}`)
    expect(listed.body.data).toEqual([])
    const named = await world.call('GET', `/events?booking_id=${id}&type=booking.requested`)
    expect(named.body.data).toMatchObject([
      { payload: { data: { status: 'pending', respond_by: '2026-11-21T10:00:00+01:00' } } },
    ])
    await world.sent()
    const mails = world.fresh()
    const toClient = mails.find(({ recipients }) => recipients[0] !== desk)
    const toDesk = mails.find(({ recipients }) => recipients[0] === desk)
    expect(mails).toHaveLength(2)
    expect(toClient?.headers.subject).toMatch(/^Request received: Haircut, Mon 7 Dec, 10:00/)
    expect(toClient?.text).toContain('We will answer by Sat 21 Nov')
    expect(toClient?.calendar).toBeUndefined()
    expect(toDesk?.headers.subject).toMatch(/^Request: Ada Lovelace, Haircut/)
    expect(toDesk?.text).toMatch(/https:\/\/book\.example\/requests\/[\w-]{43}\b/)
  })

  test('bookings by keys are confirmed at once', async () => {
    const offer = await world.offer({ respondWithin: 60 })
    const body = await bookSlot(key, offer, monday)
    expect(body).toMatchObject({ status: 'confirmed' })
    expect(body).not.toHaveProperty('respond_by')
  })

  test('one service that asks makes a whole visit a request, with the shortest deadline', async () => {
    const offer = await world.offer({ respondWithin: 600 })
    const plain = { businessId: world.business.id, locationIds: [offer.location_id] }
    const others = [
      await makeService(world.service, plain.businessId, { ...plain, respondWithin: 120 }),
      await makeService(world.service, plain.businessId, plain),
    ]
    const held = await world.service.call('POST', '/bookings/hold', {
      token: session.token,
      body: {
        location_id: offer.location_id,
        starts_at: monday,
        items: [offer.service_id, ...others].map((service_id) => ({ service_id })),
      },
    })
    expect(held.status).toBe(201)
    const booked = await session.book(String(held.body.hold_id), { client: nextClient() })
    expect(booked.body).toMatchObject({ status: 'pending', respond_by: '2026-11-20T12:00:00+01:00' })
    const confirmed = await key.change(String(booked.body.id), { status: 'confirmed' })
    expect(confirmed.body).toMatchObject({ status: 'confirmed', items: [{}, {}, {}] })
  })

  test('the business confirms: the booking is created, once, and its client told', async () => {
    const { id } = await request()
    await subjects()
    const confirmed = await key.change(id, { status: 'confirmed' })
    expect(confirmed.body).toMatchObject({ status: 'confirmed' })
    expect(confirmed.body).not.toHaveProperty('respond_by')
    expect(await typesOf(id)).toEqual(['booking.requested', 'booking.created'])
    expect(await subjects()).toEqual(['client: Confirmed', 'desk: New'])
    await pass(3 * 86_400)
    expect((await key.show(id)).body.status).toBe('confirmed')
    expect(await subjects()).toEqual([])
  })

  test('the business declines: with a reason, and with other times than its own', async () => {
    const { id, offer } = await request()
    await subjects()
    const declined = await key.change(id, { status: 'cancelled', cancel_reason: 'Anna is away.' })
    expect(declined.body).toMatchObject({ status: 'cancelled', cancel_reason: 'Anna is away.' })
    expect(await takenClaim(world.service, id)).toBeUndefined()
    expect(await typesOf(id)).toEqual(['booking.requested', 'booking.cancelled'])
    await world.sent()
    const mail = world.fresh().find(({ recipients }) => recipients[0] !== desk)
    expect(mail?.headers.subject).toMatch(/^Not possible: /)
    expect(mail?.text).toContain('Anna is away.')
    const times = mail?.text.match(/\/book\/\S+/g) ?? []
    expect(times).toHaveLength(3)
    for (const url of times) expect(url).toContain(`service=${offer.service_id}`)
    expect(mail?.text).not.toMatch(/10:(00|05|10|15|20|25), /)
  })

  test('only those who know of requests hear of the end of one', async () => {
    const hook = async (path: string, events: string[]) =>
      world.call('POST', '/webhooks', { url: `http://127.0.0.1:9/${path}`, events })
    const knows = await hook('knows', ['booking.requested', 'booking.cancelled'])
    const usual = await hook('usual', ['booking.created', 'booking.cancelled'])
    const { id } = await request()
    await key.cancel(id)
    const sent = async (hookId: unknown) =>
      (await world.service.rows('deliveries'))
        .filter((one) => one['webhook_id'] === hookId)
        .map((one) => one['event_type'])
        .toSorted()
    expect(await sent(knows.body.id)).toEqual(['booking.cancelled', 'booking.requested'])
    expect(await sent(usual.body.id)).toEqual([])
    for (const { body } of [knows, usual]) await world.call('DELETE', `/webhooks/${body.id}`)
  })

  test('the client withdraws a request, and cannot move it', async () => {
    const { id, body } = await request()
    await subjects()
    const token = String(body['manage_url']).split('#')[1] ?? ''
    const shown = await world.service.call('GET', '/manage', { token })
    expect(shown.body.policy).toMatchObject({ can_cancel: true, can_reschedule: false })
    const moved = await world.service.call('POST', '/manage/reschedule', {
      token,
      body: { starts_at: '2026-12-07T11:00:00+01:00' },
    })
    expect(moved.body).toMatchObject({ code: 'change_not_allowed', reason: 'not_allowed' })
    const file = await world.service.call('GET', '/manage/calendar.ics', { token })
    expect(file.body).toContain('STATUS:TENTATIVE')
    const cancelled = await world.service.call('POST', '/manage/cancel', { token, body: {} })
    expect(cancelled.body).toMatchObject({ status: 'cancelled' })
    expect(await typesOf(id)).toEqual(['booking.requested', 'booking.cancelled'])
    expect(await subjects()).toEqual(['client: Cancelled', 'desk: Cancelled'])
  })

  test('a confirmed booking of such a service is moved by the business only', async () => {
    const { id, body } = await request()
    await key.change(id, { status: 'confirmed' })
    const token = String(body['manage_url']).split('#')[1] ?? ''
    const { policy } = (await world.service.call('GET', '/manage', { token })).body
    expect(policy).toMatchObject({ can_cancel: true, can_reschedule: false, reschedule_until: null })
  })

  test('the business is reminded half-way, once, and the request ends at its deadline, once', async () => {
    const { id } = await request()
    await subjects()
    await pass(12 * 3_600 - 1)
    expect(await subjects()).toEqual([])
    await pass(1)
    await pass(0)
    expect(await subjects()).toEqual(['desk: Please answer'])
    await pass(12 * 3_600 - 1)
    expect((await key.show(id)).body.status).toBe('pending')
    await pass(1)
    await pass(0)
    const ended = (await key.show(id)).body
    expect(ended).toMatchObject({ status: 'cancelled', cancelled_at: '2026-11-21T10:00:00+01:00' })
    expect(ended).not.toHaveProperty('respond_by')
    expect(await takenClaim(world.service, id)).toBeUndefined()
    expect(await typesOf(id)).toEqual(['booking.requested', 'booking.cancelled'])
    expect(await subjects()).toEqual(['client: Not confirmed', 'desk: Not answered'])
  })

  test('a late answer takes the time again, or says that it is gone', async () => {
    const { id, offer } = await request()
    await pass(86_400)
    const back = await key.change(id, { status: 'confirmed' })
    expect(back.body).toMatchObject({ status: 'confirmed', cancelled_at: null })
    session = await sessionClient(world.service, world.business)
    const other = await request()
    await pass(86_400)
    await bookSlot(key, other.offer, monday)
    expect((await key.change(other.id, { status: 'confirmed' })).body.code).toBe('slot_booked')
    expect(offer).not.toEqual(other.offer)
  })

  test('an answer is due an hour before the start at the latest, and two hours are needed', async () => {
    const at = (minutes: number) => new Date(startOfTime + minutes * 60_000).toISOString()
    const { body } = await request({}, at(125))
    expect(Date.parse(String(body['respond_by']))).toBe(startOfTime + 65 * 60_000)
    const offer = await world.offer({ respondWithin: 60 })
    const soon = await session.hold(offer, at(115))
    expect(soon).toMatchObject({ status: 422, body: { code: 'slot_not_offered', reason: 'too_soon' } })
    const query = `service_id=${offer.service_id}&location_id=${offer.location_id}`
    const soonest = await world.service.call('GET', `/availability/soonest?${query}`, {
      token: session.token,
    })
    expect(Date.parse(String(soonest.body.starts_at))).toBe(startOfTime + 120 * 60_000)
    // for the business itself it is bookable
    expect((await key.hold(offer, at(115))).status).toBe(201)
  })

  test('a hold whose service begins to ask when too little time is left is refused', async () => {
    const offer = await world.offer()
    const held = await session.hold(offer, new Date(startOfTime + 50 * 60_000).toISOString())
    await world.call('PATCH', `/services/${offer.service_id}`, { confirmation: 'request' })
    const refused = await session.book(String(held.body.hold_id), { client: nextClient() })
    expect(refused).toMatchObject({ status: 422, body: { code: 'slot_not_offered', reason: 'too_soon' } })
  })

  describe('with a deposit', () => {
    const deposit = { amount: 1_000, currency: 'EUR' }

    test('nothing is due until the business confirms; then it is, and the booking stands', async () => {
      const { id, body } = await request({ deposit })
      expect(body).toMatchObject({ status: 'pending' })
      expect(body).not.toHaveProperty('payment')
      await world.sent()
      const asked = world.fresh().find(({ recipients }) => recipients[0] !== desk)
      expect(asked?.text).toContain('Deposit, once confirmed')
      expect(asked?.text).not.toContain('/checkout/')
      const [payment] = (await world.service.rows('payments')).filter((one) => one['booking_id'] === id)
      const page = await world.service.call('GET', `//checkout/${String(payment?.['id'])}`)
      expect(page.status).toBe(404)
      const confirmed = await key.change(id, { status: 'confirmed' })
      expect(confirmed.body).toMatchObject({ status: 'confirmed', payment: { status: 'due', amount: 1_000 } })
      expect(confirmed.body.pay_url).toContain('/checkout/')
      await world.sent()
      const mail = world.fresh().find(({ recipients }) => recipients[0] !== desk)
      expect(mail?.headers.subject).toMatch(/^Payment needed: /)
      expect(mail?.text).toContain(String(confirmed.body.pay_url))
      world.service.clock.advance(7_200)
      await world.service.app.payments.settled()
      expect((await key.show(id)).body).toMatchObject({ status: 'confirmed' })
    })

    test.each(['declined', 'unanswered', 'completed'])('a request that is %s owes nothing', async (end) => {
      const { id } = await request({ deposit })
      if (end === 'declined') await key.cancel(id)
      if (end === 'unanswered') await pass(86_400)
      if (end === 'completed') await key.change(id, { status: 'completed' })
      const shown = (await key.show(id)).body
      expect(shown.payment).toMatchObject({ status: 'expired' })
      expect(shown).not.toHaveProperty('pay_url')
    })

    test('another number of people changes what will be due', async () => {
      const { id } = await request({ deposit, capacity: 4 })
      const changed = await key.change(id, { party_size: 3 })
      expect(changed.body).toMatchObject({ status: 'pending', party_size: 3 })
      const confirmed = await key.change(id, { status: 'confirmed' })
      expect(confirmed.body.payment).toMatchObject({ status: 'due', amount: 3_000 })
    })
  })

  test('a request that the business moves tells its client, and keeps an hour to answer', async () => {
    const { id } = await request({ respondWithin: 20_160 })
    await subjects()
    const moved = await key.change(id, { starts_at: '2026-11-24T10:00:00+01:00' })
    expect(moved.body).toMatchObject({ status: 'pending', respond_by: '2026-11-24T09:00:00+01:00' })
    expect(await subjects()).toEqual(['client: Request received'])
  })

  test('if two owners answer at once, one wins and the other gets a refusal', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, body } = await request()
      expect(body.status).toBe('pending')
      const match = { 'if-match': '"1"' }
      const [confirmed, declined] = await Promise.all([
        key.change(id, { status: 'confirmed' }, match),
        key.change(id, { status: 'cancelled', cancel_reason: 'No' }, match),
      ])
      expect([confirmed.status, declined.status].toSorted()).toEqual([200, 412])
      const { status } = (await key.show(id)).body
      expect(status).toBe(confirmed.status === 200 ? 'confirmed' : 'cancelled')
      expect(await typesOf(id)).toHaveLength(2)
    }
  })
})

onOneEngine('sqlite', 'requests of a series', (engine) => {
  let world: MailWorld
  let key: Client
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: [desk] } })
    key = clientOf(world.service, world.business.key)
  })
  beforeEach(async () => {
    world.service.clock.advance((startOfTime - world.service.clock.nowMs()) / 1000)
    await world.sent()
    world.fresh()
    await world.service.context.db.transaction((tx) => tx.db.deleteFrom('mails').execute())
  })
  afterAll(() => world.stop())

  /** Requests a Monday and the two that follow it. */
  const request = async () => {
    const session = await sessionClient(world.service, world.business)
    const offer = await world.offer({ respondWithin: 1_440, maxRepeats: 3 })
    const held = await session.hold(offer, monday, { repeat: { every: 'week', count: 3 } })
    const client = nextClient()
    const booked = await session.book(String(held.body.hold_id), { client })
    expect(booked.body).toMatchObject({ status: 'pending' })
    return { ids: booked.body.series.booking_ids as string[], email: client.email }
  }
  const statesOf = (ids: string[]) =>
    Promise.all(ids.map(async (id) => String((await key.show(id)).body.status)))
  const mails = async () => {
    await world.sent()
    return world.fresh().map(({ recipients, headers, text }) => {
      const [what = ''] = headers.subject?.split(':') ?? []
      return {
        who: `${recipients[0] === desk ? 'desk' : 'client'}: ${what}`,
        text: text.replaceAll('\r\n', '\n'),
      }
    })
  }
  const namesOf = (some: { who: string }[]) => some.map(({ who }) => who).toSorted()
  const dates = '* Mon, 7 Dec 2026 · 10:00\n* Mon, 14 Dec 2026 · 10:00\n* Mon, 21 Dec 2026 · 10:00'
  const answerLink = (text: string) => /https:\/\/book\.example(\/requests\/[\w-]+)/.exec(text)?.[1] ?? ''
  const post = (path: string, fields: Record<string, string>) => sendForm(world.service, path, fields)

  test.each([
    ['confirm', 'confirmed', ['client: Confirmed'], 'Your appointments are confirmed.'],
    ['decline', 'cancelled', ['client: Not possible'], 'Not possible\n\n'],
  ] as const)('one tap in the mail answers all dates (%s)', async (answer, status, told, text) => {
    const { ids } = await request()
    const asked = (await mails()).filter(({ who }) => who.startsWith('desk'))
    expect(namesOf(asked)).toEqual(['desk: Request'])
    expect(asked[0]?.text).toContain(dates)
    const path = answerLink(asked[0]?.text ?? '')
    const page = await world.service.call('GET', `/${path}`)
    expect(String(page.body)).toMatch(/All dates[^]*7 Dec[^]*14 Dec[^]*21 Dec/)
    const reason = answer === 'decline' ? { reason: 'We are away' } : {}
    expect((await post(path, { answer, ...reason })).status).toBe(200)
    expect(await statesOf(ids)).toEqual([status, status, status])
    const sent = await mails()
    expect(namesOf(sent)).toEqual(told)
    const client = sent.find(({ who }) => who.startsWith('client'))
    expect(client?.text).toContain(text)
    expect(client?.text).toContain(dates)
    expect((await post(path, { answer: 'confirm' })).body).toContain('has already been answered')
    expect(await statesOf(ids)).toEqual([status, status, status])
  })

  test('a date that has its answer keeps it, and the next answer is for the others', async () => {
    const { ids } = await request()
    const path = answerLink((await mails()).find(({ who }) => who === 'desk: Request')?.text ?? '')
    await key.change(ids[0] ?? '', { status: 'confirmed' })
    expect(namesOf(await mails())).toEqual(['client: Confirmed', 'desk: New'])
    expect((await post(path, { answer: 'decline' })).status).toBe(200)
    expect(await statesOf(ids)).toEqual(['confirmed', 'cancelled', 'cancelled'])
    const told = await mails()
    expect(namesOf(told)).toEqual(['client: Not possible'])
    expect(told[0]?.text).toContain('* Mon, 14 Dec 2026 · 10:00\n* Mon, 21 Dec 2026 · 10:00')
    expect(told[0]?.text).toContain('Still booked\n\n* Mon, 7 Dec 2026 · 10:00')
  })

  test('a program answers all dates at once, also if one has its answer', async () => {
    const { ids } = await request()
    await mails()
    await key.change(ids[0] ?? '', { status: 'confirmed' })
    expect(namesOf(await mails())).toEqual(['client: Confirmed', 'desk: New'])
    const all = await world.call('PATCH', `/bookings/${ids[1] ?? ''}?series=all`, { status: 'confirmed' })
    expect(all.body).toMatchObject({ status: 'confirmed', series: { booking_ids: ids } })
    expect(await statesOf(ids)).toEqual(['confirmed', 'confirmed', 'confirmed'])
    expect(namesOf(await mails())).toEqual(['client: Confirmed', 'desk: New'])
  })

  test('one reminder and one end are for all dates', async () => {
    const { ids } = await request()
    await mails()
    world.service.clock.advance(12 * 3_600)
    await world.service.app.requests.check()
    const reminders = await mails()
    expect(namesOf(reminders)).toEqual(['desk: Please answer'])
    expect(reminders[0]?.text).toContain(dates)
    world.service.clock.advance(12 * 3_600)
    await world.service.app.requests.check()
    expect(await statesOf(ids)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const ends = await mails()
    expect(namesOf(ends)).toEqual(['client: Not confirmed', 'desk: Not answered'])
    for (const { text } of ends) expect(text).toContain(dates)
  })

  test('of two answers to different dates at once, one wins for all', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { ids } = await request()
      const answer = (index: number, confirms: boolean) =>
        answerRequests(world.service.context, operator, { id: ids[index] ?? '', confirms })
      const results = await Promise.allSettled([answer(0, true), answer(2, false), answer(1, true)])
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const states = await statesOf(ids)
      expect(new Set(states).size).toBe(1)
      const isConfirmed = results[1].status === 'rejected'
      expect(states[0]).toBe(isConfirmed ? 'confirmed' : 'cancelled')
    }
  })
})

describe.skipIf(!engines.includes('postgres'))('requests of two servers', () => {
  test('each is reminded of once and ends once, and an answer at that moment wins or loses', async () => {
    const world = await mailWorld('postgres', { settings: { notify_emails: [desk] } })
    const other = await startTestService('postgres', mailVariables(world.server.url), {
      beside: world.service,
    })
    try {
      const key = clientOf(world.service, world.business.key)
      const session = await sessionClient(world.service, world.business)
      const ids: string[] = []
      for (let count = 0; count < 12; count += 1) {
        const offer = await world.offer({ respondWithin: 60 })
        ids.push(String((await bookSlot(session, offer, monday, { book: { client: nextClient() } })).id))
      }
      const both = () =>
        Promise.all([world.service, other, world.service, other].map(({ app }) => app.requests.check()))
      world.service.clock.advance(30 * minute)
      await both()
      world.service.clock.advance(30 * minute)
      const answers = ids
        .slice(0, 6)
        .map((id) => key.change(id, { status: 'confirmed' }, { 'if-match': '"1"' }))
      const [replies] = await Promise.all([Promise.all(answers), both()])
      await both()
      const mails = await world.service.rows('mails')
      const count = (id: string, kind: string, audience: string) =>
        mails.filter(
          (mail) => mail['booking_id'] === id && mail['kind'] === kind && mail['audience'] === audience,
        ).length
      for (const [index, id] of ids.entries()) {
        const reply = replies[index]
        const { status } = (await key.show(id)).body
        expect(status).toBe(reply?.status === 200 ? 'confirmed' : 'cancelled')
        if (reply?.status !== 200 && reply) expect(reply.status).toBe(412)
        expect(count(id, 'answer_due', 'business')).toBe(1)
        expect(count(id, 'unanswered', 'client')).toBe(status === 'cancelled' ? 1 : 0)
        expect(count(id, 'unanswered', 'business')).toBe(status === 'cancelled' ? 1 : 0)
        expect(count(id, 'confirmed', 'client')).toBe(status === 'confirmed' ? 1 : 0)
      }
    } finally {
      await other.stop()
      await world.stop()
    }
  })
})

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { entryPath } from '../../src/access/entry-link.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { makeOffer } from '../support/offers.ts'
import { sendForm } from '../support/person.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply } from '../support/test-service.ts'

/** A Wednesday. The services below are open from 10 to 11 on it, so that one client fills it. */
const day = '2026-12-02'
const at = (time: string) => `${day}T${time}:00+01:00`

onOneEngine('sqlite', 'the waiting list', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine)
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.sent()
    world.fresh()
  })

  const openAt10 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:00' }]
  const newOffer = (parts: object = {}) =>
    makeOffer(world.service, world.business.id, {
      ...{ name: 'Haircut', minutes: 60, intervalMinutes: 60, weeklyHours: openAt10, ...parts },
    })
  const session = async () => {
    const { body } = await world.service.call('POST', '/session', {
      headers: { authorization: `Bearer ${world.business.publishableKey}` },
    })
    return body.session_token as string
  }
  type Offer = Awaited<ReturnType<typeof newOffer>>
  const join = (offer: Offer, more: object = {}, token = world.business.key): Promise<Reply> =>
    world.service.call('POST', '/waitlist', {
      token,
      body: { ...offer, from: day, to: day, client: nextClient(), ...more },
    })
  const entry = async (id: string) => (await world.call('GET', `/waitlist/${id}`)).body
  const sweep = () => {
    world.service.clock.advance(31)
    return world.service.app.offers.settled()
  }
  /** An offer whose only time is booked, and its booking. */
  const full = async (parts: object = {}) => {
    const offer = await newOffer(parts)
    return { offer, booking: await world.book(offer, at('10:00')) }
  }

  test('a cancelled time is offered to whoever waits longest', async () => {
    const { offer, booking } = await full()
    const [first, second] = [(await join(offer)).body, (await join(offer)).body]
    expect(first).toMatchObject({ status: 'waiting', position: 1, offer: null })
    expect(second).toMatchObject({ position: 2 })
    await sweep()
    expect(await entry(first.id)).toMatchObject({ status: 'waiting' })
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const offered = await entry(first.id)
    expect(offered).toMatchObject({
      status: 'offered',
      offer: { starts_at: at('10:00'), ends_at: at('11:00') },
    })
    expect(await entry(second.id)).toMatchObject({ status: 'waiting', offer: null })
    // the offer is a hold
    const hold = await world.call('GET', `/bookings/hold/${offered.offer.hold_id}`)
    expect(hold.body).toMatchObject({ status: 'active', expires_at: offered.offer.expires_at })
    const rival = await world.call('POST', '/bookings/hold', { ...offer, starts_at: at('10:00') })
    expect(rival.body.code).toBe('slot_held')
  })

  test('an unanswered offer goes to the next client, and not to the same one again', async () => {
    const { offer, booking } = await full()
    const [first, second] = [(await join(offer)).body, (await join(offer)).body]
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    expect(await entry(first.id)).toMatchObject({ status: 'offered' })
    world.service.clock.advance(3_601)
    await sweep()
    expect(await entry(first.id)).toMatchObject({ status: 'waiting' })
    expect(await entry(second.id)).toMatchObject({ status: 'offered' })
    world.service.clock.advance(3_601)
    await sweep()
    expect(await entry(first.id)).toMatchObject({ status: 'waiting' })
    expect(await entry(second.id)).toMatchObject({ status: 'waiting' })
  })

  test('a client who passes on a time is not offered a later one of the same free hour', async () => {
    const until1130 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:30' }]
    const { offer, booking } = await full({ intervalMinutes: 15, weeklyHours: until1130 })
    const [first, second] = [(await join(offer)).body, (await join(offer)).body]
    const startOf = async ({ id }: { id: string }) => (await entry(id)).offer?.starts_at
    const passOn = async ({ id }: { id: string }) => {
      const path = await entryPath(world.service.context, id)
      await sendForm(world.service, `${path}/decline`, { offer: (await entry(id)).offer.hold_id })
      await sweep()
    }
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    expect([await startOf(first), await startOf(second)]).toEqual([at('10:00'), undefined])
    await passOn(first)
    expect([await startOf(first), await startOf(second)]).toEqual([undefined, at('10:00')])
    world.service.clock.advance(3_601) // no answer
    await sweep()
    await sweep()
    expect([await startOf(first), await startOf(second)]).toEqual([undefined, undefined])

    // entirely different time is offered, to the one who waits longest
    const later = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '12:30' }]
    await world.call('PATCH', `/locations/${offer.location_id}`, { weekly_hours: later })
    await sweep()
    expect([await startOf(first), await startOf(second)]).toEqual([at('11:00'), undefined])
    await passOn(first)
    expect([await startOf(first), await startOf(second)]).toEqual([undefined, at('11:00')])
    await passOn(second)

    // a time that was sold in between is a new one
    const sold = await world.book(offer, at('10:00'))
    await sweep()
    await world.call('DELETE', `/bookings/${sold.id}`)
    await sweep()
    expect([await startOf(first), await startOf(second)]).toEqual([at('10:00'), undefined])
  })

  test('twenty clients are offered a freed hour one after the other, and nobody twice', async () => {
    const until12 = [{ weekday: 'wednesday' as const, opens: '10:00', closes: '11:45' }]
    const { offer, booking } = await full({ intervalMinutes: 15, weeklyHours: until12 })
    const line: string[] = []
    for (let count = 0; count < 20; count += 1) line.push(String((await join(offer)).body.id))
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    for (const id of line) {
      const { body } = await world.call('GET', `/waitlist?service_id=${offer.service_id}&status=offered`)
      expect(body.data).toMatchObject([{ id, offer: { starts_at: at('10:00') } }])
      await world.call('POST', `/waitlist/${id}/skip`)
      await sweep()
    }
    const { body } = await world.call('GET', `/waitlist?service_id=${offer.service_id}&status=offered`)
    expect(body.data).toEqual([])
  })

  test('a client whose request is not confirmed goes back to the same place on the list, and gets an email', async () => {
    const { service } = world
    const offer = await newOffer({ respondWithin: 60, weeklyHours: [{ ...openAt10[0], closes: '12:00' }] })
    const bookings = [await world.book(offer, at('10:00')), await world.book(offer, at('11:00'))]
    const client = nextClient()
    const [first, second] = [(await join(offer, { client })).body, (await join(offer)).body]
    const request = async () => {
      await world.call('DELETE', `/bookings/${bookings.shift()?.id}`)
      await sweep()
      const { hold_id } = (await entry(first.id)).offer
      await sendForm(service, `${await entryPath(service.context, first.id)}/take`, { offer: hold_id })
      expect(await entry(first.id)).toMatchObject({ status: 'booked', booking_id: hold_id })
      await world.sent()
      world.fresh()
      return hold_id as string
    }
    const told = async (subject: RegExp) => {
      await world.sent()
      const mail = world.fresh().find(({ recipients }) => recipients.includes(client.email))
      expect(mail?.headers.subject).toMatch(subject)
      expect(mail?.text).toContain('You are back on our waiting list.')
      expect(mail?.text).toContain(await entryPath(service.context, first.id))
    }

    const declined = await request()
    await world.call('PATCH', `/bookings/${declined}`, { status: 'cancelled', cancel_reason: 'Away' })
    expect(await entry(first.id)).toMatchObject({ status: 'waiting', position: 1, booking_id: null })
    await told(/^Not possible/)
    await sweep()
    // the time is for the next, and not for the same client again
    expect(await entry(first.id)).toMatchObject({ status: 'waiting' })
    expect(await entry(second.id)).toMatchObject({ status: 'offered', offer: { starts_at: at('10:00') } })

    const unanswered = await request()
    service.clock.advance(3_601)
    await service.app.requests.check()
    expect((await world.call('GET', `/bookings/${unanswered}`)).body.status).toBe('cancelled')
    expect(await entry(first.id)).toMatchObject({ status: 'waiting', booking_id: null })
    await told(/^Not confirmed/)
  })

  test('a client who withdraws a request does not wait again', async () => {
    const { service } = world
    const offer = await newOffer({ respondWithin: 60 })
    const { id } = await world.book(offer, at('10:00'))
    const { body } = await join(offer)
    await world.call('DELETE', `/bookings/${id}`)
    await sweep()
    const { hold_id } = (await entry(body.id)).offer
    await sendForm(service, `${await entryPath(service.context, body.id)}/take`, { offer: hold_id })
    const { manage_url } = (await world.call('GET', `/bookings/${hold_id}`)).body
    const token = String(manage_url).split('#')[1] ?? ''
    await service.call('POST', '/manage/cancel', { token, body: {} })
    expect(await entry(body.id)).toMatchObject({ status: 'booked', booking_id: hold_id })
  })

  test('the email of an offer leads to a page that books with one tap', async () => {
    await changeRows(
      world.service,
      sql`update businesses set phone = '+49 30 1234' where id = ${world.business.id}`,
    )
    const { offer, booking } = await full()
    const client = nextClient()
    const { body } = await join(offer, { client })
    await world.sent()
    expect(world.fresh().map(({ recipients }) => recipients)).toContainEqual([client.email])
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    await world.sent()
    const mail = world.fresh().find(({ recipients }) => recipients.includes(client.email))
    expect(mail?.text).toContain('We keep it for you until')
    expect(mail?.text).toContain('+49 30 1234')
    const path = /https:\/\/book\.example(\/w\/[\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
    const page = await world.service.call('GET', `/${path}`)
    expect(page.body).toContain('Book this time')
    expect(await entry(body.id)).toMatchObject({ status: 'offered' }) // looking changes nothing
    const { hold_id } = (await entry(body.id)).offer
    const taken = await sendForm(world.service, `${path}/take`, { offer: hold_id })
    expect([taken.status, taken.headers['location']]).toEqual([303, path])
    expect(await entry(body.id)).toMatchObject({ status: 'booked', booking_id: hold_id, offer: null })
    expect((await world.call('GET', `/bookings/${hold_id}`)).body).toMatchObject({
      status: 'confirmed',
      client: { email: client.email },
    })
    const booked = String((await world.service.call('GET', `/${path}`)).body)
    expect(booked).toContain('/manage#cal_man_')
    expect(booked).toMatch(/Wed,? 2 Dec, 10:00/)
    await world.sent()
    expect(world.fresh().at(-1)?.text).toContain('Your appointment is confirmed.')
    // tapping twice books once
    const again = await sendForm(world.service, `${path}/take`, { offer: hold_id })
    expect(again.headers['location']).toBe(`${path}?now=gone`)
  })

  test('the numbers count a gap that an offer filled, with its price, until it is cancelled', async () => {
    const { offer, booking } = await full()
    const price = { amount: 3_500, currency: 'EUR' }
    await world.call('PATCH', `/services/${offer.service_id}`, { price })
    const { id } = (await join(offer)).body
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const { hold_id } = (await entry(id)).offer
    await sendForm(world.service, `${await entryPath(world.service.context, id)}/take`, { offer: hold_id })
    const total = async () => {
      const query = `from=${day}&to=${day}&location_id=${offer.location_id}`
      const { body } = await world.call('GET', `/numbers?${query}`)
      expect(body.columns).toMatchObject([{ waitlist_bookings: [body.total.waitlist_bookings] }])
      return body.total
    }
    const money = [{ currency: 'EUR', booked: 3_500, missed: 0 }]
    expect(await total()).toMatchObject({
      ...{ bookings: 1, cancellations: 1, money },
      ...{ waitlist_bookings: 1, waitlist_money: money },
    })
    await world.call('DELETE', `/bookings/${hold_id}`)
    await world.book(offer, at('10:00'))
    expect(await total()).toMatchObject({
      ...{ bookings: 1, cancellations: 2, money },
      ...{ waitlist_bookings: 0, waitlist_money: [] },
    })
  })

  test('a declined time goes to the next client, and who leaves frees it, too', async () => {
    const { offer, booking } = await full()
    const entries = [(await join(offer)).body, (await join(offer)).body, (await join(offer)).body]
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const page = async (id: string) => entryPath(world.service.context, id)
    const first = await entry(entries[0].id)
    await sendForm(world.service, `${await page(first.id)}/decline`, { offer: first.offer.hold_id })
    await sweep()
    expect(await entry(first.id)).toMatchObject({ status: 'waiting' })
    expect(await entry(entries[1].id)).toMatchObject({ status: 'offered' })
    await sendForm(world.service, `${await page(entries[1].id)}/leave`, {})
    await sweep()
    expect(await entry(entries[1].id)).toMatchObject({ status: 'ended', ended_because: 'left' })
    expect(await entry(entries[2].id)).toMatchObject({ status: 'offered' })
    expect((await world.call('POST', `/waitlist/${entries[2].id}/skip`)).body).toMatchObject({
      status: 'waiting',
    })
    expect((await world.call('DELETE', `/waitlist/${entries[2].id}`)).status).toBe(204)
    expect(await entry(entries[2].id)).toMatchObject({ status: 'ended', ended_because: 'removed' })
  })

  test('a required question is asked on the page, and a deposit leads to the payment', async () => {
    const field = { id: randomUUID(), key: 'hair', label: 'Hair length', type: 'text', required: true }
    const offer = await newOffer({ deposit: { amount: 500, currency: 'EUR' }, customFields: [field] })
    const answers = { custom_field_values: [{ field_id: field.id, value: 'short' }] }
    const booking = await world.book(offer, at('10:00'), answers)
    const { body } = await join(offer)
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const path = await entryPath(world.service.context, body.id)
    expect((await world.service.call('GET', `/${path}`)).body).toContain('Hair length')
    const { hold_id } = (await entry(body.id)).offer
    const without = await sendForm(world.service, `${path}/take`, { offer: hold_id })
    expect([without.status, without.body]).toEqual([422, expect.stringContaining('Please fill this in')])
    const taken = await sendForm(world.service, `${path}/take`, {
      ...{ offer: hold_id, [`answer-${field.id}`]: 'long' },
    })
    expect([taken.status, taken.headers['location']]).toEqual([303, expect.stringContaining('/sandbox/')])
    expect(await entry(body.id)).toMatchObject({ status: 'booked' })
    expect((await world.call('GET', `/bookings/${hold_id}`)).body).toMatchObject({ status: 'pending' })
  })

  test('a taken offer of a service that asks for confirmation is a request, unless a person offered it', async () => {
    const offer = await newOffer({ respondWithin: 1_440 })
    const booking = await world.book(offer, at('10:00'))
    const { body } = await join(offer)
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const path = await entryPath(world.service.context, body.id)
    const { hold_id } = (await entry(body.id)).offer
    expect((await sendForm(world.service, `${path}/take`, { offer: hold_id })).status).toBe(303)
    expect((await world.call('GET', `/bookings/${hold_id}`)).body).toMatchObject({
      ...{ status: 'pending', respond_by: expect.any(String) },
    })
    const page = (await world.service.call('GET', `/${path}`)).body
    expect(page).toContain('Your request is sent')
    expect(page).toMatch(/You will hear by [^.]+\./)

    const deposit = { amount: 500, currency: 'EUR' }
    for (const parts of [{}, { deposit }]) {
      const asked = await newOffer({ respondWithin: 1_440, ...parts })
      await world.book(asked, at('10:00'))
      const waiting = (await join(asked)).body
      const offered = await world.call('POST', `/waitlist/${waiting.id}/offer`, {
        starts_at: at('14:00'),
      })
      const own = await entryPath(world.service.context, waiting.id)
      const { hold_id: held } = offered.body.offer
      const taken = await sendForm(world.service, `${own}/take`, { offer: held })
      expect(taken.status).toBe(303)
      const { body: booked } = await world.call('GET', `/bookings/${held}`)
      expect(booked).toMatchObject({ status: 'deposit' in parts ? 'pending' : 'confirmed' })
      expect(booked.respond_by ?? null).toBeNull()
      if ('deposit' in parts) expect(taken.headers['location']).toContain('/sandbox/')
    }
  })

  test('nothing is offered so late that nobody could confirm it', async () => {
    const today = world.service.clock.nowMs()
    const date = new Date(today).toISOString().slice(0, 10)
    const offer = await newOffer({
      respondWithin: 1_440,
      weeklyHours: null,
      minutes: 30,
      intervalMinutes: 30,
    })
    const { body } = await join(offer, { from: date, to: date })
    await sweep()
    const { starts_at } = (await entry(body.id)).offer
    expect(Date.parse(starts_at) - today).toBeGreaterThan(2 * 3_600_000)
  })

  test('the window of an entry decides: dates, weekdays and times', async () => {
    const offer = await newOffer({ weeklyHours: null }) // always open
    const ids = new Map<string, string>()
    for (const [name, window] of Object.entries({
      friday: { from: '2026-12-01', to: '2026-12-10', weekdays: ['friday'], after: '17:00' },
      early: { from: '2026-12-03', to: '2026-12-03', before: '06:30' },
      never: { from: '2026-12-01', to: '2026-12-02', weekdays: ['sunday'] },
    }))
      ids.set(name, (await join(offer, window)).body.id)
    await sweep()
    const of = async (name: string) => (await entry(ids.get(name) ?? '')).offer?.starts_at
    expect(await of('friday')).toBe('2026-12-04T17:00:00+01:00')
    expect(await of('early')).toBe('2026-12-03T00:00:00+01:00')
    expect(await of('never')).toBeUndefined()
    const wrong = await join(offer, { from: '2026-12-02', to: '2026-12-01', after: '18:00', before: '17:00' })
    expectErrors(wrong, '/to', '/before')
    expectErrors(await join(offer, { from: '2026-11-01', to: '2026-11-02' }), '/to')
  })

  test('a client may have three active entries by sessions, however many ask at once', async () => {
    const { offer } = await full()
    const token = await session()
    const client = nextClient()
    const replies = await Promise.all(Array.from({ length: 8 }, () => join(offer, { client }, token)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
    for (const reply of replies)
      if (reply.status !== 201)
        expect(reply).toMatchObject({ status: 429, body: { code: 'booking_limit_reached' } })
    const mine = replies.find(({ status }) => status === 201)?.body
    expect(mine.client).not.toHaveProperty('id')
    const other = await session()
    expect((await world.service.call('GET', `/waitlist/${mine.id}`, { token: other })).status).toBe(404)
    expect((await world.service.call('DELETE', `/waitlist/${mine.id}`, { token })).status).toBe(204)
    expect((await join(offer, { client }, token)).status).toBe(201)
    expect((await join(offer, { client })).status).toBe(201) // a person of the business may add more
  })

  test('nothing is offered in quiet hours unless it would be gone by their end', async () => {
    await world.call('PATCH', `/businesses/${world.business.id}`, {
      quiet_hours: { from: '08:00', to: '20:00' },
    })
    const { offer, booking } = await full()
    const { body } = await join(offer)
    const soon = await makeOffer(world.service, world.business.id, {
      ...{ minutes: 30, intervalMinutes: 30 },
      weeklyHours: null,
    })
    const today = (await join(soon, { from: '2026-11-20', to: '2026-11-20' })).body
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    expect(await entry(body.id)).toMatchObject({ status: 'waiting' })
    expect(await entry(today.id)).toMatchObject({ status: 'offered' })
    await world.call('PATCH', `/businesses/${world.business.id}`, { quiet_hours: null })
    world.service.clock.advance(900)
    await sweep()
    expect(await entry(body.id)).toMatchObject({ status: 'offered' })
  })

  test('an entry is exported, and erased with its client', async () => {
    const { offer, booking } = await full()
    const client = { ...nextClient(), phone: '+49 30 123456' }
    const { body } = await join(offer, { client })
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const named = { email: client.email }
    expect((await world.call('POST', '/clients/export', named)).body.waitlist).toMatchObject([
      { id: body.id, client: { email: client.email } },
    ])
    expect((await world.call('POST', '/clients/erase', named)).body).toMatchObject({ waitlist_entries: 1 })
    expect(await entry(body.id)).toMatchObject({
      status: 'ended',
      client: { first_name: 'Erased', email: null },
    })
    const rows = JSON.stringify([
      ...(await world.service.rows('waitlist_entries')),
      ...(await world.service.rows('waitlist_mails')),
      ...(await world.service.rows('clients')),
    ])
    expect(rows).not.toContain(client.email)
  })

  test('a business without a waiting list for a service refuses', async () => {
    const { offer } = await full()
    await world.call('PATCH', `/services/${offer.service_id}`, { waitlist: false })
    expectErrors(await join(offer), '/service_id')
  })

  test('the example of docs/guides/waiting-list.md works', async () => {
    const { offer } = await full()
    const guide = readFileSync('docs/guides/waiting-list.md', 'utf8')
    const [, body = ''] = /```http\nPOST \/api\/v1\/waitlist\n[^`]*?\n\n([^`]*)```/.exec(guide) ?? []
    const example = JSON.parse(body) as object
    const reply = await world.service.call('POST', '/waitlist', {
      token: await session(),
      body: { ...example, ...offer },
    })
    expect(reply).toMatchObject({ status: 201, body: { weekdays: ['tuesday', 'friday'], after: '16:00' } })
  })

  test('a webhook that names waitlist.offered gets it with the offer', async () => {
    const { offer, booking } = await full()
    const webhook = await world.call('POST', '/webhooks', {
      ...{ url: 'https://example.com/hook', events: ['waitlist.offered'] },
    })
    const { body } = await join(offer)
    await world.call('DELETE', `/bookings/${booking.id}`)
    await sweep()
    const { hold_id } = (await entry(body.id)).offer
    const deliveries = (await world.service.rows('deliveries')).filter(
      ({ webhook_id }) => webhook_id === webhook.body.id,
    )
    expect(deliveries.map(({ event_type }) => event_type)).toEqual(['waitlist.offered'])
    expect(JSON.parse(String(deliveries[0]?.['sample_payload']))).toMatchObject({
      event: 'waitlist.offered',
      data: {
        id: body.id,
        hold_id,
        service: { id: offer.service_id, name: 'Haircut' },
        starts_at: at('10:00'),
      },
    })
    await world.call('DELETE', `/webhooks/${webhook.body.id}`)
  })

  test('a refused time of another person than the wanted one does not count', async () => {
    const [anna = '', ben = ''] = await world.staff('Anna', 'Ben')
    const offer = await newOffer({ staffIds: [anna, ben] })
    const bookings = [await world.book(offer, at('10:00')), await world.book(offer, at('10:00'))]
    const { id } = (await join(offer, { staff_id: anna })).body
    const withBen = bookings.find(({ staff }) => (staff as { id: string } | null)?.id === ben)
    await world.call('DELETE', `/bookings/${withBen?.id}`)
    await sweep()
    expect(await entry(id)).toMatchObject({ status: 'waiting' })
    await world.call('POST', `/waitlist/${id}/offer`, { starts_at: at('10:00'), staff_id: ben })
    expect(await entry(id)).toMatchObject({ status: 'offered' })
    await world.call('POST', `/waitlist/${id}/skip`)
    await world.call('DELETE', `/bookings/${bookings.find((one) => one !== withBen)?.id}`)
    await sweep()
    expect(await entry(id)).toMatchObject({ status: 'offered', offer: { starts_at: at('10:00') } })
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { clientOf } from '../support/client.ts'
import { readConsole } from '../support/console.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { type PushDevice, pushDevice, signatureOf } from '../support/push-device.ts'
import { ok, type Receiver, startReceiver, status } from '../support/receiver.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'notifications', (engine) => {
  let service: TestService
  let receiver: Receiver
  let business: OwnBusiness
  let salon: VisitSalon
  let owner: LoggedIn
  let people = 0
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
  })
  beforeEach(async () => {
    service.clock.advance(60)
    receiver.answer = ok
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    owner = await person('owner')
    receiver.received.length = 0
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  const person = (role: 'owner' | 'manager' | 'staff', staffId?: string) =>
    logInNewPerson(service, {
      ...{ email: `person${(people += 1)}@example.com`, role, place: { businessId: business.id } },
      ...(staffId !== undefined && { staffId }),
    })
  const post = (who: LoggedIn, path: string, fields: Record<string, string> = {}) =>
    sendForm(service, `/console/notifications${path}`, fields, { cookie: who.cookie })
  async function notify(who: LoggedIn, options: { locale?: string } = {}): Promise<PushDevice> {
    const device = pushDevice(receiver.address, options)
    expect((await post(who, '/devices', device.subscription)).status).toBe(204)
    return device
  }
  const book = (time = '10:00', staff_id = salon.anna) =>
    salon.book(at(time), { items: [{ service_id: salon.cut, staff_id }] })
  const key = () => clientOf(service, business.key)
  /** Returns the messages that a device has received since the last call. */
  async function heard(device: PushDevice): Promise<Record<string, string>[]> {
    await service.app.pushes.settled()
    const { pathname } = new URL(device.subscription.endpoint)
    const mine = receiver.received.filter(({ path }) => path === pathname)
    receiver.received = receiver.received.filter(({ path }) => path !== pathname)
    return mine.map(device.read)
  }
  const titles = async (device: PushDevice) => (await heard(device)).map(({ title }) => title)
  const devices = async ({ userId }: LoggedIn) =>
    (await service.rows('push_devices')).filter(({ user_id }) => user_id === userId)

  test('a new booking is encrypted for the device, signed, and leads to its page', async () => {
    const device = await notify(owner)
    const { id } = await book()
    await service.app.pushes.settled()
    const [message] = receiver.received
    expect(message?.headers).toMatchObject({
      ...{ 'content-encoding': 'aes128gcm', ttl: '3600', urgency: 'high', topic: id.replaceAll('-', '') },
    })
    const { claims, key: signedBy } = signatureOf(message ?? expect.fail())
    expect(claims).toMatchObject({ aud: receiver.address, sub: expect.stringMatching(/^mailto:/) as string })
    expect((await readConsole(service, '/console/account', owner)).body).toContain(
      `data-push-key="${signedBy}"`,
    )
    expect(message?.body.toString('latin1')).not.toContain('Lovelace')
    expect(await heard(device)).toEqual([
      {
        ...{ title: 'New booking: Ada Lovelace', body: 'Cut · Tue 1 Dec, 10:00 · Anna' },
        ...{ lang: 'en-GB', dir: 'ltr', tag: id, url: `/console/bookings/${id}?business=${business.id}` },
      },
    ])
  })

  test('moves and cancellations follow in the language of the device', async () => {
    const device = await notify(owner, { locale: 'de-AT' })
    const { id } = await book()
    await key().change(id, { starts_at: at('11:00') })
    await key().cancel(id)
    await heard(device) // each is about the booking as it is when it is sent
    const second = await book('12:00')
    expect(await titles(device)).toEqual(['Neuer Termin: Ada Lovelace'])
    await key().change(second.id, { notes: 'allergic' })
    expect(await titles(device)).toEqual([])
    await key().change(second.id, { starts_at: at('13:00') })
    expect(await titles(device)).toEqual(['Verschoben: Ada Lovelace'])
    await key().cancel(second.id)
    expect(await titles(device)).toEqual(['Abgesagt: Ada Lovelace'])
  })

  test('a cancellation that is undone in time is no notification, nor is the booking a new one', async () => {
    const device = await notify(owner)
    const { id } = await book()
    await heard(device)
    const cancel = { status: 'cancelled', notify_after_seconds: 12 }
    await key().change(id, cancel)
    await key().change(id, { status: 'confirmed' })
    service.clock.advance(60)
    expect(await titles(device)).toEqual([])
    await key().change(id, cancel)
    service.clock.advance(13)
    expect(await titles(device)).toEqual(['Cancelled: Ada Lovelace'])
    await key().change(id, { status: 'confirmed' })
    expect(await titles(device)).toEqual(['New booking: Ada Lovelace'])
  })

  test('staff hear of their own appointments only, and nobody of their own changes', async () => {
    const anna = await person('staff', salon.anna)
    const [hers, theirs] = [await notify(anna), await notify(owner)]
    await book('10:00', salon.ben)
    expect(await titles(hers)).toEqual([])
    expect(await titles(theirs)).toHaveLength(1)
    const own = await book('11:00', salon.anna)
    expect(await titles(hers)).toHaveLength(1)
    await anna.call('DELETE', `/bookings/${own.id}`)
    expect(await titles(hers)).toEqual([])
    expect(await titles(theirs)).toEqual(['New booking: Ada Lovelace', 'Cancelled: Ada Lovelace'])
  })

  test('people of another business hear nothing', async () => {
    const other = await makeBusiness(service)
    const stranger = await logInNewPerson(service, {
      ...{ email: `person${(people += 1)}@example.com`, role: 'owner', place: { businessId: other.id } },
    })
    const device = await notify(stranger)
    await book()
    expect(await heard(device)).toEqual([])
    expect(await service.rows('pushes')).not.toContainEqual(
      expect.objectContaining({ business_id: business.id }),
    )
  })

  test('a person chooses the kinds, and quiet hours by the clock of the business', async () => {
    const device = await notify(owner)
    const { id } = await book()
    await heard(device)
    expect((await post(owner, '', { 'kinds.cancelled': 'on' })).status).toBe(200)
    await book('11:00')
    await key().cancel(id)
    expect(await titles(device)).toEqual(['Cancelled: Ada Lovelace'])
    const all = { 'kinds.booked': 'on', 'kinds.changed': 'on' }
    const refused = await post(owner, '', { ...all, 'quiet.from': '09:00' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('They must differ')
    await post(owner, '', { ...all, 'quiet.from': '09:00', 'quiet.to': '12:00' }) // it is 10 in Berlin
    await book('12:00')
    expect(await titles(device)).toEqual([])
    await post(owner, '', { ...all, 'quiet.from': '22:00', 'quiet.to': '07:00' })
    await book('13:00')
    expect(await titles(device)).toHaveLength(1)
    const { body } = await readConsole(service, '/console/account', owner)
    expect(body).toMatch(/name="quiet.from"[^>]*value="22:00"/)
  })

  test('a client who has not arrived ten minutes after the start is late, once', async () => {
    const device = await notify(owner)
    await post(owner, '', { 'kinds.late': 'on' })
    const now = service.clock.nowMs()
    const soon = new Date(Math.ceil(now / 900_000) * 900_000)
    const startsAt = soon.toISOString()
    await salon.book(startsAt, { items: [{ service_id: salon.cut, staff_id: salon.anna }] })
    const arrived = await salon.book(startsAt, { items: [{ service_id: salon.cut, staff_id: salon.ben }] })
    service.clock.advance((soon.getTime() - now) / 1_000 + 599)
    await service.app.pushes.queueLate()
    expect(await titles(device)).toEqual([])
    await key().change(arrived.id, { status: 'in_progress' })
    service.clock.advance(1)
    await service.app.pushes.queueLate()
    expect(await titles(device)).toEqual(['Not here yet: Ada Lovelace'])
    service.clock.advance(60)
    await service.app.pushes.queueLate()
    expect(await titles(device)).toEqual([])
  })

  test('a device that its push service no longer knows is removed', async () => {
    await notify(owner)
    receiver.answer = status(410)
    await book()
    await service.app.pushes.settled()
    expect(await devices(owner)).toEqual([])
    await book('11:00')
    await service.app.pushes.settled()
    expect(receiver.received).toHaveLength(1)
  })

  test('a push service that fails is asked again, for an hour at most', async () => {
    const device = await notify(owner)
    receiver.answer = status(503)
    await book()
    await service.app.pushes.settled()
    service.clock.advance(29)
    await service.app.pushes.settled()
    expect(receiver.received).toHaveLength(1)
    service.clock.advance(1)
    receiver.answer = ok
    expect(await titles(device)).toHaveLength(2) // both attempts
    receiver.answer = status(503)
    await book('11:00')
    await service.app.pushes.settled()
    service.clock.advance(3_601)
    receiver.answer = ok
    expect(await heard(device)).toHaveLength(1)
    expect(await devices(owner)).toHaveLength(1)
  })

  test('a refused message is not repeated', async () => {
    await notify(owner)
    receiver.answer = status(413)
    await book()
    await service.app.pushes.settled()
    service.clock.advance(600)
    await service.app.pushes.settled()
    expect(receiver.received).toHaveLength(1)
  })

  test('a test goes to all devices of the person, once a minute', async () => {
    const [phone, desk] = [await notify(owner), await notify(owner, { locale: 'de' })]
    expect((await post(owner, '/test')).body).toContain('A test is on its way')
    expect(await titles(phone)).toEqual(['Notifications work'])
    expect(await titles(desk)).toEqual(['Die Mitteilungen funktionieren'])
    await post(owner, '/test')
    expect(await titles(phone)).toEqual([])
  })

  test('logging out ends the notifications of that browser alone', async () => {
    await notify(owner)
    const elsewhere = await sendForm(service, '/console/login', {
      ...{ email: owner.email, password: 'correct horse battery staple' },
    })
    const cookie = elsewhere.headers['set-cookie']?.split(';', 1)[0] ?? ''
    const other = await notify({ ...owner, cookie })
    await sendForm(service, '/console/logout', {}, { cookie: owner.cookie })
    expect(await devices(owner)).toMatchObject([{ endpoint: other.subscription.endpoint }])
    await sendForm(service, '/console/account/end-others', {}, { cookie })
    expect(await devices(owner)).toHaveLength(1)
  })

  test('who loses access hears nothing more, and the device is removed', async () => {
    const manager = await person('manager')
    const device = await notify(manager)
    await book()
    expect(await heard(device)).toHaveLength(1)
    const { data } = (await owner.call('GET', '/users')).body as { data: { id: string; person_id: string }[] }
    const place = data.find(({ person_id }) => person_id === manager.userId)?.id ?? ''
    expect((await owner.call('PATCH', `/users/${place}`, { disabled: true })).status).toBe(200)
    await book('11:00')
    expect(await heard(device)).toEqual([])
    await tidy(service.context, jobs)
    expect(await devices(manager)).toEqual([])
  })

  test('a device that another person uses is theirs, and unused ones are removed', async () => {
    const manager = await person('manager')
    const device = await notify(owner)
    const { endpoint, locale } = device.subscription
    expect((await post(owner, '/used', { endpoint, locale: 'de' })).status).toBe(204)
    expect(await devices(owner)).toMatchObject([{ locale: 'de' }])
    expect((await post(manager, '/used', { endpoint, locale })).status).toBe(404)
    expect(await devices(owner)).toEqual([])
    await notify(manager)
    service.clock.advance(91 * 86_400)
    await tidy(service.context, jobs)
    expect(await devices(manager)).toEqual([])
  })

  test('an eleventh device replaces the longest unused one, and a person removes only their own', async () => {
    const first = await notify(owner)
    for (let more = 0; more < 9; more += 1) {
      service.clock.advance(1)
      await notify(owner)
    }
    service.clock.advance(1)
    await notify(owner)
    const kept = await devices(owner)
    expect(kept).toHaveLength(10)
    expect(kept).not.toContainEqual(expect.objectContaining({ endpoint: first.subscription.endpoint }))
    const manager = await person('manager')
    const id = String(kept[0]?.['id'])
    await post(manager, `/devices/${id}/remove`)
    expect(await devices(owner)).toHaveLength(10)
    const removed = await post(owner, `/devices/${id}/remove`)
    expect(removed.body).toContain('notified no more')
    expect(await devices(owner)).toHaveLength(9)
  })

  test('keys that are none and addresses that are none are refused', async () => {
    const { subscription } = pushDevice(receiver.address)
    const refused = async (parts: object) =>
      (await post(owner, '/devices', { ...subscription, ...parts })).status
    expect(await refused({ p256dh: 'AAAA' })).toBe(422)
    expect(await refused({ auth: 'AAAA' })).toBe(422)
    expect(await refused({ endpoint: 'ftp://push.example.com/1' })).toBe(422)
    expect(await devices(owner)).toEqual([])
    const { status: anonymous } = await sendForm(service, '/console/notifications/devices', subscription)
    expect(anonymous).toBe(401)
  })
})

onOneEngine('sqlite', 'notifications in production', (engine) => {
  test('go to no internal address, and need https', async () => {
    const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://book.example' }
    const service = await startTestService(engine, production)
    const business = await makeBusiness(service)
    const owner = await logInNewPerson(service, {
      ...{ email: 'owner@example.com', role: 'owner', place: { businessId: business.id } },
    })
    for (const address of [
      'http://push.example.com',
      'https://127.0.0.1',
      'https://[::1]',
      'https://localhost',
    ]) {
      const { subscription } = pushDevice(address)
      const path = '/console/notifications/devices'
      const reply = await sendForm(service, path, subscription, { cookie: owner.cookie })
      expect([address, reply.status]).toEqual([address, 422])
    }
    await service.stop()
  })
})

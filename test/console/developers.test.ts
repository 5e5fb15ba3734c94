import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formValues, readConsole, textOf, useForm } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { ok, type Receiver, startReceiver, status } from '../support/receiver.ts'
import { bookerOf } from '../support/salon-day.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const path = '/console/developers'

onOneEngine('sqlite', 'the pages for developers', (engine) => {
  let service: TestService
  let owner: LoggedIn
  let receiver: Receiver
  let salon: ReturnType<typeof bookerOf>
  const show = (at = path, who = owner) => readConsole(service, at, who)
  const newPerson = (email: string, role: 'owner' | 'manager', business: string) =>
    logInNewPerson(service, { email, role, place: { businessId: businessOf(service.world, business).id } })
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    salon = bookerOf(service)
    owner = await newPerson('owner@example.com', 'owner', 'Salon Spree')
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  test('are for owners, and tell of the plan with its limits', async () => {
    const manager = await newPerson('manager@example.com', 'manager', 'Salon Spree')
    for (const page of [path, `${path}/keys/new`, `${path}/webhooks/new`, `${path}/events`])
      expect(await show(page, manager)).toMatchObject({ status: 404 })
    const refused = await sendForm(service, `${path}/keys/new`, { type: 'publishable' }, manager)
    expect(refused.status).toBe(404)
    expect(textOf(await show())).toMatch(/Plan Enterprise Requests 600 per minute and 20,000 per hour/)
    const small = await newPerson('small@example.com', 'owner', 'Thames Barbers')
    expect(textOf(await show(path, small))).toMatch(/Plan Growth Requests 30 per minute and 300 per hour/)
    expect(textOf(await show(path, small))).toContain('Webhooks need the Enterprise plan')
    expect(textOf(await show(`${path}/webhooks/new`, small))).toContain('Webhooks need the Enterprise plan')
    const tried = { url: 'https://example.com', 'events.booking.created': 'on' }
    expect((await sendForm(service, `${path}/webhooks/new`, tried, small)).status).toBe(422)
    const key = await sendForm(service, `${path}/keys/new`, { type: 'business', label: 'Mine' }, small)
    expect(key.status).toBe(422)
    expect(key.body).toContain('value="Mine"')
  })

  describe('a key', () => {
    test('is shown once, also where its form is sent twice', async () => {
      const fields = {
        label: 'Front <desk>',
        type: 'publishable',
        allowed_origins: 'https://www.example.com',
      }
      const form = formValues(String((await show(`${path}/keys/new`)).body), `${path}/keys/new`)
      const sent = { ...form, ...fields }
      const made = await sendForm(service, `${path}/keys/new`, sent, owner)
      const [key = ''] = /cal_pub_\w+/.exec(String(made.body)) ?? []
      expect(made).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
      expect((await service.call('POST', '/session', { token: key })).status).toBe(201)
      const again = await sendForm(service, `${path}/keys/new`, sent, owner)
      expect(again).toMatchObject({ status: 303, headers: { location: `${path}?done=keyMade` } })
      const list = await show(`${path}?done=keyMade`)
      expect(String(list.body).match(/Front &lt;desk&gt;<\/bdi>/g)).toHaveLength(1)
      expect(list.body).toContain(key.slice(-4))
      expect(list.body).not.toContain(key)
    })

    test('keeps what was typed beside its faults', async () => {
      const fields = { label: 'Typed', type: 'publishable', allowed_origins: 'example.com/path' }
      const refused = await useForm(service, owner, {
        ...{ page: `${path}/keys/new`, action: `${path}/keys/new`, fields },
      })
      expect(refused.status).toBe(422)
      expect(refused.body).toContain('value="Typed"')
      expect(refused.body).toMatch(/id="allowed_origins-fault"/)
      expect(refused.body).toContain('>example.com/path</textarea>')
    })

    test('is revoked by its own business alone', async () => {
      const { body } = await show()
      const [, id = ''] = /keys\/([0-9a-f-]{36})\/revoke/.exec(String(body)) ?? []
      const elsewhere = await newPerson('elsewhere@example.com', 'owner', 'Hudson Studio')
      expect((await sendForm(service, `${path}/keys/${id}/revoke`, {}, elsewhere)).status).toBe(404)
      const revoked = await sendForm(service, `${path}/keys/${id}/revoke`, {}, owner)
      expect(revoked).toMatchObject({ status: 303, headers: { location: `${path}?done=revoked` } })
      expect(textOf(await show())).toMatch(/Front <desk>.*revoked|Front &lt;desk&gt;.*revoked/)
    })
  })

  describe('a webhook', () => {
    let hook: string
    const webhooks = async () =>
      (await owner.call('GET', '/webhooks')).body.data as { id: string; status: string; events: string[] }[]

    test('is added once, with a secret that is shown once', async () => {
      const form = formValues(String((await show(`${path}/webhooks/new`)).body), `${path}/webhooks/new`)
      expect(form['events.booking.created']).toBe('on')
      const wrong = await sendForm(service, `${path}/webhooks/new`, { ...form, url: 'ftp://x' }, owner)
      expect(wrong.status).toBe(422)
      expect(wrong.body).toMatch(/id="url-fault"/)
      expect(wrong.body).toContain('value="ftp://x"')
      const once = formValues(String((await show(`${path}/webhooks/new`)).body), `${path}/webhooks/new`)
      const sent = { ...once, url: receiver.address }
      const made = await sendForm(service, `${path}/webhooks/new`, sent, owner)
      expect(made.body).toMatch(/whsec_[\w+/=]+/)
      expect((await sendForm(service, `${path}/webhooks/new`, sent, owner)).status).toBe(303)
      const [webhook, ...others] = await webhooks()
      expect(others).toEqual([])
      hook = `${path}/webhooks/${webhook?.id ?? ''}`
      expect((await show(hook)).body).not.toContain('whsec_')
    })

    test('shows deliveries with their attempts, answers and bodies, and sends them again', async () => {
      receiver.answer = status(500)
      await salon.book('Haircut', '2026-11-24T10:00:00+01:00')
      await service.app.deliveries.settled()
      expect(textOf(await show())).toContain('0 of the last 1 delivered')
      const list = await show(hook)
      expect(textOf(list)).toMatch(/Booked (pending|failed), 1 attempt/)
      const [, open = ''] = /open=([0-9a-f-]{36})/.exec(String(list.body)) ?? []
      const opened = await show(`${hook}?open=${open}`)
      expect(textOf(opened)).toMatch(/Attempt 1, [^]*response 500[^]*a status other than 2xx/)
      expect(textOf(opened)).toContain('"event": "booking.created"')
      receiver.answer = ok
      const again = await sendForm(service, `${hook}/retry`, { delivery: open }, owner)
      expect(again.headers['location']).toBe(`${hook}?done=retried&open=${open}`)
      await service.app.deliveries.settled()
      expect(textOf(await show())).toContain('1 of the last 1 delivered')
    })

    test('gets one sample, however often its form is sent', async () => {
      const form = formValues(String((await show(hook)).body), `${hook}/test`)
      const send = () => sendForm(service, `${hook}/test`, form, owner)
      expect([(await send()).status, (await send()).status]).toEqual([303, 303])
      await service.app.deliveries.settled()
      expect(textOf(await show())).toContain('2 of the last 2 delivered')
    })

    test('is changed, gets a new secret and goes; a second secret within a day is refused with the reason', async () => {
      const fields = formValues(String((await show(hook)).body), hook)
      expect(fields).toMatchObject({ url: receiver.address, status: 'on' })
      const { status: _status, 'events.booking.updated': _updated, ...rest } = fields
      await sendForm(service, hook, rest, owner)
      expect(await webhooks()).toMatchObject([
        { status: 'disabled', events: ['booking.created', 'booking.cancelled', 'booking.completed'] },
      ])
      expect(textOf(await show())).toContain('inactive')
      expect((await sendForm(service, `${hook}/rotate`, {}, owner)).body).toMatch(/whsec_/)
      const second = await sendForm(service, `${hook}/rotate`, {}, owner)
      expect(second.status).toBe(409)
      expect(textOf(second)).toContain('less than 24 hours ago')
      const elsewhere = await newPerson('hudson@example.com', 'owner', 'Hudson Studio')
      for (const name of ['', '/test', '/rotate', '/remove'])
        expect((await sendForm(service, `${hook}${name}`, rest, elsewhere)).status).toBe(409)
      expect((await show(hook, elsewhere)).status).toBe(404)
      await sendForm(service, `${hook}/remove`, {}, owner)
      expect(await webhooks()).toEqual([])
      expect(textOf(await show())).toContain('No webhooks yet')
    })
  })

  test('list events, of one kind too', async () => {
    expect(textOf(await show(`${path}/events`))).toMatch(
      /Ada Lovelace Haircut Booked Body webhook-id: [0-9a-f-]{36}/,
    )
    expect(textOf(await show(`${path}/events?type=booking.completed`))).toContain('No such events')
  })
})

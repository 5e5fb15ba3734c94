import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { textOf } from '../support/console.ts'
import { type MailServer, startMailServer, startSilentServer } from '../support/mail-server.ts'
import { makeMail, type MailWorld, mailWorld, nextClient } from '../support/mail-world.ts'
import { makeBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { diagnose } from '../../src/operate/doctor.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService } from '../support/test-service.ts'

const login = { user: 'salon@example.com', pass: 'p@ss:word/#1' }
const own = (port: number, parts = {}) => ({
  ...{ host: '127.0.0.1', port, user: login.user, password: login.pass, from_email: 'salon@spa.example' },
  ...parts,
})

onOneEngine('sqlite', "a business's own mail server", (engine) => {
  let world: MailWorld
  let server: MailServer
  let owner: LoggedIn
  let day = 1
  const path = () => `/businesses/${world.business.id}/smtp`
  const set = (parts = {}) => owner.call('PUT', path(), own(server.port, parts))
  const book = async () => {
    const client = nextClient()
    const at = `2026-12-${String((day += 1)).padStart(2, '0')}T10:00:00+01:00`
    await world.book(await world.offer(), at, { client })
    return client.email
  }
  beforeAll(async () => {
    world = await mailWorld(engine)
    server = await startMailServer({ login })
    const place = { businessId: world.business.id }
    owner = await logInNewPerson(world.service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    await world.stop()
    await server.close()
  })

  test('is tried first, and stored encrypted only if it accepts the log-in', async () => {
    const wrong = await set({ password: 'wrong-secret' })
    expectErrors(wrong, '/password')
    expect(JSON.stringify(wrong.body)).not.toContain('wrong-secret')
    expectErrors(await set({ port: 1 }), '/host')
    expectErrors(await set({ from_email: 'nobody' }), '/from_email')
    expect(await owner.call('GET', path())).toMatchObject({ status: 404 })

    const stored = await set()
    const shown = { host: '127.0.0.1', user: login.user, from_email: 'salon@spa.example', status: 'working' }
    expect(stored).toMatchObject({ status: 200, body: { ...shown, last_error: null } })
    expect((await owner.call('GET', path())).body).toEqual(stored.body)
    const rows = JSON.stringify([
      await world.service.rows('own_mail_servers'),
      await world.service.rows('audit_entries'),
    ])
    expect(rows).toContain('business.mail_server_set')
    for (const text of [rows, JSON.stringify(stored.body)]) expect(text).not.toContain(login.pass)
  })

  test('sends the emails of its business from its address, and no others', async () => {
    const email = await book()
    await eventually('it', () => server.to(email).length === 1 || undefined)
    const [mail] = server.to(email)
    expect(mail).toMatchObject({ user: login.user })
    expect(mail?.headers['from']).toContain('<salon@spa.example>')
    expect(world.fresh().map(({ recipients }) => recipients)).not.toContainEqual([email])
  })

  test('that fails is reported with its reason, and works again', async () => {
    server.answer = () => 451
    const email = await book()
    const failed = await eventually('it', async () => {
      const { body } = await owner.call('GET', path())
      return body.status === 'failed' ? body : undefined
    })
    expect(failed.last_error).toContain('451')
    const { body } = await world.call('GET', '/mails?status=queued')
    expect(JSON.stringify(body.data)).toContain('451 said the server')
    const found = await diagnose(world.service.context, {})
    const fault = found.find(({ check, state }) => check === 'mail' && state === 'warning')
    expect(fault?.detail).toContain('127.0.0.1, the mail server of')
    expect(fault?.detail).toContain('451 said the server')
    server.answer = () => undefined
    world.service.clock.advance(90)
    await eventually('it', () => server.to(email).length === 1 || undefined)
    expect((await owner.call('GET', path())).body).toMatchObject({ status: 'working', last_error: null })
  })

  test('that hangs delays no email of another business', async () => {
    const hanging = await startSilentServer()
    const port = Number(new URL(hanging.url).port)
    await world.service.context.db.transaction((tx) =>
      tx.db.updateTable('own_mail_servers').set({ port, set_at: tx.now }).execute(),
    )
    world.service.clock.advance(6)
    for (let count = 0; count < 6; count += 1) await book()
    const other = await makeBusiness(world.service)
    const person = await logInNewPerson(world.service, {
      ...{ email: 'other@example.com', role: 'owner' },
      place: { businessId: other.id },
    })
    const key = { token: other.key }
    const location = await world.service.call('POST', '/locations', {
      ...key,
      body: { business_id: other.id, name: 'Here' },
    })
    const service = await world.service.call('POST', '/services', {
      ...key,
      body: { business_id: other.id, name: 'Cut', duration_minutes: 30, location_ids: [location.body.id] },
    })
    const client = nextClient()
    const held = await person.call('POST', '/bookings/hold', {
      ...{ service_id: service.body.id, location_id: location.body.id },
      starts_at: '2026-12-20T10:00:00+01:00',
    })
    await person.call('POST', '/bookings', { hold_id: held.body.hold_id, client })
    await eventually(
      'it',
      () => world.fresh().some(({ recipients }) => recipients[0] === client.email) || undefined,
    )
    hanging.close()
  })

  test("is removed, and emails go through the operator's server again", async () => {
    world.service.clock.advance(120)
    await set()
    expect(await owner.call('DELETE', path())).toMatchObject({ status: 204 })
    expect(await owner.call('DELETE', path())).toMatchObject({ status: 204 })
    expect(await world.service.rows('own_mail_servers')).toEqual([])
    expect((await diagnose(world.service.context, {})).some(({ check }) => check === 'mail')).toBe(false)
    const email = await book()
    await eventually('it', () => world.fresh().some(({ recipients }) => recipients[0] === email) || undefined)
  })
})

onOneEngine('sqlite', 'attempts to connect a mail server', (engine) => {
  test('are limited for each business, over the API and in the console', async () => {
    const service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
    const { id } = await makeBusiness(service)
    const place = { businessId: id }
    const owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    const wrong = own(1)
    const attempt = async () => (await owner.call('PUT', `/businesses/${id}/smtp`, wrong)).status
    const attempts: number[] = []
    for (let count = 0; count < 6; count += 1) attempts.push(await attempt())
    expect(attempts).toEqual([422, 422, 422, 422, 422, 429])
    const form = { ...wrong, port: '1' }
    const sent = await sendForm(service, '/console/mails/server', form, owner)
    expect([sent.status, textOf(sent)]).toEqual([429, expect.stringContaining('Too many attempts')])
    const stripe = { secret_key: 'rk_test_wrong12345678', webhook_secret: 'whsec_wrong12345678' }
    expect(await owner.call('PUT', `/businesses/${id}/stripe`, stripe)).toMatchObject({ status: 429 })
    service.clock.advance(61)
    expect(await attempt()).toBe(422)
    await service.stop()
  })
})

onOneEngine('sqlite', 'a mail server of a business in production', (engine) => {
  test('makes its emails wait for it, although the operator has none', async () => {
    const service = await startTestService(engine, { NODE_ENV: 'production' })
    const { id, key } = await makeBusiness(service)
    const server = {
      ...{ business_id: id, host: '127.0.0.1', port: 1, user_name: 'a', from_email: 'a@example.com' },
      ...{ password_sealed: 'x', failed_at: null, last_error: null, set_at: service.clock.now() },
    }
    await service.context.db.transaction((tx) =>
      tx.db.insertInto('own_mail_servers').values(server).execute(),
    )
    const mail = await makeMail(service, id)
    const { body } = await service.call('GET', '/mails', { token: key })
    expect(body).toMatchObject({ data: [{ id: mail }] })
    expect(body.data[0].waits_for).not.toBe('setup')
    await service.stop()
  })

  test('may not have an address of the internal network or a port of something else', async () => {
    const service = await startTestService(engine, { NODE_ENV: 'production' })
    const server = await startMailServer({ login })
    const { id } = await makeBusiness(service)
    const owner = await logInNewPerson(service, {
      ...{ email: 'owner@example.com', role: 'owner' },
      place: { businessId: id },
    })
    const path = `/businesses/${id}/smtp`
    expectErrors(await owner.call('PUT', path, own(server.port)), '/port')
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254'])
      expectErrors(await owner.call('PUT', path, own(587, { host })), '/host')
    expect(await service.rows('own_mail_servers')).toEqual([])
    await server.close()
    await service.stop()
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import { fetchBusyCalendar } from '../../src/calendars/busy-calendar.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { formValues, readConsole, textOf } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const path = '/console/calendars'
const newFeed = `${path}/feeds/new`
const newBusy = `${path}/busy/new`

const emptyCalendar = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'

const busyCalendar = emptyCalendar.replace(
  'END:VCALENDAR',
  'BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261120T000000Z\r\nDTSTART:20261123T100000Z\r\nDTEND:20261123T110000Z\r\nEND:VEVENT\r\nEND:VCALENDAR',
)

onOneEngine('sqlite', 'the page about calendars', (engine) => {
  let service: TestService
  let receiver: Receiver
  let manager: LoggedIn
  let other: LoggedIn
  let anna: string
  const show = (at = path, who = manager, headers = {}) => readConsole(service, at, who, headers)
  const post = (at: string, fields: Record<string, string> = {}, who = manager) =>
    sendForm(service, at, fields, who)
  const hidden = async (at: string) => formValues(String((await show(at)).body), at)
  const idIn = async (pattern: RegExp) => pattern.exec(String((await show()).body))?.[1] ?? ''
  const addressIn = ({ body }: { body: unknown }) =>
    /value="http[^"]*(\/feeds\/[\w-]{43}\.ics)"/.exec(String(body))?.[1] ?? ''
  const readFeed = async (address: string) =>
    (await service.call('GET', `/${address}`, { headers: { host: 'localhost' } })).status
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    const person = (email: string, role: 'manager' | 'owner', business: string) =>
      logInNewPerson(service, {
        ...{ email, role, place: { businessId: businessOf(service.world, business).id } },
      })
    manager = await person('manager@example.com', 'manager', 'Salon Spree')
    other = await person('other@example.com', 'owner', 'Hudson Studio')
    const { body } = await manager.call('GET', '/staff')
    const staff = body.data as { id: string; name: string }[]
    anna = staff.find(({ name }) => name === 'Anna Weber')?.id ?? ''
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  test('feeds and busy calendars are for managers: staff see their own accounts only', async () => {
    const staff = await logInNewPerson(service, {
      ...{ email: 'anna@example.com', role: 'staff', staffId: anna },
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
    for (const page of [newFeed, newBusy]) expect((await show(page, staff)).status).toBe(404)
    expect(textOf(await show(path, staff))).toMatch(/Your calendars(?!.*address)/)
    expect((await post(newFeed, { of: '', detail: 'full' }, staff)).status).toBe(404)
    const seen = String((await show('/console/bookings', staff)).body)
    expect(seen).toContain('Your calendars')
    expect(seen).not.toContain('Connected calendars')
    expect((await show('/console/people')).body).toContain(`href="${path}"`)
    const text = textOf(await show())
    expect(text).toContain('No addresses yet. Create one for each person')
    expect(text).toContain('No calendars yet. Add the calendar of a person')
    expect(text).toContain('A business can have 20.')
    const german = textOf(await show(path, manager, { 'accept-language': 'de' }))
    expect(german).toContain('Noch keine Adressen.')
  })

  let address: string

  test('shows the address of a new feed once, also where its form is sent twice', async () => {
    const sent = { ...(await hidden(newFeed)), of: `staff_id ${anna}`, detail: 'full' }
    const made = await post(newFeed, sent)
    expect(made).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(textOf(made)).toMatch(/Address for Anna Weber.*every 12 to 24 hours/)
    address = addressIn(made)
    expect(await readFeed(address)).toBe(200)
    const again = await post(newFeed, sent)
    expect(again).toMatchObject({ status: 303, headers: { location: `${path}?done=feedMade` } })
    const list = await show(`${path}?done=feedMade`)
    expect(textOf(list)).toMatch(/Anna Weber with clients · since Fri,? 20 Nov 2026/)
    expect(String(list.body).match(/feeds\/[0-9a-f-]{36}\/rotate/g)).toHaveLength(1)
    expect(list.body).not.toContain(address)
  })

  test('refuses a feed of somebody elsewhere, beside the field', async () => {
    const { body } = await other.call('GET', '/staff')
    const refused = await post(newFeed, { of: `staff_id ${body.data[0].id}`, detail: 'full' })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatch(/id="of-fault"/)
    expect(refused.body).toMatch(/value="full"\s+checked/)
  })

  test('gives a feed a new address and deletes it, in its own business alone', async () => {
    const feed = `${path}/feeds/${await idIn(/feeds\/([0-9a-f-]{36})\/rotate/)}`
    for (const name of ['rotate', 'remove'])
      expect((await post(`${feed}/${name}`, {}, other)).status).toBe(404)
    const rotated = addressIn(await post(`${feed}/rotate`))
    expect([await readFeed(address), await readFeed(rotated)]).toEqual([404, 200])
    const removed = await post(`${feed}/remove`)
    expect(removed).toMatchObject({ status: 303, headers: { location: `${path}?done=feedRemoved` } })
    expect(await readFeed(rotated)).toBe(404)
    expect(textOf(await show())).toContain('No addresses yet')
  })

  test('refuses a feed beyond 20 with what to do, in German too', async () => {
    for (let made = 0; made < 20; made += 1) await manager.call('POST', '/feeds', {})
    const refused = await post(newFeed, { of: '', detail: 'busy' })
    expect(refused.status).toBe(409)
    expect(textOf(refused)).toContain('The business already has 20 addresses. Delete one first.')
    const german = await sendForm(
      service,
      newFeed,
      { of: '', detail: 'busy' },
      { ...manager, headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' } },
    )
    expect(textOf(german)).toContain('Der Betrieb hat schon 20 Adressen.')
  })

  test('keeps the address of a busy calendar beside its faults, and shows it nowhere later', async () => {
    const wrong = await post(newBusy, { ...(await hidden(newBusy)), staff_id: '', url: 'anna.ics' })
    expect(wrong.status).toBe(422)
    expect(wrong.body).toMatch(/id="staff_id-fault"/)
    const sent = { ...(await hidden(newBusy)), staff_id: anna, url: 'ftp://secret-4711/anna.ics' }
    const refused = await post(newBusy, sent)
    expect(refused.status).toBe(422)
    expect(refused.body).toMatch(/id="url-fault">This address is incomplete/)
    expect(refused.body).toContain('value="ftp://secret-4711/anna.ics"')
    const added = { ...(await hidden(newBusy)), staff_id: anna, url: `${receiver.address}/secret-4711.ics` }
    const location = `${path}?done=busyMade`
    receiver.answer = (response) => response.end(emptyCalendar)
    expect(await post(newBusy, added)).toMatchObject({ status: 303, headers: { location } })
    expect((await post(newBusy, added)).status).toBe(303)
    const list = await show(location)
    expect(list.body).not.toContain('4711')
    expect(String(list.body).match(/busy\/[0-9a-f-]{36}\/remove/g)).toHaveLength(1)
    expect(textOf(list)).toMatch(/Anna Weber 127\.0\.0\.1:\d+ · not read yet, will be within a minute/)
    expect((await hidden(newBusy))['url']).toBe('')
  })

  test('looks at once whether an address has a calendar, and takes one whose server does not answer now', async () => {
    const url = `${receiver.address}/page.ics`
    const count = async () => (await service.rows('busy_calendars')).length
    const before = await count()
    const sent = async () => post(newBusy, { ...(await hidden(newBusy)), staff_id: anna, url })
    receiver.answer = (response) => response.end('<!doctype html><title>My calendar</title>')
    const page = await sent()
    expect(page.status).toBe(422)
    expect(page.body).toMatch(/id="url-fault">The address does not lead to a calendar/)
    receiver.answer = status(404)
    expect((await sent()).body).toMatch(/id="url-fault">The server responded with 404/)
    expect(await count()).toBe(before)
    receiver.answer = status(503)
    expect((await sent()).status).toBe(303)
    expect(await count()).toBe(before + 1)
    expect((await post(`${path}/busy/${await idIn(/busy\/([0-9a-f-]{36})\/remove/)}/remove`)).status).toBe(
      303,
    )
  })

  test('refuses an address where no server answers, and says which one was asked', async () => {
    const sent = async (url: string) => post(newBusy, { ...(await hidden(newBusy)), staff_id: anna, url })
    const port = await freePort()
    const refused = await sent(`http://127.0.0.1:${port}/anna.ics`)
    expect(refused.status).toBe(422)
    expect(refused.body).toContain(
      `id="url-fault">The server refused the connection. Requested from http://127.0.0.1:${port}.`,
    )
    expect((await sent(`webcal://127.0.0.1:${port}/anna.ics`)).body).toContain(
      `Requested from https://127.0.0.1:${port}.`,
    )
    const unknown = await sent('https://calendar.invalid/anna.ics')
    expect(unknown.body).toContain('id="url-fault">The name of the server is unknown.')
    for (const url of ['127.0.0.1:4513/x', 'localhost:4513/x', 'calendar.example/x']) {
      expect((await sent(url)).body).toContain('id="url-fault">This address is incomplete.')
    }
  })

  test('refuses the address that a person has already, beside the field', async () => {
    receiver.answer = (response) => response.end(emptyCalendar)
    const url = `${receiver.address}/secret-4711.ics` // as above
    const sent = async (who: string) => post(newBusy, { ...(await hidden(newBusy)), staff_id: who, url })
    const again = await sent(anna)
    expect(again.status).toBe(422)
    expect(again.body).toContain('id="url-fault">This person already has this calendar.')
    expect((await show(newBusy)).body).toMatch(/id="staff_id"\s+name="staff_id"\s+required/)
  })

  test('is asked for one at a time of a business, a few wait, and others hear that it is busy', async () => {
    const before = receiver.received.length
    const answers: (() => void)[] = []
    receiver.answer = (...given) => answers.push(() => status(404)(...given))
    let refusals = 0
    const looked = Array.from({ length: 20 }, async (_, index) => {
      const reply = await post(newBusy, { staff_id: anna, url: `${receiver.address}/many-${index}.ics` })
      if (reply.status === 503) refusals += 1
      return reply
    })
    await eventually('sixteen refusals', () => (refusals === 16 && answers.length === 1) || undefined)
    for (let asked = 1; asked < 4; asked += 1) {
      answers.shift()?.()
      await eventually('the next', () => receiver.received.length - before === 1 + asked || undefined)
      expect(answers).toHaveLength(1)
    }
    answers.shift()?.()
    const replies = await Promise.all(looked)
    expect(receiver.received.length - before).toBe(4)
    const refused = replies.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(16)
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1')
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(4)
  })

  test('asks for nothing that could not be added', async () => {
    const before = receiver.received.length
    const foreign = { staff_id: '93fa21da-6815-8fc2-b29b-fd569494e82e', url: `${receiver.address}/x.ics` }
    expect((await post(newBusy, foreign)).status).toBe(422)
    const known = { staff_id: anna, url: `${receiver.address}/secret-4711.ics` }
    expect((await post(newBusy, known)).status).toBe(422)
    expect(receiver.received.length).toBe(before)
  })

  test('tells when a busy calendar was last read, how long ago, and why not since', async () => {
    const id = await idIn(/busy\/([0-9a-f-]{36})\/remove/)
    const reader = openReader(service.context, '0')
    receiver.answer = (response) => response.end(busyCalendar)
    await fetchBusyCalendar(service.context, operator, { id, reader })
    service.clock.advance(20 * 60)
    receiver.answer = status(404)
    await fetchBusyCalendar(service.context, operator, { id, reader })
    await reader.close()
    expect(textOf(await show())).toMatch(
      /last read Fri,? 20 Nov 2026, \d\d:\d\d \(20 minutes ago\) The server responded with 404\. The address may no longer be valid\. The times read before still count\./,
    )
    for (const view of ['day', 'list'])
      expect(textOf(await show(`/console?view=${view}&date=2026-11-23`))).toMatch(
        /Busy elsewhere \([\w.:]+, 20 minutes ago\)/,
      )
    expect(textOf(await show(path, manager, { 'accept-language': 'de' }))).toMatch(
      /\(vor 20 Minuten\) Der Server antwortete mit 404\. Die Adresse gilt vielleicht nicht mehr\./,
    )
  })

  test('refuses a sixth calendar of a person, and removes one in its own business alone', async () => {
    const body = { staff_id: anna, url: `${receiver.address}/more.ics` }
    receiver.answer = (response) => response.end(emptyCalendar)
    for (let added = 1; added < 5; added += 1) await manager.call('POST', '/busy-calendars', body)
    body.url += '?sixth'
    const asked = receiver.received.length
    const refused = await post(newBusy, body)
    expect(refused.status).toBe(409)
    expect(receiver.received.length).toBe(asked)
    expect(textOf(refused)).toContain('This person already has 5 calendars. Remove one first.')
    expect(refused.body).toContain(`value="${body.url}"`)
    const remove = `${path}/busy/${await idIn(/busy\/([0-9a-f-]{36})\/remove/)}/remove`
    expect((await post(remove, {}, other)).status).toBe(404)
    expect(textOf(await show(path, other))).toContain('No calendars yet')
    const location = `${path}?done=busyRemoved`
    expect(await post(remove)).toMatchObject({ status: 303, headers: { location } })
    expect(String((await show()).body).match(/busy\/[0-9a-f-]{36}\/remove/g)).toHaveLength(4)
  })
})

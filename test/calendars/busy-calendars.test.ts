import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import { fetchBusyCalendar, readOldestCopy } from '../../src/calendars/busy-calendar.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { DueCalendars, fetchDue } from '../support/busy-calendars.ts'
import { eventually } from '../support/eventually.ts'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { longTest, onOneEngine } from '../support/long.ts'
import { logInNewPerson } from '../support/person.ts'
import {
  makeBusiness,
  makeLocation,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { calendar, event } from './calendar-files.ts'
import { endless, hostile } from './hostile-files.ts'

interface Shown {
  id: string
  host: string
  last_fetched_at: string | null
  last_error: string | null
  busy_until: string | null
}

/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const at = (time: string) => `${day}T${time}:00Z`
const written = (time: string) => at(time).replaceAll(/[-:]/g, '')
const appointment = (from: string, to: string, uid = from, ...lines: string[]) =>
  event(`UID:${uid}`, `DTSTART:${written(from)}`, `DTEND:${written(to)}`, ...lines)

onOneEngine('sqlite', 'busy calendars', (engine) => {
  let service: TestService
  let receiver: Receiver
  let reader: CalendarReader
  beforeAll(async () => {
    service = await startTestService(engine)
    receiver = await startReceiver()
    reader = openReader(service.context, '0')
  })
  afterAll(async () => {
    await reader.close()
    await Promise.all([service.stop(), receiver.stop()])
  })

  let business: OwnBusiness
  let client: Client
  let offer: Offer & { staff_id: string }
  beforeEach(async () => {
    business = await makeBusiness(service)
    const location = await makeLocation(service, business.id, { name: 'Mitte' })
    const [anna = ''] = await makeStaff(service, business.id, ['Anna'])
    const service_id = await makeService(service, business.id, {
      ...{ name: 'Haircut', minutes: 60, staffIds: [anna], locationIds: [location] },
    })
    offer = { service_id, location_id: location, staff_id: anna }
    client = clientOf(service, business.key)
  })

  const serve = (text: string, headers: Record<string, string> = {}) => {
    receiver.answer = (response) => response.writeHead(200, headers).end(text)
  }

  /** Serves a calendar at once, except for those named slow. Their answers wait in the returned list. */
  const answerSlowOnesLater = () => {
    const waiting: (() => void)[] = []
    receiver.answer = (response, { path }) => {
      const answer = () => response.writeHead(200).end(calendar(appointment('10:00', '11:00')))
      if (path.startsWith('/slow')) waiting.push(answer)
      else answer()
    }
    return waiting
  }

  async function add(): Promise<Shown> {
    const body = { staff_id: offer.staff_id, url: `${receiver.address}/secret-path.ics` }
    const reply = await service.call('POST', '/busy-calendars', { token: business.key, body })
    expect(reply.status).toBe(201)
    return reply.body
  }

  const fetchNow = (id: string) => fetchBusyCalendar(service.context, operator, { id, reader })

  async function listed(): Promise<Shown[]> {
    const { body } = await service.call('GET', '/busy-calendars', { token: business.key })
    return body.data
  }

  async function reasonAt(time: string, token = business.key): Promise<unknown> {
    const query = new URLSearchParams({ ...offer, starts_at: at(time) })
    return (await service.call('GET', `/availability/explain?${query.toString()}`, { token })).body.reason
  }

  const session = async () =>
    String((await service.call('POST', '/session', { token: business.publishableKey })).body['session_token'])

  async function expectColleagueSeesOnly(reason: string) {
    const token = business.key
    const { body } = await service.call('POST', '/staff', { token, body: { name: 'Ben' } })
    const place = { businessId: business.id }
    const ben = await logInNewPerson(service, {
      ...{ email: 'ben@example.com', role: 'staff', place, staffId: String(body['id']) },
    })
    const query = new URLSearchParams({ ...offer, starts_at: at('11:00') }).toString()
    expect((await ben.call('GET', `/availability/explain?${query}`)).body).toMatchObject({ reason })
    const seen = await ben.call('GET', `/calendar?from=${day}&to=${day}`)
    const [block] = seen.body.blocks as object[]
    expect(block).toMatchObject({ staff_id: offer.staff_id, reason: null })
    expect(block).not.toHaveProperty('busy_elsewhere')
  }

  test('keep a person busy, without saying where or why', async () => {
    const { id, ...added } = await add()
    expect(added).toEqual({
      ...{ business_id: business.id, staff_id: offer.staff_id, host: new URL(receiver.address).host },
      ...{ last_fetched_at: null, last_error: null, busy_until: null, created_at: expect.any(String) },
    })
    serve(
      calendar(appointment('10:00', '11:00'), appointment('10:30', '11:30'), appointment('14:00', '15:00')),
    )
    await fetchNow(id)
    const [shown] = await listed()
    expect(shown).toMatchObject({ id, last_error: null, last_fetched_at: expect.any(String) })
    expect(JSON.stringify(shown)).not.toContain('secret-path')

    expect(await reasonAt('11:00')).toBe('busy_elsewhere')
    const token = await session()
    expect(await reasonAt('11:00', token)).toBe('blocked')
    expect(await reasonAt('12:00')).toBeNull()
    const refused = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer, starts_at: at('14:30') },
    })
    expect(refused.body).toMatchObject({ code: 'slot_not_offered', reason: 'blocked' })

    const blocks = await service.call('GET', `/blocks?staff_id=${offer.staff_id}`, { token: business.key })
    expect(blocks.body.data).toEqual([])
    const seen = await service.call('GET', `/calendar?from=${day}&to=${day}`, { token: business.key })
    const times = seen.body['blocks'] as { id: string }[]
    expect(times).toHaveLength(2)
    expect(times[0]).toMatchObject({ busy_elsewhere: true, reason: null, staff_id: offer.staff_id })
    await expectColleagueSeesOnly('blocked')
    const blockId = times[0]?.id ?? ''
    for (const method of ['GET', 'DELETE'] as const)
      expectProblem(await service.call(method, `/blocks/${blockId}`, { token: business.key }), 'not_found')

    const deleted = await service.call('DELETE', `/busy-calendars/${id}`, { token: business.key })
    expect(deleted.status).toBe(204)
    expect(await reasonAt('11:00')).toBeNull()
    expect(await listed()).toEqual([])
  })

  test('a block made by hand is told before them', async () => {
    const { id } = await add()
    serve(calendar(appointment('10:00', '11:00')))
    await fetchNow(id)
    const body = { staff_id: offer.staff_id, starts_at: at('10:00'), ends_at: at('11:00') }
    expect((await service.call('POST', '/blocks', { token: business.key, body })).status).toBe(201)
    expect(await reasonAt('10:00')).toBe('blocked')
  })

  test('follow their file, and write only what has changed', async () => {
    const { id } = await add()
    const idsOf = async () => {
      const seen = await service.call('GET', `/calendar?from=${day}&to=${day}`, { token: business.key })
      return (seen.body['blocks'] as { id: string }[]).map((block) => block.id)
    }
    serve(calendar(appointment('10:00', '11:00'), appointment('14:00', '15:00')))
    await fetchNow(id)
    const [, second] = await idsOf()
    serve(calendar(appointment('08:00', '09:00'), appointment('14:00', '15:00')))
    await fetchNow(id)
    expect(await reasonAt('10:00')).toBeNull()
    expect(await reasonAt('08:00')).toBe('busy_elsewhere')
    expect((await idsOf())[1]).toBe(second)
  })

  test('stay as they are when a fetch fails or nothing is new', async () => {
    const { id } = await add()
    serve(calendar(appointment('10:00', '11:00')), { etag: '"7"' })
    await fetchNow(id)
    receiver.answer = status(304)
    await fetchNow(id)
    expect(receiver.received.at(-1)?.headers).toMatchObject({ 'if-none-match': '"7"' })
    expect((await listed())[0]?.last_error).toBeNull()
    receiver.answer = status(404)
    await fetchNow(id)
    expect((await listed())[0]?.last_error).toBe(
      'The server answered 404: the address may not be valid any more.',
    )
    serve('<!doctype html>')
    await fetchNow(id)
    expect((await listed())[0]?.last_error).toBe('What is at the address is not a calendar (iCalendar).')
    expect(await reasonAt('10:00')).toBe('busy_elsewhere')
    expect(await readOldestCopy(service.context)).toBeGreaterThanOrEqual(0)
  })

  longTest('say in one sentence why a file was refused, and keep the copy', async () => {
    const { id } = await add()
    serve(calendar(appointment('10:00', '11:00')))
    await fetchNow(id)
    const said = new Map<string, string | null>()
    for (const [name, [answer]] of Object.entries(hostile)) {
      receiver.answer = answer
      await fetchNow(id)
      said.set(name, (await listed())[0]?.last_error ?? null)
    }
    for (const [name, sentence] of said) expect(sentence, name).toMatch(/^[A-Z][^.]*\.$/)
    expect(said.get('a rule with a typing error')).toBe(
      'The calendar has a rule of recurrence that cannot be read: RRULE:FREQ=WEKLY;BYDAY=MO (2026-11-04 10:00).',
    )
    expect(said.get('half a calendar')).toBe('The file of the calendar ends in the middle.')
    expect(await reasonAt('10:00')).toBe('busy_elsewhere')
  })

  test('leave out the bookings of the same business, and no others', async () => {
    const { id } = await add()
    const booking = await bookSlot(client, offer, at('10:00'))
    await service.call('DELETE', `/bookings/${booking.id}`, { token: business.key })
    const foreign = '01a1fa68-2f92-7c47-9d10-5e8a6b3c4f20'
    serve(
      calendar(
        appointment('10:00', '11:00', `${booking.id}@holdfast`),
        appointment('12:00', '13:00', `${foreign}@holdfast`),
      ),
    )
    await fetchNow(id)
    expect(await reasonAt('10:00')).toBeNull()
    expect(await reasonAt('12:00')).toBe('busy_elsewhere')
  })

  test('are fetched by one server at a time, when they are due', async () => {
    await add()
    serve(calendar(appointment('10:00', '11:00')))
    const before = receiver.received.length
    const readers = [reader, openReader(service.context, '0')]
    await Promise.all(readers.map((one) => fetchDue(service.context, one)))
    await readers[1]?.close()
    expect(receiver.received.slice(before).filter(({ path }) => path === '/secret-path.ics')).toHaveLength(1)
    await fetchDue(service.context, reader)
    expect(receiver.received.length).toBe(before + 1)
    expect(await reasonAt('10:00')).toBe('busy_elsewhere')
  })

  test('are not fetched while their person is inactive, and then do not count as old', async () => {
    const { id } = await add()
    serve(calendar(appointment('10:00', '11:00')))
    const setActive = (active: boolean) =>
      service.call('PATCH', `/staff/${offer.staff_id}`, { token: business.key, body: { active } })
    expect((await setActive(false)).status).toBe(200)
    const fetches = async () => {
      const before = receiver.received.length
      await fetchDue(service.context, reader)
      return receiver.received.length - before
    }
    expect(await fetches()).toBe(0)
    service.clock.advance(90 * 60)
    await fetchDue(service.context, reader)
    expect(await readOldestCopy(service.context)).toBeLessThan(90 * 60)
    expect(await listed()).toMatchObject([{ id, last_fetched_at: null }])
    await setActive(true)
    expect(await readOldestCopy(service.context)).toBeGreaterThanOrEqual(90 * 60)
    expect(await fetches()).toBeGreaterThan(0)
    expect(await readOldestCopy(service.context)).toBeLessThan(90 * 60)
    expect(await reasonAt('10:00')).toBe('busy_elsewhere')
  })

  longTest('are read again after six hours where the reading had to be cut', async () => {
    await add()
    serve(Object.values(endless)[0] ?? '')
    await fetchDue(service.context, reader)
    const [shown] = await listed()
    expect(shown?.last_error).toBe('Reading the calendar takes longer than 2 seconds.')
    serve(calendar())
    service.clock.advance(5 * 3_600)
    await fetchDue(service.context, reader)
    expect(await listed()).toMatchObject([{ last_fetched_at: null }])
    service.clock.advance(3_600)
    await fetchDue(service.context, reader)
    expect(await listed()).toMatchObject([{ last_error: null, last_fetched_at: expect.any(String) }])
  })

  test('the age of the oldest copy is a metric', async () => {
    await add()
    serve(calendar())
    await fetchDue(service.context, reader)
    service.clock.advance(30 * 60)
    const { body } = await service.call('GET', '//metrics')
    const value = /^holdfast_busy_calendars_oldest_seconds (\d+)/m.exec(String(body))?.[1]
    expect(Number(value)).toBeGreaterThanOrEqual(30 * 60)
    expect(Number(value)).toBeLessThan(31 * 60)
  })

  test('a person has five at most', async () => {
    for (let count = 0; count < 5; count += 1) await add()
    const body = { staff_id: offer.staff_id, url: 'webcal://calendar.example.com/anna.ics' }
    const add6 = () => service.call('POST', '/busy-calendars', { token: business.key, body })
    expectProblem(await add6(), 'calendar_limit_reached')
    const [last] = await listed()
    await service.call('DELETE', `/busy-calendars/${last?.id ?? ''}`, { token: business.key })
    expect((await add6()).body).toMatchObject({ host: 'calendar.example.com' })
    for (const { id } of await listed())
      await service.call('DELETE', `/busy-calendars/${id}`, { token: business.key })
  })

  test('addresses that are none are refused', async () => {
    for (const url of [
      'calendar',
      'ftp://calendar.example.com/a.ics',
      'https://me:secret@example.com/a.ics',
    ]) {
      const body = { staff_id: offer.staff_id, url }
      const reply = await service.call('POST', '/busy-calendars', { token: business.key, body })
      expect(reply.body).toMatchObject({ code: 'validation_failed' })
      if (url.startsWith('ftp:')) expect(reply.body.detail).toContain('such as https://calendar.example.com/')
    }
  })

  longTest(
    'of a business whose servers hang delay no other business, and take two calls, of two people',
    async () => {
      const slow = await makeBusiness(service)
      const slowStaff = await makeStaff(service, slow.id, ['Dora', 'Emil', 'Finn'])
      for (const staff_id of slowStaff)
        for (const name of ['one', 'two', 'three', 'four']) {
          const body = { staff_id, url: `${receiver.address}/slow-${name}-${staff_id}.ics` }
          expect((await service.call('POST', '/busy-calendars', { token: slow.key, body })).status).toBe(201)
        }
      service.clock.advance(60) // the slow ones have been due for longer
      await add()
      const waiting = answerSlowOnesLater()
      const due = new DueCalendars(service.context, reader)
      let ended = false
      const fetching = due.fetch().finally(() => (ended = true))
      await eventually('the other calendar', async () =>
        (await reasonAt('10:00')) === 'busy_elsewhere' ? true : undefined,
      )
      await eventually('those of two people', () => (waiting.length === 2 ? true : undefined))

      // calendars that become due in the meantime do not wait for the slow ones
      service.clock.advance(16 * 60)
      const fetches = () => receiver.received.filter(({ path }) => path === '/secret-path.ics').length
      const before = fetches()
      const again = due.fetch()
      await eventually('its next copy', () => (fetches() > before ? true : undefined))
      expect([ended, waiting.length]).toEqual([false, 2])
      const answering = setInterval(() => waiting.shift()?.(), 1)
      await Promise.all([fetching, again])
      clearInterval(answering)
    },
  )

  test('of a hub whose servers all hang take half of what is fetched at once', async () => {
    const hub = await createHub(service.context, { name: 'Slow', plan: 'enterprise' })
    for (let index = 0; index < 6; index += 1) {
      const slow = await makeBusiness(service, { hubId: hub.id })
      const [staff_id] = await makeStaff(service, slow.id, ['Dora'])
      const body = { staff_id, url: `${receiver.address}/slow-${index}.ics` }
      expect((await service.call('POST', '/busy-calendars', { token: slow.key, body })).status).toBe(201)
    }
    service.clock.advance(60)
    await add()
    const waiting = answerSlowOnesLater()
    const fetching = new DueCalendars(service.context, reader).fetch()
    await eventually('the other calendar', async () =>
      (await reasonAt('10:00')) === 'busy_elsewhere' ? true : undefined,
    )
    await eventually('those of the hub', () => (waiting.length === 4 ? true : undefined))
    const answering = setInterval(() => waiting.shift()?.(), 1)
    await fetching
    clearInterval(answering)
  })

  test('that are large are looked at no oftener than they can be loaded', async () => {
    const span = { fromMs: 0, toMs: 1, timezone: 'UTC' }
    const look = (id = business.id) => reader.look(id, `${receiver.address}/large.ics`, span)
    receiver.answer = (response) => response.writeHead(200).end('x'.repeat(600_000))
    expect(await look()).toMatchObject({ problem: 'not_a_calendar' })
    await expect(look()).rejects.toMatchObject({ code: 'unavailable' })
    expect(await look('another')).toMatchObject({ problem: 'not_a_calendar' })
    receiver.answer = (response) => response.writeHead(200).end(calendar())
    await eventually('the end of the rest', () => look().catch(() => undefined))
  })

  longTest('that fail are tried again after as long as they have failed, within an hour', async () => {
    const path = `/failing-${offer.staff_id}.ics`
    const body = { staff_id: offer.staff_id, url: `${receiver.address}${path}` }
    expect((await service.call('POST', '/busy-calendars', { token: business.key, body })).status).toBe(201)
    receiver.answer = status(503)
    const fetches = () => receiver.received.filter((got) => got.path === path).length
    const minutes: number[] = []
    for (let minute = 0, last = fetches(); minute <= 240; minute += 5) {
      await fetchDue(service.context, reader)
      if (fetches() > last) minutes.push(minute)
      last = fetches()
      service.clock.advance(5 * 60)
    }
    expect(minutes).toEqual([0, 15, 30, 60, 120, 180, 240])
    serve(calendar())
    await fetchDue(service.context, reader)
    service.clock.advance(60 * 60)
    await fetchDue(service.context, reader)
    expect(await listed()).toMatchObject([{ last_error: null }])
  })
})

test('production wants https, also in a network that WEBHOOK_ALLOW_CIDR opens', async () => {
  const variables = { NODE_ENV: 'production', WEBHOOK_ALLOW_CIDR: '10.0.0.0/8' }
  const service = await startTestService('sqlite', variables)
  const business = await makeBusiness(service)
  const [staff_id] = await makeStaff(service, business.id, ['Anna'])
  const statusOf = async (url: string) =>
    (await service.call('POST', '/busy-calendars', { token: business.key, body: { staff_id, url } })).status
  expect(await statusOf('http://10.0.0.5/anna.ics')).toBe(422)
  expect(await statusOf('https://127.0.0.1/anna.ics')).toBe(422)
  expect(await statusOf('https://10.0.0.5/anna.ics')).toBe(201)
  expect(await statusOf('webcal://10.0.0.5/bob.ics')).toBe(201)
  await service.stop()
})

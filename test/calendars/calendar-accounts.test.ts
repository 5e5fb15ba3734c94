import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { FetchFailed } from '../../src/calendars/calendar-http.ts'
import {
  type CalendarWorld,
  type FailingProxy,
  makeCalendarWorld,
  startFailingProxy,
} from '../support/calendar-world.ts'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import { logInNewPerson } from '../support/person.ts'
import { type Radicale, radicaleProgram, startRadicale } from '../support/radicale.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const program = radicaleProgram()

/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const written = (time: string) => `${day}T${time}:00Z`.replaceAll(/[-:]/g, '')
const from = (time: string) => `DTSTART:${written(time)}`
const span = (time: string, until: string) => [from(time), `DTEND:${written(until)}`]

/** 5 MB that some readers of XML take minutes for. */
const manyAttributes = Array.from({ length: 380_000 }, (_, index) => `a${index}=""`).join(' ')

onOneEngine('sqlite', 'calendar accounts', (engine) => {
  describe.skipIf(program === undefined)('at a real CalDAV server', () => {
    let service: TestService
    let radicale: Radicale
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    beforeAll(async () => {
      service = await startTestService(engine, { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' })
      radicale = await startRadicale(program ?? '')
      proxy = await startFailingProxy(radicale.url)
      reader = openReader(service.context, '0')
      writer = new CalendarWriter(service.context, reader)
      await service.app.calendarWrites.stop() // only the tests write
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), radicale.stop()])
    })

    let world: CalendarWorld
    let client: Client
    beforeEach(async () => {
      proxy.answer = undefined
      proxy.loses = () => false
      proxy.requests.length = 0
      world = await makeCalendarWorld(service, { radicale, proxy, reader, writer })
      client = clientOf(service, world.business.key)
    })

    /** Connects an account that reads and writes the calendar "Work". */
    async function connected(): Promise<string> {
      const id = await world.connect()
      expect(await world.change(id, { keeps_busy: [world.work], writes_to: world.work })).toMatchObject({
        status: 200,
        body: { keeps_busy: [world.work], writes_to: world.work },
      })
      return id
    }

    const book = async (time: string) => {
      const { id } = await bookSlot(client, world.offer, `${day}T${time}:00Z`)
      return String(id)
    }

    test('lists the calendars, reads the chosen ones and follows changes', async () => {
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.put(world.home, 'party', ...span('14:00', '15:00'))
      const id = await world.connect()
      await world.read()
      const account = await world.account()
      expect(account).toMatchObject({
        ...{ id, kind: 'caldav', host: new URL(proxy.url).host, user_name: world.user, waiting: 0 },
        ...{ writes_to: null, last_error: null, last_write_error: null },
      })
      expect(account['calendars']).toEqual(
        expect.arrayContaining([
          { calendar: world.work, name: 'Work', writable: true },
          { calendar: world.home, name: 'Home', writable: true },
        ]),
      )
      expect(JSON.stringify([account, service.logLines])).not.toContain('secret')
      expect(JSON.stringify(await service.rows('calendar_accounts'))).not.toContain('secret"')
      await world.change(id, { keeps_busy: [world.work] })
      await world.read()
      expect(await world.busy()).toEqual(['10:00'])
      await world.put(world.work, 'dentist', ...span('12:00', '13:00'))
      await world.read()
      expect(await world.busy()).toEqual(['12:00'])
      await world.change(id, { keeps_busy: [world.work, world.home] })
      await world.read()
      expect(await world.busy()).toEqual(['12:00', '14:00'])
      await world.remove(world.work, 'dentist')
      await world.read()
      expect(await world.busy()).toEqual(['14:00'])
      const { status } = await service.call('DELETE', `/calendar-accounts/${id}`, {
        token: world.business.key,
      })
      expect(status).toBe(204)
      expect(await world.busy()).toEqual([])
    })

    test('asks only for the state of a calendar that has not changed', async () => {
      await connected()
      await world.read()
      proxy.requests.length = 0
      await world.read()
      expect(proxy.requests).toEqual([`PROPFIND ${new URL(world.work).pathname}`])
    })

    test('sends the password to no other site', async () => {
      await connected()
      const other = await startFailingProxy(radicale.url)
      let authorization: string | undefined = 'not asked'
      other.answer = ({ headers }, response) => {
        ;({ authorization } = headers)
        response.writeHead(401).end()
      }
      proxy.answer = (_request, response) => response.writeHead(302, { location: other.url }).end()
      await world.read()
      await other.stop()
      expect(authorization).toBeUndefined()
      expect(await world.account()).toMatchObject({ last_error: expect.stringContaining('refuses') })
    })

    test('waits as long as a busy server asks for, and one refused event stops no other', async () => {
      await connected()
      await book('10:00')
      proxy.answer = (_request, response) => response.writeHead(429, { 'retry-after': '600' }).end()
      await writer.settled()
      expect(await world.account()).toMatchObject({
        ...{ waiting: 1, last_write_error: expect.stringContaining('429') },
      })
      proxy.answer = undefined
      service.clock.advance(500)
      await writer.settled()
      expect(await world.events(world.work)).toEqual([])
      service.clock.advance(101)
      await writer.settled()
      expect(await world.events(world.work)).toContain(from('10:00'))
      const refused = await book('12:00')
      await book('13:00')
      proxy.answer = undefined
      const { pathname } = new URL(`${refused}.ics`, world.work)
      const before = proxy.loses
      proxy.loses = (request) => {
        if (request.url === pathname) request.headers['content-type'] = 'text/plain'
        return before(request)
      }
      await world.write()
      expect(await world.events(world.work)).toContain(from('13:00'))
    })

    test('notifies the owners and the person at once of a refused password, keeps the last copy and the queue', async () => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      const place = { businessId: world.business.id }
      const email = (who: string) => `${who}-${world.user}-${engine}@example.com`
      const owner = await logInNewPerson(service, { email: email('owner'), role: 'owner', place })
      const { staff_id: staffId } = world.offer
      const anna = await logInNewPerson(service, { email: email('anna'), role: 'staff', place, staffId })
      radicale.setPassword('another')
      try {
        await book('12:00')
        await world.write()
        await world.read()
        expect(await world.account()).toMatchObject({
          ...{ waiting: 1, last_error: expect.stringContaining('refuses') },
          last_write_error: expect.stringContaining('refuses'),
        })
        const mails = (await service.rows('calendar_mails')).filter(
          (row) => row['business_id'] === world.business.id,
        )
        expect(mails.map(({ to_email }) => to_email).toSorted()).toEqual([owner.email, anna.email].toSorted())
        expect(await world.busy()).toEqual(['10:00'])
        const page = await owner.call('GET', '//console/bookings')
        expect(String(page.body)).toContain('calendar account no longer works')
        await expect(world.connect('secret')).rejects.toBeInstanceOf(FetchFailed)
        await world.connect('another')
        await world.read()
        await world.write()
        expect(await world.account()).toMatchObject({ waiting: 0, last_error: null, last_write_error: null })
        expect(await radicaleEvents()).toContain(from('12:00'))
        expect(String((await owner.call('GET', '//console/bookings')).body)).not.toContain('no longer works')
      } finally {
        radicale.setPassword('secret')
      }
    })

    const radicaleEvents = () => world.events(world.work)

    test.each([
      ['an XML bomb', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
      ['no XML', 'hello'],
      ['another document', '<html/>'],
      ['deep XML', '<a>'.repeat(100_000)],
      ['countless attributes', `<a ${manyAttributes}/>`],
      ['entities without end', `<a>${'&amp;'.repeat(900_000)}</a>`],
      ['too much', `<a>${' '.repeat(5_000_001)}</a>`],
    ])('keeps the last copy when a server answers with %s', async (_what, body) => {
      await connected()
      await world.put(world.work, 'dentist', ...span('10:00', '11:00'))
      await world.read()
      await world.put(world.work, 'other', ...span('12:00', '13:00'))
      proxy.answer = (_request, response) => response.writeHead(207).end(body)
      const cpu = process.threadCpuUsage()
      await world.read()
      expect(process.threadCpuUsage(cpu).user).toBeLessThan(1_000_000)
      expect(await world.account()).toMatchObject({ last_error: expect.stringMatching(/read|5 MB/) })
      expect(await world.busy()).toEqual(['10:00'])
      proxy.answer = undefined
      await world.read()
      expect(await world.busy()).toEqual(['10:00', '12:00'])
    })
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operator } from '../../src/access/actor.ts'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { connectCalendarAccount } from '../../src/calendars/calendar-account.ts'
import { fetchDue } from '../support/busy-calendars.ts'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { type Radicale, radicaleProgram, startRadicale } from '../support/radicale.ts'
import { onEachEngine, startTestService, type TestService } from '../support/test-service.ts'
import { calendar, event } from './calendar-files.ts'

const program = radicaleProgram()

/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const written = (time: string) => `${day}T${time}:00Z`.replaceAll(/[-:]/g, '')

onEachEngine('calendar accounts', (engine) => {
  describe.skipIf(program === undefined)('at a real CalDAV server', () => {
    let service: TestService
    let radicale: Radicale
    let reader: CalendarReader
    let users = 0
    beforeAll(async () => {
      service = await startTestService(engine)
      radicale = await startRadicale(program ?? '')
      reader = openReader(service.context, '0')
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), radicale.stop()])
    })

    let business: OwnBusiness
    let client: Client
    let offer: { service_id: string; location_id: string; staff_id: string }
    let user: string
    let work: string
    let home: string
    beforeEach(async () => {
      business = await makeBusiness(service)
      const location = await makeLocation(service, business.id, { name: 'Mitte' })
      const [anna = ''] = await makeStaff(service, business.id, ['Anna'])
      const service_id = await makeService(service, business.id, {
        ...{ name: 'Haircut', minutes: 60, staffIds: [anna], locationIds: [location] },
      })
      offer = { service_id, location_id: location, staff_id: anna }
      client = clientOf(service, business.key)
      users += 1
      user = `user${users}`
      work = await radicale.makeCalendar(user, 'Work')
      home = await radicale.makeCalendar(user, 'Home')
    })

    const connect = (password = 'secret') =>
      connectCalendarAccount(
        service.context,
        { ...operator, scope: { businessId: business.id } },
        { staff_id: offer.staff_id, url: radicale.url, user_name: user, password },
        reader,
      )
    const put = (address: string, name: string, ...lines: string[]) =>
      radicale.call(user, 'PUT', `${address}${name}.ics`, {
        body: calendar(event(`UID:${name}`, ...lines)),
        headers: { 'content-type': 'text/calendar' },
      })
    const change = (id: string, body: object) =>
      service.call('PATCH', `/calendar-accounts/${id}`, { token: business.key, body })
    const events = async (address: string) => {
      const { text } = await radicale.call(user, 'GET', address)
      return text.replaceAll(/\r?\n[ \t]/g, '').match(/^(?:DTSTART|SUMMARY|DESCRIPTION|UID).*$/gm) ?? []
    }
    const write = () => service.app.calendarWrites.settled()
    const makeRead = (minutes = 2) =>
      service.context.db
        .transaction((tx) =>
          tx.db
            .updateTable('busy_calendars')
            .set({ next_fetch_at: tx.now })
            .where('business_id', '=', business.id)
            .execute(),
        )
        .then(() => void minutes)
    const read = async () => {
      await makeRead()
      await fetchDue(service.context, reader)
    }
    const offered = async () => {
      const query = new URLSearchParams({ ...offer, from: day, to: day })
      const { body } = await service.call('GET', `/availability?${query}`, { token: business.key })
      return JSON.stringify(body)
    }

    test('lists the calendars, reads the chosen ones and follows changes', async () => {
      await put(work, 'dentist', `DTSTART:${written('10:00')}`, `DTEND:${written('11:00')}`)
      await put(home, 'party', `DTSTART:${written('14:00')}`, `DTEND:${written('15:00')}`)
      const { id } = await connect()
      await read()
      const { body } = await service.call('GET', '/calendar-accounts', { token: business.key })
      expect(body.data).toMatchObject([
        {
          ...{ id, kind: 'caldav', host: new URL(radicale.url).host, user_name: user, waiting: 0 },
          ...{ writes_to: null, last_error: null, last_write_error: null },
        },
      ])
      expect(body.data[0].calendars.map(({ name }: { name: string }) => name).toSorted()).toEqual([
        'Home',
        'Work',
      ])
      expect(JSON.stringify(body)).not.toContain('secret')
      await change(id, { keeps_busy: [work] })
      await read()
      const spans = async () => {
        const rows = await service.rows('blocks')
        return rows
          .filter(({ business_id }) => business_id === business.id)
          .map(({ starts_at }) => new Date(String(starts_at)).toISOString().slice(11, 16))
      }
      expect(await spans()).toEqual(['10:00'])
      await put(work, 'dentist', `DTSTART:${written('12:00')}`, `DTEND:${written('13:00')}`)
      await read()
      expect(await spans()).toEqual(['12:00'])
      await change(id, { keeps_busy: [work, home] })
      await read()
      expect((await spans()).toSorted()).toEqual(['12:00', '14:00'])
      await radicale.call(user, 'DELETE', `${work}dentist.ics`)
      await read()
      expect(await spans()).toEqual(['14:00'])
      expect(await service.call('DELETE', `/calendar-accounts/${id}`, { token: business.key })).toMatchObject(
        {
          status: 204,
        },
      )
      expect(await spans()).toEqual([])
      expect(await offered()).toContain('T14:00')
    })

    test('writes bookings, moves and removes them, and never counts them as busy', async () => {
      const { id } = await connect()
      await change(id, { keeps_busy: [work], writes_to: work })
      const { id: booking } = await bookSlot(client, offer, `${day}T10:00:00Z`)
      await write()
      expect(await events(work)).toEqual(
        expect.arrayContaining([
          `DTSTART:${written('10:00')}`,
          expect.stringContaining('SUMMARY:Haircut – Ada'),
        ]),
      )
      await read()
      expect(await service.rows('blocks')).toEqual([])
      await client.change(booking, { starts_at: `${day}T12:00:00Z` })
      await write()
      expect(await events(work)).toContain(`DTSTART:${written('12:00')}`)
      await client.cancel(booking)
      await write()
      expect(await events(work)).toEqual([])
    })
  })
})

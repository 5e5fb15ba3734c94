import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openReader } from '../../src/calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../../src/calendars/busy-file.ts'
import { CalendarWriter } from '../../src/calendars/calendar-writer.ts'
import { type AccountKind, accountKinds, type AccountWorld } from '../support/account-kinds.ts'
import { type FailingProxy, startFailingProxy } from '../support/calendar-world.ts'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import { makeService, makeStaff } from '../support/offers.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

/** A Tuesday some weeks ahead. */
const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const written = (time: string) => `${day}T${time}:00Z`.replaceAll(/[-:]/g, '')
const from = (time: string) => `DTSTART:${written(time)}`
const span = (time: string, until: string) => [from(time), `DTEND:${written(until)}`]

onOneEngine('sqlite', 'bookings in calendar accounts', (engine) => {
  describe.each(accountKinds)('at %s', (_name, start) => {
    let service: TestService
    let kind: AccountKind
    let proxy: FailingProxy
    let reader: CalendarReader
    let writer: CalendarWriter
    beforeAll(async () => {
      kind = await start()
      proxy = await startFailingProxy(kind.url)
      service = await startTestService(engine, kind.settings(proxy))
      reader = openReader(service.context, '0')
      writer = new CalendarWriter(service.context, reader)
      await service.app.calendarWrites.stop() // only the tests write
    })
    afterAll(async () => {
      await reader.close()
      await Promise.all([service.stop(), proxy.stop(), kind.stop()])
    })

    let world: AccountWorld
    let client: Client
    beforeEach(async () => {
      proxy.answer = undefined
      proxy.loses = () => false
      world = await kind.makeWorld(service, { proxy, reader, writer })
      client = clientOf(service, world.business.key)
    })

    /** Connects an account that reads and writes the calendar "Work". */
    async function connected(): Promise<string> {
      const id = await world.connect()
      const choice = { keeps_busy: [world.work], writes_to: world.work }
      expect(await world.change(id, choice)).toMatchObject({ status: 200, body: choice })
      return id
    }

    const book = async (time: string) => {
      const { id } = await bookSlot(client, world.offer, `${day}T${time}:00Z`)
      return String(id)
    }
    const isWrite = ({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>) =>
      ['PUT', 'POST'].includes(method) && url.startsWith(new URL(world.work).pathname)
    const waiting = async () => (await world.account())['waiting']
    const starts = async () =>
      (await world.events(world.work)).filter((line) => line.startsWith('DTSTART')).toSorted()

    test('writes bookings, moves and removes them, and never counts them as busy', async () => {
      await connected()
      const id = await book('10:00')
      await world.write()
      expect(await world.events(world.work)).toEqual(
        expect.arrayContaining([from('10:00'), expect.stringContaining('SUMMARY:Haircut – Ada')]),
      )
      await world.read()
      expect(await world.busy()).toEqual([])
      expect(await waiting()).toBe(0)
      await client.change(id, { starts_at: `${day}T12:00:00Z` })
      await client.change(id, { starts_at: `${day}T13:00:00Z` })
      await world.write()
      expect(await starts()).toEqual([from('13:00')])
      await client.cancel(id)
      await world.write()
      expect(await world.events(world.work)).toEqual([])
      expect(await service.rows('calendar_writes')).toEqual([])
    })

    test('writes one event for each service of the person in a visit', async () => {
      await connected()
      const [ben = ''] = await makeStaff(service, world.business.id, ['Ben'])
      const { location_id, service_id, staff_id } = world.offer
      const colour = await makeService(service, world.business.id, {
        ...{ name: 'Colour', minutes: 30, staffIds: [ben, staff_id], locationIds: [location_id] },
      })
      const visit = (last: string) => [
        { service_id, staff_id },
        { service_id: colour, staff_id: ben },
        { service_id: colour, staff_id: last },
      ]
      const held = await service.call('POST', '/bookings/hold', {
        token: world.business.key,
        body: { location_id, starts_at: `${day}T10:00:00Z`, items: visit(staff_id) },
      })
      expect(held.status).toBe(201)
      const booked = await client.book(String(held.body.hold_id))
      await world.write()
      expect(await starts()).toEqual([from('10:00'), from('11:30')])
      await world.read()
      expect(await world.busy()).toEqual([])
      await client.change(String(booked.body.id), { items: visit(ben) })
      await world.write()
      expect(await starts()).toEqual([from('10:00')])
    })

    test('puts back what somebody changes or deletes there, with a note, and the booking stays', async () => {
      await connected()
      const id = await book('10:00')
      await world.write()
      await world.read()
      await world.put(world.work, id, `UID:${id}@holdfast`, ...span('15:00', '16:00'))
      await world.read()
      expect(await waiting()).toBe(1)
      await world.write()
      expect(await world.events(world.work)).toEqual(
        expect.arrayContaining([from('10:00'), expect.stringMatching(/DESCRIPTION.*put back/s)]),
      )
      await world.remove(world.work, id)
      await world.read()
      await world.write()
      expect(await starts()).toEqual([from('10:00')])
      await world.read()
      expect(await waiting()).toBe(0)
      expect((await client.show(id)).body).toMatchObject({ status: 'confirmed' })
    })

    test('an update of an event that changed meanwhile replaces it', async () => {
      await connected()
      const id = await book('10:00')
      await world.write()
      await world.put(world.work, id, `UID:${id}@holdfast`, ...span('15:00', '16:00'))
      await client.change(id, { starts_at: `${day}T12:00:00Z` })
      await world.write()
      expect(await starts()).toEqual([from('12:00')])
      await world.remove(world.work, id)
      await client.change(id, { starts_at: `${day}T13:00:00Z` })
      await world.write()
      expect(await starts()).toEqual([from('13:00')])
    })

    test('writes nothing twice when answers are lost or the server stops before it stores the result', async () => {
      await connected()
      await book('10:00')
      let lost = 2
      proxy.loses = (request) => isWrite(request) && (lost -= 1) >= 0
      for (let round = 0; round < 3; round += 1) await world.write()
      expect(await waiting()).toBe(0)
      await service.context.db.transaction((tx) =>
        tx.db.updateTable('calendar_writes').set({ objects_json: '[]', due_at: tx.now }).execute(),
      )
      await world.write()
      expect(await starts()).toEqual([from('10:00')])
      await world.read()
      expect(await waiting()).toBe(0)
    })

    test('removes an event whose answer was lost when its booking is cancelled', async () => {
      await connected()
      const id = await book('10:00')
      proxy.loses = isWrite
      await world.write()
      expect(await starts()).toEqual([from('10:00')])
      proxy.loses = () => false
      await client.cancel(id)
      await world.write()
      expect(await world.events(world.work)).toEqual([])
    })

    test('moves upcoming bookings to another calendar and back, and takes them out if none is chosen', async () => {
      const id = await connected()
      await book('10:00')
      await world.write()
      await world.change(id, { writes_to: world.home })
      await world.write()
      expect(await starts()).toEqual([])
      expect(await world.events(world.home)).toContain(from('10:00'))
      await world.change(id, { writes_to: world.work })
      await world.write()
      expect(await starts()).toEqual([from('10:00')])
      expect(await world.events(world.home)).toEqual([])
      await world.change(id, { writes_to: null })
      await world.write()
      expect(await starts()).toEqual([])
      const unknown = 'https://example.com/x/'
      for (const body of [{ keeps_busy: [unknown] }, { writes_to: unknown }])
        expect(await world.change(id, body)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed' },
        })
    })

    test('a client who is erased leaves the calendar, too', async () => {
      await connected()
      await book('10:00')
      await world.write()
      expect((await world.events(world.work)).join()).toContain('Ada')
      const { status } = await service.call('POST', '/clients/erase', {
        token: world.business.key,
        body: { email: ada.email },
      })
      expect(status).toBe(200)
      await world.write()
      expect((await world.events(world.work)).join()).not.toContain('Ada')
    })
  })
})

import ICAL from 'ical.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, type Client, clientOf } from '../support/client.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import {
  makeBusiness,
  makeLocation,
  makeService,
  makeStaff,
  type Offer,
  type OwnBusiness,
} from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { changeRows, nextAddress, unknownId } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

interface Shown {
  uid: string
  sequence: number
  title: string
  startsAt: string
  endsAt: string
  description: string | null
  location: string | null
  status: string
}

/** Reads a feed like a calendar program. */
function readBack(text: string): { name: string; timezone: string; events: Shown[] } {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  const value = (component: ICAL.Component, name: string) => component.getFirstPropertyValue(name)
  return {
    name: String(value(calendar, 'x-wr-calname')),
    timezone: String(value(calendar, 'x-wr-timezone')),
    events: calendar.getAllSubcomponents('vevent').map((component) => {
      const event = new ICAL.Event(component)
      return {
        uid: event.uid,
        sequence: event.sequence,
        title: event.summary,
        startsAt: event.startDate.toJSDate().toISOString(),
        endsAt: event.endDate.toJSDate().toISOString(),
        description: value(component, 'description') as string | null,
        location: value(component, 'location') as string | null,
        status: String(value(component, 'status')),
      }
    }),
  }
}

onOneEngine('sqlite', 'feeds for calendar programs', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { PUBLIC_URL: 'https://booking.example.com' })
  })
  afterAll(() => service.stop())

  let business: OwnBusiness
  let client: Client
  let offer: Offer & { staff_id: string }
  let anna = ''
  let ben = ''
  let location = ''
  beforeEach(async () => {
    business = await makeBusiness(service)
    location = await makeLocation(service, business.id, { name: 'Mitte' })
    ;[anna = ''] = await makeStaff(service, business.id, ['Anna'])
    ;[ben = ''] = await makeStaff(service, business.id, ['Ben'])
    const service_id = await makeService(service, business.id, {
      ...{ name: 'Haircut; wash, cut', minutes: 60, staffIds: [anna, ben], locationIds: [location] },
    })
    offer = { service_id, location_id: location, staff_id: anna }
    client = clientOf(service, business.key)
  })

  interface Made {
    id: string
    url: string
    detail: string
  }

  async function make(body: object, token = business.key): Promise<Made> {
    const reply = await service.call('POST', '/feeds', { token, body })
    expect(reply.status).toBe(201)
    return reply.body as Made
  }

  const pathOf = ({ url }: { url: string }) => url.replace('https://booking.example.com', '/')
  const read = (feed: { url: string }, tag?: string) =>
    service.call('GET', pathOf(feed), tag === undefined ? {} : { headers: { 'if-none-match': tag } })
  const eventsOf = async (feed: { url: string }) => readBack((await read(feed)).body as string).events

  const at = '2026-12-01T10:00:00+01:00'

  test('are made with an address that is shown once, and tell only when', async () => {
    const made = await make({ staff_id: anna })
    const { url, ...shown } = made
    expect(url).toMatch(/^https:\/\/booking\.example\.com\/feeds\/[\w-]{43}\.ics$/)
    expect(shown).toEqual({
      ...{ id: expect.any(String), business_id: business.id, staff_id: anna, location_id: null },
      ...{ detail: 'busy', created_at: expect.any(String) },
    })
    const { body: list } = await service.call('GET', '/feeds', { token: business.key })
    expect(list).toEqual({ data: [shown], next_cursor: null })

    const booking = await bookSlot(client, offer, at)
    const reply = await read(made)
    expect(reply.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': expect.stringContaining('private'),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    expect(readBack(reply.body as string)).toEqual({
      name: 'Anna – Corner Spa',
      timezone: 'Europe/Berlin',
      events: [
        {
          ...{ uid: `${booking.id}@holdfast`, sequence: 0, title: 'Busy', status: 'CONFIRMED' },
          ...{ startsAt: '2026-12-01T09:00:00.000Z', endsAt: '2026-12-01T10:00:00.000Z' },
          ...{ description: null, location: null },
        },
      ],
    })
    expect(reply.body).not.toMatch(/Ada|Haircut/)
  })

  test('tell what and for whom where that is asked for, in one language or another', async () => {
    await bookSlot(client, offer, at)
    const [event] = await eventsOf(await make({ staff_id: anna, detail: 'full' }))
    expect(event).toMatchObject({
      ...{ title: 'Haircut; wash, cut – Ada Lovelace', location: 'Mitte' },
      description: expect.stringContaining('Anna'),
    })
    expect(JSON.stringify(event)).not.toContain('@example.com')
    const german = { token: business.key, body: { locale: 'de-AT' } }
    expect((await service.call('PATCH', `/businesses/${business.id}`, german)).status).toBe(200)
    expect(await eventsOf(await make({}))).toMatchObject([{ title: 'Belegt' }])
  })

  test('have the bookings of a person, of a location, or all', async () => {
    const elsewhere = await makeLocation(service, business.id, {
      name: 'Wedding',
      timezone: 'America/New_York',
    })
    const other = await makeService(service, business.id, { name: 'Advice', locationIds: [elsewhere] })
    const ofAnna = await bookSlot(client, offer, at)
    const ofBen = await bookSlot(client, { ...offer, ...{ staff_id: ben } }, at)
    const ofNobody = await bookSlot(client, { service_id: other, location_id: elsewhere }, at)
    const uids = async (body: object) =>
      (await eventsOf(await make(body))).map(({ uid }) => uid.replace('@holdfast', '')).toSorted()
    const ids = (...bookings: { id: string }[]) => bookings.map(({ id }) => id).toSorted()
    expect(await uids({ staff_id: anna })).toEqual(ids(ofAnna))
    expect(await uids({ location_id: location })).toEqual(ids(ofAnna, ofBen))
    expect(await uids({})).toEqual(ids(ofAnna, ofBen, ofNobody))
    const feed = await make({ location_id: elsewhere })
    expect(readBack((await read(feed)).body as string).timezone).toBe('America/New_York')
  })

  test('a moved booking keeps its UID and raises SEQUENCE; a cancelled one goes', async () => {
    const feed = await make({ staff_id: anna })
    const { id } = await bookSlot(client, offer, at)
    const first = (await read(feed)).headers['etag']
    await client.change(id, { starts_at: '2026-12-02T10:00:00+01:00' })
    const [moved] = await eventsOf(feed)
    expect(moved).toMatchObject({ uid: `${id}@holdfast`, startsAt: '2026-12-02T09:00:00.000Z' })
    expect(moved?.sequence).toBeGreaterThan(0)
    const second = (await read(feed)).headers['etag']
    await client.cancel(id)
    expect(await eventsOf(feed)).toEqual([])
    const third = (await read(feed)).headers['etag']
    expect(new Set([first, second, third]).size).toBe(3)
  })

  test('answer 304 with one look into indexes while nothing has changed', async () => {
    const feed = await make({ location_id: location, detail: 'full' })
    const { id } = await bookSlot(client, offer, at)
    const tag = (await read(feed)).headers['etag'] ?? ''
    const statements = await service.statementsOf(async () => {
      expect(await read(feed, tag)).toMatchObject({ status: 304, body: undefined })
    })
    expect(statements.filter((text) => !/rate_limits/.test(text))).toHaveLength(1)
    expect((await read(feed, `W/${tag}`)).status).toBe(304)
    const isNew = async () => expect((await read(feed, tag)).status).toBe(200)
    await client.change(id, { notes: 'by the window' })
    await isNew()
  })

  test.each([
    ['a service has another name', () => ['/services/{service}', { name: 'Trim' }] as const, 'Trim'],
    ['a client is erased', () => ['/clients/erase', { email: 'ada@example.com' }] as const, ''],
  ])('are new when %s', async (_name, change, shown) => {
    const feed = await make({ detail: 'full' })
    await bookSlot(client, offer, at)
    const tag = (await read(feed)).headers['etag'] ?? ''
    const [path, body] = change()
    const method = path.startsWith('/services') ? 'PATCH' : 'POST'
    const url = path.replace('{service}', offer.service_id)
    expect((await service.call(method, url, { token: business.key, body })).status).toBe(200)
    const reply = await read(feed, tag)
    expect(reply.status).toBe(200)
    expect(reply.body).toContain(shown)
    if (path === '/clients/erase') expect(reply.body).not.toContain('Ada')
  })

  test('a thousand bookings over two clock changes land at the right instants', async () => {
    const fromMs = Date.UTC(2026, 9, 22) // three days before the clocks go back; 30 days ago is the 21st
    const stored = { businessId: business.id, serviceId: offer.service_id, locationId: location }
    const firstNumber = engine === 'sqlite' ? 1_000_000 : 2_000_000
    await service.context.db.transaction((tx) =>
      storeBookings(tx.db, engine, {
        ...stored,
        ...{ staffIds: [anna], count: 1_000, firstNumber, fromMs, stepMinutes: 240, minutes: 60 },
        withoutClaims: true,
      }),
    )
    const events = await eventsOf(await make({ staff_id: anna }))
    expect(events).toHaveLength(1_000)
    const wanted = Array.from({ length: 1_000 }, (_, n) => new Date(fromMs + n * 240 * 60_000).toISOString())
    expect(events.map(({ startsAt }) => startsAt)).toEqual(wanted)
    expect(wanted.at(-1)?.slice(0, 7)).toBe('2027-04') // after the clocks went forward
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(1_000)
  })

  test('reach from 30 days ago to a year ahead, however many there are', async () => {
    const stored = { businessId: business.id, serviceId: offer.service_id, locationId: location }
    const firstNumber = engine === 'sqlite' ? 3_000_000 : 4_000_000
    const store = (fromMs: number, count: number, skip: number) =>
      service.context.db.transaction((tx) =>
        storeBookings(tx.db, engine, {
          ...stored,
          ...{
            staffIds: [anna],
            count,
            firstNumber: firstNumber + skip,
            fromMs,
            stepMinutes: 60,
            minutes: 60,
          },
          withoutClaims: true,
        }),
      )
    const today = Date.parse(service.clock.now().slice(0, 10))
    await store(today - 31 * 86_400_000, 48, 0)
    await store(today + 365 * 86_400_000, 72, 1_000)
    const starts = (await eventsOf(await make({}))).map(({ startsAt }) => Date.parse(startsAt))
    expect(Math.min(...starts)).toBe(today - 30 * 86_400_000)
    expect(Math.max(...starts)).toBe(today + 366 * 86_400_000 - 3_600_000)
    expect(starts).toHaveLength(48)
  })

  test('end at once on every server when they are rotated or deleted', async () => {
    const feed = await make({})
    // SQLite has only one server
    const other = engine === 'postgres' ? await startTestService(engine, {}, { beside: service }) : undefined
    const isThere = async (path: string) =>
      Promise.all(
        [service, ...(other ? [other] : [])].map(async (one) => (await one.call('GET', path)).status),
      )
    expect(new Set(await isThere(pathOf(feed)))).toEqual(new Set([200]))
    const rotated = await service.call('POST', `/feeds/${feed.id}/rotate`, { token: business.key })
    expect(rotated).toMatchObject({ status: 200, body: { id: feed.id } })
    expect(new Set(await isThere(pathOf(feed)))).toEqual(new Set([404]))
    const path = pathOf(rotated.body as Made)
    expect(new Set(await isThere(path))).toEqual(new Set([200]))
    expect((await service.call('DELETE', `/feeds/${feed.id}`, { token: business.key })).status).toBe(204)
    expect(new Set(await isThere(path))).toEqual(new Set([404]))
    await other?.stop()
  })

  test('have secrets that no log, metric or table holds', async () => {
    const feed = await make({ detail: 'full' })
    const secret = /feeds\/(.*)\.ics/.exec(feed.url)?.[1] ?? '-'
    await read(feed)
    await service.call('GET', pathOf(feed), { headers: { 'x-request-id': `of/feeds/${secret}` } })
    const metrics = await service.call('GET', '//metrics')
    for (const text of [
      service.logLines.join(''),
      JSON.stringify(metrics.body),
      JSON.stringify([await service.rows('feeds'), await service.rows('audit_entries')]),
    ])
      expect(text).not.toContain(secret)
    expect(service.logLines.join('')).toContain('/feeds/:file')
  })

  test.each([
    ['an unknown secret', `//feeds/${'a'.repeat(43)}.ics`],
    ['no secret', '//feeds/.ics'],
    ['another ending', `//feeds/${'a'.repeat(43)}`],
    ['a longer secret', `//feeds/${'a'.repeat(44)}.ics`],
  ])('are not found by %s', async (_name, path) => {
    expectProblem(await service.call('GET', path), 'not_found')
  })

  test('are 20 at most for a business', async () => {
    for (let made = 0; made < 20; made += 1) await make({})
    const create = () => service.call('POST', '/feeds', { token: business.key, body: {} })
    expectProblem(await create(), 'calendar_limit_reached')
    const { body } = await service.call('GET', '/feeds?limit=5', { token: business.key })
    expect(body.data).toHaveLength(5)
    const next = `/feeds?limit=100&cursor=${String(body.next_cursor)}`
    expect((await service.call('GET', next, { token: business.key })).body.data).toHaveLength(15)
    await service.call('DELETE', `/feeds/${String(body.data[0].id)}`, { token: business.key })
    expect((await create()).status).toBe(201)
  })

  test('name what the caller reaches', async () => {
    const foreign = businessOf(service.world, 'Salon Spree')
    const create = (body: object, token = business.key) => service.call('POST', '/feeds', { token, body })
    expectErrors(await create({ staff_id: foreign.staff[0]?.id ?? '' }), '/staff_id')
    expectErrors(await create({ staff_id: unknownId }), '/staff_id')
    expectErrors(await create({ location_id: unknownId }), '/location_id')
    expectErrors(await create({ business_id: foreign.id }), '/business_id')
    expectErrors(await create({ staff_id: anna, location_id: location }), '/staff_id')
    expectErrors(await create({ detail: 'all' }), '/detail')
    const hub = service.world.hub.key
    expectErrors(await create({}, hub), '/business_id')
    const ofHub = service.world.businesses.find(({ hub_id }) => hub_id !== null)
    if (ofHub) await make({ business_id: ofHub.id }, hub)
    expectErrors(await create({ staff_id: anna }, hub), '/staff_id')
    const token = foreign.business_key
    const { id } = await make({})
    expectProblem(await service.call('DELETE', `/feeds/${id}`, { token }), 'not_found')
    expectProblem(await service.call('POST', `/feeds/${id}/rotate`, { token }), 'not_found')
    expectProblem(await service.call('DELETE', '/feeds/mine', { token }), 'not_found')
  })

  test('are managed by managers, and every change is in the audit log', async () => {
    const person = (role: 'manager' | 'staff') =>
      logInNewPerson(service, {
        ...{ role, email: `${role}@example.com`, place: { businessId: business.id } },
        ...(role === 'staff' && { staffId: anna }),
      })
    const [manager, member] = [await person('manager'), await person('staff')]
    const made = await manager.call('POST', '/feeds', { staff_id: anna })
    expect(made.status).toBe(201)
    expect(await member.call('GET', '/feeds')).toMatchObject({
      ...{ status: 403, body: { code: 'key_type_not_allowed' } },
    })
    const { id } = made.body as Made
    await manager.call('POST', `/feeds/${id}/rotate`)
    expect((await manager.call('DELETE', `/feeds/${id}`)).status).toBe(204)
    const { body } = await service.call('GET', `/audit?subject=${id}`, { token: business.key })
    const actions = (body.data as { action: string }[]).map(({ action }) => action).toReversed()
    expect(actions).toEqual(['feed.created', 'feed.rotated', 'feed.deleted'])
  })

  test('leave alone what the schema refuses: a feed of two businesses', async () => {
    const { id } = await make({ staff_id: anna })
    const other = await makeBusiness(service)
    const moved = changeRows(service, sql`update feeds set business_id = ${other.id} where id = ${id}`)
    await expect(moved).rejects.toThrow(/foreign key/i)
  })
})

onOneEngine('sqlite', 'the limit of reading feeds', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' })
  })
  afterAll(() => service.stop())

  test('is 600 a minute for an address, of whatever secret', async () => {
    const address = nextAddress()
    const ask = (sign: string, remoteAddress = address) =>
      service.call('GET', `//feeds/${sign.repeat(43)}.ics`, { remoteAddress })
    for (const sign of ['a', 'b', 'c', 'd', 'e', 'f']) expectProblem(await ask(sign), 'not_found')
    expectProblem(await ask('g'), 'rate_limited')
    expectProblem(await ask('a', nextAddress()), 'not_found')
  })
})

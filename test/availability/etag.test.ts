import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { watcherOf, type Asked, type Watcher } from '../support/slots.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const tuesday = '2026-12-01'
const ten = `${tuesday}T10:00:00+01:00`

onOneEngine('sqlite', 'the entity tag of availability', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let session: Client
  let watcher: Watcher
  let staffIds: string[]
  let offer: Asked
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    session = await sessionClient(service, business)
    watcher = watcherOf(service, session)
    staffIds = await makeStaff(service, business.id, ['One', 'Two'])
    offer = await makeOffer(service, business.id, {
      staffIds,
      weeklyHours: [{ weekday: 'tuesday', opens: '09:00', closes: '12:00' }],
      intervalMinutes: 30,
    })
  })
  afterAll(() => service.stop())

  const show = (ifNoneMatch?: string, by = watcher) =>
    by.show(offer, tuesday, tuesday, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch })
  const tag = async (by = watcher) => String((await show(undefined, by)).headers['etag'])
  const write = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: business.key, ...(body && { body }) })

  test('what has not changed is 304 without a body, for whoever has it', async () => {
    const first = await show()
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^"[\w-]{27}"$/)
    expect(first.headers['cache-control']).toBe('private, no-cache')
    service.clock.advance(30)
    const again = await show(etag)
    expect(again).toMatchObject({
      status: 304,
      body: undefined,
      headers: {
        etag,
        'cache-control': 'private, no-cache',
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        'x-request-id': expect.any(String),
      },
    })
    expect(again.headers).not.toHaveProperty('content-type')
    const limits = [first, again].map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect((limits[0] ?? 0) - (limits[1] ?? 0)).toBe(1) // it counts as a request
  })

  test('the other questions have one too', async () => {
    const ask = (path: string, more: Record<string, string>, headers = {}) => {
      const query = new URLSearchParams({ ...offer, ...more } as Record<string, string>)
      return service.call('GET', `/availability${path}?${query.toString()}`, {
        token: session.token,
        headers,
      })
    }
    const questions = [
      ['/explain', { starts_at: ten }],
      ['/soonest', {}],
    ] as const
    const tags: string[] = []
    for (const [path, more] of questions) {
      const first = await ask(path, more)
      expect(first.headers['cache-control']).toBe('private, no-cache')
      tags.push(String(first.headers['etag']))
      const again = await ask(path, more, { 'if-none-match': tags.at(-1) })
      expect(again).toMatchObject({ status: 304, body: undefined })
    }
    const location_id = offer.location_id
    const until = '2026-12-01T11:00:00Z'
    await write('POST', '/blocks', { location_id, starts_at: '2026-11-20T00:00:00Z', ends_at: until })
    for (const [index, [path, more]] of questions.entries()) {
      expect((await ask(path, more, { 'if-none-match': tags[index] })).status).toBe(200)
    }
  })

  const known: [form: string, ifNoneMatch: (etag: string) => string, status: number][] = [
    ['the tag', (etag) => etag, 304],
    ['the tag as a weak one', (etag) => `W/${etag}`, 304],
    ['a list with the tag', (etag) => `"x", W/"y" ,${etag}`, 304],
    ['a star', () => '*', 304],
    ['another tag', () => '"x"', 200],
    ['a list of others', () => '"x", W/"y"', 200],
    ['the tag without quotes', (etag) => etag.slice(1, -1), 200],
    ['a part of the tag', (etag) => `${etag.slice(0, 9)}"`, 200],
    ['nothing', () => '', 200],
  ]
  test.each(known)('If-None-Match with %s', async (_form, ifNoneMatch, status) => {
    expect((await show(ifNoneMatch(await tag()))).status).toBe(status)
  })

  const blockAt = (of: object) =>
    write('POST', '/blocks', { ...of, starts_at: ten, ends_at: '2026-12-01T11:00:00+01:00' })

  const events: [what: string, event: () => Promise<unknown>][] = [
    ["another's hold", () => key.hold(offer, ten)],
    ['a hold of its own', () => session.hold(offer, ten)],
    ['a block of the location', () => blockAt({ location_id: offer.location_id })],
    ['a block of somebody', () => blockAt({ staff_id: staffIds[0] ?? '' })],
    [
      'hours of the location',
      () =>
        write('PATCH', `/locations/${offer.location_id}`, {
          weekly_hours: [{ weekday: 'tuesday', opens: '09:00', closes: '12:30' }],
        }),
    ],
    ['hours of somebody', () => write('PATCH', `/staff/${staffIds[1]}`, { weekly_hours: [] })],
    ['somebody who leaves', () => write('DELETE', `/staff/${staffIds[0]}`)],
    ['a longer service', () => write('PATCH', `/services/${offer.service_id}`, { duration_minutes: 45 })],
    ['more seats', () => write('PATCH', `/services/${offer.service_id}`, { capacity: 2 })],
    ['another zone', () => write('PATCH', `/locations/${offer.location_id}`, { timezone: 'Europe/London' })],
  ]

  test.each(events)('%s changes it at once', async (_what, event) => {
    const etag = await tag()
    const done = (await event()) as { status: number }
    expect([200, 201, 204]).toContain(done.status)
    const changed = await show(etag)
    expect(changed.status).toBe(200)
    expect(changed.headers['etag']).not.toBe(etag)
  })

  test('release, booking, cancellation, a move and expiry change it, and it comes back with what it was of', async () => {
    const free = await tag()
    const held = await session.hold(offer, ten)
    const own = await tag()
    await session.release(String(held.body.hold_id))
    expect(await tag()).toBe(free)
    const second = await session.hold(offer, ten)
    expect(await tag()).toBe(own)
    const booked = await session.book(String(second.body.hold_id))
    const taken = await tag()
    expect(new Set([free, own, taken]).size).toBe(3)
    await key.change(String(booked.body.id), { starts_at: `${tuesday}T11:00:00+01:00` })
    expect([free, own, taken]).not.toContain(await tag())
    await key.cancel(String(booked.body.id))
    expect(await tag()).toBe(free)
    await session.hold(offer, ten)
    service.clock.advance(599)
    expect(await tag()).toBe(own)
    service.clock.advance(1)
    expect(await tag()).toBe(free)
  })

  test('it is of what this caller sees', async () => {
    await session.hold(offer, ten)
    const rival = watcherOf(service, await sessionClient(service, business))
    expect(await tag(rival)).not.toBe(await tag())
    expect(await tag(rival)).toBe(await tag(watcherOf(service, key)))
    expect((await show(await tag(), rival)).status).toBe(200)
  })

  test('time that passes changes it when a slot has begun', async () => {
    const everyFive = await makeOffer(service, business.id) // always open, every five minutes
    const today = (headers = {}) => watcher.show(everyFive, '2026-11-20', '2026-11-20', headers)
    const headers = { 'if-none-match': String((await today()).headers['etag']) }
    service.clock.advance(301)
    expect((await today(headers)).status).toBe(200)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { newToken } from '../../src/access/token.ts'
import { revokeKey } from '../../src/access/key.ts'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { changeRows, deactivate, nextAddress, type Tenant, unknownId } from '../support/tenant-things.ts'
import { businessOf, startTestService, type Reply, type TestService } from '../support/test-service.ts'

interface Slot {
  starts_at: string
}

/** Returns the widget's initial data from a booking page. */
function carriedBy({ body }: Reply): { services: { name: string }[] } | undefined {
  const [, json] = /<script type="application\/json">(.*?)<\/script>/s.exec(String(body)) ?? []
  return json === undefined ? undefined : (JSON.parse(json) as { services: { name: string }[] })
}

onOneEngine('sqlite', 'what a booking page begins with', (engine) => {
  let service: TestService
  let salon: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
  })
  afterAll(() => service.stop())

  const start = (query = '', { key = salon.publishable_key, headers = {} } = {}) =>
    service.call('GET', `//book/${key}/start${query}`, { headers })
  const page = (path = '') => service.call('GET', `//book/${salon.publishable_key}${path}`)
  const mitte = () => salon.locations.find(({ name }) => name === 'Mitte')?.id ?? ''
  const haircut = () => salon.services.find(({ name }) => name === 'Haircut')?.id ?? ''

  test('is what a session sees, and how to reach the business, in one answer', async () => {
    const legal = { imprint_url: null, privacy_url: null, terms: null, terms_language: null }
    const contact = {
      ...{ phone: '+49 30 1234', reply_to_email: 'hello@salon-spree.example' },
      ...{ cover_url: null, ...legal },
    }
    const { id, business_key: token_ } = salon
    expect((await service.call('PATCH', `/businesses/${id}`, { token: token_, body: contact })).status).toBe(
      200,
    )
    const { status, body } = await start()
    expect(status).toBe(200)
    const exchanged = await service.call('POST', '/session', { token: salon.publishable_key })
    const token = exchanged.body.session_token as string
    const seen = async (path: string) => (await service.call('GET', `${path}?limit=100`, { token })).body.data
    expect(body).toEqual({
      show_branding: exchanged.body.show_branding,
      business: { ...exchanged.body.business, ...contact },
      services: await seen('/services'),
      locations: await seen('/locations'),
      staff: await seen('/staff'),
      first: null,
    })
  })

  test('has the first times of the service that is shown, by id or slug, as a session finds them', async () => {
    const token = await service.session(salon)
    const anna = salon.staff.find(({ name }) => name === 'Anna Weber')?.id
    for (const [query, ofStaff, staff_id] of [
      [`service=haircut&location=mitte`, '', null],
      [`service=${haircut()}&location=${mitte()}&staff=anna`, `&staff_id=${anna}`, anna],
      [`service=haircut&location=${mitte().toUpperCase()}&staff=${anna}`, `&staff_id=${anna}`, anna],
    ] as const) {
      const { body } = await start(`?${query}`)
      const offer = `service_id=${haircut()}&location_id=${mitte()}${ofStaff}`
      const soonest = (await service.call('GET', `/availability/soonest?${offer}`, { token })).body as Slot
      const date = soonest.starts_at.slice(0, 10)
      const day = await service.call('GET', `/availability?${offer}&from=${date}&to=${date}`, { token })
      const slots = day.body.days[0].slots as Slot[]
      expect(slots.length).toBeGreaterThan(1)
      const ids = { service_id: haircut(), location_id: mitte(), staff_id }
      const last = new Date(Date.parse(date) + 34 * 86_400_000).toISOString().slice(0, 10)
      const month = `from=${date}&to=${last}` // near the end of the month, five weeks
      const days = (await service.call('GET', `/availability?${offer}&${month}`, { token })).body.days
      const free = (days as { date: string; slots: Slot[] }[]).filter((one) => one.slots.length > 0)
      const dates = free.map((one) => one.date)
      const next = free.slice(0, 4).map((one) => one.slots[0])
      expect(dates.length).toBeGreaterThan(1)
      expect(body.first).toEqual({ ...ids, party_size: 1, soonest, slots, next, dates })
    }
  })

  test('has the first times of several services, by id or slug, as a session finds them', async () => {
    const token = await service.session(salon)
    const anna = salon.staff.find(({ name }) => name === 'Anna Weber')?.id
    const items = `${haircut()}:${anna},~${haircut()}`
    const { body } = await start(`?items=haircut:anna,~haircut&location=mitte`)
    const offer = `items=${items}&location_id=${mitte()}`
    const soonest = (await service.call('GET', `/availability/soonest?${offer}`, { token })).body as Slot
    expect(body.first).toMatchObject({ items, service_id: haircut(), staff_id: anna, party_size: 1, soonest })
    expect(body.first.slots[0]).toEqual(soonest)
    expect(body.first.slots[0].items).toHaveLength(2)
    expect((await start('?items=haircut,haircut')).body.first).toBeNull() // which location?
  })

  test.each([
    ['?items=haircut,unknown', 'not_found'],
    ['?items=haircut:nobody', 'not_found'],
    ['?items=haircut*501', '/items'],
    ['?items=~haircut', '/items'],
    ['?items=haircut&service=haircut', '/service'],
  ])('%s is refused: %s', async (query, fault) => {
    const reply = await start(query)
    if (fault.startsWith('/')) expectErrors(reply, fault)
    else expectProblem(reply, 'not_found')
  })

  test('asks for as many seats as the party has', async () => {
    const query = `?service=yoga-class&location=${mitte()}`
    expect((await start(`${query}&party_size=8`)).body.first).toMatchObject({
      party_size: 8,
      soonest: { seats_left: 8 },
    })
    expectErrors(await start(`${query}&party_size=9`), '/party_size')
  })

  test.each([
    '?service=unknown',
    `?service=${unknownId}`,
    '?service=haircut&staff=clara',
    `?service=haircut&location=${unknownId}`,
    '?staff=nobody',
  ])('%s, which is not offered, is not found', async (query) => {
    expectProblem(await start(query), 'not_found')
  })

  test('refuses what is no party, and what it does not know', async () => {
    expectErrors(await start('?party_size=0'), '/party_size')
    expectErrors(await start('?servce=haircut'), '/servce')
  })

  test('is carried by the page, for what its address chooses as far as it goes together', async () => {
    const place = mitte()
    for (const [path, query] of [
      ['', ''],
      [`/haircut?staff=anna&location=${place}`, `?service=haircut&staff=anna&location=${place}`],
      [`?service=haircut&staff=clara&location=${place}`, ''],
      ['?service=gone&party_size=9', ''],
    ])
      expect([path, carriedBy(await page(path))]).toEqual([path, (await start(query)).body])
    expect((await page()).headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  test('no text of the business ends the element that carries it', async () => {
    const name = '</script><script>alert(1)</script><!--'
    const made = await service.call('POST', '/services', {
      token: salon.business_key,
      body: { name, duration_minutes: 30, location_ids: [mitte()] },
    })
    expect(made.status).toBe(201)
    service.clock.advance(5)
    const shown = await page()
    expect(String(shown.body)).not.toContain(name)
    expect(carriedBy(shown)).toEqual((await start()).body)
    expect(carriedBy(shown)?.services.map((one) => one.name)).toContain(name)
    await deactivate(service, 'services', String(made.body.id))
    service.clock.advance(5)
  })

  test('shows what is of the key alone, and not what is deactivated', async () => {
    const clinic = businessOf(service.world, 'Lotus Clinic')
    const { body } = await start('', { key: clinic.publishable_key })
    expect(body.business.id).toBe(clinic.id)
    for (const kind of ['services', 'locations'] as const)
      for (const item of body[kind] as { business_id: string }[]) expect(item.business_id).toBe(clinic.id)
    expect((body.staff as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(
      clinic.staff.map(({ id }) => id).toSorted(),
    )
    expectProblem(await start(`?service=${haircut()}`, { key: clinic.publishable_key }), 'not_found')
    const [service1] = clinic.services
    await deactivate(service, 'services', service1?.id ?? '')
    service.clock.advance(5)
    const later = await start('', { key: clinic.publishable_key })
    expect((later.body.services as { id: string }[]).map(({ id }) => id)).not.toContain(service1?.id)
    expectProblem(await start(`?service=${service1?.id}`, { key: clinic.publishable_key }), 'not_found')
  })

  test('knows nothing of what was removed a moment ago, and neither does the page', async () => {
    const studio = businessOf(service.world, 'Hudson Studio')
    const key = studio.publishable_key
    for (const [table, kind] of [
      ['services', 'service'],
      ['locations', 'location'],
    ] as const) {
      const gone = studio[table].at(-1)?.id ?? ''
      const pair =
        table === 'services' ? `location=${studio.locations[0]?.id}` : `service=${studio.services[0]?.id}`
      const query = `?${kind}=${gone}&${pair}`
      await start('', { key }) // services are cached, times are not
      const path = `/${table}/${gone}`
      const removed = await service.call('PATCH', path, {
        token: studio.business_key,
        body: { active: false },
      })
      expect(removed.status).toBe(200)
      expect(await service.call('GET', `//book/${key}${query}`)).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      })
      expectProblem(await start(query, { key }), 'not_found')
    }
  })

  test('is the same for five seconds, with an entity tag, and costs no statement', async () => {
    const query = `?service=haircut&location=${mitte()}`
    const { headers } = await start(query)
    expect(headers).toMatchObject({ 'cache-control': 'private, max-age=5', etag: expect.any(String) })
    expect(headers['vary']).toContain('Origin')
    const again = await service.statementsOf(async () => {
      const reply = await start(query, { headers: { 'if-none-match': headers['etag'] ?? '' } })
      expect(reply.status).toBe(304)
    })
    if (engine === 'sqlite') expect(again).toEqual([])
  })

  test.each(['', '?service=haircut&location=mitte'])(
    'many who ask for %j at once cost no more statements than one',
    async (query) => {
      const cost = (askers: number) => {
        service.clock.advance(5)
        return service.statementsOf(async () => {
          const replies = await Promise.all(Array.from({ length: askers }, () => start(query)))
          expect(new Set(replies.map(({ headers }) => headers['etag'])).size).toBe(1)
        })
      }
      const alone = await cost(1)
      const together = await cost(20)
      const readings = (statements: string[]) => statements.filter((sql) => /services/.test(sql)).length
      expect(readings(alone)).toBeGreaterThan(0)
      expect(readings(together)).toBe(readings(alone))
    },
  )

  test('a long catalogue is left out of the page, and whole in every answer', async () => {
    const { id } = (await start()).body.services[0] as { id: string }
    const { description } = (await service.rows('services')).find((row) => row['id'] === id) ?? {}
    const describe = async (text: unknown) => {
      await changeRows(service, sql`update services set description = ${text} where id = ${id}`)
      service.clock.advance(5)
    }
    for (const [length, isCarried] of [
      [1_200_000, false],
      [1_000, true],
    ] as const) {
      await describe('ü'.repeat(length))
      expect(carriedBy(await page()) !== undefined).toBe(isCarried)
      const { body, headers } = await start()
      const chosen = await start('?service=haircut&location=mitte')
      expect(chosen.body).toEqual({ ...body, first: expect.objectContaining({ location_id: mitte() }) })
      expect((body.services as { description: string }[])[0]?.description).toHaveLength(length)
      expect(chosen.headers['etag']).not.toBe(headers['etag'])
      const known = { 'if-none-match': chosen.headers['etag'] ?? '' }
      expect((await start('?service=haircut&location=mitte', { headers: known })).status).toBe(304)
    }
    await describe(description ?? null)
  })

  test.each(['cal_pub_ThisIsNoKey', 'salon-spree'])('%s is no key', async (key) => {
    expectProblem(await start('', { key }), 'not_found')
  })

  test('other keys open nothing, and a revoked one nothing any more', async () => {
    expectProblem(await start('', { key: salon.business_key }), 'not_found')
    const made = await createKey(service.context, { type: 'publishable', businessId: salon.id })
    expect((await start('', made)).status).toBe(200)
    await revokeKey(service.context, made.id)
    service.clock.advance(5)
    expectProblem(await start('', made), 'not_found')
  })

  test('only websites that may use the key get it, and the pages of this server', async () => {
    const allowed = 'https://salon.example'
    const { key } = await createKey(service.context, {
      ...{ type: 'publishable', businessId: salon.id },
      allowedOrigins: [allowed],
    })
    const from = (headers: Record<string, string>) => start('', { key, headers })
    expect(await from({ origin: allowed })).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    })
    expectProblem(await from({ origin: 'https://evil.example' }), 'origin_not_allowed')
    expect((await from({ origin: 'https://x.example', 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })
})

onOneEngine('sqlite', 'the limit of what a booking page begins with', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '0.01' })
  })
  afterAll(() => service.stop())

  test('is 600 a minute for an address, of whatever key, and counted apart', async () => {
    const [one, other] = service.world.businesses
    const address = nextAddress()
    const ask = (key = one?.publishable_key, remoteAddress = address) =>
      service.call('GET', `//book/${key}/start`, { remoteAddress })
    for (let left = 5; left >= 0; left -= 1) {
      const reply = await ask(left % 2 === 0 ? one?.publishable_key : other?.publishable_key)
      expect(reply).toMatchObject({ status: 200, headers: { 'x-ratelimit-limit': '6' } })
      expect(reply.headers['x-ratelimit-remaining']).toBe(String(left))
    }
    const refused = await ask()
    expectProblem(refused, 'rate_limited')
    expect(refused.headers['retry-after']).toBe('60')
    expect((await ask(one?.publishable_key, nextAddress())).status).toBe(200)
    const session = await service.call('POST', '/session', {
      token: one?.publishable_key ?? '',
      remoteAddress: address,
    })
    expect(session.status).toBe(201)
    service.clock.advance(60)
    expect((await ask()).status).toBe(200)
  })

  test('counts pages that carry it; beyond, a page comes without', async () => {
    const [one] = service.world.businesses
    const remoteAddress = nextAddress()
    const open = (path = '') =>
      service.call('GET', `//book/${one?.publishable_key}${path}`, { remoteAddress })
    for (let left = 6; left > 0; left -= 1) expect(carriedBy(await open())).toBeDefined()
    expectProblem(await open('/start'), 'rate_limited')
    const page = await open()
    expect([page.status, carriedBy(page)]).toEqual([200, undefined])
    expect(page.body).toContain('<holdfast-booking')
  })

  test('pages that read the database are 1,200 a minute for an address, together and apart from all else', async () => {
    const [one] = service.world.businesses
    const remoteAddress = nextAddress()
    const open = (path: string, at = remoteAddress) =>
      service.call('GET', `/${path}`, { remoteAddress: at, headers: { cookie: '' } })
    const paths = [
      `/book/${one?.publishable_key}`,
      '/book/no-such-business',
      `/book/${one?.publishable_key}/haircut`,
      `/embed?key=${one?.publishable_key}`,
      '/checkout/5d0a41f6-6a0a-8b52-9f7e-6f1f6e0c7b11',
      '/sandbox/unknown',
      '/mail/off/unknown',
    ]
    for (let left = 11; left >= 0; left -= 1) {
      const reply = await open(paths[left % paths.length] ?? '')
      expect([reply.status === 200 || reply.status === 404, reply.headers['x-ratelimit-remaining']]).toEqual([
        true,
        String(left),
      ])
    }
    for (const path of paths) expect([path, (await open(path)).status]).toEqual([path, 429])
    const bogus = await service.call('GET', '//console', {
      remoteAddress,
      headers: { host: 'localhost', cookie: `holdfast=${newToken('login', service.context.ids)}` },
    })
    expect(bogus.status).toBe(429) // its cookie was looked up
    for (const path of ['/', '/docs', '/manage', '/healthz', '/console'])
      expect([path, (await open(path)).status]).toEqual([path, 200])
    expect((await open(paths[0] ?? '', nextAddress())).status).toBe(200)
  })
})

onOneEngine('sqlite', 'a minute of sixty visitors behind one address', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { RATE_LIMIT_FACTOR: '1' })
  })
  afterAll(() => service.stop())

  test('shows all of them services and first times; of those that hold, twenty get a session', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const remoteAddress = nextAddress()
    const place = salon.locations.find(({ name }) => name === 'Mitte')?.id ?? ''
    const exchange = () => service.call('POST', '/session', { token: salon.publishable_key, remoteAddress })
    const statuses: number[] = []
    for (let visitor = 1; visitor <= 60; visitor += 1) {
      for (const query of ['', `?service=haircut&location=${place}`]) {
        const { status, body } = await service.call('GET', `//book/${salon.publishable_key}/start${query}`, {
          remoteAddress,
        })
        expect(status).toBe(200)
        expect(body.services.length).toBeGreaterThan(1)
        if (query !== '') expect(body.first.slots.length).toBeGreaterThan(1)
      }
      if (visitor <= 21) statuses.push((await exchange()).status)
    }
    expect(statuses).toEqual([...Array<number>(20).fill(201), 429])
  })
})

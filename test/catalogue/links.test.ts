import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectErrors } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { makeBusiness } from '../support/offers.ts'
import type { Tenant } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'names in links, order and pictures', (engine) => {
  let service: TestService
  let salon: Tenant
  let studio: Tenant
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    studio = businessOf(service.world, 'Hudson Studio')
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, token: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) })

  const badSlugs = [
    'ab',
    'Salon',
    'salon_spree',
    '-salon',
    'salon-',
    'a--b',
    'sälon',
    'a b',
    'a'.repeat(61),
    '',
  ]

  test.each(badSlugs)('the slug %j is refused of a business, a service and a person', async (slug) => {
    const { business_key: key, services, staff } = salon
    for (const path of [`businesses/${salon.id}`, `services/${services[0]?.id}`, `staff/${staff[0]?.id}`])
      expectErrors(await call('PATCH', `/${path}`, key, { slug }), '/slug')
  })

  test('a slug in the form of an id, or that is a path of its own, is refused', async () => {
    const { business_key: key, services } = salon
    const path = `/services/${services[0]?.id}`
    expectErrors(await call('PATCH', path, key, { slug: 'start' }), '/slug')
    expectErrors(await call('PATCH', path, key, { slug: services[0]?.id }), '/slug')
  })

  test('a slug is unique: of a business on the server, of services and people within the business', async () => {
    const taken = await call('PATCH', `/businesses/${studio.id}`, studio.business_key, {
      slug: 'salon-spree',
    })
    expectErrors(taken, '/slug')
    expect(taken.body.errors[0]).toMatchObject({ code: 'repeated' })
    const hubKey = service.world.hub.key
    const created = { name: 'Another', timezone: 'UTC', slug: 'salon-spree' }
    expectErrors(await call('POST', '/businesses', hubKey, created), '/slug')
    for (const kind of ['services', 'staff'] as const) {
      const [one, other] = salon[kind]
      const slug = `${kind}-slug`
      expect(await call('PATCH', `/${kind}/${one?.id}`, salon.business_key, { slug })).toMatchObject({
        body: { slug },
      })
      expectErrors(await call('PATCH', `/${kind}/${other?.id}`, salon.business_key, { slug }), '/slug')
      const elsewhere = await call('PATCH', `/${kind}/${studio[kind][0]?.id}`, studio.business_key, { slug })
      expect(elsewhere.status).toBe(200)
      await call('PATCH', `/${kind}/${one?.id}`, salon.business_key, { slug: null })
      expect((await call('PATCH', `/${kind}/${other?.id}`, salon.business_key, { slug })).status).toBe(200)
    }
  })

  test('of businesses that take one slug at the same moment, one has it', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => makeBusiness(service)))
    const replies = await Promise.all(
      made.map(({ id, key }) => call('PATCH', `/businesses/${id}`, key, { slug: 'the-one' })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422])
  })

  test('services and people are listed by position, then by name', async () => {
    const { business_key: key } = studio
    for (const kind of ['services', 'staff'] as const) {
      const list = async (as: string, query = '') => {
        const { body } = await call('GET', `/${kind}?limit=100${query}`, as)
        return (body.data as { name: string }[]).map(({ name }) => name)
      }
      const byName = await list(key)
      const [first, second, third] = [3, 2, 1].map((from) =>
        studio[kind].find(({ name }) => name === byName.at(-from)),
      )
      await call('PATCH', `/${kind}/${third?.id}`, key, { position: 1 })
      await call('PATCH', `/${kind}/${second?.id}`, key, { position: 2 })
      const wanted = [third?.name, second?.name, ...byName.slice(0, -2)]
      expect(await list(key)).toEqual(wanted)
      expect(await list(await service.session(studio))).toEqual(wanted)
      const paged: string[] = []
      for (let cursor = ''; ;) {
        const { body } = await call('GET', `/${kind}?limit=1${cursor}`, key)
        paged.push(...(body.data as { name: string }[]).map(({ name }) => name))
        if (body.next_cursor === null) break
        cursor = `&cursor=${body.next_cursor as string}`
      }
      expect(paged).toEqual(wanted)
      expect(first?.name).toBe(wanted.at(-1))
      await call('PATCH', `/${kind}/${third?.id}`, key, { position: null })
      await call('PATCH', `/${kind}/${second?.id}`, key, { position: null })
      expect(await list(key)).toEqual(byName)
    }
  })

  test('category, texts and pictures are shown to sessions, and only https pictures are taken', async () => {
    const { business_key: key } = salon
    const [cut] = salon.services
    const [anna] = salon.staff
    const look = { description: 'Short.', image_url: 'https://example.com/x.jpg' }
    await call('PATCH', `/services/${cut?.id}`, key, { ...look, category: 'Hair' })
    await call('PATCH', `/staff/${anna?.id}`, key, look)
    const token = await service.session(salon)
    expect((await call('GET', `/services/${cut?.id}`, token)).body).toMatchObject({
      ...look,
      category: 'Hair',
    })
    expect((await call('GET', `/staff/${anna?.id}`, token)).body).toEqual({
      ...look,
      ...{ id: anna?.id, name: anna?.name, slug: null, position: null },
    })
    for (const [member, value] of [
      ['image_url', 'http://example.com/x.jpg'],
      ['image_url', 'https://x;y/z.jpg'],
      ['category', ''],
      ['category', 'a'.repeat(61)],
      ['position', 0],
      ['position', 10_000],
    ] as const)
      expectErrors(await call('PATCH', `/services/${cut?.id}`, key, { [member]: value }), `/${member}`)
  })

  test('the phone of a business is set, shown and cleared', async () => {
    const { id, key } = await makeBusiness(service)
    const phone = '+49 (30) 12-34'
    expect((await call('PATCH', `/businesses/${id}`, key, { phone })).body).toMatchObject({ phone })
    expectErrors(await call('PATCH', `/businesses/${id}`, key, { phone: 'ask Ada' }), '/phone')
    expectErrors(await call('PATCH', `/businesses/${id}`, key, { phone: '' }), '/phone')
    expect((await call('PATCH', `/businesses/${id}`, key, { phone: null })).body).toMatchObject({
      phone: null,
    })
  })
})

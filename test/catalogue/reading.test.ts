import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertMissing } from '../../src/catalogue/catalogue-queries.ts'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { changeRows, deactivate, type Tenant, unknownId } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const kinds = ['services', 'locations', 'staff'] as const

interface Item {
  id: string
  name: string
}

onOneEngine('sqlite', 'reading services, locations and staff', (engine) => {
  let service: TestService
  let salon: Tenant
  let key: string
  let token: string
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    key = salon.business_key
    token = await service.session(salon)
  })
  afterAll(() => service.stop())

  const get = (path: string, as = key) => service.call('GET', path, { token: as })
  const itemsOf = async (path: string, as = key) => (await get(path, as)).body.data as Item[]

  test('a service has exactly the fields of the contract', async () => {
    const found = (await itemsOf('/services')).find(({ name }) => name === 'Treatment')
    const treatment = salon.services.find(({ name }) => name === 'Treatment')
    expect(found).toEqual({
      id: treatment?.id,
      business_id: salon.id,
      name: 'Treatment',
      slug: 'treatment',
      position: null,
      category: 'Hair and care',
      image_url: null,
      description: expect.any(String),
      duration_minutes: 90,
      buffer_before_minutes: 0,
      buffer_after_minutes: 0,
      slot_interval_minutes: 15,
      steps: null,
      timetable: null,
      min_notice_minutes: 120,
      max_advance_days: 180,
      cancel_until_minutes: 1440,
      reschedule_until_minutes: 1440,
      max_reschedules: 3,
      max_repeats: 1,
      confirmation: 'automatic',
      respond_within_minutes: 1440,
      client_fields: { phone: 'optional', last_name: 'required' },
      capacity: 1,
      waitlist: true,
      no_show_percent: null,
      price: { amount: 10_500, currency: 'EUR' },
      deposit: { amount: 2500, currency: 'EUR' },
      payment: 'deposit',
      fees: [],
      location_ids: salon.locations.map(({ id }) => id).toSorted(),
      staff_ids: treatment?.staff_ids.toSorted(),
      needs: [],
      terms: [],
      custom_fields: [],
      active: true,
    })
    const consultation = (await itemsOf('/services')).find(({ name }) => name === 'Consultation')
    expect(consultation).toMatchObject({
      custom_fields: salon.services.find(({ name }) => name === 'Consultation')?.custom_fields,
      buffer_after_minutes: 10,
      staff_ids: [],
    })
  })

  test('a location has exactly the fields of the contract', async () => {
    const [mitte, online] = await itemsOf('/locations')
    const place = {
      business_id: salon.id,
      timezone: 'Europe/Berlin',
      online_url: null,
      active: true,
    }
    const always = { weekly_hours: null, date_overrides: [], address: null }
    expect(online).toEqual({ ...place, ...always, id: online?.id, name: 'Online' })
    expect(mitte).toEqual({
      ...place,
      id: mitte?.id,
      name: 'Mitte',
      address: 'Rosenthaler Str. 12, 10119 Berlin',
      weekly_hours: expect.any(Array),
      date_overrides: expect.any(Array),
    })
    expect(mitte).toMatchObject({
      date_overrides: expect.arrayContaining([{ date: '2026-12-25', hours: [] }]),
      weekly_hours: expect.arrayContaining([{ weekday: 'monday', opens: '09:00', closes: '18:00' }]),
    })
  })

  test('keys see a staff member with the fields of the contract, sessions what clients see', async () => {
    const [anna] = salon.staff
    const forClients = { ...anna, slug: 'anna', description: null, image_url: null, position: null }
    const shown = { ...forClients, business_id: salon.id, position: null, email: null, location_ids: [] }
    const whole = { ...shown, weekly_hours: null, date_overrides: [], active: true }
    for (const caller of [key, service.world.hub.key]) {
      expect((await get(`/staff/${anna?.id}`, caller)).body).toEqual(whole)
      expect(await itemsOf(`/staff?business_id=${salon.id}`, caller)).toContainEqual(whole)
    }
    expect((await get(`/staff/${anna?.id}`, token)).body).toEqual(forClients)
    expect((await itemsOf('/staff', token)).map(({ id, name }) => ({ id, name }))).toEqual(salon.staff)
  })

  test.each(['services', 'locations'])('sessions see of %s what keys see', async (kind) => {
    expect(await itemsOf(`/${kind}`, token)).toEqual(await itemsOf(`/${kind}`))
  })

  test.each(kinds)('one of %s stands bare and is what the list shows', async (kind) => {
    for (const item of await itemsOf(`/${kind}`))
      expect((await get(`/${kind}/${item.id}`)).body).toEqual(item)
    expectProblem(await get(`/${kind}/${unknownId}`), 'not_found')
  })

  test('what is inactive is shown to keys and not listed to sessions', async () => {
    const studio = businessOf(service.world, 'Hudson Studio')
    const visitor = await service.session(studio)
    const gone = {
      services: studio.services[0]?.id,
      locations: studio.locations[0]?.id,
      staff: studio.staff[0]?.id,
    }
    for (const kind of kinds) {
      const id = gone[kind] ?? ''
      const before = await itemsOf(`/${kind}`, visitor)
      await deactivate(service, kind, id)
      expect(await itemsOf(`/${kind}`, visitor)).toEqual(before.filter((item) => item.id !== id))
      expect(await itemsOf(`/${kind}`, studio.business_key)).toContainEqual(
        expect.objectContaining({ id, active: false }),
      )
      expect((await get(`/${kind}/${id}`, studio.business_key)).body).toMatchObject({ id, active: false })
    }
  })

  test('business_id narrows the list of a hub key', async () => {
    const { hub } = service.world
    for (const kind of kinds) {
      const whole = await itemsOf(`/${kind}?limit=100`, hub.key)
      const own = await itemsOf(`/${kind}?limit=100&business_id=${salon.id}`, hub.key)
      expect(own).toEqual(await itemsOf(`/${kind}?limit=100`))
      expect(own.length).toBeLessThan(whole.length)
    }
    expectErrors(await get('/services?business_id=mine', hub.key), '/business_id')
  })

  test('a session reaches one business, whatever business_id it names', async () => {
    const studio = businessOf(service.world, 'Hudson Studio')
    expect(await itemsOf(`/services?business_id=${studio.id}`, token)).toEqual([])
    expect(await itemsOf(`/services?business_id=${salon.id}`, token)).toHaveLength(7)
  })

  describe('a long list', () => {
    const names = [
      'Zoe',
      'zoe',
      'Ädah',
      'Ada',
      'ada',
      '李',
      '🦊',
      '\ufffd',
      'Ada',
      'Ada',
      'a%',
      'Éa',
      '_',
      "'",
      '0',
    ]
    let clinic: Tenant
    let caller: string
    beforeAll(async () => {
      clinic = businessOf(service.world, 'Lotus Clinic')
      caller = await service.session(clinic)
      await service.context.db.transaction(async (tx) => {
        const rows = Array.from({ length: 105 }, (_, index) => ({
          id: service.context.ids.next(),
          business_id: clinic.id,
          name: names[index % names.length] ?? '',
          email: null,
          weekly_hours_json: null,
          date_overrides_json: '[]',
          created_at: tx.now,
          deactivated_at: null,
        }))
        await insertMissing(tx.db, 'staff', rows)
      })
    })

    const pages = async (limit: number) => {
      const found: Item[][] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await get(`/staff?limit=${limit}${cursor && `&cursor=${cursor}`}`, caller)
        found.push(body.data as Item[])
        cursor = body.next_cursor as string | null
        expect(found.length).toBeLessThan(200)
      }
      return found
    }

    test.each([1, 7, 54, 100])('is read to its end in pages of %i, by name, each once', async (limit) => {
      const read = await pages(limit)
      expect(read.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      const all = read.flat()
      expect(all).toHaveLength(108)
      expect(new Set(all.map(({ id }) => id)).size).toBe(108)
      const sorted = all.toSorted((one, other) => byText(one.name, other.name) || byText(one.id, other.id))
      expect(all).toEqual(sorted)
    })

    test('has 20 entries a page unless another limit is asked for', async () => {
      const { body } = await get('/staff', caller)
      expect(body.data).toHaveLength(20)
      expect(body.next_cursor).toMatch(/^[\w-]+$/)
    })

    test('has no next page after one that ends with its last entry', async () => {
      await changeRows(service, sql`delete from staff where business_id = ${clinic.id} and name = 'Zoe'`)
      const [first = [], second] = await pages(100)
      expect([first.length, second?.length]).toEqual([100, 1])
      await deactivate(service, 'staff', second?.[0]?.id ?? '')
      const { body } = await get('/staff?limit=100', caller)
      expect(body.data).toHaveLength(100)
      expect(body.next_cursor).toBeNull()
    })
  })

  test.each(['0', '101', '-1', '+5', '05', '1.0', '1e1', 'ten', '', ' 5', '0x10', '9'.repeat(400), '٣'])(
    'the limit %j is refused',
    async (limit) => {
      for (const kind of [...kinds, 'bookings']) {
        expectErrors(await get(`/${kind}?limit=${encodeURIComponent(limit)}`), '/limit')
      }
    },
  )

  const forged = (...place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url')

  test.each([
    '',
    'x',
    '!!!',
    '%00',
    forged(),
    forged('service', 'Haircut'),
    forged('service', 'Haircut', unknownId),
    forged('service', '10000', 'Haircut', 'no id'),
    forged('service', '10000', 'a\u0000b', unknownId),
    forged('service', '10000', 5, unknownId),
    forged('service', '10000', { name: 'x' }, unknownId),
    forged('service', 'first', 'Haircut', unknownId),
    forged('service', '99999999999', 'Haircut', unknownId),
    forged('service', '10000', 'Haircut', unknownId, 'more'),
    'a'.repeat(600),
  ])('the cursor %j is refused', async (cursor) => {
    for (const kind of [...kinds, 'bookings']) expectErrors(await get(`/${kind}?cursor=${cursor}`), '/cursor')
  })

  test('the cursor of another list is refused', async () => {
    const cursors = await Promise.all(
      kinds.map(async (kind) => (await get(`/${kind}?limit=1`)).body.next_cursor as string),
    )
    for (const [index, kind] of kinds.entries()) {
      for (const [other, cursor] of cursors.entries()) {
        const reply = await get(`/${kind}?cursor=${cursor}`)
        if (index === other) expect(reply.status).toBe(200)
        else expectErrors(reply, '/cursor')
      }
      expectErrors(await get(`/bookings?cursor=${cursors[index]}`), '/cursor')
    }
  })

  test('long pages are written in parts, and other requests proceed between them', async () => {
    const { id, business_key } = businessOf(service.world, 'Hudson Studio')
    const description = 'ü'.repeat(4_000)
    const created_at = service.clock.now()
    await service.context.db.transaction((tx) =>
      insertMissing(
        tx.db,
        'staff',
        Array.from({ length: 100 }, (_each, index) => ({
          ...{ id: service.context.ids.next(), business_id: id, name: `Person ${index}`, description },
          ...{ email: null, weekly_hours_json: null, date_overrides_json: '[]' },
          ...{ created_at, deactivated_at: null },
        })),
      ),
    )
    const inTurns = [0]
    const stringify = JSON.stringify
    const spy = vi.spyOn(JSON, 'stringify').mockImplementation((...args: [unknown]) => {
      const text = stringify(...args) as string | undefined
      inTurns[0] = (inTurns[0] ?? 0) + (text?.length ?? 0)
      return text ?? ''
    })
    let isOver = false
    const loop = () => {
      inTurns.unshift(0)
      if (!isOver) setImmediate(loop)
    }
    setImmediate(loop)
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => get('/staff?limit=100', business_key)),
    ).finally(() => {
      isOver = true
      spy.mockRestore()
    })
    for (const { status, body } of pages) {
      expect(status).toBe(200)
      const long = (body.data as object[]).filter(
        (one) => 'description' in one && one.description === description,
      )
      expect(long.length).toBeGreaterThanOrEqual(90)
    }
    expect(inTurns.reduce((sum, characters) => sum + characters)).toBeGreaterThan(8 * 90 * description.length)
    expect(Math.max(...inTurns)).toBeLessThan(100_000)
  })
})

/** Compares by code points, as both engines order names. */
function byText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectErrors, expectProblem } from '../support/expect-problem.ts'
import { makeBusiness, makeLocation, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type Reply, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'writing services, locations and staff', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let place: string
  let anna: string
  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service, { timezone: 'Europe/Vienna' })
    place = await makeLocation(service, spa.id)
    anna = (await makeStaff(service, spa.id, ['Anna']))[0] ?? ''
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object, token = spa.key) =>
    service.call(method, path, { token, ...(body && { body }) })
  const make = async (path: string, body: object) => {
    const reply = await call('POST', path, body)
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 })
    return reply.body
  }
  const versionOf = async (id = spa.id) => {
    const rows = await service.rows('businesses')
    return Number(rows.find((row) => row['id'] === id)?.['catalogue_version'])
  }
  /** Expects a 422 that these members name nothing in the caller's scope. */
  const expectUnknown = (reply: Reply, ...pointers: string[]) => {
    expectErrors(reply, ...pointers)
    const codes = (reply.body.errors as { code: string }[]).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set(['unknown_reference']))
  }
  const massage = () => ({ name: 'Massage', duration_minutes: 45, location_ids: [place] })

  test('a service gets the defaults of what it leaves out, and is shown as it was answered', async () => {
    const made = await make('/services', massage())
    expect(made).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      name: 'Massage',
      slug: null,
      position: null,
      category: null,
      image_url: null,
      description: null,
      duration_minutes: 45,
      buffer_before_minutes: 0,
      buffer_after_minutes: 0,
      slot_interval_minutes: 45,
      steps: null,
      timetable: null,
      min_notice_minutes: 0,
      max_advance_days: 365,
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
      price: null,
      deposit: null,
      payment: 'none',
      fees: [],
      location_ids: [place],
      staff_ids: [],
      needs: [],
      terms: [],
      custom_fields: [],
      active: true,
    })
    expect((await call('GET', `/services/${made.id}`)).body).toEqual(made)
  })

  test('the grid of a service shorter than five minutes is five minutes', async () => {
    for (const [duration_minutes, slot_interval_minutes] of [
      [1, 5],
      [4, 5],
      [5, 5],
      [6, 6],
    ]) {
      expect(await make('/services', { ...massage(), duration_minutes })).toMatchObject({
        slot_interval_minutes,
      })
    }
  })

  test('a service keeps everything that it is given', async () => {
    const given = {
      name: 'Class',
      slug: 'class-1',
      position: 9_999,
      category: 'Classes',
      image_url: 'https://example.com/class.jpg',
      description: 'Bring a mat.\nAnd a towel.',
      duration_minutes: 1_440,
      buffer_before_minutes: 720,
      buffer_after_minutes: 5,
      slot_interval_minutes: 60,
      steps: [{ minutes: 1_440, staffed: true }],
      timetable: [{ weekday: 'monday', starts: ['09:00', '18:30'] }],
      min_notice_minutes: 120,
      max_advance_days: 0,
      cancel_until_minutes: 0,
      reschedule_until_minutes: 43_200,
      max_reschedules: 100,
      max_repeats: 52,
      confirmation: 'request',
      respond_within_minutes: 20_160,
      client_fields: { phone: 'required', last_name: 'hidden' },
      capacity: 500,
      waitlist: false,
      no_show_percent: 100,
      price: { amount: 2500, currency: 'EUR' },
      deposit: { amount: 2500, currency: 'EUR' },
      payment: 'deposit',
      fees: [{ within_minutes: 2_880, percent: 50 }],
      location_ids: [place],
      staff_ids: [anna],
      needs: [],
      terms: [{ staff_id: anna, price: { amount: 3000, currency: 'EUR' }, duration_minutes: 60 }],
      active: false,
    }
    const custom_fields = [
      { key: 'size', label: 'Size', type: 'select', options: ['S', 'M'] },
      { key: 'note', label: 'Note', type: 'textarea', required: true },
    ]
    expect(await make('/services', { ...given, custom_fields })).toEqual({
      ...given,
      id: expect.any(String),
      business_id: spa.id,
      custom_fields: [
        {
          id: expect.any(String),
          key: 'size',
          label: 'Size',
          type: 'select',
          required: false,
          options: ['S', 'M'],
        },
        { id: expect.any(String), key: 'note', label: 'Note', type: 'textarea', required: true },
      ],
    })
  })

  test('a location has the time zone of its business unless it names one, and is always open unless it has hours', async () => {
    expect(await make('/locations', { name: 'Here' })).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      name: 'Here',
      timezone: 'Europe/Vienna',
      address: null,
      online_url: null,
      weekly_hours: null,
      date_overrides: [],
      active: true,
    })
    const hours = {
      timezone: 'Asia/Tokyo',
      address: '1-2-3 Ginza\nTokyo',
      weekly_hours: [
        { weekday: 'monday', opens: '09:00', closes: '12:00' },
        { weekday: 'monday', opens: '12:00', closes: '24:00' },
        { weekday: 'sunday', opens: '22:00', closes: '02:00' },
      ],
      date_overrides: [
        { date: '2026-12-24', hours: [{ opens: '09:00', closes: '12:00' }] },
        { date: '2026-12-25', hours: [] },
      ],
    }
    expect(await make('/locations', { name: 'There', ...hours })).toMatchObject(hours)
    expect(await make('/locations', { name: 'Never', weekly_hours: [] })).toMatchObject({ weekly_hours: [] })
  })

  test('a time zone is spelled as the tz database spells it, whatever its case', async () => {
    for (const [given, spelled] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
      ['asia/kolkata', 'Asia/Kolkata'],
      ['ASIA/CALCUTTA', 'Asia/Calcutta'],
      ['utc', 'UTC'],
      ['etc/gmt+5', 'Etc/GMT+5'],
    ] as const) {
      const made = await make('/locations', { name: 'Somewhere', timezone: given })
      expect(made.timezone).toBe(spelled)
      const changed = await call('PATCH', `/locations/${made.id}`, { timezone: given.toUpperCase() })
      expect(changed.body).toEqual(made)
      expect((await call('GET', `/locations/${made.id}`)).body).toEqual(made)
      const business = await call('PATCH', `/businesses/${spa.id}`, { timezone: given.toLowerCase() })
      expect(business.body.timezone).toBe(spelled)
      const created = await call('POST', '/businesses', { name: 'X', timezone: given }, service.world.hub.key)
      expect(created.body.timezone).toBe(spelled)
    }
    await call('PATCH', `/businesses/${spa.id}`, { timezone: 'Europe/Vienna' })
  })

  test('a staff member works everywhere unless places are named', async () => {
    expect(await make('/staff', { name: 'Ben' })).toEqual({
      id: expect.any(String),
      business_id: spa.id,
      name: 'Ben',
      slug: null,
      position: null,
      description: null,
      image_url: null,
      email: null,
      location_ids: [],
      weekly_hours: null,
      date_overrides: [],
      active: true,
    })
    const email = 'clara@example.com'
    expect(await make('/staff', { name: 'Clara', email, location_ids: [place] })).toMatchObject({
      email,
      location_ids: [place],
    })
  })

  test('names are trimmed and NFC, and an optional null is the same as nothing', async () => {
    const made = await make('/locations', {
      name: ' Cafe\u0301 ',
      address: null,
      weekly_hours: null,
      active: null,
    })
    expect(made).toMatchObject({ name: 'Caf\u00e9', address: null, weekly_hours: null, active: true })
  })

  test('what is made can be booked at once', async () => {
    const service_id = (await make('/services', massage())).id as string
    const body = { service_id, location_id: place, starts_at: '2027-02-01T10:00:00Z' }
    expect(await call('POST', '/bookings/hold', body)).toMatchObject({ status: 201 })
  })

  test('a change leaves what it does not name, null clears what may be empty, {} changes nothing', async () => {
    const price = { amount: 100, currency: 'EUR' }
    const before = await make('/services', { ...massage(), description: 'Old', price, max_advance_days: 9 })
    const path = `/services/${before.id}`
    const version = await versionOf()
    expect((await call('PATCH', path, {})).body).toEqual(before)
    expect(await versionOf()).toBe(version)
    const cleared = { description: null, price: null, max_advance_days: null }
    const changed = (await call('PATCH', path, { duration_minutes: 60, ...cleared })).body
    expect(changed).toEqual({ ...before, duration_minutes: 60, ...cleared })
    expect((await call('GET', path)).body).toEqual(changed)
    expect(await versionOf()).toBe(version + 1)
  })

  test('lists are replaced as a whole', async () => {
    const other = (await make('/locations', { name: 'Other' })).id as string
    const made = await make('/services', { ...massage(), staff_ids: [anna] })
    const path = `/services/${made.id}`
    expect((await call('PATCH', path, { location_ids: [other], staff_ids: [] })).body).toMatchObject({
      location_ids: [other],
      staff_ids: [],
    })
    const both = [place, other].toSorted()
    expect((await call('PATCH', path, { location_ids: both.toReversed() })).body.location_ids).toEqual(both)
    const member = await make('/staff', { name: 'Dora', location_ids: [place] })
    const moved = await call('PATCH', `/staff/${member.id}`, { location_ids: [other], weekly_hours: [] })
    expect(moved.body).toEqual({ ...member, location_ids: [other], weekly_hours: [] })
  })

  test('hours and zone of a location change; its bookings stay', async () => {
    const { id } = await make('/locations', { name: 'Moving' })
    const service_id = (await make('/services', { ...massage(), location_ids: [id] })).id as string
    const starts_at = '2027-02-01T10:00:00Z'
    const held = await call('POST', '/bookings/hold', { service_id, location_id: id, starts_at })
    const change = { timezone: 'America/New_York', weekly_hours: [] }
    expect((await call('PATCH', `/locations/${id}`, change)).body).toMatchObject(change)
    service.clock.advance(5)
    const hold = await call('GET', `/bookings/hold/${held.body.hold_id}`)
    expect(hold.body).toMatchObject({ status: 'active', starts_at: '2027-02-01T05:00:00-05:00' })
  })

  test.each([
    ['/services', () => massage()],
    ['/locations', () => ({ name: 'Gone' })],
    ['/staff', () => ({ name: 'Gone' })],
  ])(
    'deleting one of %s makes it inactive, again and again, and active true brings it back',
    async (path, body) => {
      const made = await make(path, body())
      const one = `${path}/${made.id}`
      const version = await versionOf()
      expect(await call('DELETE', one)).toMatchObject({ status: 204, body: undefined })
      expect((await call('GET', one)).body).toEqual({ ...made, active: false })
      expect(await versionOf()).toBe(version + 1)
      const table = await service.rows(path.slice(1))
      const since = table.find((row) => row['id'] === made.id)?.['deactivated_at']
      service.clock.advance(60)
      expect((await call('DELETE', one)).status).toBe(204)
      expect((await call('PATCH', one, { name: 'Renamed' })).body).toMatchObject({ active: false })
      const later = await service.rows(path.slice(1))
      expect(later.find((row) => row['id'] === made.id)?.['deactivated_at']).toBe(since)
      expect((await call('PATCH', one, { active: true })).body).toEqual({ ...made, name: 'Renamed' })
    },
  )

  test('a deleted service keeps its name in its bookings and is held no more', async () => {
    const { id } = await make('/services', massage())
    const hold = { service_id: id, location_id: place, starts_at: '2027-02-02T10:00:00Z' }
    const held = await call('POST', '/bookings/hold', hold)
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
    const booked = await call('POST', '/bookings', { hold_id: held.body.hold_id, client })
    await call('DELETE', `/services/${id}`)
    expect((await call('GET', `/bookings/${booked.body.id}`)).body.service).toMatchObject({
      id,
      name: 'Massage',
    })
    service.clock.advance(5)
    const refused = await call('POST', '/bookings/hold', { ...hold, starts_at: '2027-02-03T10:00:00Z' })
    expect(refused).toMatchObject({ status: 422, body: { reason: 'not_offered_here' } })
  })

  test('a creation with an Idempotency-Key happens once', async () => {
    const options = { token: spa.key, body: { name: 'Once' }, headers: { 'idempotency-key': 'once' } }
    const [first, second] = [
      await service.call('POST', '/locations', options),
      await service.call('POST', '/locations', options),
    ]
    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
    const named = (await service.rows('locations')).filter(({ name }) => name === 'Once')
    expect(named).toHaveLength(1)
  })

  describe('custom fields', () => {
    const size = { key: 'size', label: 'Size', type: 'text' }
    const fieldsOf = (body: { custom_fields: { id: string; key: string }[] }) => body.custom_fields

    test('keep their ids by id and by key; new ones get new ids', async () => {
      const made = await make('/services', { ...massage(), custom_fields: [size, { ...size, key: 'shape' }] })
      const [first, second] = fieldsOf(made)
      const changed = await call('PATCH', `/services/${made.id}`, {
        custom_fields: [
          { ...size, key: 'form', id: second?.id.toUpperCase() },
          { ...size, label: 'How big?' },
          { ...size, key: 'colour' },
        ],
      })
      const ids = fieldsOf(changed.body).map(({ id }) => id)
      expect(ids).toEqual([second?.id, first?.id, expect.any(String)])
      expect(new Set(ids).size).toBe(3)
    })

    test('an id that the service does not have is refused, and none is taken on creation', async () => {
      const custom_fields = [{ ...size, id: unknownId }]
      const { id } = await make('/services', { ...massage(), custom_fields: [size] })
      expectErrors(await call('PATCH', `/services/${id}`, { custom_fields }), '/custom_fields/0/id')
      expectErrors(await call('POST', '/services', { ...massage(), custom_fields }), '/custom_fields/0/id')
    })
  })

  describe('a hub key', () => {
    const creations: [path: string, body: (businessLocation: string) => object][] = [
      ['/services', (location) => ({ ...massage(), location_ids: [location] })],
      ['/locations', () => ({ name: 'Of the hub' })],
      ['/staff', () => ({ name: 'Of the hub' })],
    ]

    test.each(creations)('may name the business of what it adds to %s', async (path, body) => {
      const token = service.world.hub.key
      const salon = businessOf(service.world, 'Salon Spree')
      const given = body(salon.locations[0]?.id ?? '')
      const made = await call('POST', path, { ...given, business_id: salon.id.toUpperCase() }, token)
      expect(made).toMatchObject({ status: 201, body: { business_id: salon.id } })
      expect((await call('PATCH', `${path}/${made.body.id}`, { name: 'X' }, token)).body.name).toBe('X')
      expect((await call('DELETE', `${path}/${made.body.id}`, undefined, token)).status).toBe(204)
      for (const business_id of [spa.id, unknownId]) {
        expectUnknown(await call('POST', path, { ...given, business_id }, token), '/business_id')
      }
    })

    test('has to name it where nothing else does', async () => {
      const token = service.world.hub.key
      const before = [await service.rows('locations'), await service.rows('staff')]
      for (const [path, body] of [
        ['/locations', { name: 'Whose?' }],
        ['/staff', { name: 'Whose?' }],
        ['/staff', { name: 'Whose?', location_ids: [] }],
      ] as const) {
        const reply = await call('POST', path, body, token)
        expectErrors(reply, '/business_id')
        expect(reply.body.errors[0].code).toBe('required')
      }
      expect([await service.rows('locations'), await service.rows('staff')]).toEqual(before)
    })

    test('need not name it where a location or staff member does', async () => {
      const token = service.world.hub.key
      const salon = businessOf(service.world, 'Salon Spree')
      const [location_ids, staff_ids] = [[salon.locations[0]?.id], [salon.staff[0]?.id]]
      for (const [path, body] of [
        ['/services', { ...massage(), location_ids }],
        ['/services', { ...massage(), location_ids, staff_ids }],
        ['/staff', { name: 'Found by their place', location_ids }],
      ] as const) {
        const made = await call('POST', path, body, token)
        expect(made).toMatchObject({ status: 201, body: { business_id: salon.id } })
      }
    })

    test('cannot join things of two businesses, nor unknown ones', async () => {
      const token = service.world.hub.key
      const { id: sister } = await makeBusiness(service, { hubId: service.world.hub.id })
      const theirs = await makeLocation(service, sister)
      const salon = businessOf(service.world, 'Salon Spree')
      const [place, anna] = [salon.locations[0]?.id, salon.staff[0]?.id]
      const before = [await service.rows('services'), await service.rows('staff')]
      for (const [path, body, ...pointers] of [
        ['/services', { location_ids: [place, theirs] }, '/location_ids/1'],
        ['/services', { location_ids: [theirs], staff_ids: [anna] }, '/staff_ids/0'],
        ['/services', { location_ids: [place], business_id: sister }, '/location_ids/0'],
        ['/services', { location_ids: [unknownId, place] }, '/location_ids/0'],
        [
          '/services',
          { location_ids: [unknownId], staff_ids: [unknownId] },
          '/location_ids/0',
          '/staff_ids/0',
        ],
        ['/staff', { location_ids: [place], business_id: sister }, '/location_ids/0'],
        ['/staff', { location_ids: [await makeLocation(service, spa.id)] }, '/location_ids/0'],
      ] as const) {
        const rest = path === '/services' ? massage() : { name: 'Torn' }
        expectUnknown(await call('POST', path, { ...rest, ...body }, token), ...pointers)
      }
      expect([await service.rows('services'), await service.rows('staff')]).toEqual(before)
    })

    test.each(creations)(
      'of a business may name its own business for %s, and no other',
      async (path, body) => {
        const salon = businessOf(service.world, 'Salon Spree')
        expect((await call('POST', path, { ...body(place), business_id: spa.id })).status).toBe(201)
        expectUnknown(await call('POST', path, { ...body(place), business_id: salon.id }), '/business_id')
      },
    )
  })

  describe('what is refused changes nothing', () => {
    test("references to another business's things look like unknown ones", async () => {
      const salon = businessOf(service.world, 'Salon Spree')
      const theirs = { location: salon.locations[0]?.id, staff: salon.staff[0]?.id }
      const made = await make('/services', massage())
      const before = [await service.rows('services'), await service.rows('service_staff')]
      for (const [location, staff] of [
        [theirs.location, theirs.staff],
        [unknownId, unknownId],
      ]) {
        const lists = { location_ids: [place, location], staff_ids: [staff, anna] }
        expectUnknown(
          await call('POST', '/services', { ...massage(), ...lists }),
          '/location_ids/1',
          '/staff_ids/0',
        )
        expectUnknown(await call('PATCH', `/services/${made.id}`, lists), '/location_ids/1', '/staff_ids/0')
        expectUnknown(
          await call('POST', '/staff', { name: 'X', location_ids: [location] }),
          '/location_ids/0',
        )
        expectUnknown(await call('PATCH', `/staff/${anna}`, { location_ids: [location] }), '/location_ids/0')
      }
      expect([await service.rows('services'), await service.rows('service_staff')]).toEqual(before)
    })

    test('another business is as if it were not there', async () => {
      const salon = businessOf(service.world, 'Salon Spree')
      for (const [path, theirs] of [
        ['/services', salon.services[0]?.id],
        ['/locations', salon.locations[0]?.id],
        ['/staff', salon.staff[0]?.id],
      ] as const) {
        const before = await service.rows(path.slice(1))
        for (const id of [theirs, unknownId, 'nonsense']) {
          expectProblem(await call('PATCH', `${path}/${id}`, { name: 'Stolen' }), 'not_found')
          expectProblem(await call('DELETE', `${path}/${id}`), 'not_found')
        }
        expect(await service.rows(path.slice(1))).toEqual(before)
      }
    })

    test('a price below the deposit is refused, whichever of the two is changed', async () => {
      const eur = (amount: number) => ({ amount, currency: 'EUR' })
      const { id } = await make('/services', { ...massage(), price: eur(1_000), deposit: eur(500) })
      expectErrors(await call('PATCH', `/services/${id}`, { price: eur(499) }), '/price')
      expectErrors(await call('PATCH', `/services/${id}`, { deposit: eur(1_001) }), '/deposit/amount')
      expect((await call('PATCH', `/services/${id}`, { price: null, deposit: eur(9_999) })).status).toBe(200)
    })
  })

  describe('at the same moment', () => {
    test('two changes of one service both happen', async () => {
      const { id } = await make('/services', massage())
      const changes = [
        { description: 'Said' },
        { duration_minutes: 50 },
        { staff_ids: [anna] },
        { capacity: 3 },
        { price: { amount: 1, currency: 'EUR' } },
        { buffer_after_minutes: 7 },
      ]
      const replies = await Promise.all(changes.map((change) => call('PATCH', `/services/${id}`, change)))
      expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 200))
      expect((await call('GET', `/services/${id}`)).body).toMatchObject(
        Object.assign({}, ...changes) as object,
      )
    })

    test('a service and the deletion of its location leave a service that names an inactive location', async () => {
      const location = (await make('/locations', { name: 'Closing' })).id as string
      const [made, gone] = await Promise.all([
        call('POST', '/services', { ...massage(), location_ids: [location] }),
        call('DELETE', `/locations/${location}`),
      ])
      expect([made.status, gone.status]).toEqual([201, 204])
      expect((await call('GET', `/services/${made.body.id}`)).body.location_ids).toEqual([location])
      expect((await call('GET', `/locations/${location}`)).body.active).toBe(false)
    })
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookingOf, holdOf, type Tenant } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

const client = { ...ada, phone: '+44 20 7946 0000' }
const notes = 'Allergic to bees.'
const masked = { first_name: 'Ada', last_name: 'L.', email: 'a•••@example.com', phone: null }

onOneEngine('sqlite', 'who sees whom of a booking', (engine) => {
  let service: TestService
  let salon: Tenant
  let maker: string
  let path: string
  let custom_field_values: { field_id: string; value: string }[]
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    maker = await service.session(salon)
    const fields = salon.services.find(({ name }) => name === 'Consultation')?.custom_fields ?? []
    custom_field_values = [{ field_id: fields[0]?.id ?? '', value: 'A private matter' }]
    const body = { client, notes, custom_field_values }
    path = `/bookings/${await bookingOf(service, salon, { token: maker, service: 'Consultation', body })}`
  })
  afterAll(() => service.stop())

  const seenBy = async (token: string) => {
    const reply = await service.call('GET', path, { token })
    expect(reply.status).toBe(200)
    return reply
  }
  const everything = () => ({ client, notes, custom_field_values })
  const hidden = { client: masked, notes: null, custom_field_values: [], redacted: true }

  const callers: [who: string, token: () => Promise<string> | string, whole: boolean][] = [
    ['the business key', () => salon.business_key, true],
    ['the hub key', () => service.world.hub.key, true],
    ['the session that made it', () => maker, true],
    ['another session of the business', () => service.session(salon), false],
    ['a publishable key of the business', () => salon.publishable_key, false],
  ]

  test.each(callers)('%s gets what is due to it', async (_who, token, whole) => {
    const { body } = await seenBy(await token())
    expect(body).toMatchObject(whole ? everything() : hidden)
    if (whole) expect(body).not.toHaveProperty('redacted')
    else expect(JSON.stringify(body)).not.toMatch(/Lovelace|ada@|7946|bees|private/)
  })

  test('what is redacted has the same shape, and the rest of it is the same', async () => {
    const whole = await seenBy(salon.business_key)
    const { no_show, manage_url, price, ...shape } = whole.body // hidden from others
    const items = (shape.items as { resources: unknown }[]).map(({ resources, ...item }) => {
      expect(resources).toEqual([])
      return item
    })
    expect(price).toBeNull()
    expect(no_show).toBe(false)
    expect(manage_url).toMatch(/cal_man_/)
    for (const token of [await service.session(salon), salon.publishable_key]) {
      const { body, headers } = await seenBy(token)
      expect(body).toEqual({ ...shape, items, ...hidden })
      expect(headers.etag).toBe(whole.headers.etag)
    }
  })

  test('the session that follows its maker sees all of it, and its maker nothing any more', async () => {
    const body = { client, notes }
    const first = await service.session(salon)
    const made = `/bookings/${await bookingOf(service, salon, { token: first, body })}`
    const next = await service.session(salon, { 'x-previous-session': first })
    expect((await service.call('GET', made, { token: next })).body).toMatchObject({ client, notes })
    expect((await service.call('GET', made, { token: first })).status).toBe(401)
  })

  test('the session whose hold a business key converted sees all of it', async () => {
    const token = await service.session(salon)
    const hold_id = await holdOf(service, salon, { token })
    const body = { hold_id, client, notes }
    expect((await service.call('POST', '/bookings', { token: salon.business_key, body })).status).toBe(201)
    expect((await service.call('GET', `/bookings/${hold_id}`, { token })).body).toMatchObject({
      client,
      notes,
    })
  })

  test('a booking that a key made is redacted for every session', async () => {
    const id = await bookingOf(service, salon, { token: salon.business_key, body: { client, notes } })
    const token = await service.session(salon)
    expect((await service.call('GET', `/bookings/${id}`, { token })).body).toMatchObject({
      client: masked,
      notes: null,
    })
  })

  test.each([
    [
      { first_name: '李', last_name: '小龍', email: 'x@例え.example' },
      { first_name: '李', last_name: '小.', email: 'x•••@例え.example' },
    ],
    [
      { first_name: '🦊', last_name: '🦊🦊', email: '🦊🦊@example.com' },
      { first_name: '🦊', last_name: '🦊.', email: '🦊•••@example.com' },
    ],
  ])('names and addresses are masked by characters, not by bytes: %j', async (given, shown) => {
    const id = await bookingOf(service, salon, { token: salon.business_key, body: { client: given } })
    const { body } = await service.call('GET', `/bookings/${id}`, { token: salon.publishable_key })
    expect(body.client).toEqual({ ...shown, phone: null })
  })

  test('a conflict tells a session nothing of the client in its way', async () => {
    const { body } = await seenBy(salon.business_key)
    const token = await service.session(salon)
    const wanted = { ...offer(salon, 'Consultation'), starts_at: body.starts_at as string }
    const refused = await service.call('POST', '/bookings/hold', { token, body: wanted })
    expect(refused).toMatchObject({ status: 409, body: { code: 'slot_booked' } })
    expect(JSON.stringify(refused.body)).not.toMatch(new RegExp(`Ada|Lovelace|${body.id as string}`))
  })
})

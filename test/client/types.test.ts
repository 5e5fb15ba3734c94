import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import {
  type Booking,
  type BookingStatus,
  createHoldfastClient,
  type Hold,
  type HoldfastClient,
  HoldfastError,
  isProblem,
  orThrow,
  type Problem,
  type ProblemCode,
  UnexpectedAnswerError,
} from '../../client/holdfast-client.ts'
import type { ProblemCode as ServerCode } from '../../src/base/errors.ts'
import { nextStart, type Tenant, unknownId } from '../support/tenant-things.ts'
import {
  ada,
  businessOf,
  offer,
  onEachEngine,
  startTestService,
  type TestService,
} from '../support/test-service.ts'
import { sendTo, timeOf } from './client-service.ts'

onEachEngine('the types of the client', (engine) => {
  let service: TestService
  let salon: Tenant
  let client: HoldfastClient
  beforeAll(async () => {
    service = await startTestService(engine)
    salon = businessOf(service.world, 'Salon Spree')
    client = createHoldfastClient(
      { baseUrl: 'http://holdfast.test', key: salon.business_key, fetch: sendTo(service).send },
      timeOf(service),
    )
  })
  afterAll(() => service.stop())

  const show = (id: string) => client.GET('/api/v1/bookings/{id}', { params: { path: { id } } })

  test('every code of the service is among them', () => {
    expectTypeOf<ProblemCode>().toEqualTypeOf<ServerCode>()
    expectTypeOf<Booking['status']>().toEqualTypeOf<BookingStatus>()
    expectTypeOf<Hold['hold_id']>().toEqualTypeOf<string>()
  })

  test('a problem has the members of its code', async () => {
    const starts_at = nextStart()
    const body = { ...offer(salon, 'Meeting room'), starts_at: '2020-01-01T10:00:00Z' }
    const { data, error } = await client.POST('/api/v1/bookings/hold', { body })
    if (data) throw new Error('a slot in the past was held')
    expectTypeOf(error.code).not.toEqualTypeOf<string>()
    // @ts-expect-error -- no hold is refused so
    expect(error.code === 'version_conflict').toBe(false)
    if (error.code !== 'slot_not_offered') throw new Error(`refused with ${error.code}`)
    expectTypeOf(error.status).toEqualTypeOf<422>()
    expect(error.reason).toBe('in_the_past')
    const { error: fieldError } = await client.POST('/api/v1/bookings/hold', {
      // @ts-expect-error -- a number is no instant
      body: { ...body, starts_at: 3 },
    })
    if (fieldError?.code !== 'validation_failed') throw new Error('a number was taken for an instant')
    expect(fieldError.errors.map(({ pointer }) => pointer)).toEqual(['/starts_at'])
    expect(starts_at).toMatch(/Z$/)
  })

  test('orThrow gives the data, or throws the problem', async () => {
    const page = await orThrow(client.GET('/api/v1/services', { params: { query: { limit: 1 } } }))
    expectTypeOf(page.next_cursor).toEqualTypeOf<string | null>()
    expect(page.data).toHaveLength(1)
    const failed = await orThrow(show(unknownId)).catch((error: unknown) => error)
    if (!(failed instanceof HoldfastError)) throw new Error('no problem was thrown')
    expectTypeOf(failed.problem).toEqualTypeOf<Problem>()
    expect(failed).toMatchObject({
      message: 'not_found: There is no booking with this id.',
      problem: { code: 'not_found', type: '/problems/not_found' },
      response: { status: 404 },
    })
    expect(isProblem(failed.problem)).toBe(true)
  })

  test('orThrow of an operation without an answer gives nothing', async () => {
    const body = { ...offer(salon, 'Meeting room'), starts_at: nextStart() }
    const { hold_id } = await orThrow(client.POST('/api/v1/bookings/hold', { body }))
    const path = { hold_id }
    expect(
      await orThrow(client.DELETE('/api/v1/bookings/hold/{hold_id}', { params: { path } })),
    ).toBeUndefined()
  })

  test('what is no problem document of the service is not taken for one', async () => {
    const strange = createHoldfastClient({
      baseUrl: 'http://holdfast.test',
      key: 'x',
      fetch: () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })),
    })
    await expect(orThrow(strange.GET('/api/v1/services'))).rejects.toThrow(UnexpectedAnswerError)
    for (const value of [null, 'x', {}, { code: 'x' }, { code: 'slot_held', type: 'about:blank' }])
      expect(isProblem(value)).toBe(false)
  })

  test('a visit of several services is typed from its search to its booking', async () => {
    const { service_id, location_id } = offer(salon, 'Haircut')
    const query = { items: `${service_id},${service_id}`, location_id }
    const slot = await orThrow(client.GET('/api/v1/availability/soonest', { params: { query } }))
    if (!slot) throw new Error('no time is free')
    expectTypeOf(slot.items?.[0]?.staff_ids).toEqualTypeOf<string[] | undefined>()
    const items = slot.items?.map((item) => ({ service_id: item.service_id })) ?? []
    const body = { location_id, starts_at: slot.starts_at, items }
    const hold = await orThrow(client.POST('/api/v1/bookings/hold', { body }))
    expect(hold.items).toHaveLength(2)
    const booking = await orThrow(
      client.POST('/api/v1/bookings', { body: { hold_id: hold.hold_id, client: ada } }),
    )
    expectTypeOf(booking.items[0]?.starts_at).toEqualTypeOf<string | undefined>()
    expect(booking.items.map((item) => item.service.name)).toEqual(['Haircut', 'Haircut'])
  })
})

import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import {
  type Booking,
  type BookingStatus,
  createHoldfastClient,
  type Hold,
  type HoldfastClient,
  HoldfastError,
  isProblem,
  type Problem,
  type ProblemCode,
  UnexpectedAnswerError,
} from '../../client/holdfast-client.ts'
import type { ProblemCode as ServerCode } from '../../src/base/errors.ts'
import { nextStart, type Tenant, unknownId } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'
import { sendTo, timeOf } from './client-service.ts'

onOneEngine('sqlite', 'the types of the client', (engine) => {
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

  test('every code of the service is among them', () => {
    expectTypeOf<ProblemCode>().toEqualTypeOf<ServerCode>()
    expectTypeOf<Booking['status']>().toEqualTypeOf<BookingStatus>()
    expectTypeOf<Hold['hold_id']>().toEqualTypeOf<string>()
  })

  const refusal = async (call: Promise<unknown>): Promise<HoldfastError> => {
    const error = await call.then(
      () => 'nothing was refused',
      (reason: unknown) => reason,
    )
    if (error instanceof HoldfastError) return error
    throw error
  }

  test('a refusal has its code and status, and the members of its code', async () => {
    const body = { ...offer(salon, 'Meeting room'), starts_at: '2020-01-01T10:00:00Z' }
    const error = await refusal(client.holds.create(body))
    expectTypeOf(error.code).toEqualTypeOf<ProblemCode>()
    expectTypeOf(error.problem).toEqualTypeOf<Problem>()
    expect(error.is('slot_held', 'slot_booked')).toBe(false)
    if (!error.is('slot_not_offered')) throw error
    expectTypeOf(error.problem.status).toEqualTypeOf<422>()
    expect(error.problem.reason).toBe('in_the_past')
    expect(error).toMatchObject({ code: 'slot_not_offered', status: 422, fields: {} })
    const missing = await refusal(client.bookings.get(unknownId))
    expect(missing).toMatchObject({
      message: 'not_found: There is no booking with this id.',
      problem: { code: 'not_found', type: '/problems/not_found' },
      response: { status: 404 },
    })
    expect(isProblem(missing.problem)).toBe(true)
  })

  test('a refusal names the wrong fields', async () => {
    const items = [{ service_id: 'x' }]
    const hold = { ...offer(salon, 'Haircut'), items, starts_at: nextStart() }
    // @ts-expect-error -- a number is no instant
    const one = await refusal(client.holds.create({ ...hold, starts_at: 3 }))
    expect(Object.keys(one.fields)).toEqual(expect.arrayContaining(['starts_at', 'items.0.service_id']))
    const other = await refusal(
      client.bookings.create({ hold_id: unknownId, client: { ...ada, email: 'ada' } }),
    )
    expect(other.fields).toEqual({ 'client.email': expect.stringMatching(/./) as string })
  })

  test('an operation without an answer gives nothing', async () => {
    const body = { ...offer(salon, 'Meeting room'), starts_at: nextStart() }
    const { hold_id } = await client.holds.create(body)
    expect(await client.holds.release(hold_id)).toBeUndefined()
  })

  test('what is no problem document of the service is not taken for one', async () => {
    const strange = createHoldfastClient({
      baseUrl: 'http://holdfast.test',
      key: 'x',
      fetch: () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })),
    })
    await expect(strange.bookings.get(unknownId)).rejects.toThrow(UnexpectedAnswerError)
    for (const value of [null, 'x', {}, { code: 'x' }, { code: 'slot_held', type: 'about:blank' }])
      expect(isProblem(value)).toBe(false)
  })

  test('a visit of several services is typed from its search to its booking', async () => {
    const { service_id, location_id } = offer(salon, 'Haircut')
    const query = { items: `${service_id},${service_id}`, location_id }
    const slot = await client.availability.findSoonest(query)
    if (!slot) throw new Error('no time is free')
    expectTypeOf(slot.items?.[0]?.staff_ids).toEqualTypeOf<string[] | undefined>()
    const items = slot.items?.map((item) => ({ service_id: item.service_id })) ?? []
    const hold = await client.holds.create({ location_id, starts_at: slot.starts_at, items })
    expect(hold.items).toHaveLength(2)
    const booking = await client.bookings.create({ hold_id: hold.hold_id, client: ada })
    expectTypeOf(booking.items[0]?.starts_at).toEqualTypeOf<string | undefined>()
    expect(booking.items.map((item) => item.service.name)).toEqual(['Haircut', 'Haircut'])
  })
})

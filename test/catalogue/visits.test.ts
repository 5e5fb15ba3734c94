import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOfferingParts } from '../../src/catalogue/offering-queries.ts'
import { findWholeCatalogue } from '../../src/catalogue/offering.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { makeBusiness, makeLocation, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { engines, startTestService, type TestService } from '../support/test-service.ts'

type Body = Record<string, unknown>

describe.each(engines)('resources, steps, needs and terms (%s)', (engine) => {
  let service: TestService
  let spa: OwnBusiness
  let place: string
  let elsewhere: string
  let anna: string
  let ben: string
  let room: string

  beforeAll(async () => {
    service = await startTestService(engine)
    spa = await makeBusiness(service)
    place = await makeLocation(service, spa.id)
    elsewhere = await makeLocation(service, spa.id, { name: 'Elsewhere' })
    ;[anna = '', ben = ''] = await makeStaff(service, spa.id, ['Anna', 'Ben'])
    room = (await make('/resources', { location_id: place, name: 'Room', quantity: 2 }))['id'] as string
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, body?: object, token = spa.key) =>
    service.call(method, path, { token, ...(body && { body }) })
  const make = async (path: string, body: object): Promise<Body> => {
    const reply = await call('POST', path, body)
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 })
    return reply.body
  }
  const colour = () => ({
    name: 'Colour',
    steps: [
      { minutes: 30, staffed: true },
      { minutes: 35, staffed: false },
      { minutes: 25, staffed: true },
    ],
    price: { amount: 9_000, currency: 'EUR' },
    location_ids: [place],
    staff_ids: [anna, ben],
    needs: [{ resource_ids: [room] }],
    terms: [{ staff_id: anna, price: { amount: 9_500, currency: 'EUR' }, duration_minutes: 80 }],
  })
  const versionOf = async () => {
    const row = (await service.rows('businesses')).find(({ id }) => id === spa.id)
    return Number(row?.['catalogue_version'])
  }

  test('a service with steps lasts their sum, and its needs have defaults', async () => {
    const made = await make('/services', colour())
    const shown = { ...colour(), needs: [{ resource_ids: [room], quantity: 1, during: 'all' }] }
    expect(made).toMatchObject({ ...shown, duration_minutes: 90, slot_interval_minutes: 90 })
    expect((await call('GET', `/services/${String(made['id'])}`)).body).toEqual(made)
  })

  test('an offering has the resources that its service needs at the location', async () => {
    const chair = (await make('/resources', { location_id: elsewhere, name: 'Chair' }))['id'] as string
    const needs = [{ resource_ids: [room, chair], quantity: 2, during: 'staffed' }]
    const made = await make('/services', { ...colour(), needs, location_ids: [place, elsewhere] })
    await call('DELETE', `/resources/${chair}`)
    const ids = { serviceId: String(made['id']), locationId: elsewhere }
    const read = (locationId: string) =>
      findOfferingParts(service.context.db.reads, { businessId: spa.id }, { ...ids, locationId })
    expect(await read(elsewhere)).toMatchObject({
      resources: [{ id: chair, quantity: 1, active: false }],
      maxGapMinutes: 0,
      service: { needs },
    })
    expect((await read(place)).resources).toMatchObject([{ id: room, location_id: place, quantity: 2 }])
    const whole = await findWholeCatalogue(service.context.db.reads, spa.id)
    expect(whole?.resources.map(({ id }) => id)).toEqual(expect.arrayContaining([room, chair]))
  })

  test('the longest pause belongs to the version of the catalogue', async () => {
    const before = await versionOf()
    const reply = await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 15 })
    expect(reply.body).toMatchObject({ max_gap_minutes: 15 })
    expect(await versionOf()).toBe(before + 1)
    await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 15 })
    expect(await versionOf()).toBe(before + 1)
    expectErrors(await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 121 }), '/max_gap_minutes')
    await call('PATCH', `/businesses/${spa.id}`, { max_gap_minutes: 0 })
  })
})

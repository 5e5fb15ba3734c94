import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, sessionClient, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { rowOf } from '../support/records.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const at = (time: string) => `2026-12-01T${time}:00+01:00`

onOneEngine('sqlite', 'buffers of a slot', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  test('what a slot takes reaches from its buffer before to its buffer after', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 30, bufferBefore: 15, bufferAfter: 10 })
    const held = await key.hold(offer, at('10:00'))
    expect(held.body).toMatchObject({ starts_at: at('10:00'), ends_at: at('10:30') })
    expect(await rowOf(service, 'claims', String(held.body.hold_id))).toMatchObject({
      starts_at: '2026-12-01T09:00:00.000Z',
      ends_at: '2026-12-01T09:30:00.000Z',
      taken_from: '2026-12-01T08:45:00.000Z',
      taken_until: '2026-12-01T09:40:00.000Z',
    })
  })

  test('back-to-back slots never conflict', async () => {
    const offer = await makeOffer(service, business.id, { minutes: 30 })
    for (const time of ['10:00', '10:30', '09:30']) {
      expect(await key.hold(offer, at(time))).toMatchObject({ status: 201 })
    }
    expect(await key.hold(offer, at('10:15'))).toMatchObject({ status: 409 })
  })

  test('slots conflict where their buffers meet, to the minute and on both sides', async () => {
    const parts = { minutes: 30, bufferBefore: 15, bufferAfter: 10 }
    const offer = await makeOffer(service, business.id, parts)
    expect(await key.hold(offer, at('10:00'))).toMatchObject({ status: 201 })
    // the earlier one, with its 10 minutes and 15 of the later one, ends before 10:00
    expect(await key.hold(offer, at('10:54'))).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    expect(await key.hold(offer, at('09:06'))).toMatchObject({ status: 409, body: { code: 'slot_held' } })
    expect(await key.hold(offer, at('10:55'))).toMatchObject({ status: 201 })
    expect(await key.hold(offer, at('09:05'))).toMatchObject({ status: 201 })
  })

  test('a slot without buffers is kept out by the buffers of another service of the same person', async () => {
    const staffIds = await makeStaff(service, business.id, ['Kim'])
    const buffered = await makeOffer(service, business.id, { bufferAfter: 10, staffIds })
    const bare = {
      service_id: await makeService(service, business.id, { locationIds: [buffered.location_id], staffIds }),
      location_id: buffered.location_id,
    }
    expect(await key.hold(buffered, at('10:00'))).toMatchObject({ status: 201 })
    expect(await key.hold(bare, at('10:39'))).toMatchObject({ status: 409 })
    expect(await key.hold(bare, at('10:40'))).toMatchObject({ status: 201 })
    expect(await key.hold(bare, at('09:30'))).toMatchObject({ status: 201 })
  })

  test('the longest slot with the longest buffers can be held and booked', async () => {
    const offer = await makeOffer(service, business.id, {
      minutes: 1440,
      bufferBefore: 720,
      bufferAfter: 720,
    })
    const session = await sessionClient(service, business)
    const held = await session.hold(offer, at('10:00'))
    expect(held).toMatchObject({ status: 201, body: { ends_at: '2026-12-02T10:00:00+01:00' } })
    expect(await session.book(String(held.body.hold_id))).toMatchObject({ status: 201 })
  })
})

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, clientOf, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { expectRefusal } from '../support/refusals.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'ETag and If-Match of a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  let id: string
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    key = clientOf(service, business.key)
  })
  beforeEach(async () => {
    const offer = await makeOffer(service, business.id)
    id = String((await bookSlot(key, offer, '2026-12-01T10:00:00+01:00')).id)
    await key.change(id, { notes: 'now at version 2' })
  })
  afterAll(() => service.stop())

  const stale = {
    status: 412,
    body: { code: 'version_conflict', current_etag: '"2"', type: '/problems/version_conflict' },
  }

  test('every answer about a booking carries its version', async () => {
    expect((await key.show(id)).headers['etag']).toBe('"2"')
    expect((await key.change(id, { notes: 'x' })).headers['etag']).toBe('"3"')
    expect((await key.change(id, {})).headers['etag']).toBe('"3"')
    expect((await key.cancel(id)).headers['etag']).toBe('"4"')
    expect((await key.cancel(id)).headers['etag']).toBe('"4"')
  })

  test.each(['"2"', ' "2" ', '*', '"1", "2"', '"2","7"', 'W/"1", "2"'])(
    'If-Match %s lets the change and the cancellation through',
    async (tag) => {
      const changed = await key.change(id, {}, { 'if-match': tag })
      expect(changed.status).toBe(200)
      expect(await key.cancel(id, { 'if-match': tag })).toMatchObject({ status: 200 })
    },
  )

  test.each(['"1"', '"3"', 'W/"2"', '2', '""', '"', 'x', '"1", "3"', '"02"', '"2" x', '**'])(
    'If-Match %s changes and cancels nothing',
    async (tag) => {
      const headers = { 'if-match': tag }
      await expectRefusal(service, () => key.change(id, { notes: 'lost update' }, headers), stale)
      await expectRefusal(service, () => key.change(id, {}, headers), stale)
      await expectRefusal(service, () => key.cancel(id, headers), stale)
    },
  )

  test('of two who change the version that they have read, one is told to read again', async () => {
    const headers = { 'if-match': '"2"' }
    const replies = await Promise.all([
      key.change(id, { notes: 'one' }, headers),
      key.change(id, { notes: 'two' }, headers),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  test('cancelling again with the version from before is refused', async () => {
    await key.cancel(id, { 'if-match': '"2"' })
    await expectRefusal(service, () => key.cancel(id, { 'if-match': '"2"' }), {
      status: 412,
      body: { current_etag: '"3"' },
    })
  })

  test('faults of the request come before those of its precondition, which come before conflicts', async () => {
    const headers = { 'if-match': '"1"' }
    await expectRefusal(service, () => key.change(id, { ends_at: '2026-12-01T09:00:00+01:00' }, headers), {
      status: 422,
      body: { code: 'validation_failed' },
    })
    await expectRefusal(service, () => key.change(id, { starts_at: '2026-01-01T09:00:00Z' }, headers), {
      status: 422,
      body: { code: 'slot_not_offered' },
    })
    const offer = { service_id: '', location_id: '' }
    const shown = await key.show(id)
    offer.service_id = String(shown.body.service.id)
    offer.location_id = String(shown.body.location.id)
    await key.hold(offer, '2026-12-01T12:00:00+01:00')
    await expectRefusal(
      service,
      () => key.change(id, { starts_at: '2026-12-01T12:00:00+01:00' }, headers),
      stale,
    )
  })
})

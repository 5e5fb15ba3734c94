import { afterAll, beforeAll, expect, test } from 'vitest'
import { asKeysSee } from '../support/event-body.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, businessOf, offer, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'from a publishable key to a booking', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  test('a session holds a slot and books it; a business key shows, moves and cancels it', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    const token = await service.session()
    const held = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer(business, 'Haircut'), starts_at: '2026-12-01T10:00:00+01:00' },
    })
    expect(held).toMatchObject({
      status: 201,
      body: {
        ...offer(business, 'Haircut'),
        starts_at: '2026-12-01T10:00:00+01:00',
        ends_at: '2026-12-01T10:30:00+01:00',
        expires_at: '2026-11-20T10:10:00+01:00',
      },
    })
    const booked = await service.call('POST', '/bookings', {
      token,
      body: { hold_id: held.body.hold_id, client: ada },
    })
    expect(booked).toMatchObject({
      status: 201,
      body: { status: 'confirmed', client: { ...ada, phone: null } },
    })

    const key = business.business_key
    const path = `/bookings/${booked.body.id}`
    const shown = await service.call('GET', path, { token: key })
    expect(shown.body).toEqual(asKeysSee(booked.body))
    const moved = await service.call('PATCH', path, {
      token: key,
      body: { starts_at: '2026-12-02T11:00:00+01:00' },
    })
    expect(moved).toMatchObject({
      status: 200,
      body: { ends_at: '2026-12-02T11:30:00+01:00' },
      headers: { etag: '"2"' },
    })
    const cancelled = await service.call('DELETE', path, { token: key })
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect((await service.events()).map(({ type }) => type)).toEqual([
      'booking.created',
      'booking.updated',
      'booking.cancelled',
    ])
    expect(await service.rows('claims')).toMatchObject([
      { ended_at: new Date(cancelled.body.cancelled_at).toISOString() },
    ])
  })
})

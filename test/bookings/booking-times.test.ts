import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf, type Client } from '../support/client.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { eventsOf } from '../support/records.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** Slots of three hours over clock changes: their start and end as instants, then as displayed. */
const slots = [
  // clocks go back at 02:00
  ['America/New_York', '2027-11-07T04:30:00Z', '2027-11-07T00:30:00-04:00', '2027-11-07T02:30:00-05:00'],
  // clocks go forward at 02:00
  ['America/New_York', '2027-03-14T06:30:00Z', '2027-03-14T01:30:00-05:00', '2027-03-14T05:30:00-04:00'],
  ['Europe/Berlin', '2027-03-28T00:30:00Z', '2027-03-28T01:30:00+01:00', '2027-03-28T05:30:00+02:00'],
  ['Europe/Berlin', '2027-10-30T23:30:00Z', '2027-10-31T01:30:00+02:00', '2027-10-31T03:30:00+01:00'],
  // by half an hour
  ['Australia/Lord_Howe', '2027-04-03T13:30:00Z', '2027-04-04T00:30:00+11:00', '2027-04-04T03:00:00+10:30'],
  ['Asia/Kolkata', '2027-03-28T00:30:00Z', '2027-03-28T06:00:00+05:30', '2027-03-28T09:00:00+05:30'],
  ['UTC', '2027-03-28T00:30:00Z', '2027-03-28T00:30:00+00:00', '2027-03-28T03:30:00+00:00'],
] as const

onOneEngine('sqlite', 'times as they are shown', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let key: Client
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service, { timezone: 'Europe/London' })
    key = clientOf(service, business.key)
  })
  afterAll(() => service.stop())

  test.each(slots)('in the zone of the location, %s, over the change of %s', async (...slot) => {
    const [timezone, instant, starts_at, ends_at] = slot
    const offer = await makeOffer(service, business.id, { timezone, minutes: 180 })
    const held = await key.hold(offer, instant)
    expect(held.body).toMatchObject({ starts_at, ends_at })
    const booked = await key.book(String(held.body.hold_id))
    expect(booked.body).toMatchObject({ starts_at, ends_at, location: { timezone } })
    const [event] = await eventsOf(service, String(booked.body.id))
    expect(event?.payload['data']).toMatchObject({ starts_at, ends_at })
    const offset = /[+-]\d\d:\d\d$/
    for (const time of [held.body.expires_at, booked.body.created_at, event?.payload['timestamp']]) {
      expect(time).toMatch(offset)
      expect(time).toBe(shown(Date.parse(String(time)), timezone))
    }
  })

  test('a booking that moves over the end of New York’s summer time keeps its length', async () => {
    const offer = await makeOffer(service, business.id, { timezone: 'America/New_York', minutes: 90 })
    const booking = await bookSlot(key, offer, '2027-11-06T10:00:00-04:00')
    const moved = await key.change(String(booking.id), { starts_at: '2027-11-07T00:45:00-04:00' })
    expect(moved.body).toMatchObject({
      starts_at: '2027-11-07T00:45:00-04:00',
      ends_at: '2027-11-07T01:15:00-05:00',
    })
  })

  test('the hour that a clock repeats is two hours that can both be booked', async () => {
    const offer = await makeOffer(service, business.id, { timezone: 'America/New_York', minutes: 60 })
    const first = await key.hold(offer, '2027-11-07T01:00:00-04:00')
    const second = await key.hold(offer, '2027-11-07T01:00:00-05:00')
    expect([first.body.starts_at, second.body.starts_at]).toEqual([
      '2027-11-07T01:00:00-04:00',
      '2027-11-07T01:00:00-05:00',
    ])
  })

  test('input may come in any offset', async () => {
    const offer = await makeOffer(service, business.id)
    const held = await key.hold(offer, '2026-12-01t22:30:00.123456789+13:30')
    expect(held.body.starts_at).toBe('2026-12-01T10:00:00+01:00')
  })
})

/** Computes the same in a different way from the service. */
function shown(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(ms)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ''
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00'
  const time = [part('hour'), part('minute'), part('second')].join(':')
  return `${part('year')}-${part('month')}-${part('day')}T${time}${offset}`
}

import { describe, expect, test } from 'vitest'
import {
  eligibleStaff,
  overlaps,
  locationResource,
  slotOf,
  staffResource,
  takenBy,
} from '../../src/availability/resource-rules.ts'
import { type Instant, parseInstant } from '../../src/base/instants.ts'
import type { Location, StaffMember } from '../../src/catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../src/catalogue/service-schemas.ts'

function instant(text: string): Instant {
  const read = parseInstant(text)
  if (!read) throw new Error(`no instant: ${text}`)
  return read
}
const at = (time: string) => instant(`2026-12-01T${time}:00Z`)

const service: Service = {
  id: 'service',
  business_id: 'business',
  name: 'Massage',
  slug: null,
  position: null,
  category: null,
  image_url: null,
  description: null,
  duration_minutes: 30,
  buffer_before_minutes: 0,
  buffer_after_minutes: 0,
  slot_interval_minutes: 30,
  timetable: null,
  ...{ steps: null, needs: [], terms: [] },
  min_notice_minutes: 0,
  max_advance_days: null,
  cancel_until_minutes: 1440,
  reschedule_until_minutes: 1440,
  max_reschedules: 3,
  max_repeats: 1,
  confirmation: 'automatic',
  respond_within_minutes: 1440,
  capacity: 1,
  waitlist: true,
  ...{ fees: [], no_show_percent: null },
  price: null,
  deposit: null,
  payment: 'none',
  location_ids: ['here'],
  staff_ids: [],
  client_fields: { phone: 'optional', last_name: 'required' },
  custom_fields: [],
  active: true,
}

describe('times', () => {
  test('overlap is half-open', () => {
    const span = (from: string, to: string) => ({ starts_at: at(from), ends_at: at(to) })
    expect(overlaps(span('10:00', '11:00'), span('11:00', '12:00'))).toBe(false)
    expect(overlaps(span('11:00', '12:00'), span('10:00', '11:00'))).toBe(false)
    expect(overlaps(span('10:00', '11:01'), span('11:00', '12:00'))).toBe(true)
    expect(overlaps(span('10:00', '12:00'), span('10:30', '11:00'))).toBe(true)
    expect(overlaps(span('10:30', '11:00'), span('10:00', '12:00'))).toBe(true)
  })

  test('a slot lasts as long as its service and takes its buffers too', () => {
    const buffered = { ...service, buffer_before_minutes: 15, buffer_after_minutes: 5 }
    const slot = slotOf(buffered, at('10:00'))
    expect(slot).toEqual({ starts_at: at('10:00'), ends_at: at('10:30') })
    expect(takenBy(buffered, slot)).toEqual({ starts_at: at('09:45'), ends_at: at('10:35') })
  })

  test('a buffer does not reach behind 1970', () => {
    const slot = slotOf(service, instant('1970-01-01T00:10:00Z'))
    const taken = takenBy({ ...service, buffer_before_minutes: 15 }, slot)
    expect(taken.starts_at).toBe(instant('1970-01-01T00:00:00Z'))
  })

  test('a slot or buffer that reaches the year 10000 is refused', () => {
    const last = instant('9999-12-31T23:59:59Z')
    expect(() => slotOf(service, last)).toThrow('year 10000')
    const slot = { starts_at: last, ends_at: last }
    expect(() => takenBy({ ...service, buffer_after_minutes: 1 }, slot)).toThrow('year 10000')
  })
})

describe('resources', () => {
  const location = { id: 'here' } as Location
  const member = (id: string, parts: Partial<StaffMember> = {}) =>
    ({ id, active: true, location_ids: [], ...parts }) as unknown as StaffMember

  test('an unstaffed service at a location is one resource with its capacity as seats', () => {
    const resource = locationResource({ ...service, capacity: 4 }, 'here')
    expect(resource).toMatchObject({ staffId: null, seats: 4, occurrenceId: resource.id })
    expect(locationResource(service, 'there').id).not.toBe(resource.id)
  })

  test('everybody who is active and works there would do, or the one who is wanted', () => {
    const staff = [
      member('a', { location_ids: ['there'] }),
      member('b'),
      member('c', { location_ids: ['here', 'there'] }),
      member('d', { active: false }),
    ]
    const ids = (wanted?: string) => eligibleStaff({ staff, location }, wanted).map(({ id }) => id)
    expect(ids()).toEqual(['b', 'c'])
    expect(ids('c')).toEqual(['c'])
    expect(ids('a')).toEqual([])
    expect(ids('d')).toEqual([])
  })

  test('one occurrence is the same service, location and start', () => {
    const place = { staffId: 'a', locationId: 'here', startsAt: at('10:00') }
    const { occurrenceId } = staffResource(service, place)
    expect(staffResource(service, { ...place, staffId: 'b' }).occurrenceId).toBe(occurrenceId)
    for (const other of [
      staffResource({ ...service, id: 'other' }, place),
      staffResource(service, { ...place, locationId: 'there' }),
      staffResource(service, { ...place, startsAt: at('10:05') }),
    ]) {
      expect(other.occurrenceId).not.toBe(occurrenceId)
    }
  })
})

import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/base/errors.ts'
import { type Instant, parseInstant } from '../../src/base/instants.ts'
import {
  assertVersion,
  etagOf,
  planChange,
  readIfMatch,
  type WantedChange,
} from '../../src/bookings/booking-rules.ts'
import type { BookingsTable, BookingStatus } from '../../src/database/tables.ts'

function at(text: string): Instant {
  const read = parseInstant(text)
  if (!read) throw new Error(`no instant: ${text}`)
  return read
}

const now = at('2026-11-20T09:00:00Z')
const start = at('2026-12-01T10:00:00Z')
const end = at('2026-12-01T10:30:00Z')
const statuses: BookingStatus[] = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled']

function booking(parts: Partial<BookingsTable> = {}): BookingsTable {
  return {
    id: 'booking',
    business_id: 'business',
    service_id: 'service',
    location_id: 'location',
    staff_id: null,
    chosen_staff_id: null,
    starts_at: start,
    ends_at: end,
    party_size: 1,
    status: 'confirmed',
    notes: null,
    client_first_name: 'Ada',
    client_last_name: 'Lovelace',
    client_email: 'ada@example.com',
    client_phone: null,
    client_search: 'ada lovelace\nada@example.com\n\n',
    custom_field_values_json: '[]',
    owner_id: 'owner',
    locale: null,
    time_zone: null,
    text_consent: null,
    text_agreed_at: null,
    ...{ fee_rules_json: null, fee_consent: null, fee_agreed_at: null, agreed_starts_at: null },
    scheduled_at: now,
    cancelled_at: null,
    confirmed_at: now,
    respond_by: null,
    request_check_at: null,
    no_show_at: null,
    cancel_reason: null,
    manage_generation: 1,
    manage_digest: 'digest',
    client_reschedules: 0,
    payment_id: null,
    counted_client: null,
    caused_by: null,
    created_at: now,
    updated_at: now,
    erased_at: null,
    client_id: null,
    agreed_amount: null,
    agreed_currency: '',
    item_count: null,
    series_id: null,
    metadata_json: null,
    coupon_id: null,
    discount_json: null,
    version: 1,
    ...parts,
  }
}

const withStatus = (status: BookingStatus) =>
  booking({ status, cancelled_at: status === 'cancelled' ? now : null })

const plan = (wanted: WantedChange, of = booking()) => planChange(of, wanted, now)

describe('what follows from a change', () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'of status, from %s to %s',
    (from, to) => {
      const found = plan({ status: to }, withStatus(from))
      if (from === to) {
        expect(found).toBeUndefined()
        return
      }
      expect(found?.columns).toEqual({
        status: to,
        cancelled_at: to === 'cancelled' ? now : null,
        ...(from === 'cancelled' && { scheduled_at: now }), // it takes its slot again
      })
      expect(found?.leavesSlot).toBe(to === 'cancelled')
      expect(found?.takesSlot).toBe(from === 'cancelled')
      const special = to === 'cancelled' || to === 'completed'
      expect(found?.events).toEqual([special ? `booking.${to}` : 'booking.updated'])
    },
  )

  test.each([
    [{}],
    [{ startsAt: start }],
    [{ endsAt: end }],
    [{ notes: null }],
    [{ startsAt: start, endsAt: end, notes: null, status: 'confirmed' as const }],
  ])('of what it is already, %j: nothing', (wanted) => {
    expect(plan(wanted)).toBeUndefined()
  })

  test('of notes: they alone', () => {
    expect(plan({ notes: 'x' })).toEqual({
      columns: { notes: 'x' },
      action: 'booking.updated',
      events: ['booking.updated'],
      leavesSlot: false,
      takesSlot: false,
      movesCancelled: false,
      deposit: undefined,
      endsRequest: false,
    })
  })

  test('of the start: the end moves along', () => {
    expect(plan({ startsAt: at('2026-12-02T10:00:00Z') })).toEqual({
      columns: {
        starts_at: at('2026-12-02T10:00:00Z'),
        ends_at: at('2026-12-02T10:30:00Z'),
        scheduled_at: now,
      },
      action: 'booking.updated',
      events: ['booking.updated', 'booking.rescheduled'],
      leavesSlot: true,
      takesSlot: true,
      movesCancelled: false,
      deposit: undefined,
      endsRequest: false,
    })
  })

  test('of the time of a cancelled booking: no slot is left or taken', () => {
    const moved = plan({ endsAt: at('2026-12-01T11:00:00Z') }, withStatus('cancelled'))
    expect(moved).toMatchObject({ leavesSlot: false, takesSlot: false, events: ['booking.updated'] })
  })

  test('a return at another time takes the new slot only', () => {
    const wanted = { status: 'confirmed' as const, startsAt: at('2026-12-02T10:00:00Z') }
    expect(plan(wanted, withStatus('cancelled'))).toMatchObject({ leavesSlot: false, takesSlot: true })
  })

  test('a cancellation at another time leaves the old slot only', () => {
    const wanted = { status: 'cancelled' as const, startsAt: at('2026-12-02T10:00:00Z') }
    expect(plan(wanted)).toMatchObject({ leavesSlot: true, takesSlot: false, events: ['booking.cancelled'] })
  })

  test('completed and something else: booking.updated, then booking.completed', () => {
    expect(plan({ status: 'completed', notes: 'x' })?.events).toEqual([
      'booking.updated',
      'booking.completed',
    ])
    expect(plan({ status: 'completed', notes: null })?.events).toEqual(['booking.completed'])
  })
})

describe('times that are refused', () => {
  const codeOf = (wanted: WantedChange, of = booking()) => {
    try {
      plan(wanted, of)
    } catch (error) {
      if (error instanceof Problem)
        return error.parts.errors?.[0]?.pointer ?? error.parts.extensions?.['reason']
      throw error
    }
    return 'allowed'
  }

  test('an end that is not after the start, or more than 24 hours after it', () => {
    expect(codeOf({ endsAt: start })).toBe('/ends_at')
    expect(codeOf({ endsAt: at('2026-12-01T09:00:00Z') })).toBe('/ends_at')
    expect(codeOf({ endsAt: at('2026-12-02T10:00:01Z') })).toBe('/ends_at')
    expect(codeOf({ endsAt: at('2026-12-02T10:00:00Z') })).toBe('allowed')
    expect(codeOf({ endsAt: at('2026-12-01T10:00:01Z') })).toBe('allowed')
  })

  test('a new start now or before', () => {
    expect(codeOf({ startsAt: now })).toBe('in_the_past')
    expect(codeOf({ startsAt: at('2026-11-20T09:00:01Z') })).toBe('allowed')
  })

  test('the start of a past booking may be said again', () => {
    const past = booking({ starts_at: at('2026-11-19T10:00:00Z'), ends_at: at('2026-11-19T11:00:00Z') })
    expect(codeOf({ startsAt: past.starts_at, status: 'completed' }, past)).toBe('allowed')
    expect(codeOf({ endsAt: at('2026-11-19T12:00:00Z') }, past)).toBe('allowed')
    expect(codeOf({ startsAt: at('2026-11-19T10:00:01Z') }, past)).toBe('in_the_past')
  })

  test('a start from which the kept length reaches the year 10000', () => {
    expect(codeOf({ startsAt: at('9999-12-31T23:45:00Z') })).toBe('/starts_at')
  })
})

describe('versions', () => {
  const matches = (ifMatch: string | undefined) => {
    try {
      assertVersion({ version: 12 }, readIfMatch(ifMatch))
      return true
    } catch (error) {
      expect(error).toMatchObject({
        code: 'version_conflict',
        parts: { extensions: { current_etag: '"12"' } },
      })
      return false
    }
  }

  test('the entity tag is the version in quotes', () => {
    expect(etagOf({ version: 12 })).toBe('"12"')
  })

  test.each([[undefined], ['*'], [' * '], ['"12"'], ['"1", "12"'], ['"1","12","3"']])(
    '%j matches',
    (ifMatch) => {
      expect(matches(ifMatch)).toBe(true)
    },
  )

  test.each(['', '12', 'W/"12"', '"1"', '"1", "2"', '"112"', '"12', ',', '"12";'])(
    '%j does not',
    (ifMatch) => {
      expect(matches(ifMatch)).toBe(false)
    },
  )
})

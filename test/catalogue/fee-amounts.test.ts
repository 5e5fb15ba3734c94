import { describe, expect, test } from 'vitest'
import type { Instant } from '../../src/base/instants.ts'
import { languageFor } from '../../src/base/languages.ts'
import { chargeLimit, feeTermsOf } from '../../src/catalogue/booking-fee-rules.ts'
import { feeSentence } from '../../src/mails/fee-sentence.ts'

const at = '2026-12-01T09:00:00.000Z' as Instant
const fees = [
  { within_minutes: 1_440, percent: 50 },
  { within_minutes: 120, percent: 80 },
]

/** A booking with a price of 60.00, to whose fees the client has agreed. */
const booking = {
  ...{ id: 'b', starts_at: at, ends_at: at, agreed_starts_at: at, party_size: 1 },
  ...{ service_id: 's', service_name: 'Massage', duration_minutes: 30, staff_id: null, staff_name: null },
  ...{ price_amount: 6_000, price_currency: 'EUR', items_json: null, discount_json: null },
  ...{ cancel_until_minutes: 0, reschedule_until_minutes: 0, max_reschedules: 0 },
  fee_rules_json: JSON.stringify([{ service_id: 's', fees, no_show_percent: 60 }]),
  ...{
    status: 'confirmed' as const,
    fee_agreed_at: at as Instant | null,
    no_show_at: null as Instant | null,
  },
  ...{ payment_kind: 'card' as const, payment_status: 'paid' as const, payment_amount: 0 },
  ...{ payment_currency: 'EUR', payment_refund_total: 0, payment_paid_at: at as Instant | null },
}
/** The same, paid in advance. */
const paidBefore = (amount: number, returned = 0) => ({
  ...booking,
  ...{ payment_kind: 'deposit' as const, payment_amount: amount, payment_refund_total: returned },
})

describe('a charge by hand', () => {
  const charge = (amount: number, parts: { status?: string; returned?: number } = {}) => ({
    ...{ amount, status: 'paid', returned: 0, ...parts },
  })

  test('is at most the price and the highest fee', () => {
    expect(chargeLimit(booking, [])).toEqual({ most: 10_800, left: 10_800, currency: 'EUR' })
    expect(chargeLimit({ ...booking, fee_agreed_at: null }, [])).toMatchObject({ most: 6_000 })
  })

  test('of a cancelled booking or a no-show is at most the highest fee', () => {
    expect(chargeLimit({ ...booking, status: 'cancelled' }, [])).toMatchObject({ most: 4_800 })
    expect(chargeLimit({ ...booking, no_show_at: at }, [])).toMatchObject({ most: 4_800 })
  })

  test('is less by all that was paid in advance and has not come back', () => {
    expect(chargeLimit(paidBefore(2_500), [])).toMatchObject({ left: 8_300 })
    expect(chargeLimit(paidBefore(2_500, 1_000), [])).toMatchObject({ left: 9_300 })
  })

  test('is less by other charges, made or not, unless they were waived or have come back', () => {
    const others = [
      ...[charge(1_000), charge(2_000, { status: 'due' }), charge(3_000, { status: 'charging' })],
      ...[charge(4_000, { status: 'waived' }), charge(500, { returned: 200 })],
    ]
    expect(chargeLimit(booking, others)).toMatchObject({ left: 10_800 - 6_300 })
    expect(chargeLimit(booking, [charge(20_000)])).toMatchObject({ left: 0 })
  })
})

describe('the fees that a client agrees to', () => {
  const says = (one: Parameters<typeof feeSentence>[0]) => feeSentence(one, languageFor('en'))

  test('are charged to a card that was only saved', () => {
    expect(feeTermsOf(booking)).toMatchObject({
      late: [
        { within_minutes: 1_440, amount: 3_000, charged: 3_000, kept: 0, refunded: 0 },
        { within_minutes: 120, amount: 4_800, charged: 4_800 },
      ],
      missed: { amount: 3_600, charged: 3_600, kept: 0 },
    })
    expect(says(booking)).toContain('24 hours before the start, we charge €30 to your card.')
  })

  test('are kept of a payment, and the rest comes back', () => {
    expect(says(paidBefore(6_000))).toBe(
      'If you cancel less than 24 hours before the start, we keep €30 of your payment, and €30 comes back. ' +
        'If you cancel less than 2 hours before the start, we keep €48 of your payment, and €12 comes back. ' +
        'If you do not come, we keep your payment of €60.',
    )
  })

  test('beyond a payment are charged as well', () => {
    expect(says(paidBefore(3_000))).toBe(
      'If you cancel less than 24 hours before the start, we keep your payment of €30. ' +
        'If you cancel less than 2 hours before the start, we keep your payment of €30 and charge €18 to your card. ' +
        'If you do not come, we keep your payment of €30 and charge €6 to your card.',
    )
  })

  test('count a payment that is due as made, less what was refunded', () => {
    const terms = feeTermsOf({ ...paidBefore(6_000, 1_000), payment_status: 'due' })
    expect(terms.late[0]).toMatchObject({ kept: 3_000, refunded: 2_000 })
    expect(feeTermsOf({ ...paidBefore(6_000), payment_status: 'expired' }).late[0]).toMatchObject({ kept: 0 })
  })
})

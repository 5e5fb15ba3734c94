import { describe, expect, test } from 'vitest'
import { type Instant, parseInstant, plusMinutes, plusSeconds, toMs } from '../../src/base/instants.ts'
import { publicUrl } from '../../src/base/public-url.ts'
import type { BookingStatus } from '../../src/database/tables.ts'
import {
  decidePaid,
  missingSettings,
  nextCheckAfter,
  reusablePayment,
} from '../../src/payments/payment-rules.ts'

const now = parseInstant('2026-11-20T09:00:00Z') as Instant // it is one
const later = plusMinutes(now, 60)

describe('what follows from a payment', () => {
  const booking = (status: BookingStatus, parts: object = {}) => ({
    status,
    confirmed_at: null,
    payment_id: 'p',
    starts_at: later,
    ...parts,
  })
  const confirmed = { confirmed_at: now }

  test.each([
    ['a booking that waits for it', booking('pending'), null, 'confirm'],
    ['one that the business has confirmed', booking('confirmed', confirmed), 'confirmed', 'record'],
    ['one set back to pending', booking('pending', confirmed), 'confirmed', 'record'],
    ['one in progress', booking('in_progress', confirmed), 'confirmed', 'record'],
    ['one completed', booking('completed', confirmed), 'confirmed', 'record'],
    ['one whose checkout has expired', booking('cancelled'), 'expired', 'retake'],
    ['the same, but its time has come', booking('cancelled', { starts_at: now }), 'expired', 'refund'],
    ['one that the business has cancelled', booking('cancelled'), 'cancelled', 'refund'],
    ['one confirmed and then cancelled', booking('cancelled', confirmed), 'expired', 'refund'],
    ['one with another checkout', booking('pending', { payment_id: 'q' }), null, 'refund'],
  ] as const)('for %s', (_what, found, closed_because, decision) => {
    const payment = { id: 'p', closed_because }
    expect(decidePaid(payment, found, { now, holdIsActive: false })).toBe(decision)
  })

  test('without a booking: it waits as long as there can still be one', () => {
    const payment = { id: 'p', closed_because: null }
    expect(decidePaid(payment, undefined, { now, holdIsActive: true })).toBe('wait')
    expect(decidePaid(payment, undefined, { now, holdIsActive: false })).toBe('refund')
  })
})

describe('a checkout', () => {
  const payment = (parts: object = {}) => ({
    status: 'preparing' as const,
    order_digest: 'd',
    expires_at: plusMinutes(now, 35),
    refund_requested_at: null,
    ...parts,
  })
  const asked = { digest: 'd', now }

  test('is gone on with by the same order while the processor would still open it', () => {
    expect(reusablePayment([payment()], asked)).toBeDefined()
    expect(reusablePayment([payment({ order_digest: 'e' })], asked)).toBeUndefined()
    expect(reusablePayment([payment({ status: 'expired' })], asked)).toBeUndefined()
    expect(reusablePayment([payment({ expires_at: plusSeconds(now, 1_830) })], asked)).toBeDefined()
    expect(reusablePayment([payment({ expires_at: plusSeconds(now, 1_829) })], asked)).toBeUndefined()
  })

  test('that is paid is gone on with whatever is asked, unless it goes back', () => {
    const paid = payment({ status: 'paid', order_digest: 'e' })
    expect(reusablePayment([payment(), paid], asked)).toBe(paid)
    expect(reusablePayment([payment({ status: 'paid', refund_requested_at: now })], asked)).toBeUndefined()
  })

  test('is asked about after a minute, then ever more seldom, at least every hour', () => {
    const pauses = [0, 1, 2, 5, 6, 50].map((checks) => (toMs(nextCheckAfter(now, checks)) - toMs(now)) / 1000)
    expect(pauses).toEqual([60, 120, 240, 1920, 3600, 3600])
  })
})

describe('the configuration', () => {
  const none = { stripeSecretKey: '', stripeWebhookSecret: '', publicUrl: '' }
  const whole = { stripeSecretKey: 'sk_x', stripeWebhookSecret: 'whsec_x', publicUrl: 'https://x.example' }

  test.each([
    ['development', none, 0],
    ['production', none, 1],
    ['production', whole, 0],
    ['production', { ...whole, publicUrl: '' }, 1],
    ['production', { ...whole, publicUrl: '', stripeWebhookSecret: '' }, 2],
  ] as const)('in %s with %o lacks %i settings for deposits', (environment, settings, count) => {
    expect(missingSettings({ environment, ...settings })).toHaveLength(count)
  })

  test.each([
    [{ publicUrl: 'https://x.example/book', host: '0.0.0.0', port: 1 }, 'https://x.example/book'],
    [{ publicUrl: '', host: '0.0.0.0', port: 3000 }, 'http://127.0.0.1:3000'],
    [{ publicUrl: '', host: '::1', port: 3000 }, 'http://[::1]:3000'],
  ])('%o is reached at %s', (config, address) => {
    expect(publicUrl(config)).toBe(address)
  })
})

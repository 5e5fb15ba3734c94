import { describe, expect, test } from 'vitest'
import { shareByPrice, TakingsSums, withShares } from '../../src/bookings/movement-rules.ts'

describe('a payment for several services', () => {
  test.each([
    { amount: 100, prices: [1, 1, 1], parts: [33, 34, 33] },
    { amount: -100, prices: [1, 1, 1], parts: [-33, -34, -33] },
    { amount: 2_500, prices: [6_000, 4_000], parts: [1_500, 1_000] },
    { amount: 1, prices: [1, 1], parts: [1, 0] },
    { amount: 900, prices: [0, 0], parts: [900, 0] },
    { amount: 900, prices: [0, 500], parts: [0, 900] },
    { amount: 900, prices: [500], parts: [900] },
  ])('$amount is divided by the prices $prices into $parts', ({ amount, prices, parts }) => {
    const shares = shareByPrice(amount, prices).map((part) => part + 0) // no -0
    expect(shares).toEqual(parts)
    expect(shares.reduce((sum, part) => sum + part, 0)).toBe(amount)
  })

  test('counts whole, whatever else was paid', () => {
    const item = (payment: string, amount: number, price: number) => ({ payment, amount, price })
    const items = [item('a', 300, 1), item('a', 300, 2), item('b', -50, 0), item('c', 70, 5)]
    expect(withShares(items, ({ payment }) => payment).map(({ share }) => share)).toEqual([100, 200, -50, 70])
  })

  test('adds up by currency, refunds apart from payments', () => {
    const sums = new TakingsSums()
    sums.add({ type: 'payment', currency: 'JPY', share: 500 })
    sums.add({ type: 'payment', currency: 'EUR', share: 300 })
    sums.add({ type: 'refund', currency: 'EUR', share: -100 })
    expect(sums.list()).toEqual([
      { currency: 'EUR', received: 300, refunded: 100 },
      { currency: 'JPY', received: 500, refunded: 0 },
    ])
  })
})

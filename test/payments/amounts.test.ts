import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minorDigits } from '../../src/base/money.ts'
import { amountText } from '../../src/catalogue/service-rules.ts'
import { stripeAmount } from '../../src/payments/stripe-values.ts'
import { onOneEngine } from '../support/long.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'

describe('an amount', () => {
  test.each([
    // currency, digits, our amount, for people, at Stripe
    ['EUR', 2, 2500, '25.00 EUR', 2500],
    ['USD', 2, 1, '0.01 USD', 1],
    ['JPY', 0, 500, '500 JPY', 500],
    ['KRW', 0, 12_000, '12000 KRW', 12_000],
    ['KWD', 3, 5120, '5.120 KWD', 5120],
    ['TND', 3, 999_990, '999.990 TND', 999_990],
    // two digits at Stripe, none in practice
    ['ISK', 0, 5, '5 ISK', 500],
    ['UGX', 0, 2000, '2000 UGX', 200_000],
    // two digits in payments, whatever people write
    ['HUF', 2, 100_000, '1000.00 HUF', 100_000],
    ['TWD', 2, 80_045, '800.45 TWD', 80_045],
    ['IDR', 2, 5_000_000, '50000.00 IDR', 5_000_000],
    // without a minor unit at Stripe
    ['MGA', 2, 2500, '25.00 MGA', 25],
  ])('of %s has %i digits: %i is "%s", and %i at Stripe', (currency, digits, amount, text, atStripe) => {
    expect(minorDigits(currency)).toBe(digits)
    expect(amountText({ amount, currency })).toBe(text)
    expect(stripeAmount({ amount, currency })).toBe(atStripe)
  })

  test.each([
    ['KWD', 5124],
    ['BHD', 1],
    ['MGA', 2550],
  ])('that Stripe cannot take is none there: %s %i', (currency, amount) => {
    expect(stripeAmount({ amount, currency })).toBeUndefined()
  })
})

onOneEngine('sqlite', 'the deposit at the checkout', (engine) => {
  let world: DepositWorld
  beforeAll(async () => {
    world = await depositWorld(engine)
  })
  afterAll(() => world.stop())

  test.each([
    [{ amount: 500, currency: 'JPY' }, 500],
    [{ amount: 5120, currency: 'KWD' }, 5120],
    [{ amount: 5, currency: 'ISK' }, 500],
    [{ amount: 999_999_999, currency: 'EUR' }, 999_999_999],
  ])('%o is %i, and is shown as it was given', async (money, atStripe) => {
    const { id, sessionId } = await world.due({ money })
    const session = world.stripe.sessions.get(sessionId)
    expect(session).toMatchObject({ amount_total: atStripe, currency: money.currency.toLowerCase() })
    expect((await world.shown(id)).payment).toMatchObject(money)
  })

  const service = (deposit: object, more: object = {}) =>
    world.service.call('POST', '/services', {
      token: world.business.key,
      body: { name: 'Massage', duration_minutes: 30, location_ids: [location], deposit, ...more },
    })
  let location = ''
  beforeAll(async () => {
    const body = { name: 'Main street' }
    const made = await world.service.call('POST', '/locations', { token: world.business.key, body })
    location = String(made.body.id)
  })

  test.each([
    [{ amount: 5124, currency: 'KWD' }, '/deposit/amount'],
    [{ amount: 2550, currency: 'MGA' }, '/deposit/amount'],
    [{ amount: 0.5, currency: 'EUR' }, '/deposit/amount'],
    [{ amount: 0, currency: 'EUR' }, '/deposit/amount'],
    [{ amount: 100, currency: 'EURO' }, '/deposit/currency'],
  ])('%o cannot be asked for', async (money, pointer) => {
    const reply = await service(money)
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer }] } })
  })

  test('above the price is refused, and what can be paid is not', async () => {
    const price = { amount: 2000, currency: 'EUR' }
    const reply = await service({ amount: 2500, currency: 'EUR' }, { price })
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/deposit/amount' }] } })
    expect((await service({ amount: 2000, currency: 'EUR' }, { price })).status).toBe(201)
    expect((await service({ amount: 5120, currency: 'KWD' })).status).toBe(201)
  })

  test('in a currency that the processor does not take: 503, told to the operator, and the hold stays', async () => {
    await expect(world.due({ money: { amount: 100, currency: 'XXX' } })).rejects.toThrow(
      /does not take this deposit/,
    )
    expect(world.service.logLines.join()).toContain('opens no checkout')
  })
})

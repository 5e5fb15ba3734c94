import { describe, expect, test } from 'vitest'
import { currencyChoices, usualCurrency, withoutSign, money } from '../../src/console/services/currencies.ts'

describe('the currency of a first price', () => {
  test.each([
    ['Europe/Berlin', 'en-GB', 'EUR'],
    ['Europe/London', 'de', 'GBP'],
    ['Europe/Zurich', 'de-DE', 'CHF'],
    ['Europe/Warsaw', 'en', 'PLN'],
    ['America/Toronto', 'en-US', 'CAD'],
    ['Asia/Tokyo', 'en', 'JPY'],
    ['UTC', 'en-US', 'USD'],
    ['UTC', 'en', 'EUR'],
  ])('in %s, read in %s, is %s', (timezone, locale, currency) => {
    expect(usualCurrency({ timezone, locale })).toBe(currency)
  })

  test('stands first among those to choose from, once, also a rare one', () => {
    const codes = currencyChoices('PLN', { locale: 'en' }).map(([code]) => code)
    expect(codes[0]).toBe('PLN')
    expect(new Set(codes).size).toBe(codes.length)
    expect(currencyChoices('MGA', { locale: 'en' })[0]).toEqual(['MGA', 'MGA · Malagasy Ariary'])
    expect(currencyChoices('', { locale: 'de' })[0]).toEqual(['EUR', 'EUR · Euro'])
  })
})

test.each([...['30 €', '€30', '30€', ' € 30 ', '30 EUR', 'eur 30', '30', '30 kr', '30 kr.', '30 zł']])(
  'of %s the amount is 30',
  (amount) => {
    expect(withoutSign(amount)).toBe('30')
  },
)

test.each(['30k', 'about 30', '30 dollars'])('%s stays as it was typed', (amount) => {
  expect(withoutSign(amount)).not.toBe('30')
})

test.each([
  ['1,000', 'EUR'],
  ['1.000', 'EUR'],
  ['19.999', 'EUR'],
  ['5,000', 'JPY'],
  ['5000.5', 'JPY'],
])('the amount %s of %s is refused, as it may mean something else', (typed, currency) => {
  const { amount } = money.read({ 'price.amount': typed, 'price.currency': currency }, 'price') as {
    amount: unknown
  }
  expect(amount).toBe(typed)
})

test.each([
  ['1000', 'EUR', 100_000],
  ['19,99', 'EUR', 1_999],
  ['12.500', 'KWD', 12_500],
  ['5000', 'JPY', 5_000],
])('the amount %s of %s is read', (typed, currency, minor) => {
  expect(money.read({ 'price.amount': typed, 'price.currency': currency }, 'price')).toEqual({
    ...{ amount: minor, currency },
  })
})

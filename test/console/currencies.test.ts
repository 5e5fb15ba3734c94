import { describe, expect, test } from 'vitest'
import { withoutSign } from '../../src/console/frame/amounts.ts'
import { currencyChoices, money, usualCurrency } from '../../src/console/services/currencies.ts'

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

const read = (typed: string, currency: string, locale = 'en') =>
  money({ locale }).read({ 'price.amount': typed, 'price.currency': currency }, 'price') as {
    amount: unknown
  }

test.each([
  ['1,000', 'EUR', 'en'],
  ['1.000', 'EUR', 'en'],
  ['1.000', 'EUR', 'de'],
  ['1,000', 'EUR', 'de'],
  ['19.999', 'EUR', 'en'],
  ['5,000', 'JPY', 'en'],
  ['5000.5', 'JPY', 'en'],
  ['12,500', 'KWD', 'en'],
  ['12.500', 'KWD', 'de'],
  ['1.23.4', 'EUR', 'en'],
  ['1.234,5.6', 'EUR', 'de'],
  ['12.34,50', 'EUR', 'de'],
  ['1.234,567', 'EUR', 'de'],
  ['1 23', 'EUR', 'fr'],
  ['-5', 'EUR', 'en'],
  ['ten', 'EUR', 'en'],
])('the amount %s of %s in %s is refused, as it may mean something else', (typed, currency, locale) => {
  expect(read(typed, currency, locale).amount).toBe(typed)
})

test.each([
  ['1000', 'EUR', 'en', 100_000],
  ['19,99', 'EUR', 'en', 1_999],
  ['19.9', 'EUR', 'de', 1_990],
  ['12.500', 'KWD', 'en', 12_500],
  ['12,500', 'KWD', 'de', 12_500],
  ['0.500', 'KWD', 'de', 500],
  ['5000', 'JPY', 'ja', 5_000],
  ['1.234,50', 'EUR', 'de', 123_450],
  ['1,234.50', 'EUR', 'en', 123_450],
  ['1.234,50 €', 'EUR', 'en', 123_450],
  ['1 234,50', 'EUR', 'fr', 123_450],
  ['1\u202f234,50', 'EUR', 'fr', 123_450],
  ["1'234.50", 'CHF', 'de-CH', 123_450],
  ['1 000', 'EUR', 'pl', 100_000],
  ['1.234.567', 'EUR', 'de', 123_456_700],
  ['1,234,567', 'JPY', 'ja', 1_234_567],
  ['1,234.500', 'KWD', 'en', 1_234_500],
  ['١٢٫٥', 'EUR', 'ar', 1_250],
])('the amount %s of %s in %s is read', (typed, currency, locale, minor) => {
  expect(read(typed, currency, locale)).toEqual({ amount: minor, currency })
})

test.each([
  ['EUR', 1_950, 'en', '19.50'],
  ['EUR', 1_950, 'de', '19,50'],
  ['EUR', 2_000, 'de', '20'],
  ['KWD', 12_500, 'de', '12,500'],
  ['KWD', 12_500, 'en', '12.500'],
  ['JPY', 5_000, 'fr', '5000'],
])('%s %d is shown in %s as %s, which is read as the same', (currency, amount, locale, shown) => {
  const fields = money({ locale }).show({ amount, currency }, 'price')
  expect(fields['price.amount']).toBe(shown)
  expect(read(shown, currency, locale).amount).toBe(amount)
})

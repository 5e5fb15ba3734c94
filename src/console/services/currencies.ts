import type { Html } from '../../base/html.ts'
import type { Money } from '../../catalogue/catalogue-types.ts'
import { minorDigits } from '../../base/money.ts'
import { currencyErrors } from '../../catalogue/service-rules.ts'
import { choice, field, type FormState, type Typed } from '../../pages/form.ts'
import { readAmount, typedAmount } from '../frame/amounts.ts'
import type { Codec } from '../frame/form-rows.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'

/* Amounts in forms and their currency: a guess for the first price, and a list to choose from. */

/** Currencies by zone. For a zone that is missing here, the locale decides. */
const currenciesOfZones: Record<string, string> = {
  ...zones('GBP', 'Europe/London Europe/Belfast Europe/Jersey Europe/Guernsey Europe/Isle_of_Man'),
  ...zones('CHF', 'Europe/Zurich Europe/Vaduz'),
  ...zones('SEK', 'Europe/Stockholm'),
  ...zones('NOK', 'Europe/Oslo Arctic/Longyearbyen'),
  ...zones('DKK', 'Europe/Copenhagen Atlantic/Faroe Atlantic/Faeroe'),
  ...zones('PLN', 'Europe/Warsaw'),
  ...zones('CZK', 'Europe/Prague'),
  ...zones('HUF', 'Europe/Budapest'),
  ...zones('RON', 'Europe/Bucharest'),
  ...zones('TRY', 'Europe/Istanbul'),
  ...zones('UAH', 'Europe/Kyiv Europe/Kiev'),
  ...zones('ISK', 'Atlantic/Reykjavik'),
  ...zones(
    'EUR',
    `Europe/Berlin Europe/Busingen Europe/Vienna Europe/Paris Europe/Madrid Europe/Rome Europe/Brussels
    Europe/Amsterdam Europe/Luxembourg Europe/Dublin Europe/Lisbon Europe/Athens Europe/Helsinki Europe/Mariehamn
    Europe/Tallinn Europe/Riga Europe/Vilnius Europe/Bratislava Europe/Ljubljana Europe/Zagreb Europe/Sofia
    Europe/Malta Europe/Monaco Europe/Andorra Europe/San_Marino Europe/Vatican Europe/Podgorica
    Asia/Nicosia Asia/Famagusta Atlantic/Canary Atlantic/Madeira Atlantic/Azores Africa/Ceuta`,
  ),
  ...zones(
    'USD',
    `America/New_York America/Indianapolis America/Louisville America/Detroit America/Chicago America/Denver America/Boise America/Phoenix
    America/Los_Angeles America/Anchorage America/Puerto_Rico Pacific/Honolulu`,
  ),
  ...zones(
    'CAD',
    `America/Toronto America/Vancouver America/Edmonton America/Winnipeg America/Regina America/Halifax
    America/Moncton America/St_Johns`,
  ),
  ...zones(
    'AUD',
    `Australia/Sydney Australia/Melbourne Australia/Brisbane Australia/Perth Australia/Adelaide Australia/Hobart
    Australia/Darwin`,
  ),
  ...zones('NZD', 'Pacific/Auckland'),
  ...zones('JPY', 'Asia/Tokyo'),
  ...zones('SGD', 'Asia/Singapore'),
  ...zones('HKD', 'Asia/Hong_Kong'),
  ...zones('KRW', 'Asia/Seoul'),
  ...zones('INR', 'Asia/Kolkata Asia/Calcutta'),
  ...zones('AED', 'Asia/Dubai'),
  ...zones('ILS', 'Asia/Jerusalem'),
  ...zones('ZAR', 'Africa/Johannesburg'),
  ...zones('MXN', 'America/Mexico_City America/Monterrey America/Tijuana'),
  ...zones('BRL', 'America/Sao_Paulo America/Fortaleza America/Bahia America/Recife'),
}

function zones(currency: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, currency]))
}

const currenciesOfCountries: Record<string, string> = {
  ...{ US: 'USD', GB: 'GBP', CH: 'CHF', CA: 'CAD', AU: 'AUD', NZ: 'NZD', SE: 'SEK', NO: 'NOK', DK: 'DKK' },
  ...{ PL: 'PLN', CZ: 'CZK', JP: 'JPY', IN: 'INR', BR: 'BRL', MX: 'MXN', TR: 'TRY', AE: 'AED' },
}

/** Guesses the currency from the zone of a business, otherwise from the country of the reader's language. */
export function usualCurrency({ timezone, locale }: { timezone: string; locale: string }): string {
  return currenciesOfZones[timezone] ?? currenciesOfCountries[new Intl.Locale(locale).region ?? ''] ?? 'EUR'
}

const offered = [
  ...[
    'EUR',
    'USD',
    'GBP',
    'CHF',
    'AED',
    'ALL',
    'AMD',
    'ARS',
    'AUD',
    'AZN',
    'BAM',
    'BDT',
    'BHD',
    'BRL',
    'CAD',
  ],
  ...[
    'CLP',
    'CNY',
    'COP',
    'CRC',
    'CZK',
    'DKK',
    'DOP',
    'EGP',
    'GEL',
    'GHS',
    'HKD',
    'HUF',
    'IDR',
    'ILS',
    'INR',
  ],
  ...[
    'ISK',
    'JOD',
    'JPY',
    'KES',
    'KRW',
    'KWD',
    'KZT',
    'LKR',
    'MAD',
    'MDL',
    'MKD',
    'MXN',
    'MYR',
    'NGN',
    'NOK',
  ],
  ...[
    'NZD',
    'OMR',
    'PEN',
    'PHP',
    'PKR',
    'PLN',
    'QAR',
    'RON',
    'RSD',
    'SAR',
    'SEK',
    'SGD',
    'THB',
    'TND',
    'TRY',
  ],
  ...['TWD', 'TZS', 'UAH', 'UGX', 'UYU', 'VND', 'XOF', 'XAF', 'ZAR'],
]

/** Returns the currencies to choose from, the current one first. */
export function currencyChoices(present: string, { locale }: Pick<ConsoleLanguage, 'locale'>) {
  const names = new Intl.DisplayNames(locale, { type: 'currency' })
  const codes = new Set([...(/^[A-Z]{3}$/.test(present) ? [present] : []), ...offered])
  return [...codes].map((code) => [code, `${code} · ${names.of(code) ?? code}`] as const)
}

/** The input of the currency, which all amounts of a form share. */
export const currencyName = 'price.currency'

/** Returns the codec of an amount of money, typed in a language. The API rejects text that is not a number. */
export function money({ locale }: Pick<ConsoleLanguage, 'locale'>): Codec {
  return {
    read: (typed, name) => {
      const given = typed[amountName(name)]?.trim()
      if (given === undefined || given === '') return given === '' ? null : given
      return {
        amount: readAmount(given, { digits: digitsOf(typed), locale }),
        currency: currencyOf(typed),
      }
    },
    show: (value, name) => {
      const { amount, currency } = (value ?? {}) as Partial<Money>
      if (amount === undefined || currency === undefined) return { [amountName(name)]: '' }
      return { [amountName(name)]: typedAmount({ amount, currency }, locale), [currencyName]: currency }
    },
    input: (state, { name, ...parts }) =>
      field(state, { ...parts, name: amountName(name), type: 'number', isDecimal: true }),
    inputAt: ([part], _typed, name) => (part === 'currency' ? currencyName : amountName(name)),
    factorOf: (typed) => 10 ** digitsOf(typed),
  }
}

const amountName = (name: string) => `${name}.amount`

function currencyOf(typed: Typed): string {
  return (typed[currencyName] ?? '').toUpperCase()
}

function digitsOf(typed: Typed): number {
  const currency = currencyOf(typed)
  return currencyErrors(currency).length === 0 ? minorDigits(currency) : 2
}

export function currencyField({ texts, locale }: ConsoleLanguage, { typed, faults }: FormState): Html {
  const currency = currencyOf(typed)
  const state = { faults, typed: { ...typed, [currencyName]: currency } }
  const options = currencyChoices(currency, { locale })
  return choice(state, { name: currencyName, label: texts.services.currency, options })
}

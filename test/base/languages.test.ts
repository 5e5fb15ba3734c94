import { expect, test } from 'vitest'
import { acceptedLocales, languageFor, languageNames } from '../../src/base/languages.ts'
import { formatMessage } from '../../src/base/messages.ts'

test('the first wanted locale in a language that there is decides, with its region', () => {
  const chosen = (...wanted: (string | null)[]) => {
    const { name, locale, direction } = languageFor(...wanted)
    return [name, locale, direction]
  }
  expect(chosen('ko-KR', 'de-AT', 'en')).toEqual(['de', 'de-AT', 'ltr'])
  expect(chosen(null, 'AR-eg')).toEqual(['ar', 'AR-eg', 'rtl'])
  expect(chosen('not a locale!', '__proto__', '*', 'fr')).toEqual(['fr', 'fr', 'ltr'])
  expect(chosen('ko-KR', '')).toEqual(['en', 'en', 'ltr'])
  expect(chosen()).toEqual(['en', 'en', 'ltr'])
})

test('browsers say what they read in the order in which they prefer it', () => {
  expect(acceptedLocales('de-AT,de;q=0.9, en;q=0.8')).toEqual(['de-AT', 'de', 'en'])
  expect(languageFor(...acceptedLocales()).name).toBe('en')
})

test('there are eleven languages, English first', () => {
  expect(languageNames).toHaveLength(11)
  expect(languageNames[0]).toBe('en')
})

test('values are put into a text as they are', () => {
  expect(formatMessage('{a} and {b}', { a: '{b}', b: '$&' }, 'en')).toBe('{b} and $&')
  expect(languageFor('de').say('mail.greeting', { name: '{name}' })).toBe('Guten Tag {name},')
})

test.each([
  ['en', 1, 'one place for Ada'],
  ['en', 0, '0 places'],
  ['pl', 3, '3 places, few'],
  ['pl', 5, '5 places'],
])('a plural takes the form of its number in %s: %d', (locale, count, text) => {
  const message =
    '{count, plural, one {one place for {name}} few {{count} places, few} other {{count} places}}'
  expect(formatMessage(message, { count, name: 'Ada' }, locale)).toBe(text)
})

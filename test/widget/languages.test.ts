import { expect, test } from 'vitest'
import { fillCount } from '../../widget/counts.ts'
import { chosenLocale, fill } from '../../widget/texts.ts'
import { Formats } from '../../widget/times/formats.ts'

test('the first wanted locale in a language that there is decides, with its region', () => {
  const languages = { en: 1, de: 1, fr: 1, pt: 1 }
  expect(chosenLocale(['ko-KR', 'de-AT', 'en'], languages)).toBe('de-AT')
  expect(chosenLocale(['pt-BR', 'en'], languages)).toBe('pt-BR')
  expect(chosenLocale(['ko-KR', ''], languages)).toBe('en')
  expect(chosenLocale(['not a locale!', 'fr'], languages)).toBe('fr')
})

test('what is put into a text is put in as it is', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
})

test('a number takes its form of a text, else the last', () => {
  const forms = { one: 'one', few: '{count}, few', other: '{count}' }
  const written = (locale: string) => [1, 3, 5].map((count) => fillCount(forms, count, new Formats(locale)))
  expect(written('en')).toEqual(['one', '3', '5'])
  expect(written('pl')).toEqual(['one', '3, few', '5'])
})

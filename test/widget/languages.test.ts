import { globSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { languages as mailTexts } from '../../src/mails/texts/languages.ts'
import { bookingPageTexts } from '../../src/pages/booking-page-texts.ts'
import { checkoutTexts } from '../../src/pages/checkout-texts.ts'
import { withoutScripts } from '../../src/pages/manage-page-routes.ts'
import { texts as english } from '../../widget/locales/en-later.ts'
import { chosenLocale, loadLanguage } from '../../widget/locales/languages.ts'
import { fill, type Texts } from '../../widget/locales/texts.ts'

const directory = resolve(import.meta.dirname, '../../widget/locales')
const names = globSync('*.ts', { cwd: directory })
  .map((file) => basename(file, '.ts'))
  .filter((name) => !/^(en-later|texts|languages)$/.test(name))
const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([gap]) => gap).toSorted()

describe.each(names)('the language %s', (name) => {
  test('says everything, with the same gaps as English, in words of its own', async () => {
    const { texts } = await loadLanguage([name])
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const key of Object.keys(english) as (keyof Texts)[]) {
      expect({ key, gaps: gaps(texts[key]) }).toEqual({ key, gaps: gaps(english[key]) })
      expect(texts[key].trim()).not.toBe('')
    }
  })

  test('is found', async () => {
    expect(await loadLanguage([name])).toMatchObject({
      locale: name,
      direction: name === 'ar' ? 'rtl' : 'ltr',
    })
  })
})

/** Each part, and where its texts are by language. */
const others: [part: string, texts: () => Promise<Record<string, unknown>>][] = [
  ['the manage page', manageTexts],
  ['mails', () => Promise.resolve(mailTexts)],
  ['the page after a checkout', () => Promise.resolve(checkoutTexts)],
  ['the booking page', () => Promise.resolve(bookingPageTexts)],
  ['the manage page without scripts', () => Promise.resolve(withoutScripts)],
]

describe.each(others)('%s', (_, read) => {
  test('speaks the languages of the widget, with the same gaps as English', async () => {
    const texts = await read()
    expect(Object.keys(texts).toSorted()).toEqual(names.toSorted())
    const wanted = flat(texts['en'])
    for (const name of names) {
      const said = flat(texts[name])
      expect(said.map(([key, text]) => [key, gaps(text).toSorted()])).toEqual(
        wanted.map(([key, text]) => [key, gaps(text).toSorted()]),
      )
      expect(said.filter(([, text]) => text.trim() === '')).toEqual([])
    }
  })
})

async function manageTexts(): Promise<Record<string, unknown>> {
  const folder = resolve(import.meta.dirname, '../../widget/manage/locales')
  const files = readdirSync(folder).map(async (file) => {
    const { texts } = (await import(join(folder, file))) as { texts: unknown }
    return [basename(file, '.ts'), texts] as const
  })
  return Object.fromEntries(await Promise.all(files))
}

/** All texts of an object and those within it, by their way; functions are asked with a name. */
function flat(texts: unknown, way = ''): [key: string, text: string][] {
  if (typeof texts === 'string') return [[way, texts]]
  if (typeof texts === 'function') return [[way, (texts as (name: string) => string)('{name}')]]
  return Object.entries(texts ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, inner]) => flat(inner, `${way}/${key}`))
}

/*
 * No text may depend on how many there are, because languages have up to six forms: a number stands behind a colon, or its
 * form is right for all numbers that come (a party of one is not counted; links work for 30 minutes).
 */
test.each([
  ['pl', ['few', 'many']],
  ['ar', ['few', 'many']],
])('numbers in %s stand where no form depends on them', async (name, forms) => {
  const rules = new Intl.PluralRules(name)
  expect([3, 11].map((count) => rules.select(count))).toEqual(forms)
  const counted = flat({ widget: (await loadLanguage([name])).texts, mails: mailTexts[name] })
    .filter(([, text]) => text.includes('{count}'))
    .filter(([, text]) => !/: \{count\}\.?$|^\p{Script=Arabic}+ ?\{count\} \p{Script=Arabic}+\.$/u.test(text))
  expect(counted).toEqual([])
})

test('no line of French begins with a mark that belongs to the word before', async () => {
  const { texts } = await loadLanguage(['fr'])
  expect(Object.values(texts).filter((text) => / [?!:;»]|« /.test(text))).toEqual([])
})

test('the first wanted locale in a language that there is decides, with its region', () => {
  expect(chosenLocale(['ko-KR', 'de-AT', 'en'])).toBe('de-AT')
  expect(chosenLocale(['pt-BR', 'en'])).toBe('pt-BR')
  expect(chosenLocale(['ko-KR', ''])).toBe('en')
  expect(chosenLocale(['not a locale!', 'fr'])).toBe('fr')
})

test('what is put into a text is put in as it is', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
})

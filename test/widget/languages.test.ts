import { globSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { texts as english } from '../../widget/locales/en.ts'
import { chosenLocale, loadLanguage } from '../../widget/locales/languages.ts'
import { fill, type Texts } from '../../widget/locales/texts.ts'

const directory = resolve(import.meta.dirname, '../../widget/locales')
const names = globSync('*.ts', { cwd: directory })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'texts' && name !== 'languages')
const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([gap]) => gap).toSorted()

describe.each(names)('the language %s', (name) => {
  test('says everything, with the same gaps as English, in words of its own', async () => {
    const { texts } = (await import(join(directory, `${name}.ts`))) as { texts: Texts }
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

test('no line of French begins with a mark that belongs to the word before', async () => {
  const { texts } = await loadLanguage(['fr'])
  expect(Object.values(texts).filter((text) => / [?!:;»]|« /.test(text))).toEqual([])
})

test('the first wanted locale in a language that there is decides, with its region', () => {
  expect(chosenLocale(['pt-BR', 'de-AT', 'en'])).toBe('de-AT')
  expect(chosenLocale(['pt-BR', ''])).toBe('en')
  expect(chosenLocale(['not a locale!', 'fr'])).toBe('fr')
})

test('what is put into a text is put in as it is', () => {
  expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&')
})

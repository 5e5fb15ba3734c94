import { expect, test } from 'vitest'
import { nameKey } from '../../src/base/search-text.ts'
import { sortKey } from '../../src/base/sort-text.ts'
import { namesByLanguage } from '../support/names.ts'

/* The order of names, with the collation of each language (CLDR) as the oracle. */

const named = (first_name: string) => ({ first_name, last_name: '' })

for (const [language, names] of Object.entries(namesByLanguage)) {
  test(`names in ${language} are in the order of its collation`, () => {
    const key = (name: string) => Buffer.from(sortKey(named(name), language) ?? nameKey(named(name)))
    const { compare } = new Intl.Collator(language, { sensitivity: 'base' })
    expect(names.toSorted((one, other) => Buffer.compare(key(one), key(other)))).toEqual(
      names.toSorted(compare),
    )
  })
}

test('a locale with a region sorts as its language, and another language by plain letters', () => {
  expect(sortKey(named('Åsa'), 'sv-FI')).toBe('{sa')
  for (const locale of ['en', 'de-AT', 'fil', 'x']) expect(sortKey(named('Åsa'), locale)).toBeNull()
})

test('a name in plain letters has no key', () => {
  expect(sortKey({ first_name: 'Anna', last_name: 'Meyer-Otto' }, 'sv')).toBeNull()
  expect(sortKey({ first_name: 'Anna', last_name: 'Isik' }, 'tr')).toBe('anna h{sik')
})

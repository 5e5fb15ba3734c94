import { nameKey, searchText } from './search-text.ts'

/** The order of names in a language where plain letters do not suffice (see `searchText`). */
interface Order {
  /** Letters with their own position. `{`, `|` and `}` follow `z`: `n{` comes after `nz` and before `o`. */
  letters?: Record<string, string>
  /** Prepares a text, such as its capitals. */
  prepare?: (text: string) => string
}

const swedish = { letters: { å: '{', ä: '|', æ: '|', ö: '}', ø: '}' } }
const danish = { letters: { æ: '{', ä: '{', ø: '|', ö: '|', å: '}' } }

/** By the language of a locale of two letters. All other languages sort by plain letters. */
const orders: Record<string, Order> = {
  es: { letters: { ñ: 'n{' } },
  pl: {
    letters: { ą: 'a{', ć: 'c{', ę: 'e{', ł: 'l{', ń: 'n{', ó: 'o{', ś: 's{', ź: 'z{', ż: 'z|' },
  },
  tr: {
    letters: { ç: 'c{', ğ: 'g{', ı: 'h{', ö: 'o{', ş: 's{', ü: 'u{' },
    prepare: (text) => text.toLocaleLowerCase('tr'), // I is the capital of ı
  },
  ...{ sv: swedish, fi: swedish, da: danish, nb: danish, nn: danish, no: danish },
  ar: {
    letters: { ء: 'ا', آ: 'اا', أ: 'ا', ؤ: 'ا', إ: 'ا', ئ: 'ا', ة: 'ت', ى: 'ي' },
    prepare: withoutArabicMarks,
  },
  ja: { prepare: inPlainKana },
}

/** Strips vowel signs and the stretching of letters. */
function withoutArabicMarks(text: string): string {
  return text.normalize('NFC').replace(/[\u0640\u064b-\u0652\u0670]/g, '')
}

/** Turns katakana into hiragana without marks and in full size. Kanji keep their order of code points. */
function inPlainKana(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u3099\u309a]/g, '')
    .replace(/[ァ-ヶ]/g, (kana) => String.fromCodePoint((kana.codePointAt(0) ?? 0) - 0x60))
    .replace(/[ぁぃぅぇぉっゃゅょゎ]/g, (kana) => String.fromCodePoint((kana.codePointAt(0) ?? 0) + 1))
}

/** Returns a text that sorts by code points as a language sorts names. */
function sortText(text: string, { letters = {}, prepare = (same) => same }: Order): string {
  const own = Object.keys(letters).join('')
  const prepared = prepare(text).toLowerCase().normalize('NFC')
  return searchText(
    own === ''
      ? prepared
      : prepared.replace(new RegExp(`[${own}]`, 'g'), (letter) => letters[letter] ?? letter),
  )
}

/**
 * Returns the texts by which languages sort a name, by language. Only those that differ from `nameKey`. Undefined if none
 * does.
 */
export function sortKeys(name: {
  first_name: string
  last_name: string
}): Record<string, string> | undefined {
  const text = `${name.first_name} ${name.last_name}`.trimEnd()
  if (/^[ -HJ-~]*$/.test(text)) return undefined // plain letters, without the I of Turkish
  const plain = nameKey(name)
  const keys = Object.entries(orders)
    .map(([language, order]) => [language, sortText(text, order)] as const)
    .filter(([, key]) => key !== plain)
  return keys.length === 0 ? undefined : Object.fromEntries(keys)
}

/** Returns the text by which a language sorts a name, or null if that is its `nameKey`. */
export function sortKey(name: { first_name: string; last_name: string }, locale: string): string | null {
  return sortKeys(name)?.[languageOf(locale)] ?? null
}

function languageOf(locale: string): string {
  return locale.split('-', 1)[0] ?? ''
}

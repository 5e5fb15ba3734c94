import { domainToUnicode } from 'node:url'
import { sharedDigits } from './phone-countries.ts'

/** Letters that Unicode does not split into a plain letter and a mark. */
const plainLetters: Record<string, string> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ø: 'o', ı: 'i', ĸ: 'k', ŋ: 'n', ſ: 's' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ĳ: 'ij' },
}

/**
 * Returns a text in lower case, with Latin, Greek and Cyrillic letters stripped of marks. People type names on the
 * keyboard they have: `Łukasiewicz` is found by `luk`, `Müller` by `muller`. Applies both to stored texts and to search
 * terms.
 */
export function searchText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ς', 'σ') // from capitals at the end of a text, not of a word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[łđðħŧøıĸŋſßæœþĳ]/g, (letter) => plainLetters[letter] ?? letter)
}

/**
 * Returns a typed search term as stored texts have it (see `searchText`). A phone number becomes the digits that all its
 * spellings share. Each client is stored with the number as it was typed. An `xn--` domain is searched in Unicode.
 */
export function searchTerm(typed: string): string {
  return (
    sharedDigits(typed) ??
    searchText(typed.replaceAll(codedDomain, (domain) => domainToUnicode(domain) || domain))
  )
}

const codedDomain = /(?:[a-z0-9-]{1,63}\.){0,9}xn--[a-z0-9-]{1,59}(?:\.[a-z0-9-]{1,63}){0,9}/gi

/** Returns a key that distinguishes people with one address: their full name, without capitals and accents. */
export function nameKey({ first_name, last_name }: { first_name: string; last_name: string }): string {
  return searchText(`${first_name} ${last_name}`).trimEnd()
}

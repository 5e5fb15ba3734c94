/** Letters that Unicode does not take apart into a plain one and a mark. */
const plainLetters: Record<string, string> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ø: 'o', ı: 'i', ĸ: 'k', ŋ: 'n', ſ: 's' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ĳ: 'ij' },
}

/**
 * A text as it is searched: in lower case, and for Latin, Greek and Cyrillic letters without marks, as people type names on
 * the keyboard that they have. `Łukasiewicz` is found by `luk`, `Müller` by `muller`. Both what is searched and what
 * is searched for go through it.
 */
export function searchText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ς', 'σ') // of capitals at the end of a text, not of a word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[łđðħŧøıĸŋſßæœþĳ]/g, (letter) => plainLetters[letter] ?? letter)
}

/** What tells people with one address apart: their whole name, without capitals and accents. */
export function nameKey({ first_name, last_name }: { first_name: string; last_name: string }): string {
  return searchText(`${first_name} ${last_name}`).trimEnd()
}

import type { Instant } from '../base/instants.ts'

/* Text messages are counted in segments (3GPP TS 23.038), because providers bill each. */

/** The basic set of GSM-7. A character of the extended set takes two places. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const extended = new Set('^{}\\[~]|€\f')

/** Characters that programs type, and the ones of GSM-7 that people read the same. */
const plain: Readonly<Record<string, string>> = {
  ...{ '’': "'", '‘': "'", '“': '"', '”': '"', '„': '"', '«': '"', '»': '"' },
  ...{ '–': '-', '—': '-', '‑': '-', '…': '...', '\u00a0': ' ', '\u202f': ' ', '\u2060': '' },
}

/** Spells typographic characters so that they fit in GSM-7. Letters stay as they are. */
export function plainText(text: string): string {
  return Array.from(text, (character) => plain[character] ?? character).join('')
}

/** Returns the number of segments of a text message. */
export function segmentsOf(text: string): number {
  const characters = Array.from(text)
  const isGsm = characters.every((character) => basic.has(character) || extended.has(character))
  const places = isGsm
    ? characters.reduce((sum, character) => sum + (extended.has(character) ? 2 : 1), 0)
    : text.length // UCS-2 counts UTF-16 code units
  const [whole, each] = isGsm ? [160, 153] : [70, 67]
  return places <= whole ? 1 : Math.ceil(places / each)
}

/** The longest text message that is sent. */
export const maxSegments = 2

/** Returns the month in which a text message counts, in UTC. */
export function monthOf(instant: Instant): string {
  return instant.slice(0, 'yyyy-mm'.length)
}

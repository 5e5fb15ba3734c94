import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, type Ids } from '../ids.ts'

/** The kinds of bearer tokens, to go through. */
export const tokenTypes = ['hub', 'business', 'publishable', 'session'] as const

/** The four kinds of bearer tokens. */
export type TokenType = (typeof tokenTypes)[number]

const prefixes: Record<TokenType, string> = {
  hub: 'cal_hub_',
  business: 'cal_biz_',
  publishable: 'cal_pub_',
  session: 'cal_ses_',
}

const secretLength = 32
const checksumLength = 6
const tokenPattern = /^(cal_(?:hub|biz|pub|ses)_)[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/

/** CRC-32 (IEEE 802.3) of the text, as six base62 digits, the highest first. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** A new token: prefix, 32 secret characters, checksum. It is shown once; only its digest is kept. */
export function newToken(type: TokenType, ids: Ids): string {
  const body = prefixes[type] + ids.secret(secretLength)
  return body + checksum(body)
}

/** The kind of a token; undefined when it is malformed or its checksum is wrong, without any look-up. */
export function tokenType(token: string): TokenType | undefined {
  if (token.length !== 8 + secretLength + checksumLength) return undefined
  const prefix = tokenPattern.exec(token)?.[1]
  if (!prefix || checksum(token.slice(0, -checksumLength)) !== token.slice(-checksumLength)) return undefined
  return tokenTypes.find((type) => prefixes[type] === prefix)
}

/** SHA-256 of a token in hexadecimal: the only form in which it is stored. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The last four characters, by which people tell their keys apart. */
export function lastFour(token: string): string {
  return token.slice(-4)
}

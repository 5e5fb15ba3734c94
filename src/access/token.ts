import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, type Ids } from '../base/ids.ts'
import { type TokenType, tokenTypes } from '../base/token-types.ts'

/**
 * Tokens that no key is exchanged for: those of people's log-in cookies and links, those of clients, and those of
 * programs. Of them, only `access` is sent as a bearer token.
 */
type PersonTokenType = 'login' | 'link' | 'client' | 'code' | 'access' | 'refresh'

const prefixes: Record<TokenType | PersonTokenType, string> = {
  login: 'cal_log_',
  link: 'cal_lnk_',
  client: 'cal_cli_',
  code: 'cal_oac_',
  access: 'cal_oat_',
  refresh: 'cal_ort_',
  hub: 'cal_hub_',
  business: 'cal_biz_',
  publishable: 'cal_pub_',
  session: 'cal_ses_',
  manage: 'cal_man_',
}

const secretLength = 32
const checksumLength = 6
const tokenPattern = /^(cal_(?:hub|biz|pub|ses|man|log|lnk|cli|oac|oat|ort)_)[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/

/** Creates a token: prefix, 32 secret characters, checksum. */
export function newToken(type: TokenType | PersonTokenType, ids: Pick<Ids, 'secret'>): string {
  const body = prefixes[type] + ids.secret(secretLength)
  return body + checksum(body)
}

/** Derives a token from 32 given bytes, so that it can be derived again. */
export function derivedToken(type: TokenType | PersonTokenType, bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let secret = ''
  for (let place = 0; place < secretLength; place += 1) {
    secret += base62.charAt(Number(rest % 62n))
    rest /= 62n
  }
  const body = prefixes[type] + secret
  return body + checksum(body)
}

/** Returns the type of a bearer token, or undefined if it is malformed or its checksum is wrong. Needs no database. */
export function tokenType(token: string): TokenType | undefined {
  const prefix = checkedPrefix(token)
  return tokenTypes.find((type) => prefixes[type] === prefix)
}

/** Checks the form and checksum of a person's or client's token. Needs no database. */
export function isPersonToken(token: string, type: PersonTokenType): boolean {
  return checkedPrefix(token) === prefixes[type]
}

function checkedPrefix(token: string): string | undefined {
  if (token.length !== 8 + secretLength + checksumLength) return undefined
  const prefix = tokenPattern.exec(token)?.[1]
  const isWhole = checksum(token.slice(0, -checksumLength)) === token.slice(-checksumLength)
  return isWhole ? prefix : undefined
}

/** Returns the SHA-256 of a token in hexadecimal, the only form in which it is stored. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex')
}

export function lastFour(token: string): string {
  return token.slice(-4)
}

/** CRC-32 (IEEE 802.3) as six base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

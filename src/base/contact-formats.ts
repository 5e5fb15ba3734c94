import { domainToASCII, domainToUnicode } from 'node:url'
import { callingCodeOf, internationalNumber, wholeNumber } from './phone-countries.ts'

/* Each check is linear in the length of the text, which the callers have limited. */

const controls = /[\u0000-\u001f\u007f-\u009f]/
const controlsInText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/

/** Accepts one line: well-formed Unicode without control characters. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !controls.test(text)
}

/**
 * Accepts text of several lines: well-formed Unicode whose only control characters are tab and new line (LF or CR LF).
 */
export function isText(text: string): boolean {
  return text.isWellFormed() && !controlsInText.test(text)
}

/** Characters that look like `:` or `/` (Unicode confusables), and backslashes, which browsers read as slashes. */
const likeColon = /[\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789]/g
const likeSlash = /[\\\u1735\u2041\u2044\u2215\u2216\u2571\u27cb\u29f5\u29f8\u29f9\u3033\u31d3]/g

/** `://`, `//` before a domain, and `www.`. A pair of slashes alone is part of many names. */
const webAddress = /:\/\/|\/\/[^\s/]*[\p{L}\p{N}]\.\p{L}\p{M}*\p{L}|(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]/iu

/**
 * Embeddings, overrides and isolates. They can reorder the shown name and the text after it. The marks LRM, RLM and ALM
 * cannot, and Hebrew and Arabic names with Latin parts need them.
 */
const directions = /[\u202a-\u202e\u2066-\u2069]/

/**
 * Finds what a name must not contain, because emails carry names to strangers. Reads it as people and email programs
 * do (IDNA, UTS 46): without invisible characters, and with similar letters and dots as plain ones.
 */
export function nameFault(name: string): 'web_address' | 'direction' | undefined {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/\p{DI}/gu, '')
    .replaceAll('\u3002', '.')
    .replaceAll(/\u051d/giu, 'w')
    .replaceAll(likeColon, ':')
    .replaceAll(likeSlash, '/')
  if (webAddress.test(plain)) return 'web_address'
  return directions.test(name) ? 'direction' : undefined
}

/** Returns a well-formed text in which spaces replace control characters. */
export function asLine(text: string): string {
  return isLine(text) ? text : asText(text).replaceAll(/\s/g, ' ')
}

/** Returns well-formed text of several lines, in which spaces replace control characters except tab and new line. */
export function asText(text: string): string {
  return text.toWellFormed().replaceAll(new RegExp(controlsInText, 'g'), ' ')
}

/** Accepts at most 254 characters, one `@` with something before it, a domain with a dot, no spaces. */
export function isEmail(text: string): boolean {
  if (text.length > 254 || !isLine(text) || /\s/.test(text)) return false
  const [local, domain, ...more] = text.split('@')
  if (!local || !domain || more.length > 0) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((label) => label !== '')
}

/**
 * Returns an address with its domain in Unicode (UTS 46). `xn--bcher-kva.de` and `bücher.de` are one domain. Browsers
 * send the first form for the second. A domain that cannot be decoded stays.
 */
export function unicodeEmail(email: string): string {
  return /xn--|[^\x00-\x7f]/i.test(email) ? withDomain(email, domainToUnicode) : email
}

/** Returns an address with its domain in ASCII (IDNA), for addresses of the web and programs without Unicode. */
export function asciiEmail(email: string): string {
  return isAscii(email) ? email : withDomain(email, domainToASCII)
}

/** Maximum length of a domain (RFC 1035, section 2.3.4). */
const maxDomain = 253

function withDomain(email: string, spell: (domain: string) => string): string {
  const at = email.lastIndexOf('@') + 1
  const domain = email.slice(at)
  const isChanged = at > 0 && domain.length <= maxDomain && /xn--|[^\x00-\x7f]/i.test(domain)
  return isChanged ? email.slice(0, at) + (spell(domain) || domain) : email
}

export function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text)
}

/** Returns the email address under which limits count a client: in lower case, with a Unicode domain, without `+tag`. */
export function clientEmailOf(email: string): string {
  const [local = '', domain = ''] = unicodeEmail(email).toLowerCase().split('@')
  return `${local.split('+', 1)[0] || local}@${domain}`
}

/**
 * Returns the form of an address by which clients are matched: in lower case and NFC, beyond ASCII too, with a Unicode
 * domain.
 */
export function addressKey(email: string): string {
  return unicodeEmail(email.normalize('NFC').toLowerCase()).normalize('NFC')
}

/**
 * The domain of stand-in addresses for clients without an email address. Nobody can register it (RFC 2606). It
 * distinguishes such clients and is never displayed.
 */
const noEmailEnding = '@no-email.invalid'

/** True if emails can reach the address. False for an erased client and for a stand-in. */
export function hasEmail(email: string): boolean {
  return email !== '' && !isStandIn(email)
}

/** True for an address that stands in for a client without one. */
export function isStandIn(email: string): boolean {
  return email.toLowerCase().endsWith(noEmailEnding)
}

/** Returns an address for display, which is empty for a stand-in. */
export function shownEmail(email: string): string {
  return hasEmail(email) ? email : ''
}

/**
 * Returns the stand-in address of a client without email. It contains the digits of the phone as dialled in the time
 * zone, or else the unique text `known`.
 */
export function standInEmail(
  phone: string,
  { known, timezone = 'UTC' }: { known: string; timezone?: string },
): string {
  const digits = wholeNumber(phone, timezone)
  return digits === '' ? `client-${known}${noEmailEnding}` : `phone-${digits}${noEmailEnding}`
}

/** Returns the digits of a number in its usual spellings, with and without the calling code. */
export function numberForms(phone: string, timezone: string): string[] {
  const code = callingCodeOf(timezone)
  const whole = internationalNumber(phone, timezone)?.slice(1) ?? wholeNumber(phone, timezone)
  if (code === undefined || !whole.startsWith(code)) return [whole, `00${whole}`]
  const national = whole.slice(code.length)
  return [whole, `00${whole}`, national, `0${national}`, `${code}0${national}`]
}

/** Returns a client's full name. Some clients have no last name. */
export function fullName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`.trim()
}

/** The name of an erased client. */
export const erasedName = 'Erased'

/** Accepts at most 32 digits, spaces and `+ ( ) - .`, with at least one digit. Also accepts an empty text. */
export function isPhone(text: string): boolean {
  return text === '' || (text.length <= 32 && /^[0-9 +().-]+$/.test(text) && /[0-9]/.test(text))
}

/** Formats a number for `tel:` (RFC 3966): no bracketed zeros, no spaces. */
export function dialled(phone: string): string {
  return phone.replaceAll(/[^\d+]/g, '')
}

/** Accepts an absolute http or https URL of at most 2,048 characters. */
export function isWebAddress(text: string): boolean {
  return text.length <= 2048 && isLine(text) && /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** The origin of a web address: scheme, host and port. Only `webOrigin` creates one. */
export type WebOrigin = string & { readonly isWebOrigin: true }

/**
 * Returns the origin of a web address, or undefined unless its host is a name or an IP address. The URL parser accepts
 * characters in a host (`;`, `,`, `*`, quotes) that have a special meaning in headers.
 */
export function webOrigin(text: string): WebOrigin | undefined {
  const url = isWebAddress(text) ? URL.parse(text) : null
  const isHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(url?.hostname ?? '')
  return url && isHost ? (url.origin as WebOrigin) : undefined
}

/** Accepts an existing date in the form 2026-12-24. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  try {
    Temporal.PlainDate.from(text)
    return true
  } catch {
    return false
  }
}

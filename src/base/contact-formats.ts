import { wholeNumber } from './phone-countries.ts'

/* Each check is linear in the length of the text, which the callers have bounded. */

const controls = /[\u0000-\u001f\u007f-\u009f]/
const controlsInText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/

/** One line: well-formed Unicode without control characters. */
export function isLine(text: string): boolean {
  return text.isWellFormed() && !controls.test(text)
}

/** Text of several lines: well-formed Unicode; of control characters only tab and new line (LF or CR LF). */
export function isText(text: string): boolean {
  return text.isWellFormed() && !controlsInText.test(text)
}

/**
 * Whether a text holds a web address. A name with one would carry it into mails. Reads the text as mail programs do:
 * without invisible characters, and with full-width letters and dots as plain ones (IDNA, UTS 46).
 */
export function holdsWebAddress(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{DI}/gu, '')
    .replaceAll('\u3002', '.')
  return /:\/\/|(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]/iu.test(plain)
}

/** A text without control characters, which become spaces, and well-formed. */
export function asLine(text: string): string {
  return isLine(text) ? text : asText(text).replaceAll(/\s/g, ' ')
}

/** Text of several lines, well-formed; control characters become spaces, but for tab and new line. */
export function asText(text: string): string {
  return text.toWellFormed().replaceAll(new RegExp(controlsInText, 'g'), ' ')
}

/** At most 254 characters, one `@` with something before it, a domain with a dot, no spaces. */
export function isEmail(text: string): boolean {
  if (text.length > 254 || !isLine(text) || /\s/.test(text)) return false
  const [local, domain, ...more] = text.split('@')
  if (!local || !domain || more.length > 0) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((label) => label !== '')
}

/** The e-mail address under which limits count a client: in lower case, without `+tag`. */
export function clientEmailOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  return `${local.split('+', 1)[0] || local}@${domain}`
}

/**
 * How what is kept in place of the address of a client without one ends: nobody can register it (RFC 2606). It tells such
 * clients apart and is shown to nobody.
 */
const noEmailEnding = '@no-email.invalid'

/** Whether mails can reach an address: it is neither that of a client who was erased nor of one without any. */
export function hasEmail(email: string): boolean {
  return email !== '' && !isStandIn(email)
}

/** Whether an address only names a client who has none. */
export function isStandIn(email: string): boolean {
  return email.toLowerCase().endsWith(noEmailEnding)
}

/** An address for people to read: empty where there is none. */
export function shownEmail(email: string): string {
  return hasEmail(email) ? email : ''
}

/**
 * What names a client without an e-mail address: the digits of the phone, which is dialled in a time zone, else `known`,
 * which nobody else has.
 */
export function standInEmail(
  phone: string,
  { known, timezone = 'UTC' }: { known: string; timezone?: string },
): string {
  const digits = wholeNumber(phone, timezone)
  return digits === '' ? `client-${known}${noEmailEnding}` : `phone-${digits}${noEmailEnding}`
}

/** A client's whole name: not everybody gives a last one. */
export function fullName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`.trim()
}

/** The name of a client who was erased. */
export const erasedName = 'Erased'

/** At most 32 digits, spaces and `+ ( ) - .`, with at least one digit; or nothing. */
export function isPhone(text: string): boolean {
  return text === '' || (text.length <= 32 && /^[0-9 +().-]+$/.test(text) && /[0-9]/.test(text))
}

/** For `tel:` (RFC 3966): no brackets around zeros, no spaces. */
export function dialled(phone: string): string {
  return phone.replaceAll(/[^\d+]/g, '')
}

/** An absolute http or https address of at most 2,048 characters. */
export function isWebAddress(text: string): boolean {
  return text.length <= 2048 && isLine(text) && /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** The origin of a web address: scheme, host and port. Only `webOrigin` creates one. */
export type WebOrigin = string & { readonly isWebOrigin: true }

/**
 * The origin of a web address; undefined unless its host is a name or an IP address. The URL parser accepts characters
 * in a host (`;`, `,`, `*`, quotes) that have a meaning of their own in headers.
 */
export function webOrigin(text: string): WebOrigin | undefined {
  const url = isWebAddress(text) ? URL.parse(text) : null
  const isHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(url?.hostname ?? '')
  return url && isHost ? (url.origin as WebOrigin) : undefined
}

/** An existing date in the form 2026-12-24. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  try {
    Temporal.PlainDate.from(text)
    return true
  } catch {
    return false
  }
}

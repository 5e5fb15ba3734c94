/*
 * How the values of single settings are read. Each throws an Error whose message says what is expected.
 */

/** Two numbers of seconds, such as 30,300. */
export function twoPauses(text: string): [number, number] {
  const [first, second, ...more] = text.split(',').map((part) => /^\s*(\d{1,5})\s*$/.exec(part)?.[1])
  const pauses: [number, number] = [Number(first ?? NaN), Number(second ?? NaN)]
  if (more.length === 0 && pauses.every((seconds) => seconds >= 1 && seconds <= 86_400)) return pauses
  throw new Error('must be two numbers of seconds from 1 to 86400, such as 30,300')
}

/** What the keys in a shared store begin with. */
export function keyPrefix(text: string): string {
  if (/^[\w:.{}-]{1,64}$/.test(text)) return text
  throw new Error('must be 1 to 64 letters, digits and : . _ - { }')
}

/** An http or https address, or nothing. */
export function httpUrl(text: string): string {
  const { protocol } = URL.parse(text) ?? {}
  if (text === '' || protocol === 'http:' || protocol === 'https:') return text
  throw new Error('must be an address such as http://127.0.0.1:4318')
}

/** The same without anything after the path; a slash at its end is dropped. */
export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (text === '' || (isHttp && url.search === '' && url.hash === '' && url.username === ''))
    return text.replace(/\/+$/, '')
  throw new Error('must be an address such as https://booking.example.com')
}

/** A text that begins in one of these ways, or nothing. */
export function beginningWith(...beginnings: string[]): (text: string) => string {
  return (text) => {
    if (text === '' || beginnings.some((beginning) => text.startsWith(beginning))) return text
    throw new Error(`must begin with ${beginnings.join(' or ')}`)
  }
}

/** A number from 0 to 1. */
export function share(text: string): number {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : NaN
  if (value >= 0 && value <= 1) return value
  throw new Error('must be a number from 0 to 1, for example 0.1')
}

/** A number above 0. */
export function factor(text: string): number {
  const value = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN
  if (value > 0) return value
  throw new Error('must be a number above 0, for example 10')
}

/** 32 bytes as 64 hexadecimal digits or in base64, or nothing. The message never repeats the text. */
export function secretOf32Bytes(text: string): Buffer | undefined {
  if (text === '') return undefined
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error(
    'must be 32 bytes as 64 hexadecimal digits or in base64, for example of: openssl rand -hex 32',
  )
}

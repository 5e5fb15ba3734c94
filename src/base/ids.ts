import { hash, randomBytes, randomInt, randomUUID, randomUUIDv7 } from 'node:crypto'

/** The only source of IDs and randomness. */
export interface Ids {
  /** Returns a new UUID that sorts by time of creation (RFC 9562, version 7: 74 random bits). */
  next(): string
  /** Returns a new request ID: a random UUID (RFC 9562, version 4). */
  request(): string
  /** Returns `length` characters of [0-9A-Za-z] from a secure source. */
  secret(length: number): string
  /** Returns `count` random bytes from a secure source. */
  bytes(count: number): Buffer
  /** Returns a number in [0, 1), for jitter only. */
  fraction(): number
}

/** The characters of secrets and token checksums, in the order of their values. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const systemIds: Ids = {
  next: () => randomUUIDv7(),
  request: () => randomUUID(),
  secret: (length) => Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join(''),
  bytes: (count) => randomBytes(count),
  fraction: () => Math.random(),
}

/** Returns a UUID that depends only on the parts (RFC 9562, version 8, from SHA-256). */
export function derivedId(...parts: string[]): string {
  const hex = hash('sha256', parts.join('\n'), 'hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Checks for the form of a UUID (RFC 9562, section 4). */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

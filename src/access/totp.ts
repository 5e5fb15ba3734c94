import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/*
 * Codes of an authenticator (TOTP, RFC 6238): six digits, SHA-1, a new one every 30 seconds, as all authenticators take them.
 */

const stepSeconds = 30
const digits = 6
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes of a secret, as RFC 4226 (section 4) advises. */
export const totpSecretBytes = 20

/** Base32 (RFC 4648, section 6) without padding. */
export function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet.charAt(parseInt(group.padEnd(5, '0'), 2))).join('')
}

/**
 * The time step of a right code: the present one or one beside it, as clocks differ. Undefined for a wrong code, and for one
 * of `lastStep` or before, which was used.
 */
export function totpStep(
  secret: string,
  code: string,
  { nowMs, lastStep }: { nowMs: number; lastStep: number },
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const present = Math.floor(nowMs / 1000 / stepSeconds)
  const steps = [present - 1, present, present + 1].filter((step) => step > lastStep)
  return steps.find((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)))
}

/** The code of a time step (RFC 4226, section 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/** What authenticators read from a link or a QR code. */
export function totpAddress(secret: string, email: string): string {
  return `otpauth://totp/${encodeURIComponent(`Holdfast:${email}`)}?secret=${secret}&issuer=Holdfast`
}

function bytesOf(secret: string): Buffer {
  let bits = ''
  for (const sign of secret) bits += alphabet.indexOf(sign).toString(2).padStart(5, '0')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
}

/** A code that replaces one of the authenticator, as people read it: four groups of four signs. */
export function recoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).toLowerCase().match(/.{4}/g) ?? []).join('-')
}

/** A code as it was typed, without the spaces and hyphens between its groups. */
export function plainCode(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toLowerCase()
}

/** The only form in which a recovery code is stored: it has 80 random bits. */
export function recoveryDigest(code: string): string {
  return hash('sha256', plainCode(code), 'hex')
}

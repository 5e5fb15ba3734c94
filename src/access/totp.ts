import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/*
 * Codes of an authenticator (TOTP, RFC 6238): six digits, SHA-1, a new one every 30 seconds. All authenticators support
 * these settings.
 */

const stepSeconds = 30
const digits = 6
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes of a secret, as RFC 4226 (section 4) recommends. */
export const totpSecretBytes = 20

/** Base32 (RFC 4648, section 6) without padding. */
export function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet.charAt(parseInt(group.padEnd(5, '0'), 2))).join('')
}

/**
 * Returns the time step of a correct code: the present one or a neighbour, because clocks differ. Returns undefined for
 * a wrong code, and for one up to `lastStep`, which was already used.
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

/** Returns the code of a time step (RFC 4226, section 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/** Returns the URL that authenticators read from a link or a QR code. */
export function totpAddress(secret: string, email: string): string {
  return `otpauth://totp/${encodeURIComponent(`Holdfast:${email}`)}?secret=${secret}&issuer=Holdfast`
}

function bytesOf(secret: string): Buffer {
  let bits = ''
  for (const sign of secret) bits += alphabet.indexOf(sign).toString(2).padStart(5, '0')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
}

/** Returns a code that replaces one of the authenticator, in readable form: four groups of four characters. */
export function recoveryCode(bytes: Uint8Array): string {
  return (base32(bytes).toLowerCase().match(/.{4}/g) ?? []).join('-')
}

/** Returns a typed code without the spaces and hyphens between its groups. */
export function plainCode(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toLowerCase()
}

/** The only form in which a recovery code is stored. The code has 80 random bits. */
export function recoveryDigest(code: string): string {
  return hash('sha256', plainCode(code), 'hex')
}

import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { Received } from './receiver.ts'

/** A browser's subscription, with the keys that decrypt its messages. */
export interface PushDevice {
  subscription: { endpoint: string; p256dh: string; auth: string; locale: string }
  /** Decrypts a message (RFC 8291 and 8188), as a browser does. */
  read(message: Received): Record<string, string>
}

/** Makes a subscription at a stand-in push service. */
export function pushDevice(address: string, { locale = 'en-GB' } = {}): PushDevice {
  const own = createECDH('prime256v1')
  const publicKey = own.generateKeys()
  const auth = randomBytes(16)
  const endpoint = `${address}/push/${randomBytes(9).toString('base64url')}`
  return {
    subscription: {
      ...{ endpoint, locale },
      ...{ p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    },
    read: ({ body }) => {
      const salt = body.subarray(0, 16)
      const keyLength = body[20] ?? 0
      const sender = body.subarray(21, 21 + keyLength)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender])
      const derive = (from: Buffer, seed: Buffer, about: Buffer | string, length: number) =>
        Buffer.from(hkdfSync('sha256', from, seed, about, length))
      const secret = derive(own.computeSecret(sender), auth, info, 32)
      const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
      const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
      const sealed = body.subarray(21 + keyLength)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce)
      decipher.setAuthTag(sealed.subarray(-16))
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as Record<string, string>
    },
  }
}

/** Checks the signature of a message (RFC 8292). Returns the claims and the key. */
export function signatureOf({ headers }: Received): { claims: Record<string, unknown>; key: string } {
  const [, token = '', key = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(headers['authorization'] ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isRight) throw new Error('the signature is wrong')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>, key }
}

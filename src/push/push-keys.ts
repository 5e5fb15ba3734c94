import { keptSecret } from '../access/server-secret.ts'
import type { Context } from './context.ts'

/** The pair by which push services know this server (VAPID, RFC 8292), in base64url. */
interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * Returns the keys of all servers of this database. The first call makes them. Devices know the public one, so a copy
 * of the database keeps its devices.
 */
export async function pushKeys({ db }: Pick<Context, 'db'>): Promise<PushKeys> {
  const make = async () => JSON.stringify((await webPush()).generateVAPIDKeys())
  return JSON.parse(await keptSecret({ db }, 'push', make)) as PushKeys // only this function writes it
}

/** The part of the package that Holdfast uses. It has no types of its own. */
interface WebPush {
  generateVAPIDKeys(): PushKeys
  /** Returns the headers that identify the server for an hour, or until `expiration` in epoch seconds. */
  getVapidHeaders(
    audience: string,
    subject: string,
    publicKey: string,
    privateKey: string,
    encoding: 'aes128gcm',
    expiration: number,
  ): Record<string, string>
  /** Encrypts for one device (RFC 8291). */
  encrypt(p256dh: string, auth: string, payload: string, encoding: 'aes128gcm'): { cipherText: Buffer }
}

/** Loaded late, because a server without devices never needs it. */
export async function webPush(): Promise<WebPush> {
  // @ts-expect-error TS7016 -- the package has no types
  return ((await import('web-push')) as { default: WebPush }).default
}

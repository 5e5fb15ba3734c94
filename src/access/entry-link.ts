import { timingSafeEqual } from 'node:crypto'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from './context.ts'

/*
 * The link of a client on the waiting list, short enough for text messages. Its code names the entry and proves it with
 * a digest that needs the server's secret.
 */

type Parts = Pick<Context, 'config' | 'secret'>

const idBytes = 16
const proofBytes = 8

/** Returns the URL of the page of an entry. Call it outside transactions. */
export async function entryUrl(context: Parts, entryId: string): Promise<string> {
  return `${publicUrl(context.config)}${await entryPath(context, entryId)}`
}

/** Returns its path on this server. */
export async function entryPath(context: Parts, entryId: string): Promise<string> {
  const id = Buffer.from(entryId.replaceAll('-', ''), 'hex')
  return `/w/${Buffer.concat([id, await proofOf(context, id)]).toString('base64url')}`
}

/** Returns the entry that a code names and proves. Undefined for any other text. */
export async function entryIdOf(context: Parts, code: string): Promise<string | undefined> {
  const bytes = Buffer.from(code, 'base64url')
  if (bytes.length !== idBytes + proofBytes || bytes.toString('base64url') !== code) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), await proofOf(context, id))) return undefined
  const hex = id.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

async function proofOf({ secret }: Pick<Parts, 'secret'>, id: Buffer): Promise<Buffer> {
  const digest = await secret.digester('waiting list link')
  return Buffer.from(digest(id.toString('hex')), 'base64url').subarray(0, proofBytes)
}

import { timingSafeEqual } from 'node:crypto'
import { publicUrl } from '../base/public-url.ts'
import type { BookingsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { derivedToken, tokenDigest } from './token.ts'

/*
 * The link for a client to manage one booking. Its token is derived from the booking, the generation of the link and
 * the server's secret. So every email can contain it again although only its digest is stored.
 */

type Parts = Pick<Context, 'config' | 'secret'>

/** The inputs of a booking's token. */
type Linked = Pick<BookingsTable, 'id' | 'manage_generation'>

/** The generation of a new booking's link. */
export const firstGeneration = 1

/** Derives tokens of manage links. */
export type ManageTokens = (booking: Linked) => string

/** Call it outside transactions, because it may read the server's secret from the database. */
export async function manageTokens({ secret }: Pick<Parts, 'secret'>): Promise<ManageTokens> {
  const digest = await secret.digester('manage link')
  return ({ id, manage_generation }) =>
    derivedToken('manage', Buffer.from(digest(`${id}\n${manage_generation}`), 'base64url'))
}

/**
 * Returns the URL of the page on which a client manages the booking. The token is in the fragment, which no server and
 * no referrer sees. Returns undefined if the present secret cannot derive the link: after a change of HOLDFAST_SECRET,
 * or for an erased client.
 */
export async function manageUrl(
  context: Parts,
  booking: Linked & Pick<BookingsTable, 'manage_digest'>,
): Promise<string | undefined> {
  const token = (await manageTokens(context))(booking)
  return tokenDigest(token) === booking.manage_digest ? manageUrlOf(context, token) : undefined
}

/** Returns the URL of the page for a token. */
export function manageUrlOf({ config }: Pick<Parts, 'config'>, token: string): string {
  return `${publicUrl(config)}/manage#${token}`
}

/*
 * Text messages have room for a short link only. Its code names the booking and proves it with a digest, and leads to
 * the link above. It ends with the link's generation.
 */

const idBytes = 16
const proofBytes = 8

/** Returns the short URL that leads to the page on which a client manages the booking. */
export async function shortManageUrl(context: Parts, booking: Linked): Promise<string> {
  const id = Buffer.from(booking.id.replaceAll('-', ''), 'hex')
  const code = Buffer.concat([id, await proofOf(context, booking)]).toString('base64url')
  return `${publicUrl(context.config)}/m/${code}`
}

/** Returns the booking's ID that a code names. Undefined for text of another form. */
export function bookingIdOfCode(code: string): string | undefined {
  const bytes = Buffer.from(code, 'base64url')
  if (bytes.length !== idBytes + proofBytes || bytes.toString('base64url') !== code) return undefined
  const hex = bytes.toString('hex', 0, idBytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Returns true if a code was made for the present link of a booking. */
export async function isCodeOf(context: Parts, booking: Linked, code: string): Promise<boolean> {
  const proof = Buffer.from(code, 'base64url').subarray(idBytes)
  return proof.length === proofBytes && timingSafeEqual(proof, await proofOf(context, booking))
}

async function proofOf(
  { secret }: Pick<Parts, 'secret'>,
  { id, manage_generation }: Linked,
): Promise<Buffer> {
  const digest = await secret.digester('short manage link')
  return Buffer.from(digest(`${id}\n${manage_generation}`), 'base64url').subarray(0, proofBytes)
}

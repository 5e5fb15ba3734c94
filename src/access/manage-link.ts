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

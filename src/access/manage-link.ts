import { publicUrl } from '../base/public-url.ts'
import type { BookingsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { derivedToken, tokenDigest } from './token.ts'

/*
 * The link by which a client manages one booking. Its token is derived from the booking, the generation of the link and the
 * server's secret, so that every mail can name it again and nothing but its digest is stored.
 */

type Parts = Pick<Context, 'config' | 'secret'>

/** What the token of a booking depends on. */
type Linked = Pick<BookingsTable, 'id' | 'manage_generation'>

/** The generation of a new booking's link. */
export const firstGeneration = 1

/** Derives tokens of manage links. */
export type ManageTokens = (booking: Linked) => string

/** Call it outside of transactions: it may read the server's secret from the database. */
export async function manageTokens({ secret }: Pick<Parts, 'secret'>): Promise<ManageTokens> {
  const digest = await secret.digester('manage link')
  return ({ id, manage_generation }) =>
    derivedToken('manage', Buffer.from(digest(`${id}\n${manage_generation}`), 'base64url'))
}

/**
 * The address of the page on which a client manages the booking, with the token in its fragment, which no server and no
 * referrer sees. Undefined for a link that the present secret cannot derive: one from before HOLDFAST_SECRET was
 * changed, or of a client who was erased.
 */
export async function manageUrl(
  context: Parts,
  booking: Linked & Pick<BookingsTable, 'manage_digest'>,
): Promise<string | undefined> {
  const token = (await manageTokens(context))(booking)
  return tokenDigest(token) === booking.manage_digest ? manageUrlOf(context, token) : undefined
}

/** The address of the page for a token. */
export function manageUrlOf({ config }: Pick<Parts, 'config'>, token: string): string {
  return `${publicUrl(config)}/manage#${token}`
}

import { formatInstant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { UserLinksTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { deleteOldLinks, insertLinks } from './person-queries.ts'
import { derivedToken, newToken, tokenDigest } from './token.ts'

/*
 * One-time links to set a password. The token of a person's link is derived from its ID and the server's secret. So a
 * email can contain it although only its digest is stored.
 */

/** A link to set a password. */
export interface PasswordLink {
  id: string
  token: string
  expiresAt: UserLinksTable['expires_at']
}

const linkSeconds = 1_800
/** Minutes until a link expires, for display. */
export const linkMinutes = linkSeconds / 60
/** Only one link of a first owner exists. Each new one replaces it. */
const firstOwnerLinkId = '00000000-0000-8000-8000-000000000001'

/** Derives the tokens of links from their IDs. */
export type LinkTokens = (id: string) => string

/** Call it outside transactions, because it may read the server's secret from the database. */
export async function linkTokens(
  { secret }: Pick<Context, 'secret'>,
  purpose: 'password link' | 'operator link' | 'new address' = 'password link',
): Promise<LinkTokens> {
  const digest = await secret.digester(purpose)
  return (id) => derivedToken('link', Buffer.from(digest(id), 'base64url'))
}

/** Returns the page of a link. The token is in the fragment, which no server and no referrer sees. */
export function linkUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${publicUrl(config)}/console/link#${token}`
}

/** Returns the page that confirms a new address. */
export function addressUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${publicUrl(config)}/console/email#${token}`
}

/** Presents a link to the person who delivers it. */
export function presentLink(
  context: Pick<Context, 'config'>,
  { token, expiresAt }: Pick<PasswordLink, 'token' | 'expiresAt'>,
  timezone: string | null,
) {
  return { url: linkUrl(context, token), expires_at: formatInstant(expiresAt, timezone ?? 'UTC') }
}

interface LinkedPerson {
  /** Null for nobody: the statements are the same, and no link is made. */
  userId: string | null
  /** True if it is emailed to the person's address or made by the operator, false if another person delivers it. */
  proves: boolean
  tokens: LinkTokens
}

/** Creates a link for a person, valid for 30 minutes. */
export async function makeLink(
  { ids }: Pick<Context, 'ids'>,
  tx: Transaction,
  { userId, proves, tokens }: LinkedPerson,
): Promise<PasswordLink> {
  const id = ids.next()
  const token = tokens(id)
  const row = linkRow(tx, { id, userId, proves, token })
  await insertLinks(tx.db, userId === null ? [] : [row])
  return { id, token, expiresAt: row.expires_at }
}

/** Creates the link of a first owner, without storing it. */
export function firstOwnerLink({ ids }: Pick<Context, 'ids'>, tx: Transaction) {
  const token = newToken('link', ids)
  return { token, row: linkRow(tx, { id: firstOwnerLinkId, userId: null, proves: false, token }) }
}

function linkRow(
  tx: Transaction,
  { id, userId, proves, token }: { id: string; userId: string | null; proves: boolean; token: string },
): UserLinksTable {
  return {
    id,
    user_id: userId,
    proves_address: proves ? 1 : 0,
    digest: tokenDigest(token),
    created_at: tx.now,
    expires_at: plusSeconds(tx.now, linkSeconds),
    used_at: null,
  }
}

/** Deletes expired links. */
export const oldLinks: CleanupJob = {
  name: 'old links of people',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldLinks(tx.db, tx.now, max)),
}

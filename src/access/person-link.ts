import { formatInstant, plusSeconds } from '../base/instants.ts'
import { publicUrl } from '../base/public-url.ts'
import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import type { UserLinksTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { deleteOldLinks, insertLinks } from './person-queries.ts'
import { derivedToken, newToken, tokenDigest } from './token.ts'

/*
 * Links by which people set a password, once. The token of a person's link is derived from its id and the server's secret,
 * so that a mail can name it; nothing but its digest is stored.
 */

/** A link by which a password is set. */
export interface PasswordLink {
  id: string
  token: string
  expiresAt: UserLinksTable['expires_at']
}

const linkSeconds = 1_800
/** Minutes after which a link ends, for people. */
export const linkMinutes = linkSeconds / 60
/** Only one link of a first owner exists: each new one replaces it. */
const firstOwnerLinkId = '00000000-0000-8000-8000-000000000001'

/** Derives the tokens of links from their ids. */
export type LinkTokens = (id: string) => string

/** Call it outside of transactions: it may read the server's secret from the database. */
export async function linkTokens(
  { secret }: Pick<Context, 'secret'>,
  purpose: 'password link' | 'new address' = 'password link',
): Promise<LinkTokens> {
  const digest = await secret.digester(purpose)
  return (id) => derivedToken('link', Buffer.from(digest(id), 'base64url'))
}

/** The page on which the token of a link is used, with the token in its fragment, which no server and no referrer sees. */
export function linkUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${publicUrl(config)}/console/link#${token}`
}

/** The page on which a new address is confirmed. */
export function addressUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${publicUrl(config)}/console/email#${token}`
}

/** Presents a link to those who hand it over. */
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
  /** Whether it is mailed to the address of the person, or made by the operator, rather than handed over by somebody else. */
  proves: boolean
  tokens: LinkTokens
}

/** Makes a link for a person, for 30 minutes. */
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

/** The link of a first owner, still to be stored. */
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

/** Deletes links that have ended. */
export const oldLinks: CleanupJob = {
  name: 'old links of people',
  deleteBatch: ({ db }, max) => db.transaction((tx) => deleteOldLinks(tx.db, tx.now, max)),
}

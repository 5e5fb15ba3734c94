import type { Config } from '../base/config.ts'
import type { Reads } from '../database/database.ts'
import { isTestBusiness } from '../database/test-time.ts'
import type { Context } from './context.ts'
import { findOwnServer, type OwnMailServerRow } from './own-server-queries.ts'

/**
 * Returns the route of emails: to a server, into files, or nowhere. Production without SMTP_URL writes none, so that no
 * backlog is sent later.
 */
export function mailRoute({
  smtpUrl,
  environment,
  mailDirectory,
}: Pick<Config, 'smtpUrl' | 'environment' | 'mailDirectory'>): 'smtp' | 'files' | 'off' {
  if (smtpUrl !== '') return 'smtp'
  if (environment === 'production') return 'off'
  return environment === 'development' || mailDirectory !== '' ? 'files' : 'off'
}

function cacheKey(businessId: string): string {
  return `mail server of ${businessId}`
}

/** Returns the stored server of a business. Also remembers that there is none. */
export async function knownServer(
  { cache }: Pick<Context, 'cache'>,
  db: Reads,
  businessId: string,
): Promise<OwnMailServerRow | undefined> {
  const read = async () => ({ row: await findOwnServer(db, businessId) })
  return (await cache.get(cacheKey(businessId), read))?.row
}

/** Returns true for a test business, whose messages reach nobody. This never changes. */
export async function keepsMessages(
  { cache }: Pick<Context, 'cache'>,
  db: Reads,
  businessId: string,
): Promise<boolean> {
  const known = await cache.get(`messages of ${businessId}`, async () => ({
    areKept: await isTestBusiness(db, businessId),
  }))
  return known?.areKept === true
}

/**
 * Returns the route of a business's emails, which may have a mail server although the operator has none. Emails of a test
 * business are written anywhere, and kept.
 */
export async function mailRouteOf(
  { config, cache }: Pick<Context, 'config' | 'cache'>,
  db: Reads,
  businessId: string,
): Promise<ReturnType<typeof mailRoute>> {
  const route = mailRoute(config)
  if (route !== 'off' || config.environment !== 'production') return route
  if (await knownServer({ cache }, db, businessId)) return 'smtp'
  return (await keepsMessages({ cache }, db, businessId)) ? 'files' : 'off'
}

/**
 * Returns true if a server sends the emails of a business. Without an operator's server, call it right after the business
 * caused an email.
 */
export function sendsMail({ config, cache }: Pick<Context, 'config' | 'cache'>, businessId: string): boolean {
  const known = cache.peek(cacheKey(businessId)) as { row: OwnMailServerRow | undefined } | undefined
  return config.smtpUrl !== '' || known?.row !== undefined
}

/** Makes a change of the server known to this process at once, and to others within five seconds. */
export function forgetServer({ cache }: Pick<Context, 'cache'>, businessId: string): void {
  cache.forget(cacheKey(businessId))
}

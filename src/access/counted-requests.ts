import { Problem } from '../base/errors.ts'
import { scopeKey } from '../database/tenant-scope.ts'
import type { Actor, PersonActor } from './actor.ts'
import type { Context } from './context.ts'
import { findUserByEmail } from './person-queries.ts'
import { personEmail } from './person.ts'
import { quotaOfTrial, quotasOfMail } from './rate-limit-rules.ts'
import type { RateLimiter } from './rate-limits.ts'

/**
 * Counts an email that a person has sent to an address: an invitation, a link, a test email. People choose the names in
 * it, so without a limit it could serve to write to strangers. Throws rate_limited.
 */
export async function countMail(
  context: Pick<Context, 'config' | 'secret'>,
  limiter: RateLimiter,
  { person: { userId, scope }, email }: { person: PersonActor; email: string },
): Promise<void> {
  const address = (await context.secret.digester('mail to'))(personEmail(email))
  const quotas = quotasOfMail({ userId, place: scopeKey(scope), address }, context.config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count(quotas)
  if (allowed) return
  throw new Problem(
    'rate_limited',
    `Too many emails were sent to this address, or by this business; try again in ${retryAfterSeconds} s.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  )
}

/** Counts an attempt to connect a mail server or a payment account of a business. Throws rate_limited. */
export async function countTrial(
  { config }: Pick<Context, 'config'>,
  limiter: RateLimiter,
  { scope }: Pick<Actor, 'scope'>,
): Promise<void> {
  const quota = quotaOfTrial(scopeKey(scope), config.rateLimitFactor)
  const { allowed, retryAfterSeconds } = await limiter.count([quota])
  if (allowed) return
  throw new Problem('rate_limited', `Too many attempts to connect; try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

/**
 * Counts the email that adding a person would send: an invitation for an address with an account. A new account's link
 * is returned instead. Throws rate_limited.
 */
export async function countInvitation(
  context: Pick<Context, 'config' | 'secret' | 'db'>,
  limiter: RateLimiter,
  invited: { person: PersonActor; email: string },
): Promise<void> {
  const account = await findUserByEmail(context.db.reads, personEmail(invited.email))
  if (account) await countMail(context, limiter, invited)
}

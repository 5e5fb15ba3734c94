import type { Limited } from '../access/log-in.ts'
import { quotasOfClientLink } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { findShownBusiness } from '../access/session.ts'
import { derivedToken, tokenDigest } from '../access/token.ts'
import type { ClientAddress } from '../base/client-network.ts'
import { plusSeconds } from '../base/instants.ts'
import { hasEmail } from '../base/contact-formats.ts'
import { languageFor } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import type { CleanupJob } from '../database/context.ts'
import { insertClientLink, insertClientTextLink, setDigestOfLink } from './client-link-queries.ts'
import { brandOf, contactOf } from './brand.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { retentionSeconds } from './mail-rules.ts'
import { deleteOldNotices, type NoticeOf } from './notice-queries.ts'
import { sendNotice } from './notice.ts'
import { contactBlocks, oneLine, unlinked } from './render.ts'
import type { MailSender, OutgoingMail } from './send.ts'
import { realNow } from '../base/clock.ts'

/*
 * Emails with the link to a client's page. A request is one row, for known and unknown addresses alike. The token is
 * derived from its ID and the server's secret when the email is made. client-link-text.ts does the same for numbers.
 */

/** Counted from the request. */
export const linkSeconds = 900

/** An address or a number at a business. */
export interface ClientMailbox {
  businessId: string
  /** In lower case. Of a number, its stand-in address. */
  email: string
  /** E.164. Null for an address. */
  phone: string | null
}

/**
 * Requests the link to a client's page by email or text. Says nothing about the address: a mailbox or number that has
 * received its three messages in an hour gets no more, without an answer. Returns the wait for a visitor who asks too
 * often.
 */
export async function requestClientLink(
  context: Context,
  limiter: RateLimiter,
  { businessId, email, phone, locale, client }: ClientMailbox & { locale: string; client: ClientAddress },
): Promise<Limited | undefined> {
  const account = (await context.secret.digester('client link'))(`${businessId}\n${email}`)
  const factor = context.config.rateLimitFactor
  const { visitor, mailbox } = quotasOfClientLink(client, { account, businessId }, factor)
  const { allowed, retryAfterSeconds } = await limiter.count(visitor)
  if (!allowed) return { outcome: 'limited', retryAfterSeconds }
  if (!(await limiter.count(mailbox, businessId)).allowed) return undefined
  await context.db.transaction((tx) => {
    const link = {
      ...{ id: context.ids.next(), business_id: businessId, locale },
      ...{ digest: null, used_at: null, to_email: null },
      expires_at: plusSeconds(tx.now, linkSeconds),
      ...{ attempts: 0, next_attempt_at: realNow(tx.now), created_at: tx.now },
    }
    return phone === null
      ? insertClientLink(tx.db, { ...link, email })
      : insertClientTextLink(tx.db, { ...link, phone })
  })
  return undefined
}

/** Sends a leased email and writes its outcome. `isClient` reports if a mailbox has bookings at a business. */
export async function sendClientLink(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  {
    leased,
    isClient,
  }: { leased: NoticeOf<'client_links'>; isClient: (mailbox: ClientMailbox) => Promise<boolean> },
): Promise<void> {
  const { business_id: businessId, email } = leased
  const isKnown = hasEmail(email) && (await isClient({ businessId, email, phone: null }))
  const mail = isKnown ? await mailOf(context, leased) : undefined
  await sendNotice(context, sender, { table: 'client_links', notice: leased, mail })
}

/** Makes the link and its email. Returns undefined for a link that was used or has expired. */
async function mailOf(
  context: Context,
  { id, business_id: businessId, email, locale: wanted, expires_at, used_at }: NoticeOf<'client_links'>,
): Promise<OutgoingMail | undefined> {
  const { db, clock } = context
  if (used_at !== null || expires_at <= clock.now()) return undefined
  const url = await linkAddress(context, 'client_links', id)
  const { name, brand_name } = await findShownBusiness(db.reads, { businessId })
  const contact = await contactOf(context, businessId)
  const brand = await brandOf(context, businessId)
  const { say, locale, direction } = languageFor(wanted)
  const business = unlinked(brand_name ?? name)
  const subject = oneLine(say('mail.client.subject', { business }))
  const page = { title: subject, locale, direction, business: { name: business, ...brand } }
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.client.asked', { business }) },
    { type: 'button', label: say('me.open'), url },
    { type: 'small', text: say('mail.client.once', { minutes: linkSeconds / 60 }) },
    { type: 'small', text: say('mail.client.notAsked') },
    ...contactBlocks(contact, { say }),
  ]
  return {
    ...{ id, kind: 'client_link', to: email, at: clock.now() },
    ...{ senderName: business, replyTo: contact.replyTo, offUrl: null },
    content: { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null },
  }
}

/** Makes the link of a request and stores its digest. Returns its URL. */
export async function linkAddress(
  context: Context,
  table: Parameters<typeof setDigestOfLink>[1],
  id: string,
): Promise<string> {
  const digest = await context.secret.digester('client page')
  const token = derivedToken('client', Buffer.from(digest(id), 'base64url'))
  await context.db.transaction((tx) => setDigestOfLink(tx.db, table, { id, digest: tokenDigest(token) }))
  return `${publicUrl(context.config)}/me#${token}`
}

/** Deletes requests as old as the deleted emails about bookings. */
export const oldClientLinks: CleanupJob = {
  name: 'old links of clients',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const batch = { before: plusSeconds(tx.now, -retentionSeconds), max }
      const mails = await deleteOldNotices(tx.db, 'client_links', batch)
      return mails + (await deleteOldNotices(tx.db, 'client_text_links', { ...batch, max: max - mails }))
    }),
}

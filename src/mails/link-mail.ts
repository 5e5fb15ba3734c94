import { limitedWishes, type Limited, type LogInOrigin } from '../access/log-in.ts'
import { linkMinutes, linkTokens, linkUrl } from '../access/person-link.ts'
import { replaceLinks, type TellOfLink } from '../access/person.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { tokenDigest } from '../access/token.ts'
import type { Transaction } from '../database/database.ts'
import type { UserMailsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { findMailedLink, insertLinkMail } from './link-mail-queries.ts'
import { sendNotice } from './notice.ts'
import { mailRoute } from './outbox.ts'
import { fill, oneLine, type RenderedMail } from './render.ts'
import type { MailSender, OutgoingMail } from './send.ts'
import { mailLanguage } from './texts/languages.ts'

/*
 * Mails to people who log in, with a link to set a password. A row is written with its link and deleted once the mail is
 * sent, was refused, or the link has ended. The token is in neither: it is derived when the mail is made.
 */

/** Mails a new link to whoever has an address, and ends their older ones. What it does and returns tells nothing of who has one. */
export async function wishForPassword(
  context: Context,
  limiter: RateLimiter,
  { email, locale, origin }: { email: string; locale: string; origin: LogInOrigin },
): Promise<Limited | undefined> {
  const limited = await limitedWishes(context, limiter, { email, origin })
  if (limited) return limited
  const tokens = await linkTokens(context)
  await context.db.transaction(async (tx) => {
    const link = await replaceLinks(context, tx, { email, tokens })
    await writeLinkMail(context, tx, { linkId: link?.id ?? null, locale })
  })
  return undefined
}

/** For operations that make links: mails them. Undefined where no mail is set up. */
export function tellByMail(context: Context, locale: string): TellOfLink | undefined {
  if (mailRoute(context.config) === 'off') return undefined
  return (tx, { id }) => writeLinkMail(context, tx, { linkId: id, locale })
}

async function writeLinkMail(
  { ids, dueMails }: Pick<Context, 'ids' | 'dueMails'>,
  tx: Transaction,
  { linkId, locale }: { linkId: string | null; locale: string },
): Promise<void> {
  await insertLinkMail(tx.db, {
    id: ids.next(),
    link_id: linkId,
    locale,
    attempts: 0,
    next_attempt_at: tx.now,
    created_at: tx.now,
  })
  tx.onCommit(() => dueMails.raise())
}

/** Sends a leased mail, and writes what came of it. */
export async function sendLinkMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  notice: UserMailsTable,
): Promise<void> {
  const mail = await linkMailOf(context, notice)
  await sendNotice(context, sender, { table: 'user_mails', notice, mail })
}

/** Undefined where the link has ended, or nobody has it. */
async function linkMailOf(
  context: Context,
  { id, link_id, locale }: UserMailsTable,
): Promise<OutgoingMail | undefined> {
  const { db, clock } = context
  const tokens = await linkTokens(context)
  const link = link_id === null ? undefined : await findMailedLink(db.reads, link_id, clock.now())
  const token = link && tokens(link.id)
  // of another digest after HOLDFAST_SECRET was changed
  if (!link || token === undefined || tokenDigest(token) !== link.digest) return undefined
  return {
    ...{ id, kind: 'password', to: link.email, at: clock.now() },
    ...{ senderName: link.business_name ?? link.hub_name ?? '', replyTo: null, offUrl: null },
    content: renderLinkMail({ ...link, locale, url: linkUrl(context, token) }),
  }
}

interface LinkMailView {
  locale: string
  url: string
  email: string
  name: string
  password_set_at: string | null
  business_name: string | null
  hub_name: string | null
}

/** Says who has the account at what, and for how long the link works: nothing of clients. */
function renderLinkMail(view: LinkMailView): RenderedMail {
  const { texts, locale, direction } = mailLanguage(view.locale)
  const { password } = texts
  const values = {
    ...{ name: view.name, email: view.email, minutes: String(linkMinutes) },
    business: view.business_name ?? view.hub_name ?? 'Holdfast',
  }
  const isNew = view.password_set_at === null
  const subject = oneLine(fill(isNew ? password.invitation : password.subject, values))
  const page = { title: subject, locale, direction, business: { name: values.business, color: null } }
  const paragraph = (text: string): Block => ({ type: 'paragraph', text: fill(text, values) })
  const blocks: Block[] = [
    paragraph(texts.greeting),
    paragraph(isNew ? password.invited : password.asked),
    { type: 'button', label: password.choose, url: view.url },
    { type: 'small', text: fill(password.once, values) },
    { type: 'small', text: fill(isNew ? password.notMeant : password.notAsked, values) },
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

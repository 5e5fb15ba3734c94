import { limitedWishes, type Limited, type LogInOrigin } from '../access/log-in.ts'
import { addressUrl, linkMinutes, linkTokens, linkUrl } from '../access/person-link.ts'
import type { MailsInLanguage, PersonMails } from '../access/person-mails.ts'
import { replaceLinks, typedEmail } from '../access/person.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { tokenDigest } from '../access/token.ts'
import { toMs } from '../base/instants.ts'
import { languageFor } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import type { UserMailsTable } from '../database/tables.ts'
import { brandOf } from './brand.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import {
  findMailedEmailChange,
  findMailedInvitation,
  findMailedLink,
  insertLinkMail,
  setLinkOfMail,
  takeWish,
} from './link-mail-queries.ts'
import type { NoticeOf } from './notice-queries.ts'
import { sendNotice } from './notice.ts'
import { mailRoute } from './mail-route.ts'
import { oneLine, type RenderedMail, unlinked } from './render.ts'
import type { MailSender, OutgoingMail } from './send.ts'

/*
 * Emails to people who log in: with a link to set a password, an invitation, or a link that proves an address. A row is
 * written together with the change that it reports. It is deleted if the email becomes pointless before it is sent.
 * Neither contains tokens, which are derived when the email is rendered.
 */

/**
 * Requests a new link by email for the person with an address and ends their older ones. All of this happens after the
 * response, when the email is rendered. So the work and time of the request do not reveal if anyone has the address.
 */
export async function wishForPassword(
  context: Context,
  limiter: RateLimiter,
  { email, locale, origin }: { email: string; locale: string; origin: LogInOrigin },
): Promise<Limited | undefined> {
  const limited = await limitedWishes(context, limiter, { email, origin })
  if (limited) return limited
  await context.db.transaction((tx) => writeMail(context, tx, { wished_email: typedEmail(email), locale }))
  return undefined
}

/** Writes emails to people in a language. Returns undefined on a server that sends none. */
export function mailsToPeople(context: Context): MailsInLanguage {
  return (locale) => tellByMail(context, locale)
}

/** For operations that email people. Undefined if email is not set up. */
export function tellByMail(context: Context, locale: string): PersonMails | undefined {
  if (mailRoute(context.config) === 'off') return undefined
  return {
    link: (tx, { id }) => writeMail(context, tx, { link_id: id, locale }),
    invitation: (tx, { id }) => writeMail(context, tx, { invitation_id: id, locale }),
    address: (tx, { id }) => writeMail(context, tx, { email_change_id: id, locale }),
  }
}

type NewMail = Partial<
  Pick<UserMailsTable, 'link_id' | 'invitation_id' | 'email_change_id' | 'wished_email'>
> & { locale: string }

async function writeMail(
  { ids, dueMails }: Pick<Context, 'ids' | 'dueMails'>,
  tx: Transaction,
  mail: NewMail,
): Promise<void> {
  await insertLinkMail(tx.db, {
    ...{ link_id: null, invitation_id: null, email_change_id: null, wished_email: null },
    ...mail,
    id: ids.next(),
    created_at: tx.now,
  })
  // requests for a password are processed within two seconds anyway; no other request of the same visitor waits for
  // them
  if (mail.wished_email === undefined) tx.onCommit(() => dueMails.raise())
}

/** Sends a leased email and writes its outcome. */
export async function sendLinkMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  leased: NoticeOf<'user_mails'>,
): Promise<void> {
  const notice = leased.wished_email === null ? leased : await withLink(context, leased, leased.wished_email)
  const mail = notice && (await mailOf(context, notice))
  await sendNotice(context, sender, { table: 'user_mails', notice: notice ?? leased, mail })
}

/** Makes the link for a request, once. Returns undefined if nobody has the address or another server has the lease. */
async function withLink(
  context: Context,
  notice: NoticeOf<'user_mails'>,
  email: string,
): Promise<NoticeOf<'user_mails'> | undefined> {
  const tokens = await linkTokens(context)
  return context.db.transaction(async (tx) => {
    if (!(await takeWish(tx.db, notice))) return undefined
    const link = await replaceLinks(context, tx, { email, tokens })
    if (!link) return undefined
    await setLinkOfMail(tx.db, notice.id, link.id)
    return { ...notice, link_id: link.id, wished_email: null }
  })
}

/** Returns undefined if there is nothing left to say. */
async function mailOf(context: Context, notice: NoticeOf<'user_mails'>): Promise<OutgoingMail | undefined> {
  if (notice.invitation_id !== null) return invitationMailOf(context, notice, notice.invitation_id)
  if (notice.email_change_id !== null) return addressMailOf(context, notice, notice.email_change_id)
  return linkMailOf(context, notice)
}

async function linkMailOf(
  context: Context,
  { id, link_id, locale }: Pick<UserMailsTable, 'id' | 'link_id' | 'locale'>,
): Promise<OutgoingMail | undefined> {
  const { db, clock, config } = context
  const tokens = await linkTokens(context)
  const link = link_id === null ? undefined : await findMailedLink(db.reads, link_id, clock.now())
  const token = link && tokens(link.id)
  // the digest differs after a change of HOLDFAST_SECRET
  if (!link || token === undefined || tokenDigest(token) !== link.digest) return undefined
  return {
    ...{ id, kind: 'password', to: link.email, at: clock.now() },
    ...{ senderName: unlinked(link.business_name ?? link.hub_name ?? ''), replyTo: null, offUrl: null },
    content: renderLinkMail({
      ...link,
      locale,
      url: config.oidcOnly ? `${publicUrl(config)}/console/login` : linkUrl(context, token),
      hasPasswords: !config.oidcOnly,
      brand: await brandOf(context, link.business_id),
    }),
  }
}

/** Links to a page behind the log-in and contains no token. Its reader has an account, or requests a password there. */
async function invitationMailOf(
  context: Context,
  { id, locale }: Pick<UserMailsTable, 'id' | 'locale'>,
  invitationId: string,
): Promise<OutgoingMail | undefined> {
  const { db, clock, config } = context
  const invitation = await findMailedInvitation(db.reads, invitationId, clock.now())
  if (!invitation) return undefined
  const { email, expires_at, timezone } = invitation
  const { say, locale: shown, direction } = languageFor(locale)
  const business = unlinked(invitation.business_name ?? invitation.hub_name ?? 'Holdfast')
  const date = new Intl.DateTimeFormat(shown, { dateStyle: 'long', timeZone: timezone ?? 'UTC' })
  const forgotten = `${publicUrl(config)}/console/forgotten`
  const values = { business, email, date: date.format(toMs(expires_at)), forgotten }
  const subject = oneLine(say('mail.invitation.subject', values))
  const brand = await brandOf(context, invitation.business_id)
  const page = { title: subject, locale: shown, direction, business: { name: business, ...brand } }
  const ifPasswords = (text: string): Block[] => (config.oidcOnly ? [] : [{ type: 'small', text }])
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.invitation.invited', values) },
    { type: 'button', label: say('mail.invitation.open'), url: `${publicUrl(config)}/console/invitations` },
    ...ifPasswords(say('mail.invitation.noPassword', values)),
    { type: 'small', text: say('mail.invitation.until', values) },
    ...ifPasswords(say('mail.password.notMeant', values)),
  ]
  return {
    ...{ id, kind: 'invitation', to: email, at: clock.now() },
    ...{ senderName: business, replyTo: null, offUrl: null },
    content: { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null },
  }
}

/** Contains no free text of anyone, because it goes to an unproved address. */
async function addressMailOf(
  context: Context,
  { id, locale }: Pick<UserMailsTable, 'id' | 'locale'>,
  changeId: string,
): Promise<OutgoingMail | undefined> {
  const { db, clock } = context
  const tokens = await linkTokens(context, 'new address')
  const change = await findMailedEmailChange(db.reads, changeId, clock.now())
  const token = tokens(changeId)
  if (!change || tokenDigest(token) !== change.digest) return undefined
  const { say, locale: shown, direction } = languageFor(locale)
  const values = { email: change.email, minutes: linkMinutes }
  const subject = oneLine(say('mail.address.subject'))
  const page = { title: subject, locale: shown, direction, business: { name: 'Holdfast', color: null } }
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.address.asked', values) },
    { type: 'button', label: say('mail.address.confirm'), url: addressUrl(context, token) },
    { type: 'small', text: say('mail.address.once', values) },
    { type: 'small', text: say('mail.address.notAsked') },
  ]
  return {
    ...{ id, kind: 'address', to: change.email, at: clock.now() },
    ...{ senderName: '', replyTo: null, offUrl: null },
    content: { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null },
  }
}

interface LinkMailView {
  locale: string
  url: string
  /** False with OIDC_ONLY. The email then leads to the log-in page. */
  hasPasswords: boolean
  email: string
  name: string
  password_set_at: string | null
  business_name: string | null
  hub_name: string | null
  brand: Awaited<ReturnType<typeof brandOf>>
}

/** Names the person, the business and the lifetime of the link. Contains no data of clients. */
function renderLinkMail(view: LinkMailView): RenderedMail {
  const { say, locale, direction } = languageFor(view.locale)
  const values = {
    ...{ name: unlinked(view.name), email: view.email, minutes: linkMinutes },
    business: unlinked(view.business_name ?? view.hub_name ?? 'Holdfast'),
  }
  const isNew = view.password_set_at === null || !view.hasPasswords
  const subject = oneLine(say(isNew ? 'mail.password.invitation' : 'mail.password.subject', values))
  const page = { title: subject, locale, direction, business: { name: values.business, ...view.brand } }
  const greeting: Block = { type: 'paragraph', text: say('mail.greeting', values) }
  const ofSingleSignOn: Block[] = [
    greeting,
    { type: 'paragraph', text: say('mail.password.singleSignOn', values) },
    { type: 'button', label: say('mail.password.logIn'), url: view.url },
  ]
  const ofPassword: Block[] = [
    greeting,
    { type: 'paragraph', text: say(isNew ? 'mail.password.invited' : 'mail.password.asked', values) },
    { type: 'button', label: say('mail.password.choose'), url: view.url },
    { type: 'small', text: say('mail.password.once', values) },
    { type: 'small', text: say(isNew ? 'mail.password.notMeant' : 'mail.password.notAsked', values) },
  ]
  const blocks = view.hasPasswords ? ofPassword : ofSingleSignOn
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

import { findShownBusiness } from '../access/session.ts'
import { standInEmail } from '../base/contact-formats.ts'
import { languageFor } from '../base/languages.ts'
import { type ClientMailbox, linkAddress, linkSeconds } from './client-link-mail.ts'
import type { Context } from './context.ts'
import type { NoticeOf } from './notice-queries.ts'
import { renderSentence } from './render-text.ts'

/** Returns the number of a link as the mailbox that it stands for. */
export function mailboxOfNumber(businessId: string, phone: string): ClientMailbox {
  return { businessId, email: standInEmail(phone, { known: '' }), phone }
}

/**
 * Returns the text message with the link to a client's page. Undefined for a link that was used or has expired, and for
 * a number of nobody. `canAnswer`: the sender's number takes answers.
 */
export async function clientLinkText(
  context: Context,
  { id, business_id: businessId, phone, locale, expires_at, used_at }: NoticeOf<'client_text_links'>,
  { isClient, canAnswer }: { isClient: (mailbox: ClientMailbox) => Promise<boolean>; canAnswer: boolean },
): Promise<string | undefined> {
  const isKnown = await isClient(mailboxOfNumber(businessId, phone))
  if (!isKnown || used_at !== null || expires_at <= context.clock.now()) return undefined
  const url = await linkAddress(context, 'client_text_links', id)
  const { name, brand_name } = await findShownBusiness(context.db.reads, { businessId })
  return renderSentence('text.link', {
    ...{ language: languageFor(locale), url, canAnswer, date: '', time: '' },
    names: { business: brand_name ?? name, service: '' },
    values: { minutes: linkSeconds / 60 },
  })
}

import { languageFor } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Transaction } from '../database/database.ts'
import type { Attempt } from '../webhooks/delivery.ts'
import { brandOf } from './brand.ts'
import { findNotifyEmails } from './calendar-mail-queries.ts'
import type { Context } from './context.ts'
import { type Block, htmlOf, textOf } from './layout.ts'
import { mailRoute, mailRouteOf } from './mail-route.ts'
import type { NoticeOf } from './notice-queries.ts'
import { sendNotice } from './notice.ts'
import { oneLine, type RenderedMail, unlinked } from './render.ts'
import { momentOf } from './times-and-money.ts'
import type { MailSender, OutgoingMail } from './send.ts'
import {
  findFailingWebhook,
  findHubOwnerEmails,
  findLatestAttempts,
  insertWebhookMails,
} from './webhook-mail-queries.ts'
import { realNow } from '../base/clock.ts'

/*
 * Emails about a webhook whose deliveries have failed for a day: to the recipients of its business, or to the owners of
 * its hub. An email is not sent if the webhook works again, is disabled or is deleted by then.
 */

/** Records the emails in the transaction that reports the outage. */
export async function writeWebhookMails(
  { config, cache, ids, dueMails }: Pick<Context, 'config' | 'cache' | 'ids' | 'dueMails'>,
  tx: Transaction,
  { id, business_id, hub_id }: { id: string; business_id: string | null; hub_id: string | null },
): Promise<void> {
  const route =
    business_id === null ? mailRoute(config) : await mailRouteOf({ config, cache }, tx.db, business_id)
  if (route === 'off') return
  const emails =
    business_id === null
      ? await findHubOwnerEmails(tx.db, hub_id ?? '')
      : await findNotifyEmails(tx.db, business_id)
  if (emails.length === 0) return
  const mails = emails.map((to_email) => ({
    ...{ id: ids.next(), business_id, webhook_id: id, to_email },
    ...{ attempts: 0, next_attempt_at: realNow(tx.now), created_at: tx.now },
  }))
  await insertWebhookMails(tx.db, mails)
  tx.onCommit(() => dueMails.raise())
}

/** Sends a leased email and writes its outcome. */
export async function sendWebhookMail(
  context: Context,
  sender: Pick<MailSender, 'send'>,
  notice: NoticeOf<'webhook_mails'>,
): Promise<void> {
  await sendNotice(context, sender, { table: 'webhook_mails', notice, mail: await mailOf(context, notice) })
}

async function mailOf(
  context: Context,
  { id, business_id, webhook_id, to_email }: NoticeOf<'webhook_mails'>,
): Promise<OutgoingMail | undefined> {
  const { db, clock, config } = context
  const webhook = await findFailingWebhook(db.reads, webhook_id)
  if (!webhook) return undefined
  const query = business_id === null ? '' : `?business=${business_id}`
  return {
    ...{ id, kind: 'webhook', to: to_email, at: clock.now() },
    ...{ senderName: unlinked(webhook.name), replyTo: null, offUrl: null },
    content: renderWebhookMail(webhook, {
      error: lastError(await findLatestAttempts(db.reads, webhook_id)),
      brand: await brandOf(context, business_id),
      consoleUrl: `${publicUrl(config)}/console/developers/webhooks/${webhook_id}${query}`,
    }),
  }
}

/** Returns the error of the latest attempt: its status, or the name of the error as the API shows it. */
function lastError(attempts: readonly string[]): string | undefined {
  const all = attempts.flatMap((json) => JSON.parse(json) as Attempt[]) // written only by afterAttempt()
  const last = all
    .filter(({ error }) => error !== null)
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))[0]
  if (!last) return undefined
  return last.error === 'status_not_2xx' ? `HTTP ${last.response_status}` : (last.error ?? undefined)
}

/** Shows only the host of the URL, because the rest may contain secrets. */
function renderWebhookMail(
  webhook: NonNullable<Awaited<ReturnType<typeof findFailingWebhook>>>,
  {
    error,
    brand,
    consoleUrl,
  }: { error: string | undefined; brand: Awaited<ReturnType<typeof brandOf>>; consoleUrl: string },
): RenderedMail {
  const language = languageFor(webhook.locale)
  const { direction, locale, say } = language
  const business = unlinked(webhook.name)
  const { host } = new URL(webhook.url)
  const time = momentOf(webhook.failing_since, webhook.timezone, language)
  const subject = oneLine(say('mail.webhookFails.subject', { host, business }))
  const page = { title: subject, locale, direction, business: { name: business, ...brand } }
  const blocks: Block[] = [
    { type: 'paragraph', text: say('mail.webhookFails.since', { host, time }) },
    ...(error === undefined
      ? []
      : [{ type: 'paragraph' as const, text: say('mail.webhookFails.error', { error }) }]),
    { type: 'paragraph', text: say('mail.webhookFails.look') },
    { type: 'button', label: say('mail.webhookFails.open'), url: consoleUrl },
  ]
  return { subject, text: textOf(page, blocks), html: htmlOf(page, blocks), calendar: null }
}

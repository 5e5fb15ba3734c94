import { plusSeconds } from '../base/instants.ts'
import type { Context } from './context.ts'
import { maxAttempts, pauseSeconds } from './mail-rules.ts'
import { deleteNotice, type LeasedNotice, type NoticeTable, writeNoticeResult } from './notice-queries.ts'
import type { MailSender, OutgoingMail } from './send.ts'

/** Sends a leased notice and writes its outcome. A notice without an email is pointless and ends. */
export async function sendNotice(
  { db, clock, log, metrics }: Context,
  sender: Pick<MailSender, 'send'>,
  { table, notice, mail }: { table: NoticeTable; notice: LeasedNotice; mail: OutgoingMail | undefined },
): Promise<void> {
  const write = (result: Parameters<typeof writeNoticeResult>[2]['result']) =>
    db.transaction((tx) => writeNoticeResult(tx.db, table, { notice, result }))
  if (!mail) {
    const { attempts, to_email, last_error: failed } = notice
    const last_error = failed === null ? undefined : endedErrors[table]
    if (last_error === undefined) return db.transaction((tx) => deleteNotice(tx.db, table, notice))
    return write({ status: 'failed', attempts, sent_at: null, last_error, to_email })
  }
  const result = await sender.send(mail)
  const attempts = notice.attempts + 1
  const done = { attempts, to_email: mail.to, sent_at: null }
  if (result.outcome === 'sent') {
    if (!result.isKept) metrics.mail('sent')
    return write({ ...done, status: 'sent', sent_at: clock.now(), last_error: null })
  }
  const about = { mail_id: notice.id, kind: mail.kind, error: result.error }
  const failed = { ...done, last_error: result.error.slice(0, 300) }
  if (result.outcome === 'refused' || attempts >= maxAttempts) {
    metrics.mail('failed')
    log.warn(about, 'a mail was refused, and is not tried again')
    return write({ ...failed, status: 'failed' })
  }
  metrics.mail('retried')
  log.info(about, 'a mail could not be sent; it is tried again')
  return write({ ...failed, status: 'queued', until: plusSeconds(clock.now(), pauseSeconds(attempts)) })
}

const endedLink = 'the link has expired; make a new one'
const endedWait = 'it was over before it could be sent'

/** A message that never arrived stays as failed, unlike one about a calendar or webhook that works again. */
const endedErrors: Partial<Record<NoticeTable, string>> = {
  ...{ user_mails: endedLink, client_links: endedLink, client_text_links: endedLink },
  ...{ waitlist_mails: endedWait, waitlist_texts: endedWait },
}

import { plusSeconds } from '../base/instants.ts'
import type { Context } from './context.ts'
import { maxAttempts, pauseSeconds } from './mail-rules.ts'
import { deleteNotice, type LeasedNotice, type NoticeTable, postponeNotice } from './notice-queries.ts'
import type { MailSender, OutgoingMail } from './send.ts'

/** Sends a leased notice, and writes what came of it. Without a mail it has nothing to say, and ends. */
export async function sendNotice(
  { db, clock, log, metrics }: Context,
  sender: Pick<MailSender, 'send'>,
  { table, notice, mail }: { table: NoticeTable; notice: LeasedNotice; mail: OutgoingMail | undefined },
): Promise<void> {
  const end = () => db.transaction((tx) => deleteNotice(tx.db, table, notice))
  if (!mail) return end()
  const result = await sender.send(mail)
  if (result.outcome === 'sent') {
    metrics.mail('sent')
    return end()
  }
  const about = { mail_id: notice.id, kind: mail.kind, error: result.error }
  if (result.outcome === 'refused' || notice.attempts + 1 >= maxAttempts) {
    metrics.mail('failed')
    log.warn(about, 'a mail was refused, and is not tried again')
    return end()
  }
  metrics.mail('retried')
  log.info(about, 'a mail could not be sent; it is tried again')
  const until = plusSeconds(clock.now(), pauseSeconds(notice.attempts + 1))
  await db.transaction((tx) => postponeNotice(tx.db, table, { notice, until }))
}

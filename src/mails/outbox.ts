import { clientEmailOf, hasEmail } from '../base/contact-formats.ts'
import type { Config } from '../base/config.ts'
import type { Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import type { Context } from './context.ts'
import { changeOccasion, type MailSubject, tidingsOf } from './mail-rules.ts'
import { insertMails, type NewMails } from './outbox-queries.ts'

/*
 * What is to be told is written in the transaction of the change, one row a recipient; `mail-worker.ts` sends it. What is
 * rolled back is never sent, and what is committed survives every crash.
 */

/** Where mails go: to a server, into files, nowhere. Production without SMTP_URL writes none, so that nothing bursts later. */
export function mailRoute({
  smtpUrl,
  environment,
  mailDirectory,
}: Pick<Config, 'smtpUrl' | 'environment' | 'mailDirectory'>): 'smtp' | 'files' | 'off' {
  if (smtpUrl !== '') return 'smtp'
  if (environment === 'production') return 'off'
  return environment === 'development' || mailDirectory !== '' ? 'files' : 'off'
}

const writeMails = sharedStatement({
  writes: true,
  step: 1, // after their bookings
  run: async (db, members: readonly NewMails[]): Promise<number[]> => {
    const written = await insertMails(db, members)
    return members.map(() => written)
  },
})

interface Told extends MailSubject {
  id: string
  business_id: string
  version: number
  client_email: string
}

interface News {
  before: MailSubject | undefined
  after: Told
  notify?: boolean
  toBusiness?: boolean
}

/**
 * Records the mails that a change calls for, in its transaction; `before` is undefined for a new booking. With `notify`
 * false the client gets none, with `toBusiness` false those whom it names. Sending begins after the commit.
 */
export async function recordMails(
  { config, ids, dueMails }: Pick<Context, 'config' | 'ids' | 'dueMails'>,
  tx: Transaction,
  { before, after, notify = true, toBusiness = true }: News,
): Promise<void> {
  if (mailRoute(config) === 'off') return
  const tidings = tidingsOf(before, after)
  const mayTell = notify && hasEmail(after.client_email) && after.ends_at > tx.now
  const client = mayTell ? tidings.client : undefined
  const business = toBusiness ? tidings.business : undefined
  if (!client && !business) return
  const written = await writeMails(tx, {
    id: ids.next(),
    business_id: after.business_id,
    booking_id: after.id,
    occasion: changeOccasion(after.version, before),
    client_kind: client ?? null,
    business_kind: business ?? null,
    to_email: after.client_email,
    recipient: clientEmailOf(after.client_email),
    created_at: tx.now,
  })
  if (written > 0) tx.onCommit(() => dueMails.raise())
}

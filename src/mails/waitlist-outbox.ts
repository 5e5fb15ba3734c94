import { clientEmailOf, hasEmail } from '../base/contact-formats.ts'
import { plusSeconds } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import type { WaitlistEntriesTable, WaitlistMailsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { limitSeconds, maxToClientPerHour } from './mail-rules.ts'
import type { MailFile } from './mail-files.ts'
import { mailRouteOf } from './mail-route.ts'
import { textKindsOf, textNumberOf } from './text-route.ts'
import {
  countWaitlistMails,
  deleteMessagesOf,
  insertWaitlistMail,
  insertWaitlistText,
} from './waitlist-mail-queries.ts'

/*
 * Messages to clients on the waiting list. Each is written in the transaction of its change, so that a killed server
 * loses none. waitlist-mail.ts sends them.
 */

type Parts = Pick<Context, 'config' | 'ids' | 'dueMails' | 'dueTexts' | 'cache'>

/** The client of an entry. */
export type Reached = Pick<
  WaitlistEntriesTable,
  'id' | 'business_id' | 'email' | 'phone' | 'text_agreed_at' | 'made_by'
>

interface Message {
  entry: Reached
  kind: WaitlistMailsTable['kind']
  /** The offer that it brings. */
  offerId?: string
  /** Zone of the location. */
  timezone: string
}

/** The ways in which a client gets an offer. */
interface Reach {
  isMailed: boolean
  /** The number (E.164) for a text message. */
  number: string | undefined
}

/** Returns how the client of an entry gets offers. */
export async function reachOf(
  { config, cache }: Pick<Context, 'config' | 'cache'>,
  db: Transaction['reads'],
  { entry, timezone }: { entry: Reached; timezone: string },
): Promise<Reach> {
  const { business_id: businessId, email, phone, text_agreed_at } = entry
  const isMailed =
    email !== null && hasEmail(email) && (await mailRouteOf({ config, cache }, db, businessId)) !== 'off'
  const number = textNumberOf({ client_phone: phone, text_agreed_at, timezone }, config)
  const isSent = number !== undefined && (await textKindsOf({ cache }, db, businessId)).includes('offered')
  return { isMailed, number: isSent ? number : undefined }
}

/** Returns true if offers can reach clients of a business: by email, or as the texts that it has enabled. */
export async function sendsOffers(
  { config, cache }: Pick<Context, 'config' | 'cache'>,
  db: Transaction['reads'],
  businessId: string,
): Promise<boolean> {
  if ((await mailRouteOf({ config, cache }, db, businessId)) === 'smtp') return true
  return config.smsUrl !== '' && (await textKindsOf({ cache }, db, businessId)).includes('offered')
}

/** Records a message in the transaction of its change. Sending begins after the commit. */
export async function recordWaitlistMessage(
  context: Parts,
  tx: Transaction,
  { entry, kind, offerId, timezone }: Message,
): Promise<void> {
  const { isMailed, number } = await reachOf(context, tx.reads, { entry, timezone })
  const row = {
    ...{ business_id: entry.business_id, entry_id: entry.id, offer_id: offerId ?? null, kind },
    ...{ to_email: null, attempts: 0, next_attempt_at: tx.now, created_at: tx.now },
  }
  if (isMailed && entry.email !== null) {
    const email = clientEmailOf(entry.email)
    const since = plusSeconds(tx.now, -limitSeconds)
    // strangers can type any address, and must not fill its mailbox
    const isFull =
      kind === 'joined' &&
      (await countWaitlistMails(tx.reads, { businessId: entry.business_id, email, since })) >=
        maxToClientPerHour
    if (!isFull) {
      await insertWaitlistMail(tx.db, { ...row, id: context.ids.next(), email })
      tx.onCommit(() => context.dueMails.raise())
    }
  }
  if (kind === 'offered' && number !== undefined) {
    await insertWaitlistText(tx.db, { ...row, id: context.ids.next(), phone: number })
    tx.onCommit(() => context.dueTexts.raise())
  }
}

/** Deletes the messages of entries whose client was erased, or that are gone. Returns their files, to delete after the commit. */
export async function forgetWaitlistMessages(
  tx: Transaction,
  entryIds: readonly string[],
): Promise<MailFile[]> {
  const mails = await deleteMessagesOf(tx.db, entryIds)
  return mails.map(({ id, kind }) => ({ id, kind: waitlistFileKind(kind) }))
}

/** Returns the kind of an email in the name of its file. */
export function waitlistFileKind(kind: WaitlistMailsTable['kind']): string {
  return `waitlist_${kind}`
}

import type { CleanupJob } from '../database/context.ts'
import type { Transaction } from '../database/database.ts'
import { rewriteResponses } from '../database/idempotency.ts'
import { erasedName } from '../base/contact-formats.ts'
import { deleteMailFiles, type MailFile } from '../mails/mail-files.ts'
import { forgetWaitlistMessages } from '../mails/waitlist-outbox.ts'
import type { Context } from './context.ts'
import { endIn } from './waitlist.ts'
import {
  deleteIdleClients,
  deleteOldEntries,
  eraseEntryRows,
  findEntriesOf,
} from './waitlist-data-queries.ts'

/* Erasure and retention of the waiting list. */

/**
 * Erases the entries of clients, and takes them off the list. Returns the numbers of entries and stored
 * responses, and the files of emails to delete after the commit.
 */
export async function eraseEntries(
  context: Context,
  tx: Transaction,
  clients: Parameters<typeof findEntriesOf>[1],
): Promise<{ entries: number; answers: number; files: MailFile[] }> {
  const entries = await findEntriesOf(tx.reads, clients)
  for (const entry of entries) await endIn(context, tx, entry, 'removed')
  const ids = entries.map(({ id }) => id)
  await eraseEntryRows(tx.db, ids)
  const files = await forgetWaitlistMessages(tx, ids)
  await deleteIdleClients(tx.db, [...new Set(entries.flatMap(({ client_id }) => client_id ?? []))])
  const made = entries.map(({ id, created_at }) => ({ id, at: created_at }))
  const answers = await rewriteResponses(tx, made, withoutClient)
  return { entries: entries.length, answers, files }
}

/** Returns the response that added an entry without its client. */
function withoutClient(entry: Record<string, unknown>): Record<string, unknown> | undefined {
  if (!('ended_because' in entry)) return undefined
  const client = { first_name: erasedName, last_name: erasedName, email: null, phone: null }
  return { ...entry, client, locale: null, time_zone: null }
}

/** Deletes entries that are over for longer than their business keeps clients, at most 400 days. */
export const oldEntries: CleanupJob<Context> = {
  name: 'old entries of the waiting list',
  deleteBatch: async (context, max) => {
    const { count, files } = await context.db.transaction(async (tx) => {
      const deleted = await deleteOldEntries(tx.db, { now: tx.now, max })
      const ids = deleted.map(({ id }) => id)
      const files = await forgetWaitlistMessages(tx, ids)
      await deleteIdleClients(tx.db, [...new Set(deleted.flatMap(({ client_id }) => client_id ?? []))])
      return { count: deleted.length, files }
    })
    await deleteMailFiles(context, files)
    return count
  },
}

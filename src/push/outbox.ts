import { allOf, type Transaction } from '../database/database.ts'
import { sharedStatement } from '../database/shared-transaction.ts'
import { tidingsOf } from '../mails/mail-rules.ts'
import { endedBy, recordAnswerDue, recordMails } from '../mails/outbox.ts'
import { plusSeconds } from '../base/instants.ts'
import type { Context } from './context.ts'
import { insertPushes, type NewPushes } from './push-queries.ts'

/*
 * Notifications are written in the transaction of the change, one row for each device, like emails. `push-worker.ts`
 * sends them and decides then who may know what.
 */

const writePushes = sharedStatement({
  writes: true,
  step: 1, // after their bookings
  run: async (db, members: readonly NewPushes[]): Promise<number[]> => {
    const written = await insertPushes(db, members)
    return members.map(() => written)
  },
})

type Parts = Pick<Context, 'cache' | 'config' | 'ids' | 'dueMails' | 'dueTexts' | 'duePushes'>
type News = Parameters<typeof recordMails>[2]

/** Records the emails and notifications about a change in its transaction. */
export async function recordNotices(context: Parts, tx: Transaction, news: News): Promise<void> {
  await allOf([recordMails(context, tx, news), recordPushes(context, tx, news)])
}

/** Records the notifications to people with access to the business, except the author of the change. */
async function recordPushes(
  { duePushes }: Parts,
  tx: Transaction,
  { before, after, by, delaySeconds = 0 }: News,
): Promise<void> {
  const { business: kind } = tidingsOf(before, after, endedBy(by))
  if (kind === undefined) return
  const written = await writePushes(tx, {
    ...{ business_id: after.business_id, booking_id: after.id, kind: kind as NewPushes['kind'] },
    occasion: `${after.id}/${after.version}`,
    undoes: before?.status === 'cancelled' ? `${after.id}/${after.version - 1}` : '',
    by_user_id: by?.type === 'person' ? by.userId : '',
    ...{ created_at: tx.now, due_at: plusSeconds(tx.now, delaySeconds) },
  })
  if (written > 0) tx.onCommit(() => duePushes.raise())
}

/** Reminds people of the business of a request that waits for their answer, in a transaction that has locked it. */
export async function recordReminder(context: Parts, tx: Transaction, booking: News['after']): Promise<void> {
  const kind = 'answer_due' as const
  const [, written] = await allOf([
    recordAnswerDue(context, tx, booking),
    writePushes(tx, {
      ...{ business_id: booking.business_id, booking_id: booking.id, kind, by_user_id: '' },
      ...{ occasion: `${booking.id}/${kind}`, undoes: '', created_at: tx.now, due_at: tx.now },
    }),
  ])
  if (written > 0) tx.onCommit(() => context.duePushes.raise())
}

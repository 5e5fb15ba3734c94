import type { Actor } from '../access/actor.ts'
import { isUuid } from '../base/ids.ts'
import type { MailSubject } from '../mails/mail-rules.ts'
import { recordMails } from '../mails/outbox.ts'
import { isChangeable, noSuchBooking } from './booking.ts'
import { lockBooking } from './booking-queries.ts'
import type { Context } from './context.ts'

/** A change that was made without telling the client. */
interface UntoldChange {
  id: string
  /** That the change made. */
  version: number
  /** What the client knows of the appointment. */
  known: Pick<MailSubject, 'starts_at' | 'ends_at' | 'staff_id'>
}

/**
 * Tells the client of a change afterwards: by a mail that shows the booking as it is, and once however often it is asked
 * for. Nothing is sent where the booking is what the client knows, or over. Throws not_found.
 */
export async function tellOfChange(
  context: Context,
  actor: Actor,
  { id, version, known }: UntoldChange,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const booking = isUuid(id)
      ? await lockBooking(tx, { scope: actor.scope, id: id.toLowerCase() })
      : undefined
    if (!booking || !isChangeable(booking, actor)) throw noSuchBooking()
    await recordMails(context, tx, {
      before: { ...booking, ...known },
      after: { ...booking, version: Math.min(version, booking.version) },
      toBusiness: false, // it was told of the change itself
    })
  })
}

import type { Actor } from '../access/actor.ts'
import { isUuid } from '../base/ids.ts'
import { plusSeconds } from '../base/instants.ts'
import { maxDelaySeconds } from '../mails/mail-rules.ts'
import { restoreMail, withdrawMail } from '../mails/outbox.ts'
import { isChangeable } from './presented-booking.ts'
import { noSuchBooking } from './booking.ts'
import { lockBooking } from './booking-queries.ts'
import type { Context } from './context.ts'

/**
 * Withdraws a pending email about a change (`notify_after_seconds`), or sends it after all. Returns false if
 * it has already been sent. Throws not_found.
 */
export async function decideTelling(
  context: Context,
  actor: Actor,
  { id, version, tell }: { id: string; version: number; tell: boolean },
): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    const booking = isUuid(id)
      ? await lockBooking(tx, { scope: actor.scope, id: id.toLowerCase() })
      : undefined
    if (!booking || !isChangeable(booking, actor)) throw noSuchBooking()
    const change = { business_id: booking.business_id, booking_id: booking.id, version }
    const until = plusSeconds(tx.now, maxDelaySeconds)
    return tell ? restoreMail(context, tx, { change, until }) : withdrawMail(tx, { change, until })
  })
}

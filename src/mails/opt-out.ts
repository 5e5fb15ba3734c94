import { timingSafeEqual } from 'node:crypto'
import { manageLinkOf, recordAudit } from '../access/audit.ts'
import { clientEmailOf } from '../base/contact-formats.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Instant } from '../base/instants.ts'
import type { Reads, Transaction } from '../database/database.ts'
import {
  deleteOptOut,
  findOptOut,
  findShownBookings,
  insertOptOut,
  type ShownBooking,
} from './mail-queries.ts'
import type { Context } from './context.ts'

/*
 * Opting out of reminders. Each reminder has an individual URL, with which one click stops reminders for that client
 * and business (RFC 8058). Its token names a booking and is proved by a digest keyed with the server's secret.
 */

const idBytes = 16
const digestBytes = 16

/** Returns the URL that stops reminders. Call it outside transactions. */
export async function offUrl(
  context: Pick<Context, 'config' | 'secret'>,
  booking: Pick<ShownBooking, 'id' | 'business_id'>,
): Promise<string> {
  const ids = Buffer.from(`${booking.business_id}${booking.id}`.replaceAll('-', ''), 'hex')
  const token = Buffer.concat([ids, await digestOf(context, ids)]).toString('base64url')
  return `${publicUrl(context.config)}/mail/off/${token}`
}

/** Returns the booking of a token, or undefined for a wrong one. */
export async function bookingOfOffToken(context: Context, token: string): Promise<ShownBooking | undefined> {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 2 * idBytes + digestBytes || bytes.toString('base64url') !== token) return undefined
  const ids = bytes.subarray(0, 2 * idBytes)
  if (!timingSafeEqual(bytes.subarray(2 * idBytes), await digestOf(context, ids))) return undefined
  const [business_id, booking_id] = [uuidOf(ids.subarray(0, idBytes)), uuidOf(ids.subarray(idBytes))]
  return (await findShownBookings(context.db.reads, [{ business_id, booking_id }])).get(booking_id)
}

/** Stops reminders for the client of a booking at its business. A repetition changes nothing. */
export async function endReminders(context: Context, booking: ShownBooking): Promise<void> {
  if (booking.client_email === '') return
  const { id: subjectId, business_id: businessId, client_email } = booking
  await context.db.transaction(async (tx) => {
    await insertOptOut(tx.db, {
      business_id: businessId,
      email: clientEmailOf(client_email),
      opted_out_at: tx.now,
    })
    const by = manageLinkOf(subjectId)
    await recordAudit(context, tx, { by, action: 'booking.reminders_ended', subjectId, businessId })
  })
}

async function digestOf({ secret }: Pick<Context, 'secret'>, ids: Buffer): Promise<Buffer> {
  const digest = await secret.digester('reminders off')
  return Buffer.from(digest(ids.toString('hex')), 'base64url').subarray(0, digestBytes)
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Removes a client's opt-out and returns the number of removed rows. */
export function forgetOptOut(
  tx: Transaction,
  client: { business_id: string; email: string },
): Promise<number> {
  return deleteOptOut(tx.db, { ...client, email: clientEmailOf(client.email) })
}

/** Returns the time at which a client opted out of reminders. */
export function optedOutAt(
  db: Reads,
  client: { business_id: string; email: string },
): Promise<Instant | undefined> {
  return findOptOut(db, { ...client, email: clientEmailOf(client.email) })
}

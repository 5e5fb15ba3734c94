import { timingSafeEqual } from 'node:crypto'
import { publicUrl } from '../base/public-url.ts'
import { findNotifyEmails } from './calendar-mail-queries.ts'
import type { Context } from './context.ts'
import { findMailsById } from './mail-queries.ts'

export { findShownBookings } from './mail-queries.ts'

/*
 * The link in an email about a request, with which its recipient confirms or declines it. Its token names the email and
 * is proved by a digest keyed with the server's secret. It ends when the request is answered, and for an address that no
 * longer receives the emails of the business.
 */

const idBytes = 16
const digestBytes = 16

/** Returns the URL of the page that answers the request of an email. Call it outside transactions. */
export async function answerUrl(
  context: Pick<Context, 'config' | 'secret'>,
  { id }: { id: string },
): Promise<string> {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  const token = Buffer.concat([bytes, await digestOf(context, bytes)]).toString('base64url')
  return `${publicUrl(context.config)}/requests/${token}`
}

/** Returns the booking of a token and the recipient of its email. Undefined for a wrong or ended one. */
export async function requestOfToken(
  context: Context,
  token: string,
): Promise<{ mailId: string; businessId: string; bookingId: string; email: string } | undefined> {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== idBytes + digestBytes || bytes.toString('base64url') !== token) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), await digestOf(context, id))) return undefined
  const [mail] = await findMailsById(context.db.reads, [uuidOf(id)])
  if (mail?.audience !== 'business') return undefined
  const { id: mailId, business_id: businessId, booking_id: bookingId, to_email: email } = mail
  const recipients = await findNotifyEmails(context.db.reads, businessId)
  return recipients.includes(email) ? { mailId, businessId, bookingId, email } : undefined
}

async function digestOf({ secret }: Pick<Context, 'secret'>, id: Buffer): Promise<Buffer> {
  const digest = await secret.digester('answers to requests')
  return Buffer.from(digest(id.toString('hex')), 'base64url').subarray(0, digestBytes)
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

import { findShownBusiness } from '../access/session.ts'
import { absoluteUrl, publicUrl } from '../base/public-url.ts'
import type { Context } from './context.ts'
import { findOwnerEmail } from './mail-queries.ts'

/** Returns the color and logo of a business for an email that is not about a booking. None without a business. */
export async function brandOf(
  { db, config }: Pick<Context, 'db' | 'config'>,
  businessId: string | null,
): Promise<{ color: string | null; logoUrl: string | null }> {
  if (businessId === null) return { color: null, logoUrl: null }
  const { brand_color: color, brand_logo_url } = await findShownBusiness(db.reads, { businessId })
  return { color, logoUrl: absoluteUrl(publicUrl(config), brand_logo_url) }
}

/** Returns how clients reach a business: its phone, and the address that gets their answers. */
export async function contactOf(
  { db }: Pick<Context, 'db'>,
  businessId: string,
): Promise<{ phone: string | null; replyTo: string | null }> {
  const { phone, reply_to_email } = await findShownBusiness(db.reads, { businessId })
  return { phone, replyTo: reply_to_email ?? (await findOwnerEmail(db.reads, businessId)) }
}

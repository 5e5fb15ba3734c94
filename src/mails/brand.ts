import { findShownBusiness } from '../access/session.ts'
import { absoluteUrl, publicUrl } from '../base/public-url.ts'
import type { Context } from './context.ts'

/** Returns the color and logo of a business for an email that is not about a booking. None without a business. */
export async function brandOf(
  { db, config }: Pick<Context, 'db' | 'config'>,
  businessId: string | null,
): Promise<{ color: string | null; logoUrl: string | null }> {
  if (businessId === null) return { color: null, logoUrl: null }
  const { brand_color: color, brand_logo_url } = await findShownBusiness(db.reads, { businessId })
  return { color, logoUrl: absoluteUrl(publicUrl(config), brand_logo_url) }
}

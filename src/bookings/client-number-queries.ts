import { type RawBuilder, sql } from 'kysely'
import type { Reads } from '../database/database.ts'
import { findTextsOf } from './client-text-queries.ts'

/** A phone number as somebody typed it. */
interface TypedNumber {
  phone: string
  /** In the form of `lower(client_email)` of bookings. Null for an entry of the waiting list. */
  email: string | null
}

/** Entries with the number of one person. */
const maxEntries = 100

/** Returns the digits of a typed number. */
export function digitsIn(phone: RawBuilder<unknown>): RawBuilder<string> {
  return [' ', '-', '(', ')', '.', '+'].reduce(
    (text, sign) => sql<string>`replace(${text}, ${sql.lit(sign)}, '')`,
    sql<string>`${phone}`,
  )
}

/**
 * Finds numbers of bookings and of entries of the waiting list of a business that contain a row of digits. Others may
 * be among them.
 */
export async function findNumbers(
  db: Reads,
  { businessId, part }: { businessId: string; part: string },
): Promise<TypedNumber[]> {
  const texts = await findTextsOf(db, { businessId, part })
  // lines of `clientSearch`: name, address, number
  const ofBookings = texts.map(({ email, text }) => ({ email, phone: text.split('\n')[2]?.trim() ?? '' }))
  const { rows } = await sql<{ phone: string }>`
    select distinct e.phone from waitlist_entries as e
     where e.business_id = ${businessId} and e.phone is not null and ${digitsIn(sql`e.phone`)} like ${`%${part}`}
     limit ${maxEntries}`.execute(db)
  return [...ofBookings, ...rows.map(({ phone }) => ({ phone, email: null }))]
}

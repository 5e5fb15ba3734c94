import type { Config } from '../base/config.ts'
import { callingCodeOf, internationalNumber } from '../base/phone-countries.ts'
import type { TextKind } from '../catalogue/mail-settings-rules.ts'
import type { Reads } from '../database/database.ts'
import type { MailKind } from '../database/tables.ts'
import type { Context } from './context.ts'
import { findTextKinds } from './text-queries.ts'

/** The parts of a booking that decide about text messages. */
export interface TextSubject {
  client_phone: string | null
  text_agreed_at: string | null
  /** Time zone of the location. */
  timezone: string
}

/**
 * Returns the number (E.164) for text messages about a booking. Undefined if its client has not agreed, or if the
 * number belongs to another country. Without `SMS_CALLING_CODES`, only that of the location counts.
 */
export function textNumberOf(
  { client_phone, text_agreed_at, timezone }: TextSubject,
  config: TextConfig,
): string | undefined {
  if (text_agreed_at === null || client_phone === null) return undefined
  return reachableNumber(client_phone, timezone, config)
}

type TextConfig = Pick<Config, 'smsUrl' | 'smsCallingCodes'>

/** Returns a phone number (E.164) if this server sends text messages to its country. */
export function reachableNumber(
  phone: string,
  timezone: string,
  { smsUrl, smsCallingCodes }: TextConfig,
): string | undefined {
  if (smsUrl === '') return undefined
  const number = internationalNumber(phone, timezone)
  const own = callingCodeOf(timezone)
  const codes = smsCallingCodes.length > 0 ? smsCallingCodes : own === undefined ? [] : [own]
  return number !== undefined && codes.some((code) => number.startsWith(`+${code}`)) ? number : undefined
}

/** Returns the number for a text message of a kind, if the business also sends that kind as a text. */
export async function textToSend(
  { config, cache }: Pick<Context, 'config' | 'cache'>,
  db: Reads,
  { booking, kind }: { booking: TextSubject & { business_id: string }; kind: MailKind | undefined },
): Promise<{ text_kind: MailKind | null; to_phone: string }> {
  const none = { text_kind: null, to_phone: '' }
  const number = textNumberOf(booking, config)
  if (number === undefined || kind === undefined) return none
  const kinds = await textKindsOf({ cache }, db, booking.business_id)
  return isAmong(kinds, kind) ? { text_kind: kind, to_phone: number } : none
}

/** Returns the kinds of messages that a business also sends as texts. */
export async function textKindsOf(
  { cache }: Pick<Context, 'cache'>,
  db: Reads,
  businessId: string,
): Promise<readonly TextKind[]> {
  return (await cache.get(`text kinds of ${businessId}`, async () => findTextKinds(db, businessId))) ?? []
}

/** True if a kind is among those that also go as a text. */
export function isAmong(kinds: readonly TextKind[], kind: MailKind): boolean {
  return kinds.some((one) => one === kind)
}

import type { FieldError } from '../base/errors.ts'
import type { BusinessesTable, MailKind } from '../database/tables.ts'

/** Local times between which no reminder is sent. They span midnight if `to` is earlier than `from`. */
export interface QuietHours {
  from: string
  to: string
}

/** The messages that clients may get as a text. */
export const textKinds = ['confirmed', 'changed', 'cancelled', 'reminder', 'offered'] as const satisfies (
  MailKind | 'offered'
)[]
export type TextKind = (typeof textKinds)[number]

/** The email settings of a business. */
export interface MailSettings {
  /** Language tag (BCP 47). */
  locale: string
  reply_to_email: string | null
  /** Recipients of notices about bookings. */
  notify_emails: string[]
  /** Hours before the start, longest first. */
  reminder_hours: number[]
  quiet_hours: QuietHours | null
  /** The messages that clients who agreed to it also get as a text. */
  text_kinds: TextKind[]
}

/** The same in a change: null and absent members as in the API. */
export type MailSettingsChange = {
  [Name in keyof MailSettings]?:
    MailSettings[Name] | (Name extends 'notify_emails' ? null : never) | undefined
}

type MailColumns = Pick<
  BusinessesTable,
  | 'locale'
  | 'reply_to_email'
  | 'notify_emails_json'
  | 'reminder_hours_json'
  | 'quiet_hours_json'
  | 'text_kinds_json'
>

export const usualLocale = 'en'
export const maxNotifyEmails = 5
export const maxReminders = 3
export const longestReminderHours = 720

/** The settings of a business without email settings. */
export const usualMailSettings: MailSettings = {
  locale: usualLocale,
  reply_to_email: null,
  notify_emails: [],
  reminder_hours: [24],
  quiet_hours: null,
  text_kinds: [],
}

/** Separates the email settings from the other members. */
export function splitSettings<T extends MailSettingsChange>(
  members: T,
): [MailSettingsChange, Omit<T, keyof MailSettings>] {
  const { locale, reply_to_email, notify_emails, reminder_hours, quiet_hours, text_kinds, ...others } =
    members
  return [{ locale, reply_to_email, notify_emails, reminder_hours, quiet_hours, text_kinds }, others]
}

/** Returns the columns for the given settings. */
export function mailColumns(change: MailSettingsChange): Partial<MailColumns> {
  const { locale, reply_to_email, notify_emails, reminder_hours, quiet_hours, text_kinds } = change
  return {
    ...(locale !== undefined && { locale: localeNamed(locale) ?? usualLocale }),
    ...(reply_to_email !== undefined && { reply_to_email }),
    ...(notify_emails !== undefined && { notify_emails_json: jsonUnlessEmpty(notify_emails) }),
    ...(reminder_hours !== undefined && {
      reminder_hours_json: JSON.stringify(reminder_hours.toSorted((one, other) => other - one)),
    }),
    ...(quiet_hours !== undefined && {
      quiet_hours_json: quiet_hours && JSON.stringify({ from: quiet_hours.from, to: quiet_hours.to }),
    }),
    ...(text_kinds !== undefined && { text_kinds_json: JSON.stringify(text_kinds) }),
  }
}

/** Returns all columns. Absent settings get their defaults. */
export function allMailColumns(change: MailSettingsChange): MailColumns {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return mailColumns({ ...usualMailSettings, ...given }) as MailColumns // no setting is missing
}

/** Returns the settings from columns that only `mailColumns` writes. */
export function mailSettings(columns: MailColumns): MailSettings {
  return {
    locale: columns.locale,
    reply_to_email: columns.reply_to_email,
    notify_emails: JSON.parse(columns.notify_emails_json ?? '[]') as string[],
    reminder_hours: JSON.parse(columns.reminder_hours_json) as number[],
    quiet_hours: quietHoursIn(columns.quiet_hours_json),
    text_kinds: JSON.parse(columns.text_kinds_json) as TextKind[],
  }
}

/** Returns a row with its settings in place of their columns in JSON. */
export function withMailSettings<Row extends MailColumns>(row: Row) {
  const { notify_emails_json: _1, reminder_hours_json: _2, ...rest } = row
  const { quiet_hours_json: _3, text_kinds_json: _4, ...columns } = rest
  return { ...columns, ...mailSettings(row) }
}

export function quietHoursIn(json: string | null): QuietHours | null {
  if (json === null) return null
  const { from, to } = JSON.parse(json) as QuietHours // only `mailColumns` writes it
  return { from, to } // the same order on both engines
}

function jsonUnlessEmpty(list: readonly string[] | null): string | null {
  return list && list.length > 0 ? JSON.stringify(list) : null
}

/**
 * Returns a language tag in the spelling of BCP 47, without extensions. Some phones add units of measurement
 * (`en-US-u-mu-celsius`). Undefined for an invalid tag.
 */
export function localeNamed(text: string): string | undefined {
  try {
    return new Intl.Locale(text).baseName
  } catch {
    return undefined
  }
}

const malformedLocale = {
  pointer: '',
  code: 'invalid_format',
  detail: 'must be a language tag (BCP 47) such as de or en-GB',
}

/** Rejects invalid language tags. */
export function localeErrors(text: string): FieldError[] {
  return localeNamed(text) === undefined ? [malformedLocale] : []
}

/** Also rejects extensions, because a language with extensions has no name for people. */
export function plainLocaleErrors(text: string): FieldError[] {
  const named = localeNamed(text)
  const isPlain = named !== undefined && Intl.getCanonicalLocales(text)[0] === named
  return isPlain ? [] : [malformedLocale]
}

/** Rejects invalid wall times. */
export function quietTimeErrors(text: string): FieldError[] {
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(text)) return []
  return [{ pointer: '', code: 'invalid_format', detail: 'must be a time from 00:00 to 23:59' }]
}

export function quietHoursErrors(hours: Partial<QuietHours> | null): FieldError[] {
  if (!hours?.from || hours.from !== hours.to) return []
  return [{ pointer: '/to', code: 'not_allowed', detail: 'must be another time than from' }]
}

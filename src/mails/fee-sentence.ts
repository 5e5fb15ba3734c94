import type { Language } from '../base/languages.ts'
import { type AgreedFees, feeOf, readAgreedFees } from '../catalogue/booking-fee-rules.ts'
import { sortedFees } from '../catalogue/fee-rules.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import type { ItemColumns } from '../database/shown-item-rules.ts'
import { moneyText } from './times-and-money.ts'

type Columns = ItemColumns & Pick<BookingRow, 'fee_rules_json' | 'payment_kind'>

/** Returns what a late cancellation and a no-show of a booking cost, in sentences. Empty without fees. */
export function feeSentence(booking: Columns, { say, locale }: Pick<Language, 'say' | 'locale'>): string {
  const rules = readAgreedFees(booking.fee_rules_json)
  const late = timesOf(rules).flatMap((minutes) => {
    const fee = feeOf(booking, ({ fees }) => percentWithin(fees, minutes))
    return fee
      ? [say('booking.feeCancel', { time: spanOfMinutes(minutes, locale), amount: moneyText(fee, locale) })]
      : []
  })
  const missed = feeOf(booking, ({ no_show_percent }) => no_show_percent ?? 0)
  const all = [...late, ...(missed ? [say('booking.feeNoShow', { amount: moneyText(missed, locale) })] : [])]
  const isPaidBefore = booking.payment_kind === 'deposit' || booking.payment_kind === 'full'
  return [...all, ...(all.length > 0 && isPaidBefore ? [say('booking.feePaid')] : [])].join(' ')
}

/** Returns the times of all fees in minutes, the longest first. */
function timesOf(rules: readonly AgreedFees[]): number[] {
  const times = rules.flatMap(({ fees }) => fees.map(({ within_minutes }) => within_minutes))
  return [...new Set(times)].toSorted((one, other) => other - one)
}

function percentWithin(fees: AgreedFees['fees'], minutes: number): number {
  return sortedFees(fees).findLast(({ within_minutes }) => within_minutes >= minutes)?.percent ?? 0
}

const days = 1_440
const fewestDays = 3

/** Formats a length in minutes: "24 hours", "3 days". */
function spanOfMinutes(minutes: number, locale: string): string {
  const isDays = minutes % days === 0 && minutes >= fewestDays * days
  const [unit, size]: [string, number] = isDays
    ? ['day', days]
    : minutes % 60 === 0
      ? ['hour', 60]
      : ['minute', 1]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(minutes / size)
}

/** Returns the reason of a fee in words: that of Holdfast in a language, or that of the business. */
export function feeReason(reason: string, { say }: Pick<Language, 'say'>): string {
  return reason === 'late_cancel' || reason === 'no_show' ? say(`manage.feeReasons.${reason}`) : reason
}

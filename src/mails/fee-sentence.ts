import type { Language } from '../base/languages.ts'
import { type FeeTermColumns, feeTermsOf } from '../catalogue/booking-fee-rules.ts'
import { moneyText } from './times-and-money.ts'

/** Returns what a late cancellation and a no-show of a booking cost, in sentences. Empty without fees. */
export function feeSentence(
  booking: FeeTermColumns,
  { say, locale }: Pick<Language, 'say' | 'locale'>,
): string {
  const { late, missed } = feeTermsOf(booking)
  const texts = [
    ...late.map((fee) => {
      const { within_minutes, charged, kept, refunded } = fee
      const key =
        kept === 0
          ? 'booking.feeCancel'
          : refunded > 0
            ? 'booking.feeCancelPart'
            : charged > 0
              ? 'booking.feeCancelMore'
              : 'booking.feeCancelAll'
      const money = (amount: number) => moneyText({ ...fee, amount }, locale)
      const time = spanOfMinutes(within_minutes, locale)
      return say(key, { time, amount: money(charged), kept: money(kept), back: money(refunded) })
    }),
    ...(missed ? [missedText(missed, { say, locale })] : []),
  ]
  return texts.join(' ')
}

function missedText(
  fee: NonNullable<ReturnType<typeof feeTermsOf>['missed']>,
  { say, locale }: Pick<Language, 'say' | 'locale'>,
): string {
  const { charged, kept } = fee
  const key =
    kept === 0 ? 'booking.feeNoShow' : charged > 0 ? 'booking.feeNoShowMore' : 'booking.feeNoShowAll'
  const money = (amount: number) => moneyText({ ...fee, amount }, locale)
  return say(key, { amount: money(charged), kept: money(kept) })
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

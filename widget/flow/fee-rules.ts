import type { Fee, Money, Service } from '../api/api-types.ts'
import { fill, type Texts } from '../texts.ts'
import type { Catalogue, MoreItem } from './choice-rules.ts'
import { totalsOf } from './item-rules.ts'

/** The field of the sentence about fees, to which the visitor agrees by booking. */
export const feesField = 'fees'

const minutesADay = 1_440

/** A fee, in minor units, with what becomes of a payment in advance if it is due. */
export interface FeeTerm {
  /** Absent for a no-show. */
  within_minutes?: number
  currency: string
  charged: number
  kept: number
  refunded: number
}

interface Words {
  texts: Texts
  locale: string
  money: (money: Money) => string
}

/** Returns what a late cancellation or a no-show costs, in a sentence. */
export function feeText(
  { within_minutes, currency, charged, kept, refunded }: FeeTerm,
  { texts, locale, money }: Words,
): string {
  const how = !kept ? '' : refunded && within_minutes ? 'Part' : charged ? 'More' : 'All'
  const text =
    within_minutes === undefined
      ? texts[`feeNoShow${how === 'Part' ? 'All' : how}`]
      : texts[`feeCancel${how}`]
  const [amount = '', stays = '', back = ''] = [charged, kept, refunded].map((one) =>
    money({ amount: one, currency }),
  )
  return fill(text, { time: spanText(within_minutes ?? 0, locale), amount, kept: stays, back })
}

/**
 * Returns what a late cancellation and a no-show cost, in sentences, after what is paid now. Empty without fees. A
 * coupon counts for one service: only the server knows how it reduces several, and the fees never exceed those of the
 * full prices.
 */
export function feeSentence(
  catalogue: Pick<Catalogue, 'services' | 'staff'>,
  items: Pick<MoreItem, 'serviceId' | 'staffId' | 'party' | 'isWith'>[],
  words: Words & {
    reduced?: Money | undefined
    /** The payment in advance, at once unless `isLater`. */
    paid?: Money | null
    isLater?: boolean
    /** True once the visitor has agreed. */
    isBooked?: boolean
  },
): string {
  const { texts, money, reduced, isLater, isBooked } = words
  const booked = items.flatMap((item) => {
    const service = catalogue.services.find(({ id }) => id === item.serviceId)
    const price = (items.length === 1 && reduced) || totalsOf(catalogue, [item]).price
    return service ? [{ service, price }] : []
  })
  const currency = booked.find(({ price }) => price)?.price?.currency ?? ''
  const paid = words.paid?.amount ?? 0
  const termOf = (percentOf: (service: Service) => number, within_minutes?: number) => {
    const hundredths = booked.reduce(
      (sum, { service, price }) => sum + (price?.amount ?? 0) * percentOf(service),
      0,
    )
    const fee = Math.floor((hundredths + 50) / 100)
    const refunded = within_minutes ? Math.max(paid - fee, 0) : 0
    const term = { currency, charged: Math.max(fee - paid, 0), kept: paid - refunded, refunded }
    return fee ? [feeText({ ...term, ...(within_minutes && { within_minutes }) }, words)] : []
  }
  const times = new Set(booked.flatMap(({ service }) => feesOf(service).map((fee) => fee.within_minutes)))
  const all = [
    ...[...times]
      .sort((one, other) => other - one)
      .flatMap((minutes) => termOf((service) => percentWithin(feesOf(service), minutes), minutes)),
    ...termOf((service) => service.no_show_percent ?? 0),
  ]
  if (!all[0]) return ''
  if (isBooked) return all.join(' ')
  const now = words.paid && !isLater ? [fill(texts.feePayNow, { amount: money(words.paid) })] : []
  return [...now, ...all, texts.feeAgree].join(' ')
}

function feesOf({ fees = [] }: Service): Fee[] {
  return fees
}

/** The shortest of the times that are at least so long counts. */
function percentWithin(fees: Fee[], minutes: number): number {
  const begun = fees.filter((fee) => fee.within_minutes >= minutes)
  return begun.sort((one, other) => one.within_minutes - other.within_minutes)[0]?.percent ?? 0
}

/** Formats a length in minutes: "24 hours", "3 days". */
function spanText(minutes: number, locale: string): string {
  const [unit, size]: [string, number] =
    minutes % minutesADay === 0 && minutes >= 3 * minutesADay
      ? ['day', minutesADay]
      : minutes % 60 === 0
        ? ['hour', 60]
        : ['minute', 1]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(minutes / size)
}

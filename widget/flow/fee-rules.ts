import type { Fee, Money, Service } from '../api/api-types.ts'
import { fill, type Texts } from '../texts.ts'
import type { Catalogue, MoreItem } from './choice-rules.ts'
import { totalsOf } from './item-rules.ts'

/** The field of the sentence about fees, to which the visitor agrees by booking. */
export const feesField = 'fees'

const minutesADay = 1_440

/**
 * Returns what a late cancellation and a no-show cost, in sentences. Empty without fees. A coupon counts for one service:
 * only the server knows how it reduces several, and the fees never exceed those of the full prices.
 */
export function feeSentence(
  catalogue: Pick<Catalogue, 'services' | 'staff'>,
  items: Pick<MoreItem, 'serviceId' | 'staffId' | 'party' | 'isWith'>[],
  {
    texts,
    locale,
    money,
    reduced,
  }: { texts: Texts; locale: string; money: (money: Money) => string; reduced?: Money | undefined },
): string {
  const booked = items.flatMap((item) => {
    const service = catalogue.services.find(({ id }) => id === item.serviceId)
    const price = (items.length === 1 && reduced) || totalsOf(catalogue, [item]).price
    return service ? [{ service, price }] : []
  })
  const sumOf = (percentOf: (service: Service) => number) =>
    booked.reduce((sum, { service, price }) => sum + (price?.amount ?? 0) * percentOf(service), 0)
  const currency = booked.find(({ price }) => price)?.price?.currency
  const amountOf = (percentOf: (service: Service) => number) => {
    const amount = Math.floor((sumOf(percentOf) + 50) / 100)
    return currency && amount > 0 ? money({ amount, currency }) : undefined
  }
  const times = new Set(booked.flatMap(({ service }) => feesOf(service).map((fee) => fee.within_minutes)))
  const late = [...times]
    .sort((one, other) => other - one)
    .map((minutes) => {
      const amount = amountOf((service) => percentWithin(feesOf(service), minutes))
      return amount && fill(texts.feeCancel, { time: spanText(minutes, locale), amount })
    })
  const missed = amountOf((service) => service.no_show_percent ?? 0)
  const all = [...late, missed && fill(texts.feeNoShow, { amount: missed })].filter(Boolean)
  if (all.length === 0) return ''
  const isPaid = booked.some(({ service }) => service.payment === 'deposit' || service.payment === 'full')
  return [...all, ...(isPaid ? [texts.feePaid] : []), texts.feeAgree].join(' ')
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

import type { Booking } from '../api/api-types.ts'
import { fill, type Texts } from '../texts.ts'
import { leftOnSite } from './left-on-site.ts'
import { priceText } from './price-text.ts'
import type { Formats } from '../times/formats.ts'

export interface EntryParts {
  booking: Booking
  business: { name: string; brand_name: string | null }
  texts: Pick<Texts, 'online' | 'paid' | 'due' | 'left' | 'manage' | 'from' | 'noCharge'>
  formats: Formats
  manageUrl: string | null
}

/**
 * Returns the appointment's entry for the client's calendar, with the same texts as the calendar parts of
 * emails.
 */
export function calendarEntry({ booking, business, texts, formats, manageUrl }: EntryParts) {
  const { location, service, staff, payment, party_size: people, items } = booking
  const { online_url: online } = location
  const price =
    booking.price ?? (service.price && { ...service.price, amount: service.price.amount * people })
  const { timezone } = location
  const lines = items.map((item) => {
    const [from, to] = [item.starts_at, item.ends_at].map((at) => formats.time(Date.parse(at), timezone))
    return `${from} – ${to} ${[item.service.name, item.staff?.name].filter(Boolean).join(' · ')}`
  })
  const isOwed = payment?.status === 'paid' || payment?.status === 'due'
  const deposit = isOwed && payment.amount > 0 ? payment : undefined
  const left = leftOnSite(price, deposit)
  const amounts = [
    price && priceText(price, { texts, formats }),
    deposit && fill(texts[deposit.status as 'paid' | 'due'], { amount: formats.money(deposit) }),
    left && fill(texts.left, { amount: formats.money(left) }),
  ]
  return {
    title: `${items.length > 1 ? items.map((item) => item.service.name).join(' + ') : service.name} – ${business.brand_name ?? business.name}`,
    place: online ?? [location.name, location.address].filter(Boolean).join(', '),
    details: [
      ...(items.length > 1 ? lines : [staff?.name]),
      online && `${texts.online}: ${online}`,
      amounts.filter(Boolean).join(' · '),
      manageUrl && `${texts.manage}: ${manageUrl}`,
    ]
      .filter(Boolean)
      .join('\n'),
  }
}

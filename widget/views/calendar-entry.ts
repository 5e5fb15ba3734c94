import type { Booking } from '../api/api-types.ts'
import { fill, type Texts } from '../texts.ts'
import type { Formats } from '../times/formats.ts'

export interface EntryParts {
  booking: Booking
  business: { name: string; brand_name: string | null }
  texts: Pick<Texts, 'online' | 'paid' | 'due' | 'manage'>
  formats: Formats
  manageUrl: string | null
}

/**
 * Returns the appointment's entry for the client's calendar, with the same texts as the calendar parts of
 * emails.
 */
export function calendarEntry({ booking, business, texts, formats, manageUrl }: EntryParts) {
  const { location, service, staff, payment, party_size: people } = booking
  const { online_url: online } = location
  const { price } = service
  const deposit = payment?.status === 'paid' || payment?.status === 'due' ? payment : undefined
  const amounts = [
    price && formats.money({ ...price, amount: price.amount * people }),
    deposit && fill(texts[deposit.status as 'paid' | 'due'], { amount: formats.money(deposit) }),
  ]
  return {
    title: `${service.name} – ${business.brand_name ?? business.name}`,
    place: online ?? [location.name, location.address].filter(Boolean).join(', '),
    details: [
      staff?.name,
      online && `${texts.online}: ${online}`,
      amounts.filter(Boolean).join(' · '),
      manageUrl && `${texts.manage}: ${manageUrl}`,
    ]
      .filter(Boolean)
      .join('\n'),
  }
}

import type { EmbeddedElement } from './page-metadata.ts'

/** The part of `holdfast:booked` that decides. */
interface Booked {
  id: string
  status: string
  respond_by?: string | null
}

/**
 * Opens the page of `success-url` after a booking, with its ID as `booking_id`. Waits for a deposit: until it is paid,
 * the booking is pending. A request is pending too, but has a deadline for the business. Returns a function that stops it.
 */
export function leadToSuccess(element: EmbeddedElement): () => void {
  const lead = (event: Event) => {
    const { booking } = (event as CustomEvent<{ booking: Booked }>).detail
    const url = element.getAttribute('success-url') ?? element.opener?.dataset['successUrl']
    const isUnpaid = booking.status === 'pending' && !booking.respond_by
    if (isUnpaid || url === undefined || !URL.canParse(url, document.baseURI)) return
    const page = new URL(url, document.baseURI)
    if (!/^https?:$/.test(page.protocol)) return
    page.searchParams.set('booking_id', booking.id)
    setTimeout(() => location.assign(page.href)) // after the page's own listeners
  }
  element.addEventListener('holdfast:booked', lead)
  return () => element.removeEventListener('holdfast:booked', lead)
}

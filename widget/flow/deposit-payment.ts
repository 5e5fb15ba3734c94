import type { Booking } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import type { Checkouts, OpenCheckout } from './checkouts.ts'
import { withBooking } from './flow-state.ts'
import type { FlowStore } from './flow-store.ts'

interface Parts {
  connection: Connection
  store: FlowStore
  checkouts: Checkouts
  /** Told when a booking that waited for its deposit is confirmed. */
  confirmed: (booking: Booking) => void
}

/** The way of a deposit: to its checkout, and back to the confirmation. */
export class DepositPayment {
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Opens the checkout of a booking that was just made. */
  begin(booking: Booking, url: string): void {
    // the booking keeps its slot while the deposit is paid: leaving the page must not look like giving it up
    this.parts.store.set({ held: null, booking, checkoutUrl: url })
    this.go(booking, url, false)
  }

  /** To the checkout once more, for whoever has not paid. */
  again(): void {
    const { booking, checkoutUrl } = this.parts.store.state
    if (booking && checkoutUrl !== null) this.go(booking, checkoutUrl, true)
  }

  private go(booking: Booking, url: string, asked: boolean): void {
    const { connection, store, checkouts } = this.parts
    const checkout = { bookingId: booking.id, token: connection.token ?? '', url }
    if (!checkouts.go(checkout, asked)) store.replace(withBooking(store.state, booking))
  }

  /** The visitor is back at a page that has begun anew. */
  async resume(checkout: OpenCheckout): Promise<void> {
    const { store, checkouts } = this.parts
    store.set({ checkoutUrl: checkout.url })
    if ((await this.show(checkout.bookingId)).status === 'pending') checkouts.keep(checkout)
  }

  /** Looks whether the deposit has arrived. */
  async look(): Promise<void> {
    const { booking } = this.parts.store.state
    if (booking?.status !== 'pending') return
    const shown = await this.show(booking.id).catch(() => undefined) // it is looked again
    if (!shown || shown.status === 'pending') return
    this.parts.checkouts.take()
    if (shown.status !== 'cancelled') this.parts.confirmed(shown)
  }

  private async show(bookingId: string): Promise<Booking> {
    const { connection, store } = this.parts
    const { body } = await connection.call<Booking>('GET', `/bookings/${bookingId}`)
    store.replace(withBooking(store.state, body))
    return body
  }
}

import type { Booking } from '../api/api-types.ts'
import type { Connection } from '../api/connection.ts'
import type { Checkouts } from './checkouts.ts'
import type { OpenCheckout } from './open-checkout.ts'
import { withBooking } from './late-state.ts'
import type { FlowStore } from './flow-store.ts'

interface Parts {
  connection: Connection
  store: FlowStore
  checkouts: Checkouts
  /** Called when a booking is confirmed by its deposit. */
  confirmed: (booking: Booking) => void
}

/** Takes a deposit: opens the checkout, then shows the confirmation. */
export class DepositPayment {
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Opens the checkout of a booking that was just made. */
  begin(booking: Booking, url: string): void {
    // the booking keeps its slot during the checkout, so leaving the page must not release it
    this.parts.store.set({ held: null, booking, checkoutUrl: url })
    this.go(booking, url, false)
  }

  /** Opens the checkout again for an unpaid booking. */
  again(): void {
    const { booking, checkoutUrl } = this.parts.store.state
    if (booking && checkoutUrl !== null) this.go(booking, checkoutUrl, true)
  }

  private go(booking: Booking, url: string, asked: boolean): void {
    const { connection, store, checkouts } = this.parts
    const checkout = { bookingId: booking.id, token: connection.token ?? '', url }
    if (!checkouts.go(checkout, asked)) store.replace(withBooking(store.state, booking))
  }

  /** Resumes on a reloaded page after the checkout. */
  async resume(checkout: OpenCheckout): Promise<void> {
    const { store, checkouts } = this.parts
    store.set({ checkoutUrl: checkout.url })
    if ((await this.show(checkout.bookingId)).status === 'pending') checkouts.keep(checkout)
  }

  /** Checks whether the deposit has arrived. */
  async look(): Promise<void> {
    const { booking } = this.parts.store.state
    if (booking?.status !== 'pending') return
    const shown = await this.show(booking.id).catch(() => undefined) // the next check follows anyway
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

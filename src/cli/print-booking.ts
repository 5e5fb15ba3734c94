import type { Static } from 'typebox'
import { operator } from '../access/operator.ts'
import type { Payment } from '../bookings/booking-schemas.ts'
import { presentBooking } from '../bookings/present-booking.ts'
import { shownTime } from './local-time.ts'
import { moneyText } from './money-text.ts'
import { print } from './run-command.ts'
import { tableLines } from './table.ts'

/** Prints one booking: a line for each thing that people ask, or the API's own shape with `--json`. */
export function printBooking(booking: Parameters<typeof presentBooking>[0], json: boolean | undefined): void {
  const shown = presentBooking(booking, operator)
  print(shown, { json, lines: () => bookingLines(shown) })
}

function bookingLines(booking: ReturnType<typeof presentBooking>): string[] {
  const { client } = booking
  return tableLines(
    ['BOOKING', booking.id],
    [
      ['status', booking.status],
      ['starts', shownTime(booking.starts_at)],
      ['ends', shownTime(booking.ends_at)],
      ['service', booking.service.name],
      ['location', `${booking.location.name} (${booking.location.timezone})`],
      ['staff', booking.staff?.name ?? ''],
      [
        'client',
        `${client.first_name} ${client.last_name} <${client.email}> ${client.phone ?? ''}`.trimEnd(),
      ],
      ['notes', booking.notes ?? ''],
      ...('no_show' in booking && booking.no_show ? [['no show', 'the client did not come']] : []),
      ...('payment' in booking ? [['deposit', paymentText(booking.payment)]] : []),
      ['cancelled', shownTime(booking.cancelled_at ?? '')],
      ['business', booking.business_id],
    ],
  )
}

function paymentText(payment: Static<typeof Payment>): string {
  const { status, paid_at, refunded_at, provider } = payment
  const when = refunded_at ?? paid_at
  return `${moneyText(payment)} ${status}${when === null ? '' : ` ${shownTime(when)}`} (${provider})`
}

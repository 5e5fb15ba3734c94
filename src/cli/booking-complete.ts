import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { etagOf } from '../bookings/booking-rules.ts'
import { changeBooking } from '../bookings/change-booking.ts'
import { showBooking } from '../bookings/show-booking.ts'
import { UsageError } from '../errors.ts'
import { onBooking } from './known-ids.ts'
import { printBooking } from './print-booking.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast booking complete`: marks a booking as completed; a cancelled one only when that is said. */
export function addBookingComplete(booking: Command): void {
  booking
    .command('complete <id>')
    .description('mark a booking as completed')
    .option('--revive', 'also when it is cancelled: it takes its slot again, if that is free')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking complete 0198…')
    .action(async (id: string, { revive = false, json }: { revive?: boolean; json?: boolean }) => {
      const completed = await withExistingDatabase((context) =>
        onBooking(context, id, async () => {
          const found = await showBooking(context, operator, id)
          if (found.status === 'cancelled' && !revive) {
            throw new UsageError(
              'The booking is cancelled: add --revive if it took place all the same. It then takes its slot again.',
            )
          }
          // of the version that was looked at: nobody cancels it in between
          const target = { id, ifMatch: etagOf(found) }
          return changeBooking(context, operator, { target, change: { status: 'completed' } })
        }),
      )
      printBooking(completed, json)
    })
}

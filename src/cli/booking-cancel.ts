import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { cancelBooking } from '../bookings/change-booking.ts'
import { onBooking } from './known-ids.ts'
import { printBooking } from './print-booking.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast booking cancel`: cancels a booking; its slot is free at once. */
export function addBookingCancel(booking: Command): void {
  booking
    .command('cancel <id>')
    .description('cancel a booking; its slot is free at once')
    .option('--refund', 'give the deposit back; refused where none was paid')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking cancel 0198…')
    .action(async (id: string, { refund = false, json }: { refund?: boolean; json?: boolean }) => {
      const cancelled = await withExistingDatabase((context) =>
        onBooking(context, id, () => cancelBooking(context, operator, { id, ifMatch: undefined, refund })),
      )
      printBooking(cancelled, json)
    })
}

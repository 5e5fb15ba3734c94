import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { changeBooking } from '../bookings/change-booking.ts'
import { onBooking } from './known-ids.ts'
import { printBooking } from './print-booking.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast booking complete`: marks a booking as completed. */
export function addBookingComplete(booking: Command): void {
  booking
    .command('complete <id>')
    .description('mark a booking as completed')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking complete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const request = { target: { id, ifMatch: undefined }, change: { status: 'completed' as const } }
      const completed = await withExistingDatabase((context) =>
        onBooking(context, id, () => changeBooking(context, operator, request)),
      )
      printBooking(completed, json)
    })
}

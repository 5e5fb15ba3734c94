import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { showBooking } from '../bookings/show-booking.ts'
import { onBooking } from './known-ids.ts'
import { printBooking } from './print-booking.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast booking show`: shows one booking. */
export function addBookingShow(booking: Command): void {
  booking
    .command('show <id>')
    .description('show one booking')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const found = await withExistingDatabase((context) =>
        onBooking(context, id, () => showBooking(context, operator, id)),
      )
      printBooking(found, json)
    })
}

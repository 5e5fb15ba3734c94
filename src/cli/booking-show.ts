import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { showBooking } from '../bookings/show-booking.ts'
import { printBooking } from './print-booking.ts'
import { withDatabase } from './run-command.ts'

/** `holdfast booking show`: shows one booking. */
export function addBookingShow(booking: Command): void {
  booking
    .command('show <id>')
    .description('show one booking')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking show 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const found = await withDatabase((context) => showBooking(context, operator, id))
      printBooking(found, json)
    })
}

import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { changeBooking } from '../bookings/change-booking.ts'
import { showBooking } from '../bookings/show-booking.ts'
import { onBooking } from './known-ids.ts'
import { printBooking } from './print-booking.ts'
import { readTime } from './local-time.ts'
import { withExistingDatabase } from './run-command.ts'

/** `holdfast booking reschedule`: moves a booking to another time. */
export function addBookingReschedule(booking: Command): void {
  booking
    .command('reschedule <id>')
    .description('move a booking to another time, if it is free there')
    .requiredOption('--to <time>', 'when it starts: "2026-12-01 10:00" in its location, or with an offset')
    .option('--until <time>', 'when it ends; without it the duration is kept')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast booking reschedule 0198… --to "2026-12-01 10:00"')
    .action(async (id: string, options: { to: string; until?: string; json?: boolean }) => {
      const moved = await withExistingDatabase(async (context) => {
        const { timezone } = await onBooking(context, id, () => showBooking(context, operator, id))
        const change = {
          starts_at: readTime(options.to, timezone),
          ...(options.until !== undefined && { ends_at: readTime(options.until, timezone) }),
        }
        return changeBooking(context, operator, { target: { id, ifMatch: undefined }, change })
      })
      printBooking(moved, options.json)
    })
}

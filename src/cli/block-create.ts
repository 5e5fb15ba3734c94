import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { CreateBlock } from '../catalogue/block-schemas.ts'
import { locationKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { createBlock } from '../catalogue/manage-blocks.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { presentBlockWithConflicts } from '../catalogue/present-block.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { existingThing, given } from './catalogue-options.ts'
import { checkedCreation } from './check-input.ts'
import { readTime, shownTime } from './local-time.ts'
import { print, withExistingDatabase } from './run-command.ts'

interface Options {
  location?: string
  staff?: string
  from: string
  to: string
  reason?: string
  json?: boolean
}

const names = { starts_at: '--from', ends_at: '--to', location_id: '--location', staff_id: '--staff' }

/** `holdfast block create`: keeps a time from being booked. */
export function addBlockCreate(block: Command): void {
  block
    .command('create')
    .description('block a time of a location or of a staff member; what is booked there stays and is named')
    .option('--location <id>', 'the location that is closed')
    .option('--staff <id>', 'the staff member who is away')
    .requiredOption('--from <time>', 'when it begins, such as "2026-12-01 09:00" in the zone of the place')
    .requiredOption('--to <time>', 'when it ends')
    .option('--reason <text>', 'why')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast block create --staff 0198… --from "2026-12-01 09:00" --to "2026-12-01 12:00" --reason Dentist',
    )
    .action(async ({ json, ...options }: Options) => {
      const made = await withExistingDatabase(async (context) => {
        const zone = await zoneOf(context, options)
        const body = {
          ...given({ location_id: options.location, staff_id: options.staff, reason: options.reason }),
          starts_at: readTime(options.from, zone),
          ends_at: readTime(options.to, zone),
        }
        return presentBlockWithConflicts(
          await createBlock(context, operator, checkedCreation(CreateBlock, body, names)),
        )
      })
      print(made, {
        json,
        lines: () => [
          `block ${made.id}  ${shownTime(made.starts_at)} to ${shownTime(made.ends_at)}`,
          ...made.conflicting_booking_ids.map((id) => `  booked in it: ${id}`),
        ],
      })
    })
}

/** The zone in which people mean their times. Throws a UsageError for an unknown id. */
async function zoneOf(context: Context, { location, staff }: Options): Promise<string> {
  if ((location === undefined) === (staff === undefined)) {
    throw new UsageError('Give either --location or --staff: a block is of one of them.')
  }
  if (location !== undefined) return (await existingThing(context, locationKind, location)).timezone
  const { business_id } = await existingThing(context, staffKind, staff ?? '')
  return (await showBusiness(context, business_id)).timezone
}

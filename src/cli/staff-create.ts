import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { createInCatalogue } from '../catalogue/change-catalogue.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { CreateStaff } from '../catalogue/staff-input-schemas.ts'
import { writableStaff } from '../catalogue/writable-kinds.ts'
import { given, idsOf, repeated } from './catalogue-options.ts'
import { checkedCreation } from './check-input.ts'
import { print, withExistingDatabase } from './run-command.ts'
import {
  addScheduleOptions,
  scheduleFields,
  scheduleOptionNames,
  type ScheduleOptions,
} from './schedule-options.ts'

interface Options extends ScheduleOptions {
  business: string
  email?: string
  location?: string[]
  json?: boolean
}

/** `holdfast staff create`: adds a staff member to a business. */
export function addStaffCreate(staff: Command): void {
  addScheduleOptions(
    staff
      .command('create <name>')
      .description('add a staff member; without --hours they work whenever the location is open')
      .requiredOption('--business <id>', 'where they work')
      .option('--email <address>', 'their e-mail address')
      .option('--location <name or id>', 'where they work; repeat for more (default: everywhere)', repeated),
  )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast staff create "Anna Weber" --business 0198… --location Mitte --hours "tue-sat 10:00-18:00"',
    )
    .action(async (name: string, { business, email, location, json, ...schedule }: Options) => {
      const made = await withExistingDatabase(async (context) => {
        const { id } = await showBusiness(context, business)
        const places =
          location && (await idsOf(context, { businessId: id, option: '--location', references: location }))
        const body = {
          business_id: id,
          name,
          ...given({ email, location_ids: places }),
          ...scheduleFields(schedule),
        }
        const input = checkedCreation(CreateStaff, body, scheduleOptionNames)
        return createInCatalogue(context, operator, { kind: writableStaff, input })
      })
      print(made, { json, lines: () => [`staff member ${made.id}  ${made.name}`] })
    })
}

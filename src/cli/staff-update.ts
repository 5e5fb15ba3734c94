import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { staffKind } from '../catalogue/catalogue-kinds.ts'
import { changeInCatalogue } from '../catalogue/change-catalogue.ts'
import { ChangeStaff } from '../catalogue/staff-input-schemas.ts'
import { writableStaff } from '../catalogue/writable-kinds.ts'
import { UsageError } from '../errors.ts'
import { existingThing, given, idsOf, repeated, unlessNone } from './catalogue-options.ts'
import { checkedChange } from './check-input.ts'
import { print, withExistingDatabase } from './run-command.ts'
import {
  addScheduleOptions,
  scheduleFields,
  scheduleOptionNames,
  type ScheduleOptions,
} from './schedule-options.ts'

interface Options extends ScheduleOptions {
  name?: string
  email?: string
  /** False when `--no-location` is given. */
  location?: string[] | false
  active?: boolean
  json?: boolean
}

/** `holdfast staff update`: changes a staff member, takes them off the offer, or brings them back. */
export function addStaffUpdate(staff: Command): void {
  addScheduleOptions(
    staff
      .command('update <id>')
      .description('change a staff member; their bookings stay. --override replaces all overrides')
      .option('--name <name>', 'their new name')
      .option('--email <address>', 'their e-mail address; "none" clears it')
      .option(
        '--location <name or id>',
        'where they work, in place of where they did; repeat for more',
        repeated,
      ),
  )
    .option('--no-location', 'they work everywhere')
    .option('--no-override', 'take all overrides away')
    .option('--active', 'bring them back')
    .option('--no-active', 'take them off the offer')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast staff update 0198… --hours "mon-thu 09:00-15:00"')
    .action(async (id: string, { name, email, location, active, json, ...schedule }: Options) => {
      const changed = await withExistingDatabase(async (context) => {
        const { business_id } = await existingThing(context, staffKind, id)
        const places = Array.isArray(location)
          ? await idsOf(context, { businessId: business_id, option: '--location', references: location })
          : location === false
            ? []
            : undefined
        const address = email === undefined ? undefined : unlessNone(email, (text) => text)
        const fields = given({ name, email: address, active, location_ids: places })
        const body = { ...fields, ...scheduleFields(schedule) }
        if (Object.keys(body).length === 0) {
          throw new UsageError('Nothing to change: give --hours or another option of --help.')
        }
        const change = checkedChange(ChangeStaff, body, scheduleOptionNames)
        return changeInCatalogue(context, operator, { kind: writableStaff, id, change })
      })
      print(changed, {
        json,
        lines: () => [`staff member ${changed.id}  ${changed.name}${changed.active ? '' : '  (inactive)'}`],
      })
    })
}

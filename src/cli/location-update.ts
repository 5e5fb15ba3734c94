import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { locationKind } from '../catalogue/catalogue-kinds.ts'
import { changeInCatalogue } from '../catalogue/change-catalogue.ts'
import { ChangeLocation } from '../catalogue/location-input-schemas.ts'
import { writableLocations } from '../catalogue/writable-kinds.ts'
import { UsageError } from '../errors.ts'
import { existingThing, given, unlessNone } from './catalogue-options.ts'
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
  timezone?: string
  address?: string
  active?: boolean
  json?: boolean
}

/** `holdfast location update`: changes a location, takes it off the offer, or brings it back. */
export function addLocationUpdate(location: Command): void {
  addScheduleOptions(
    location
      .command('update <id>')
      .description('change a location; its bookings stay. --override replaces all overrides')
      .option('--name <name>', 'its new name')
      .option('--timezone <zone>', 'its new time zone')
      .option('--address <text>', 'where it is; "none" clears it'),
  )
    .option('--no-override', 'take all overrides away')
    .option('--active', 'bring it back')
    .option('--no-active', 'take it off the offer')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast location update 0198… --hours "mon-sat 09:00-20:00"' +
        '\n  $ holdfast location update 0198… --no-active',
    )
    .action(async (id: string, { name, timezone, address, active, json, ...schedule }: Options) => {
      const where = address === undefined ? undefined : unlessNone(address, (text) => text)
      const body = { ...given({ name, timezone, address: where, active }), ...scheduleFields(schedule) }
      if (Object.keys(body).length === 0) {
        throw new UsageError('Nothing to change: give --hours or another option of --help.')
      }
      const change = checkedChange(ChangeLocation, body, scheduleOptionNames)
      const changed = await withExistingDatabase(async (context) => {
        await existingThing(context, locationKind, id)
        return changeInCatalogue(context, operator, { kind: writableLocations, id, change })
      })
      print(changed, {
        json,
        lines: () => [`location ${changed.id}  ${changed.name}${changed.active ? '' : '  (inactive)'}`],
      })
    })
}

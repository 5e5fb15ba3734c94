import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { createInCatalogue } from '../catalogue/change-catalogue.ts'
import { CreateLocation } from '../catalogue/location-input-schemas.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { writableLocations } from '../catalogue/writable-kinds.ts'
import { given } from './catalogue-options.ts'
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
  timezone?: string
  address?: string
  json?: boolean
}

/** `holdfast location create`: adds a location to a business. */
export function addLocationCreate(location: Command): void {
  addScheduleOptions(
    location
      .command('create <name>')
      .description('add a location; without --hours it is always open')
      .requiredOption('--business <id>', 'whose it is')
      .option('--timezone <zone>', "its time zone (default: the business's)")
      .option('--address <text>', 'where it is'),
  )
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast location create Mitte --business 0198… --hours "mon-fri 09:00-18:00, sat 10:00-14:00"' +
        ' --override "2026-12-24 closed"',
    )
    .action(async (name: string, { business, timezone, address, json, ...schedule }: Options) => {
      const made = await withExistingDatabase(async (context) => {
        const { id } = await showBusiness(context, business)
        const body = { business_id: id, name, ...given({ timezone, address }), ...scheduleFields(schedule) }
        const input = checkedCreation(CreateLocation, body, scheduleOptionNames)
        return createInCatalogue(context, operator, { kind: writableLocations, input })
      })
      print(made, { json, lines: () => [`location ${made.id}  ${made.name}  (${made.timezone})`] })
    })
}

import type { Location } from '../catalogue/catalogue-types.ts'
import { locationKind, writableLocations } from '../catalogue/catalogue.ts'
import {
  ChangeLocation,
  CreateLocation,
  type LocationChange,
  type LocationCreation,
} from '../catalogue/location-and-staff-schemas.ts'
import type { CliCommand } from './command-line.ts'
import { unlessNone, weeklyHoursText } from './input.ts'
import {
  createItem,
  type CreateOptions,
  type ItemCommands,
  registerItemList,
  scheduleOptionNames,
  scheduleReaders,
  type ScheduleOptions,
  updateItem,
  type UpdateOptions,
  withActivation,
  withSchedule,
} from './item.ts'

interface LocationOptions extends ScheduleOptions {
  timezone?: string
  address?: string
  onlineUrl?: string
}

const locations: ItemCommands<Location, LocationCreation, LocationChange, LocationOptions> = {
  kind: locationKind,
  writable: writableLocations,
  schemas: { create: CreateLocation, change: ChangeLocation },
  optionNames: { ...scheduleOptionNames, online_url: '--online-url' },
  readers: (_context, _businessId, { timezone, address, onlineUrl, ...schedule }) => ({
    timezone: () => timezone,
    address: () => (address === undefined ? undefined : unlessNone(address, String)),
    online_url: () => (onlineUrl === undefined ? undefined : unlessNone(onlineUrl, String)),
    ...scheduleReaders(schedule),
  }),
  columns: {
    'TIME ZONE': ({ timezone }) => timezone,
    HOURS: ({ weekly_hours }) => weeklyHoursText(weekly_hours),
  },
  detail: ({ timezone }) => timezone,
}

/** `holdfast location …` */
export function registerLocationCommands(program: CliCommand): void {
  const group = program.group(
    'location',
    'manage locations',
    'create Mitte --business 0198… --hours "mon-fri 09:00-18:00"',
  )
  registerCreate(group)
  registerItemList(group, 'locations', locations)
  registerUpdate(group)
}

function registerCreate(group: CliCommand): void {
  withSchedule(
    group
      .command('create <name>')
      .description('create a location; without --hours it is always open')
      .requiredOption('--business <id>', 'business ID')
      .option('--timezone <zone>', "time zone (default: the business's)")
      .option('--address <text>', 'postal address')
      .option('--online-url <address>', 'https address where clients meet online'),
  )
    .withJson()
    .examples(
      'location create Mitte --business 0198… --hours "mon-fri 09:00-18:00, sat 10:00-14:00" --override "2026-12-24 closed"',
    )
    .action((name: string, options: CreateOptions & LocationOptions) => createItem(locations, name, options))
}

function registerUpdate(group: CliCommand): void {
  withActivation(
    withSchedule(
      group
        .command('update <id>')
        .description('change a location; its bookings stay. --override replaces all overrides')
        .option('--name <name>', 'new name')
        .option('--timezone <zone>', 'new time zone')
        .option('--address <text>', 'postal address; "none" clears it')
        .option('--online-url <address>', 'https address where clients meet online; "none" clears it'),
    ).option('--no-override', 'remove all overrides'),
  )
    .examples('location update 0198… --hours "mon-sat 09:00-20:00"', 'location update 0198… --no-active')
    .action((id: string, options: UpdateOptions & LocationOptions) => updateItem(locations, id, options))
}

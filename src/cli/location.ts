import {
  ChangeLocation,
  CreateLocation,
  type Location,
  type LocationChange,
  type LocationCreation,
} from '../catalogue/location-and-staff-schemas.ts'
import { locationKind, writableLocations } from '../catalogue/catalogue-kinds.ts'
import type { CliCommand } from './command-line.ts'
import { unlessNone, weeklyHoursText } from './input.ts'
import {
  type ItemCommands,
  registerItem,
  scheduleOptionNames,
  scheduleReaders,
  type ScheduleOptions,
  withSchedule,
} from './item.ts'

interface LocationOptions extends ScheduleOptions {
  timezone?: string
  address?: string
  onlineUrl?: string
}

const locations: ItemCommands<Location, LocationCreation, LocationChange, LocationOptions> = {
  word: 'location',
  plural: 'locations',
  texts: {
    create: 'create a location; without --hours, it is always open',
    update: 'change a location; bookings stay, and --override replaces all overrides',
  },
  examples: {
    create: [
      'create Mitte --business "Salon Spree" --hours "mon-fri 09:00-18:00, sat 10:00-14:00" --override "2026-12-24 closed"',
    ],
    update: ['update Mitte --hours "mon-sat 09:00-20:00"', 'update 0198… --no-active'],
  },
  withOptions: withLocationOptions,
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

export function registerLocationCommands(program: CliCommand): void {
  registerItem(program, locations)
}

function withLocationOptions(command: CliCommand, isNew: boolean): CliCommand {
  return withSchedule(
    command
      .option('--timezone <zone>', `time zone${isNew ? " (default: the business's)" : ''}`)
      .option('--address <text>', 'postal address; "none" clears it')
      .option('--online-url <address>', 'https URL of online meetings; "none" clears it'),
    isNew,
  )
}

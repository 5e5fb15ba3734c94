import type { Context } from '../bookings/context.ts'
import {
  ChangeStaff,
  CreateStaff,
  type StaffChange,
  type StaffCreation,
  type StaffMember,
} from '../catalogue/location-and-staff-schemas.ts'
import { locationKind, staffKind, writableStaff } from '../catalogue/catalogue-kinds.ts'
import type { CliCommand } from './command-line.ts'
import { repeated, unlessNone, weeklyHoursText } from './input.ts'
import {
  idsOf,
  type ItemCommands,
  registerItem,
  scheduleOptionNames,
  scheduleReaders,
  type ScheduleOptions,
  shownReaders,
  type ShownOptions,
  withSchedule,
  withShown,
} from './item.ts'

interface StaffOptions extends ScheduleOptions, ShownOptions {
  email?: string
  /** False after `--no-location`. */
  location?: string[] | false
}

const staff: ItemCommands<StaffMember, StaffCreation, StaffChange, StaffOptions> = {
  word: 'staff',
  plural: 'staff members',
  texts: {
    create: 'create a staff member; without --hours, they work whenever the location is open',
    update: 'change a staff member; bookings stay, and --override replaces all overrides',
  },
  examples: {
    create: ['create "Anna Weber" --business "Salon Spree" --location Mitte --hours "tue-sat 10:00-18:00"'],
    update: ['update "Anna Weber" --hours "mon-thu 09:00-15:00"'],
  },
  withOptions: withStaffOptions,
  kind: staffKind,
  writable: writableStaff,
  schemas: { create: CreateStaff, change: ChangeStaff },
  optionNames: scheduleOptionNames,
  readers: staffReaders,
  columns: {
    EMAIL: ({ email }) => email ?? '',
    HOURS: ({ weekly_hours }) => (weekly_hours === null ? 'same as location' : weeklyHoursText(weekly_hours)),
  },
}

export function registerStaffCommands(program: CliCommand): void {
  registerItem(program, staff)
}

function withStaffOptions(command: CliCommand, isNew: boolean): CliCommand {
  const options = withShown(command)
    .option('--email <address>', 'email address; "none" clears it')
    .option(
      '--location <name or id>',
      `${isNew ? 'locations where they work' : 'replace the locations where they work'}; repeatable${isNew ? ' (default: everywhere)' : ''}`,
      repeated,
    )
  return withSchedule(isNew ? options : options.option('--no-location', 'they work at all locations'), isNew)
}

function staffReaders(context: Context, businessId: string, { email, location, ...others }: StaffOptions) {
  return {
    email: () => (email === undefined ? undefined : unlessNone(email, String)),
    location_ids: () =>
      location === false
        ? []
        : location &&
          idsOf(context, locationKind, { businessId, option: '--location', references: location }),
    ...shownReaders(others),
    ...scheduleReaders(others),
  }
}

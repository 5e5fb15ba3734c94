import type { Context } from '../bookings/context.ts'
import type { StaffMember } from '../catalogue/catalogue-types.ts'
import { staffKind, writableStaff } from '../catalogue/catalogue.ts'
import {
  ChangeStaff,
  CreateStaff,
  type StaffChange,
  type StaffCreation,
} from '../catalogue/location-and-staff-schemas.ts'
import type { CliCommand } from './command-line.ts'
import { repeated, unlessNone, weeklyHoursText } from './input.ts'
import {
  createItem,
  type CreateOptions,
  idsOf,
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

interface StaffOptions extends ScheduleOptions {
  email?: string
  /** False after `--no-location`. */
  location?: string[] | false
}

const staff: ItemCommands<StaffMember, StaffCreation, StaffChange, StaffOptions> = {
  kind: staffKind,
  writable: writableStaff,
  schemas: { create: CreateStaff, change: ChangeStaff },
  optionNames: scheduleOptionNames,
  readers: staffReaders,
  columns: {
    EMAIL: ({ email }) => email ?? '',
    HOURS: ({ weekly_hours }) => (weekly_hours === null ? 'as the location' : weeklyHoursText(weekly_hours)),
  },
}

/** `holdfast staff …` */
export function registerStaffCommands(program: CliCommand): void {
  const group = program.group(
    'staff',
    'manage staff',
    'create "Anna Weber" --business 0198… --location Mitte',
  )
  registerCreate(group)
  registerItemList(group, 'staff members', staff)
  registerUpdate(group)
}

function registerCreate(group: CliCommand): void {
  withSchedule(
    group
      .command('create <name>')
      .description('create a staff member; without --hours they work whenever the location is open')
      .requiredOption('--business <id>', 'business ID')
      .option('--email <address>', 'e-mail address')
      .option('--location <name or id>', 'where they work; repeatable (default: everywhere)', repeated),
  )
    .withJson()
    .examples('staff create "Anna Weber" --business 0198… --location Mitte --hours "tue-sat 10:00-18:00"')
    .action((name: string, options: CreateOptions & StaffOptions) => createItem(staff, name, options))
}

function registerUpdate(group: CliCommand): void {
  withActivation(
    withSchedule(
      group
        .command('update <id>')
        .description('change a staff member; their bookings stay. --override replaces all overrides')
        .option('--name <name>', 'new name')
        .option('--email <address>', 'e-mail address; "none" clears it')
        .option('--location <name or id>', 'replace where they work; repeatable', repeated),
    )
      .option('--no-location', 'they work everywhere')
      .option('--no-override', 'remove all overrides'),
  )
    .examples('staff update 0198… --hours "mon-thu 09:00-15:00"')
    .action((id: string, options: UpdateOptions & StaffOptions) => updateItem(staff, id, options))
}

function staffReaders(context: Context, businessId: string, { email, location, ...schedule }: StaffOptions) {
  return {
    email: () => (email === undefined ? undefined : unlessNone(email, String)),
    location_ids: () =>
      location === false
        ? []
        : location && idsOf(context, { businessId, option: '--location', references: location }),
    ...scheduleReaders(schedule),
  }
}

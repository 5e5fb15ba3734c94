import type { Context } from '../bookings/context.ts'
import { locationKind, resourceKind, writableResources } from '../catalogue/catalogue-kinds.ts'
import {
  type BookableResource,
  ChangeResource,
  CreateResource,
  type ResourceChange,
  type ResourceCreation,
} from '../catalogue/resource-schemas.ts'
import type { CliCommand } from './command-line.ts'
import { numberIn, weeklyHoursText } from './input.ts'
import {
  idsOf,
  type ItemCommands,
  registerItem,
  scheduleOptionNames,
  scheduleReaders,
  type ScheduleOptions,
  withSchedule,
} from './item.ts'

interface ResourceOptions extends ScheduleOptions {
  location?: string
  quantity?: string
}

const resources: ItemCommands<BookableResource, ResourceCreation, ResourceChange, ResourceOptions> = {
  word: 'resource',
  plural: 'resources',
  texts: {
    create:
      'create a resource: a room or equipment that services need; without --hours, it has those of its location',
    update: 'change a resource; bookings stay, and --override replaces all overrides',
  },
  examples: {
    create: ['create "Massage room" --business "Salon Spree" --location Mitte --quantity 2'],
    update: ['update "Massage room" --quantity 3'],
  },
  withOptions: withResourceOptions,
  kind: resourceKind,
  writable: writableResources,
  schemas: { create: CreateResource, change: ChangeResource },
  optionNames: { ...scheduleOptionNames, location_id: '--location' },
  readers: resourceReaders,
  columns: {
    QUANTITY: ({ quantity }) => String(quantity),
    'LOCATION ID': ({ location_id }) => location_id,
    HOURS: ({ weekly_hours }) => (weekly_hours === null ? 'same as location' : weeklyHoursText(weekly_hours)),
  },
}

export function registerResourceCommands(program: CliCommand): void {
  registerItem(program, resources)
}

function withResourceOptions(command: CliCommand, isNew: boolean): CliCommand {
  const options = isNew
    ? command.requiredOption('--location <name or id>', 'where it is; it stays there')
    : command
  return withSchedule(options.option('--quantity <number>', 'number of alike ones (default: 1)'), isNew)
}

function resourceReaders(
  context: Context,
  businessId: string,
  { location, quantity, ...schedule }: ResourceOptions,
) {
  return {
    location_id: async () => {
      if (location === undefined) return undefined
      const [id] = await idsOf(context, locationKind, {
        businessId,
        option: '--location',
        references: [location],
      })
      return id
    },
    quantity: () =>
      quantity === undefined ? undefined : numberIn(quantity, '--quantity', 'a whole number, such as 2'),
    ...scheduleReaders(schedule),
  }
}

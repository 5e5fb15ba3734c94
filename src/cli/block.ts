import { operator } from '../access/actor.ts'
import { UsageError } from '../base/errors.ts'
import { readInstants } from '../base/instants.ts'
import { presentPage } from '../base/paging.ts'
import type { Context } from '../bookings/context.ts'
import { BlocksQuery, CreateBlock } from '../catalogue/block-schemas.ts'
import {
  createBlock,
  deleteBlock,
  listBlocks,
  presentBlock,
  presentBlockWithConflicts,
} from '../catalogue/block.ts'
import { showBusiness } from '../catalogue/business.ts'
import { locationKind, resourceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import { checkedCreation, given, readFields, readTime, shownTime, checkedQuery } from './input.ts'
import { listItems, itemNamed } from './item.ts'
import { ownerOfList } from './list-owner.ts'
import { readListScope } from './list-scope.ts'

interface CreateOptions {
  location?: string
  staff?: string
  resource?: string
  from: string
  to: string
  reason?: string
  json?: boolean
}

interface ListOptions {
  business?: string
  location?: string
  staff?: string
  resource?: string
  from?: string
  to?: string
  limit?: string
  cursor?: string
  json?: boolean
}

const optionNames = {
  starts_at: '--from',
  ends_at: '--to',
  business_id: '--business',
  location_id: '--location',
  staff_id: '--staff',
  resource_id: '--resource',
}

export function registerBlockCommands(program: CliCommand): void {
  const group = program.group(
    'block',
    'manage blocks: times that nobody can book',
    'create --staff "Anna Weber" --from "2026-12-01 09:00" --to "2026-12-01 12:00"',
  )
  registerCreate(group)
  registerList(group)
  registerDelete(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create')
    .description(
      'block a time of a location, staff member or resource; existing bookings stay, and their IDs are printed',
    )
    .option('--location <name or id>', 'the location that is closed')
    .option('--staff <name or id>', 'the staff member who is away')
    .option('--resource <name or id>', 'the room or equipment that cannot be used')
    .requiredOption(
      '--from <time>',
      'start, such as "2026-12-01 09:00" in the zone of the location or resource (--staff: of the business)',
    )
    .requiredOption('--to <time>', 'end')
    .option('--reason <text>', 'reason')
    .withJson()
    .examples(
      'block create --staff "Anna Weber" --from "2026-12-01 09:00" --to "2026-12-01 12:00" --reason Dentist',
      'block create --resource "Massage room" --from "2026-12-01 09:00" --to "2026-12-02 18:00" --reason Painting',
    )
    .action(async ({ location, staff, resource, from, to, reason, json }: CreateOptions) => {
      const created = await withExistingDatabase(async (context) => {
        const { zone, ...blocked } = await findBlocked(context, { location, staff, resource })
        const { fields, faults } = await readFields({
          starts_at: () => readTime(from, zone),
          ends_at: () => readTime(to, zone),
        })
        const body = { ...blocked, ...fields, ...given({ reason }) }
        const checked = checkedCreation(CreateBlock, body, optionNames, faults)
        const input = readInstants(checked, 'starts_at', 'ends_at')
        return presentBlockWithConflicts(await createBlock(context, operator, input), operator)
      })
      print(created, json, () => [
        `block ${created.id}  ${shownTime(created.starts_at)} to ${shownTime(created.ends_at)}`,
        ...created.conflicting_booking_ids.map((id) => `  overlaps booking ${id}`),
      ])
    })
}

type Target = Record<'location' | 'staff' | 'resource', string | undefined>

/**
 * Returns the location, staff member or resource to block, and the zone for wall times. Throws a UsageError for
 * an unknown ID or name.
 */
async function findBlocked(context: Context, { location, staff, resource }: Target) {
  if ([location, staff, resource].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError('Give one of --location, --staff and --resource.')
  }
  if (location !== undefined) {
    const { id, timezone } = await itemNamed(context, locationKind, location)
    return { location_id: id, zone: timezone }
  }
  if (resource !== undefined) {
    const { id, location_id } = await itemNamed(context, resourceKind, resource)
    return { resource_id: id, zone: (await itemNamed(context, locationKind, location_id)).timezone }
  }
  const { id, business_id } = await itemNamed(context, staffKind, staff ?? '')
  return { staff_id: id, zone: (await showBusiness(context, business_id)).timezone }
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list blocks by start')
    .option('--business <name or id>', 'only this business')
    .option('--location <name or id>', 'only this location')
    .option('--staff <name or id>', 'only this staff member')
    .option('--resource <name or id>', 'only this room or equipment')
    .option(
      '--from <time>',
      'only those that end after this time: "2026-12-01" or "2026-12-01 10:00" in the zone of the location or business, or with an offset',
    )
    .option('--to <time>', 'only those that start before this time; a date means its beginning')
    .withPages()
    .withJson()
    .examples('block list --business "Salon Spree" --from 2026-12-01')
    .action(async ({ business, location, staff, resource, from, to, json, ...same }: ListOptions) => {
      const { page, owner, names } = await withExistingDatabase(async (context) => {
        const scope = { business, location, staff, resource }
        const { fields, faults } = await readListScope(context, scope, { from, to })
        const query = checkedQuery(BlocksQuery, { ...same, ...fields }, optionNames, faults)
        const owner = await ownerOfList(context, fields.business_id)
        const names = await namesOfBlocked(context, owner.business_id)
        return { page: await listBlocks(context, operator, query), owner, names }
      })
      printPage(
        presentPage(page, (block) => presentBlock(block, operator)),
        json,
        {
          title: owner.titleOf('Blocks'),
          columns: {
            ID: ({ id }) => id,
            FROM: ({ starts_at }) => shownTime(starts_at),
            TO: ({ ends_at }) => shownTime(ends_at),
            ...owner.column,
            OF: ({ location_id, staff_id, resource_id }) =>
              names.get(location_id ?? staff_id ?? resource_id ?? '') ?? '',
            REASON: ({ reason }) => reason ?? '',
          },
        },
      )
    })
}

/** Returns labels by ID for everything that can be blocked: "location Mitte", "staff Anna Weber". */
async function namesOfBlocked(
  context: Context,
  businessId: string | undefined,
): Promise<Map<string, string>> {
  const locations = await listItems(context, locationKind, businessId)
  const staff = await listItems(context, staffKind, businessId)
  const resources = await listItems(context, resourceKind, businessId)
  return new Map([
    ...locations.map(({ id, name }) => [id, `location ${name}`] as const),
    ...staff.map(({ id, name }) => [id, `staff ${name}`] as const),
    ...resources.map(({ id, name }) => [id, `resource ${name}`] as const),
  ])
}

function registerDelete(group: CliCommand): void {
  group
    .command('delete <id>')
    .description('delete a block')
    .withJson()
    .examples('block delete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withExistingDatabase((context) => deleteBlock(context, operator, id))
      print({ id }, json, () => [`block ${id} is deleted`])
    })
}

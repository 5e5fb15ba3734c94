import { Option } from 'commander'
import { operator } from '../access/actor.ts'
import { presentPage } from '../base/paging.ts'
import { skipEntry } from '../bookings/waitlist-offer.ts'
import { EntriesQuery } from '../bookings/waitlist-schemas.ts'
import { endEntry, listEntries, presentEntry, showEntry } from '../bookings/waitlist.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import { checkedQuery, given, shownTime } from './input.ts'
import { ownerOfList } from './list-owner.ts'
import { readListScope } from './list-scope.ts'

interface ListOptions {
  business?: string
  status: string
  service?: string
  location?: string
  staff?: string
  email?: string
  limit: string
  cursor?: string
  json?: boolean
}

const optionNames = { status: '--status', email: '--email', limit: '--limit', cursor: '--cursor' }
const statuses = ['active', 'waiting', 'offered', 'booked', 'ended']

export function registerWaitlistCommands(program: CliCommand): void {
  const group = program.group('waitlist', 'list and end entries of the waiting list', 'list --status offered')
  registerList(group)
  registerSkip(group)
  registerRemove(group)
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list the waiting list, the longest waiting first')
    .option('--business <name or id>', 'only this business')
    .addOption(new Option('--status <status>', 'only with this status').choices(statuses).default('active'))
    .option('--service <name or id>', 'only for this service')
    .option('--location <name or id>', 'only at this location')
    .option('--staff <name or id>', 'only with this staff member')
    .option('--email <address>', 'only this client')
    .withPages()
    .withJson()
    .examples('waitlist list --business "Salon Spree" --status offered')
    .action(async ({ business, service, location, staff, json, ...same }: ListOptions) => {
      const { page, owner } = await withExistingDatabase(async (context) => {
        const { fields, faults } = await readListScope(context, { business, service, location, staff }, {})
        const query = checkedQuery(EntriesQuery, { ...fields, ...given({ ...same }) }, optionNames, faults)
        return {
          owner: await ownerOfList(context, fields['business_id']),
          page: await listEntries(context, operator, query),
        }
      })
      printPage(
        presentPage(page, (row) => presentEntry(row, operator)),
        json,
        {
          title: owner.titleOf('Waiting list'),
          columns: {
            ID: ({ id }) => id,
            SINCE: ({ created_at }) => shownTime(created_at),
            STATUS: ({ status }) => status,
            PLACE: ({ position }) => (position === null ? '' : String(position)),
            ...owner.column,
            SERVICE: ({ items }) => items.map((item) => item.service.name).join(' + '),
            LOCATION: (entry) => entry.location.name,
            DAYS: ({ from, to }) => (from === to ? from : `${from} to ${to}`),
            CLIENT: ({ client }) => `${client.first_name} ${client.last_name}`.trim(),
            OFFERED: ({ offer }) => (offer ? shownTime(offer.starts_at) : ''),
          },
        },
      )
    })
}

function registerSkip(group: CliCommand): void {
  group
    .command('skip <id>')
    .description('pass an offered time on to the next client')
    .withJson()
    .examples('waitlist skip 0199…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const entry = await withExistingDatabase((context) => skipEntry(context, operator, id))
      print(presentEntry(entry, operator), json, () => [`skipped; the client is ${entry.entry.status}`])
    })
}

function registerRemove(group: CliCommand): void {
  group
    .command('remove <id>')
    .description('take a client off the waiting list')
    .withJson()
    .examples('waitlist remove 0199…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const entry = await withExistingDatabase(async (context) => {
        await endEntry(context, operator, id)
        return showEntry(context, operator, id)
      })
      print(presentEntry(entry, operator), json, () => ['removed'])
    })
}

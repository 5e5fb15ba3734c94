import { Option, type Command } from 'commander'
import type { Static } from 'typebox'
import { operator } from '../access/operator.ts'
import { BookingsQuery } from '../bookings/booking-schemas.ts'
import { listBookings } from '../bookings/list-bookings.ts'
import { presentBooking } from '../bookings/present-booking.ts'
import { locationKind, serviceKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { compileSchema, faultsOf } from '../http/validation.ts'
import { assertInCatalogue } from './known-ids.ts'
import { shownTime } from './local-time.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

type Query = Static<typeof BookingsQuery>

interface Options {
  business?: string
  status?: string
  from?: string
  to?: string
  service?: string
  location?: string
  staff?: string
  email?: string
  search?: string
  sort?: string
  limit?: string
  cursor?: string
  json?: boolean
}

const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] satisfies Query['status'][]
const sorts = ['created_at', 'starts_at', '-created_at', '-starts_at'] satisfies Query['sort'][]
const matchesQuery = compileSchema(BookingsQuery)

/** `holdfast booking list`: shows bookings, the newest first unless asked otherwise. */
export function addBookingList(booking: Command): void {
  booking
    .command('list')
    .description('show bookings, the newest first')
    .option('--business <id>', 'only those of this business')
    .addOption(new Option('--status <status>', 'only those in this state').choices(statuses))
    .option('--from <time>', 'that start at this time or later, such as 2026-12-01T00:00:00Z')
    .option('--to <time>', 'that start before this time')
    .option('--service <id>', 'only those of this service')
    .option('--location <id>', 'only those at this location')
    .option('--staff <id>', 'only those with this staff member')
    .option('--email <address>', 'only those of this client')
    .option('--search <text>', "a part of the client's name, e-mail or phone, 3 characters or more")
    .addOption(new Option('--sort <order>', 'the order (default: -created_at)').choices(sorts))
    .option('--limit <number>', 'at most so many, 1 to 100')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast booking list --status confirmed --from 2026-12-01T00:00:00Z',
    )
    .action(async ({ json, ...options }: Options) => {
      const { rows, nextCursor } = await withExistingDatabase(async (context) => {
        await assertAreThere(context, options)
        return listBookings(context, operator, readQuery(options))
      })
      const page = { data: rows.map((row) => presentBooking(row, operator)), next_cursor: nextCursor }
      print(page, {
        json,
        lines: () => [
          ...tableLines(
            ['ID', 'STARTS', 'STATUS', 'SERVICE', 'LOCATION', 'STAFF', 'CLIENT'],
            page.data.map(({ id, starts_at, status, service, location, staff, client }) => [
              id,
              shownTime(starts_at),
              status,
              service.name,
              location.name,
              staff?.name ?? '',
              `${client.first_name} ${client.last_name} <${client.email}>`,
            ]),
          ),
          ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
        ],
      })
    })
}

async function assertAreThere(
  context: Context,
  { business, service, location, staff }: Omit<Options, 'json'>,
): Promise<void> {
  if (business !== undefined) await showBusiness(context, business)
  await assertInCatalogue(context, serviceKind, service)
  await assertInCatalogue(context, locationKind, location)
  await assertInCatalogue(context, staffKind, staff)
}

/** The options as the API's own query, checked by the API's own schema. */
function readQuery({ business, service, location, staff, search, ...same }: Omit<Options, 'json'>): Query {
  const given = {
    ...same,
    business_id: business,
    service_id: service,
    location_id: location,
    staff_id: staff,
    q: search,
  }
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  if (matchesQuery(query)) return query // it fits the schema
  const [fault] = faultsOf(matchesQuery.errors ?? [])
  const option = (fault?.pointer ?? '').slice(1).replace('_id', '').replace(/^q$/, 'search')
  throw new UsageError(`--${option} ${fault?.detail ?? 'is wrong'}.`)
}

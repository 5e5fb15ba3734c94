import packageJson from '../../package.json' with { type: 'json' }
import { operator } from '../access/actor.ts'
import { OperatorError, unknownId } from '../base/errors.ts'
import type { Context } from '../bookings/context.ts'
import {
  addBusyCalendar,
  calendarFault,
  deleteBusyCalendar,
  fetchBusyCalendar,
  listBusyCalendars,
  presentBusyCalendar,
} from '../calendars/busy-calendar.ts'
import { withPlace } from '../calendars/fetch-problems.ts'
import { openReader } from '../calendars/busy-calendar-worker.ts'
import type { CalendarReader } from '../calendars/busy-file.ts'
import { staffKind } from '../catalogue/catalogue-kinds.ts'
import { type CliCommand, print, printPage, warn, withExistingDatabase } from './command-line.ts'
import { given, inOptions, shownTime } from './input.ts'
import { listItems, isNotFound, itemNamed } from './item.ts'
import { ownerOfList } from './list-owner.ts'

interface ListOptions {
  business?: string
  cursor?: string
  json?: boolean
}

const limit = 100
const optionNames = { url: '<url>', staff_id: '--staff' }

export function registerBusyCalendarCommands(program: CliCommand): void {
  const group = program.group(
    'busy-calendar',
    'manage busy calendars: external calendars that make staff unavailable',
    'list --business "Salon Spree"',
  )
  registerAdd(group)
  registerList(group)
  registerFetch(group)
  registerRemove(group)
}

function registerAdd(group: CliCommand): void {
  group
    .command('add <url>')
    .description(
      "add a staff member's calendar by its secret URL; fails if the URL does not serve a calendar",
    )
    .requiredOption('--staff <name or id>', 'the owner of the calendar')
    .withJson()
    .examples('busy-calendar add https://calendar.example.com/anna.ics --staff "Anna Weber"')
    .action(async (url: string, { staff, json }: { staff: string; json?: boolean }) => {
      const added = await withExistingDatabase(async (context) => {
        const { id: staff_id } = await itemNamed(context, staffKind, staff)
        return withReader(context, async (reader) => {
          const fault = await inOptions(optionNames, () =>
            calendarFault(context, operator, { staff_id, url }, reader),
          )
          if (fault) {
            const why = withPlace(fault.sentence, fault.where)
            throw new OperatorError(`The calendar at ${fault.origin} was not added. ${why}`)
          }
          const calendar = { staff_id, url, once: true }
          const { id } = await inOptions(optionNames, () => addBusyCalendar(context, operator, calendar))
          return fetchNow(context, id, reader)
        })
      })
      if (added.last_error !== null) warn(`${added.last_error} Servers keep trying.`)
      print(added, json, () => stateLines(added))
    })
}

async function withReader<T>(context: Context, work: (reader: CalendarReader) => Promise<T>): Promise<T> {
  const reader = openReader(context, packageJson.version)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

async function fetchNow(context: Context, id: string, reader: CalendarReader) {
  return presentBusyCalendar(await fetchBusyCalendar(context, operator, { id, reader }))
}

function stateLines({ id, host, busy_until }: Awaited<ReturnType<typeof fetchNow>>): string[] {
  return [
    `busy calendar ${id} at ${host}`,
    busy_until === null
      ? 'It does not affect availability yet.'
      : `Its times are known until ${shownTime(busy_until)}.`,
  ]
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list busy calendars with the host of their URL, newest first')
    .option('--business <name or id>', 'only this business')
    .withCursor()
    .withJson()
    .examples('busy-calendar list --business "Salon Spree"')
    .action(async ({ business, cursor, json }: ListOptions) => {
      const { owner, page, names } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const query = { limit, ...given({ business_id: owner.business_id, cursor }) }
        const staff = await listItems(context, staffKind, owner.business_id)
        const names = new Map(staff.map(({ id, name }) => [id, name]))
        return { owner, page: await listBusyCalendars(context, operator, query), names }
      })
      printPage(page, json, {
        title: owner.titleOf('Busy calendars'),
        columns: {
          ID: ({ id }) => id,
          STAFF: ({ staff_id }) => names.get(staff_id) ?? '',
          ...owner.column,
          HOST: ({ host }) => host,
          FETCHED: ({ last_fetched_at }) => (last_fetched_at === null ? 'never' : shownTime(last_fetched_at)),
          ERROR: ({ last_error }) => last_error ?? '',
        },
      })
    })
}

function registerFetch(group: CliCommand): void {
  group
    .command('fetch <id>')
    .description('fetch a busy calendar now instead of within 15 minutes; exit code 1 on failure')
    .withJson()
    .examples('busy-calendar fetch 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const fetched = await withCalendar(id, (context) =>
        withReader(context, (reader) => fetchNow(context, id, reader)),
      )
      if (fetched.last_error !== null) {
        const kept = fetched.last_fetched_at !== null && 'Times from the last successful fetch still apply.'
        throw new OperatorError(fetched.last_error, kept ? { fix: kept } : {})
      }
      print(fetched, json, () => stateLines(fetched))
    })
}

function registerRemove(group: CliCommand): void {
  group
    .command('remove <id>')
    .description('remove a busy calendar; frees its times at once')
    .withJson()
    .examples('busy-calendar remove 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withCalendar(id, (context) => deleteBusyCalendar(context, operator, id))
      print({ id }, json, () => [`busy calendar ${id} is removed`])
    })
}

/** Runs work on a busy calendar. If none has this ID, throws a UsageError that suggests a similar one. */
function withCalendar<T>(id: string, work: (context: Context) => Promise<T>): Promise<T> {
  return withExistingDatabase(async (context) => {
    try {
      return await work(context)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { data } = await listBusyCalendars(context, operator, { limit })
      throw unknownId('busy calendar', id, { known: data.map((one) => ({ id: one.id, name: one.host })) })
    }
  })
}

import { Option } from 'commander'
import { operator } from '../access/actor.ts'
import { unknownId, UsageError } from '../base/errors.ts'
import type { Context } from '../bookings/context.ts'
import { createFeed, deleteFeed, listFeeds, presentNewFeed, rotateFeed } from '../calendars/feed.ts'
import { showBusiness } from '../catalogue/business.ts'
import { locationKind, staffKind } from '../catalogue/catalogue-kinds.ts'
import type { FeedDetail } from '../database/tables.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import { given, shownTime } from './input.ts'
import { listItems, isNotFound, itemNamed } from './item.ts'
import { ownerOfList } from './list-owner.ts'

interface CreateOptions {
  staff?: string
  location?: string
  business?: string
  detail: FeedDetail
  json?: boolean
}

interface ListOptions {
  business?: string
  cursor?: string
  json?: boolean
}

const limit = 100

export function registerFeedCommands(program: CliCommand): void {
  const group = program.group(
    'feed',
    'manage feeds: secret URLs that show bookings in calendar programs',
    'create --staff "Anna Weber"',
  )
  registerCreate(group)
  registerList(group)
  registerRotate(group)
  registerDelete(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create')
    .description('create a feed of bookings for calendar programs and print its URL; it is never shown again')
    .option('--staff <name or id>', 'bookings of this staff member')
    .option('--location <name or id>', 'bookings at this location')
    .option('--business <name or id>', 'all bookings of this business')
    .addOption(
      new Option('--detail <detail>', 'busy shows times only, full also the service and the client')
        .choices(['busy', 'full'])
        .default('busy'),
    )
    .withJson()
    .examples('feed create --staff "Anna Weber"', 'feed create --business "Salon Spree" --detail full')
    .action(async ({ detail, json, ...named }: CreateOptions) => {
      const made = await withExistingDatabase(async (context) => {
        const input = { ...(await readOf(context, named)), detail }
        return madeFeed(context, await createFeed(context, operator, input))
      })
      print(made.feed, json, () => addressLines(made))
    })
}

/** Returns the staff member, location or business whose bookings the feed contains. Throws a UsageError. */
async function readOf(
  context: Context,
  { staff, location, business }: Omit<CreateOptions, 'detail' | 'json'>,
) {
  if ([staff, location, business].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('Give one of --staff, --location or --business.')
  if (staff !== undefined) return { staff_id: (await itemNamed(context, staffKind, staff)).id }
  if (location !== undefined) return { location_id: (await itemNamed(context, locationKind, location)).id }
  return { business_id: (await showBusiness(context, business ?? '')).id }
}

function madeFeed({ config }: Context, made: Parameters<typeof presentNewFeed>[0]) {
  return { feed: presentNewFeed(made), isGuessed: config.publicUrl === '' }
}

function addressLines({ feed: { id, url }, isGuessed }: ReturnType<typeof madeFeed>): string[] {
  return [
    `feed ${id}`,
    url,
    'Anyone with this URL can read the feed. It is not shown again. Subscribe to it in a calendar program.',
    ...(isGuessed
      ? [
          'PUBLIC_URL is not set here, so the URL is based on HOST and PORT. If the server has other values, set them here too or edit the beginning of the URL.',
        ]
      : []),
  ]
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list feeds without their URL, newest first')
    .option('--business <name or id>', 'only this business')
    .withCursor()
    .withJson()
    .examples('feed list --business "Salon Spree"')
    .action(async ({ business, cursor, json }: ListOptions) => {
      const { owner, page, names } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const query = { limit, ...given({ business_id: owner.business_id, cursor }) }
        const named = [
          ...(await listItems(context, staffKind, owner.business_id)),
          ...(await listItems(context, locationKind, owner.business_id)),
        ]
        const names = new Map(named.map(({ id, name }) => [id, name]))
        return { owner, page: await listFeeds(context, operator, query), names }
      })
      printPage(page, json, {
        title: owner.titleOf('Feeds'),
        columns: {
          ID: ({ id }) => id,
          OF: ({ staff_id, location_id }) => names.get(staff_id ?? location_id ?? '') ?? '(all)',
          ...owner.column,
          DETAIL: ({ detail }) => detail,
          CREATED: ({ created_at }) => shownTime(created_at),
        },
      })
    })
}

function registerRotate(group: CliCommand): void {
  group
    .command('rotate <id>')
    .description('give a feed a new URL and print it; the old one stops working at once')
    .withJson()
    .examples('feed rotate 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const made = await withFeed(id, async (context) =>
        madeFeed(context, await rotateFeed(context, operator, id)),
      )
      print(made.feed, json, () => addressLines(made))
    })
}

function registerDelete(group: CliCommand): void {
  group
    .command('delete <id>')
    .description('delete a feed; its URL stops working at once')
    .withJson()
    .examples('feed delete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withFeed(id, (context) => deleteFeed(context, operator, id))
      print({ id }, json, () => [`feed ${id} is deleted`])
    })
}

/** Runs work on a feed. If none has this ID, throws a UsageError that suggests a similar one. */
function withFeed<T>(id: string, work: (context: Context) => Promise<T>): Promise<T> {
  return withExistingDatabase(async (context) => {
    try {
      return await work(context)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { data } = await listFeeds(context, operator, { limit })
      throw unknownId('feed', id, { known: data.map((feed) => ({ id: feed.id, name: feed.id })) })
    }
  })
}

import { Option } from 'commander'
import { operator } from '../access/actor.ts'
import { unknownId, UsageError } from '../base/errors.ts'
import type { Context } from '../bookings/context.ts'
import { createFeed, deleteFeed, listFeeds, presentNewFeed, rotateFeed } from '../calendars/feed.ts'
import { showBusiness } from '../catalogue/business.ts'
import { locationKind, staffKind } from '../catalogue/catalogue.ts'
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

/** `holdfast feed …` */
export function registerFeedCommands(program: CliCommand): void {
  const group = program.group(
    'feed',
    'manage feeds: secret addresses at which calendar programs read bookings',
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
    .option('--staff <name or id>', 'the bookings of this staff member')
    .option('--location <name or id>', 'those at this location')
    .option('--business <name or id>', 'all of this business')
    .addOption(
      new Option('--detail <detail>', 'what it tells: only when, or also what and for whom')
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

/** What the feed reads. Throws a UsageError. */
async function readOf(
  context: Context,
  { staff, location, business }: Omit<CreateOptions, 'detail' | 'json'>,
) {
  if ([staff, location, business].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('Give one of --staff, --location and --business.')
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
    'Whoever knows this address reads the feed; it is shown only now. Add it to a calendar program as a subscription.',
    ...(isGuessed
      ? [
          'PUBLIC_URL is not set here, so the address begins as HOST and PORT say. Does the server have others? Replace the beginning, or set them here as well.',
        ]
      : []),
  ]
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list feeds without their URL, newest first')
    .option('--business <name or id>', 'only of this business')
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
    .description('give a feed a new URL and print it; the old one stops at once')
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
    .description('delete a feed; its URL stops at once')
    .withJson()
    .examples('feed delete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withFeed(id, (context) => deleteFeed(context, operator, id))
      print({ id }, json, () => [`feed ${id} is deleted`])
    })
}

/** Runs work on a feed. Throws a UsageError that guesses which one was meant if none has this id. */
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

import { Option } from 'commander'
import { operator } from '../access/actor.ts'
import { unknownId, UsageError } from '../base/errors.ts'
import type { Context } from '../bookings/context.ts'
import { showBusiness, showHub } from '../catalogue/business.ts'
import type { DeliveryStatus } from '../database/tables.ts'
import { listDeliveries, retryByHand } from '../webhooks/delivery.ts'
import { type EventType, eventTypes, usualEventTypes } from '../webhooks/event-payload.ts'
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  presentWebhook,
  presentWithSecret,
  removeWebhook,
  rotateSecret,
  showWebhook,
} from '../webhooks/webhook.ts'
import { type CliCommand, print, printPage, withExistingDatabase } from './command-line.ts'
import { given, inOptions, shownTime } from './input.ts'
import { isNotFound } from './item.ts'
import { ownerOfList } from './list-owner.ts'
import { registerListen } from './webhook-listen.ts'

interface CreateOptions {
  business?: string
  hub?: string
  url: string
  event?: EventType[]
  description?: string
  json?: boolean
}

interface ListOptions {
  business?: string
  cursor?: string
  json?: boolean
}

interface DeliveriesOptions {
  status?: DeliveryStatus
  cursor?: string
  json?: boolean
}

const limit = 100

export function registerWebhookCommands(program: CliCommand): void {
  const group = program.group(
    'webhook',
    'manage webhooks',
    'create --business "Salon Spree" --url https://example.com/hooks',
  )
  registerCreate(group)
  registerList(group)
  registerSwitches(group)
  registerRotate(group)
  registerDelete(group)
  registerDeliveries(group)
  registerRetry(group)
  registerListen(group)
}

function registerCreate(group: CliCommand): void {
  group
    .command('create')
    .description('create a webhook and print its secret; it is never shown again')
    .option('--business <name or id>', 'for this business')
    .option('--hub <name or id>', 'for all businesses of this hub')
    .requiredOption('--url <address>', 'where to send events, such as https://example.com/hooks')
    .addOption(
      new Option('--event <names...>', 'event types (default: the four of a booking)').choices(eventTypes),
    )
    .option('--description <text>', 'a note on its purpose')
    .withJson()
    .examples(
      'webhook create --business "Salon Spree" --url https://example.com/hooks --event booking.created',
    )
    .action(async (options: CreateOptions) => {
      const webhook = presentWithSecret(await withExistingDatabase((context) => create(context, options)))
      print(webhook, options.json, () => secretLines(webhook))
    })
}

function secretLines({ id, secret }: ReturnType<typeof presentWithSecret>): string[] {
  return [`webhook ${id}`, secret, 'Keep the secret safe: it is not shown again. It signs every delivery.']
}

async function create(context: Context, { business, hub, url, event, description }: CreateOptions) {
  if ((business === undefined) === (hub === undefined)) {
    throw new UsageError('Give either --business or --hub.')
  }
  const scope =
    hub === undefined
      ? { businessId: (await showBusiness(context, business ?? '')).id }
      : { hubId: (await showHub(context, hub)).id }
  const input = { url, events: event ?? [...usualEventTypes], ...given({ description }) }
  return inOptions({ events: '--event' }, () => createWebhook(context, { ...operator, scope }, input))
}

function registerList(group: CliCommand): void {
  group
    .command('list')
    .description('list webhooks, newest first')
    .option('--business <name or id>', 'only this business')
    .withCursor()
    .withJson()
    .examples('webhook list --business "Salon Spree"')
    .action(async ({ business, cursor, json }: ListOptions) => {
      const { owner, page } = await withExistingDatabase(async (context) => {
        const owner = await ownerOfList(context, business)
        const query = { limit, ...given({ business_id: owner.business_id, cursor }) }
        return { owner, page: await listWebhooks(context, operator, query) }
      })
      printPage(page, json, {
        title: owner.titleOf('Webhooks'),
        columns: {
          ID: ({ id }) => id,
          STATUS: ({ status }) => status,
          ...owner.column,
          URL: ({ url }) => url,
          EVENTS: ({ events }) => events.map((name) => name.replace('booking.', '')).join(', '),
        },
      })
    })
}

function registerSwitches(group: CliCommand): void {
  const switches = [
    { word: 'disable', status: 'disabled', does: 'disable a webhook; its pending deliveries fail' },
    { word: 'enable', status: 'active', does: 'enable a webhook again, starting with the next event' },
  ] as const
  for (const { word, status, does } of switches) {
    group
      .command(`${word} <id>`)
      .description(does)
      .withJson()
      .examples(`webhook ${word} 0198…`)
      .action(async (id: string, { json }: { json?: boolean }) => {
        const change = { status }
        const changed = presentWebhook(
          await withWebhook(id, (context) => changeWebhook(context, operator, { id, change })),
        )
        print(changed, json, () => [`webhook ${changed.id} is ${changed.status}`])
      })
  }
}

function registerRotate(group: CliCommand): void {
  group
    .command('rotate <id>')
    .description('give a webhook a new secret and print it; the old one also signs for 24 hours')
    .withJson()
    .examples('webhook rotate 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const webhook = presentWithSecret(
        await withWebhook(id, (context) => rotateSecret(context, operator, id)),
      )
      print(webhook, json, () => secretLines(webhook))
    })
}

function registerDelete(group: CliCommand): void {
  group
    .command('delete <id>')
    .description('delete a webhook with its pending deliveries and log')
    .withJson()
    .examples('webhook delete 0198…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withWebhook(id, (context) => removeWebhook(context, operator, id))
      print({ id }, json, () => [`webhook ${id} is deleted`])
    })
}

/** Runs work on a webhook. If none has this ID, throws a UsageError that suggests a similar one. */
function withWebhook<T>(id: string, work: (context: Context) => Promise<T>): Promise<T> {
  return withExistingDatabase(async (context) => {
    try {
      return await work(context)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const { data } = await listWebhooks(context, operator, { limit })
      throw unknownId('webhook', id, { known: data.map(({ id, url }) => ({ id, name: url })) })
    }
  })
}

function registerDeliveries(group: CliCommand): void {
  group
    .command('deliveries <id>')
    .description('list deliveries of a webhook, newest first')
    .addOption(
      new Option('--status <status>', 'only with this status').choices(['pending', 'succeeded', 'failed']),
    )
    .withCursor()
    .withJson()
    .examples('webhook deliveries 0198… --status failed')
    .action(async (id: string, { status, cursor, json }: DeliveriesOptions) => {
      const query = { limit, ...given({ status, cursor }) }
      const { page, url } = await withWebhook(id, async (context) => ({
        page: await listDeliveries(context, operator, { id, query }),
        url: (await showWebhook(context, operator, id)).url,
      }))
      printPage(page, json, {
        title: `Deliveries to ${url}:`,
        columns: {
          ID: (delivery) => delivery.id,
          CREATED: ({ created_at }) => shownTime(created_at),
          EVENT: ({ event }) => event,
          STATUS: (delivery) => delivery.status,
          ATTEMPTS: ({ attempts }) => String(attempts.length),
          LAST: ({ attempts }) => lastResult(attempts.at(-1)),
          NEXT: ({ next_attempt_at }) => (next_attempt_at === null ? '' : shownTime(next_attempt_at)),
        },
      })
    })
}

/** Returns the status of the last attempt, its error, or both. */
function lastResult(attempt: { response_status: number | null; error: string | null } | undefined): string {
  if (!attempt) return ''
  return [attempt.response_status, attempt.error].filter((part) => part !== null).join(' ')
}

function registerRetry(group: CliCommand): void {
  group
    .command('retry <webhook> <delivery>')
    .description('have a running server retry a delivery: three attempts, the first at once')
    .withJson()
    .examples('webhook retry 0198… 0199…')
    .action(async (id: string, deliveryId: string, { json }: { json?: boolean }) => {
      const delivery = await withExistingDatabase((context) =>
        retryByHand(context, operator, { id, deliveryId }),
      )
      print(delivery, json, () => [`delivery ${delivery.id} of ${delivery.event} is ${delivery.status}`])
    })
}

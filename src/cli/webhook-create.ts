import { Option, type Command } from 'commander'
import { operator } from '../access/operator.ts'
import { showBusiness, showHub } from '../catalogue/manage-businesses.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors.ts'
import { eventTypes, type EventType } from '../webhooks/event-payload.ts'
import { createWebhook, presentWithSecret } from '../webhooks/webhook.ts'
import { print, withExistingDatabase } from './run-command.ts'

interface Options {
  business?: string
  hub?: string
  url: string
  event?: EventType[]
  description?: string
  json?: boolean
}

/** `holdfast webhook create`: registers a webhook and shows its secret for the only time. */
export function addWebhookCreate(webhook: Command): void {
  webhook
    .command('create')
    .description('register a webhook; its secret is shown once')
    .option('--business <id>', 'for this business')
    .option('--hub <id>', 'for all businesses of this hub')
    .requiredOption('--url <address>', 'where to send events, such as https://example.com/hooks')
    .addOption(new Option('--event <names...>', 'which events; all by default').choices(eventTypes))
    .option('--description <text>', 'for people')
    .option('--json', 'print data instead of text')
    .addHelpText(
      'after',
      '\nExample:\n  $ holdfast webhook create --business 0198… --url https://example.com/hooks --event booking.created',
    )
    .action(async (options: Options) => {
      const created = await withExistingDatabase((context) => create(context, options))
      const shown = presentWithSecret(created)
      print(shown, {
        json: options.json,
        lines: () => [
          `webhook ${shown.id}`,
          shown.secret,
          'Keep the secret safe: it is shown only now. It signs what is sent.',
        ],
      })
    })
}

async function create(context: Context, { business, hub, url, event, description }: Options) {
  if ((business === undefined) === (hub === undefined)) {
    throw new UsageError('Give either --business or --hub.')
  }
  const reach =
    hub === undefined
      ? { businessId: (await showBusiness(context, business ?? '')).id }
      : { hubId: (await showHub(context, hub)).id }
  return createWebhook(
    context,
    { ...operator, reach },
    { url, events: event ?? [...eventTypes], ...(description !== undefined && { description }) },
  )
}

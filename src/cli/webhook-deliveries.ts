import { Option, type Command } from 'commander'
import { operator } from '../access/operator.ts'
import type { DeliveryStatus } from '../database/event-tables.ts'
import { listDeliveries } from '../webhooks/delivery.ts'
import { shownTime } from './local-time.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

interface Options {
  status?: DeliveryStatus
  cursor?: string
  json?: boolean
}

const mostListed = '100'

/** `holdfast webhook deliveries`: shows what was sent to a webhook, the newest first. */
export function addWebhookDeliveries(webhook: Command): void {
  webhook
    .command('deliveries <id>')
    .description('show what was sent to a webhook, the newest first')
    .addOption(
      new Option('--status <status>', 'only those in this state').choices(['pending', 'succeeded', 'failed']),
    )
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast webhook deliveries 0198… --status failed')
    .action(async (id: string, { status, cursor, json }: Options) => {
      const page = await withExistingDatabase((context) =>
        listDeliveries(context, operator, {
          id,
          query: { limit: mostListed, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
        }),
      )
      print(page, {
        json,
        lines: () => [
          ...tableLines(
            ['ID', 'CREATED', 'EVENT', 'STATUS', 'ATTEMPTS', 'LAST', 'NEXT'],
            page.data.map(({ attempts, ...delivery }) => [
              delivery.id,
              shownTime(delivery.created_at),
              delivery.event,
              delivery.status,
              String(attempts.length),
              lastOf(attempts.at(-1)),
              delivery.next_attempt_at === null ? '' : shownTime(delivery.next_attempt_at),
            ]),
          ),
          ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
        ],
      })
    })
}

/** What came of the last attempt: a status, a reason, or both. */
function lastOf(attempt: { response_status: number | null; error: string | null } | undefined): string {
  if (!attempt) return ''
  return [attempt.response_status, attempt.error].filter((part) => part !== null).join(' ')
}

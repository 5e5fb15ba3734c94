import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { showBusiness } from '../catalogue/manage-businesses.ts'
import { listWebhooks } from '../webhooks/webhook.ts'
import { print, withExistingDatabase } from './run-command.ts'
import { tableLines } from './table.ts'

interface Options {
  business?: string
  cursor?: string
  json?: boolean
}

const mostListed = '100'

/** `holdfast webhook list`: shows webhooks, the newest first. */
export function addWebhookList(webhook: Command): void {
  webhook
    .command('list')
    .description('show webhooks, the newest first')
    .option('--business <id>', 'only those of this business')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast webhook list --business 0198…')
    .action(async ({ business, cursor, json }: Options) => {
      const page = await withExistingDatabase(async (context) => {
        const found = business === undefined ? undefined : await showBusiness(context, business)
        return listWebhooks(context, operator, {
          limit: mostListed,
          ...(found && { business_id: found.id }),
          ...(cursor !== undefined && { cursor }),
        })
      })
      print(page, {
        json,
        lines: () => [
          ...tableLines(
            ['ID', 'STATUS', 'BUSINESS', 'URL', 'EVENTS'],
            page.data.map(({ id, status, business_id, url, events }) => [
              id,
              status,
              business_id ?? '(a whole hub)',
              url,
              events.map((name) => name.replace('booking.', '')).join(', '),
            ]),
          ),
          ...(page.next_cursor === null ? [] : ['', `There are more: add --cursor ${page.next_cursor}`]),
        ],
      })
    })
}

import type { Command } from 'commander'
import { operator } from '../access/operator.ts'
import { retryByHand } from '../webhooks/delivery.ts'
import { print, withExistingDatabase } from './run-command.ts'

/** `holdfast webhook retry`: has a running server send a delivery again. */
export function addWebhookRetry(webhook: Command): void {
  webhook
    .command('retry <webhook> <delivery>')
    .description('have a running server send a delivery again: three more attempts, the first at once')
    .option('--json', 'print data instead of text')
    .addHelpText('after', '\nExample:\n  $ holdfast webhook retry 0198… 0199…')
    .action(async (id: string, deliveryId: string, { json }: { json?: boolean }) => {
      const delivery = await withExistingDatabase((context) =>
        retryByHand(context, operator, { id, deliveryId }),
      )
      print(delivery, {
        json,
        lines: () => [`delivery ${delivery.id} of ${delivery.event} is ${delivery.status}`],
      })
    })
}

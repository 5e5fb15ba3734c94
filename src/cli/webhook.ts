import type { Command } from 'commander'
import { addGroup } from './command-group.ts'
import { addWebhookCreate } from './webhook-create.ts'
import { addWebhookDeliveries } from './webhook-deliveries.ts'
import { addWebhookList } from './webhook-list.ts'
import { addWebhookListen } from './webhook-listen.ts'
import { addWebhookRetry } from './webhook-retry.ts'

/** `holdfast webhook …`: where events are sent. */
export function addWebhook(program: Command): void {
  addGroup(program, {
    name: 'webhook',
    description: 'where events are sent',
    example: 'create --business 0198… --url https://example.com/hooks',
    commands: [addWebhookCreate, addWebhookList, addWebhookDeliveries, addWebhookRetry, addWebhookListen],
  })
}

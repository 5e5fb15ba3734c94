import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { pageOf, readLimit } from '../wire.ts'
import { findDeliveries } from './delivery-queries.ts'
import type { DeliveriesQuery } from './delivery-schemas.ts'
import { readPlace, showWebhook } from './list-webhooks.ts'
import { presentDelivery } from './present-delivery.ts'

/** A page of a webhook's log, the newest delivery first. Throws not_found. */
export async function listDeliveries(
  context: Context,
  actor: Actor,
  { id, query }: { id: string; query: Static<typeof DeliveriesQuery> },
) {
  const webhook = await showWebhook(context, actor, id)
  const limit = readLimit(query.limit)
  const rows = await findDeliveries(context.db.reads, webhook.id, {
    status: query.status,
    after: query.cursor === undefined ? undefined : readPlace(query.cursor, 'delivery'),
    rows: limit + 1,
  })
  return pageOf(rows, limit, {
    present: (row) => presentDelivery(row, webhook.timezone),
    cursor: (row) => ['delivery', row.created_at, row.id],
  })
}

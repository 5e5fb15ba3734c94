import { sql, type Insertable, type RawBuilder, type Selectable, type Updateable } from 'kysely'
import type { Queries } from '../database/database.ts'
import { inReach, type Reach } from '../database/reach.ts'
import type { WebhooksTable } from '../database/event-tables.ts'
import type { Instant } from '../instants.ts'
import { deletePending, failPending } from './delivery-queries.ts'

/** A webhook with the zone of its business; in UTC where it is of a hub. */
export interface WebhookRow extends Selectable<WebhooksTable> {
  timezone: string
}

/** What a key may see: of a hub, its own webhooks and those of its businesses; of a business, its own alone. */
function webhookInReach(reach: Reach): RawBuilder<boolean> {
  const ofBusiness = inReach('w.business_id', reach)
  if ('businessId' in reach) return ofBusiness
  return 'hubId' in reach
    ? sql<boolean>`(w.hub_id = ${reach.hubId} or ${ofBusiness})`
    : sql<boolean>`(w.hub_id is not null or ${ofBusiness})`
}

function selectWebhooks(db: Queries, reach: Reach) {
  return db
    .selectFrom('webhooks as w')
    .leftJoin('businesses as b', 'b.id', 'w.business_id')
    .selectAll('w')
    .select((build) => build.fn.coalesce('b.timezone', sql<string>`'UTC'`).as('timezone'))
    .where(webhookInReach(reach))
    .where('w.deleted_at', 'is', null)
}

/** A webhook; undefined when it is out of reach, as if it did not exist. */
export function findWebhook(db: Queries, reach: Reach, id: string): Promise<WebhookRow | undefined> {
  return selectWebhooks(db, reach).where('w.id', '=', id).executeTakeFirst()
}

/** Finds a webhook and keeps others from changing it until the transaction ends. */
export function findWebhookForChange(db: Queries, reach: Reach, id: string): Promise<WebhookRow | undefined> {
  return selectWebhooks(db, reach).where('w.id', '=', id).forNoKeyUpdate('w').executeTakeFirst()
}

/** Keeps others from changing webhooks until the transaction ends. */
export async function lockWebhooks(db: Queries, ids: string[]): Promise<void> {
  await db.selectFrom('webhooks').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
}

/** What a list of webhooks is narrowed to, and where its page begins. */
export interface WebhookFilter {
  businessId: string | undefined
  /** The creation and id of the last row of the page before. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Webhooks, the newest first, at most `filter.rows` of them. */
export function findWebhooks(
  db: Queries,
  reach: Reach,
  { businessId, after, rows }: WebhookFilter,
): Promise<WebhookRow[]> {
  let query = selectWebhooks(db, reach)
  if (businessId) query = query.where('w.business_id', '=', businessId)
  if (after) query = query.where(sql<boolean>`(w.created_at, w.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('w.created_at', 'desc').orderBy('w.id', 'desc').limit(rows).execute()
}

/** Whose a webhook is: of a business, or of a whole hub. */
export type WebhookOwner = { business_id: string; hub_id: null } | { business_id: null; hub_id: string }

/**
 * Keeps others from adding webhooks to the same owner until the transaction ends, and tells the owner's zone. Undefined
 * when there is no such business or hub within reach.
 */
export async function lockOwner(
  db: Queries,
  reach: Reach,
  owner: WebhookOwner,
): Promise<{ timezone: string } | undefined> {
  if (owner.business_id !== null) {
    return db
      .selectFrom('businesses as b')
      .select('b.timezone')
      .where('b.id', '=', owner.business_id)
      .where(inReach('b.id', reach))
      .forNoKeyUpdate()
      .executeTakeFirst()
  }
  if ('businessId' in reach || ('hubId' in reach && reach.hubId !== owner.hub_id)) return undefined
  const hub = await db
    .selectFrom('hubs as h')
    .select('h.id')
    .where('h.id', '=', owner.hub_id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return hub && { timezone: 'UTC' }
}

/** The most webhooks of a business, and of a hub. Their places are numbered through: 00 to 19, 20 to 39. */
export const maxWebhooks = 20

/** Writes a webhook in the first free place of its owner. False when there is none. */
export async function insertWebhook(
  db: Queries,
  webhook: Omit<Insertable<WebhooksTable>, 'place'>,
): Promise<boolean> {
  const isOfHub = webhook.hub_id !== null
  const taken = await db
    .selectFrom('webhooks')
    .select('place')
    .where(isOfHub ? 'hub_id' : 'business_id', '=', webhook.hub_id ?? webhook.business_id ?? null)
    .where('place', 'is not', null)
    .execute()
  const first = isOfHub ? maxWebhooks : 0
  const places = Array.from({ length: maxWebhooks }, (_, index) => String(first + index).padStart(2, '0'))
  const place = places.find((candidate) => !taken.some((row) => row.place === candidate))
  if (place === undefined) return false
  await db
    .insertInto('webhooks')
    .values({ ...webhook, place })
    .execute()
  return true
}

/** Changes a webhook. */
export async function updateWebhook(
  db: Queries,
  id: string,
  changes: Updateable<Pick<WebhooksTable, 'url' | 'events' | 'description' | 'disabled_at'>>,
): Promise<void> {
  await db.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

/** Disables a webhook and fails its pending deliveries. */
export async function disableWebhook(db: Queries, id: string, now: Instant): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ disabled_at: now })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .execute()
  await failPending(db, id)
}

/** Deletes a webhook with its secret and its pending deliveries. Its log goes bit by bit (`deletedWebhooks`). */
export async function deleteWebhook(db: Queries, id: string, now: Instant): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({
      deleted_at: now,
      place: null,
      secret: '',
      previous_secret: null,
      previous_secret_until: null,
    })
    .where('id', '=', id)
    .execute()
  await deletePending(db, id)
}

/** Gives a webhook a new secret; the present one stays beside it until an instant. */
export async function replaceSecret(
  db: Queries,
  webhook: Pick<WebhooksTable, 'id' | 'secret'>,
  { secret, until }: { secret: string; until: Instant },
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ secret, previous_secret: webhook.secret, previous_secret_until: until })
    .where('id', '=', webhook.id)
    .execute()
}

/** Up to `most` webhooks that are deleted, the first of them first. */
export async function findDeletedWebhooks(db: Queries, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

/** Drops a deleted webhook that has no log any more. */
export async function dropWebhook(db: Queries, id: string): Promise<void> {
  await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deliveries').select('deliveries.id').where('webhook_id', '=', id))),
    )
    .execute()
}

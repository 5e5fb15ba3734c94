import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { Instant } from '../base/instants.ts'
import type { Queries, Reads } from '../database/database.ts'
import type { WebhooksTable } from '../database/tables.ts'
import { inScope, type TenantScope } from '../database/tenant-scope.ts'
import { deletePending, failPending } from './delivery-queries.ts'

/** A webhook with the zone of its business, or UTC for a hub. */
export interface WebhookRow extends Selectable<WebhooksTable> {
  timezone: string
}

/** A hub key sees the hub's webhooks and those of its businesses. A business key sees those of its business. */
function webhookInScope(scope: TenantScope): RawBuilder<boolean> {
  const ofBusiness = inScope('w.business_id', scope)
  if ('businessId' in scope) return ofBusiness
  return 'hubId' in scope
    ? sql<boolean>`(w.hub_id = ${scope.hubId} or ${ofBusiness})`
    : sql<boolean>`(w.hub_id is not null or ${ofBusiness})`
}

const webhookColumns = [
  'w.id',
  'w.hub_id',
  'w.business_id',
  'w.place',
  'w.url',
  'w.events',
  'w.description',
  'w.secret',
  'w.previous_secret',
  'w.previous_secret_until',
  'w.created_at',
  'w.disabled_at',
  'w.deleted_at',
  'w.failing_since',
  'w.told_at',
] as const

function selectWebhooks(db: Reads, scope: TenantScope) {
  return db
    .selectFrom('webhooks as w')
    .leftJoin('businesses as b', 'b.id', 'w.business_id')
    .select(webhookColumns)
    .select((build) => build.fn.coalesce('b.timezone', sql<string>`'UTC'`).as('timezone'))
    .where(webhookInScope(scope))
    .where('w.deleted_at', 'is', null)
}

/** Finds a webhook. Returns undefined if it is out of scope. */
export function findWebhook(db: Reads, scope: TenantScope, id: string): Promise<WebhookRow | undefined> {
  return selectWebhooks(db, scope).where('w.id', '=', id).executeTakeFirst()
}

/** Finds a webhook and locks it until the transaction ends. */
export function findWebhookForChange(
  db: Reads,
  scope: TenantScope,
  id: string,
): Promise<WebhookRow | undefined> {
  return selectWebhooks(db, scope).where('w.id', '=', id).forNoKeyUpdate('w').executeTakeFirst()
}

/** Locks webhooks until the transaction ends. */
export async function lockWebhooks(db: Queries, ids: string[]): Promise<void> {
  await db.selectFrom('webhooks').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()
}

interface WebhookFilter {
  businessId: string | undefined
  /** Creation time and ID of the last row of the previous page. */
  after: readonly [createdAt: Instant, id: string] | undefined
  rows: number
}

/** Lists webhooks, the newest first, at most `filter.rows`. */
export function findWebhooks(
  db: Reads,
  scope: TenantScope,
  { businessId, after, rows }: WebhookFilter,
): Promise<WebhookRow[]> {
  let query = selectWebhooks(db, scope)
  if (businessId) query = query.where('w.business_id', '=', businessId)
  if (after) query = query.where(sql<boolean>`(w.created_at, w.id) < (${after[0]}, ${after[1]})`)
  return query.orderBy('w.created_at', 'desc').orderBy('w.id', 'desc').limit(rows).execute()
}

/** A webhook belongs to a business or to a whole hub. */
export type WebhookOwner = { business_id: string; hub_id: null } | { business_id: null; hub_id: string }

/**
 * Locks the owner against new webhooks until the transaction ends. Returns the owner's zone, or undefined without such
 * a business or hub in scope.
 */
export async function lockOwner(
  db: Queries,
  scope: TenantScope,
  owner: WebhookOwner,
): Promise<{ timezone: string } | undefined> {
  if (owner.business_id !== null) {
    return db
      .selectFrom('businesses as b')
      .select('b.timezone')
      .where('b.id', '=', owner.business_id)
      .where(inScope('b.id', scope))
      .forNoKeyUpdate()
      .executeTakeFirst()
  }
  if ('businessId' in scope || ('hubId' in scope && scope.hubId !== owner.hub_id)) return undefined
  const hub = await db
    .selectFrom('hubs as h')
    .select('h.id')
    .where('h.id', '=', owner.hub_id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return hub && { timezone: 'UTC' }
}

/** Limit for a business and for a hub. Their ordinals go from 00 to 19, and from 20 to 39. */
export const maxWebhooks = 20

/** Inserts a webhook with the first free ordinal of its owner. Returns false if there is none. */
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

export async function updateWebhook(
  db: Queries,
  id: string,
  changes: Updateable<
    Pick<WebhooksTable, 'url' | 'events' | 'description' | 'disabled_at' | 'failing_since' | 'told_at'>
  >,
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

/** Deletes a webhook with its secret and its pending deliveries. Its log is deleted in batches (`deletedWebhooks`). */
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

/** Sets a new secret. The present one stays valid until an instant. */
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

/** Finds up to `max` deleted webhooks, the first deleted first. */
export async function findDeletedWebhooks(db: Reads, max: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .limit(max)
    .execute()
  return rows.map(({ id }) => id)
}

/** Drops a deleted webhook once its log is empty. */
export async function dropWebhook(db: Queries, id: string): Promise<void> {
  await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deliveries').select('deliveries.id').where('webhook_id', '=', id))),
    )
    .execute()
}

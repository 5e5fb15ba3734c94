import type { Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { AuditAction } from '../access/audit-types.ts'
import { recordAudit } from '../access/audit.ts'
import { Problem, validationProblem } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { formatInstant, plusSeconds } from '../base/instants.ts'
import type { Transaction } from '../database/database.ts'
import { type StoreResponse, storeNothing } from '../database/idempotency.ts'
import { type Page, presentPage, readPage, timeCursorOf } from '../base/paging.ts'
import type { Context } from './context.ts'
import type { CleanupJob } from '../database/context.ts'
import { checkDestination } from './addresses.ts'
import { deleteLog } from './delivery-queries.ts'
import { type EventType, eventTypes } from './event-payload.ts'
import { newSecret } from './signature.ts'
import { noOutage } from './outage-queries.ts'
import {
  deleteWebhook,
  disableWebhook,
  dropWebhook,
  findDeletedWebhooks,
  findWebhook,
  findWebhookForChange,
  findWebhooks,
  insertWebhook,
  lockOwner,
  maxWebhooks,
  replaceSecret,
  updateWebhook,
  type WebhookOwner,
  type WebhookRow,
} from './webhook-queries.ts'
import type { ChangeWebhook, CreateWebhook, WebhooksQuery } from './webhook-schemas.ts'

/*
 * A webhook receives the events of a business, or of all businesses of a hub. It is active or disabled. Clients no
 * longer see a deleted one, whose log housekeeping deletes in batches.
 */

/**
 * Registers a webhook of a business or of a whole hub. `store` gets no secret. Throws validation_failed (its URL),
 * not_found (the business) and webhook_limit_reached.
 */
export async function createWebhook(
  context: Context,
  actor: Actor,
  input: Static<typeof CreateWebhook>,
  store: StoreResponse<null> = storeNothing,
): Promise<WebhookRow> {
  await checkDestination(context, input.url)
  const owner = ownerOf(actor, input.business_id)
  const id = context.ids.next()
  const secret = newSecret(context.ids)
  return context.db.transaction(async (tx) => {
    const found = await lockOwner(tx.db, actor.scope, owner)
    if (!found) throw new Problem('not_found', 'There is no business with this id.')
    const webhook = {
      id,
      ...owner,
      url: input.url,
      events: eventsText(input.events),
      description: input.description ?? null,
      secret,
      previous_secret: null,
      previous_secret_until: null,
      created_at: tx.now,
      disabled_at: null,
      deleted_at: null,
      ...noOutage,
    }
    if (!(await insertWebhook(tx.db, webhook))) throw tooMany(owner)
    await recordOfWebhook(context, tx, { by: actor, action: 'webhook.created', webhook })
    await store(tx, null)
    return { ...webhook, place: null, timezone: found.timezone }
  })
}

interface OfWebhook {
  by: Actor
  action: AuditAction
  webhook: Pick<WebhookRow, 'id' | 'business_id' | 'hub_id'>
  /** Default: the webhook. */
  subjectId?: string
}

/** Records a change of a webhook, or of something that belongs to it, in the transaction of the change. */
export function recordOfWebhook(
  context: Pick<Context, 'ids'>,
  tx: Transaction,
  { by, action, webhook, subjectId = webhook.id }: OfWebhook,
): Promise<void> {
  const { business_id: businessId, hub_id: hubId } = webhook
  return recordAudit(context, tx, { by, action, subjectId, businessId, hubId })
}

/** Joins names of events in a fixed order, as stored in the database. */
function eventsText(events: EventType[]): string {
  return eventTypes.filter((type) => events.includes(type)).join(' ')
}

function ownerOf({ scope }: Actor, businessId: string | undefined): WebhookOwner {
  if (businessId !== undefined) return { business_id: businessId, hub_id: null }
  if ('businessId' in scope) return { business_id: scope.businessId, hub_id: null }
  if ('hubId' in scope) return { business_id: null, hub_id: scope.hubId }
  throw validationProblem([{ pointer: '/business_id', code: 'required', detail: 'is required' }])
}

function tooMany({ hub_id }: WebhookOwner): Problem {
  const whose = hub_id === null ? 'The business' : 'The hub'
  return new Problem('webhook_limit_reached', `${whose} has ${maxWebhooks} webhooks; delete one first.`)
}

/** Lists webhooks within the caller's scope, the newest first. */
export async function listWebhooks(
  context: Context,
  actor: Actor,
  query: Static<typeof WebhooksQuery>,
): Promise<Page<ShownWebhook>> {
  const page = await readPage(query, {
    cursor: webhookCursor,
    find: (page) => findWebhooks(context.db.reads, actor.scope, { businessId: query.business_id, ...page }),
    position: ({ created_at, id }) => [created_at, id],
  })
  return presentPage(page, presentWebhook)
}

const webhookCursor = timeCursorOf('webhook')

/** Returns a webhook within the caller's scope. Throws not_found. */
export async function showWebhook(context: Context, actor: Actor, id: string): Promise<WebhookRow> {
  const webhook = isUuid(id) ? await findWebhook(context.db.reads, actor.scope, id.toLowerCase()) : undefined
  if (!webhook) throw noSuchWebhook()
  return webhook
}

function noSuchWebhook(): Problem {
  return new Problem('not_found', 'There is no webhook with this id.')
}

/** Returns a webhook that is locked until the transaction ends. Throws not_found. */
export async function lockedWebhook(tx: Transaction, actor: Actor, id: string): Promise<WebhookRow> {
  const webhook = isUuid(id) ? await findWebhookForChange(tx.db, actor.scope, id.toLowerCase()) : undefined
  if (!webhook) throw noSuchWebhook()
  return webhook
}

/** Changes a webhook. Disabling it fails its pending deliveries. Throws validation_failed, not_found. */
export async function changeWebhook(
  context: Context,
  actor: Actor,
  { id, change }: { id: string; change: Static<typeof ChangeWebhook> },
): Promise<WebhookRow> {
  if (change.url !== undefined) await checkDestination(context, change.url)
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const disables = change.status === 'disabled' && webhook.disabled_at === null
    const isOther = change.url !== undefined && change.url !== webhook.url
    const enables = change.status === 'active' && webhook.disabled_at !== null
    const columns = {
      ...(change.url !== undefined && { url: change.url }),
      ...(change.events !== undefined && { events: eventsText(change.events) }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.status === 'active' && { disabled_at: null }),
      ...((isOther || enables) && noOutage),
    }
    if (Object.keys(columns).length > 0) await updateWebhook(tx.db, webhook.id, columns)
    if (disables) await disableWebhook(tx.db, webhook.id, tx.now)
    if (disables || Object.keys(columns).length > 0)
      await recordOfWebhook(context, tx, { by: actor, action: 'webhook.updated', webhook })
    return { ...webhook, ...columns, ...(disables && { disabled_at: tx.now }) }
  })
}

/** Deletes a webhook with its pending deliveries. Throws not_found. */
export function removeWebhook(context: Context, actor: Actor, id: string): Promise<void> {
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    await deleteWebhook(tx.db, webhook.id, tx.now)
    await recordOfWebhook(context, tx, { by: actor, action: 'webhook.deleted', webhook })
  })
}

/** Deliveries are also signed with the previous secret for this long. */
const overlapSeconds = 86_400

/**
 * Sets a new secret. For 24 hours `webhook-signature` verifies with either. Throws not_found. Within those hours,
 * throws rotation_in_progress, because a third secret would invalidate the one that a receiver still has.
 */
export function rotateSecret(context: Context, actor: Actor, id: string): Promise<WebhookRow> {
  const secret = newSecret(context.ids)
  return context.db.transaction(async (tx) => {
    const webhook = await lockedWebhook(tx, actor, id)
    const { previous_secret_until: until } = webhook
    if (until !== null && until > tx.now) {
      throw new Problem(
        'rotation_in_progress',
        `The secret was changed less than 24 hours ago; the next change is possible from ${until} on.`,
      )
    }
    await replaceSecret(tx.db, webhook, { secret, until: plusSeconds(tx.now, overlapSeconds) })
    await recordOfWebhook(context, tx, { by: actor, action: 'webhook.secret_rotated', webhook })
    return { ...webhook, secret }
  })
}

type ShownWebhook = ReturnType<typeof presentWebhook>

/** Presents a webhook without its secret. */
export function presentWebhook(webhook: WebhookRow) {
  return {
    id: webhook.id,
    business_id: webhook.business_id,
    url: webhook.url,
    events: webhook.events.split(' ') as EventType[], // only checked names are written
    description: webhook.description,
    status: webhook.disabled_at === null ? ('active' as const) : ('disabled' as const),
    created_at: formatInstant(webhook.created_at, webhook.timezone),
  }
}

/** Presents a webhook with its secret, which happens only when the secret is new. */
export function presentWithSecret(webhook: WebhookRow) {
  return { ...presentWebhook(webhook), secret: webhook.secret }
}

const maxDeletedAtOnce = 20

/** Drops deleted webhooks, each after its log. A search in all logs would read every delivery. */
export const deletedWebhooks: CleanupJob = {
  name: 'deleted webhooks',
  deleteBatch: ({ db }, max) =>
    db.transaction(async (tx) => {
      const webhooks = await findDeletedWebhooks(tx.db, maxDeletedAtOnce)
      let deleted = 0
      for (const id of webhooks) {
        deleted += await deleteLog(tx.db, id, max - deleted)
        if (deleted === max) return deleted
        await dropWebhook(tx.db, id)
      }
      return webhooks.length < maxDeletedAtOnce ? deleted : max // there may be more
    }),
}

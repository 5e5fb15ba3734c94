import { sql } from 'kysely'
import { operator } from '../../src/access/actor.ts'
import { sendSample } from '../../src/webhooks/delivery.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { bookSlot, type Client, clientOf } from './client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from './offers.ts'
import type { Receiver } from './receiver.ts'
import { changeRows, nextStart, type Tenant } from './tenant-things.ts'
import type { Reply, TestService } from './test-service.ts'

export const allEvents = ['booking.created', 'booking.updated', 'booking.cancelled', 'booking.completed']

/** A webhook as its creation shows it. */
export interface OwnWebhook {
  id: string
  secret: string
}

/** Registers a webhook at a receiver, for all events by default. */
export async function makeWebhook(
  service: TestService,
  {
    token,
    to,
    path = '/hooks',
    ...body
  }: { token: string; to: Pick<Receiver, 'address'>; path?: string } & {
    events?: string[]
    business_id?: string
  },
): Promise<OwnWebhook> {
  const reply = await service.call('POST', '/webhooks', {
    token,
    body: { url: to.address + path, events: allEvents, ...body },
  })
  if (reply.status !== 201) throw new Error(`no webhook: ${JSON.stringify(reply.body)}`)
  return reply.body as OwnWebhook
}

/** A line of the log, as far as tests read it. */
interface LoggedDelivery {
  id: string
  event_id: string
  event: string
  booking_id: string
  status: string
  attempts: {
    number: number
    at: string
    duration_ms: number
    response_status: number | null
    error: string | null
  }[]
  next_attempt_at: string | null
  created_at: string
}

/** Returns the log of a webhook, the newest delivery first. */
export async function deliveriesOf(
  service: TestService,
  { token, id, query = '' }: { token: string; id: string; query?: string },
): Promise<LoggedDelivery[]> {
  const { status, body } = await service.call('GET', `/webhooks/${id}/deliveries?limit=100${query}`, {
    token,
  })
  if (status !== 200) throw new Error(`no log: ${JSON.stringify(body)}`)
  return body.data as LoggedDelivery[]
}

/** A separate business with something to book. */
export interface Shop {
  business: OwnBusiness
  client: Client
  offer: Offer
  /** Books a slot that nobody else wants. */
  book(): Promise<Reply['body']>
}

export async function makeShop(
  service: TestService,
  parts: Parameters<typeof makeBusiness>[1] = {},
): Promise<Shop> {
  const business = await makeBusiness(service, parts)
  const client = clientOf(service, business.key)
  const offer = await makeOffer(service, business.id)
  return { business, client, offer, book: () => bookSlot(client, offer, nextStart()) }
}

/** A webhook, and a delivery to it. */
export interface WebhookThings {
  webhook_id: string
  delivery_id: string
}

/** Replaces the webhooks of a tenant, which are limited, by a new one with a delivery. */
export async function makeWebhookThings(service: TestService, tenant: Tenant): Promise<WebhookThings> {
  const { context } = service
  await changeRows(service, sql`delete from deliveries where business_id = ${tenant.id}`)
  await changeRows(service, sql`delete from webhooks where business_id = ${tenant.id}`)
  const webhook = await createWebhook(context, operator, {
    business_id: tenant.id,
    url: 'http://127.0.0.1:9/', // nothing listens there
    events: ['booking.completed'],
  })
  const delivery = await sendSample(context, operator, webhook.id)
  return { webhook_id: webhook.id, delivery_id: delivery.id }
}

/** Adds due deliveries to each of the webhooks: samples whose body names webhook and event. */
export async function addDeliveries(service: TestService, webhookIds: string[], each: number): Promise<void> {
  const { context } = service
  const now = service.clock.now()
  const rows = webhookIds.flatMap((webhook_id) =>
    Array.from({ length: each }, () => {
      const [id, event_id] = [context.ids.next(), context.ids.next()]
      const payload = JSON.stringify({ webhook_id, event_id })
      const of = {
        id,
        webhook_id,
        business_id: null,
        event_id,
        booking_id: webhook_id,
        sample_payload: payload,
      }
      const due = { status: 'pending' as const, attempts_left: 3, next_attempt_at: now, created_at: now }
      return { ...of, ...due, event_type: 'booking.completed' }
    }),
  )
  await context.db.transaction(async (tx) => {
    for (let begun = 0; begun < rows.length; begun += 500) {
      await tx.db
        .insertInto('deliveries')
        .values(rows.slice(begun, begun + 500))
        .execute()
    }
  })
}

/** Creates webhooks of separate businesses, 20 for each, bypassing all checks. Returns their IDs in order. */
export async function makeWebhooks(service: TestService, urls: string[]): Promise<string[]> {
  const { context } = service
  const ids = urls.map(() => context.ids.next()).toSorted()
  for (let begun = 0; begun < urls.length; begun += 20) {
    const { id: business_id } = await makeBusiness(service)
    const rows = urls.slice(begun, begun + 20).map((url, index) => ({
      ...{ id: ids[begun + index] ?? '', hub_id: null, business_id, url, secret: 'whsec_AAAA' },
      ...{ place: String(index).padStart(2, '0'), events: 'booking.created', description: null },
      ...{ previous_secret: null, previous_secret_until: null, disabled_at: null, deleted_at: null },
      created_at: service.clock.now(),
    }))
    await context.db.transaction((tx) => tx.db.insertInto('webhooks').values(rows).execute())
  }
  return ids
}

import { sql } from 'kysely'
import { operator } from '../../src/access/operator.ts'
import { createWebhook } from '../../src/webhooks/create-webhook.ts'
import { sendSample } from '../../src/webhooks/send-sample.ts'
import { bookSlot, clientOf, type Client } from './client.ts'
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

/** A line of the log, as far as tests look at it. */
export interface LoggedDelivery {
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

/** The log of a webhook, the newest delivery first. */
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

/** A business of a test's own, its key, and something to book. */
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

/** A new webhook of a tenant with a delivery, in the place of all that it had: there are only so many. */
export async function makeWebhookThings(service: TestService, tenant: Tenant): Promise<WebhookThings> {
  const { context } = service
  await changeRows(service, sql`delete from deliveries where business_id = ${tenant.id}`)
  await changeRows(service, sql`delete from webhooks where business_id = ${tenant.id}`)
  const webhook = await createWebhook(context, operator, {
    business_id: tenant.id,
    url: 'http://127.0.0.1:9/', // nobody listens there
    events: ['booking.completed'],
  })
  const delivery = await sendSample(context, operator, webhook.id)
  return { webhook_id: webhook.id, delivery_id: delivery.id }
}

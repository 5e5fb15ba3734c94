import { operator } from '../../src/access/actor.ts'
import { issueKey } from '../../src/access/key.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { type Random, randomFrom } from '../support/random.ts'
import type { FakeStripe } from '../support/stripe-server.ts'
import type { Reply, TestService } from '../support/test-service.ts'
import { type EventName, type Model, type ModelPayment, type ModelService, newModel } from './model.ts'

/* The business of one history, and everything known about it. */

export interface Caller {
  /** For the log. */
  name: string
  client: Client
  /** The model's name for a session, whatever its present token. Undefined for keys. */
  session: string | undefined
}

/** An answer that is kept for repetitions of its request. */
export interface Kept {
  caller: Caller
  path: string
  body: unknown
  key: string
  reply: Reply
}

/** An event of the processor about a checkout, which may arrive several times. */
export interface Message {
  id: string
  body: string
  payment: ModelPayment
  /** ID of its checkout. */
  reference: string
  paid: boolean
}

/** The resources for all histories of an engine. */
export interface Stage {
  service: TestService
  stripe: FakeStripe
  /** Clients of another business and of another hub, for whom nothing here exists. */
  strangers: Client[]
  other: OwnBusiness
}

export interface World extends Stage {
  /** A session of another business. */
  strangeSession: Client
  model: Model
  random: Random
  business: OwnBusiness
  /** Two sessions, the key of the business and that of its hub. */
  callers: Caller[]
  key: Client
  services: ModelService[]
  locationIds: string[]
  kept: Kept[]
  messages: Message[]
  /** Number of long pauses, because holds and answers are kept for a day only. */
  longPauses: number
  log: string[]
}

const money = { amount: 2500, currency: 'EUR' }

export async function makeWorld(stage: Stage, seed: number): Promise<World> {
  const { service } = stage
  const { context } = service
  const hub = await createHub(context, { name: 'Chain', plan: 'enterprise' })
  const hubKey = await context.db.transaction((tx) => issueKey(context, tx, { type: 'hub', hubId: hub.id }))
  const business = await makeBusiness(service, { hubId: hub.id })
  const locationIds = [await makeLocation(service, business.id), await makeLocation(service, business.id)]
  const random = randomFrom(seed)
  const key = clientOf(service, business.key)
  const sessions = [await sessionClient(service, business), await sessionClient(service, business)]
  const model = newModel(service.clock.nowMs())
  const world: World = {
    ...stage,
    strangeSession: await sessionClient(service, stage.other),
    ...{ model, random, business, key, locationIds, kept: [], messages: [], longPauses: 0, log: [] },
    services: await makeServices(service, business.id, locationIds),
    callers: [
      ...sessions.map((client, index) => named(`session ${String(index + 1)}`, client, client.token)),
      named('key', key, undefined),
      named('hub key', clientOf(service, hubKey.key), undefined),
    ],
  }
  await addWebhook(world, { business_id: business.id }, ['booking.created', 'booking.updated'])
  await addWebhook(world, { business_id: business.id }, ['booking.cancelled', 'booking.completed'])
  return world
}

function named(name: string, client: Client, session: string | undefined): Caller {
  return { name, client, session }
}

async function makeServices(
  service: TestService,
  businessId: string,
  locationIds: string[],
): Promise<ModelService[]> {
  const [kim = '', sam = ''] = await makeStaff(service, businessId, ['Kim', 'Sam'])
  const plain = { bufferBefore: 0, bufferAfter: 0, capacity: 1, hasDeposit: false }
  const sketches = [
    { ...plain, minutes: 30, bufferAfter: 15, staffIds: [kim, sam] },
    { ...plain, minutes: 60, capacity: 2, staffIds: [sam] },
    { ...plain, minutes: 45, bufferBefore: 15, staffIds: [], hasDeposit: true },
    { ...plain, minutes: 30, capacity: 2, staffIds: [] },
    { ...plain, minutes: 45, staffIds: [kim, sam], hasDeposit: true },
  ]
  const services: ModelService[] = []
  for (const sketch of sketches) {
    const deposit = sketch.hasDeposit ? money : null
    services.push({
      ...sketch,
      id: await makeService(service, businessId, { ...sketch, deposit, locationIds }),
    })
  }
  return services
}

/** Sends nothing: deliveries stay in their table. */
async function addWebhook(
  { service, model }: World,
  owner: { business_id: string },
  events: EventName[],
): Promise<void> {
  const url = 'http://127.0.0.1:9/'
  const { id } = await createWebhook(service.context, operator, { ...owner, url, events })
  model.webhooks.push({ id, events, active: true })
}

export const iso = (time: number): string => new Date(time).toISOString()

/** Returns the claim of a hold or booking in the table. */
export async function claimOf({ service }: World, id: string) {
  const { reads } = service.context.db
  return reads.selectFrom('claims').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

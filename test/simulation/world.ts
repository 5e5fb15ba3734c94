import { operator } from '../../src/access/actor.ts'
import { issueKey } from '../../src/access/key.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { seatsOf } from '../support/checker.ts'
import { type Client, clientOf, sessionClient } from '../support/client.ts'
import { makeBusiness, makeLocation, makeService, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { type Random, randomFrom } from '../support/random.ts'
import type { FakeStripe } from '../support/stripe-server.ts'
import type { Reply, TestService } from '../support/test-service.ts'
import {
  type EventName,
  minute,
  type Model,
  type ModelPayment,
  type ModelRoom,
  type ModelService,
  newModel,
} from './model.ts'
import type { PlannedClaim, VisitPlan } from './visit-model.ts'

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
  /** True if a replica answers wrongly, so that free times may be wrong. */
  isLiedTo: boolean
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
  staffIds: string[]
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
  const staffIds = await makeStaff(service, business.id, ['Kim', 'Sam'])
  const model = newModel(service.clock.nowMs())
  const world: World = {
    ...stage,
    strangeSession: await sessionClient(service, stage.other),
    ...{
      model,
      random,
      business,
      key,
      locationIds,
      staffIds,
      kept: [],
      messages: [],
      longPauses: 0,
      log: [],
    },
    services: await makeServices(service, business.id, { locationIds, staffIds }),
    callers: [
      ...sessions.map((client, index) => named(`session ${String(index + 1)}`, client, client.token)),
      named('key', key, undefined),
      named('hub key', clientOf(service, hubKey.key), undefined),
    ],
  }
  await makeVisitServices(world)
  await addWebhook(world, { business_id: business.id }, ['booking.created', 'booking.updated'])
  await addWebhook(world, { business_id: business.id }, [
    ...(['booking.cancelled', 'booking.completed', 'booking.requested'] as const),
  ])
  return world
}

function named(name: string, client: Client, session: string | undefined): Caller {
  return { name, client, session }
}

const plain = {
  ...{ bufferBefore: 0, bufferAfter: 0, capacity: 1, hasDeposit: false },
  ...{ steps: [], needs: [] },
}

async function makeServices(
  service: TestService,
  businessId: string,
  { locationIds, staffIds: [kim = '', sam = ''] }: Pick<World, 'locationIds' | 'staffIds'>,
): Promise<ModelService[]> {
  const sketches = [
    { ...plain, minutes: 30, bufferAfter: 15, staffIds: [kim, sam] },
    { ...plain, minutes: 60, capacity: 2, staffIds: [sam] },
    { ...plain, minutes: 45, bufferBefore: 15, staffIds: [], hasDeposit: true },
    { ...plain, minutes: 30, capacity: 2, staffIds: [] },
    { ...plain, minutes: 45, staffIds: [kim, sam], hasDeposit: true },
    { ...plain, minutes: 30, staffIds: [kim], respondWithin: 90 },
  ]
  const services: ModelService[] = []
  for (const sketch of sketches) {
    const deposit = sketch.hasDeposit ? money : null
    services.push({
      ...{ ...sketch, locationIds },
      id: await makeService(service, businessId, { ...sketch, deposit, locationIds }),
    })
  }
  return services
}

/** Makes rooms, and services that take time of several things. */
async function makeVisitServices({
  business,
  key,
  locationIds,
  model,
  random,
  services,
  staffIds,
  service,
}: World) {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await service.call('POST', path, { token: key.token, body })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return String(reply.body.id)
  }
  const [here = '', there = ''] = locationIds
  const makeRoom = async (locationId: string, quantity: number): Promise<ModelRoom> => {
    const id = await create('/resources', { location_id: locationId, name: 'Room', quantity })
    return { id, locationId, quantity }
  }
  const rooms = [await makeRoom(here, 2), await makeRoom(here, 1), await makeRoom(there, 1)]
  const [basins, room, elsewhere] = rooms.map(({ id }) => id) as [string, string, string]
  model.rooms = rooms
  const staffed = (minutes: number, isStaffed = true) => ({ minutes, staffed: isStaffed })
  const need = (roomIds: string[], quantity = 1, isWhole = true) => ({ roomIds, quantity, isWhole })
  const sketches: Omit<ModelService, 'id' | 'locationIds'>[] = [
    {
      ...{ ...plain, minutes: 75, bufferAfter: 15, staffIds },
      ...{ steps: [staffed(30), staffed(15, false), staffed(30)], needs: [need([basins, elsewhere])] },
    },
    {
      ...{ ...plain, minutes: 45, bufferBefore: 15, capacity: 2, staffIds },
      ...{ steps: [staffed(15), staffed(15, false), staffed(15)] },
      needs: [need([room, basins, elsewhere], 1, false)],
    },
    { ...plain, minutes: 30, staffIds: [], capacity: 2, needs: [need([basins], 2), need([room])] },
  ]
  for (const sketch of sketches) {
    const { minutes, steps, needs, bufferBefore, bufferAfter, capacity } = sketch
    const isEverywhere = needs.every(({ roomIds }) => roomIds.includes(elsewhere))
    const places = isEverywhere ? locationIds : [here]
    const id = await create('/services', {
      ...{ name: 'Visit', location_ids: places, staff_ids: sketch.staffIds },
      ...(steps.length > 0 ? { steps } : { duration_minutes: minutes }),
      ...{ buffer_before_minutes: bufferBefore, buffer_after_minutes: bufferAfter, capacity },
      needs: needs.map(({ roomIds, quantity, isWhole }) => ({
        ...{ resource_ids: roomIds, quantity, during: isWhole ? 'all' : 'staffed' },
      })),
      slot_interval_minutes: 5,
    })
    services.push({ ...sketch, id, locationIds: places })
  }
  if (!random.chance(0.4)) return
  model.maxPause = 15 * minute
  const body = { max_gap_minutes: 15 }
  const reply = await service.call('PATCH', `/businesses/${business.id}`, { token: key.token, body })
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
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

type ClaimRow = Awaited<ReturnType<typeof claimsOf>>[number]

/** Returns the claims of a plan with the seats of persons that the table has for them. Alike seats count by number. */
export function seatedAs(rows: ClaimRow[], { claims }: VisitPlan): PlannedClaim[] {
  return claims.map((claim) => {
    if (claim.resource === claim.occurrence) return claim
    const row = rows.find(
      ({ resource_id, taken_from }) =>
        resource_id === claim.resource && Date.parse(taken_from) === claim.from,
    )
    if (!row) throw new Error(`the table lacks the claim on ${claim.resource} from ${iso(claim.from)}`)
    return { ...claim, seats: [...seatsOf(row)] }
  })
}

/** Returns the claims of a hold or booking in the table, the first one first. */
export async function claimsOf({ service }: World, id: string) {
  const { reads } = service.context.db
  const rows = await reads
    .selectFrom('claims')
    .selectAll()
    .where(({ eb, or }) => or([eb('id', '=', id), eb('visit_id', '=', id)]))
    .execute()
  return rows.toSorted((one, other) => Number(other.id === id) - Number(one.id === id))
}

/** Returns the first claim of a hold or booking in the table. */
export async function claimOf({ service }: World, id: string) {
  const { reads } = service.context.db
  return reads.selectFrom('claims').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

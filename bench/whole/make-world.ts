import { makeDemoWorld } from '../../src/catalogue/make-demo-world.ts'
import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/create-context.ts'
import { startHoldfast } from '../support/processes.ts'
import { Requests, type HeldSlot, type World } from './requests.ts'
import { bookHold, openSession, placeHold, repeat, type Send } from './visitors.ts'
import type { Stores } from './stores.ts'
import { Wire } from './wire.ts'

/** A world, and what it takes on the disk. */
export interface MadeWorld {
  template: string
  world: World
  /** With its hold, another hold that came to nothing, their claims, the event, a fifth of a session, and all indexes. */
  bytesPerBooking: number
}

const services = 20
const peopleOfService = 2
const connections = 16
const holdsOfSession = 10
const dayMs = 86_400_000

/** Makes a database with the world of the benchmark, to be copied. */
export async function makeTemplate(stores: Stores, count: number): Promise<MadeWorld> {
  const [template, empty] = [await stores.make(), await stores.make()]
  const world = await makeWorld(template, count)
  await makeWorld(empty, 0)
  const bytes = (await stores.size(template)) - (await stores.size(empty))
  await stores.drop(empty)
  return { template, world, bytesPerBooking: Math.round(bytes / count) }
}

/**
 * Makes the world of the benchmark in an empty database by the service's own API: one business with many services
 * of two people each, at any time of any day, and so many bookings and holds.
 */
export async function makeWorld(databaseUrl: string, count: number): Promise<World> {
  const keys = await makeBusiness(databaseUrl)
  const server = await startHoldfast(databaseUrl, { TRUST_PROXY: '127.0.0.0/8' })
  await using undo = new AsyncDisposableStack()
  undo.defer(() => server.stop())
  const first = await Wire.open(server.address)
  const made = await makeServices(first, keys.businessKey)
  first.close()
  // not before they are used: the server closes connections on which nothing comes
  const wires = await Promise.all(Array.from({ length: connections }, () => Wire.open(server.address)))
  const senders = wires.map(
    (wire): Send =>
      (request) =>
        wire.send(request),
  )
  const world: World = {
    ...keys,
    ...made,
    firstSlotMs: Math.ceil(Date.now() / dayMs + 1) * dayMs,
    slotsUsed: 0,
    bookingIds: [],
    holds: [],
  }
  await fill(world, senders, count)
  for (const wire of wires) wire.close()
  return world
}

/** Makes so many bookings, and as many holds. */
async function fill(world: World, senders: Send[], count: number): Promise<void> {
  const requests = new Requests(world)
  const held: HeldSlot[] = []
  await repeat(senders, Math.ceil((2 * count) / holdsOfSession), async (send) => {
    const session = await openSession(send, requests)
    for (let index = 0; index < holdsOfSession; index += 1) {
      held.push(await placeHold(send, requests, session))
    }
  })
  world.slotsUsed = held.length
  world.holds = held.slice(count)
  await repeat(senders, count, async (send, turn) => {
    const hold = held[turn]
    if (!hold) return
    await bookHold(send, requests, hold)
    world.bookingIds.push(hold.id)
  })
}

async function makeBusiness(databaseUrl: string) {
  const context = await createContext(
    readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }),
  )
  await context.db.migrate()
  const [business] = (await makeDemoWorld(context)).businesses
  await context.db.close()
  if (!business) throw new Error('the demo world has no business')
  return { businessKey: business.business_key, publishableKey: business.publishable_key }
}

async function makeServices(wire: Wire, token: string) {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await wire.send({
      method: 'POST',
      path: `/api/v1${path}`,
      token,
      network: '10.0.0.1',
      body,
    })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.body}`)
    return (JSON.parse(answer.body) as { id: string }).id
  }
  const locationId = await make('/locations', { name: 'Bench', timezone: 'UTC' })
  const serviceIds: string[] = []
  for (let index = 0; index < services; index += 1) {
    const staff_ids: string[] = []
    for (let person = 0; person < peopleOfService; person += 1) {
      staff_ids.push(await make('/staff', { name: `Person ${index}.${person}` }))
    }
    const service = { name: `Service ${index}`, duration_minutes: 15, slot_interval_minutes: 15 }
    serviceIds.push(await make('/services', { ...service, location_ids: [locationId], staff_ids }))
  }
  return { locationId, serviceIds }
}

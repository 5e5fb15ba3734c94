import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { request } from 'undici'
import { operator } from '../src/access/actor.ts'
import { monotonicMs } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { instantFromMs } from '../src/base/instants.ts'
import { convertHold } from '../src/bookings/conversion.ts'
import { placeHold } from '../src/bookings/hold.ts'
import { pause } from '../src/database/database.ts'
import type { Context } from '../src/bookings/context.ts'
import { createContext } from '../src/operate/open.ts'
import { DeliveryWorker } from '../src/webhooks/worker.ts'
import { recordChange } from '../src/webhooks/event.ts'
import { createWebhook } from '../src/webhooks/webhook.ts'
import { findPostgres } from '../test/support/postgres-server.ts'
import { endingWithUs, ownDirectory } from './children.ts'
import { ownDatabase } from './support/own-database.ts'
import { makeShop, type Shop } from './support/shop.ts'

/*
 * Deliveries a second from a backlog, with the CPU time of the service for each thousand. Also the time from the commit
 * of a booking to its receipt at a steady rate. A business has at most 20 webhooks, so 200 belong to ten. `npm run
 * bench -- webhooks postgres 20` measures only that.
 */

const [onlyEngine, onlyCount] = process.argv.slice(3)
const counts = onlyCount === undefined ? [1, 20, 200] : [Number(onlyCount)]
const maxOfBusiness = 20
/** Sent before the measurement, because code that has run often is several times as fast. */
const warmUp = 4_000
const backlog = 20_000
const rounds = 3
const bookingsPerSecond = 200
/** A booking is two commits. On a slower disk, the rate is this share of the possible one. */
const shareOfPossible = 0.7
const bookingSeconds = 5

interface Receiver {
  address: string
  taken(): Promise<[bookingId: string, epochMs: number][]>
  stop(): void
}

async function startReceiver(): Promise<Receiver> {
  const child = endingWithUs(fork(join(import.meta.dirname, 'support/receiver-process.ts')))
  const [port] = (await once(child, 'message')) as [number]
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    taken: async () => (await (await request(address)).body.json()) as [string, number][],
    stop: () => child.kill(),
  }
}

async function makeShopWith(
  context: Context,
  receiver: Receiver | undefined,
  webhooks: number,
): Promise<Shop> {
  const shop = await makeShop(context)
  for (let index = 0; index < webhooks; index += 1) {
    const url = `${receiver?.address}/${shop.businessId}/${index}`
    await createWebhook(context, operator, { business_id: shop.businessId, url, events: ['booking.created'] })
  }
  return shop
}

/** The first name of a client, by which the receiver distinguishes events. */
let clients = 0

function nextClient() {
  clients += 1
  return { first_name: `client-${clients}`, last_name: 'Lovelace', email: 'ada@example.com' }
}

const from = { address: null, network: '127.0.0.1', widerNetwork: null }

async function book(context: Context, { serviceId, locationId }: Shop): Promise<string> {
  const client = nextClient()
  const startsAt = instantFromMs(Date.UTC(2030, 0, 1) + clients * 300_000)
  const { hold } = await placeHold(context, operator, {
    service_id: serviceId,
    location_id: locationId,
    starts_at: startsAt,
    from,
  })
  await convertHold(context, operator, { hold_id: hold.id, client, from })
  return client.first_name
}

/** Writes events of a booking with their deliveries, many in a transaction. */
async function writeBacklog(context: Context, shop: Shop, events: number): Promise<void> {
  await book(context, shop)
  const [booking] = await context.db.reads
    .selectFrom('bookings')
    .selectAll()
    .where('business_id', '=', shop.businessId)
    .execute()
  if (!booking) throw new Error('nothing was booked')
  const service = { id: shop.serviceId, name: 'Bench' }
  const location = { id: shop.locationId, name: 'Here', timezone: 'Europe/Berlin' }
  for (let written = 1; written < events; written += 50) {
    await context.db.transaction(async (tx) => {
      for (let index = written; index < Math.min(written + 50, events); index += 1) {
        const subject = {
          ...booking,
          client_first_name: nextClient().first_name,
          service,
          location,
          items: [],
        }
        await recordChange(context, tx, { types: ['booking.created'], booking: subject, by: 'system' })
      }
    })
  }
}

/** Waits until the receiver has this many, and returns them. */
async function received(receiver: Receiver, count: number): Promise<[string, number][]> {
  const all: [string, number][] = []
  while (all.length < count) {
    await pause(50)
    all.push(...(await receiver.taken()))
  }
  return all
}

/** Measures the steady rate of bookings a second, up to the wanted one. */
async function steadyRate(context: Context): Promise<number> {
  const shop = await makeShopWith(context, undefined, 0)
  const startedMs = monotonicMs()
  let left = bookingsPerSecond
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while ((left -= 1) >= 0) await book(context, shop)
    }),
  )
  const possible = (bookingsPerSecond * 1000) / (monotonicMs() - startedMs)
  return Math.min(bookingsPerSecond, Math.round(possible * shareOfPossible))
}

/** Returns the milliseconds from the commit of each booking to its receipt, in order. */
async function latencies(
  context: Context,
  receiver: Receiver,
  { shop, perSecond }: { shop: Shop; perSecond: number },
): Promise<number[]> {
  const committedMs = new Map<string, number>()
  const running: Promise<void>[] = []
  const total = perSecond * bookingSeconds
  const startedMs = monotonicMs()
  for (let index = 0; index < total; index += 1) {
    const waitMs = startedMs + (index * 1000) / perSecond - monotonicMs()
    if (waitMs > 0) await pause(waitMs)
    const booked = book(context, shop).then((client) => {
      committedMs.set(client, performance.timeOrigin + monotonicMs())
    })
    running.push(booked)
  }
  await Promise.all(running)
  const all = await received(receiver, total)
  return all
    .map(([client, atMs]) => atMs - (committedMs.get(client) ?? NaN))
    .toSorted((one, other) => one - other)
}

/** Lets a separate worker send due deliveries. Returns its milliseconds, and those of the CPU. */
async function deliver(context: Context): Promise<{ tookMs: number; processorMs: number }> {
  const worker = new DeliveryWorker(context, { version: 'bench' })
  const [startedMs, before] = [monotonicMs(), process.cpuUsage()]
  worker.start()
  await worker.settled()
  const tookMs = monotonicMs() - startedMs
  const { user, system } = process.cpuUsage(before)
  await worker.stop(1_000)
  return { tookMs, processorMs: (user + system) / 1000 }
}

async function measure(databaseUrl: string, engine: string, webhooks: number): Promise<object> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
  const context = await createContext(config)
  await context.db.migrate()
  const receiver = await startReceiver()
  try {
    const each = Math.min(webhooks, maxOfBusiness)
    const shops: Shop[] = []
    for (let index = 0; index < webhooks / each; index += 1) {
      shops.push(await makeShopWith(context, receiver, each))
    }
    const taken = { tookMs: 0, processorMs: 0 }
    for (const count of [warmUp, ...Array<number>(rounds).fill(backlog)]) {
      for (const shop of shops) await writeBacklog(context, shop, count / each / shops.length)
      const took = await deliver(context)
      await received(receiver, count)
      if (count === warmUp) continue
      taken.tookMs += took.tookMs
      taken.processorMs += took.processorMs
    }
    const worker = new DeliveryWorker(context, { version: 'bench' })
    worker.start()
    const perSecond = await steadyRate(context)
    // a business with one webhook, while those with more rest: 20 receipts a booking would be 4,000 a second
    const shop = await makeShopWith(context, receiver, 1)
    const ms = await latencies(context, receiver, { shop, perSecond })
    await worker.stop(1_000)
    const quantile = (share: number) => `${(ms[Math.floor(ms.length * share)] ?? NaN).toFixed(0)} ms`
    return {
      engine,
      webhooks,
      'deliveries/s': Math.round((rounds * backlog * 1000) / taken.tookMs),
      'processor ms/1,000': Math.round((taken.processorMs * 1000) / (rounds * backlog)),
      'bookings/s': perSecond,
      p50: quantile(0.5),
      p99: quantile(0.99),
    }
  } finally {
    receiver.stop()
    await context.db.close()
  }
}

const rows: object[] = []
const directory = ownDirectory()
for (const webhooks of onlyEngine === 'postgres' ? [] : counts) {
  rows.push(await measure(`sqlite:${join(directory.path, `${webhooks}.db`)}`, 'sqlite', webhooks))
}
await directory.remove()
const postgres = onlyEngine === 'sqlite' ? undefined : await findPostgres(process.env)
if (postgres) {
  for (const webhooks of counts) {
    const database = await ownDatabase(postgres.url)
    rows.push(await measure(database.url, 'postgres', webhooks))
    await database.drop()
  }
  await postgres.stop()
}
console.table(rows)

import { setTimeout as pause } from 'node:timers/promises'
import { Pool, request } from 'undici'
import { Load, type Order, type Outcome } from './load.ts'
import type { Plan } from './measure.ts'
import { type CrowdSize, fillBusiness } from './support/crowd.ts'
import { logInOwner } from './support/log-in.ts'
import { postgresFor, startBare, startTargets, type Target } from './targets.ts'

/*
 * The effect of one business on the others of its server. A quiet business sends requests, first alone, then while
 * eight clients at once request each expensive operation of another one. That one has an ordinary catalogue and 12,000
 * bookings, and then 1,000 services at 100 locations with 300 people. There are no rate limits, and clients obey
 * `Retry-After`. A bare Fastify route in a separate process gets the same requests. It shows the effect of the busy CPU
 * alone.
 */

const sizes: Record<string, CrowdSize> = {
  ordinary: { services: 10, locations: 2, people: 20, bookings: 12_000, days: 30 },
  large: { services: 1_000, locations: 100, people: 300, bookings: 12_000, days: 30 },
}
const atOnce = 8
/** Needs nothing that would have to be created during the storm. */
const calm = { operation: 'hold-by-key', perSecond: 50, atOnce: 8 }
/** Time before the quiet business is measured, for the first answers to be in progress. */
const marginMs = 500
const maxAnswerMs = 120_000
const dayMs = 86_400_000

/** An expensive operation: an address, and the token for it. */
interface Asked {
  name: string
  path: string
  headers: Record<string, string>
}

/**
 * Prints for each engine, catalogue and expensive operation the p95 of the quiet business, alone and during the storm.
 */
export async function measureNeighbours(plan: Plan): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(plan.engines, undo)
  console.log(
    `Another business holds ${calm.perSecond} times a second: alone, and while ${atOnce} at once ask for each of these, for ${plan.seconds} s.`,
  )
  for (const engine of plan.engines) {
    for (const [name, size] of Object.entries(sizes)) {
      await using ofSize = new AsyncDisposableStack()
      const targets = await startTargets(engine, { postgresUrl, against: plan.against }, ofSize)
      for (const [index, target] of targets.entries()) {
        console.log(`\n${engine}, ${name}: ${JSON.stringify(size)}${index === 0 ? '' : ', other checkout'}`)
        console.table(await rowsOf(target, size, plan.seconds))
      }
    }
  }
}

async function rowsOf(target: Target, size: CrowdSize, seconds: number): Promise<object[]> {
  const asked = await prepare(target, size)
  const first = await runQuiet(target, { seconds }) // code that has run often is faster
  const bare = await startBare(first?.samples ?? [])
  const rows: object[] = []
  try {
    for (const one of asked) {
      const row = await rowOf(target, one, { seconds, bareAddress: bare.address })
      console.log(JSON.stringify(row)) // a server that answers nobody makes the rest wait for long
      rows.push(row)
    }
  } finally {
    await bare.stop()
  }
  return rows
}

async function rowOf(
  target: Target,
  one: Asked,
  { seconds, bareAddress }: { seconds: number; bareAddress: string },
): Promise<object> {
  const idle = await runQuiet(target, { seconds })
  const bareIdle = await runQuiet(target, { seconds, bareAddress })
  const [address = ''] = target.addresses
  await using storm = new Storm(address, one)
  await pause(marginMs)
  const beside = await runQuiet(target, { seconds })
  const bareBeside = await runQuiet(target, { seconds, bareAddress })
  if (!idle?.done || !bareIdle || !bareBeside) throw new Error('nobody was answered without a storm')
  const common = { asks: one.name, 'idle p95 ms': idle.p95Ms.toFixed(1) }
  if (!beside?.done) {
    await target.restart() // it would continue for clients that have left
    return { ...common, 'beside p95 ms': 'no answers' }
  }
  const failed = Object.values(beside.errors).reduce((sum, count) => sum + count, 0)
  if (failed > 0) process.exitCode = 1
  return {
    ...common,
    'beside p95 ms': beside.p95Ms.toFixed(1),
    ratio: (beside.p95Ms / idle.p95Ms).toFixed(1),
    bare: `${bareIdle.p95Ms.toFixed(1)}, ${bareBeside.p95Ms.toFixed(1)}`,
    'beside p50 ms': beside.p50Ms.toFixed(1),
    failed,
    ...storm.told(),
  }
}

/** Returns the quiet business's results, or undefined without an answer for two minutes. */
async function runQuiet(
  target: Target,
  { seconds, bareAddress }: { seconds: number; bareAddress?: string },
): Promise<Outcome | undefined> {
  const load = new Load()
  const order = orderOf(target, seconds)
  try {
    return await load.run(
      bareAddress === undefined ? order : { ...order, addresses: [bareAddress], bare: true },
    )
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  } finally {
    load.stop()
  }
}

let runs = 0

/** Each run uses a different day. */
function orderOf({ name, addresses, worlds }: Target, seconds: number): Order {
  const [first] = worlds
  if (!first) throw new Error('the target has no business')
  const world = { ...first, firstSlotMs: first.firstSlotMs + runs++ * dayMs }
  return { target: name, world, addresses, keyed: true, bare: false, ...calm, seconds }
}

/** Creates the other business and returns its expensive operations. */
async function prepare(target: Target, size: CrowdSize): Promise<Asked[]> {
  const { id } = await target.command<{ id: string }>('business', 'create', 'Crowd', '--timezone', 'UTC')
  const { key } = await target.command<{ key: string }>('key', 'create', '--business', id)
  await fillBusiness(target.storeUrl, id, size)
  const { name, value } = await logInOwner(target, id)
  const [address = ''] = target.addresses
  const shown = await request(`${address}/console/calendar`, { headers: { cookie: `${name}=${value}` } })
  await shown.body.dump()
  if (shown.statusCode !== 200) throw new Error(`the calendar answered ${shown.statusCode}`)
  const feed = await request(`${address}/api/v1/feeds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ detail: 'full' }),
  })
  const { url } = (await feed.body.json()) as { url: string }
  const dateIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
  const byCookie = (path: string): Asked => ({ name: path, path, headers: { cookie: `${name}=${value}` } })
  const byKey = (path: string): Asked => ({
    name: path,
    path: `/api/v1${path}`,
    headers: { authorization: `Bearer ${key}` },
  })
  return [
    ...['/console', '/console?view=week', '/console/calendar', '/console/numbers?range=year'].map(byCookie),
    ...['/console/numbers.csv?range=year', '/console/bookings.csv?when=all'].map(byCookie),
    byKey('/services?limit=100'),
    byKey(`/calendar?from=${dateIn(-7)}&to=${dateIn(6)}`),
    byKey(`/numbers?from=${dateIn(-365)}&to=${dateIn(0)}`),
    { name: '/feeds/….ics', path: new URL(url).pathname, headers: {} },
  ]
}

/** Clients that repeat one request until they are disposed of. */
class Storm {
  private readonly pool: Pool
  private readonly asked: Asked
  private readonly workers: Promise<void>[]
  private readonly answers = new Map<number, number>()
  private readonly msOfAnswers: number[] = []
  private isOver = false

  constructor(address: string, asked: Asked) {
    this.pool = new Pool(address, {
      ...{ connections: atOnce, pipelining: 1 },
      ...{ headersTimeout: maxAnswerMs, bodyTimeout: maxAnswerMs },
    })
    this.asked = asked
    this.workers = Array.from({ length: atOnce }, () => this.work())
  }

  /** Returns the storm's results so far. */
  told(): object {
    const ms = this.msOfAnswers.toSorted((one, other) => one - other)
    return {
      answers: [...this.answers].map(([status, count]) => `${count} × ${status}`).join(', '),
      'their p50 ms': (ms[Math.floor(ms.length / 2)] ?? NaN).toFixed(0),
    }
  }

  private async work(): Promise<void> {
    while (!this.isOver) {
      const begun = performance.now()
      try {
        const { statusCode, headers, body } = await this.pool.request({ method: 'GET', ...this.asked })
        await body.dump({ limit: Infinity })
        this.answers.set(statusCode, (this.answers.get(statusCode) ?? 0) + 1)
        if (statusCode === 200) this.msOfAnswers.push(performance.now() - begun)
        else await pause(1_000 * Number(headers['retry-after'] ?? 1))
      } catch {
        await pause(marginMs) // the server has ended, or answers nobody
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true
    await this.pool.destroy()
    await Promise.all(this.workers)
  }
}

import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { endingWithUs } from './children.ts'
import { FloydGround } from './floyd-ground.ts'
import { Ground, operations, type Send, type World } from './operations.ts'

/* The load generator: a separate process, which receives one round after the other. */

/** The task of one round. */
export interface Order {
  /** The database to load. It identifies everything created there in earlier rounds. */
  target: string
  world: World
  addresses: string[]
  operation: string
  keyed: boolean
  atOnce: number
  seconds: number
  /** Repeats only earlier requests to the target, at a server that answers all of them with the same bytes. */
  bare: boolean
  /** Limit of the rate. Without a number, as fast as possible. */
  perSecond?: number
  /** Each connection sends one request, all at the same time. */
  once?: true
  /** Creates everything that the round needs, without beginning it. */
  prepareOnly?: true
}

/** An answer as it arrived, for a bare server to return. */
export interface Sample {
  method: string
  /** The path with `:id` in place of IDs, without its query. */
  route: string
  status: number
  headers: Record<string, string>
  body: string
}

/** The result of a round. */
export interface Outcome {
  done: number
  seconds: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** Counts each unexpected answer. */
  errors: Record<string, number>
  /** Counts each result, for operations that have some. */
  results: Record<string, number>
  samples: Sample[]
}

/** A round that ends early without supplies measures less, and one that prepares more takes forever. */
const maxItems = 12_000
const firstPerSecond = 300
const preparedAtOnce = 16
const maxRoundMs = 120_000
const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** The load generator, in a separate process. */
export class Load {
  private readonly child: ChildProcess

  constructor() {
    this.child = endingWithUs(fork(import.meta.filename, { execArgv: [], detached: true }))
  }

  /** Creates everything that a round needs before it begins. Otherwise this happens at the beginning of the round. */
  async prepare(order: Order): Promise<void> {
    await this.ask({ ...order, prepareOnly: true })
  }

  /** Loads a target for a while. */
  async run(order: Order): Promise<Outcome> {
    return (await this.ask(order)) as Outcome // undefined only for preparation
  }

  private async ask(order: Order): Promise<Outcome | undefined> {
    this.child.send(order)
    const signal = AbortSignal.timeout(maxRoundMs)
    const [said] = (await once(this.child, 'message', { signal })) as [
      { outcome?: Outcome } | { failure: string },
    ]
    if ('failure' in said) throw new Error(said.failure)
    return said.outcome
  }

  stop(): void {
    this.child.kill()
  }
}

/** Everything created in a target so far. */
interface Known {
  fixture: Ground
  items: Map<string, unknown[]>
  /** Operations whose things were created by `prepare` and not yet used. */
  prepared: Set<string>
  quickest: Map<string, number>
}

const targets = new Map<string, Known>()

/**
 * Kept between rounds. A busy server accepts one connection in a turn of its event loop, which is no part of a request.
 */
const pools = new Map<string, Pool>()

function poolOf(address: string, connections: number): Pool {
  const name = `${address} ${connections}`
  const pool = pools.get(name) ?? new Pool(address, { connections, pipelining: 1, keepAliveTimeout: 60_000 })
  pools.set(name, pool)
  return pool
}

/** Sends requests over this many connections to each address in turn, and keeps a sample of each answer. */
function sender({ addresses, atOnce, keyed, bare }: Order, root: string, samples: Map<string, Sample>) {
  const connections = Math.ceil(atOnce / addresses.length)
  let turn = 0
  const send: Send = async <T>(request: Parameters<Send>[0], statuses = [200, 201, 204]): Promise<T> => {
    const { method, path, token, network, body } = request
    const pool = poolOf(addresses[turn++ % addresses.length] ?? '', connections)
    const answer = await pool.request({
      method,
      path: `${root}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        'x-forwarded-for': network,
        ...(body && { 'content-type': 'application/json' }),
        ...(keyed && method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await answer.body.text()
    if (!bare) {
      if (!statuses.includes(answer.statusCode)) throw new Error(`${answer.statusCode} ${text.slice(0, 120)}`)
      const route = `${root}${path.split('?', 1)[0] ?? ''}`.replaceAll(uuid, ':id')
      const { statusCode: status, headers } = answer
      if (!samples.has(`${method} ${route}`)) {
        samples.set(`${method} ${route}`, { method, route, status, headers: textsOf(headers), body: text })
      }
    }
    return (text === '' ? {} : JSON.parse(text)) as T // as documented by the API
  }
  return send
}

function textsOf(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const own = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date']
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.includes(name) ? [] : [[name, String(value)]])),
  )
}

/** Returns the things that the round uses. They are new if each request uses one up, and otherwise reused. */
async function thingsFor(order: Order, known: Known): Promise<unknown[]> {
  const { prepare, shared, perRound } = operationOf(order)
  const before = known.items.get(order.operation) ?? []
  const isReady = known.prepared.delete(order.operation) || !perRound
  if (!prepare || order.bare || (shared !== undefined && before.length === shared && isReady)) return before
  const perSecond = 1.5 * (known.quickest.get(order.operation) ?? firstPerSecond)
  const count = shared ?? Math.min(maxItems, Math.ceil(order.seconds * perSecond) + order.atOnce)
  const items: unknown[] = []
  const prepared = { ...order, atOnce: preparedAtOnce, keyed: false }
  const send = sender(prepared, known.fixture.root, new Map())
  let left = count
  const worker = async () => {
    while (left-- > 0) items.push(await prepare(known.fixture, send))
  }
  await Promise.all(Array.from({ length: preparedAtOnce }, worker))
  known.items.set(order.operation, items)
  return items
}

function operationOf({ operation }: Order) {
  const found = operations.find(({ name }) => name === operation)
  if (!found) throw new Error(`there is no operation ${operation}`)
  return found
}

function knownOf({ target, world }: Order): Known {
  const known = targets.get(target) ?? {
    fixture: world.ledgerId === undefined ? new Ground(world) : new FloydGround(world),
    items: new Map<string, unknown[]>(),
    prepared: new Set<string>(),
    quickest: new Map<string, number>(),
  }
  targets.set(target, known)
  return known
}

async function prepareOnly(order: Order): Promise<undefined> {
  const known = knownOf(order)
  await thingsFor(order, known)
  known.prepared.add(order.operation)
}

async function run(order: Order): Promise<Outcome> {
  const { atOnce, seconds, bare, perSecond = Infinity, once: isOnce } = order
  const known = knownOf(order)
  const { request, prepare, shared } = operationOf(order)
  const items = await thingsFor(order, known)
  const most = prepare && shared === undefined && !bare ? items.length : Infinity
  const max = isOnce ? atOnce : most
  const [samples, latenciesMs, errors] = [
    new Map<string, Sample>(),
    [] as number[],
    {} as Record<string, number>,
  ]
  const results: Record<string, number> = {}
  const send = sender(order, known.fixture.root, samples)
  known.fixture.beginRound()
  const startedMs = performance.now()
  let turns = 0
  const worker = async () => {
    while (turns < max && performance.now() - startedMs < seconds * 1000) {
      const turn = turns++
      const waitMs = startedMs + (turn * 1000) / perSecond - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const sentMs = performance.now()
      try {
        const result = await request(known.fixture, send, { thing: items[turn % items.length], turn })
        latenciesMs.push(performance.now() - sentMs)
        if (typeof result === 'string') results[result] = (results[result] ?? 0) + 1
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        errors[message] = (errors[message] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const took = (performance.now() - startedMs) / 1000
  const done = latenciesMs.length
  if (!bare)
    known.quickest.set(order.operation, Math.max(done / took, known.quickest.get(order.operation) ?? 0))
  latenciesMs.sort((one, other) => one - other)
  const at = (share: number) => latenciesMs[Math.floor(share * done)] ?? NaN
  return {
    done,
    seconds: took,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    errors,
    results,
    samples: [...samples.values()],
  }
}

if (import.meta.main) {
  process.on('message', (order: Order) => {
    const work: Promise<Outcome | undefined> = order.prepareOnly ? prepareOnly(order) : run(order)
    work.then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    )
  })
}

import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Pool } from 'undici'
import { endingWithUs } from './children.ts'
import { Ground, operations, type Send, type World } from './operations.ts'

/* The load generator: a process of its own, which is told one round after the other. */

/** What one round is to do. */
export interface Order {
  /** Which database is asked; what was made in it before is known by this name. */
  target: string
  world: World
  addresses: string[]
  operation: string
  keyed: boolean
  atOnce: number
  seconds: number
  /** Only repeats what was asked of the target before, at a server that answers all of it with the same bytes. */
  bare: boolean
}

/** An answer as it came, for a bare server to give. */
export interface Sample {
  method: string
  /** The path with `:id` in place of ids, without its query. */
  route: string
  status: number
  headers: Record<string, string>
  body: string
}

/** What came of a round. */
export interface Outcome {
  done: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** How often each unexpected answer came. */
  errors: Record<string, number>
  samples: Sample[]
}

/** A round that ends early for want of things measures less; one that prepares more takes for ever. */
const mostThings = 12_000
const firstPerSecond = 300
const preparedAtOnce = 16
const longestRoundMs = 120_000
const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** The load generator, in a process of its own. */
export class Load {
  private readonly child: ChildProcess

  constructor() {
    this.child = endingWithUs(fork(import.meta.filename, { execArgv: [], detached: true }))
  }

  /** Loads a target for a while. */
  async run(order: Order): Promise<Outcome> {
    this.child.send(order)
    const signal = AbortSignal.timeout(longestRoundMs)
    const [said] = (await once(this.child, 'message', { signal })) as [
      { outcome: Outcome } | { failure: string },
    ]
    if ('failure' in said) throw new Error(said.failure)
    return said.outcome
  }

  stop(): void {
    this.child.kill()
  }
}

/** What was made in a target so far. */
interface Known {
  ground: Ground
  things: Map<string, unknown[]>
  quickest: Map<string, number>
}

const targets = new Map<string, Known>()

/** Sends requests over so many connections to each address in turn, and keeps a sample of each answer. */
function sender({ addresses, atOnce, keyed, bare }: Order, samples: Map<string, Sample>) {
  const connections = Math.ceil(atOnce / addresses.length)
  const pools = addresses.map((address) => new Pool(address, { connections, pipelining: 1 }))
  let turn = 0
  const send: Send = async <T>(request: Parameters<Send>[0], statuses = [200, 201, 204]): Promise<T> => {
    const { method, path, token, network, body } = request
    const pool = pools[turn++ % pools.length] as Pool
    const answer = await pool.request({
      method,
      path: `/api/v1${path}`,
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
      const route = `/api/v1${path.split('?', 1)[0] ?? ''}`.replaceAll(uuid, ':id')
      const { statusCode: status, headers } = answer
      if (!samples.has(`${method} ${route}`)) {
        samples.set(`${method} ${route}`, { method, route, status, headers: textsOf(headers), body: text })
      }
    }
    return (text === '' ? {} : JSON.parse(text)) as T // what the API documents
  }
  return { send, close: () => Promise.all(pools.map((pool) => pool.close())) }
}

function textsOf(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const own = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date']
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.includes(name) ? [] : [[name, String(value)]])),
  )
}

/** What the round uses: made anew where each request uses one up, else what was made before. */
async function thingsFor(order: Order, known: Known): Promise<unknown[]> {
  const { prepare, shared } = operationOf(order)
  const before = known.things.get(order.operation) ?? []
  if (!prepare || order.bare || (shared !== undefined && before.length === shared)) return before
  const perSecond = 1.5 * (known.quickest.get(order.operation) ?? firstPerSecond)
  const count = shared ?? Math.min(mostThings, Math.ceil(order.seconds * perSecond) + order.atOnce)
  const things: unknown[] = []
  const { send, close } = sender({ ...order, atOnce: preparedAtOnce, keyed: false }, new Map())
  let left = count
  const worker = async () => {
    while (left-- > 0) things.push(await prepare(known.ground, send))
  }
  await Promise.all(Array.from({ length: preparedAtOnce }, worker))
  await close()
  known.things.set(order.operation, things)
  return things
}

function operationOf({ operation }: Order) {
  const found = operations.find(({ name }) => name === operation)
  if (!found) throw new Error(`there is no operation ${operation}`)
  return found
}

async function run(order: Order): Promise<Outcome> {
  const { target, atOnce, seconds, bare } = order
  const known = targets.get(target) ?? {
    ground: new Ground(order.world),
    things: new Map<string, unknown[]>(),
    quickest: new Map<string, number>(),
  }
  targets.set(target, known)
  const { request, prepare, shared } = operationOf(order)
  const things = await thingsFor(order, known)
  const most = prepare && shared === undefined && !bare ? things.length : Infinity
  const [samples, latenciesMs, errors] = [
    new Map<string, Sample>(),
    [] as number[],
    {} as Record<string, number>,
  ]
  const { send, close } = sender(order, samples)
  const startedMs = performance.now()
  let turns = 0
  const worker = async () => {
    while (turns < most && performance.now() - startedMs < seconds * 1000) {
      const turn = turns++
      const sentMs = performance.now()
      try {
        await request(known.ground, send, { thing: things[turn % things.length], turn })
        latenciesMs.push(performance.now() - sentMs)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        errors[message] = (errors[message] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const took = (performance.now() - startedMs) / 1000
  await close()
  const done = latenciesMs.length
  if (!bare)
    known.quickest.set(order.operation, Math.max(done / took, known.quickest.get(order.operation) ?? 0))
  latenciesMs.sort((one, other) => one - other)
  const at = (share: number) => latenciesMs[Math.floor(share * done)] ?? NaN
  return { done, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99), errors, samples: [...samples.values()] }
}

if (import.meta.main) {
  process.on('message', (order: Order) => {
    run(order).then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    )
  })
}

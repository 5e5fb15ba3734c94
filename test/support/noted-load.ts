import { randomUUID } from 'node:crypto'
import type { Acknowledged } from './checker.ts'
import { clientOf, slot, type Cluster } from './cluster.ts'
import { openSessions, type Call } from './http-client.ts'
import { ada, offer, type Reply } from './test-service.ts'

/** Clients that hold, book, cancel and release as fast as they get answers, and record them. */
export interface NotedLoad {
  acknowledged: Acknowledged
  /** Answers that no client may ever see, such as a 500. */
  unexpected: string[]
  /** Returns the number of answered requests so far. */
  answered(): number
  /** Each request that was refused with 503, and each whose connection broke. */
  refused: string[]
  /** When each hold was acknowledged, in milliseconds of `performance.now`. */
  heldAtMs: number[]
  /** The IDs of holds that are visits of two services. */
  visits: Set<string>
  /** Ends the load when every client has its last answer. */
  stop(): Promise<void>
}

/** No session holds more than 730 days ahead, so each pair of clients has a separate service. */
const slotsPerClient = 8_600
/** A stopped or draining server refuses connections or answers 503. Anything else is unexpected. */
const expected = [201, 200, 204, 404, 409, 503]

/**
 * With `repeats`, holds and conversions carry an Idempotency-Key. They are repeated with it until there is an answer
 * other than 503. None of them stays in doubt.
 */
export async function startNotedLoad(
  cluster: Cluster,
  call: Call,
  { clients = 16, pauseMs = 0, repeats = false } = {},
): Promise<NotedLoad> {
  const acknowledged: Acknowledged = new Map()
  const unexpected: string[] = []
  const refused: string[] = []
  const heldAtMs: number[] = []
  const visits = new Set<string>()
  const client = clientOf(cluster, call)
  const tokens = await openSessions(call, cluster.addresses, {
    key: cluster.business.publishable_key,
    count: clients,
  })
  const pairs: Awaited<ReturnType<typeof makeServices>>[] = []
  for (let pair = 0; pair < clients / 2; pair += 1) {
    // if created at once, they would wait for each other's lock on the business
    pairs.push(await makeServices(cluster, call, `Load ${pair}`))
  }
  let answered = 0
  let ended = false

  /** Returns the answer, or undefined if the connection broke. The effect of the request is then unknown. */
  async function answerTo(request: Promise<Reply>): Promise<Reply | undefined> {
    try {
      const reply = await request
      answered += 1
      if (!expected.includes(reply.status)) unexpected.push(`${reply.status} ${JSON.stringify(reply.body)}`)
      if (reply.status !== 503) return reply
      refused.push(`503 ${JSON.stringify(reply.body)}`)
    } catch (error) {
      refused.push(String((error as Error).cause ?? error))
    }
    return undefined
  }

  /** Sends a request about an acknowledged hold or booking, which is in doubt until the answer arrives. */
  async function about(id: string, request: () => Promise<Reply>): Promise<Reply | undefined> {
    const known = acknowledged.get(id)
    if (known) acknowledged.set(id, { ...known, inDoubt: true })
    const reply = await answerTo(request())
    if (known && reply) acknowledged.set(id, known)
    return reply
  }

  /** Sends a hold or a conversion. */
  async function create(turn: number, path: string, token: string, body: object): Promise<Reply | undefined> {
    const headers = repeats ? { 'idempotency-key': randomUUID() } : {}
    for (let attempt = 0; ; attempt += 1) {
      const sent = call(cluster.address(turn + attempt), 'POST', path, { token, body, headers })
      const reply = await answerTo(sent)
      if (reply || !repeats) return reply
      await pause(50)
    }
  }

  async function once(turn: number, token: string, round: number): Promise<void> {
    // two clients want each slot, and no client wants one twice, which would replace its own hold
    const { plain, visit } = pairs[turn >> 1] ?? {}
    const isVisit = round % 3 === 0
    const body = { ...(isVisit ? visit : plain), starts_at: slot(round % slotsPerClient) }
    const held = await create(turn + round, '/bookings/hold', token, body)
    if (held?.status !== 201) return held ? undefined : pause(10)
    heldAtMs.push(performance.now())
    const id = String(held.body.hold_id)
    if (isVisit) visits.add(id)
    const expiresAtMs = Date.parse(String(held.body.expires_at))
    acknowledged.set(id, { state: 'held', expiresAtMs, inDoubt: false })
    if (round % 4 === 0) return // stays held
    if (round % 4 === 1) {
      const released = await about(id, () => client.release(turn, token, id))
      if (released?.status === 204) acknowledged.set(id, { state: 'released', expiresAtMs, inDoubt: false })
      return
    }
    const known = acknowledged.get(id)
    if (known) acknowledged.set(id, { ...known, inDoubt: true })
    const booked = await create(turn + round, '/bookings', token, { hold_id: id, client: ada })
    if (known && booked) acknowledged.set(id, known)
    if (booked?.status !== 201) return
    acknowledged.set(id, { state: 'booked', expiresAtMs, inDoubt: false })
    if (round % 4 === 2) {
      // stays booked, perhaps at another time
      const starts_at = slot(2 * slotsPerClient + (round % slotsPerClient))
      await about(id, () => client.change(turn, id, { starts_at }))
      return
    }
    const cancelled = await about(id, () => client.cancel(turn, id))
    if (cancelled?.status === 200) acknowledged.set(id, { state: 'cancelled', expiresAtMs, inDoubt: false })
  }

  const loops = tokens.map(async (token, turn) => {
    for (let round = 0; !ended; round += 1) {
      await once(turn, token, round)
      if (pauseMs > 0) await pause(pauseMs)
    }
  })
  return {
    acknowledged,
    unexpected,
    refused,
    heldAtMs,
    visits,
    answered: () => answered,
    stop: async () => {
      ended = true
      await Promise.all(loops)
    },
  }
}

/**
 * Creates a service without staff, whose bookings conflict with no other's, and a visit of it and a further one. The
 * further one needs a room, so a visit takes three things.
 */
async function makeServices(cluster: Cluster, call: Call, name: string) {
  const { business } = cluster
  const { location_id } = offer(business, 'Meeting room')
  const make = async (path: string, body: object) => {
    const made = await call(cluster.address(0), 'POST', path, { token: business.business_key, body })
    if (made.status !== 201) throw new Error(`${path}: ${JSON.stringify(made.body)}`)
    return String(made.body.id)
  }
  const offered = { name, duration_minutes: 60, max_advance_days: 730, location_ids: [location_id] }
  const service_id = await make('/services', offered)
  const room = await make('/resources', { location_id, name })
  const further = await make('/services', { ...offered, needs: [{ resource_ids: [room] }] })
  return {
    plain: { service_id, location_id },
    visit: { location_id, items: [{ service_id }, { service_id: further }] },
  }
}

/** Waits between rounds, and between attempts while there is no server. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

import { resolve } from 'node:path'
import { inject } from 'vitest'
import type { DemoWorld } from '../../src/catalogue/demo-world.ts'
import type { Engine } from '../../src/database/database.ts'
import { freePort } from './free-port.ts'
import { type LoadBalancer, startHaproxy } from './haproxy.ts'
import { builtServer, demoWorld, type ProcessOptions, project } from './holdfast-process.ts'
import type { Call } from './http-client.ts'
import { isWhole } from './long.ts'
import { type ServerProcess, startServer, withoutLimits } from './server-process.ts'
import { createMigratedDatabase, type TestDatabase } from './test-database.ts'
import { ada, businessOf, offer, type Reply } from './test-service.ts'

/** Servers over one database with the demo world: one on SQLite, two on PostgreSQL, or more behind a load balancer. */
export interface Cluster {
  databaseUrl: string
  world: DemoWorld
  /** The first business of the demo world, which owns everything here. */
  business: DemoWorld['businesses'][number]
  /** A test may replace one that it has ended. */
  servers: ServerProcess[]
  /** Targets of clients' requests: the servers themselves, or the load balancer. */
  addresses: string[]
  /** Returns the URL of the n-th turn. */
  address(turn: number): string
  /** Starts one more server over the same database. Behind a load balancer it replaces the n-th, which has ended. */
  start(place?: number, options?: Omit<ProcessOptions, 'variables'>): Promise<ServerProcess>
  stop(): Promise<void>
}

interface ClusterOptions {
  /** Used instead of a new one. Its `drop` is called at the end. */
  database?: TestDatabase
  preloads?: string[]
  /** Number of servers behind HAProxy. By default there is no HAProxy. */
  nodes?: number
}

/** For tests written for two servers, which run through HAProxy with three in the whole form. */
export const nodesOfRun = isWhole && inject('haproxy') !== null ? 3 : 0

const dieAtText = resolve(project, 'test/support/die-at-text.ts')

/** Replaces the servers by one that kills itself when it sends a statement with this text. */
export async function replaceByDying(
  cluster: Cluster,
  text: string,
  variables: Record<string, string>,
): Promise<ServerProcess> {
  await Promise.all(cluster.servers.map((server) => server.stop()))
  const dying = await startServer(
    cluster.databaseUrl,
    { ...variables, DIE_AT_TEXT: text },
    { preloads: [dieAtText], program: builtServer },
  )
  cluster.servers.splice(0, Infinity, dying)
  return dying
}

export async function startCluster(
  engine: Engine,
  variables: Record<string, string> = {},
  options: ClusterOptions = {},
): Promise<Cluster> {
  const { database = await createMigratedDatabase(engine), preloads = [] } = options
  const nodes = engine === 'sqlite' ? 0 : (options.nodes ?? 0)
  const world = await demoWorld(database.url)
  const ports = await Promise.all(Array.from({ length: nodes }, freePort))
  const start: Cluster['start'] = async (place = 0, process = { preloads }) => {
    const port = ports[place]
    const chosen = { ...withoutLimits, ...(port !== undefined && { PORT: String(port) }), ...variables }
    const server = await startServer(database.url, chosen, process)
    if (port !== undefined) await balancer?.takes(port)
    return server
  }
  let balancer: LoadBalancer | undefined
  const count = engine === 'sqlite' ? 1 : nodes || 2
  const servers = await Promise.all(Array.from({ length: count }, (_, place) => start(place)))
  if (nodes > 0) balancer = await startHaproxy(inject('haproxy') ?? '', ports)
  const addresses = () => (balancer ? [balancer.address] : servers.map(({ address }) => address))
  return {
    databaseUrl: database.url,
    world,
    business: businessOf(world, 'Salon Spree'),
    servers,
    get addresses() {
      return addresses()
    },
    address: (turn) => addresses()[turn % addresses().length] ?? '',
    start,
    stop: async () => {
      await balancer?.stop()
      await Promise.all(servers.map((server) => server.stop()))
      await database.drop()
    },
  }
}

const hourMs = 3_600_000
const firstSlotMs = Math.ceil(Date.now() / (24 * hourMs)) * 24 * hourMs + 24 * hourMs

/** Returns the start of the n-th of many separate slots: every second hour from the day after tomorrow on. */
export function slot(index: number, plusMinutes = 0): string {
  return new Date(firstSlotMs + index * 2 * hourMs + plusMinutes * 60_000).toISOString()
}

/** Does the main job over a cluster's first business. Each request goes to the next server. */
export function clientOf(cluster: Cluster, call: Call) {
  const { business } = cluster
  const key = business.business_key
  return {
    hold: (turn: number, token: string, startsAt: string, service = 'Meeting room'): Promise<Reply> =>
      call(cluster.address(turn), 'POST', '/bookings/hold', {
        token,
        body: { ...offer(business, service), starts_at: startsAt },
      }),
    convert: (turn: number, token: string, holdId: string): Promise<Reply> =>
      call(cluster.address(turn), 'POST', '/bookings', { token, body: { hold_id: holdId, client: ada } }),
    release: (turn: number, token: string, holdId: string): Promise<Reply> =>
      call(cluster.address(turn), 'DELETE', `/bookings/hold/${holdId}`, { token }),
    change: (turn: number, id: string, body: object): Promise<Reply> =>
      call(cluster.address(turn), 'PATCH', `/bookings/${id}`, { token: key, body }),
    cancel: (turn: number, id: string): Promise<Reply> =>
      call(cluster.address(turn), 'DELETE', `/bookings/${id}`, { token: key }),
  }
}

/** Holds a slot that nobody else wants and books it. */
export async function book(
  client: ReturnType<typeof clientOf>,
  token: string,
  startsAt: string,
): Promise<string> {
  const hold = await client.hold(0, token, startsAt)
  const booked = await client.convert(0, token, String(hold.body.hold_id))
  if (booked.status !== 201) throw new Error(`no booking: ${JSON.stringify([hold.body, booked.body])}`)
  return booked.body.id as string
}

import type { DemoWorld } from '../../src/catalogue/make-demo-world.ts'
import type { Engine } from '../../src/database/database.ts'
import { demoWorld } from './holdfast-process.ts'
import type { Call } from './http-client.ts'
import { startServer, withoutLimits, type ServerProcess } from './server-process.ts'
import { createMigratedDatabase } from './test-database.ts'
import { ada, businessOf, offer, type Reply } from './test-service.ts'

/** Servers over one database with the demo world: one on SQLite, two on PostgreSQL. */
export interface Cluster {
  databaseUrl: string
  world: DemoWorld
  /** The demo world's first business, of which everything here is. */
  business: DemoWorld['businesses'][number]
  /** A test may put another in the place of one that it has ended. */
  servers: ServerProcess[]
  addresses: string[]
  /** The address whose turn it is. */
  address(turn: number): string
  /** Starts one more server over the same database. */
  start(): Promise<ServerProcess>
  stop(): Promise<void>
}

export async function startCluster(engine: Engine, variables: Record<string, string> = {}): Promise<Cluster> {
  const database = await createMigratedDatabase(engine)
  const world = await demoWorld(database.url)
  const start = () => startServer(database.url, { ...withoutLimits, ...variables })
  const servers = await Promise.all(engine === 'sqlite' ? [start()] : [start(), start()])
  return {
    databaseUrl: database.url,
    world,
    business: businessOf(world, 'Salon Spree'),
    servers,
    get addresses() {
      return servers.map(({ address }) => address)
    },
    address: (turn) => servers[turn % servers.length]?.address ?? '',
    start,
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
      await database.drop()
    },
  }
}

const hourMs = 3_600_000
const firstSlotMs = Math.ceil(Date.now() / (24 * hourMs)) * 24 * hourMs + 24 * hourMs

/** The start of the n-th of many slots that do not touch: every second hour from the day after tomorrow on. */
export function slot(index: number, plusMinutes = 0): string {
  return new Date(firstSlotMs + index * 2 * hourMs + plusMinutes * 60_000).toISOString()
}

/** The main job over a cluster's first business, each request to the server whose turn it is. */
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

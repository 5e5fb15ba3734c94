import type { FastifyInstance } from 'fastify'
import type { DestinationStream, Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { sessionRoutes } from './access/session-routes.ts'
import { oldSessions } from './access/tidy-sessions.ts'
import { bookingRoutes } from './bookings/booking-routes.ts'
import { countActiveHolds } from './bookings/count-active-holds.ts'
import { holdRoutes } from './bookings/hold-routes.ts'
import { lapsedClaims, oldHolds } from './bookings/tidy-holds.ts'
import { catalogueRoutes } from './catalogue/catalogue-routes.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { pause, type Database, type StatementListener } from './database/database.ts'
import { openPostgres } from './database/postgres.ts'
import { openSqlite } from './database/sqlite.ts'
import { healthRoutes } from './http/health-routes.ts'
import { pageRoutes } from './http/pages/page-routes.ts'
import { createServer } from './http/server.ts'
import { startHousekeeping } from './housekeeping.ts'
import { Flights } from './idempotency/flights.ts'
import { oldRecords } from './idempotency/tidy-records.ts'
import { systemIds, type Ids } from './ids.ts'
import { createLog } from './log.ts'
import { uncounted } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { openRateLimiter } from './rate-limits/open-rate-limiter.ts'
import type { RateLimiter } from './rate-limits/rate-limiter.ts'
import { oldWindows } from './rate-limits/tidy-windows.ts'
import { ReadCache } from './read-cache.ts'

/** What tests put in the place of the real thing. */
export interface Replacements {
  clock?: Clock
  ids?: Ids
  logStream?: DestinationStream
  onStatement?: StatementListener
  limiter?: RateLimiter
}

/**
 * Opens the database and makes the context of all operations: what the command line and the server share.
 * With `looksOnly`, a SQLite file is left as it is, to the byte.
 */
export async function createContext(
  config: Config,
  replacements: Replacements = {},
  { looksOnly = false } = {},
): Promise<Context> {
  const log = createLog(config.logLevel, replacements.logStream)
  const ids = replacements.ids ?? systemIds
  const { db, clock } = await openDatabase(config, log, { ...replacements, looksOnly })
  const cache = new ReadCache(clock)
  return { db, clock, ids, log, config, cache, metrics: uncounted, flights: new Flights() }
}

async function openDatabase(
  { database, databasePoolSize }: Config,
  log: Logger,
  { clock, ids = systemIds, onStatement, looksOnly }: Replacements & { looksOnly: boolean },
): Promise<{ db: Database; clock: Clock }> {
  const shared = { fraction: () => ids.fraction(), ...(onStatement && { onStatement }) }
  if (database.engine === 'sqlite') {
    const own = clock ?? systemClock
    return { db: openSqlite({ ...shared, file: database.file, clock: own, looksOnly }), clock: own }
  }
  return openPostgres({
    ...shared,
    url: database.url,
    poolSize: databasePoolSize,
    ...(clock && { clock }),
    onIdleError: (error) => {
      log.warn({ err: error }, 'an idle database connection was lost')
    },
  })
}

/** What housekeeping deletes. */
export const chores = [lapsedClaims, oldHolds, oldSessions, oldRecords, oldWindows]

/** What has not ended by then is cut off: with the rest of stopping, the process ends within ten seconds. */
const stopLimitMs = 8_500

/** The running service. */
export interface App {
  context: Context
  server: FastifyInstance
  /** Listens and tells the address, such as http://127.0.0.1:3000. */
  listen(): Promise<string>
  /** Stops: readiness fails, what is in flight finishes or is cut off after 8.5 seconds, the database closes. */
  stop(): Promise<void>
}

/** Wires the service over an open context; the schema must be up to date. */
export async function createApp(
  opened: Context,
  { onStatement, limiter: given }: Pick<Replacements, 'onStatement' | 'limiter'> = {},
): Promise<App> {
  const state = { draining: false }
  const watched = openMetrics(opened, {
    version: packageJson.version,
    countActiveHolds: () => countActiveHolds(opened),
  })
  const context = { ...opened, metrics: watched.metrics }
  const routes = {
    api: [sessionRoutes, catalogueRoutes, holdRoutes, bookingRoutes],
    around: [healthRoutes(state), pageRoutes, metricsRoutes(watched)],
  }
  const limiter = given ?? (await openRateLimiter(context, onStatement))
  const server = await createServer(context, routes, { state, limiter })
  const housekeeping = startHousekeeping(context, chores)
  return {
    context,
    server,
    listen: () => server.listen({ host: context.config.host, port: context.config.port }),
    stop: async () => {
      state.draining = true
      // a client that never finishes its request would keep the server open for ever
      const cutOff = setTimeout(() => {
        context.log.warn('requests did not finish in time and were cut off')
        server.server.closeAllConnections()
      }, stopLimitMs)
      await pause(context.config.drainSeconds * 1000)
      await server.close()
      clearTimeout(cutOff)
      await housekeeping.stop()
      watched.close()
      // side by side: a server that does not answer their farewells costs each of them a second
      await Promise.all([limiter.close(), context.db.close()])
    },
  }
}

import type { FastifyInstance } from 'fastify'
import type { DestinationStream, Logger } from 'pino'
import { sessionRoutes } from './access/session-routes.ts'
import { bookingRoutes } from './bookings/booking-routes.ts'
import { holdRoutes } from './bookings/hold-routes.ts'
import { startHousekeeping } from './bookings/housekeeping.ts'
import { catalogueRoutes } from './catalogue/catalogue-routes.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { pause, type Database, type StatementListener } from './database/database.ts'
import { openPostgres } from './database/postgres.ts'
import { openSqlite } from './database/sqlite.ts'
import { healthRoutes } from './http/health-routes.ts'
import { createServer } from './http/server.ts'
import { systemIds, type Ids } from './ids.ts'
import { createLog } from './log.ts'
import { ReadCache } from './read-cache.ts'

/** What tests put in the place of the real thing. */
export interface Replacements {
  clock?: Clock
  ids?: Ids
  logStream?: DestinationStream
  onStatement?: StatementListener
}

/** Opens the database and makes the context of all operations: what the command line and the server share. */
export async function createContext(config: Config, replacements: Replacements = {}): Promise<Context> {
  const log = createLog(config.logLevel, replacements.logStream)
  const ids = replacements.ids ?? systemIds
  const { db, clock } = await openDatabase(config, log, replacements)
  return { db, clock, ids, log, config, cache: new ReadCache(clock) }
}

async function openDatabase(
  { database, databasePoolSize }: Config,
  log: Logger,
  { clock, ids = systemIds, onStatement }: Replacements,
): Promise<{ db: Database; clock: Clock }> {
  const shared = { fraction: () => ids.fraction(), ...(onStatement && { onStatement }) }
  if (database.engine === 'sqlite') {
    const own = clock ?? systemClock
    return { db: openSqlite({ ...shared, file: database.file, clock: own }), clock: own }
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
export async function createApp(context: Context): Promise<App> {
  const state = { draining: false }
  const routes = {
    api: [sessionRoutes, catalogueRoutes, holdRoutes, bookingRoutes],
    around: [healthRoutes(state)],
  }
  const server = await createServer(context, routes, state)
  const housekeeping = startHousekeeping(context)
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
      await context.db.close()
    },
  }
}

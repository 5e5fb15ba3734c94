import type { DestinationStream, Logger } from 'pino'
import { ServerSecret } from './access/server-secret.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import type { Database, StatementListener } from './database/database.ts'
import { openPostgres } from './database/postgres.ts'
import { openSqlite } from './database/sqlite.ts'
import { Flights } from './idempotency/flights.ts'
import { systemIds, type Ids } from './ids.ts'
import { createLog } from './log.ts'
import { uncounted } from './metrics/metrics.ts'
import { DepositCheckouts } from './payments/deposit-checkouts.ts'
import { openProvider } from './payments/open-provider.ts'
import { ReadCache } from './read-cache.ts'
import { DeliverySignal } from './webhooks/delivery-signal.ts'

/** What tests put in the place of the real thing. */
export interface ContextReplacements {
  clock?: Clock
  ids?: Ids
  logStream?: DestinationStream
  onStatement?: StatementListener
}

/**
 * Opens the database and makes the context of all operations: what the command line and the server share. With
 * `looksOnly`, a SQLite file is left as it is, to the byte. Loads nothing of the server, so that a command starts fast.
 */
export async function createContext(
  config: Config,
  replacements: ContextReplacements = {},
  { looksOnly = false } = {},
): Promise<Context> {
  const log = createLog(config.logLevel, replacements.logStream)
  const ids = replacements.ids ?? systemIds
  const { db, clock } = await openDatabase(config, log, { ...replacements, looksOnly })
  const cache = new ReadCache(clock)
  const inMemory = {
    flights: new Flights(),
    dueDeliveries: new DeliverySignal(),
  }
  const provider = openProvider({ db, ids, config })
  const checkouts = new DepositCheckouts({ db, ids, log, config, provider })
  const secret = new ServerSecret({ db, ids, config })
  return { db, clock, ids, log, config, cache, metrics: uncounted, checkouts, secret, ...inMemory }
}

async function openDatabase(
  { database, databasePoolSize }: Config,
  log: Logger,
  { clock, ids = systemIds, onStatement, looksOnly }: ContextReplacements & { looksOnly: boolean },
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

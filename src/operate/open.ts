import type { DestinationStream, Logger } from 'pino'
import { ServerSecret } from '../access/server-secret.ts'
import { type Clock, FollowingClock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import { type Ids, systemIds } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { ReadCache } from '../base/read-cache.ts'
import type { Database, StatementListener } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { DepositCheckouts, openProvider } from '../payments/checkout.ts'
import { uncounted } from '../watch/metrics.ts'
import { DueSignal } from '../database/lease-loop.ts'
import type { Context } from '../bookings/context.ts'

/** Replacements for tests. */
interface ContextReplacements {
  clock?: Clock
  ids?: Ids
  logStream?: DestinationStream
  onStatement?: StatementListener
}

/**
 * Opens the database and creates the context of all operations, for the command line and the server. With `readsOnly`,
 * leaves a SQLite file unchanged, to the byte. Loads nothing of the server, so that commands start fast.
 */
export async function createContext(
  config: Config,
  replacements: ContextReplacements = {},
  { readsOnly = false } = {},
): Promise<Context> {
  const log = createLog(config.logLevel, replacements.logStream)
  const ids = replacements.ids ?? systemIds
  const { db, clock: real } = await openDatabase(config, log, { ...replacements, readsOnly })
  const clock = new FollowingClock(real)
  const cache = new ReadCache(real)
  const inMemory = {
    dueDeliveries: new DueSignal(),
    dueMails: new DueSignal(),
    dueTexts: new DueSignal(),
    duePushes: new DueSignal(),
    dueOffers: new DueSignal(),
    dueCalendars: new DueSignal(),
  }
  const provider = openProvider({ db, ids, config })
  const secret = new ServerSecret({ db, ids, config })
  const checkouts = new DepositCheckouts({ db, ids, log, config, secret, provider })
  return { db, clock, ids, log, config, cache, metrics: uncounted, checkouts, secret, ...inMemory }
}

async function openDatabase(
  { database, databaseReadUrls, databasePoolSize }: Config,
  log: Logger,
  { clock, ids = systemIds, onStatement, readsOnly }: ContextReplacements & { readsOnly: boolean },
): Promise<{ db: Database; clock: Clock }> {
  const shared = { fraction: () => ids.fraction(), ...(onStatement && { onStatement }) }
  if (database.engine === 'sqlite') {
    const own = clock ?? systemClock
    return { db: openSqlite({ ...shared, file: database.file, clock: own, readsOnly }), clock: own }
  }
  // loaded late, because SQLite does not need PostgreSQL's driver
  const { openPostgres } = await import('../database/postgres.ts')
  return openPostgres({
    ...shared,
    urls: database.urls,
    readUrls: databaseReadUrls,
    poolSize: databasePoolSize,
    ...(clock && { clock }),
    onIdleError: (error) => {
      log.warn({ err: error }, 'an idle database connection was lost')
    },
  })
}

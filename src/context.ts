import type { Logger } from 'pino'
import type { ServerSecret } from './access/server-secret.ts'
import type { Checkouts } from './checkouts.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { Flights } from './idempotency/flights.ts'
import type { Ids } from './ids.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { ReadCache } from './read-cache.ts'
import type { DeliverySignal } from './webhooks/delivery-signal.ts'

/** What an operation is handed: everything that it may touch beside its input. */
export interface Context {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  config: Config
  cache: ReadCache
  metrics: Metrics
  flights: Flights
  dueDeliveries: DeliverySignal
  checkouts: Checkouts
  secret: ServerSecret
}

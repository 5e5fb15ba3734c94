import type { Context as DatabaseContext } from '../database/context.ts'
import type { Metrics } from '../watch/metrics.ts'
import type { ServerSecret } from './server-secret.ts'

/** Adds the metrics and the secret for hashing client data to the database context. */
export interface Context extends DatabaseContext {
  metrics: Metrics
  secret: ServerSecret
}

import type { Logger } from 'pino'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { Ids } from '../base/ids.ts'
import type { ReadCache } from '../base/read-cache.ts'
import type { Database } from './database.ts'

/** The dependencies of operations. Later folders extend it. */
export interface Context {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  config: Config
  cache: ReadCache
}

/** Deletes rows that are no longer needed. Housekeeping runs it. */
export interface CleanupJob<Needs extends Context = Context> {
  /** The name of the rows, for the log. */
  name: string
  /**
   * Deletes at most `max` rows in one short step and returns their number. Fewer than `max` means that none is left.
   */
  deleteBatch(context: Needs, max: number): Promise<number>
}

import type { Config } from '../base/config.ts'
import { dedicatedPoolSize, listeningConnections } from '../database/database.ts'
import type { ServersFound } from '../database/postgres-inspection.ts'
import { serverFindings } from './doctor-rules.ts'
import type { Finding } from './doctor-types.ts'

/** Checks several PostgreSQL servers, a pooled address, and replicas; nothing where there is none of these. */
export async function diagnoseServers(config: Config): Promise<Finding[]> {
  const found = await inspect(config)
  return found ? serverFindings(found) : []
}

/** What the servers tell of themselves; undefined where one alone is asked. */
export async function inspect({ database, databaseReadUrls }: Config): Promise<ServersFound | undefined> {
  if (database.engine === 'sqlite') return undefined
  const { isPooled } = await import('../database/postgres-hosts.ts') // late: SQLite needs no driver
  const { inspectServers } = await import('../database/postgres-inspection.ts')
  const { urls } = database
  if (urls.length === 1 && databaseReadUrls.length === 0 && !urls.some(isPooled)) return undefined
  return inspectServers(urls, databaseReadUrls)
}

/**
 * Connections of a server to the PostgreSQL server that takes writes, outside its pool: the sum of the guide "Scaling", but
 * for those of a start.
 */
export async function connectionsBeside({ database, databaseReadUrls, redisUrl }: Config): Promise<number> {
  if (database.engine === 'sqlite') return 0
  const { isPooled } = await import('../database/postgres-hosts.ts')
  const counting = redisUrl === '' ? dedicatedPoolSize : 0
  const listening = database.urls.some(isPooled) ? 0 : listeningConnections
  const watches = counting > 0 ? 2 : 1 // of the pool, and of the one that counts
  const watching = database.urls.length > 1 ? watches + 1 : 0 // and the look of every minute
  return counting + listening + watching + databaseReadUrls.length
}

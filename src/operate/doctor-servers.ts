import type { Config } from '../base/config.ts'
import { dedicatedPoolSize, listeningConnections } from '../database/database.ts'
import type { ServersFound } from '../database/postgres-inspection.ts'
import { serverFindings } from './doctor-rules.ts'
import type { Finding } from './doctor-types.ts'

/** Checks several PostgreSQL servers, a pooled URL, and replicas. Returns nothing if there are none of these. */
export async function diagnoseServers(config: Config): Promise<Finding[]> {
  const found = await inspect(config)
  return found ? serverFindings(found) : []
}

/** Returns the answers of the servers, or undefined for a single server. */
export async function inspect({ database, databaseReadUrls }: Config): Promise<ServersFound | undefined> {
  if (database.engine === 'sqlite') return undefined
  const { isPooled } = await import('../database/postgres-hosts.ts') // loaded late, because SQLite needs no driver
  const { inspectServers } = await import('../database/postgres-inspection.ts')
  const { urls } = database
  if (urls.length === 1 && databaseReadUrls.length === 0 && !urls.some(isPooled)) return undefined
  return inspectServers(urls, databaseReadUrls)
}

/**
 * Returns the connections of a Holdfast server to the primary outside its pool: the sum in the guide "Scaling", without
 * those at startup.
 */
export async function connectionsBeside({ database, databaseReadUrls, redisUrl }: Config): Promise<number> {
  if (database.engine === 'sqlite') return 0
  const { isPooled } = await import('../database/postgres-hosts.ts')
  const counting = redisUrl === '' ? dedicatedPoolSize : 0
  const listening = database.urls.some(isPooled) ? 0 : listeningConnections
  const watches = counting > 0 ? 2 : 1 // for the pool, and for the rate limits
  const watching = database.urls.length > 1 ? watches + 1 : 0 // and the check every minute
  return counting + listening + watching + databaseReadUrls.length
}

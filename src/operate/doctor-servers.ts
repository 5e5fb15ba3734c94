import type { Config } from '../base/config.ts'
import { serverFindings } from './doctor-rules.ts'
import type { Finding } from './doctor-types.ts'

/** Checks several PostgreSQL servers, a pooled address, and a replica; nothing where there is none of these. */
export async function diagnoseServers({ database, databaseReadUrl }: Config): Promise<Finding[]> {
  if (database.engine === 'sqlite') return []
  const { isPooled } = await import('../database/postgres-hosts.ts') // late: SQLite needs no driver
  const { inspectServers } = await import('../database/postgres-inspection.ts')
  const { urls } = database
  if (urls.length === 1 && databaseReadUrl === '' && !urls.some(isPooled)) return []
  return serverFindings(await inspectServers(urls, databaseReadUrl))
}

import { resolve } from 'node:path'
import { startHoldfast, type OwnServer } from '../support/processes.ts'
import type { Stores } from './stores.ts'

/** What is measured: the service on a database, as one process or several. */
export interface Setting {
  name: string
  stores: Stores
  nodes: number
  /** Where requests are counted against their limits. */
  limiter: string
  variables: Record<string, string>
}

/** What two servers that are measured keep in Redis. */
export const redisPrefix = `holdfast-bench-${process.pid}:`

/** The load says of each visitor which address it comes from. */
const behindProxy = { TRUST_PROXY: '127.0.0.0/8' }

/** The settings that can be measured here. Two servers share one PostgreSQL, and count in Redis where there is one. */
export function settingsOf(
  sqlite: Stores | null,
  postgres: Stores | null,
  redisUrl: string | undefined,
): Setting[] {
  const one = { nodes: 1, variables: {} }
  const settings: Setting[] = sqlite ? [{ ...one, name: 'SQLite', stores: sqlite, limiter: 'memory' }] : []
  if (!postgres) return settings
  const inRedis = redisUrl !== undefined && {
    limiter: 'Redis',
    variables: { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: redisPrefix },
  }
  return [
    ...settings,
    { ...one, name: 'PostgreSQL', stores: postgres, limiter: 'PostgreSQL' },
    {
      name: 'PostgreSQL, 2 nodes',
      stores: postgres,
      nodes: 2,
      limiter: 'PostgreSQL',
      variables: {},
      ...inRedis,
    },
  ]
}

/** Starts one process on a SQLite file that commits each transaction by itself. */
export function startWithOneCommitEach(url: string): Promise<OwnServer> {
  const preload = resolve(import.meta.dirname, 'one-commit-each.ts')
  return startHoldfast(url, behindProxy, ['--import', preload])
}

/** Starts the processes of a setting over a database. */
export async function startNodes({ nodes, variables }: Setting, url: string): Promise<OwnServer[]> {
  // one after the other, as the first brings the schema up to date
  const servers: OwnServer[] = []
  for (let index = 0; index < nodes; index += 1) {
    servers.push(await startHoldfast(url, { ...behindProxy, ...variables }))
  }
  return servers
}

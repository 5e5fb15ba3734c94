import type { Config } from '../base/config.ts'
import type { Context } from '../bookings/context.ts'
import { dedicatedPoolSize, listeningConnections } from '../database/database.ts'
import type { ServersFound } from '../database/postgres-inspection.ts'
import { primariesOf, serverFindings } from './doctor-rules.ts'
import type { Finding } from './doctor-types.ts'

/** Checks several PostgreSQL servers, a pooled address, and replicas; nothing where there is none of these. */
export async function diagnoseServers(config: Config): Promise<Finding[]> {
  const found = await inspect(config)
  return found ? serverFindings(found) : []
}

async function inspect({ database, databaseReadUrls }: Config): Promise<ServersFound | undefined> {
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

/** Between two looks of a server that runs. */
const pauseMs = 60_000

/**
 * Tells the log what is wrong with the servers of the database: at the start everything, and with several hosts in
 * DATABASE_URL every minute from then on each fault that is new, such as two that take writes.
 */
export class ServerWatch {
  /** How many hosts of DATABASE_URL took writes at the last look; undefined before it, and with one host. */
  primaries: number | undefined
  private readonly context: Pick<Context, 'config' | 'log'>
  private readonly pauseMs: number
  private told: string[] = []
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> = Promise.resolve()
  private hasStopped = false

  constructor(context: Pick<Context, 'config' | 'log'>, everyMs = pauseMs) {
    this.context = context
    this.pauseMs = everyMs
  }

  start(): void {
    const { database } = this.context.config
    this.running = this.look(true).then(() => {
      if (database.engine === 'postgres' && database.urls.length > 1) this.wait()
    })
  }

  /** Resolves when a look that is under way has ended. */
  stop(): Promise<void> {
    this.hasStopped = true
    clearTimeout(this.timer)
    return this.running
  }

  private wait(): void {
    if (this.hasStopped) return
    this.timer = setTimeout(() => {
      this.running = this.look(false).then(() => this.wait())
    }, this.pauseMs).unref()
  }

  private async look(isFirst: boolean): Promise<void> {
    const { config, log } = this.context
    const found = await inspect(isFirst ? config : { ...config, databaseReadUrls: [] })
    if (!found || this.hasStopped) return
    if (found.servers.length > 1) this.primaries = primariesOf(found.servers).length
    const wrong = serverFindings(found).filter(
      ({ state }) => state === 'fault' || (isFirst && state !== 'ok'),
    )
    for (const { state, detail, fix } of wrong) {
      if (!this.told.includes(detail)) log[state === 'fault' ? 'error' : 'warn']({ fix }, detail)
    }
    this.told = wrong.map(({ detail }) => detail)
  }
}

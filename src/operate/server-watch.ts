import { repeat } from '../base/repeat.ts'
import type { Context } from '../bookings/context.ts'
import { primariesOf, serverFindings } from './doctor-rules.ts'
import { inspect } from './doctor-servers.ts'

/** Time between two checks by a running server. */
const pauseMs = 60_000

/**
 * Logs the faults of the database servers. At startup it logs all of them. With several hosts in DATABASE_URL, it then
 * checks every minute. It logs new faults, such as two servers that accept writes.
 */
export class ServerWatch {
  /** Number of hosts in DATABASE_URL that accepted writes at the last check. Undefined before it, and with one host. */
  primaries: number | undefined
  private readonly context: Pick<Context, 'config' | 'log'>
  private readonly pauseMs: number
  private told: string[] = []
  private first: Promise<void> = Promise.resolve()
  private others: { stop: () => Promise<void> } | undefined
  private hasStopped = false

  constructor(context: Pick<Context, 'config' | 'log'>, everyMs = pauseMs) {
    this.context = context
    this.pauseMs = everyMs
  }

  start(): void {
    const { database } = this.context.config
    this.first = this.look(true).then(() => {
      const hasSeveral = database.engine === 'postgres' && database.urls.length > 1
      if (hasSeveral && !this.hasStopped) this.others = repeat(() => this.look(false), this.pauseMs)
    })
  }

  /** Resolves when the current check has ended. */
  async stop(): Promise<void> {
    this.hasStopped = true
    await this.first
    await this.others?.stop()
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

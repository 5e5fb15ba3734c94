import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { monotonicMs } from '../base/clock.ts'
import { type Primary, WatchedServer } from './postgres-hosts.ts'
import type { Tables } from './tables.ts'

/** Reads of a replica may be this old (contract, section 22). */
const maxDelayMs = 1_000
/** Time between two comparisons of its position with the primary's. */
const compareMs = 200

/** The primary's position in its write-ahead log, and the time of the question. Another cluster has another log. */
interface Position {
  askedMs: number
  bytes: number
  cluster: string | null | undefined
}

const cluster = '(select system_identifier from pg_control_system()) as cluster'
const ofPrimary = `select pg_current_wal_lsn() - '0/0' as bytes, ${cluster}`
const ofReplica = `
  select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end as bytes, ${cluster}`

/**
 * A replica that answers reads while it lags by at most a second. Its delay is measured by positions in the log. The
 * replica shows at least everything committed when the primary was at the replica's present position. Comparing times
 * would fail with the clocks of two machines, or with a replica that has lost its primary.
 */
export class Replica {
  readonly queries: Kysely<Tables>
  private readonly stopping = new AbortController()
  private readonly watching: Promise<void>
  private positions: Position[] = []
  private freshMs = -Infinity

  constructor(url: string, primary: Primary, queries: Kysely<Tables>) {
    this.queries = queries
    primary.onChange(() => {
      this.positions = [] // another server has a different log
      this.suspect()
    })
    this.watching = this.watch(primary, new WatchedServer(url))
  }

  /** Upper bound of the delay in milliseconds. Infinity if unknown. */
  get delayMs(): number {
    return monotonicMs() - this.freshMs
  }

  isFresh(): boolean {
    return this.delayMs <= maxDelayMs
  }

  /** Excludes the replica from reads until the next comparison. */
  suspect(): void {
    this.freshMs = -Infinity
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.queries.destroy()
    await this.watching
  }

  private async watch(primary: Primary, replica: WatchedServer): Promise<void> {
    const { signal } = this.stopping
    let asked: { url: string; server: WatchedServer } | undefined
    while (!signal.aborted) {
      const { known = asked?.url } = primary
      if (known !== undefined && known !== asked?.url) {
        asked?.server.close()
        asked = { url: known, server: new WatchedServer(known) }
      }
      await this.compare(asked?.server, replica)
      await sleep(compareMs, undefined, { signal }).catch(() => undefined)
    }
    asked?.server.close()
    replica.close()
  }

  private async compare(primary: WatchedServer | undefined, replica: WatchedServer): Promise<void> {
    const askedMs = monotonicMs()
    const { positions } = this
    const [there, here] = await Promise.all([primary?.ask(ofPrimary), replica.ask(ofReplica)])
    if (positions !== this.positions) return // the answer belongs to a former primary
    if (typeof there?.['bytes'] === 'string') {
      positions.push({ askedMs, bytes: Number(there['bytes']), cluster: there['cluster'] })
    }
    if (typeof here?.['bytes'] !== 'string') return
    const { bytes: replayed, cluster } = here
    const reached = positions.findLast(
      (position) => position.cluster === cluster && position.bytes <= Number(replayed),
    )
    if (!reached) return
    this.freshMs = Math.max(this.freshMs, reached.askedMs)
    this.positions = positions.filter(({ askedMs: ms }) => ms >= reached.askedMs)
  }
}

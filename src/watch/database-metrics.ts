import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Clock } from '../base/clock.ts'
import type { Context } from '../database/context.ts'

/** A count is cached for this long, so that many scrapers cause one query. */
const countLifeMs = 5_000
/** A scrape waits this long for the database. */
const maxWaitMs = 1_000

export interface Counts {
  countActiveHolds: () => Promise<number>
  countPendingDeliveries: () => Promise<number>
  /** Waiting emails, and the age of the oldest. */
  readWaitingMails: () => Promise<{ count: number; oldestSeconds: number }>
  /** The age of the oldest copy of a busy calendar, in seconds. */
  readOldestCalendar: () => Promise<number>
  /** Number of hosts in DATABASE_URL that accept writes. Undefined while unknown. */
  countPrimaries: () => number | undefined
}

/**
 * Measures the database and the read cache. Call the returned function before each scrape. It notes the current waiters
 * first, because the gauges themselves query the database.
 */
export function databaseMetrics(
  registry: Registry,
  { db, cache, clock }: Pick<Context, 'db' | 'cache' | 'clock'>,
  counts: Counts,
): () => void {
  const registers = [registry]
  const activeHolds = cached(counts.countActiveHolds, clock)
  optionalGauge(
    registry,
    'holdfast_active_holds',
    'Active holds, cached for 5 s; absent while the database does not respond.',
    activeHolds,
  )
  optionalGauge(
    registry,
    'holdfast_webhook_pending_deliveries',
    'Webhook deliveries that wait for an attempt, cached for 5 s; absent while the database does not respond.',
    cached(counts.countPendingDeliveries, clock),
  )
  const mails = cached(counts.readWaitingMails, clock)
  optionalGauge(
    registry,
    'holdfast_mails_waiting',
    'Mails that wait to be sent, cached for 5 s; absent while the database does not respond.',
    async () => (await mails())?.count,
  )
  optionalGauge(
    registry,
    'holdfast_mails_oldest_seconds',
    'Age of the oldest mail that waits, 0 without one, cached for 5 s; absent while the database does not respond.',
    async () => (await mails())?.oldestSeconds,
  )
  optionalGauge(
    registry,
    'holdfast_busy_calendars_oldest_seconds',
    'Age of the oldest copy of a busy calendar, 0 without one, cached for 5 s; absent while the database does not respond.',
    cached(counts.readOldestCalendar, clock),
  )
  new Gauge({
    name: 'holdfast_database_up',
    help: 'Whether the database counted the active holds within a second: 1 or 0.',
    registers,
    async collect() {
      this.set((await activeHolds()) === undefined ? 0 : 1)
    },
  })
  optionalGauge(
    registry,
    'holdfast_database_primaries',
    'Hosts of DATABASE_URL that take writes, by a look every minute: above 1 is a split brain; absent with one host.',
    counts.countPrimaries,
  )
  const noteLoad = connectionMetrics(registry, db)
  counted(registry, {
    name: 'holdfast_transaction_repetitions_total',
    help: 'Transactions that were retried after a conflict.',
    read: () => [[{}, db.load().retries]],
  })
  counted(registry, {
    name: 'holdfast_cache_reads_total',
    help: 'Cache reads of keys, services and locations, by result: hit or miss.',
    labelNames: ['result'],
    read: () => [
      [{ result: 'hit' }, cache.hits],
      [{ result: 'miss' }, cache.misses],
    ],
  })
  return noteLoad
}

function connectionMetrics(registry: Registry, db: Context['db']): () => void {
  const registers = [registry]
  let waiting = 0
  new Gauge({
    name: 'holdfast_database_waiting',
    help: 'Requests that wait for a connection (PostgreSQL) or for the write connection (SQLite).',
    registers,
    collect() {
      this.set(waiting)
    },
  })
  new Gauge({
    name: 'holdfast_database_connections',
    help: 'Connections to PostgreSQL by state: in_use or idle; absent with SQLite.',
    labelNames: ['state'],
    registers,
    collect() {
      const { connections } = db.load()
      if (!connections) return
      this.set({ state: 'in_use' }, connections.inUse)
      this.set({ state: 'idle' }, connections.idle)
    },
  })
  optionalGauge(
    registry,
    'holdfast_database_connections_max',
    'Maximum PostgreSQL connections of this process (DATABASE_POOL_SIZE); absent with SQLite.',
    () => db.load().connections?.max,
  )
  optionalGauge(
    registry,
    'holdfast_database_replica_delay_seconds',
    'How far the nearest replica of DATABASE_READ_URL is behind, at most; absent while not known, and without one.',
    () => {
      const { replicaDelayMs = Infinity } = db.load()
      return replicaDelayMs === Infinity ? undefined : replicaDelayMs / 1_000
    },
  )
  return () => {
    waiting = db.load().waiting
  }
}

/** A gauge that is absent while it has no value. */
function optionalGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

/** A counter over numbers that other parts count. */
function counted<Label extends string = never>(
  registry: Registry,
  {
    read,
    ...about
  }: {
    name: string
    help: string
    labelNames?: Label[]
    read: () => [labels: Partial<Record<Label, string>>, count: number][]
  },
): void {
  new Counter<string>({
    ...about,
    registers: [registry],
    collect() {
      this.reset()
      for (const [labels, count] of read()) this.inc(labels, count)
    },
  })
}

/**
 * Caches a reading for five seconds and never reads twice at once. Returns undefined if the reading fails or takes more
 * than a second.
 */
function cached<T>(read: () => Promise<T>, clock: Clock): () => Promise<T | undefined> {
  let reading: Promise<T | undefined> | undefined
  let hasEnded = true
  let readAtMs = 0
  return () => {
    const ageMs = clock.nowMs() - readAtMs
    const isFresh = ageMs >= 0 && ageMs < countLifeMs
    if (!reading || (hasEnded && !isFresh)) {
      hasEnded = false
      readAtMs = clock.nowMs()
      reading = read()
        .catch(() => undefined) // holdfast_database_up shows the failure
        .finally(() => (hasEnded = true))
    }
    return inTime(reading)
  }
}

async function inTime<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, maxWaitMs, undefined)
  })
  try {
    return await Promise.race([reading, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

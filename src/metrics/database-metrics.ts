import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Clock } from '../clock.ts'
import type { Context } from '../context.ts'

/** A count is remembered so long: however many scrape, the database is asked once. */
const countLifeMs = 5_000
/** A scrape does not wait longer for the database. */
const longestWaitMs = 1_000

/** What is counted in the database. */
export interface Counts {
  countActiveHolds: () => Promise<number>
  countPendingDeliveries: () => Promise<number>
}

/** Measures what the service stands on: its database and its cache of reads. */
export function databaseMetrics(
  registry: Registry,
  { db, cache, clock }: Pick<Context, 'db' | 'cache' | 'clock'>,
  counts: Counts,
): void {
  const registers = [registry]
  const activeHolds = remembered(counts.countActiveHolds, clock)
  const pendingDeliveries = remembered(counts.countPendingDeliveries, clock)
  new Gauge({
    name: 'holdfast_active_holds',
    help: 'Holds that have neither lapsed nor become bookings, at most 5 s ago; absent while the database does not answer.',
    registers,
    async collect() {
      const count = await activeHolds()
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  new Gauge({
    name: 'holdfast_webhook_pending_deliveries',
    help: 'Deliveries to webhooks that wait for an attempt, at most 5 s ago; absent while the database does not answer.',
    registers,
    async collect() {
      const count = await pendingDeliveries()
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  new Gauge({
    name: 'holdfast_database_up',
    help: 'Whether the database counted the active holds within a second: 1 or 0.',
    registers,
    async collect() {
      this.set((await activeHolds()) === undefined ? 0 : 1)
    },
  })
  new Gauge({
    name: 'holdfast_database_waiting',
    help: 'Who waits at this moment: for a connection (PostgreSQL), for a turn to write (SQLite).',
    registers,
    collect() {
      this.set(db.load().waiting)
    },
  })
  connectionMetrics(registry, db)
  counted(registry, {
    name: 'holdfast_transaction_repetitions_total',
    help: 'Transactions that were run again after a conflict with another.',
    read: () => [[{}, db.load().repetitions]],
  })
  counted(registry, {
    name: 'holdfast_cache_reads_total',
    help: 'Look-ups of keys, services and locations in memory, by result: hit or miss.',
    labelNames: ['result'],
    read: () => [
      [{ result: 'hit' }, cache.hits],
      [{ result: 'miss' }, cache.misses],
    ],
  })
}

function connectionMetrics(registry: Registry, db: Context['db']): void {
  const registers = [registry]
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
  new Gauge({
    name: 'holdfast_database_connections_max',
    help: 'The most connections to PostgreSQL that this process opens (DATABASE_POOL_SIZE); absent with SQLite.',
    registers,
    collect() {
      const { connections } = db.load()
      if (connections) this.set(connections.most)
      else this.remove()
    },
  })
}

/** A counter over numbers that are counted where they arise. */
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
 * A reading that is taken at most once in five seconds, and never twice at once. Undefined when it failed or is
 * not there within a second.
 */
function remembered(read: () => Promise<number>, clock: Clock): () => Promise<number | undefined> {
  let reading: Promise<number | undefined> | undefined
  let hasEnded = true
  let readAtMs = 0
  return () => {
    const ageMs = clock.nowMs() - readAtMs
    const isFresh = ageMs >= 0 && ageMs < countLifeMs
    if (!reading || (hasEnded && !isFresh)) {
      hasEnded = false
      readAtMs = clock.nowMs()
      reading = read()
        .catch(() => undefined) // the gauge beside it tells that the database does not answer
        .finally(() => (hasEnded = true))
    }
    return within(reading)
  }
}

async function within(reading: Promise<number | undefined>): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, longestWaitMs, undefined)
  })
  try {
    return await Promise.race([reading, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

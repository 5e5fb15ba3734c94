import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { monotonicMs } from '../base/clock.ts'
import { DatabaseUnavailable } from './database.ts'

/*
 * Finds the one of several servers that accepts writes (contract, section 22). Asks each every second, and at once
 * after a connection error. If two say that they accept writes, the one with the later timeline is right. A promotion
 * begins a new timeline, and an old server that comes back stays on its own.
 */

/** Time between two checks of a server while all is well. */
const lookMs = 1_000
/** The same while no server is known to accept writes. */
const searchMs = 150
/** A server that has not answered within this time does not count. */
const answerMs = 900
/** A server that is merely busy may miss one check. Leaving it costs every request in flight. */
const missedAnswers = 2
/** A request waits this long for a server that accepts writes. */
const patienceMs = 1_500

/** Knows the URL of the server that accepts writes. */
export class Primary {
  private readonly urls: readonly string[]
  private readonly listeners: (() => void)[] = []
  private readonly stopping = new AbortController()
  private watching: Promise<unknown> | undefined
  private current: string | undefined
  /** The latest timeline seen. A server on an earlier one has been replaced, whatever it reports. */
  private timeline = 0
  private inDoubt = false
  /**
   * Servers that have not finished their first check. Until then, one of them may be on a later timeline than the
   * others.
   */
  private readonly unheard: Set<string>
  /** Consecutive checks that the present server has not answered. */
  private missed = 0
  private news = Promise.withResolvers<undefined>()
  private doubt = Promise.withResolvers<undefined>()

  /** `urls` names each server of one database once. A single server is never checked. */
  constructor(urls: readonly string[]) {
    this.urls = urls
    this.unheard = new Set(urls.length > 1 ? urls : [])
    if (urls.length === 1) this.current = urls[0]
  }

  /** The present URL, or undefined while it is unknown. */
  get known(): string | undefined {
    return this.inDoubt || this.unheard.size > 0 ? undefined : this.current
  }

  /** Waits at most 1.5 seconds for a server that accepts writes. Throws DatabaseUnavailable if there is none. */
  async url(): Promise<string> {
    if (this.urls.length > 1) this.watching ??= Promise.all(this.urls.map((url) => this.watch(url)))
    const deadlineMs = monotonicMs() + patienceMs
    for (;;) {
      if (this.known !== undefined) return this.known
      const leftMs = deadlineMs - monotonicMs()
      if (leftMs <= 0) throw new DatabaseUnavailable('none of the database servers takes writes')
      // the watch keeps the process alive
      await Promise.race([this.news.promise, sleep(leftMs, undefined, { ref: false })])
    }
  }

  /** Calls the listener whenever connections to the former server have become useless. */
  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** Reports an error of the server. Nobody gets its URL until it has confirmed that it accepts writes. */
  suspect(): void {
    if (this.urls.length === 1) return
    this.inDoubt = true
    this.doubt.resolve(undefined)
    this.doubt = Promise.withResolvers()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.doubt.resolve(undefined)
    await this.watching
  }

  private async watch(url: string): Promise<void> {
    const server = new WatchedServer(url)
    while (!this.stopping.signal.aborted) {
      const { promise: doubted } = this.doubt // a doubt raised from now on starts another check
      this.heard(url, await server.writableTimeline())
      const isCalm = this.known !== undefined && this.missed === 0
      await Promise.race([this.rest(isCalm ? lookMs : searchMs), doubted])
    }
    server.close()
  }

  /** Ends early when the watch stops. */
  private rest(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }

  /** `timeline` is null for a server that accepts no writes and undefined for one that does not answer. */
  private heard(url: string, timeline: number | null | undefined): void {
    this.choose(url, timeline)
    if (this.unheard.delete(url) && this.unheard.size === 0) this.tell()
  }

  private choose(url: string, timeline: number | null | undefined): void {
    if (typeof timeline === 'number' && timeline >= this.timeline) {
      const isNewer = timeline > this.timeline || this.current === undefined
      this.timeline = timeline
      if (isNewer || url === this.current) this.use(url)
    } else if (url === this.current) {
      this.missed += 1
      if (timeline !== undefined || this.missed >= missedAnswers) this.use(undefined)
    }
  }

  private use(url: string | undefined): void {
    const changes = url !== this.current
    this.current = url
    this.inDoubt = false
    this.missed = 0
    if (changes) this.listeners.forEach((listener) => listener())
    this.tell()
  }

  /** Wakes everyone who waits for a URL. */
  private tell(): void {
    this.news.resolve(undefined)
    this.news = Promise.withResolvers()
  }
}

/** SQL for the name of the file into which a server writes its log. Null if the server accepts no writes. */
export const walFile = `
  case when pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' then null
       else pg_walfile_name(pg_current_wal_lsn()) end`

/** Reads the timeline from the first eight hexadecimal digits of the name. */
export function timelineOf(walFileName: string): number {
  return parseInt(walFileName.slice(0, 8), 16)
}

/** A server with a dedicated connection for checks. */
export class WatchedServer {
  private readonly url: string
  private client: pg.Client | undefined

  constructor(url: string) {
    this.url = url
  }

  /**
   * Returns the timeline of a server that accepts writes and null for any other. Returns undefined if it does not
   * answer in time.
   */
  async writableTimeline(): Promise<number | null | undefined> {
    const row = await this.ask(`select ${walFile} as wal`)
    return row?.['wal'] ? timelineOf(row['wal']) : row && null
  }

  /** Returns the first row of the answer as texts, or undefined if there is none in time. */
  async ask(text: string): Promise<Record<string, string | null> | undefined> {
    try {
      this.client ??= await connect(this.url)
      return (await this.client.query<Record<string, string | null>>(text)).rows[0]
    } catch {
      this.close()
      return undefined
    }
  }

  close(): void {
    this.client?.connection.stream.destroy()
    this.client = undefined
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
    application_name: 'holdfast watch',
  })
  client.on('error', () => undefined) // the next check fails as well
  try {
    await client.connect()
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}

/** The source of a driver's connections. */
export interface ConnectionSource {
  connect(): Promise<pg.PoolClient>
  /** Reports that a connection was lost or that its server refuses changes. */
  suspect(): void
  end(): Promise<void>
}

/** Detects a URL of PgBouncer in transaction mode, where session state does not survive a transaction. */
export function isPooled(url: string): boolean {
  return new URL(url).searchParams.get('pgbouncer') === 'true'
}

/** A pool of one server, without checks. */
export function plainSource(pool: pg.Pool): ConnectionSource {
  return { connect: () => pool.connect(), suspect: () => undefined, end: () => pool.end() }
}

/**
 * A pool of connections to the server that accepts writes. If that server changes, connections to the former one are
 * closed at once.
 */
export class PrimaryPool implements ConnectionSource {
  private readonly primary: Primary
  private readonly open: (url: string) => pg.Pool
  private pool: pg.Pool | undefined
  private waiting = 0
  private readonly sockets = new Set<{ destroy: () => unknown }>()

  constructor(primary: Primary, open: (url: string) => pg.Pool) {
    this.primary = primary
    this.open = open
    primary.onChange(() => {
      this.drop()
    })
  }

  connect(): Promise<pg.PoolClient> {
    const { known } = this.primary
    return known === undefined ? this.connectLater() : this.poolOf(known).connect()
  }

  private async connectLater(): Promise<pg.PoolClient> {
    this.waiting += 1
    const url = await this.primary.url().finally(() => (this.waiting -= 1))
    return this.poolOf(url).connect()
  }

  private poolOf(url: string): pg.Pool {
    if (this.pool) return this.pool
    this.pool = this.open(url)
    this.pool.on('connect', ({ connection: { stream } }) => {
      this.sockets.add(stream)
      stream.once('close', () => this.sockets.delete(stream))
    })
    return this.pool
  }

  suspect(): void {
    this.primary.suspect()
  }

  get counts(): { waiting: number; inUse: number; idle: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.pool ?? {}
    return { waiting: this.waiting + waitingCount, inUse: totalCount - idleCount, idle: idleCount }
  }

  closeSockets(): void {
    this.sockets.forEach((socket) => socket.destroy())
  }

  private drop(): void {
    const { pool } = this
    this.pool = undefined
    this.closeSockets() // the outcome of a statement in flight is then uncertain, and its request gets that answer
    void pool?.end()
  }

  async end(): Promise<void> {
    await Promise.all([this.pool?.end(), this.primary.stop()])
  }
}

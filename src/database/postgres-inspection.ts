import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { monotonicMs } from '../base/clock.ts'
import { isPooled, timelineOf, walFile } from './postgres-hosts.ts'
import { reasonOf } from './postgres.ts'

/*
 * The state of the servers of DATABASE_URL and DATABASE_READ_URL, each asked on a separate connection. For `holdfast
 * doctor` and for the warnings at startup.
 */

/** A server that has not answered within this time counts as silent. */
const answerMs = 2_000
/** A replica that has not caught up within this time is behind. Holdfast reads from replicas up to a second old. */
const maxDelayMs = 1_000
const compareMs = 20

/** The state that a server reports. */
export interface ServerAnswer {
  /** Host and port. */
  host: string
  /** The timeline of a server that accepts writes. Null for a standby. */
  timeline: number | null
  /** The system identifier, which a primary and its standbys share. */
  cluster: string
  /** Start time, to the microsecond. It identifies one server under two names. */
  startedAt: string
  /** The role's settings for a pooled URL (docs/guides/high-availability.md), by name. */
  role: { name: string; settings: Record<string, string> } | undefined
}

/** The reason why a server does not answer. */
interface ServerSilence {
  host: string
  complaint: string
}

/** A replica for reads. */
export interface ReplicaFound {
  answer: ServerAnswer | ServerSilence
  /**
   * Time until the replica reached the primary's position. Infinity beyond a second, undefined if nothing was compared.
   */
  delayMs: number | undefined
}

/** The servers, and the replicas if there are any. */
export interface ServersFound {
  servers: (ServerAnswer | ServerSilence)[]
  replicas: ReplicaFound[]
}

/** Asks all servers at once. Never rejects: failures become complaints. */
export async function inspectServers(
  urls: readonly string[],
  readUrls: readonly string[],
): Promise<ServersFound> {
  const inspect = (url: string) => new Asked(url).inspect()
  const [servers, readers] = await Promise.all([
    Promise.all(urls.map(inspect)),
    Promise.all(readUrls.map(inspect)),
  ])
  const primary = servers.find(({ answer }) => isStandby(answer) === false)?.asked
  const replicas = await Promise.all(
    readers.map(async ({ asked, answer }) => ({
      answer,
      delayMs: primary && isStandby(answer) ? await delayBetween(primary, asked) : undefined,
    })),
  )
  for (const { asked } of [...servers, ...readers]) asked.close()
  return { servers: servers.map(({ answer }) => answer), replicas }
}

/** Returns undefined for a server that does not answer. */
function isStandby(answer: ServerAnswer | ServerSilence): boolean | undefined {
  return 'timeline' in answer ? answer.timeline === null : undefined
}

/** Returns undefined if one of them stops answering. */
async function delayBetween(primary: Asked, replica: Asked): Promise<number | undefined> {
  const askedMs = monotonicMs()
  try {
    const [there] = await primary.rows(`select pg_current_wal_lsn() - '0/0' as bytes`)
    while (monotonicMs() - askedMs <= maxDelayMs) {
      const [here] = await replica.rows(`select pg_last_wal_replay_lsn() - '0/0' as bytes`)
      if (Number(here?.['bytes']) >= Number(there?.['bytes'])) return monotonicMs() - askedMs
      await sleep(compareMs)
    }
    return Infinity
  } catch {
    return undefined
  }
}

/** The settings that a pooled connection gets from its role, because it cannot set its own. */
const ofRole = `
  select name, setting, current_user as role from pg_settings
   where name in ('TimeZone', 'statement_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode', 'jit')`

class Asked {
  private readonly url: string
  private readonly client: pg.Client

  constructor(url: string) {
    this.url = url
    this.client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      ...(!isPooled(url) && { statement_timeout: answerMs }), // which a pooler refuses or does not pass on
      application_name: 'holdfast doctor',
    })
    this.client.on('error', () => undefined) // the next statement fails as well
  }

  async inspect(): Promise<{ asked: Asked; answer: ServerAnswer | ServerSilence }> {
    return { asked: this, answer: await this.answer() }
  }

  private async answer(): Promise<ServerAnswer | ServerSilence> {
    const { host } = new URL(this.url)
    try {
      await this.client.connect()
      const [row] = await this.rows(`
        select ${walFile} as wal, cast(pg_postmaster_start_time() as text) as started,
               (select system_identifier from pg_control_system()) as cluster,
               exists(select from pg_settings where name = 'statement_timeout' and source = 'client') as kept`)
      const { wal, started, cluster, kept } = row ?? {}
      if (!isPooled(this.url) && kept !== true)
        return { host, complaint: 'a pooler drops startup parameters' }
      const role = isPooled(this.url) ? await this.role() : undefined
      const timeline = typeof wal === 'string' ? timelineOf(wal) : null
      return { host, timeline, cluster: String(cluster), startedAt: String(started), role }
    } catch (error) {
      return { host, complaint: reasonOf(error) || 'unknown error' }
    }
  }

  private async role(): Promise<ServerAnswer['role']> {
    const rows = await this.rows(ofRole)
    const settings = rows.map(({ name, setting }) => [String(name).toLowerCase(), String(setting)] as const)
    return { name: String(rows[0]?.['role']), settings: Object.fromEntries(settings) }
  }

  async rows(text: string): Promise<Record<string, unknown>[]> {
    return (await this.client.query<Record<string, unknown>>(text)).rows
  }

  close(): void {
    this.client.connection.stream.destroy()
  }
}

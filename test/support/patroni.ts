import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { giveToServer, makePlace, type Place } from './postgres-process.ts'
import { signalAll } from './replicated-postgres.ts'

/*
 * Three PostgreSQL servers, each with its own Patroni, and one etcd, on loopback. Patroni uses the configuration of the
 * guide "High availability". Only addresses, directories and passwords of that file are replaced.
 */

/** The entry of a server in `/cluster` of Patroni's REST API. */
interface Shown {
  name: string
  role: 'leader' | 'sync_standby' | 'replica'
  state: string
}

/** One machine: Patroni, and the PostgreSQL that it runs. */
interface Machine {
  name: string
  port: number
  restPort: number
  place: Place
  file: string
  patroni: ChildProcess
}

export interface PatroniCluster {
  /** Names all three. */
  url: string
  /** Returns the URL of the one that accepts writes. */
  primaryUrl(): Promise<string>
  /** Kills Patroni and PostgreSQL of the primary, like a machine that loses power. */
  killPrimary(): Promise<void>
  /** Kills only PostgreSQL of the primary. */
  killPostgres(): Promise<void>
  /** Makes Patroni hand over to the synchronous standby. */
  switchOver(): Promise<void>
  /** Restarts killed Patronis. Resolves when there are a leader, a synchronous standby and a third that follows. */
  becomeWhole(): Promise<void>
  stop(): Promise<void>
}

/** Checks that Patroni, etcd and PostgreSQL are installed as in Debian 12. Warns if they are not. */
export function canRunPatroni(): boolean {
  try {
    execFileSync('sh', [
      '-c',
      'command -v patroni && command -v etcd && ls /usr/lib/postgresql/15/bin/initdb',
    ])
    return true
  } catch {
    const without =
      'Patroni, etcd or PostgreSQL 15 is not installed (apt install patroni etcd-server python3-etcd)'
    console.warn(`\n*** SKIPPED: ${without}\n`)
    return false
  }
}

const password = 'secret'

/** Starts all of it. `configuration` is the file of the guide. */
export async function startPatroni(configuration: string): Promise<PatroniCluster> {
  const etcd = await startEtcd()
  const machines: Machine[] = []
  for (const name of ['db1', 'db2', 'db3']) {
    machines.push(await startMachine(name, configuration, etcd.address))
    await eventually(`${name} of Patroni`, async () => (await shown()).find((one) => one.name === name))
  }

  async function shown(): Promise<Shown[]> {
    for (const { restPort } of machines) {
      const reply = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined)
      if (reply?.ok) return ((await reply.json()) as { members: Shown[] }).members
    }
    return []
  }
  const machineOf = (name: string | undefined) => machines.find((machine) => machine.name === name)
  /** Returns a leader that answers itself. `/cluster` still lists a dead one until its lease expires. */
  const leader = () =>
    eventually('a leader', async () => {
      for (const machine of machines) {
        const reply = await fetch(`http://127.0.0.1:${machine.restPort}/primary`).catch(() => undefined)
        if (reply?.ok) return machine
      }
      return undefined
    })
  const killPostgresOf = (machine: Machine) => {
    const pid = postmasterOf(machine)
    if (pid !== undefined) signalAll(pid, 'SIGKILL')
  }
  const becomeWhole = async () => {
    for (const machine of machines) if (hasEnded(machine.patroni)) machine.patroni = runPatroni(machine)
    await eventually('a leader, a synchronous standby and a third', async () => {
      const members = (await shown()).filter(({ state }) => state === 'running' || state === 'streaming')
      const roles = members.map(({ role }) => role).toSorted()
      return roles.join() === 'leader,replica,sync_standby' || undefined
    })
  }

  await becomeWhole()
  return {
    url: `postgres://postgres:${password}@${machines.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`,
    primaryUrl: async () => `postgres://postgres:${password}@127.0.0.1:${(await leader()).port}/postgres`,
    killPrimary: async () => {
      const machine = await leader()
      const ended = once(machine.patroni, 'exit')
      machine.patroni.kill('SIGKILL')
      killPostgresOf(machine)
      await ended
    },
    killPostgres: async () => killPostgresOf(await leader()),
    switchOver: async () => {
      const { name, restPort } = await leader()
      const candidate = (await shown()).find(({ role }) => role === 'sync_standby')?.name
      const body = JSON.stringify({ leader: name, candidate })
      const reply = await fetch(`http://127.0.0.1:${restPort}/switchover`, { method: 'POST', body })
      if (!reply.ok) throw new Error(`Patroni refuses to switch over: ${await reply.text()}`)
      await eventually('another leader', async () => (await leader()) === machineOf(candidate) || undefined)
    },
    becomeWhole,
    stop: async () => {
      await Promise.all(machines.map(({ patroni }) => end(patroni))) // this stops their PostgreSQL
      for (const { place } of machines) await rm(place.directory, { recursive: true, force: true })
      await etcd.stop()
    },
  }
}

/**
 * Runs a program that ends when the pipe closes, however the tests end, and removes its directory ($0). The pipe of a
 * killed one closes, too. Its files are kept for a restart.
 */
const watched = `
  exec 3<&0
  (read -r _ <&3
   kill -TERM $$ || exit; while kill -0 $$; do sleep 0.2; done
   [ -e "$0/data/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; sleep 1
   rm -rf "$0") >/dev/null 2>&1 &
  exec "$@" 3<&- </dev/null >"$0/log" 2>&1`

async function startEtcd() {
  const place = await makePlace()
  await giveToServer(place)
  const [port, peerPort] = [await freePort(), await freePort()]
  const [address, peer] = [`127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const child = runWatched(place, [
    ...['etcd', '--name', 'one', '--data-dir', join(place.directory, 'etcd')],
    ...['--listen-client-urls', `http://${address}`, '--advertise-client-urls', `http://${address}`],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `one=${peer}`,
    ],
  ])
  await eventually('etcd', async () => {
    const reply = await fetch(`http://${address}/health`).catch(() => undefined)
    return reply?.ok || undefined
  })
  return { address, stop: () => end(child) }
}

async function startMachine(name: string, configuration: string, etcd: string): Promise<Machine> {
  const place = await makePlace()
  const [port, restPort] = [await freePort(), await freePort()]
  const file = join(place.directory, 'patroni.yml')
  const replaced: [string, string][] = [
    ['name: db1\n', `name: ${name}\n`],
    ['10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379', etcd],
    ['10.0.0.11:8008', `127.0.0.1:${restPort}`],
    ['10.0.0.11:5432', `127.0.0.1:${port}`],
    ['/var/lib/postgresql/15/holdfast', join(place.directory, 'data')],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['  authentication:', "  parameters:\n    unix_socket_directories: ''\n  authentication:"],
  ]
  const text = replaced.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the file of the guide lacks ${from}`)
    return before.replaceAll(from, to)
  }, configuration)
  writeFileSync(file, text)
  await giveToServer(place)
  const machine = { name, port, restPort, place, file }
  return { ...machine, patroni: runPatroni(machine) }
}

function runPatroni({ place, file }: Pick<Machine, 'place' | 'file'>): ChildProcess {
  return runWatched(place, ['patroni', file])
}

function runWatched(place: Place, command: string[]): ChildProcess {
  return spawn('sh', ['-c', watched, place.directory, ...command], {
    ...place.user,
    cwd: place.directory,
    env: { PATH: process.env['PATH'], HOME: place.directory, LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function postmasterOf({ place }: Machine): number | undefined {
  const file = join(place.directory, 'data/postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool, request } from 'undici'
import { monotonicMs } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { createContext } from '../src/create-context.ts'
import { findPostgres } from '../test/support/postgres-server.ts'
import { makeBusyWorld, storeMore, type BusyWorld } from './support/busy-world.ts'
import { ownDatabase } from './support/own-database.ts'
import { startBareServer, startHoldfast } from './support/processes.ts'

/*
 * What availability costs: one service with ten people over 31 days, half booked, by the number of bookings that are
 * stored besides; where nothing of the month has changed since the request before, and where each time something has. The
 * service and a bare Fastify route that sends the same bytes are processes of their own and take turns in short rounds, so
 * that whatever else the machine does meets both. Then what one client that asks for availability in a loop costs others
 * that place holds.
 */

const most = Number(process.env['BENCH_BOOKINGS'] ?? 1_000_000)
const levels = [0, 10_000, 100_000, 1_000_000].filter((level) => level <= most)
const measureMs = Number(process.env['BENCH_SECONDS'] ?? 6) * 1000
const perRound = 10
const holders = 4
const shareRounds = 6
const shareRoundMs = 1_000

/** One request after the other to one server. */
interface Line {
  send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Buffer }>
  close(): Promise<void>
}

function lineTo(address: string, key: string, connections = 1): Line {
  const pool = new Pool(address, { connections })
  return {
    send: async (method, path, body) => {
      const reply = await pool.request({
        path: `/api/v1${path}`,
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: reply.statusCode, body: Buffer.from(await reply.body.arrayBuffer()) }
    },
    close: () => pool.close(),
  }
}

async function expectStatus(expected: number, reply: ReturnType<Line['send']>): Promise<Buffer> {
  const { status, body } = await reply
  if (status !== expected) throw new Error(`answered ${status}: ${body.toString().slice(0, 500)}`)
  return body
}

function monthPath({ month }: BusyWorld): string {
  return `/availability?${new URLSearchParams(month).toString()}`
}

function quantile(values: number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? NaN
}

/** Milliseconds of each request, the lines taking turns. */
async function takeTurns(lines: Line[], path: string, limitMs: number): Promise<number[][]> {
  const taken = lines.map((): number[] => [])
  for (const endMs = monotonicMs() + limitMs; monotonicMs() < endMs;) {
    for (const [index, line] of lines.entries()) {
      for (let sent = 0; sent < perRound; sent += 1) {
        const startedMs = monotonicMs()
        await expectStatus(200, line.send('GET', path))
        taken[index]?.push(monotonicMs() - startedMs)
      }
    }
  }
  return taken
}

/** Milliseconds of requests each of which finds the month changed: a slot of it has been held or released since the last. */
async function takeAfterChanges(line: Line, world: BusyWorld, limitMs: number): Promise<number[]> {
  const { service_id, location_id } = world.month
  const starts_at = new Date(world.monthMs + 12 * 3_600_000).toISOString()
  const taken: number[] = []
  let holdId: string | undefined
  for (const endMs = monotonicMs() + limitMs; monotonicMs() < endMs || holdId !== undefined;) {
    if (holdId === undefined) {
      const held = await expectStatus(
        201,
        line.send('POST', '/bookings/hold', { service_id, location_id, starts_at }),
      )
      holdId = (JSON.parse(held.toString()) as { hold_id: string }).hold_id
    } else {
      await expectStatus(204, line.send('DELETE', `/bookings/hold/${holdId}`))
      holdId = undefined
    }
    const startedMs = monotonicMs()
    await expectStatus(200, line.send('GET', monthPath(world)))
    taken.push(monotonicMs() - startedMs)
  }
  return taken
}

/** Seconds of the processor that the service has used so far. */
async function processorSeconds(address: string): Promise<number> {
  const reply = await request(`${address}/metrics`)
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(await reply.body.text())?.[1])
}

function row(name: string, taken: number[]) {
  const seconds = taken.reduce((sum, ms) => sum + ms, 0) / 1000
  return {
    'bookings stored': name,
    'requests/s': (taken.length / seconds).toFixed(0),
    p50: `${quantile(taken, 0.5).toFixed(2)} ms`,
    p99: `${quantile(taken, 0.99).toFixed(2)} ms`,
  }
}

async function measureMonth(context: Context, address: string, world: BusyWorld): Promise<void> {
  const path = monthPath(world)
  const first = lineTo(address, world.key)
  const bytes = await expectStatus(200, first.send('GET', path))
  await first.close()
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  writeFileSync(join(directory, 'body.json'), bytes)
  const bareServer = await startBareServer(join(directory, 'body.json'))
  const rows: object[] = []
  const medians: number[] = []
  let stored = 0
  for (const level of levels) {
    const startedMs = monotonicMs()
    await storeMore(context, world, { from: stored, to: level })
    if (level > 0) console.log(`  ${level} stored after ${((monotonicMs() - startedMs) / 1000).toFixed(0)} s`)
    stored = level
    const lines = [lineTo(address, world.key), lineTo(bareServer.address, world.key)]
    await takeTurns(lines, path, measureMs / 3) // warm
    const before = await processorSeconds(address)
    const [own = [], others = []] = await takeTurns(lines, path, measureMs)
    const processorMs = ((await processorSeconds(address)) - before) * 1000
    medians.push(quantile(own, 0.5))
    const changed = await takeAfterChanges(lines[0] as Line, world, measureMs / 2)
    const beside = {
      'p50 after a change': `${quantile(changed, 0.5).toFixed(2)} ms`,
      'to the fewest': `×${((medians.at(-1) ?? NaN) / (medians[0] ?? NaN)).toFixed(2)}`,
      'of the processor': `${(processorMs / own.length).toFixed(2)} ms`,
    }
    rows.push({ ...row(String(level), own), ...beside }, row('bare route', others))
    await Promise.all(lines.map((line) => line.close()))
  }
  console.log(`${context.db.engine}: a month of ten people, ${(bytes.length / 1024).toFixed(0)} KiB`)
  console.table(rows)
  await bareServer.stop()
  rmSync(directory, { recursive: true })
}

/** Holds a second of some clients, each one after the other, for a while. */
async function holdsPerSecond(line: Line, world: BusyWorld, nextStart: () => string): Promise<number> {
  const startedMs = monotonicMs()
  let held = 0
  await Promise.all(
    Array.from({ length: holders }, async () => {
      while (monotonicMs() - startedMs < shareRoundMs) {
        await expectStatus(
          201,
          line.send('POST', '/bookings/hold', { ...world.room, starts_at: nextStart() }),
        )
        held += 1
      }
    }),
  )
  return held / ((monotonicMs() - startedMs) / 1000)
}

async function measureShare(context: Context, address: string, world: BusyWorld): Promise<void> {
  const line = lineTo(address, world.key, holders)
  const asker = lineTo(address, world.key)
  let slots = 0
  const nextStart = () => new Date(world.monthMs + (slots += 1) * 30 * 60_000).toISOString()
  await holdsPerSecond(line, world, nextStart) // warm
  const alone: number[] = []
  const beside: number[] = []
  let asked = 0
  const asking = { goesOn: false }
  for (let round = 0; round < shareRounds; round += 1) {
    alone.push(await holdsPerSecond(line, world, nextStart))
    asking.goesOn = true
    const askedAll = (async () => {
      for (; asking.goesOn; asked += 1) await expectStatus(200, asker.send('GET', monthPath(world)))
    })()
    beside.push(await holdsPerSecond(line, world, nextStart))
    asking.goesOn = false
    await askedAll
  }
  const [before, after] = [quantile(alone, 0.5), quantile(beside, 0.5)]
  const perSecond = asked / (shareRounds * (shareRoundMs / 1000))
  console.log(
    `${context.db.engine}: ${holders} clients place ${before.toFixed(0)} holds a second alone, ${after.toFixed(0)} ` +
      `(×${(after / before).toFixed(2)}) beside one that asks for the month ${perSecond.toFixed(0)} times a second`,
  )
  await Promise.all([line.close(), asker.close()])
}

async function measure(databaseUrl: string): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
  const context = await createContext(config)
  await context.db.migrate()
  const server = await startHoldfast(databaseUrl)
  try {
    const world = await makeBusyWorld(context, async (path, key, body) => {
      const line = lineTo(server.address, key)
      const created = await expectStatus(201, line.send('POST', path, body))
      await line.close()
      return JSON.parse(created.toString()) as { id: string }
    })
    await measureMonth(context, server.address, world)
    await measureShare(context, server.address, world)
  } finally {
    await server.stop()
    await context.db.close()
  }
}

const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
const only = process.env['BENCH_ENGINE']
try {
  if (only !== 'postgres') await measure(`sqlite:${join(directory, 'bench.db')}`)
} finally {
  rmSync(directory, { recursive: true })
}
const postgres = only === 'sqlite' ? undefined : await findPostgres(process.env)
if (postgres) {
  const database = await ownDatabase(postgres.url)
  try {
    await measure(database.url)
  } finally {
    await database.drop()
    await postgres.stop()
  }
}

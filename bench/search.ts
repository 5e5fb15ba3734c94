import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '../src/access/actor.ts'
import { monotonicMs } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { listBookings } from '../src/bookings/booking.ts'
import { listClients } from '../src/bookings/client.ts'
import type { Context } from '../src/bookings/context.ts'
import { createContext } from '../src/operate/open.ts'
import { findPostgres } from '../test/support/postgres-server.ts'
import { ownDirectory } from './children.ts'
import { ownDatabase } from './support/own-database.ts'
import { analyze, type Clients, clientsOf, randomFrom, storePast } from './support/many-bookings.ts'
import { makeShop } from './support/shop.ts'

/*
 * A search among a million bookings of one business with 200,000 clients. Measures milliseconds of the operations,
 * without HTTP. The terms are parts of names, addresses and phones that few or many clients have. `npm run bench --
 * search sqlite 1000000` measures one engine, with this many bookings.
 */

const [onlyEngine, count = '1000000'] = process.argv.slice(3)
const bookings = Number(count)
const clients = bookings / 5
const patternsOfKind = 10
const rounds = 5
const laterPages = 3

/** Returns parts of the clients' texts, by the share of clients that have them. */
function patternsIn(all: Clients, random: () => number): [kind: string, patterns: string[]][] {
  const texts = all.map(({ client_search }) => client_search)
  const part = (length: number) => {
    const lines = (texts[Math.floor(random() * texts.length)] ?? '')
      .split('\n')
      .filter((line) => line.length > length)
    const line = lines[Math.floor(random() * lines.length)] ?? ''
    const at = Math.floor(random() * (line.length - length))
    return line.slice(at, at + length)
  }
  const parts = (length: number, most = patternsOfKind) => Array.from({ length: most }, () => part(length))
  const counted = [3, 4, 5, 6, 7, 8]
    .flatMap((length) => parts(length, 40))
    .map((pattern) => ({
      pattern,
      share: texts.filter((text) => text.includes(pattern)).length / texts.length,
    }))
  const near = (wanted: number) =>
    counted
      .toSorted(
        (one, other) => Math.abs(Math.log(one.share / wanted)) - Math.abs(Math.log(other.share / wanted)),
      )
      .slice(0, patternsOfKind)
      .map(({ pattern }) => pattern)
  // runs of three that many have, in an order that nobody has
  const nobody = Array.from({ length: 400 }, () => part(4) + part(4)).filter(
    (one) => !texts.some((text) => text.includes(one)),
  )
  return [
    ['one client', Array.from({ length: patternsOfKind }, () => part(14))],
    ['0.01 %', near(0.0001)],
    ['0.1 %', near(0.001)],
    ['0.4 %', near(0.004)],
    ['1 %', near(0.01)],
    ['10 %', near(0.1)],
    ['most', ['+49', '49 1', 'mail']],
    ['three letters', parts(3)],
    ['nobody', nobody.slice(0, patternsOfKind)],
    ['nobody, rare', ['qxzjkv', 'zzzzzz', '00000000000']],
  ]
}

async function timed<T>(work: () => Promise<T>, ms: number[]): Promise<T> {
  const startedMs = monotonicMs()
  const result = await work()
  ms.push(monotonicMs() - startedMs)
  return result
}

async function measure(databaseUrl: string, engine: string): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
  const context = await createContext(config)
  try {
    await context.db.migrate()
    const shop = await makeShop(context)
    const actor = actorOf(shop.businessId)
    const random = randomFrom(1)
    const all = clientsOf(clients, random)
    const startedWritingMs = monotonicMs()
    await storePast(context, { ...shop, staffIds: [] }, { clients: all, firstNumber: 0, earlier: 0 })
    await analyze(databaseUrl)
    const seconds = (monotonicMs() - startedWritingMs) / 1000
    const startedMs = monotonicMs()
    await context.db.migrate() // as after an upgrade
    const matched = `matched with their clients in ${((monotonicMs() - startedMs) / 1000).toFixed(0)} s`
    console.log(
      `\n${engine}: ${bookings} bookings of ${clients} clients, written in ${seconds.toFixed(0)} s, ${matched}; load ${loadavg()[0]?.toFixed(1)}`,
    )
    const lines = []
    for (const [kind, patterns] of patternsIn(all, random)) {
      const ms: Record<'first' | 'later' | 'clients', number[]> = { first: [], later: [], clients: [] }
      for (let round = 0; round <= rounds; round += 1) {
        if (round === 1) for (const each of Object.values(ms)) each.length = 0 // the first round warms up
        for (const q of patterns) {
          await readPages(context, actor, q, ms)
          await timed(() => listClients(context, actor, { q, limit: 20 }), ms.clients)
        }
      }
      const { first, later, clients: ofClients } = ms
      lines.push({
        'clients that have it': kind,
        first: quantiles(first),
        later: quantiles(later),
        clients: quantiles(ofClients),
        for: patterns[0],
      })
    }
    console.table(lines)
  } finally {
    await context.db.close()
  }
}

/** Times the first page of bookings, and some later ones. */
async function readPages(
  context: Context,
  actor: Actor,
  q: string,
  { first, later }: { first: number[]; later: number[] },
) {
  const page = (cursor?: string) => listBookings(context, actor, { q, limit: 20, ...(cursor && { cursor }) })
  let { next_cursor } = await timed(() => page(), first)
  for (let number = 0; next_cursor !== null && number < laterPages; number += 1) {
    const cursor: string = next_cursor
    ;({ next_cursor } = await timed(() => page(cursor), later))
  }
}

function quantiles(all: number[]): string {
  const ms = all.toSorted((one, other) => one - other)
  const at = (share: number) => (ms[Math.floor(ms.length * share)] ?? NaN).toFixed(1)
  return ms.length === 0 ? '–' : `${at(0.5)}, ${at(0.95)}`
}

function actorOf(businessId: string): Actor {
  const nobody = {
    keyId: businessId,
    ownerId: businessId,
    lastFour: '',
    allowedOrigins: null,
    plan: 'enterprise',
  } as const
  return {
    ...nobody,
    type: 'business',
    scope: { businessId },
    ownLimits: { perMinute: null, perHour: null },
    scopes: null,
    expiresAt: null,
  }
}

console.log(
  'Milliseconds (p50, p95) of the first page of 20 bookings, of later ones, and of the first page of clients.',
)
const directory = ownDirectory()
try {
  if (onlyEngine !== 'postgres') await measure(`sqlite:${join(directory.path, 'search.db')}`, 'SQLite')
} finally {
  await directory.remove()
}
const postgres = onlyEngine === 'sqlite' ? undefined : await findPostgres(process.env)
if (postgres) {
  const database = await ownDatabase(postgres.url)
  await measure(database.url, 'PostgreSQL')
  await database.drop()
  await postgres.stop()
}

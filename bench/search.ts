import { loadavg } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Actor } from '../src/access/actor.ts'
import { monotonicMs } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { clientColumns } from '../src/bookings/booking-rules.ts'
import { listBookings } from '../src/bookings/booking.ts'
import { listClients } from '../src/bookings/client.ts'
import type { Context } from '../src/bookings/context.ts'
import { isPostgres } from '../src/database/json-rows.ts'
import { createContext } from '../src/operate/open.ts'
import { findPostgres } from '../test/support/postgres-server.ts'
import { ownDirectory } from './children.ts'
import { ownDatabase } from './support/own-database.ts'
import { makeShop, type Shop } from './support/shop.ts'

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

/** Returns the same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const firstNames =
  'Ada Anna Anton Ben Carla Clara David Elena Elif Emil Emma Erik Fatima Felix Finn Frida Grace Greta Hannah Hedy Ida Ines Jakob Jan Jana Johanna Jonas Jörg Julia Karl Katrin Lara Laura Lea Lena Leon Lina Linus Lukas Luisa Maja Maria Marie Mark Marta Max Mehmet Mia Mila Moritz Nele Niklas Nina Noah Olga Oskar Paul Paula Peter Pia Rita Robert Rosa Samira Sarah Sofia Sören Stefan Susanne Theo Thomas Tim Tom Ute Vera Viktor Yusuf Zoë'.split(
    ' ',
  )
const stems =
  'Acker Alt Bach Baum Berg Birk Blum Brand Braun Busch Dorn Eber Eich Eisen Fels Feld Fried Gold Grün Haber Hage Hart Hell Hirsch Hoch Hof Holz Kahl Kalt Kirch Klein Kohl König Kreuz Krug Lang Lauter Lind Loh Mark Mühl Neu Ober Ost Rein Rohr Rosen Roth Sand Schön Schwarz Silber Stein Stern Strauß Thal Unter Wald Weber Weiß West Winkel Wolf Zeller'.split(
    ' ',
  )
const endings =
  ' er mann meier bauer bach berg dorf eck feld hausen heim hof huber ing le müller ner sohn stein'.split(' ')
const domains =
  'gmail.com gmail.com gmail.com web.de gmx.de gmx.net outlook.com icloud.com t-online.de example.org'.split(
    ' ',
  )

function clientsOf(random: () => number) {
  const one = (list: string[], skew = 1) => list[Math.floor(list.length * random() ** skew)] ?? ''
  const number = (below: number) => Math.floor(random() * below)
  return Array.from({ length: clients }, (_each, index) => {
    const [first_name, last_name] = [one(firstNames, 1.7), `${one(stems, 1.7)}${one(endings, 1.3)}`]
    const [first, last] = [first_name, last_name].map((name) =>
      name
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(/[^a-z]/g, ''),
    )
    const local = one([
      `${first}.${last}`,
      `${first?.[0]}.${last}`,
      `${last}${first}`,
      `${first}${number(100)}`,
    ])
    const phone = `+49 ${150 + number(30)} ${1_000_000 + number(9_000_000)}`
    return clientColumns({ first_name, last_name, email: `${local}${index % 977}@${one(domains)}`, phone })
  })
}

type Clients = ReturnType<typeof clientsOf>

/** Writes the bookings, each of one of the clients, some of whom come often. Returns the duration. */
async function store(context: Context, { businessId, serviceId, locationId }: Shop, all: Clients) {
  const isOnPostgres = isPostgres(context.db.reads)
  const uuid = sql.raw(isOnPostgres ? 'uuid' : 'text')
  const json = sql.raw(isOnPostgres ? 'jsonb' : 'text')
  const id = isOnPostgres ? sql`lpad(to_hex(n), 12, '0')` : sql`format('%012x', n)`
  const instant = (seconds: number) => {
    const at = sql`${sql.lit(Date.UTC(2010, 0, 1) / 1000 + seconds)} + n * 450`
    return isOnPostgres ? sql`to_timestamp(${at})` : sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, 'unixepoch')`
  }
  const own = sql`cast('00000000-0000-4000-8000-' || ${id} as ${uuid})`
  const [business, service, location] = [businessId, serviceId, locationId].map(
    (one) => sql`cast(${sql.lit(one)} as ${uuid})`,
  )
  const startedMs = monotonicMs()
  for (let from = 0; from < all.length; from += 250) {
    const rows = JSON.stringify(all.slice(from, from + 250).map((one) => Object.values(one)))
    const values = isOnPostgres
      ? sql`json_array_elements(${rows}::json) with ordinality as v (value, key)`
      : sql`json_each(${rows}) as v`
    // each client comes five times
    const times = isOnPostgres
      ? sql`generate_series(0, 4) as g (turn)`
      : sql`(select value as turn from json_each('[0,1,2,3,4]')) as g`
    await context.db.transaction((tx) =>
      sql`
        insert into bookings (
          id, business_id, service_id, location_id, starts_at, ends_at, status, client_first_name, client_last_name, client_email,
          client_phone, client_search, custom_field_values_json, owner_id, scheduled_at, manage_generation, manage_digest,
          client_reschedules, created_at, updated_at, version, confirmed_at)
        select ${own}, ${business}, ${service}, ${location}, ${instant(86_400)}, ${instant(88_200)}, 'confirmed',
               value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, cast('[]' as ${json}), ${business}, ${instant(0)}, 1,
               cast(${own} as text), 0, ${instant(0)}, ${instant(0)}, 1, ${instant(0)}
          from (select value, (v.key + ${sql.lit(from)}) + turn * ${sql.lit(all.length)} as n from ${values} cross join ${times}) as w`.execute(
        tx.db,
      ),
    )
  }
  if (isOnPostgres) await context.db.transaction((tx) => sql`analyze`.execute(tx.db))
  return (monotonicMs() - startedMs) / 1000
}

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
    const all = clientsOf(random)
    const seconds = await store(context, shop, all)
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

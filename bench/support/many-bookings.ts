import pg from 'pg'
import { readConfig } from '../../src/base/config.ts'
import { clientColumns } from '../../src/bookings/booking-rules.ts'
import type { Context } from '../../src/bookings/context.ts'
import { isPostgres } from '../../src/database/json-rows.ts'
import { createContext } from '../../src/operate/open.ts'
import { type StoredBookings, storeBookings } from '../../test/support/stored-bookings.ts'
import type { World } from '../operations.ts'

/* A million past bookings of one business, bypassing the API, which would take half an hour. */

/** The bookings of a client. */
const bookingsEach = 5

/** Returns the same numbers in each run. */
export function randomFrom(seed: number): () => number {
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

/** Returns clients with names, emails and phones as they are common in Germany. */
export function clientsOf(count: number, random: () => number) {
  const one = (list: string[], skew = 1) => list[Math.floor(list.length * random() ** skew)] ?? ''
  const number = (below: number) => Math.floor(random() * below)
  return Array.from({ length: count }, (_each, index) => {
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

export type Clients = ReturnType<typeof clientsOf>

/** A service with its people at a location. */
type Place = Pick<StoredBookings, 'businessId' | 'serviceId' | 'locationId' | 'staffIds'>

/** Begin of the oldest booking. Staff members have one every five hours, so a million bookings of 40 take fourteen years. */
const oldestMs = Date.UTC(2010, 0, 1)
const stepMinutes = 300
const clientsAtOnce = 500

/** Writes five bookings of each client, after so many earlier ones of a staff member. Numbers begin with `firstNumber`. */
export async function storePast(
  { db }: Context,
  place: Place,
  { clients, firstNumber, earlier }: { clients: Clients; firstNumber: number; earlier: number },
): Promise<void> {
  const engine = isPostgres(db.reads) ? 'postgres' : 'sqlite'
  const people = place.staffIds.length || 1
  for (let from = 0; from < clients.length; from += clientsAtOnce) {
    const some = clients.slice(from, from + clientsAtOnce)
    const first = from * bookingsEach
    const times = {
      ...{ minutes: 30, stepMinutes },
      fromMs: oldestMs + (earlier + first / people) * stepMinutes * 60_000,
    }
    const stored = {
      ...place,
      ...times,
      count: some.length * bookingsEach,
      firstNumber: firstNumber + first,
      clients: some,
    }
    await db.transaction((tx) =>
      storeBookings(tx.db, engine, {
        ...stored,
        ...(place.staffIds.length === 0 && { withoutClaims: true }),
      }),
    )
  }
}

/** Updates the statistics of PostgreSQL, as its autovacuum would. It takes longer than statements of the service may. */
export async function analyze(databaseUrl: string): Promise<void> {
  if (!databaseUrl.startsWith('postgres')) return
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('analyze')
  await client.end()
}

/** Writes past bookings of a world with their clients, distributed evenly over its people. It has `from` of them. */
export async function fillWorld(
  databaseUrl: string,
  { serviceIds, staffIds, locationId }: World,
  { from, until }: { from: number; until: number },
): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' })
  const context = await createContext(config)
  try {
    const { business_id: businessId } = await context.db.reads
      .selectFrom('locations')
      .select('business_id')
      .where('id', '=', locationId)
      .executeTakeFirstOrThrow()
    const random = randomFrom(until)
    const each = Math.ceil((until - from) / serviceIds.length / bookingsEach)
    for (const [index, serviceId] of serviceIds.entries()) {
      const people = staffIds[index] ?? []
      const earlier = Math.ceil(from / serviceIds.length / people.length)
      const firstNumber = from + index * each * bookingsEach
      const place = { businessId, serviceId, locationId, staffIds: people }
      await storePast(context, place, { clients: clientsOf(each, random), firstNumber, earlier })
    }
    await context.db.migrate() // gives the bookings to their clients, as after an upgrade
    await analyze(databaseUrl)
  } finally {
    await context.db.close()
  }
}

import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import { plainLetters } from '../../src/database/migrations/0011-plain-letters.ts'
import { createContext } from '../../src/operate/open.ts'
import { makeBusiness, makeOffer, makeStaff, type OwnBusiness } from '../support/offers.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/* The searchable texts of clients follow the bookings, whatever writes them. */

onOneEngine('sqlite', 'what clients are searched by', (engine) => {
  let service: TestService
  let business: OwnBusiness
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    const offer = await makeOffer(service, business.id)
    const stored = {
      businessId: business.id,
      serviceId: offer.service_id,
      locationId: offer.location_id,
      staffIds: await makeStaff(service, business.id, ['Busy']),
      count: 600, // more than twice the batch of SQLite's index
      firstNumber: 0,
      fromMs: Date.parse('2026-11-21T00:00:00Z'),
      stepMinutes: 60,
      minutes: 30,
      withoutClaims: true as const,
    }
    await service.context.db.transaction((tx) => storeBookings(tx.db, engine, stored))
    await nameAll('n')
  })
  afterAll(() => service.stop())

  /** Gives each booking a different client, with the number of the booking. */
  const nameAll = async (letter: string) => {
    await service.context.db.transaction(async (tx) => {
      const number = sql`${sql.lit(letter)} || substr(cast(id as text), 25) || ${sql.lit(letter)}`
      await sql`update bookings set client_first_name = ${number}, client_last_name = 'Smith', client_id = null,
                       client_email = ${number} || '@example.com', client_search = ${number} || ' smith' || ${'\n'}`.execute(
        tx.db,
      )
    })
    await service.context.db.migrate() // gives them their clients
  }

  const numbered = (number: number, letter = 'n') =>
    `${letter}${number.toString(16).padStart(12, '0')}${letter}`

  const found = async (q: string, list = 'bookings') => {
    const { status, body } = await service.call('GET', `/${list}?q=${encodeURIComponent(q)}&limit=100`, {
      token: business.key,
    })
    expect([status, body.next_cursor]).toEqual([200, null])
    return (body.data as unknown[]).length
  }

  async function expectExact() {
    const { reads } = service.context.db
    const kept = await sql`
      select business_id, email, text, bookings from client_texts order by 1, 2, 3`.execute(reads)
    const wanted = await sql`
      select business_id, lower(client_email) as email, client_search as text, cast(count(*) as integer) as bookings
        from bookings where client_search <> '' group by 1, 2, 3 order by 1, 2, 3`.execute(reads)
    expect(kept.rows).toEqual(wanted.rows)
    return kept.rows.length
  }

  test('is each text once, and each is found', async () => {
    expect(await expectExact()).toBe(600)
    for (const number of [0, 254, 255, 256, 257, 511, 512, 599]) {
      expect(await found(numbered(number))).toBe(1)
      expect(await found(numbered(number), 'clients')).toBe(1)
    }
    expect(await found('01f')).toBe(17) // at the end of one, and in the middle of sixteen
    expect(await found('ada lovelace')).toBe(0)
  })

  test('follows a correction, of many at once too', async () => {
    await nameAll('x')
    expect(await expectExact()).toBe(600)
    expect(await found(numbered(7))).toBe(0)
    expect(await found(numbered(7, 'x'))).toBe(1)
    expect(await found(numbered(599, 'x'), 'clients')).toBe(1)
  })

  test('is shared by bookings of one client, and goes with the last of them', async () => {
    const email = 'grace@example.com'
    const [one, other] = [1, 2].map((number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
    const correct = async (id = '', first_name: string) => {
      const body = { client: { first_name, last_name: 'Hopper', email } }
      const reply = await service.call('PATCH', `/bookings/${id}`, { token: business.key, body })
      expect(reply.status).toBe(200)
    }
    await correct(one, 'Grace')
    await correct(other, 'Grace')
    expect(await expectExact()).toBe(599)
    expect([await found('ace hop'), await found('ace hop', 'clients')]).toEqual([2, 1])
    await correct(one, 'Admiral')
    expect([await found('ace hop'), await found('ral hop')]).toEqual([1, 1])
    const erased = await service.call('POST', '/clients/erase', { token: business.key, body: { email } })
    expect(erased.body.bookings).toBe(2)
    expect([await found('hopper'), await expectExact()]).toEqual([0, 598])
  })

  test('is brought to plain letters where an earlier release wrote it', async () => {
    await service.context.db.transaction(async (tx) => {
      const end = sql`substr(cast(id as text), 30)`
      await sql`update bookings set client_first_name = 'Zoë', client_last_name = 'Łukasiewicz' || ${end}, client_id = null,
                       client_search = 'zoë łukasiewicz' || ${end} || ${'\n'} where client_search <> ''`.execute(
        tx.db,
      )
    })
    expect(await found('zoe lukasiewicz')).toBe(0)
    await service.context.db.transaction((tx) => plainLetters(tx.db as unknown as Kysely<unknown>, engine))
    await service.context.db.migrate()
    for (const number of [0, 7, 255, 599]) {
      const end = numbered(number, '').slice(-7)
      for (const q of [`lukasiewicz${end}`, `Zoë Łukasiewicz${end}`])
        for (const list of ['bookings', 'clients']) expect(await found(q, list), q).toBe(1)
    }
    await expectExact()
  })

  test('is brought to plain letters in steps that stay when a migration is interrupted', async () => {
    const { db } = service.context
    const renamed = (from: string, to: string) =>
      db.transaction((tx) =>
        sql`update kysely_migration set name = ${to} where name = ${from}`.execute(tx.db),
      )
    // as if it had not run; before another may run, it gets back its position in their order
    await renamed('0011-plain-letters', 'put aside')
    await db.transaction(async (tx) => {
      await sql`update bookings set client_search = 'zoë łuk' || substr(cast(id as text), 30) where client_search <> ''`.execute(
        tx.db,
      )
    })
    const withMarks = async () => {
      const { rows } = await sql<{ n: number }>`
        select cast(count(*) as integer) as n from bookings where client_search like 'zoë%'`.execute(db.reads)
      return rows[0]?.n
    }
    const before = Number(await withMarks())
    let steps = 0
    const config = readConfig({ DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'silent' })
    const interrupted = await createContext(config, {
      onStatement: (statement) => {
        if (/^\s*update bookings set client_search/.test(statement) && (steps += 1) > 2)
          throw new Error('interrupted')
      },
    })
    await expect(interrupted.db.migrate()).rejects.toThrow('interrupted')
    await interrupted.db.close()
    expect(await withMarks()).toBe(before - 400) // two steps of 200 are kept
    await renamed('put aside', '0011-plain-letters')
    await db.transaction((tx) => plainLetters(tx.db as unknown as Kysely<unknown>, engine))
    expect(await withMarks()).toBe(0)
    await expectExact()
  })

  test('leaves nothing in the index', async () => {
    await service.context.db.transaction((tx) =>
      sql`update bookings set client_email = '', client_search = ''`.execute(tx.db),
    )
    expect(await expectExact()).toBe(0)
    if (engine === 'postgres') return
    const named = sql`select rowid from client_texts_runs where text match 'smith'`
    expect((await named.execute(service.context.db.reads)).rows).toEqual([])
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportOwnBookings, showOwnBookings } from '../../src/bookings/client-log-in.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { findMiscounted } from '../support/checker.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { ada, startTestService, type TestService } from '../support/test-service.ts'

/* Every booking has the row of its client, whatever order, server or release it comes from. */

type Row = Record<string, unknown>

onOneEngine('sqlite', 'the client of a booking', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    offer = await makeOffer(service, business.id, { name: 'Cut', capacity: 500 })
  })
  afterAll(async () => {
    expect(await findMiscounted(service.databaseUrl)).toEqual([])
    await service.stop()
  })

  const call = (method: string, path: string, body?: object, on = service) =>
    on.call(method, path, { token: business.key, ...(body && { body }) })

  let minutes = 0
  const nextTime = () => new Date(Date.parse('2026-12-01T09:00:00Z') + (minutes += 30) * 60_000).toISOString()

  async function hold(on = service, startsAt = nextTime()) {
    const { status, body } = await call('POST', '/bookings/hold', { ...offer, starts_at: startsAt }, on)
    expect(status, JSON.stringify(body)).toBe(201)
    return String(body.hold_id)
  }

  /** Books by key. Returns the booking as the key sees it. */
  async function book(client: object, { on = service, startsAt = nextTime() } = {}) {
    const id = await hold(on, startsAt)
    const { status, body } = await call('POST', '/bookings', { hold_id: id, client }, on)
    expect(status, JSON.stringify(body)).toBe(201)
    return body as Row & { id: string; client: { id: string } }
  }

  const clientRows = async () => {
    const { rows } = await sql<Row>`
      select * from clients where business_id = ${business.id} order by created_at, id`.execute(
      service.context.db.reads,
    )
    return rows
  }
  const rowOf = async (id: string) => (await clientRows()).find((row) => row['id'] === id)
  const counts = async (id: string) => {
    const { booking_count, no_show_count, last_booking_at } = (await rowOf(id)) ?? {}
    return [booking_count, no_show_count, last_booking_at]
  }

  test('is one address and one name, whatever their spelling', async () => {
    const first = await book({ ...ada, email: 'Zoë.Ångström@Example.com' })
    for (const spelling of [
      { first_name: 'ADA', last_name: 'LOVELACE', email: 'ZOË.ÅNGSTRÖM@example.COM' },
      { ...ada, first_name: 'Áda', email: 'Zoë.Ångström@Example.com'.normalize('NFD') },
    ]) {
      const again = await book(spelling)
      expect(again.client.id).toBe(first.client.id)
      expect(again.client).toMatchObject({ first_name: spelling.first_name })
    }
    const sister = await book({ ...ada, first_name: 'Augusta', email: 'zoë.ångström@example.com' })
    expect(sister.client.id).not.toBe(first.client.id)
    expect(await rowOf(first.client.id)).toMatchObject({ first_name: 'Ada', booking_count: 3 })
    expect(await rowOf(sister.client.id)).toMatchObject({ first_name: 'Augusta', booking_count: 1 })
  })

  test('without an address is one phone number and one name, and without both a new one', async () => {
    const grace = { first_name: 'Grace', last_name: 'Hopper' }
    const first = await book({ ...grace, phone: '+49 30 555-01' })
    expect((await book({ ...grace, phone: '030 55501' })).client.id).toBe(first.client.id)
    expect((await book({ ...grace, first_name: 'Vincent', phone: '+493055501' })).client.id).not.toBe(
      first.client.id,
    )
    expect((await book(grace)).client.id).not.toBe((await book(grace)).client.id)
    expect(await rowOf(first.client.id)).toMatchObject({ email: null, phone: '+49 30 555-01' })
  })

  test('is not changed by a stranger who knows their address and name, nor shown to them', async () => {
    const known = await book({ ...ada, email: 'known@example.com', phone: '+4930111' })
    const before = await rowOf(known.client.id)
    const token = await service.session({
      id: business.id,
      publishable_key: business.publishableKey,
    } as never)
    const held = await service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer, starts_at: nextTime() },
    })
    const client = { first_name: 'ÀDA', last_name: 'Lovelace', email: 'KNOWN@example.com', phone: '+49666' }
    const body = {
      ...{ hold_id: held.body.hold_id as string, client },
      ...{ locale: 'fr', time_zone: 'America/New_York', notes: 'hello' },
    }
    const booked = await service.call('POST', '/bookings', { token, body })
    expect(booked.status).toBe(201)
    expect(booked.body.client).toEqual(client)
    const { booking_count, last_booking_at, ...after } = (await rowOf(known.client.id)) ?? {}
    expect([booking_count, String(last_booking_at) > String(before?.['last_booking_at'])]).toEqual([2, true])
    expect(before).toMatchObject(after)
    const known_note = 'allergic to ammonia'
    await call('PATCH', `/clients/${known.client.id}`, {
      notes: known_note,
      tags: ['VIP'],
      time_zone: 'Asia/Tokyo',
    })
    const card = await rowOf(known.client.id)
    const tries: [method: string, path: string, body?: object][] = [
      ...[{ first_name: 'Eve' }, { last_name: 'Eve' }, { email: 'eve@example.com' }, { phone: '+49777' }].map(
        (change): [string, string, object] => [
          'PATCH',
          `/bookings/${String(booked.body.id)}`,
          { client: change },
        ],
      ),
      ['PATCH', `/bookings/${String(booked.body.id)}`, { notes: 'mine', client: { ...client, phone: null } }],
      ['PATCH', `/bookings/${known.id}`, { client: { first_name: 'Eve' } }],
      ...(['GET', 'PATCH'] as const).map((method): [string, string] => [
        method,
        `/clients/${known.client.id}`,
      ]),
      ['POST', `/clients/${known.client.id}/merge`, { into: known.client.id }],
      ['POST', '/clients', { ...client, notes: 'mine' }],
      ['POST', '/clients/erase', { email: client.email }],
      ['GET', `/clients?email=${client.email}`],
      ['GET', '/bookings'],
      ['GET', `/bookings/${known.id}`],
      ['GET', `/bookings/${String(booked.body.id)}`],
    ]
    for (const [method, path, sent] of tries) {
      const reply = await service.call(method, path, { token, ...(sent && { body: sent }) })
      const text = JSON.stringify(reply.body)
      for (const secret of [known_note, 'VIP', '+4930111', known.id, known.client.id])
        if (!path.includes(secret)) expect(text, `${method} ${path}`).not.toContain(secret)
      expect(text, `${method} ${path}`).not.toContain(known_note)
      expect(await rowOf(known.client.id), `${method} ${path}`).toEqual(card)
    }
  })

  describe('known by a phone number', () => {
    let session: string
    beforeAll(async () => {
      session = await service.session({ id: business.id, publishable_key: business.publishableKey } as never)
    })

    /** Books as a stranger on the website. */
    async function bookOnline(client: object) {
      const held = await service.call('POST', '/bookings/hold', {
        token: session,
        body: { ...offer, starts_at: nextTime() },
      })
      const body = { hold_id: held.body.hold_id as string, client }
      const booked = await service.call('POST', '/bookings', { token: session, body })
      expect(booked.status, JSON.stringify(booked.body)).toBe(201)
      return (await call('GET', `/bookings/${String(booked.body.id)}`)).body as Row & {
        id: string
        client: { id: string; email: string | null }
      }
    }

    const grete = { first_name: 'Grete', last_name: 'Hermann' }

    test('is the same client when they book online with an address', async () => {
      const card = await call('POST', '/clients', { ...grete, phone: '030 123-4567', notes: 'left-handed' })
      const id = String(card.body.id)
      const before = await rowOf(id)
      const online = await bookOnline({ ...grete, email: 'grete@example.com', phone: '+49 30 1234567' })
      expect(online.client).toMatchObject({ id, email: 'grete@example.com', phone: '+49 30 1234567' })
      const again = await bookOnline({ ...grete, email: 'Grete@example.com' })
      expect(again.client.id).toBe(id)
      const { booking_count, last_booking_at, ...after } = (await rowOf(id)) ?? {}
      expect([booking_count, last_booking_at === null]).toEqual([2, false])
      expect(before).toMatchObject(after)
      const found = await call('GET', '/clients?email=grete@example.com')
      expect(found.body.data).toMatchObject([{ id, email: null, phone: '030 123-4567', booking_count: 2 }])
      expect((await call('GET', '/clients?q=Hermann')).body.data).toHaveLength(1)
      const sister = await bookOnline({
        ...grete,
        first_name: 'Emmy',
        email: 'emmy@example.com',
        phone: '0301234567',
      })
      expect(sister.client.id).not.toBe(id)
      await call('DELETE', `/bookings/${online.id}`)
      expect((await counts(id))[0]).toBe(1)
    })

    test('is the same client when they book by phone after an address', async () => {
      const client = {
        first_name: 'Olga',
        last_name: 'Taussky',
        email: 'olga@example.com',
        phone: '+49 (0)30 99887',
      }
      const online = await bookOnline(client)
      const { email: _, ...byPhone } = client
      for (const phone of ['03099887', '0049 30 99887']) {
        const called = await book({ ...byPhone, phone })
        expect(called.client).toMatchObject({ id: online.client.id, phone })
      }
      expect(await rowOf(online.client.id)).toMatchObject({ email: 'olga@example.com', booking_count: 3 })
      expect((await book({ ...byPhone, phone: '030998870' })).client.id).not.toBe(online.client.id)
      // two addresses are two clients
      const other = await bookOnline({ ...client, email: 'other.olga@example.com', phone: '+49309988' })
      expect(other.client.id).not.toBe(online.client.id)
    })

    test('is the same client on the waiting list', async () => {
      const card = await call('POST', '/clients', {
        first_name: 'Mary',
        last_name: 'Cartwright',
        phone: '0305551',
      })
      const client = {
        first_name: 'Mary',
        last_name: 'Cartwright',
        email: 'mary@example.com',
        phone: '+49305551',
      }
      const { service_id, location_id } = offer
      const entry = await call('POST', '/waitlist', {
        ...{ service_id, location_id, client },
        ...{ from: '2026-12-01', to: '2026-12-02' },
      })
      expect(entry.status, JSON.stringify(entry.body)).toBe(201)
      expect((entry.body.client as Row)['id']).toBe(card.body.id)
      expect((await bookOnline(client)).client.id).toBe(card.body.id)
    })

    test('shares nothing with a stranger who knows name and number', async () => {
      const person = { first_name: 'Rózsa', last_name: 'Péter', phone: '+49 30 7654321' }
      const own = await book({ ...person })
      await call('PATCH', `/clients/${own.client.id}`, { notes: 'private note', tags: ['VIP'] })
      const before = await rowOf(own.client.id)
      const online = await bookOnline({ ...person, email: 'stranger@example.com' })
      expect(online.client.id).toBe(own.client.id)
      const { booking_count, last_booking_at, ...after } = (await rowOf(own.client.id)) ?? {}
      expect([booking_count, last_booking_at]).not.toEqual([1, before?.['last_booking_at']])
      expect(before).toMatchObject(after)
      const shown = await service.call('GET', `/bookings/${online.id}`, { token: session })
      expect(JSON.stringify(shown.body)).not.toMatch(/private note|VIP/)
      expect(shown.body.client).not.toHaveProperty('id')
      const mailbox = { businessId: business.id, email: 'stranger@example.com', phone: null }
      const page = await showOwnBookings(service.context, mailbox, undefined)
      expect([...page.ahead, ...page.earlier].map(({ booking }) => booking.id)).toEqual([online.id])
      expect(JSON.stringify(await exportOwnBookings(service.context, mailbox))).not.toContain(own.id)
      const exported = await call('POST', '/clients/export', { email: 'stranger@example.com' })
      expect(exported.body.clients).toEqual([])
      expect(exported.body.bookings).toMatchObject([{ booking: { id: online.id } }])
      const erased = await call('POST', '/clients/erase', { email: 'stranger@example.com' })
      expect(erased.body).toMatchObject({ bookings: 1, clients: 0 })
      expect(await rowOf(own.client.id)).toEqual(before)
      expect((await call('GET', `/bookings/${own.id}`)).body.client).toMatchObject(person)
      expect(JSON.stringify(await clientRows())).not.toContain('stranger@example.com')
    })

    test('is one row for simultaneous first bookings with and without an address, on two servers', async () => {
      const second = await startTestService(engine, {}, engine === 'postgres' ? { beside: service } : {})
      const servers = engine === 'postgres' ? [service, second] : [service]
      const on = (index: number) => servers[index % servers.length]
      for (const round of Array.from({ length: 8 }, (_each, index) => index)) {
        const person = { first_name: 'Hedy', last_name: `Lamarr ${'abcdefgh'[round] ?? ''}` }
        const holds = await Promise.all(Array.from({ length: 12 }, (_each, index) => hold(on(index))))
        const replies = await Promise.all(
          holds.map((id, index) => {
            const email = { email: `hedy${round}@example.com` }
            const client = { ...person, phone: '+49306000', ...(index % 3 > 0 && email) }
            return call('POST', '/bookings', { hold_id: id, client }, on(index))
          }),
        )
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
        expect(new Set(replies.map(({ body }) => (body.client as Row)['id'])).size).toBe(1)
        const { body } = await call('GET', `/clients?q=${encodeURIComponent(person.last_name)}`)
        expect(body.data).toMatchObject([{ booking_count: 12 }])
      }
      for (const server of servers) expect(server.logLines.join('\n')).not.toContain('deadlock')
      await second.stop()
    })
  })

  test('is counted with each change of a booking', async () => {
    const [one, two] = [nextTime(), nextTime()]
    const client = { ...ada, email: 'counted@example.com' }
    const first = await book(client, { startsAt: one })
    const { id } = first.client
    const instant = (text: string) => text.replace(/(\.000)?Z$/, '.000Z')
    expect(await counts(id)).toEqual([1, 0, instant(one)])
    const second = await book(client, { startsAt: two })
    expect(await counts(id)).toEqual([2, 0, instant(two)])
    await call('DELETE', `/bookings/${second.id}`)
    expect(await counts(id)).toEqual([1, 0, instant(one)])
    const later = nextTime()
    await call('PATCH', `/bookings/${first.id}`, { starts_at: later })
    expect(await counts(id)).toEqual([1, 0, instant(later)])
    await call('PATCH', `/bookings/${second.id}`, { status: 'confirmed' })
    await call('DELETE', `/bookings/${first.id}`)
    expect(await counts(id)).toEqual([1, 0, instant(two)])
    const past = await book(client, { startsAt: '2026-11-20T11:00:00Z' })
    service.clock.advance(3 * 3600)
    expect((await call('PATCH', `/bookings/${past.id}`, { no_show: true })).status).toBe(200)
    expect(await counts(id)).toEqual([2, 1, instant(two)])
    await call('PATCH', `/bookings/${past.id}`, { no_show: false })
    expect(await counts(id)).toEqual([2, 0, instant(two)])
  })

  test('follows a correction by the business, and a row that nobody needs goes', async () => {
    const typo = await book({ ...ada, last_name: 'Lovelase', email: 'typo@example.com' })
    const other = await book({ ...ada, email: 'typo@example.com' })
    const { status, body } = await call('PATCH', `/bookings/${typo.id}`, {
      client: { last_name: 'Lovelace', phone: '+4930222' },
    })
    expect([status, (body.client as Row)['id']]).toEqual([200, other.client.id])
    expect(await rowOf(typo.client.id)).toBeUndefined()
    expect(await rowOf(other.client.id)).toMatchObject({ booking_count: 2, phone: '+4930222' })
  })

  test('is one row for 100 simultaneous bookings on two servers', async () => {
    const second = await startTestService(engine, {}, engine === 'postgres' ? { beside: service } : {})
    const servers = engine === 'postgres' ? [service, second] : [service]
    const holds = await Promise.all(
      Array.from({ length: 100 }, (_each, index) => hold(servers[index % servers.length])),
    )
    const client = { ...ada, email: 'race@example.com' }
    const replies = await Promise.all(
      holds.map((id, index) =>
        call('POST', '/bookings', { hold_id: id, client }, servers[index % servers.length]),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map(({ body }) => (body.client as Row)['id'])).size).toBe(1)
    const rows = (await clientRows()).filter(({ address }) => address === 'race@example.com')
    expect(rows).toMatchObject([{ booking_count: 100 }])
    for (const server of servers) expect(server.logLines.join('\n')).not.toContain('deadlock')
    await second.stop()
  })

  test('is found for bookings of a server of the previous release, whose changes count', async () => {
    const known = await book({ ...ada, email: 'ada@example.com' }) // as the stored ones
    const stored = {
      ...{ businessId: business.id, serviceId: offer.service_id, locationId: offer.location_id },
      ...{ staffIds: ['00000000-0000-4000-8000-00000000feed'], count: 450, firstNumber: 1 },
      ...{ fromMs: Date.parse('2027-01-01T09:00:00Z'), stepMinutes: 60, minutes: 30 },
      withoutClaims: true as const,
    }
    await service.context.db.transaction((tx) => storeBookings(tx.db, engine, stored))
    const named = sql`'00000000-0000-4000-8000-000000000001'`
    await changeRows(
      service,
      sql`update bookings set client_first_name = 'Ädä', client_search = 'ada lovelace\nada@example.com\n\n' where id = ${named}`,
    )
    expect((await counts(known.client.id)).slice(0, 2)).toEqual([1, 0])
    await service.context.db.migrate() // as the next server of this release starts
    expect((await counts(known.client.id)).slice(0, 2)).toEqual([451, 0])
    // a straggler, which housekeeping finds
    await changeRows(service, sql`update bookings set client_id = null where id = ${named}`)
    expect((await counts(known.client.id)).slice(0, 2)).toEqual([450, 0])
    await tidy(service.context, jobs)
    expect((await counts(known.client.id)).slice(0, 2)).toEqual([451, 0])
    // changes of that server know no clients
    const at = sql.lit('2026-11-20T09:00:00.000Z')
    await changeRows(
      service,
      sql`update bookings set status = 'cancelled', cancelled_at = ${at} where id = ${named}`,
    )
    expect((await counts(known.client.id)).slice(0, 2)).toEqual([450, 0])
    await changeRows(
      service,
      sql`update bookings set client_email = '', client_search = '', erased_at = ${at}
           where business_id = ${business.id} and client_email = 'ada@example.com'`,
    )
    expect(await rowOf(known.client.id)).toBeUndefined()
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { quotaOfClientMail } from '../../src/access/rate-limit-rules.ts'
import { operator } from '../../src/access/actor.ts'
import { listMails } from '../../src/mails/mail.ts'
import { insertMails } from '../../src/mails/outbox-queries.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { mailVariables, mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeBusiness, makeOffer, type OwnBusiness } from '../support/offers.ts'
import { logInNewPerson } from '../support/person.ts'
import { scrape } from '../support/scrape.ts'
import { changeRows } from '../support/tenant-things.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const monday = '2026-11-30T09:30:00+01:00'
const tuesday = '2026-12-01T09:30:00+01:00'
const thursday = '2026-12-03T09:30:00+01:00'
const friday = '2026-12-04T09:30:00+01:00'
const logLine = 'a business has caused as many emails'

test.each([
  ['growth', 500],
  ['pro', 2_000],
  ['enterprise', 10_000],
] as const)('a business on %s causes at most %i emails to clients an hour', (plan, max) => {
  const quota = quotaOfClientMail({ businessId: 'x', plan }, 1)
  expect([quota.perMinute, quota.perHour]).toEqual([max, max]) // an import of 300 bookings may come at once
})

onOneEngine('sqlite', 'the limit of emails that a business causes', (engine) => {
  let server: MailServer
  let services: TestService[]
  beforeAll(async () => {
    server = await startMailServer()
    const variables = { ...mailVariables(server.url), RATE_LIMIT_FACTOR: '0.01' } // 5 emails an hour on growth
    const service = await startTestService(engine, variables)
    services = [service]
    if (engine === 'postgres') services.push(await startTestService(engine, variables, { beside: service }))
  })
  beforeEach(() => {
    first().clock.advance(3_601)
    server.answer = () => undefined
    server.mails.length = 0
  })
  afterAll(async () => {
    for (const service of services.toReversed()) await service.stop()
    await server.close()
  })

  const first = (): TestService => {
    const [service] = services
    if (!service) throw new Error('there is no service')
    return service
  }
  const sent = async () => {
    await Promise.all(services.map(({ app }) => app.mails.settled()))
    return server.mails.length
  }
  const postponed = async () => {
    const scraped = await Promise.all(services.map(scrape))
    return scraped.reduce((sum, one) => sum + (one.value('holdfast_mails_postponed_total') ?? 0), 0)
  }
  const reports = () => services.flatMap(({ logLines }) => logLines).filter((line) => line.includes(logLine))

  /** Returns a business on growth, with a booking whose emails are sent. */
  const salon = async (): Promise<OwnBusiness & { bookingId: string }> => {
    const business = await makeBusiness(first())
    const token = business.key
    const offer = await makeOffer(first(), business.id, { name: 'Haircut' })
    const hold = await first().call('POST', '/bookings/hold', {
      token,
      body: { ...offer, starts_at: monday },
    })
    const body = { hold_id: hold.body.hold_id as string, client: nextClient(), notify: false }
    const booking = await first().call('POST', '/bookings', { token, body })
    expect(booking.status).toBe(201)
    await changeRows(first(), sql`update businesses set plan = 'growth' where id = ${business.id}`)
    return { ...business, bookingId: booking.body.id as string }
  }
  /** Writes emails to separate recipients about one booking. */
  const write = ({ id, bookingId }: { id: string; bookingId: string }, count: number, by: 'business' | '') =>
    first().context.db.transaction(({ db, now }) =>
      insertMails(
        db,
        Array.from({ length: count }, () => {
          const { email } = nextClient()
          return {
            ...{ id: first().context.ids.next(), business_id: id, booking_id: bookingId, occasion: '1' },
            ...{ client_kind: 'confirmed' as const, business_kind: null, by_email: '', caused_by: by },
            ...{
              to_email: email,
              recipient: email,
              text_kind: null,
              to_phone: '',
              created_at: now,
              due_at: now,
            },
          }
        }),
      ),
    )

  test('holds across servers; the rest is sent in the hours after it, and clients cause more', async () => {
    const [business, other] = [await salon(), await salon()]
    const [before, lines] = [await postponed(), reports().length]
    await write(business, 12, 'business')
    await write(business, 4, '')
    await write(other, 2, 'business')
    expect(await sent()).toBe(5 + 4 + 2)
    expect((await postponed()) - before).toBe(7)
    const query = { limit: 100, status: 'queued', business_id: business.id } as const
    const { data } = await listMails(first().context, operator, query)
    const nextHour = first().context.clock.nowMs() + 3_600_000
    const waits = data.map(({ waits_for, waits_until }) => [waits_for, Date.parse(waits_until ?? '')])
    expect(waits).toEqual(Array(7).fill(['business_limit', nextHour]))
    expect(reports().length - lines).toBeGreaterThan(0)
    expect(reports().length - lines).toBeLessThanOrEqual(services.length)
    first().clock.advance(3_500)
    expect(await sent()).toBe(11)
    first().clock.advance(101)
    expect(await sent()).toBe(16)
    first().clock.advance(3_601)
    expect(await sent()).toBe(18)
    const left = (await first().rows('mails')).filter(({ status }) => status !== 'sent')
    expect(left).toEqual([])
  })

  test('counts an email once, however often it is tried', async () => {
    const business = await salon()
    server.answer = () => 451
    await write(business, 1, 'business')
    for (let tries = 0; tries < 4; tries += 1) {
      await sent()
      first().clock.advance(300)
    }
    server.answer = () => undefined
    await write(business, 5, 'business')
    expect(await sent()).toBe(1 + 4)
    first().clock.advance(3_601)
    expect(await sent()).toBe(6)
  })

  test('is that of the plan in effect', async () => {
    const business = await salon()
    await changeRows(first(), sql`update businesses set plan = 'pro' where id = ${business.id}`)
    await write(business, 21, 'business')
    expect(await sent()).toBe(20)
  })
})

onOneEngine('sqlite', 'the limit of emails to the addresses that a business chooses', (engine) => {
  test('holds while it keeps changing them; the rest is sent in the hours after it', async () => {
    const world = await mailWorld(engine, { variables: { RATE_LIMIT_FACTOR: '0.1' } }) // 12 an hour
    const { service, server, business } = world
    const chosen = (round: number) =>
      Array.from({ length: 5 }, (_, place) => `stranger-${round}-${place}@example.com`)
    const toStrangers = async () => {
      await world.sent()
      return server.mails.filter(({ headers }) => headers.to?.includes('stranger-')).length
    }
    const offer = await world.offer({ capacity: 9 })
    for (let round = 0; round < 4; round += 1) {
      const settings = { notify_emails: chosen(round) }
      expect((await world.call('PATCH', `/businesses/${business.id}`, settings)).status).toBe(200)
      await world.book(offer, monday, { notify: false })
    }
    expect(await toStrangers()).toBe(12)
    const { data } = await listMails(service.context, operator, { limit: 100, status: 'queued' })
    expect(data.map(({ waits_for }) => waits_for)).toEqual(Array(8).fill('business_limit'))
    service.clock.advance(3_601)
    expect(await toStrangers()).toBe(20)
    await world.stop()
  })
})

onOneEngine('sqlite', 'who causes an email to a client', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine, { settings: { notify_emails: ['desk@salon.example'] } })
  })
  afterAll(() => world.stop())

  /** Returns the causes of a booking's emails to its client, by kind. */
  const causesOf = async ({ id }: { id: string }) => {
    const mails = (await world.service.rows('mails')).filter(({ booking_id }) => booking_id === id)
    const [toDesk, toClient] = ['business', 'client'].map((audience) =>
      mails.filter((mail) => mail['audience'] === audience),
    )
    for (const mail of toDesk ?? []) expect(mail['caused_by']).toBeNull()
    return Object.fromEntries((toClient ?? []).map(({ kind, caused_by }) => [String(kind), caused_by]))
  }
  const bookBySession = async (startsAt = monday, remoteAddress = '192.0.2.1') => {
    const body = { ...(await world.offer()), starts_at: startsAt }
    const token = world.business.publishableKey
    const session = await world.service.call('POST', '/session', { token, remoteAddress })
    const from = { token: String(session.body.session_token), remoteAddress }
    const hold = await world.service.call('POST', '/bookings/hold', { ...from, body })
    const booking = await world.service.call('POST', '/bookings', {
      ...from,
      body: { hold_id: hold.body.hold_id as string, client: nextClient() },
    })
    expect(booking.status).toBe(201)
    return booking.body as { id: string; manage_url: string }
  }

  const remindOf = async (startsAt: string) => {
    await world.sent()
    const { clock } = world.service
    clock.advance((Date.parse(startsAt) - clock.nowMs()) / 1_000 - 23 * 3_600)
    await world.service.app.mails.remind()
  }

  test('a client does it with a session or the manage link, until a person changes the booking', async () => {
    const place = { businessId: world.business.id }
    const owner = await logInNewPerson(world.service, { email: `o@${engine}.example`, role: 'owner', place })
    const [booking, other] = [await bookBySession(), await bookBySession()]
    expect(await causesOf(booking)).toEqual({ confirmed: null })
    const moved = await owner.call('PATCH', `/bookings/${booking.id}`, { starts_at: tuesday })
    expect(moved.status).toBe(200)
    expect(await causesOf(booking)).toEqual({ confirmed: null, changed: 'business' })
    const token = new URL(other.manage_url).hash.slice(1)
    expect((await world.service.call('POST', '/manage/cancel', { token, body: {} })).status).toBe(200)
    expect(await causesOf(other)).toEqual({ confirmed: null, cancelled: null })
  })

  test('a business that trusts the network of a session, for every email about its booking', async () => {
    const tablet = '203.0.113.7'
    const trusting = { trusted_networks: [`${tablet}/32`], max_bookings_per_client: null }
    expect((await world.call('PATCH', `/businesses/${world.business.id}`, trusting)).status).toBe(200)
    const [booking, beside] = [
      await bookBySession(monday, tablet),
      await bookBySession(monday, '203.0.113.8'),
    ]
    const ahead = await bookBySession(tuesday, tablet)
    await world.call('PATCH', `/businesses/${world.business.id}`, { trusted_networks: null })
    for (const { manage_url } of [booking, beside]) {
      const token = new URL(manage_url).hash.slice(1)
      expect((await world.service.call('POST', '/manage/cancel', { token, body: {} })).status).toBe(200)
    }
    expect(await causesOf(booking)).toEqual({ confirmed: 'business', cancelled: 'business' })
    expect(await causesOf(beside)).toEqual({ confirmed: null, cancelled: null })
    await remindOf(tuesday)
    expect(await causesOf(ahead)).toEqual({ confirmed: 'business', reminder: 'business' })
  })

  test('a key, also when the client cancels, and with it the reminder', async () => {
    const [booking, cancelled] = [
      await world.book(await world.offer(), thursday),
      await world.book(await world.offer(), thursday),
    ]
    const token = new URL(String(cancelled['manage_url'])).hash.slice(1)
    expect((await world.service.call('POST', '/manage/cancel', { token, body: {} })).status).toBe(200)
    expect(await causesOf(cancelled)).toEqual({ confirmed: 'business', cancelled: 'business' })
    const ofClient = await bookBySession(friday)
    await world.call('PATCH', `/bookings/${booking.id}`, { starts_at: friday })
    expect(await causesOf(booking)).toEqual({ confirmed: 'business', changed: 'business' })
    await remindOf(friday)
    expect(await causesOf(booking)).toMatchObject({ reminder: 'business' })
    expect(await causesOf(ofClient)).toEqual({ confirmed: null, reminder: null })
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Instant, instantFromMs, toMs } from '../../src/base/instants.ts'
import { reminderDueAt } from '../../src/mails/mail-rules.ts'
import { queueReminders } from '../../src/mails/reminders.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { mailVariables, mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { startTestService } from '../support/test-service.ts'

const hour = 3_600
/** Returns the instant of a local time. */
const at = (text: string, zone: string) =>
  instantFromMs(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds)
const wall = (instant: Instant, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(toMs(instant)).toZonedDateTimeISO(zone).toPlainDateTime().toString()

describe('when a reminder is due', () => {
  // 24 hours are 24 hours: on the day before a clock change, the clock shows a different time
  test.each([
    ['Europe/Berlin', '2027-03-28T12:00', '2027-03-27T11:00:00'],
    ['Europe/Berlin', '2027-10-31T12:00', '2027-10-30T13:00:00'],
    ['America/New_York', '2027-03-14T12:00', '2027-03-13T11:00:00'],
    ['America/New_York', '2027-11-07T12:00', '2027-11-06T13:00:00'],
    ['Australia/Lord_Howe', '2027-10-03T12:00', '2027-10-02T11:30:00'],
    ['Australia/Lord_Howe', '2027-04-04T12:00', '2027-04-03T12:30:00'],
  ])('a day before %s %s it is %s', (timezone, start, expected) => {
    const starts_at = at(start, timezone)
    const due = reminderDueAt({ starts_at, timezone }, 24, null)
    expect(wall(due, timezone)).toBe(expected)
    expect(toMs(starts_at) - toMs(due)).toBe(24 * hour * 1000)
  })

  const night = { from: '21:00', to: '08:00' }
  test.each([
    ['Europe/Berlin', '2027-03-28T12:00', 24, '2027-03-27T11:00:00'], // not quiet
    ['Europe/Berlin', '2027-03-28T09:00', 2, '2027-03-27T20:59:00'], // over the clock change
    ['Europe/Berlin', '2027-10-31T09:00', 2, '2027-10-30T20:59:00'],
    ['Europe/Berlin', '2027-06-01T23:30', 24, '2027-05-31T20:59:00'], // before midnight
    ['Europe/Berlin', '2027-06-02T08:00', 24, '2027-06-01T08:00:00'], // quiet hours end with their last minute
    ['America/New_York', '2027-11-07T07:00', 3, '2027-11-06T20:59:00'],
    ['America/New_York', '2027-03-14T07:00', 3, '2027-03-13T20:59:00'],
    ['Asia/Kolkata', '2027-06-02T07:59', 24, '2027-05-31T20:59:00'],
  ])('quiet hours bring it forward: %s %s, %i h before → %s', (timezone, start, hours, expected) => {
    const starts_at = at(start, timezone)
    const due = reminderDueAt({ starts_at, timezone }, hours, night)
    expect(wall(due, timezone)).toBe(expected)
    expect(due <= starts_at).toBe(true)
  })

  test('quiet hours within a day', () => {
    const noon = { from: '12:00', to: '14:00' }
    const due = reminderDueAt(
      { starts_at: at('2027-06-02T15:30', 'Europe/Berlin'), timezone: 'Europe/Berlin' },
      2,
      noon,
    )
    expect(wall(due, 'Europe/Berlin')).toBe('2027-06-02T11:59:00')
  })
})

onOneEngine('sqlite', 'reminders', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine)
  })
  beforeEach(async () => {
    await world.sent()
    world.fresh()
  })
  afterAll(() => world.stop())

  const startIn = (seconds: number) =>
    instantFromMs(Math.floor((world.service.clock.nowMs() + seconds * 1000) / 300_000) * 300_000 + 300_000)
  /** Makes the service check for due reminders now. */
  const look = async () => {
    await world.service.app.mails.remind()
    await world.sent()
  }
  const bookIn = async (seconds: number, parts: Record<string, unknown> = {}) => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), startIn(seconds), { client, ...parts })
    await world.sent()
    world.fresh()
    return { id: booking.id, email: client.email, reminders: () => world.server.to(client.email).slice(1) }
  }

  test('comes once, a day before, with a way out of its own', async () => {
    const { reminders } = await bookIn(30 * hour)
    await look()
    expect(reminders()).toEqual([])
    world.service.clock.advance(6 * hour)
    await look()
    expect(reminders()).toEqual([])
    world.service.clock.advance(301)
    await look()
    await look()
    const [mail, ...more] = reminders()
    expect(more).toEqual([])
    expect(mail?.headers).toMatchObject({
      subject: expect.stringMatching(/^Tomorrow at \d+:\d\d: Haircut – Corner Spa$/),
      'list-unsubscribe': expect.stringMatching(/^<https:\/\/book\.example\/mail\/off\/[\w-]{64}>$/),
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    })
    expect(mail?.calendar).toBeUndefined()
  })

  test('is not queued for a client without an e-mail address', async () => {
    const client = { ...nextClient(), email: 'phone-4930123@no-email.invalid' }
    const { id } = await bookIn(30 * hour, { client })
    world.service.clock.advance(7 * hour)
    await look()
    expect((await world.call('GET', `/mails?booking_id=${id}`)).body.data).toEqual([])
  })

  test('does not come for what is cancelled, pending, or was booked, moved or taken up again later than that', async () => {
    const cancelled = await bookIn(30 * hour)
    const pending = await bookIn(30 * hour)
    const late = await bookIn(20 * hour)
    const moved = await bookIn(80 * hour)
    const revived = await bookIn(30 * hour)
    await world.call('PATCH', `/bookings/${pending.id}`, { status: 'pending' })
    await world.call('DELETE', `/bookings/${cancelled.id}?notify=false`)
    await world.call('DELETE', `/bookings/${revived.id}?notify=false`)
    world.service.clock.advance(10 * hour)
    await world.call('PATCH', `/bookings/${revived.id}`, { status: 'confirmed', notify: false })
    await world.call('PATCH', `/bookings/${moved.id}`, { starts_at: startIn(5 * hour), notify: false })
    await look()
    for (const { reminders } of [cancelled, pending, late, moved, revived]) expect(reminders()).toEqual([])
  })

  test('a cancellation between its queue and its sending stops it', async () => {
    const { id, reminders } = await bookIn(30 * hour)
    world.service.clock.advance(7 * hour)
    world.server.answer = () => 451
    await look()
    await world.call('DELETE', `/bookings/${id}?notify=false`)
    world.server.answer = () => undefined
    world.service.clock.advance(60)
    await world.sent()
    expect(reminders()).toEqual([])
  })

  test('what no server was there to send comes later, but not after the start', async () => {
    const soon = await bookIn(30 * hour)
    const passed = await bookIn(25 * hour)
    world.service.clock.advance(29 * hour)
    await look()
    expect(soon.reminders()).toHaveLength(1)
    expect(passed.reminders()).toEqual([])
  })

  test('quiet hours and several reminders', async () => {
    // it is Friday, 10:00 in Berlin, and later with each test: next Wednesday at noon
    const hours = { reminder_hours: [24, 2], quiet_hours: { from: '10:30', to: '12:30' } }
    await world.call('PATCH', `/businesses/${world.business.id}`, hours)
    const now = Temporal.Instant.fromEpochMilliseconds(world.service.clock.nowMs())
    const day = now.toZonedDateTimeISO('Europe/Berlin').add({ days: 3 }).toPlainDate()
    const noon = day.toPlainDateTime('12:00').toZonedDateTime('Europe/Berlin').epochMilliseconds
    const client = nextClient()
    await world.book(await world.offer(), instantFromMs(noon), { client })
    await world.sent()
    const go = async (ms: number) => {
      world.service.clock.advance((ms - world.service.clock.nowMs()) / 1000)
      await look()
      return world.server.to(client.email).length - 1
    }
    expect(await go(noon - 26 * 3_600_000)).toBe(0) // 10:00 the day before
    expect(await go(noon - 25.5 * 3_600_000)).toBe(1) // 10:30: the reminder of noon comes before the quiet hours
    expect(await go(noon - 2.1 * 3_600_000)).toBe(1)
    expect(await go(noon - 2 * 3_600_000)).toBe(2)
    expect(await go(noon + 1000)).toBe(2)
    await world.call('PATCH', `/businesses/${world.business.id}`, { reminder_hours: [24], quiet_hours: null })
  })

  test('one click ends them for that client and business; a look at the page does not', async () => {
    const client = nextClient()
    const first = await bookIn(30 * hour, { client })
    world.service.clock.advance(7 * hour)
    await look()
    const [reminder] = world.server.to(client.email).filter(({ headers }) => headers['list-unsubscribe'])
    const address =
      /book\.example(\/mail\/off\/[\w-]+)/.exec(reminder?.headers['list-unsubscribe'] ?? '')?.[1] ?? ''
    expect(reminder?.text).toContain(address)
    const page = await world.service.call('GET', `/${address}`)
    expect(page).toMatchObject({ status: 200 })
    expect(page.body).toContain('<form method="post">')
    expect(page.body).not.toContain(client.email)
    expect(await world.service.rows('mail_opt_outs')).toEqual([])
    const forged = address.slice(0, -1) + (address.endsWith('A') ? 'Q' : 'A')
    expect(await world.service.call('POST', `/${forged}`)).toMatchObject({ status: 404 })
    expect(await world.service.rows('mail_opt_outs')).toEqual([])
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const done = await world.service.call('POST', `/${address}`, {
        rawBody: 'List-Unsubscribe=One-Click',
        headers: { 'content-type': type },
      })
      expect(done).toMatchObject({ status: 200 })
    }
    expect(await world.service.rows('mail_opt_outs')).toMatchObject([{ email: client.email }])
    const before = world.server.to(client.email).length
    await world.book(await world.offer(), startIn(30 * hour), {
      client: { ...client, email: client.email.toUpperCase() },
    })
    await world.sent()
    world.service.clock.advance(7 * hour)
    await look()
    const later = world.server.mails.filter(({ recipients }) => recipients[0]?.toLowerCase() === client.email)
    expect(later).toHaveLength(before + 1) // its confirmation
    expect(first.id).not.toBe('')
  })

  test.each(['x', 'a'.repeat(64), 'A'.repeat(65), '%00'])(
    'a wrong address of that kind is 404: %s',
    async (token) => {
      for (const method of ['GET', 'POST'])
        expect(await world.service.call(method, `//mail/off/${token}`)).toMatchObject({ status: 404 })
    },
  )

  test('many at one minute: none twice, whoever looks', async () => {
    const { service } = world
    const other =
      engine === 'postgres'
        ? await startTestService(engine, mailVariables('smtp://127.0.0.1:1'), { beside: service })
        : undefined
    const { context, world: demo } = service
    const [business] = demo.businesses
    const count = 1_200
    await context.db.transaction((tx) =>
      storeBookings(tx.db, engine, {
        businessId: business?.id ?? '',
        serviceId: business?.services[0]?.id ?? '',
        locationId: business?.locations[0]?.id ?? '',
        staffIds: business?.staff.map(({ id }) => id) ?? [],
        ...{ count, firstNumber: 1, stepMinutes: 0, minutes: 30, withoutClaims: true },
        fromMs: toMs(startIn(48 * hour)),
      }),
    )
    // booked at their start, by that helper
    await context.db.transaction((tx) =>
      tx.db
        .updateTable('bookings')
        .set({ scheduled_at: tx.now })
        .where('business_id', '=', business?.id ?? '')
        .execute(),
    )
    service.clock.advance(24 * hour + 301)
    const since = instantFromMs(service.clock.nowMs() - 600_000)
    const looks = [context, other?.context ?? context, context]
    const found = await Promise.all(looks.map((one) => queueReminders(one, since)))
    expect(found.reduce((sum, number) => sum + number)).toBe(count)
    expect(await queueReminders(context, since)).toBe(0)
    await other?.stop()
  })

  longTest(
    'many due at one minute are all sent, each once, by as many servers as there are',
    { timeout: 900_000 },
    async () => {
      const { service, server } = world
      const { context, world: demo } = service
      const business = demo.businesses[1]
      const count = isWhole ? 10_000 : 1_000
      await context.db.transaction((tx) =>
        storeBookings(tx.db, engine, {
          businessId: business?.id ?? '',
          serviceId: business?.services[0]?.id ?? '',
          locationId: business?.locations[0]?.id ?? '',
          staffIds: business?.staff.map(({ id }) => id) ?? [],
          ...{ count, firstNumber: 100_001, stepMinutes: 0, minutes: 30, withoutClaims: true },
          fromMs: toMs(startIn(48 * hour)),
        }),
      )
      // each of a different client, so that no hourly limit applies, and booked long ago
      await context.db.transaction((tx) =>
        tx.db
          .updateTable('bookings')
          .set({
            scheduled_at: tx.now,
            confirmed_at: tx.now,
            client_email: sql`'of-' || id || '@example.com'`,
          })
          .where('business_id', '=', business?.id ?? '')
          .execute(),
      )
      service.clock.advance(24 * hour + 301)
      const other =
        engine === 'postgres'
          ? await startTestService(engine, mailVariables(server.url), { beside: service })
          : undefined
      const workers = [service.app.mails, ...(other ? [other.app.mails] : [])]
      await Promise.all(workers.map((worker) => worker.remind()))
      await Promise.all(workers.map((worker) => worker.settled()))
      const sent = world.fresh().flatMap(({ recipients }) => recipients.filter((to) => to.startsWith('of-')))
      expect([sent.length, new Set(sent).size]).toEqual([count, count])
      expect((await service.rows('mails')).filter(({ status }) => status === 'queued')).toEqual([])
      await other?.stop()
    },
  )
})

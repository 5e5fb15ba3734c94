import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offUrl, bookingOfOffToken, endReminders } from '../../src/mails/opt-out.ts'
import { tidy } from '../../src/operate/housekeeping.ts'
import { jobs } from '../../src/server.ts'
import { commandLine, onTerminal } from '../support/command-line.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine, testIn } from '../support/long.ts'
import { bookSlot, sessionClient } from '../support/client.ts'
import { makeBusiness, makeOffer, type Offer, type OwnBusiness } from '../support/offers.ts'
import { sendForm } from '../support/person.ts'
import { startReceiver, status, type Receiver } from '../support/receiver.ts'
import { type SmsServer, startSmsServer } from '../support/sms-server.ts'
import { nextStart } from '../support/tenant-things.ts'
import { startTestService, type Reply, type TestService } from '../support/test-service.ts'
import { makeWebhook } from '../support/webhooks.ts'

/** Words that occur nowhere else, one for each field that a client fills in. */
const marks = {
  first: 'Qxzfirst',
  last: 'Qxzlast',
  email: 'qxzmail',
  phone: '4915550000077',
  notes: 'Qxznotes',
  answer: 'Qxzanswer',
  reason: 'Qxzreason',
  before: 'qxzbefore',
  first2: 'Qxzold',
  card: 'Qxzcard',
  tag: 'Qxztag',
  meta: 'Qxzmeta',
  spelling: 'qxzspelt',
  consent: 'Qxzconsent',
  waiting: 'Qxzwaiting',
  waitingConsent: 'Qxzoffered',
  series: 'Qxzseries',
  request: 'Qxzrequest',
}
const email = `${marks.email}+tag@Example.com`
const client = { first_name: marks.first, last_name: marks.last, email, phone: `+${marks.phone}` }

onOneEngine('sqlite', 'erasing a client', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  let receiver: Receiver
  let sms: SmsServer
  let mailDirectory: string
  beforeAll(async () => {
    mailDirectory = emptyDirectory()
    sms = await startSmsServer('gateway')
    sms.mood = { status: 503 } // text messages wait, as the deliveries do
    service = await startTestService(engine, { MAIL_DIR: mailDirectory, SMS_URL: sms.url })
    business = await makeBusiness(service)
    const text_kinds = ['confirmed', 'changed', 'cancelled', 'reminder']
    await done(
      call('PATCH', `/businesses/${business.id}`, { notify_emails: ['desk@example.com'], text_kinds }),
    )
    offer = await makeOffer(service, business.id, {
      customFields: [{ id: fieldId, label: 'Wish', type: 'text', required: false, options: null } as never],
    })
    receiver = await startReceiver()
    receiver.answer = status(500)
    await makeWebhook(service, { token: business.key, to: receiver })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
    await sms.close()
  })

  const fieldId = '5d0a41f6-6a0a-8b52-9f7e-6f1f6e0c7b11'

  const call = async (method: string, path: string, body?: object, headers = {}): Promise<Reply> =>
    service.call(method, path, { token: business.key, headers, ...(body && { body }) })

  const done = async (reply: Promise<Reply>) => {
    const { status, body } = await reply
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    return body
  }

  async function book(more: object = {}, headers = {}) {
    const hold = await done(call('POST', '/bookings/hold', { ...offer, starts_at: nextStart() }))
    return done(call('POST', '/bookings', { hold_id: hold.hold_id as string, client, ...more }, headers))
  }

  /** Returns everything stored, as raw bytes: the files of SQLite, the rows of PostgreSQL, and files of emails. */
  async function everything(): Promise<string> {
    await service.app.mails.settled() // a file that was being written is withdrawn
    const files = existsSync(mailDirectory)
      ? readdirSync(mailDirectory).map((name) => readFileSync(join(mailDirectory, name), 'latin1'))
      : []
    return [...files, ...(engine === 'sqlite' ? sqliteFiles() : await postgresRows())].join('\n')
  }

  function sqliteFiles(): string[] {
    const file = service.databaseUrl.replace(/^sqlite:/, '')
    return ['', '-wal', '-journal', '-shm']
      .filter((ending) => existsSync(file + ending))
      .map((ending) => readFileSync(file + ending, 'latin1'))
  }

  async function postgresRows(): Promise<string[]> {
    const { reads } = service.context.db
    const tables = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema()`.execute(reads)
    expect(tables.rows.length).toBeGreaterThan(20)
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(
        reads,
      )
      texts.push(...rows.map(({ row }) => row))
    }
    return texts
  }

  /** Returns the positions of a text with their surroundings. */
  const around = (text: string, part: string) =>
    [...text.matchAll(new RegExp(part, 'gi'))].map(({ index }) =>
      text.slice(Math.max(0, index - 150), index + 60),
    )

  const found = (text: string) =>
    Object.values(marks).filter((mark) => text.toLowerCase().includes(mark.toLowerCase()))

  describe('who is in every place', () => {
    let bookingId: string
    let before: Record<string, unknown>
    let keyed: { key: string; body: object }
    let erased: Record<string, unknown>
    beforeAll(async () => {
      // a booking with another address and name first, which a change then replaces: both belong to the client
      const other = { ...client, first_name: marks.first2, email: `${marks.before}@example.com` }
      const corrected = await book({ client: other })
      await done(
        call('PATCH', `/bookings/${String(corrected.id)}`, { client: { first_name: marks.first, email } }),
      )
      // every field, with a key, and pending deliveries and emails
      const hold = await done(call('POST', '/bookings/hold', { ...offer, starts_at: nextStart() }))
      const body = {
        hold_id: hold.hold_id as string,
        client,
        notes: marks.notes,
        locale: 'de',
        text_consent: `Write to me: ${marks.consent}`,
        custom_field_values: [{ field_id: fieldId, value: marks.answer }],
      }
      keyed = { key: 'of-the-client', body }
      const booked = await done(call('POST', '/bookings', body, { 'idempotency-key': keyed.key }))
      bookingId = booked.id as string
      before = booked
      // another is cancelled with its link, with a reason
      const second = await book({ notes: marks.notes })
      const manage = new URL(String(second.manage_url)).hash.slice(1)
      const cancelled = await service.call('POST', '/manage/cancel', {
        token: manage,
        body: { reason: marks.reason },
      })
      expect(cancelled.status).toBe(200)
      // a request, before the block
      const session = await sessionClient(service, business)
      const asks = await makeOffer(service, business.id, { respondWithin: 1_440 })
      const ownRequest = { client, notes: marks.request }
      const requested = await bookSlot(session, asks, nextStart(), { book: ownRequest })
      expect(requested).toMatchObject({ status: 'pending' })
      await done(call('POST', '/clients/block', { email }, { 'idempotency-key': 'block' }))
      const token = (await offUrl(service.context, { id: bookingId, business_id: business.id }))
        .split('/')
        .pop()
      const shown = await bookingOfOffToken(service.context, token ?? '')
      if (shown) await endReminders(service.context, shown)
      // a link to the client's page
      const asked = await sendForm(service, `/me/${business.id}/link`, { contact: email })
      expect(asked.status).toBe(200)
      // which is opened, and stays open
      await service.app.mails.settled()
      const link = readdirSync(mailDirectory)
        .filter((name) => name.endsWith('client_link.eml'))
        .map((name) => readFileSync(join(mailDirectory, name), 'utf8').replaceAll(/=\r?\n/g, ''))
        .flatMap((text) => /\/me#(?:=[0-9A-F]{2})?(cal_\w+)/.exec(text)?.[1] ?? [])
      expect((await sendForm(service, '/me', { token: link[0] ?? '' })).status).toBe(303)
      expect(await service.rows('client_log_ins')).toHaveLength(1)
      // the same by text message; the second link waits for its provider
      const byText = { contact: client.phone }
      sms.mood = undefined
      expect((await sendForm(service, `/me/${business.id}/link`, byText)).status).toBe(200)
      await service.app.texts.settled()
      const texted = sms.texts.flatMap(({ text }) => /\/me#(cal_\w+)/.exec(text)?.[1] ?? [])
      expect((await sendForm(service, '/me', { token: texted[0] ?? '' })).status).toBe(303)
      expect(await service.rows('client_log_ins')).toHaveLength(2)
      sms.mood = { status: 503 }
      expect((await sendForm(service, `/me/${business.id}/link`, byText)).status).toBe(200)
      await service.app.texts.settled()
      expect(await service.rows('client_text_links')).toHaveLength(2)
      // an entry of the waiting list, and the dates of a series
      const entry = {
        ...{ ...offer, from: '2026-12-01', to: '2027-01-31' },
        client: { ...client, last_name: marks.waiting },
        text_consent: `Offer me times: ${marks.waitingConsent}`,
      }
      await done(call('POST', '/waitlist', entry))
      const dates = await done(
        call('POST', '/bookings/hold', {
          ...{ ...offer, starts_at: nextStart(), repeat: { every: 'week', count: 2 }, conflicts: 'skip' },
        }),
      )
      await done(call('POST', '/bookings', { hold_id: dates.hold_id as string, client, notes: marks.series }))
      // the row of the client, under an earlier name, and one that was added with a key
      const { id } = booked.client as { id: string }
      const card = { notes: marks.card, tags: [marks.tag], metadata: { [marks.meta]: '1' } }
      await done(call('PATCH', `/clients/${id}`, { first_name: marks.spelling, ...card }))
      const added = { first_name: marks.first, last_name: 'Other', email, notes: marks.card }
      await done(call('POST', '/clients', added, { 'idempotency-key': 'card' }))
      await service.app.mails.settled()
      await service.app.texts.settled()
      await service.app.deliveries.settled()
      expect((await service.rows('mails')).filter(({ to_phone }) => to_phone !== null)).not.toEqual([])
      expect(found(await everything())).toEqual(Object.values(marks))
      erased = await done(call('POST', '/clients/erase', { email: email.toUpperCase() }))
    })

    test('is nowhere afterwards', async () => {
      expect(found(await everything())).toEqual([])
      expect(found(service.logLines.join('\n'))).toEqual([])
    })

    testIn(engine === 'sqlite')('is in no backup made afterwards', async () => {
      if (engine !== 'sqlite') return
      const file = join(emptyDirectory(), 'backup.db')
      await commandLine(service.databaseUrl).run('backup', file)
      expect(found(readFileSync(file, 'latin1'))).toEqual([])
    })

    test('is counted', () => {
      expect(erased).toEqual({
        business_id: business.id,
        bookings: 6,
        events: 8,
        mails: expect.any(Number),
        kept_answers: 3,
        clients: 2,
        reminder_opt_outs: 1,
        waitlist_entries: 1,
        blocks: 1,
      })
      expect(erased['mails']).toBeGreaterThan(5)
    })

    test('leaves time, money and versions', async () => {
      const { body, headers } = await call('GET', `/bookings/${bookingId}`)
      expect(body).toMatchObject({
        status: 'confirmed',
        starts_at: before['starts_at'],
        client: { first_name: 'Erased', last_name: 'Erased', email: '', phone: null },
        notes: null,
        custom_field_values: [],
      })
      expect(headers['etag']).toBe('"2"')
      expect(body).not.toHaveProperty('manage_url')
      const link = new URL(String(before['manage_url'])).hash.slice(1)
      expect((await service.call('GET', '/manage', { token: link })).status).toBe(401)
    })

    test('a repeated request still gets its answer, without the client', async () => {
      const again = await call('POST', '/bookings', keyed.body, { 'idempotency-key': keyed.key })
      expect(again.status).toBe(201)
      expect(again.body).toMatchObject({
        id: bookingId,
        client: { first_name: 'Erased', email: '' },
        notes: null,
      })
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(again.body).not.toHaveProperty('manage_url')
    })

    test('cannot be guessed from the digest of a request', async () => {
      const records = await service.rows('idempotency_records')
      const digests = records.map(({ request_digest }) => request_digest)
      expect(digests.length).toBeGreaterThan(0)
      expect(digests.filter((digest) => digest !== '')).toEqual([])
    })

    test('has no link, until the business makes one for who comes instead', async () => {
      const { manage_url } = await done(call('POST', `/bookings/${bookingId}/manage-link`))
      expect(await done(call('GET', `/bookings/${bookingId}`))).toMatchObject({ manage_url })
      expect(manage_url).not.toBe(before['manage_url'])
      const token = new URL(String(manage_url)).hash.slice(1)
      const managed = await done(service.call('GET', '/manage', { token }))
      expect(managed.booking).toMatchObject({ id: bookingId, client: { first_name: 'Erased' } })
    })

    test('stays blocked, and can be unblocked', async () => {
      const asStranger = async () => {
        const token = (await done(service.call('POST', '/session', { token: business.publishableKey })))
          .session_token as string
        const hold = await done(
          service.call('POST', '/bookings/hold', { token, body: { ...offer, starts_at: nextStart() } }),
        )
        return service.call('POST', '/bookings', { token, body: { hold_id: hold.hold_id as string, client } })
      }
      expect((await asStranger()).body).toMatchObject({ code: 'booking_limit_reached' })
      const list = await commandLine(service.databaseUrl).json('client', 'list', '--business', business.id)
      expect(list.data).toMatchObject([{ email: '' }])
      await call('DELETE', '/clients/block', { email })
      expect((await asStranger()).status).toBe(201)
      await done(call('POST', '/clients/erase', { email }))
    })

    test('is told of by one line of the audit log, without the address', async () => {
      const { body } = await call('GET', '/audit?limit=100')
      const lines = (body.data as { action: string }[]).filter(
        ({ action }) => action === 'business.client_erased',
      )
      expect(lines).toHaveLength(2) // one for each erasure
      expect(found(JSON.stringify(body))).toEqual([])
      const history = await done(call('GET', `/bookings/${bookingId}/history`))
      expect((history.data as { action: string }[]).map(({ action }) => action)).toContain(
        'booking.client_erased',
      )
    })

    test('is told nothing, by mail or event, also when the booking changes later', async () => {
      const events = (await service.events()).length
      const mails = (await service.rows('mails')).filter(({ audience }) => audience === 'client').length
      await done(call('POST', '/clients/erase', { email }))
      expect((await service.events()).length).toBe(events)
      await done(call('PATCH', `/bookings/${bookingId}`, { starts_at: nextStart() }))
      expect((await service.rows('mails')).filter(({ audience }) => audience === 'client')).toHaveLength(
        mails,
      )
      expect(await everything()).toContain('Erased client')
    })
  })

  test('does not touch other clients, or the same one at another business', async () => {
    const other = await makeBusiness(service)
    const theirs = await makeOffer(service, other.id)
    const ofOther = (method: string, path: string, body: object) =>
      done(service.call(method, path, { token: other.key, body }))
    const held = await ofOther('POST', '/bookings/hold', { ...theirs, starts_at: nextStart() })
    const kept = await ofOther('POST', '/bookings', { hold_id: held.hold_id as string, client })
    const untagged = await book({ client: { ...client, email: `${marks.email}@example.com` } })
    const { id } = await book()
    await done(call('POST', '/clients/erase', { email }))
    const shown = await service.call('GET', `/bookings/${String(kept.id)}`, { token: other.key })
    expect(shown.body.client).toMatchObject({ email, first_name: marks.first })
    expect((await call('GET', `/bookings/${String(untagged.id)}`)).body.client.email).toBe(
      `${marks.email}@example.com`,
    )
    expect((await call('GET', `/bookings/${String(id)}`)).body.client.email).toBe('')
    const foreign = await call('POST', '/clients/erase', { email, business_id: other.id })
    expect(foreign.status).toBe(404)
    expect((await call('POST', '/clients/erase', { email: 'no address' })).status).toBe(422)
  })

  test('a change of the booking at the same moment brings nothing back', async () => {
    for (let round = 0; round < 8; round += 1) {
      const address = `race-${round}@example.com`
      const { id } = await book({ client: { ...client, email: address } })
      const path = `/bookings/${String(id)}`
      const [, changed] = await Promise.all([
        done(call('POST', '/clients/erase', { email: address })),
        call('PATCH', path, { starts_at: nextStart() }),
        call('PATCH', path, { status: 'completed' }),
      ])
      expect([200, 409, 412, 422]).toContain(changed.status)
      expect((await call('GET', path)).body.client).toMatchObject({ first_name: 'Erased', email: '' })
      expect(around(await everything(), address)).toEqual([])
    }
  })

  testIn(engine === 'sqlite')('more bookings than one transaction takes are all erased', async () => {
    const address = 'regular@example.com'
    for (let made = 0; made < 53; made += 1) await book({ client: { ...client, email: address } })
    expect(await done(call('POST', '/clients/erase', { email: address }))).toMatchObject({ bookings: 53 })
    expect(around(await everything(), address)).toEqual([])
  })

  test('a client who is corrected afterwards is known again', async () => {
    const { id } = await book({ client: { ...client, email: 'again@example.com' } })
    await done(call('POST', '/clients/erase', { email: 'again@example.com' }))
    const path = `/bookings/${String(id)}`
    const changed = await done(
      call('PATCH', path, { client: { first_name: 'Grace', email: 'grace@example.com' } }),
    )
    expect(changed.client).toMatchObject({ first_name: 'Grace', email: 'grace@example.com' })
    expect(await done(call('POST', '/clients/erase', { email: 'grace@example.com' }))).toMatchObject({
      bookings: 1,
    })
  })

  test('the export has what is kept, a page at a time, and the command line the whole', async () => {
    const address = 'whole@example.com'
    const person = { ...client, email: address }
    const one = await book({ client: person, notes: marks.notes })
    await call('DELETE', `/bookings/${String(one.id)}`)
    await book({ client: person, locale: 'de' })
    const whole = await done(call('POST', '/clients/export', { email: address }))
    expect(whole).toMatchObject({
      email: address,
      business_id: business.id,
      blocked_at: null,
      reminders_ended_at: null,
      next_cursor: null,
      bookings: [
        { locale: 'de', booking: { status: 'confirmed' }, payments: [] },
        { booking: { id: one.id, status: 'cancelled', notes: marks.notes, client: { email: address } } },
      ],
    })
    const [, cancelled] = whole.bookings as {
      events: { type: string; payload: object }[]
      mails: { to: string }[]
    }[]
    expect(cancelled?.events.map(({ type }) => type)).toEqual(['booking.created', 'booking.cancelled'])
    expect(JSON.stringify(cancelled?.events)).toContain(address)
    expect(cancelled?.mails.map(({ to }) => to)).toContain(address)
    const holdfast = commandLine(service.databaseUrl, { MAIL_DIR: mailDirectory, NODE_ENV: 'test' })
    const exported = await holdfast.json('client', 'export', address, '--business', business.id)
    expect(exported.bookings).toHaveLength(2)
    const erase = ['client', 'erase', address, '--business', business.id]
    await holdfast.refuses(erase, 2, /This is not a terminal: add --yes/)
    const question = { 'cannot be undone. Type yes': ['no'] }
    const variables = { DATABASE_URL: service.databaseUrl, MAIL_DIR: mailDirectory, NODE_ENV: 'test' }
    expect(await onTerminal(erase, variables, question)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was erased') as string,
    })
    expect(await onTerminal(erase, variables, {})).toMatchObject({ code: 1 }) // Ctrl+D
    expect(around(await everything(), address)).not.toEqual([])
    question['cannot be undone. Type yes'] = ['yes']
    expect(await onTerminal(erase, variables, question)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^erased from 2 bookings/) as string,
    })
    await holdfast.refuses([...erase, '--yes'], 1, /has no data about whole@example.com: nothing was erased/)
    expect(around(await everything(), address)).toEqual([])
    const after = await done(call('POST', '/clients/export', { email: address }))
    expect(after.bookings).toEqual([])
  })

  test('one of two with one address is erased alone', async () => {
    const address = 'shared@example.com'
    const [mary, tom] = [
      await book({ client: { ...client, first_name: 'Mary', email: address } }),
      await book({ client: { ...client, first_name: 'Tom', email: address } }),
    ]
    await done(call('POST', '/clients/block', { email: address }))
    const { id: client_id } = tom.client as { id: string }
    const exported = await done(call('POST', '/clients/export', { client_id }))
    expect(exported).toMatchObject({
      email: address,
      clients: [{ id: client_id }],
      bookings: [{ booking: { id: tom.id } }],
    })
    expect(await done(call('POST', '/clients/erase', { booking_id: tom.id as string }))).toMatchObject({
      ...{ bookings: 1, clients: 1, blocks: 0 },
    })
    expect(await call('GET', `/clients/${client_id}`)).toMatchObject({ status: 404 })
    expect(await done(call('GET', `/bookings/${String(mary.id)}`))).toMatchObject({ client: mary.client })
    const both = { email: address, client_id }
    expect(await call('POST', '/clients/erase', both)).toMatchObject({ status: 422 })
    expect(await done(call('POST', '/clients/erase', { email: address }))).toMatchObject({
      clients: 1,
      blocks: 1,
    })
  })

  test('a client without bookings goes with the retention period', async () => {
    const own = await makeBusiness(service)
    const token = own.key
    await service.call('PATCH', `/businesses/${own.id}`, { token, body: { retention_days: 30 } })
    const { body } = await service.call('POST', '/clients', { token, body: { first_name: 'Retained' } })
    const path = `/clients/${String(body.id)}`
    await tidy(service.context, jobs)
    expect(await service.call('GET', path, { token })).toMatchObject({ status: 200 })
    const old = sql`update clients set created_at = ${sql.lit('2026-01-01T00:00:00.000Z')} where id = ${String(body.id)}`
    await service.context.db.transaction((tx) => old.execute(tx.db))
    await tidy(service.context, jobs)
    expect(await service.call('GET', path, { token })).toMatchObject({ status: 404 })
  })

  test('an address with capitals beyond ASCII is found however it is written', async () => {
    const forms = ['ÄNNE.Ö@Example.com', 'änne.ö@example.com', 'Änne.Ö@example.com']
    for (const address of forms) await book({ client: { ...client, email: address } })
    for (const address of forms) {
      const listed = await done(call('GET', `/bookings?email=${encodeURIComponent(address)}`))
      expect(listed.data).toHaveLength(3)
      const { data } = await done(call('GET', `/clients?email=${encodeURIComponent(address)}`))
      expect(data).toMatchObject([{ booking_count: 3 }])
      const exported = await done(call('POST', '/clients/export', { email: address }))
      expect(exported.bookings).toHaveLength(3)
    }
    expect(await done(call('POST', '/clients/erase', { email: 'änne.ö@EXAMPLE.com' }))).toMatchObject({
      bookings: 3,
    })
    expect(around(await everything(), 'nne\\.')).toEqual([])
  })

  test('clients of bookings that ended longer ago than a business keeps them are erased once', async () => {
    const own = await startTestService(engine)
    const shop = await makeBusiness(own)
    const theirs = await makeOffer(own, shop.id)
    const ask = (method: string, path: string, body?: object) =>
      done(own.call(method, path, { token: shop.key, ...(body && { body }) }))
    const bookAt = async (starts_at: string) => {
      const hold = await ask('POST', '/bookings/hold', { ...theirs, starts_at })
      return String((await ask('POST', '/bookings', { hold_id: hold.hold_id as string, client })).id)
    }
    const [old, recent] = [await bookAt('2026-11-21T10:00:00Z'), await bookAt('2026-11-25T10:00:00Z')]
    const nameOf = async (id: string) => {
      const key = await own.context.db.reads.selectFrom('bookings').selectAll().where('id', '=', id).execute()
      return key[0]?.client_first_name
    }
    const lines = async () =>
      (await own.rows('audit_entries')).filter(({ actor_type }) => actor_type === 'system')
    own.clock.advance(12 * 86_400) // the 2nd of December
    await tidy(own.context, jobs)
    expect([await nameOf(old), await nameOf(recent)]).toEqual([marks.first, marks.first])
    await ask('PATCH', `/businesses/${shop.id}`, { retention_days: 10 })
    await tidy(own.context, jobs)
    expect([await nameOf(old), await nameOf(recent)]).toEqual(['Erased', marks.first])
    expect((await lines()).map(({ action }) => action)).toEqual([
      'booking.client_erased',
      'business.old_clients_erased',
    ])
    await tidy(own.context, jobs)
    expect(await lines()).toHaveLength(2)
    own.clock.advance(4 * 86_400)
    await tidy(own.context, jobs)
    expect(await nameOf(recent)).toBe('Erased')
    await ask('PATCH', `/businesses/${shop.id}`, { retention_days: null })
    for (const days of [0, 3651, 1.5, '10']) {
      const bad = await own.call('PATCH', `/businesses/${shop.id}`, {
        token: shop.key,
        body: { retention_days: days },
      })
      expect([bad.status, bad.body.errors[0].pointer]).toEqual([422, '/retention_days'])
    }
    await own.stop()
  })
})

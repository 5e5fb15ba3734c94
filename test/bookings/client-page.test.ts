import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { bookSlot, sessionClient } from '../support/client.ts'
import { textOf } from '../support/console.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { oweFee } from '../support/paid-booking.ts'
import { cookieOf, sendForm } from '../support/person.ts'
import { withoutLimiter, type Reply } from '../support/test-service.ts'
import { jobs } from '../../src/server.ts'

const day = 86_400

onOneEngine('sqlite', "a client's page", (engine) => {
  let world: MailWorld
  let addresses = 0
  beforeAll(async () => {
    world = await mailWorld(engine, { variables: { RATE_LIMIT_FACTOR: '1' } })
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.sent()
    world.fresh()
  })

  const path = () => `/me/${world.business.id}`
  const nextAddress = () => {
    addresses += 1
    return `10.${addresses >> 8}.${addresses & 255}.1`
  }
  /** Each request has its own address, because limits count by address. */
  const post = (to: string, fields: Record<string, string>, options: object = {}) =>
    sendForm(world.service, to, fields, { remoteAddress: nextAddress(), ...options })
  const read = (cookie: string | undefined, to = path()): Promise<Reply> =>
    world.service.call('GET', `/${to}`, {
      remoteAddress: nextAddress(),
      headers: { host: 'localhost', ...(cookie !== undefined && { cookie }) },
    })
  const ask = (email: string, options: object = {}) => post(`${path()}/link`, { contact: email }, options)
  /** Returns the texts of the emails since the last call that bring a link. */
  const mailed = async () => {
    await world.sent()
    return world.fresh().filter(({ text }) => text.includes('/me#'))
  }
  const tokenIn = (text: string | undefined) =>
    /https:\/\/book\.example\/me#(\w+)/.exec(text ?? '')?.[1] ?? ''
  const open = (token: string) => post('/me', { token })
  /** Opens the page of a mailbox and returns its cookie. */
  const openFor = async (email: string) => {
    await ask(email)
    return cookieOf(await open(tokenIn((await mailed())[0]?.text)))
  }
  /** Books for a new client, and drops the confirmation. */
  const book = async (
    startsAt: string,
    client = nextClient(),
    offer?: Awaited<ReturnType<MailWorld['offer']>>,
  ) => {
    const booking = await world.book(offer ?? (await world.offer({ name: 'Balayage' })), startsAt, { client })
    await world.sent()
    world.fresh()
    return { booking, client }
  }

  test('an online appointment shows the time of the client first, and one at a place that of the place', async () => {
    const [online, here] = [await world.offer({ name: 'Advice' }), await world.offer({ name: 'Haircut' })]
    await world.call('PATCH', `/locations/${online.location_id}`, {
      online_url: 'https://video.example/room',
    })
    const parts = { client: nextClient(), time_zone: 'Asia/Tokyo', locale: 'en' }
    await world.book(online, '2026-12-03T17:00:00+01:00', parts)
    await world.book(here, '2026-12-04T10:00:00+01:00', parts)
    const window = { from: '2026-12-05', to: '2026-12-05', after: '17:00' }
    await world.call('POST', '/waitlist', { ...online, ...parts, ...window })
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    await world.sent()
    const offered = world.fresh().find(({ text }) => text.includes('We keep it for you until'))
    expect(offered?.headers.subject).toMatch(/Sun,? 6 Dec, 1:00 GMT\+9/)
    expect(offered?.text).toMatch(/Sat,? 5 Dec, 17:00 in Berlin/)
    const page = textOf(await read(await openFor(parts.client.email)))
    expect(page).toMatch(/Fri,? 4 Dec, 1:00 GMT\+9 Thu,? 3 Dec, 17:00 in Berlin Advice/)
    expect(page).toMatch(/Fri,? 4 Dec, 10:00 CET 18:00 in Tokyo Haircut/)
    expect(page).toMatch(/Sun,? 6 Dec, 1:00 GMT\+9 · Main street Sat,? 5 Dec, 17:00 in Berlin/)
  })

  test('one form cancels all dates of a series, and no others', async () => {
    const { service, business } = world
    const token = business.key
    const offer = await world.offer({ name: 'Massage' })
    const client = nextClient()
    const series = async (starts_at: string) => {
      const body = { ...offer, starts_at, repeat: { every: 'week', count: 3 } }
      const held = await service.call('POST', '/bookings/hold', { token, body })
      const booking = { hold_id: held.body.hold_id, client }
      const booked = await service.call('POST', '/bookings', { token, body: booking })
      const { id, booking_ids } = booked.body.series as { id: string; booking_ids: string[] }
      return { id, booking_ids }
    }
    const [one, other] = [
      await series('2026-12-01T10:00:00+01:00'),
      await series('2026-12-01T14:00:00+01:00'),
    ]
    const statuses = async (ids: string[]) =>
      (await service.rows('bookings'))
        .filter(({ id }) => ids.includes(String(id)))
        .map(({ status }) => status)
    await world.sent()
    world.fresh()
    const cookie = await openFor(client.email)
    const shown = String((await read(cookie)).body)
    expect(shown.match(/Cancel all dates of this series<\/summary>/g)).toHaveLength(2)
    const cancel = (id: string, as = cookie) =>
      post(`${path()}/series`, { series_id: id }, { ...(as !== undefined && { cookie: as }) })
    const stranger = await openFor((await book('2026-12-02T10:00:00+01:00')).client.email)
    expect((await cancel(one.id, stranger)).status).toBe(404)
    expect(await statuses(one.booking_ids)).toEqual(Array(3).fill('confirmed'))
    expect(await cancel(one.id)).toMatchObject({ status: 303, headers: { location: path() } })
    expect(await statuses(one.booking_ids)).toEqual(Array(3).fill('cancelled'))
    expect(await statuses(other.booking_ids)).toEqual(Array(3).fill('confirmed'))
    expect(textOf(await read(cookie))).toMatch(/Upcoming .* 14:00 .* Cancelled .* 10:00 /)
    await world.sent()
    expect(world.fresh().filter(({ text }) => text.includes('Your appointments are cancelled'))).toHaveLength(
      1,
    )
  })

  test('a fee that is due has its link, and one that was waived is named', async () => {
    const { booking, client } = await book('2026-12-03T10:00:00+01:00')
    const { id } = booking
    await oweFee(world.service, id)
    const cookie = await openFor(client.email)
    const page = String((await read(cookie)).body)
    expect(page.replaceAll(/\s+/g, ' ')).toContain('€9 to pay (Late) <a href="')
    expect(page).toContain(`/checkout/${id}"`)
    const { key: token } = world.business
    await world.service.call('POST', `/bookings/${id}/payments/${id}/waive`, { token, body: {} })
    const after = String((await read(cookie)).body)
    expect(after).toContain('€9 waived (Late)')
    expect(after).not.toContain(`/checkout/${id}`)
  })

  test('a link by email opens it once, with a click', async () => {
    const { client } = await book('2026-12-01T10:00:00+01:00')
    const asked = await ask(` ${client.email.toUpperCase()} `)
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining('the link is on its way')])
    const mails = await mailed()
    expect(mails.map(({ recipients }) => recipients)).toEqual([[client.email]])
    const [mail] = mails
    const token = tokenIn(mail?.text)
    const landing = await read(undefined, '/me')
    expect(landing.body).toContain('action="/me"') // a scanner that opens the link uses nothing up
    const opened = await open(token)
    expect([opened.status, opened.headers['location']]).toEqual([303, path()])
    expect(opened.headers['set-cookie']).toMatch(
      new RegExp(`; Path=${path()}; Max-Age=${30 * day}; HttpOnly; SameSite=Lax`),
    )
    const page = await read(cookieOf(opened))
    expect(page.body).toContain('Balayage')
    expect(page.body).toMatch(/href="https:\/\/book\.example\/manage\?me=[\w-]{36}#cal_man_\w+"/)
    expect((await open(token)).status).toBe(404)
    const rows = JSON.stringify([
      await world.service.rows('client_links'),
      await world.service.rows('client_log_ins'),
    ])
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(cookieOf(opened)?.split('=')[1] ?? 'no cookie')
  })

  test('a link opens a foreign browser, and leaves the one that asked for it closed', async () => {
    const { client } = await book('2026-12-01T15:00:00+01:00')
    const asked = await ask(client.email)
    expect(asked.headers['set-cookie']).toBeUndefined()
    const opened = cookieOf(await open(tokenIn((await mailed())[0]?.text)))
    expect(String((await read(opened)).body)).toContain('Balayage')
    expect(String((await read(undefined)).body)).not.toContain('Balayage')
    const stranger = await openFor((await book('2026-12-01T16:00:00+01:00')).client.email)
    const theirs = String((await read(stranger)).body)
    expect(theirs).toContain('16:00')
    expect(theirs).not.toContain('15:00')
  })

  test('a forwarded link lets in one person, and its owner asks for another', async () => {
    const { client } = await book('2026-12-01T17:00:00+01:00')
    await ask(client.email)
    const token = tokenIn((await mailed())[0]?.text)
    const friend = await open(token)
    const owner = await open(token)
    expect([friend.status, owner.status, owner.headers['set-cookie']]).toEqual([303, 404, undefined])
    const own = await openFor(client.email)
    expect(own).not.toBe(cookieOf(friend))
    expect(String((await read(own)).body)).toContain('17:00')
    const cookie = cookieOf(friend) ?? ''
    const elsewhere = await makeBusiness(world.service)
    expect(String((await read(cookie, `/me/${elsewhere.id}`)).body)).not.toContain('17:00')
  })

  test('shows until when a request is answered, and offers to withdraw it', async () => {
    const client = nextClient()
    const session = await sessionClient(world.service, world.business)
    const offer = await world.offer({ name: 'Balayage', respondWithin: 1_440 })
    await bookSlot(session, offer, '2026-12-07T10:00:00+01:00', { book: { client } })
    await world.sent()
    world.fresh()
    const { body } = await read(await openFor(client.email))
    expect(body).toMatch(/You will hear by [^.]+\d:\d\d\. Until then, the time is kept for you\./)
    expect(body).toContain('Withdraw request')
    expect(body).not.toContain('Move or cancel')
  })

  test('shows the waiting list: an offer is taken or declined, and an entry ended', async () => {
    const client = nextClient()
    const offer = await world.offer({ name: 'Balayage' })
    const join = async (date: string) => {
      const entry = { ...offer, from: date, to: date, client }
      const reply = await world.call('POST', '/waitlist', entry)
      expect(reply.status).toBe(201)
      return String(reply.body.id)
    }
    const ids = [await join('2026-12-08'), await join('2026-12-09'), await join('2026-12-10')]
    await world.sent()
    world.fresh()
    const cookie = await openFor(client.email) // without any booking
    const before = String((await read(cookie)).body)
    expect(before.match(/Leave the waiting list/g)).toHaveLength(3)
    expect(before).not.toContain('No appointments yet')
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    const page = String((await read(cookie)).body)
    expect(page.match(/A time is free for you/g)).toHaveLength(3)
    const codes = [...page.matchAll(/action="(\/w\/[\w-]+)\/take"/g)].map(([, code = '']) => code)
    const offers = [...page.matchAll(/name="offer" value="([\w-]+)"/g)].map(([, id = '']) => id)
    const [first = '', second = '', third = ''] = codes
    const sendTo = async (to: string, fields: Record<string, string>) =>
      (await sendForm(world.service, to, { ...fields, from: 'me' })).headers['location']
    expect(page.match(/name="from" value="me"/g)).toHaveLength(9)
    // each form leads back to this page
    expect(await sendTo(`${first}/take`, { offer: offers[0] ?? '' })).toBe(path())
    expect(await sendTo(`${second}/decline`, { offer: offers[2] ?? '' })).toBe(`${path()}?now=declined`)
    expect(await sendTo(`${second}/take`, { offer: offers[2] ?? '' })).toBe(`${path()}?now=gone`)
    expect(await sendTo(`${third}/leave`, {})).toBe(path())
    expect(String((await read(cookie, `${path()}?now=declined`)).body)).toContain(
      'You did not take this time',
    )
    const states: unknown[] = []
    for (const id of ids) states.push((await world.call('GET', `/waitlist/${id}`)).body.status)
    // the time that the third one left may have been offered to the second already
    expect(states).toEqual(['booked', expect.stringMatching(/^(?:waiting|offered)$/), 'ended'])
    const after = String((await read(cookie)).body)
    expect(after.match(/Leave the waiting list/g)).toHaveLength(1)
    expect(after).toContain('Upcoming')
    const file = await read(cookie, `${path()}/bookings.json`)
    const { waitlist } = (typeof file.body === 'string' ? JSON.parse(file.body) : file.body) as {
      waitlist: { id: string }[]
    }
    expect(waitlist.map(({ id }) => id)).toEqual(ids)
  })

  test('an offered time that has a question is taken on the page of its entry', async () => {
    const client = nextClient()
    const field = {
      id: randomUUID(),
      key: 'hair',
      label: 'Hair length',
      type: 'text' as const,
      required: true,
    }
    const offer = await world.offer({ name: 'Balayage', customFields: [field] })
    await world.call('POST', '/waitlist', { ...offer, from: '2026-12-08', to: '2026-12-08', client })
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    await world.sent()
    world.fresh()
    const { body } = await read(await openFor(client.email))
    expect(body).toMatch(/<a class="button main" href="\/w\/[\w-]+"\s*>Book this time<\/a/)
  })

  test('emails to clients lead to it', async () => {
    await world.book(await world.offer(), '2026-12-02T10:00:00+01:00', { client: nextClient() })
    await world.sent()
    const [mail] = world.fresh()
    expect(mail?.text).toContain(`Your appointments:\r\nhttps://book.example${path()}\r\n`)
  })

  test('of two who open a link at once, one gets in', async () => {
    const { client } = await book('2026-12-01T10:00:00+01:00')
    await ask(client.email)
    const token = tokenIn((await mailed())[0]?.text)
    const replies = await Promise.all([open(token), open(token)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404])
  })

  test('the answer for an unknown address looks and costs the same, and sends nothing', async () => {
    const { client } = await book('2026-12-01T10:00:00+01:00')
    const asked = async (email: string) => {
      let reply: Reply | undefined
      const made = await world.service.statementsOf(async () => {
        reply = await ask(email)
      })
      const body = String(reply?.body).replaceAll(email, 'ADDRESS')
      return { status: reply?.status, body, statements: withoutLimiter(made) }
    }
    const known = await asked(client.email)
    expect(await mailed()).toHaveLength(1)
    for (const email of ['nobody@example.com', 'phone-49301234567@no-email.invalid']) {
      expect(await asked(email)).toEqual(known)
      expect(await mailed()).toEqual([])
    }
    const kept = await world.service.rows('client_links')
    expect(kept.every(({ status }) => status === 'sent')).toBe(true) // nothing of unknown addresses stays
    const wrong = await ask('not an address')
    expect([wrong.status, wrong.body]).toEqual([422, expect.stringContaining('name@example.com')])
  })

  test('a mailbox gets three links an hour, and its sender is not told', async () => {
    const { client } = await book('2026-12-01T10:00:00+01:00')
    for (let time = 0; time < 5; time += 1) expect((await ask(client.email)).status).toBe(200)
    expect(await mailed()).toHaveLength(3)
    world.service.clock.advance(3_601)
    await ask(client.email)
    expect(await mailed()).toHaveLength(1)
  })

  test('one visitor cannot ask for many addresses', async () => {
    const statuses: number[] = []
    for (let time = 0; time < 30; time += 1)
      statuses.push((await ask(`many-${time}@example.com`, { remoteAddress: '10.9.9.9' })).status)
    expect(statuses).toContain(429)
  })

  test('a link expires after 15 minutes, a log-in after 30 days or by hand', async () => {
    const { client } = await book('2027-02-01T10:00:00+01:00')
    await ask(client.email)
    const late = tokenIn((await mailed())[0]?.text)
    world.service.clock.advance(901)
    expect((await open(late)).status).toBe(404)
    const [one, other] = [await openFor(client.email), await openFor(client.email)]
    await post(`${path()}/close`, {}, { cookie: one })
    expect((await read(one)).body).not.toContain('Balayage')
    expect((await read(other)).body).toContain('Balayage')
    world.service.clock.advance(30 * day)
    expect((await read(other)).body).not.toContain('Balayage')
    const oldLogIns = jobs.find(({ name }) => name === 'old log-ins of clients')
    expect(await oldLogIns?.deleteBatch(world.service.context, 100)).toBeGreaterThan(0)
  })

  test('it shows the bookings of one mailbox at one business, those ahead first', async () => {
    const offer = await world.offer({ name: 'Fringe trim' })
    const now = world.service.clock.nowMs()
    const at = (days: number) =>
      new Date(Math.ceil((now + days * day * 1_000) / 3_600_000) * 3_600_000).toISOString()
    const client = nextClient()
    const { booking } = await book(at(2), client, offer)
    await book(at(20), client, await world.offer({ name: 'Perm' }))
    await book(at(3), nextClient(), await world.offer({ name: 'Not theirs' }))
    const elsewhere = await makeBusiness(world.service)
    const foreign = await makeOffer(world.service, elsewhere.id, { name: 'Elsewhere' })
    const call = (method: string, to: string, body: object) =>
      world.service.call(method, to, { token: elsewhere.key, body })
    const held = await call('POST', '/bookings/hold', { ...foreign, starts_at: at(2) })
    expect((await call('POST', '/bookings', { hold_id: held.body.hold_id, client })).status).toBe(201)
    world.service.clock.advance(5 * day)
    const cookie = await openFor(client.email)
    const { body } = await read(cookie)
    expect(String(body).indexOf('Perm')).toBeLessThan(String(body).indexOf('Fringe trim'))
    expect(body).toMatch(/href="[^"]*\/book\/[^"]*service=[^"]*">Book again</)
    for (const other of ['Not theirs', 'Elsewhere']) expect(body).not.toContain(other)
    expect(body).not.toContain('>Missed<')
    const miss = { token: world.business.key, body: { no_show: true } }
    expect((await world.service.call('PATCH', `/bookings/${booking.id}`, miss)).status).toBe(200)
    expect((await read(cookie)).body).toContain('>Missed<')
    const token = cookie?.split('=')[1] ?? ''
    const there = await read(`holdfast-client=${token}`, `/me/${elsewhere.id}`)
    expect(there.body).toContain('Send me the link') // a log-in counts at its business only
    const file = await read(cookie, `${path()}/bookings.json`)
    const { email, bookings } = (typeof file.body === 'string' ? JSON.parse(file.body) : file.body) as {
      email: string
      bookings: { id: string }[]
    }
    expect(email).toBe(client.email)
    expect(bookings.map(({ id }) => id)).toContain(booking.id)
    expect(bookings).toHaveLength(2)
    expect((await read(undefined, `${path()}/bookings.json`)).status).toBe(404)
    const isOpen = async (as: string | undefined, at = path()) =>
      (await read(as, `${at}/state`)).body as unknown
    expect(await isOpen(cookie)).toEqual({ open: true })
    for (const shut of [isOpen(undefined), isOpen(`holdfast-client=${token}`, `/me/${elsewhere.id}`)])
      expect(await shut).toEqual({ open: false })
    await post(`${path()}/close`, {}, { ...(cookie !== undefined && { cookie }) })
    expect(await isOpen(cookie)).toEqual({ open: false })
  })

  test('it names the part of a payment that was refunded, and then all of it', async () => {
    const { service, business } = world
    const deposit = { amount: 3_000, currency: 'EUR' }
    const session = await sessionClient(service, business)
    const held = await session.hold(
      await world.offer({ name: 'Balayage', deposit }),
      '2027-01-12T10:00:00+01:00',
    )
    const client = nextClient()
    const { body: due } = await session.book(String(held.body.hold_id), { client })
    await sendForm(service, `${new URL(String(due.redirect_url)).pathname}/pay`, {})
    await world.sent()
    world.fresh()
    const cookie = await openFor(client.email)
    expect((await read(cookie)).body).not.toContain('refunded')
    const refund = { token: business.key, body: { amount: 1_000 } }
    expect((await service.call('POST', `/bookings/${String(due.id)}/refund`, refund)).status).toBe(201)
    expect((await read(cookie)).body).toContain('€10 refunded')
    const rest = { token: business.key, body: {} }
    expect((await service.call('POST', `/bookings/${String(due.id)}/refund`, rest)).status).toBe(201)
    expect((await read(cookie)).body).toContain('€30 refunded')
  })

  test('an erased client has neither links nor log-ins', async () => {
    const { client } = await book('2027-06-01T10:00:00+02:00')
    const cookie = await openFor(client.email)
    await ask(client.email)
    await world.sent()
    const { status } = await world.call('POST', '/clients/erase', { email: client.email })
    expect(status).toBe(200)
    expect((await read(cookie)).body).toContain('Send me the link')
    for (const table of ['client_links', 'client_log_ins'])
      expect(JSON.stringify(await world.service.rows(table))).not.toContain(client.email)
  })

  test('other websites and unknown businesses get nowhere', async () => {
    const foreign = { headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }
    expect((await ask('ada@example.com', foreign)).status).toBe(403)
    expect((await post('/me', { token: 'x' }, foreign)).status).toBe(403)
    const unknown = '/me/00000000-0000-4000-8000-000000000000'
    expect((await read(undefined, unknown)).status).toBe(404)
    expect((await post(`${unknown}/link`, { contact: 'ada@example.com' })).status).toBe(404)
  })

  /** Guesses tokens for an open link and an open log-in, from many addresses, and returns the answers by status. */
  const guess = async (times: number) => {
    const { client } = await book('2027-06-01T10:00:00+02:00')
    const cookie = await openFor(client.email)
    await ask(client.email)
    const token = tokenIn((await mailed())[0]?.text)
    const statuses = new Map<string, number>()
    const counted = (kind: string, { status }: Reply) =>
      statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1)
    const guessIn = async (turn: number) => {
      // every third is as near as a guess can be: the token with another character
      const wrong = turn % 3 === 0 ? changed(token, turn) : newToken('client', world.service.context.ids)
      counted('link', await open(wrong))
      const page = await read(`${cookie?.split('=')[0] ?? ''}=${wrong}`)
      expect(page.body).not.toContain('Balayage')
      counted('log-in', page)
    }
    for (let turn = 0; turn < times; turn += 10)
      await Promise.all(Array.from({ length: 10 }, (_each, index) => guessIn(turn + index)))
    expect((await open(token)).status).toBe(303) // it still works, once
    expect((await open(token)).status).toBe(404)
    return Object.fromEntries(statuses)
  }
  const changed = (token: string, turn: number) => {
    const at = token.length - 1 - (turn % 30)
    return token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1)
  }

  test('guesses open nothing', async () => {
    expect(await guess(50)).toEqual({ 'link 404': 50, 'log-in 200': 50 })
  })

  longTest('10,000 guesses open nothing', { timeout: 600_000 }, async () => {
    const times = isWhole ? 10_000 : 200
    expect(await guess(times)).toEqual({ 'link 404': times, 'log-in 200': times })
  })

  test('the email is in the language of the page, and is sent once by two servers', async () => {
    const { client } = await book('2027-06-01T10:00:00+02:00')
    await ask(client.email, { headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' } })
    expect((await mailed()).map(({ text }) => text)).toEqual([
      expect.stringContaining('Meine Termine anzeigen'),
    ])
  })

  test('an email that cannot be sent is tried again until its link has expired', async () => {
    const { client } = await book('2027-06-01T10:00:00+02:00')
    world.server.answer = () => 451
    await ask(client.email)
    expect(await mailed()).toEqual([])
    world.server.answer = () => undefined
    world.service.clock.advance(31)
    expect(await mailed()).toHaveLength(1)
    world.server.answer = () => 451
    await ask(client.email)
    await world.sent()
    world.server.answer = () => undefined
    world.service.clock.advance(901)
    expect(await mailed()).toEqual([])
  })
})

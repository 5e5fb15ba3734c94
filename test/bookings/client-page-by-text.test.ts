import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newToken } from '../../src/access/token.ts'
import { segmentsOf } from '../../src/mails/text-rules.ts'
import { jobs } from '../../src/server.ts'
import { bookSlot, sessionClient } from '../support/client.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeBusiness, makeOffer } from '../support/offers.ts'
import { cookieOf, sendForm } from '../support/person.ts'
import { type SmsServer, startSmsServer } from '../support/sms-server.ts'
import { type Reply, withoutLimiter } from '../support/test-service.ts'

onOneEngine('sqlite', "a client's page by text message", (engine) => {
  let world: MailWorld
  let sms: SmsServer
  let seen = 0
  let addresses = 0
  let numbers = 0
  beforeAll(async () => {
    sms = await startSmsServer('twilio')
    world = await mailWorld(engine, { variables: { RATE_LIMIT_FACTOR: '1', SMS_URL: sms.url } })
  })
  afterAll(async () => {
    await world.stop()
    await sms.close()
  })
  beforeEach(async () => {
    sms.mood = undefined
    await texted()
  })

  const path = () => `/me/${world.business.id}`
  const nextAddress = () => {
    addresses += 1
    return `10.${addresses >> 8}.${addresses & 255}.1`
  }
  const nextNumber = () => `+49171${String((numbers += 1)).padStart(7, '0')}`
  const post = (to: string, fields: Record<string, string>, options: object = {}) =>
    sendForm(world.service, to, fields, { remoteAddress: nextAddress(), ...options })
  const read = async (cookie: string | undefined, to = path()): Promise<Reply> =>
    world.service.call('GET', `/${to}`, {
      remoteAddress: nextAddress(),
      headers: { host: 'localhost', ...(cookie !== undefined && { cookie }) },
    })
  const ask = (contact: string, options: object = {}) => post(`${path()}/link`, { contact }, options)
  const settle = async () => {
    await world.service.app.mails.settled()
    await world.service.app.texts.settled()
  }
  /** Returns the texts with a link since the last call. */
  const texted = async () => {
    await settle()
    const fresh = sms.texts.slice(seen)
    seen = sms.texts.length
    return fresh.filter(({ text }) => text.includes('/me#'))
  }
  const tokenIn = (text: string | undefined) =>
    /https:\/\/book\.example\/me#(\w+)/.exec(text ?? '')?.[1] ?? ''
  const open = (token: string) => post('/me', { token })
  const openFor = async (phone: string) => {
    await ask(phone)
    return cookieOf(await open(tokenIn((await texted())[0]?.text)))
  }
  const book = async (client: object, { name = 'Balayage', at = '2026-12-01T10:00:00+01:00' } = {}) => {
    const booking = await world.book(await world.offer({ name }), at, { client })
    await texted()
    return booking
  }
  const named = (first_name: string, phone: string, email?: string) => ({
    ...{ first_name, last_name: 'Lovelace', phone },
    ...(email !== undefined && { email }),
  })
  const bodyOf = async (cookie: string | undefined) => String((await read(cookie)).body)

  test('a link by text opens it once, for a client without an address', async () => {
    await book(named('Ada', '0170 111 22 33'))
    const asked = await ask(' +49 (0)170 1112233 ')
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining('on its way by text message')])
    const [text, ...more] = await texted()
    expect([text?.to, more]).toEqual(['+491701112233', []])
    expect(segmentsOf(text?.text ?? '')).toBeLessThanOrEqual(2)
    const token = tokenIn(text?.text)
    const opened = await open(token)
    expect([opened.status, opened.headers['location']]).toEqual([303, path()])
    const page = await bodyOf(cookieOf(opened))
    expect(page).toContain('Balayage')
    expect(page).toContain('booked with \u2066+491701112233\u2069')
    expect(page).not.toContain('no-email.invalid')
    expect((await open(token)).status).toBe(404)
    const tables = ['client_text_links', 'client_log_ins', 'mails']
    const rows = JSON.stringify(await Promise.all(tables.map((table) => world.service.rows(table))))
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(cookieOf(opened)?.split('=')[1] ?? 'no cookie')
    const file = await read(cookieOf(opened), `${path()}/bookings.json`)
    const kept = (typeof file.body === 'string' ? JSON.parse(file.body) : file.body) as object
    expect(kept).toMatchObject({ phone: '+491701112233', bookings: [{ service: { name: 'Balayage' } }] })
    expect(kept).not.toHaveProperty('email')
  })

  test('it shows all who share the number, with and without an address, and nobody else', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone), { name: 'Fringe trim' })
    await book(named('Byron', phone.replace('+49', '0')), { name: 'Perm', at: '2026-12-02T10:00:00+01:00' })
    const { email } = nextClient()
    await book(named('Clara', phone.replace('+49171', '+49 171 / '.replace('/', '-')), email), {
      ...{ name: 'Highlights', at: '2026-12-03T10:00:00+01:00' },
    })
    // the same client with another number, and another number with the same end
    await book(named('Clara', nextNumber(), email), { name: 'Hidden', at: '2026-12-04T10:00:00+01:00' })
    await book(named('Dora', phone.replace('+49171', '+49172')), { name: 'Foreign' })
    const elsewhere = await makeBusiness(world.service)
    const foreign = await makeOffer(world.service, elsewhere.id, { name: 'Elsewhere' })
    const call = (to: string, body: object) => world.service.call('POST', to, { token: elsewhere.key, body })
    const held = await call('/bookings/hold', { ...foreign, starts_at: '2026-12-01T10:00:00+01:00' })
    const booked = await call('/bookings', { hold_id: held.body.hold_id, client: named('Ada', phone) })
    expect(booked.status).toBe(201)
    const cookie = await openFor(phone)
    const page = await bodyOf(cookie)
    for (const own of ['Fringe trim', 'Perm', 'Highlights', 'Ada', 'Byron', 'Clara'])
      expect(page).toContain(own)
    for (const other of ['Hidden', 'Foreign', 'Elsewhere']) expect(page).not.toContain(other)
    const token = cookie?.split('=')[1] ?? ''
    const there = await read(`holdfast-client=${token}`, `/me/${elsewhere.id}`)
    expect(there.body).toContain('Send me the link')
  })

  test("a stranger who books with somebody's address and an own number sees only that booking", async () => {
    const client = { ...nextClient(), phone: nextNumber() }
    const session = await sessionClient(world.service, world.business)
    const stranger = { ...client, phone: nextNumber() }
    const first = await world.offer({ name: 'Bait' })
    await bookSlot(session, first, '2026-12-07T10:00:00+01:00', { book: { client: stranger } })
    await book(client, { name: 'Secret' })
    const page = await bodyOf(await openFor(stranger.phone))
    expect(page).toContain('Bait')
    expect(page).not.toContain('Secret')
  })

  test('an entry of the waiting list alone opens it', async () => {
    const phone = nextNumber()
    const offer = await world.offer({ name: 'Balayage' })
    const dates = { from: '2026-12-08', to: '2026-12-08' }
    const entry = { ...offer, ...dates, client: named('Ada', phone.replace('+49', '0')) }
    expect((await world.call('POST', '/waitlist', entry)).status).toBe(201)
    expect(await bodyOf(await openFor(phone))).toContain('Leave the waiting list')
  })

  test('the answer for an unknown number looks and costs the same, and sends nothing', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    const asked = async (number: string) => {
      let reply: Reply | undefined
      const made = await world.service.statementsOf(async () => {
        reply = await ask(number)
      })
      const body = String(reply?.body).replaceAll(number, 'NUMBER')
      return { status: reply?.status, body, statements: withoutLimiter(made) }
    }
    const known = await asked(phone)
    expect(await texted()).toHaveLength(1)
    const unknown = nextNumber()
    expect(await asked(unknown)).toEqual(known)
    // the business sees no request of an unknown number either, at no time
    expect(JSON.stringify((await world.call('GET', '/mails')).body)).not.toContain(unknown)
    expect(await texted()).toEqual([])
    expect(JSON.stringify(await world.service.rows('client_text_links'))).not.toContain(unknown)
    for (const wrong of ['12', '+1 212 555 0100']) {
      const refused = await ask(wrong) // another country, too, for everybody
      expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('a number such as')])
    }
    const neither = await ask('neither of the two')
    expect([neither.status, neither.body]).toEqual([422, expect.stringContaining('name@example.com')])
  })

  test('an address still gets an email, and a stand-in address none', async () => {
    const client = nextClient()
    await book(client)
    await book(named('Ada', '+491719998877'))
    world.fresh()
    await ask(client.email)
    await ask('phone-491719998877@no-email.invalid')
    expect(await texted()).toEqual([])
    const mails = world.fresh().filter(({ text }) => text.includes('/me#'))
    expect(mails.map(({ recipients }) => recipients)).toEqual([[client.email]])
  })

  test('a number gets three links an hour in any spelling, and its sender is not told', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    const spellings = [phone, phone.replace('+49', '0'), phone.replace('+49', '+49 (0)'), phone, phone]
    for (const spelling of spellings) expect((await ask(spelling)).status).toBe(200)
    expect(await texted()).toHaveLength(3)
    world.service.clock.advance(3_601)
    await ask(phone)
    expect(await texted()).toHaveLength(1)
  })

  test('one visitor cannot ask for many numbers', async () => {
    const statuses: number[] = []
    for (let time = 0; time < 30; time += 1)
      statuses.push((await ask(nextNumber(), { remoteAddress: '10.9.9.9' })).status)
    expect(statuses).toContain(429)
  })

  test('a link expires after 15 minutes, and of two who open it at once one gets in', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    await ask(phone)
    const late = tokenIn((await texted())[0]?.text)
    world.service.clock.advance(901)
    expect((await open(late)).status).toBe(404)
    await ask(phone)
    const token = tokenIn((await texted())[0]?.text)
    const replies = await Promise.all([open(token), open(token)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404])
  })

  test('a number that has answered STOP gets no link, until START', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    await sms.report(world.service, { From: phone, Body: 'STOP' })
    expect((await ask(phone)).status).toBe(200)
    expect(await texted()).toEqual([])
    await sms.report(world.service, { From: phone, Body: 'START' })
    await ask(phone)
    expect(await texted()).toHaveLength(1)
  })

  test('the list of messages shows the number and the state, but no link', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    await ask(phone)
    const [text] = await texted()
    const listed = async (query: string) => {
      const { data } = (await world.call('GET', `/mails?${query}`)).body as {
        data: Record<string, unknown>[]
      }
      return data.filter(({ to }) => to === phone)
    }
    const message = { kind: 'client_link', channel: 'text', status: 'sent', booking_id: null }
    expect(await listed('channel=text')).toEqual([expect.objectContaining(message)])
    expect(await listed('')).toHaveLength(1)
    expect(await listed('channel=email')).toEqual([])
    expect(JSON.stringify(await listed(''))).not.toContain(tokenIn(text?.text))
    const elsewhere = await makeBusiness(world.service)
    const theirs = await world.service.call('GET', '/mails', { token: elsewhere.key })
    expect(theirs.body.data).toEqual([])
  })

  test('a text that cannot be sent is tried again with the same link until it has expired', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    sms.mood = { status: 503 }
    await ask(phone)
    expect(await texted()).toEqual([])
    sms.mood = undefined
    world.service.clock.advance(31)
    const [text] = await texted()
    expect((await open(tokenIn(text?.text))).status).toBe(303)
    sms.mood = { status: 503 }
    await ask(phone)
    await settle()
    sms.mood = undefined
    world.service.clock.advance(901)
    expect(await texted()).toEqual([])
  })

  test('it needs no consent and no quiet hour, and is in the language of the page', async () => {
    const phone = nextNumber()
    await world.call('PATCH', `/businesses/${world.business.id}`, {
      quiet_hours: { from: '00:00', to: '23:59' },
    })
    await book(named('Ada', phone))
    await ask(phone, { headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' } })
    expect((await texted()).map(({ text }) => text)).toEqual([
      expect.stringContaining('Hier sind alle Ihre Termine. Der Link gilt einmal, 15 Minuten lang:'),
    ])
    await world.call('PATCH', `/businesses/${world.business.id}`, { quiet_hours: null })
  })

  test('an erased client has neither links nor log-ins, under any of their numbers', async () => {
    const [one, other] = [nextNumber(), nextNumber()]
    const { email } = nextClient()
    await book(named('Ada', one, email))
    await book(named('Ada', other.replace('+49', '0'), email), { at: '2026-12-02T10:00:00+01:00' })
    const cookies = [await openFor(one), await openFor(other)]
    await ask(one)
    await settle()
    expect((await world.call('POST', '/clients/erase', { email })).status).toBe(200)
    for (const cookie of cookies) expect(await bodyOf(cookie)).toContain('Send me the link')
    for (const table of ['client_text_links', 'client_log_ins']) {
      const rows = JSON.stringify(await world.service.rows(table))
      for (const phone of [one, other]) expect(rows).not.toContain(phone.slice(3))
    }
  })

  const guess = async (times: number) => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    await ask(phone)
    const token = tokenIn((await texted())[0]?.text)
    const statuses = new Map<number, number>()
    const guessIn = async (turn: number) => {
      const at = token.length - 1 - (turn % 30)
      const near = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1)
      const { status } = await open(turn % 3 === 0 ? near : newToken('client', world.service.context.ids))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    for (let turn = 0; turn < times; turn += 10)
      await Promise.all(Array.from({ length: 10 }, (_each, index) => guessIn(turn + index)))
    expect((await open(token)).status).toBe(303)
    return Object.fromEntries(statuses)
  }

  test('guesses open nothing', async () => {
    expect(await guess(50)).toEqual({ 404: 50 })
  })

  longTest('10,000 guesses open nothing', { timeout: 600_000 }, async () => {
    const times = isWhole ? 10_000 : 200
    expect(await guess(times)).toEqual({ 404: times })
  })

  test('old requests are deleted', async () => {
    const phone = nextNumber()
    await book(named('Ada', phone))
    await ask(phone)
    await settle()
    const oldLinks = jobs.find(({ name }) => name === 'old links of clients')
    world.service.clock.advance(400 * 86_400)
    expect(await oldLinks?.deleteBatch(world.service.context, 100)).toBeGreaterThan(0)
    expect(await world.service.rows('client_text_links')).toEqual([])
  })
})

onOneEngine('sqlite', 'limits of links by text message', (engine) => {
  /** Asks for links to known numbers, one after the other, and returns what became of them. */
  const outcomes = async (variables: Record<string, string>, times: number) => {
    const sms = await startSmsServer('twilio')
    const world = await mailWorld(engine, { variables: { SMS_URL: sms.url, ...variables } })
    const offer = await world.offer()
    for (let time = 0; time < times; time += 1) {
      const phone = `+4917155500${String(time).padStart(2, '0')}`
      const client = { first_name: 'Ada', last_name: 'Lovelace', phone }
      await world.book(offer, `2026-12-${String(time + 1).padStart(2, '0')}T10:00:00+01:00`, { client })
      const to = `/me/${world.business.id}/link`
      expect((await sendForm(world.service, to, { contact: phone })).status).toBe(200)
      await world.service.app.texts.settled()
    }
    const { data } = (await world.call('GET', '/mails?channel=text')).body as {
      data: { last_error: string | null }[]
    }
    const sent = sms.texts.length
    await world.stop()
    await sms.close()
    return { sent, errors: data.flatMap(({ last_error }) => last_error ?? []) }
  }

  test("a text beyond the server's hour fails, and the list says why", async () => {
    expect(await outcomes({ SMS_PER_HOUR: '2' }, 3)).toEqual({
      ...{ sent: 2, errors: ['the text messages of this hour are used up'] },
    })
  })

  test("a text beyond the plan's month fails, and the list says why", async () => {
    expect(await outcomes({ SMS_PER_MONTH: '2' }, 3)).toEqual({
      ...{
        sent: expect.any(Number),
        errors: expect.arrayContaining([expect.stringContaining('this month')]),
      },
    })
  })

  test('a server without texts takes addresses only', async () => {
    const world = await mailWorld(engine)
    const page = (of: MailWorld) =>
      of.service.call('GET', `//me/${of.business.id}`, { headers: { host: 'localhost' } })
    expect((await page(world)).body).toContain('type="email"')
    const to = `/me/${world.business.id}/link`
    expect((await sendForm(world.service, to, { contact: '+491715550001' })).status).toBe(422)
    expect(await world.service.rows('client_text_links')).toEqual([])
    await world.stop()
  })
})

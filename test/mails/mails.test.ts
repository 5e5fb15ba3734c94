import ICAL from 'ical.js'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bookSlot, sessionClient } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'

const monday = '2026-11-30T09:30:00+01:00'
const desk = 'desk@salon.example'

interface Shown {
  method: string
  uid: string
  sequence: number
  status: string
  startsAt: string
  alarms: number
  attendee: string
  all: string
}

/** Returns the calendar part as a calendar program reads it. */
export function eventIn(text: string | undefined): Shown {
  const calendar = new ICAL.Component(ICAL.parse(text ?? '') as unknown[])
  const component = calendar.getFirstSubcomponent('vevent')
  if (!component) throw new Error('no event')
  const event = new ICAL.Event(component)
  return {
    method: String(calendar.getFirstPropertyValue('method')),
    uid: event.uid,
    sequence: event.sequence,
    status: String(component.getFirstPropertyValue('status')),
    startsAt: event.startDate.toJSDate().toISOString(),
    alarms: component.getAllSubcomponents('valarm').length,
    attendee: String(component.getFirstPropertyValue('attendee')),
    all: text ?? '',
  }
}

/** Returns a calendar that follows RFC 5546: the highest sequence wins, and a cancelled event is gone. */
function calendarAfter(parts: (string | undefined)[]): string[] {
  const events = new Map<string, Shown>()
  for (const event of parts.filter(Boolean).map(eventIn)) {
    const known = events.get(event.uid)
    if (!known || event.sequence >= known.sequence) events.set(event.uid, event)
  }
  return [...events.values()].filter(({ method }) => method !== 'CANCEL').map(({ startsAt }) => startsAt)
}

onOneEngine('sqlite', 'mails about bookings', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    const settings = { reply_to_email: 'hello@salon.example', notify_emails: [desk] }
    world = await mailWorld(engine, { settings })
  })
  beforeEach(() => {
    world.service.clock.advance(3_601) // the hourly limits
    world.fresh()
  })
  afterAll(() => world.stop())

  test('a booking is confirmed to the client and told to those whom the business names', async () => {
    const [anna = ''] = await world.staff('Anna Weber')
    const client = nextClient()
    const booking = await world.book(await world.offer({ staffIds: [anna] }), monday, { client })
    await world.sent()
    const mails = world.fresh()
    expect(mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual([client.email, desk].toSorted())
    const [mail] = world.server.to(client.email)
    expect(mail?.headers).toMatchObject({
      subject: 'Confirmed: Haircut, Mon 30 Nov, 9:30 – Corner Spa',
      from: '"Corner Spa" <booking@holdfast.example>'.replaceAll('"', ''),
      to: client.email,
      'reply-to': 'hello@salon.example',
      'auto-submitted': 'auto-generated',
      'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@holdfast\.example>$/),
    })
    expect(mail?.headers).not.toHaveProperty('list-unsubscribe')
    expect(mail?.text).toContain(String(booking.manage_url))
    expect(mail?.html).toContain(String(booking.manage_url))
    for (const part of [mail?.text, mail?.html]) {
      for (const shown of ['Hello Ada,', 'Haircut', 'Monday, 30 November 2026', '9:30 – 10:00', 'Anna Weber'])
        expect(part).toContain(shown)
    }
    const link = String((await world.call('GET', `/bookings/${booking.id}`)).body.manage_url)
    for (const part of [mail?.text, mail?.html]) expect(part).toContain(link)
    expect(mail?.calendar?.replaceAll('\r\n ', '')).toContain(link) // only the client gets it
    expect(mail?.calendarType).toContain('method=REQUEST')
    expect(eventIn(mail?.calendar)).toMatchObject({
      method: 'REQUEST',
      uid: `${booking.id}@holdfast`,
      sequence: 0,
      status: 'CONFIRMED',
      startsAt: '2026-11-30T08:30:00.000Z',
      alarms: 1,
      attendee: `mailto:${client.email}`,
    })
    const notice = mails.find(({ recipients }) => recipients.includes(desk))
    expect(notice?.headers.subject).toBe(
      'New: Ada Lovelace, Haircut, Mon 30 Nov 9:30, Anna Weber – Corner Spa',
    )
    expect(notice?.calendar).toBeUndefined()
    const list = await world.call('GET', `/mails?booking_id=${booking.id}`)
    expect(list.body.data).toMatchObject([
      { kind: 'booked', to: desk, status: 'sent' },
      { kind: 'confirmed', to: client.email, status: 'sent', attempts: 1, last_error: null },
    ])
  })

  test('a client without an e-mail address gets no mail; those whom the business names see none', async () => {
    const { email: _, ...nobody } = nextClient()
    const client = { ...nobody, phone: '+49 30 123' }
    const booking = await world.book(await world.offer(), monday, { client })
    await world.call('PATCH', `/bookings/${booking.id}`, { starts_at: '2026-12-01T10:00:00+01:00' })
    await world.call('DELETE', `/bookings/${booking.id}`)
    const ahead = await world.book(await world.offer(), monday, { client })
    await world.sent()
    const mails = world.fresh()
    expect(new Set(mails.flatMap(({ recipients }) => recipients))).toEqual(new Set([desk]))
    for (const { text, html } of mails) {
      expect(text).toContain('+49 30 123')
      expect(`${text}${html}`).not.toContain('no-email')
    }
    const list = await world.call('GET', `/mails?booking_id=${ahead.id}`)
    expect(list.body.data).toMatchObject([{ to: desk }])
  })

  test('book, move, cancel leaves no event in a calendar, in whatever order the mails arrive', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    await world.call('PATCH', `/bookings/${booking.id}`, { starts_at: '2026-12-01T10:00:00+01:00' })
    await world.sent()
    const twoParts = world.server.to(client.email).map(({ calendar }) => calendar)
    expect(calendarAfter(twoParts)).toEqual(['2026-12-01T09:00:00.000Z'])
    expect(calendarAfter(twoParts.toReversed())).toEqual(['2026-12-01T09:00:00.000Z'])
    await world.call('DELETE', `/bookings/${booking.id}`)
    await world.sent()
    const mails = world.server.to(client.email)
    expect(mails.map(({ headers }) => headers.subject?.split(':')[0])).toEqual([
      'Confirmed',
      'Changed',
      'Cancelled',
    ])
    const parts = mails.map(({ calendar }) => calendar)
    const [first, second, third] = parts
    expect(parts.map((part) => eventIn(part).sequence)).toEqual([0, 1, 2])
    const orders = [
      [first, second, third],
      [first, third, second],
      [third, first, second],
      [third, second, first],
    ]
    for (const order of orders) expect(calendarAfter(order)).toEqual([])
    for (const { text } of mails) expect(text).toContain(String(booking.manage_url))
    for (const form of ['text', 'html'] as const) {
      expect(mails[0]?.[form]).toContain('You can move or cancel until Sun 29 Nov, 9:30.')
      expect(mails[1]?.[form]).toMatch(/Before[^]{1,400}Mon 30 Nov, 9:30/)
      expect(mails.map((mail) => /Before|30 Nov/.test(mail[form]))).toEqual([true, true, false])
      expect(mails[2]?.[form]).toContain('See the appointment or book again')
    }
    expect(eventIn(third)).toMatchObject({ method: 'CANCEL', status: 'CANCELLED', alarms: 0 })
  })

  test('what was not sent yet is told as it is now, and what has passed is not told', async () => {
    const moved = nextClient()
    const gone = nextClient()
    world.server.answer = () => 451
    const first = await world.book(await world.offer(), monday, { client: moved })
    const second = await world.book(await world.offer(), monday, { client: gone })
    await world.sent()
    await world.call('PATCH', `/bookings/${first.id}`, { starts_at: '2026-12-01T10:00:00+01:00' })
    await world.call('DELETE', `/bookings/${second.id}`)
    world.server.answer = () => undefined
    world.service.clock.advance(31)
    await world.sent()
    expect(world.server.to(moved.email).map(({ headers }) => headers.subject)).toEqual([
      'Confirmed: Haircut, Tue 1 Dec, 10:00 – Corner Spa',
    ])
    expect(world.server.to(gone.email).map(({ headers }) => headers.subject?.split(':')[0])).toEqual([
      'Cancelled',
    ])
    const list = await world.call('GET', `/mails?booking_id=${first.id}&status=queued`)
    expect(list.body.data).toEqual([])
  })

  test('an appointment that is over when the server takes mails again is not reported', async () => {
    const late = nextClient()
    world.server.answer = () => 451
    const grid = 300_000
    const soon = (Math.ceil(world.service.clock.nowMs() / grid) + 6) * grid
    const { id } = await world.book(await world.offer(), new Date(soon).toISOString(), { client: late })
    await world.sent()
    world.server.answer = () => undefined
    world.service.clock.advance(7_200)
    await world.sent()
    expect(world.server.to(late.email)).toEqual([])
    expect((await world.call('GET', `/mails?booking_id=${id}&status=queued`)).body.data).toEqual([])
  })

  test('notes, completion and corrections of names tell nobody anything', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    world.fresh()
    await world.call('PATCH', `/bookings/${booking.id}`, {
      notes: 'ring twice',
      client: { last_name: 'King' },
    })
    await world.call('PATCH', `/bookings/${booking.id}`, { status: 'in_progress' })
    await world.call('PATCH', `/bookings/${booking.id}`, { status: 'completed' })
    await world.sent()
    expect(world.fresh()).toEqual([])
  })

  test('with notify false the client hears nothing; sessions may not say so', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client, notify: false })
    await world.call('PATCH', `/bookings/${booking.id}`, {
      starts_at: '2026-12-01T10:00:00+01:00',
      notify: false,
    })
    await world.call('DELETE', `/bookings/${booking.id}?notify=false`)
    await world.sent()
    expect(world.server.to(client.email)).toEqual([])
    expect(world.fresh().length).toBeGreaterThan(0) // the business receives an email
    const offer = await world.offer()
    const session = await world.service.call('POST', '/session', { token: world.business.publishableKey })
    const token = session.body.session_token as string
    const hold = await world.service.call('POST', '/bookings/hold', {
      token,
      body: { ...offer, starts_at: monday },
    })
    const refused = await world.service.call('POST', '/bookings', {
      token,
      body: { hold_id: hold.body.hold_id, client, notify: false },
    })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/notify' }] } })
  })

  test.each([
    ['de-CH', 'Bestätigt: Haircut', 'Guten Tag Ada Lovelace,', 'ltr'],
    ['fr', 'Confirmé : Haircut', 'Bonjour Ada Lovelace,', 'ltr'],
    ['es-MX', 'Confirmada: Haircut', 'Hola, Ada:', 'ltr'],
    ['ar', 'تم التأكيد: Haircut', 'مرحبًا Ada،', 'rtl'],
    ['pl', 'Potwierdzenie: Haircut', 'Dzień dobry, Ada Lovelace,', 'ltr'],
    ['it-CH', 'Conferma: Haircut', 'Gentile Ada Lovelace,', 'ltr'],
    ['pt-BR', 'Confirmada: Haircut', 'Olá, Ada,', 'ltr'],
    ['nl', 'Bevestigd: Haircut', 'Beste Ada,', 'ltr'],
    ['tr', 'Onaylandı: Haircut', 'Merhaba Ada,', 'ltr'],
    ['ja', '【予約確定】Haircut', 'Ada Lovelace 様', 'ltr'],
    ['ko', 'Confirmed: Haircut', 'Hello Ada,', 'ltr'],
  ])('the client reads the language of the booking: %s', async (locale, subject, greeting, direction) => {
    const client = nextClient()
    await world.book(await world.offer(), monday, { client, locale })
    await world.sent()
    const [mail] = world.server.to(client.email)
    expect(mail?.headers.subject).toContain(subject)
    expect(mail?.text).toContain(greeting)
    expect(mail?.html).toContain(`dir="${direction}"`)
    expect(mail?.text).not.toMatch(/(GMT|UTC|غرينتش)[+−-]\d/) // nobody writes times like this
  })

  test('what clients and owners write stays text: no header, recipient or element of HTML comes of it', async () => {
    const client = {
      ...nextClient(),
      first_name: '<b>Ada</b>',
      last_name: '"Lovelace" <x@evil.example>, y@evil.example',
    }
    const offer = await world.offer({ name: 'Cut & <script>alert(1)</script>; BCC: z@evil.example' })
    await world.book(offer, monday, { client, notes: 'line one\nBcc: evil@evil.example' })
    await world.sent()
    const mails = world.fresh()
    expect(mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual([client.email, desk].toSorted())
    for (const mail of mails) {
      expect(mail.headers).not.toHaveProperty('bcc')
      expect(mail.html).not.toContain('<script>')
      expect(mail.html).not.toContain('<b>Ada')
    }
    expect(eventIn(world.server.to(client.email)[0]?.calendar)).toMatchObject({ method: 'REQUEST' })
  })

  test.each(['a,b@example.com', 'a;b@example.com', '"x"@example.com', 'a<b@example.com'])(
    'an address that looks like several is refused, not sent to anybody: %s',
    async (email) => {
      const client = { ...nextClient(), email }
      const booking = await world.book(await world.offer(), monday, { client })
      await world.sent()
      expect(world.fresh().flatMap(({ recipients }) => recipients)).toEqual([desk])
      const list = await world.call('GET', `/mails?booking_id=${booking.id}&status=failed`)
      expect(list.body.data).toMatchObject([{ to: email, last_error: 'is not an address of one mailbox' }])
    },
  )

  test('a client gets at most five mails an hour from a business; then the newest state', async () => {
    const client = nextClient()
    const bookings = []
    for (let hour = 9; hour < 16; hour += 1) {
      const startsAt = `2026-11-30T${String(hour).padStart(2, '0')}:00:00+01:00`
      bookings.push(await world.book(await world.offer(), startsAt, { client }))
    }
    await world.sent()
    expect(world.server.to(client.email)).toHaveLength(5)
    await world.call('DELETE', `/bookings/${bookings[6]?.id}`)
    await world.sent()
    expect(world.server.to(client.email)).toHaveLength(5)
    world.service.clock.advance(3_601)
    await world.sent()
    const later = world.server.to(client.email).slice(5)
    expect(later.map(({ headers }) => headers.subject?.split(',')[0])).toEqual([
      'Confirmed: Haircut',
      'Cancelled: Haircut',
    ])
  })

  test('beyond twenty an hour, one mail tells the business of many bookings', async () => {
    for (let count = 0; count < 25; count += 1) await world.book(await world.offer(), monday)
    await world.sent()
    const first = world.server.to(desk).length
    for (let count = 0; count < 25; count += 1) await world.book(await world.offer(), monday)
    await world.sent()
    world.service.clock.advance(3_601)
    await world.sent()
    const notices = world.fresh().filter(({ recipients }) => recipients.includes(desk))
    expect(first).toBeGreaterThan(0)
    const lines = notices.map(({ text }) => text.match(/New: Ada Lovelace/g)?.length ?? 0)
    const single = notices.filter(({ headers }) => headers.subject?.startsWith('New:')).length
    const hourOf = (date = '') => new Date(date).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)
    const ofHours = Map.groupBy(notices, ({ headers }) => hourOf(headers.date))
    expect(Math.max(...ofHours.values().map((ofHour) => ofHour.length))).toBeLessThanOrEqual(20)
    // each booking is reported once, in a separate email or in a line
    const many = notices.filter(({ headers }) => /bookings, new or changed/.test(headers.subject ?? ''))
    const inLines = many.reduce((sum, { text }) => sum + (text.match(/^\* New: Ada/gm)?.length ?? 0), 0)
    expect(lines.length).toBe(notices.length)
    expect(single + inLines).toBe(50)
  })

  test('a request is reported at once, also beyond twenty emails an hour', async () => {
    for (let count = 0; count < 20; count += 1) {
      await world.book(await world.offer(), monday)
      await world.sent()
    }
    world.fresh()
    await world.book(await world.offer(), monday)
    const later = '2026-12-07T10:00:00+01:00'
    const offer = await world.offer({ respondWithin: 1_440 })
    const session = await sessionClient(world.service, world.business)
    await bookSlot(session, offer, later, { book: { client: nextClient() } })
    await world.sent()
    const notices = world.fresh().filter(({ recipients }) => recipients.includes(desk))
    expect(notices.map(({ headers }) => headers.subject?.split(':')[0])).toEqual(['Request'])
  })
})

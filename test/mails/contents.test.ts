import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { absoluteUrl } from '../../src/base/public-url.ts'
import { sampleKinds, sampleMail } from '../../src/mails/sample.ts'
import { moneyText } from '../../src/mails/times-and-money.ts'
import { sessionClient } from '../support/client.ts'
import { onOneEngine } from '../support/long.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { makeBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { pngOf } from '../support/pictures.ts'

const monday = '2026-11-30T09:30:00+01:00'
const desk = 'desk@salon.example'

onOneEngine('sqlite', 'what mails say', (engine) => {
  let world: MailWorld
  let owner: LoggedIn
  beforeAll(async () => {
    world = await mailWorld(engine)
    const place = { businessId: world.business.id }
    owner = await logInNewPerson(world.service, { email: 'olga@salon.example', role: 'owner', place })
    const settings = { phone: '+49 (0)30 5550123', notify_emails: [desk, 'Olga@salon.example'] }
    await world.call('PATCH', `/businesses/${world.business.id}`, settings)
  })
  beforeEach(() => {
    world.service.clock.advance(3_601) // the hourly limits
    world.fresh()
  })
  afterAll(() => world.stop())

  /** Uses one kind of line end. */
  const plain = <Mail extends { text: string }>(mail: Mail): Mail => ({
    ...mail,
    text: mail.text.replaceAll('\r\n', '\n'),
  })

  /** Returns calendar lines as a program reads them: unfolded. */
  const calendarOf = (mail: { calendar: string | undefined } | undefined) =>
    (mail?.calendar ?? '').replaceAll('\r\n ', '').split('\r\n')
  const sentTo = async (email: string) => {
    await world.sent()
    return world
      .fresh()
      .filter(({ recipients }) => recipients.includes(email))
      .map(plain)
  }
  const online = async () => {
    const offer = await world.offer()
    await world.call('PATCH', `/locations/${offer.location_id}`, {
      online_url: 'https://meet.example/room',
      address: null,
    })
    return offer
  }

  test('a mail to a client has the phone, and the address of the first owner to answer to', async () => {
    const client = nextClient()
    await world.book(await world.offer(), monday, { client })
    const [mail] = await sentTo(client.email)
    expect(mail?.headers['reply-to']).toBe('olga@salon.example')
    expect(mail?.text).toContain(
      'Questions? Answer this mail or call us:\n+49 (0)30 5550123\nolga@salon.example',
    )
    expect(mail?.html).toContain('<a href="tel:+490305550123"><bdi dir="ltr">+49 (0)30 5550123</bdi></a>')
    const path = `/businesses/${world.business.id}`
    await world.call('PATCH', path, { reply_to_email: 'hello@salon.example', phone: null })
    const other = nextClient()
    await world.book(await world.offer(), monday, { client: other })
    const [second] = await sentTo(other.email)
    expect(second?.headers['reply-to']).toBe('hello@salon.example')
    expect(second?.text).toContain('Questions? Just answer this mail:\nhello@salon.example')
    await world.call('PATCH', path, { reply_to_email: null, phone: '+49 (0)30 5550123' })
  })

  test('a mail has the logo of the business under the public address', async () => {
    const { url } = (
      await world.service.call('POST', '/images', {
        token: world.business.key,
        rawBody: pngOf(120, 40),
        headers: { 'content-type': 'image/png' },
      })
    ).body
    const brand = { brand_name: 'Spree & more', brand_logo_url: String(url) }
    await world.call('PATCH', `/businesses/${world.business.id}`, brand)
    const client = nextClient()
    await world.book(await world.offer(), monday, { client })
    const [mail] = await sentTo(client.email)
    const logo = `<img\\s+src="https://book.example${String(url)}"\\s+alt=""[^>]*/>Spree &amp; more`
    expect(mail?.html).toMatch(new RegExp(logo))
    const place = { businessId: world.business.id }
    await logInNewPerson(world.service, { email: 'logo@example.com', role: 'owner', place })
    await sendForm(world.service, '/console/forgotten', { email: 'logo@example.com' })
    const [toPerson] = await sentTo('logo@example.com')
    expect(toPerson?.html).toContain(`src="https://book.example${String(url)}"`)
    const { id } = await world.book(await world.offer(), monday, { client })
    const sends: (() => Promise<unknown>)[] = [
      () => world.call('PATCH', `/bookings/${id}`, { starts_at: '2026-11-30T11:00:00+01:00' }),
      () => world.call('DELETE', `/bookings/${id}`),
      () => sendForm(world.service, `/me/${world.business.id}/link`, { contact: client.email }),
    ]
    await sentTo(client.email)
    for (const send of sends) {
      await send()
      const told = await sentTo(client.email)
      expect(told.map(({ html }) => html)).toEqual([expect.stringMatching(new RegExp(logo))])
    }
    await world.call('PATCH', `/businesses/${world.business.id}`, { brand_name: null, brand_logo_url: null })
  })

  test('a mail of each kind has the logo and no action twice', () => {
    const business = {
      ...{ name: 'Spree', color: null, logoUrl: 'https://book.example/logo.png' },
      ...{ phone: null, replyTo: null, timezone: 'Europe/Berlin' },
    }
    const common = { locale: 'en', to: 'ada@example.com', now: world.service.clock.now(), business }
    for (const kind of sampleKinds) {
      const { html } = sampleMail(world.service.context.config, { ...common, kind }).content
      expect(html).toContain('src="https://book.example/logo.png"')
      const actions = Array.from(html.matchAll(/<a\s[^>]*href="(https?:[^"]*)"/g), ([, url]) => url)
      expect([kind, actions]).toEqual([kind, [...new Set(actions)]])
    }
  })

  test('the first owner of a business hears of its bookings, unless it named others', async () => {
    const told = async (id: string, key: string) =>
      (await world.service.call('GET', `/businesses/${id}`, { token: key })).body.notify_emails as string[]
    const fresh = await makeBusiness(world.service)
    const place = { businessId: fresh.id }
    await logInNewPerson(world.service, { email: 'one@fresh.example', role: 'owner', place })
    await logInNewPerson(world.service, { email: 'two@fresh.example', role: 'owner', place })
    expect(await told(fresh.id, fresh.key)).toEqual(['one@fresh.example'])
    const named = await makeBusiness(world.service)
    const body = { notify_emails: [desk] }
    await world.service.call('PATCH', `/businesses/${named.id}`, { token: named.key, body })
    const other = { businessId: named.id }
    await logInNewPerson(world.service, { email: 'one@named.example', role: 'owner', place: other })
    expect(await told(named.id, named.key)).toEqual([desk])
  })

  test('nobody hears of what they did themselves', async () => {
    const offer = await world.offer()
    const held = await owner.call('POST', '/bookings/hold', { ...offer, starts_at: monday })
    const client = nextClient()
    const booked = await owner.call('POST', '/bookings', { hold_id: held.body.hold_id, client })
    await owner.call('PATCH', `/bookings/${booked.body.id}`, { starts_at: '2026-11-30T11:00:00+01:00' })
    await owner.call('DELETE', `/bookings/${booked.body.id}`)
    await world.sent()
    const told = world.fresh().flatMap(({ recipients }) => recipients)
    expect(told).toContain(desk)
    expect(told.map((to) => to.toLowerCase())).not.toContain('olga@salon.example')
    await world.book(offer, monday)
    expect(await sentTo('Olga@salon.example')).toHaveLength(1)
  })

  test('a mail to the business leads into the console, and has the answers', async () => {
    const hair = { key: 'hair', label: 'How long is your hair?', type: 'text', required: false } as const
    const first = { key: 'first', label: 'First time?', type: 'boolean', required: false } as const
    const service = await world.call('POST', '/services', {
      ...{ name: 'Cut', duration_minutes: 30, custom_fields: [hair, first] },
      location_ids: [(await world.offer()).location_id],
    })
    const fields = service.body.custom_fields as { id: string }[]
    const offer = { service_id: service.body.id, location_id: service.body.location_ids[0] }
    const answers = [
      { field_id: fields[0]?.id, value: 'Short & curly' },
      { field_id: fields[1]?.id, value: true },
    ]
    const booking = await world.book(offer, monday, { custom_field_values: answers, notes: 'Ring twice' })
    const [mail] = await sentTo(desk)
    const link = `https://book.example/console/bookings/${booking.id}?business=${world.business.id}`
    for (const part of [mail?.text, mail?.html]) expect(part).toContain(link.replaceAll('&', '&amp;'))
    expect(mail?.text).toContain('How long is your hair? Short & curly')
    expect(mail?.text).toContain('First time? Yes')
    expect(mail?.html).toContain('Short &amp; curly')
  })

  test('a reason for cancelling reaches both sides, and the manage page', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    const change = { status: 'cancelled', cancel_reason: 'Anna is ill.' }
    await world.call('PATCH', `/bookings/${booking.id}`, change)
    await world.sent()
    for (const email of [client.email, desk])
      expect(world.server.to(email).at(-1)?.text).toContain('Reason: Anna is ill.')
    const token = String(booking['manage_url']).split('#')[1] ?? ''
    const managed = await world.service.call('GET', '/manage', { token })
    expect(managed.body.booking.cancel_reason).toBe('Anna is ill.')
  })

  test('a change says what it was: the person and the length, too', async () => {
    const [anna = ''] = await world.staff('Anna')
    const [ben = ''] = await world.staff('Ben')
    const client = nextClient()
    const offer = await world.offer({ staffIds: [anna, ben] })
    const hold = { ...offer, staff_id: anna, starts_at: monday }
    const held = await world.call('POST', '/bookings/hold', hold)
    const booked = await world.call('POST', '/bookings', { hold_id: held.body.hold_id, client })
    const change = (body: object) => world.call('PATCH', `/bookings/${booked.body.id}`, body)
    await sentTo(client.email)
    await change({ staff_id: ben })
    expect((await sentTo(client.email))[0]?.text).toContain('Before: With Anna\n')
    await change({ ends_at: '2026-11-30T10:30:00+01:00' })
    const [longer] = await sentTo(client.email)
    expect(longer?.text).toContain('Before: Mon 30 Nov, 9:30 – 10:00\n')
    await change({ starts_at: '2026-12-01T09:30:00+01:00', staff_id: anna })
    expect((await sentTo(client.email))[0]?.text).toContain('Before: Mon 30 Nov, 9:30, With Ben\n')
  })

  test('a change that is taken back while its mail waits is told to nobody, once changed again once', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    world.fresh()
    const move = (time: string) =>
      world.call('PATCH', `/bookings/${booking.id}`, {
        starts_at: `2026-11-30T${time}:00+01:00`,
        notify_after_seconds: 12,
      })
    const after = async (seconds: number) => {
      world.service.clock.advance(seconds)
      await world.sent()
      return world.fresh()
    }
    await move('11:00')
    expect(await after(11)).toEqual([])
    await move('09:30') // undone
    expect(await after(60)).toEqual([])
    await move('11:00')
    expect(await after(6)).toEqual([])
    await move('12:00')
    expect(await after(11)).toEqual([])
    const told = await after(2)
    expect(told.map(({ recipients }) => recipients[0]).toSorted()).toEqual(
      [client.email, desk, 'Olga@salon.example'].toSorted(),
    )
    const [mail] = told.filter(({ recipients }) => recipients.includes(client.email)).map(plain)
    expect(mail?.headers.subject).toContain('12:00')
    expect(mail?.text).toContain('Before: Mon 30 Nov, 9:30\n')
    await move('13:00') // the page is left, and nobody comes back
    expect(await after(13)).toHaveLength(3)
  })

  test('a cancellation that is undone before its email was sent causes no email', async () => {
    const client = nextClient()
    const booking = await world.book(await world.offer(), monday, { client })
    await world.sent()
    world.fresh()
    const change = (body: object) => world.call('PATCH', `/bookings/${booking.id}`, body)
    const cancel = () => change({ status: 'cancelled', notify_after_seconds: 12 })
    const restore = (body = {}) => change({ status: 'confirmed', ...body })
    const after = async (seconds: number) => {
      world.service.clock.advance(seconds)
      await world.sent()
      return world.fresh()
    }
    await cancel()
    expect(await after(5)).toEqual([])
    await restore()
    await cancel() // twice in a row
    await restore()
    expect(await after(60)).toEqual([])
    await cancel()
    await restore({ starts_at: '2026-11-30T12:00:00+01:00' })
    const moved = (await after(60)).filter(({ recipients }) => recipients.includes(client.email)).map(plain)
    expect(moved.map(({ headers }) => headers.subject)).toEqual([expect.stringMatching(/^Confirmed.*12:00/)])
    await cancel()
    expect(await after(11)).toEqual([])
    const told = await after(2)
    expect(told).toHaveLength(3)
    await restore() // too late: they know
    expect(await after(60)).toHaveLength(3)
  })

  test('an online appointment is told in the zone of the client, with that of the place beside it', async () => {
    const client = nextClient()
    const parts = { client, time_zone: 'america/los_angeles' }
    const booking = await world.book(await online(), monday, parts)
    expect(booking['time_zone']).toBe('America/Los_Angeles')
    const [mail] = await sentTo(client.email)
    expect(mail?.headers.subject).toBe('Confirmed: Haircut, Mon, Nov 30, 12:30 AM PST – Corner Spa')
    expect(mail?.text).toContain('Monday, November 30, 2026\n  12:30 AM – 1:00 AM (PST)')
    expect(mail?.text).toContain('Time at Corner Spa: Mon 30 Nov · 9:30 – 10:00 (CET)')
    expect(mail?.text).toContain('until Sun, Nov 29, 12:30 AM PST.')
    const lines = calendarOf(mail)
    expect(lines).toContain('LOCATION:https://meet.example/room')
    const [description = ''] = lines.filter((line) => line.startsWith('DESCRIPTION:Time'))
    expect(description).toContain('9:30 – 10:00 (CET)')
    expect(description).toContain('Online: https://meet.example/room')
    expect(description).toContain(`Manage appointment: ${String(booking['manage_url'])}`)
    // times for the business stay in its own zone
    expect(world.server.to(desk).at(-1)?.headers.subject).toContain('Mon 30 Nov 9:30')
    world.service.clock.advance(10 * 86_400 - 86_400)
    await world.service.app.mails.remind()
    const [reminder] = await sentTo(client.email)
    expect(reminder?.headers.subject).toMatch(/ at 12:30 AM PST: Haircut – Corner Spa$/)
    world.service.clock.advance(-9 * 86_400)
  })

  test('where one meets, the clock of the place leads; a client elsewhere reads whose it is', async () => {
    const client = nextClient()
    await world.book(await world.offer(), monday, { client, time_zone: 'America/Los_Angeles' })
    const [mail] = await sentTo(client.email)
    expect(mail?.headers.subject).toBe('Confirmed: Haircut, Mon 30 Nov, 9:30 CET – Corner Spa')
    expect(mail?.text).not.toContain('PST')
    const near = nextClient()
    await world.book(await online(), monday, { client: near, time_zone: 'Europe/Vienna' })
    const [same] = await sentTo(near.email)
    expect(same?.headers.subject).toBe('Confirmed: Haircut, Mon 30 Nov, 9:30 – Corner Spa')
  })

  test('a zone that does not exist is refused; an erased client has none', async () => {
    const offer = await world.offer()
    const held = await world.call('POST', '/bookings/hold', { ...offer, starts_at: monday })
    const client = nextClient()
    const body = { hold_id: held.body.hold_id, client, time_zone: 'Mars/Olympus' }
    const refused = await world.call('POST', '/bookings', body)
    expect(refused.body.errors).toMatchObject([{ pointer: '/time_zone' }])
    const booked = await world.call('POST', '/bookings', { ...body, time_zone: 'Asia/Tokyo' })
    const exported = await world.call('POST', '/clients/export', { email: client.email })
    expect(JSON.stringify(exported.body)).toContain('Asia/Tokyo')
    await world.call('POST', '/clients/erase', { email: client.email })
    expect((await world.call('GET', `/bookings/${booked.body.id}`)).body).not.toHaveProperty('time_zone')
  })

  test('a request for a deposit names until when it can be paid', async () => {
    const session = await sessionClient(world.service, world.business)
    const offer = await world.offer({ deposit: { amount: 1_000, currency: 'EUR' } })
    const held = await session.hold(offer, monday)
    const client = nextClient()
    expect((await session.book(String(held.body.hold_id), { client })).status).toBe(201)
    world.service.clock.advance(301)
    const [mail] = await sentTo(client.email)
    expect(mail?.text).toMatch(/Please pay by \w+ \d+ \w+, \d+:\d\d\. After that, the time is free/)
  })

  test('a domain in a name is no link of a mail program', async () => {
    const client = { ...nextClient(), first_name: 'pay.evil.example', last_name: 'J.R.' }
    await world.book(await world.offer(), monday, { client })
    await world.sent()
    for (const email of [client.email, desk]) {
      const mail = world.server.to(email).at(-1)
      for (const part of [mail?.text, mail?.html]) expect(part).not.toContain('evil.example')
    }
    expect(world.server.to(desk).at(-1)?.text).toContain('J.R.')
  })
})

test('a picture of this server has an address for mails only with a public URL', () => {
  expect(absoluteUrl('', '/images/5e')).toBeNull()
  expect(absoluteUrl('https://book.example', '/images/5e')).toBe('https://book.example/images/5e')
  expect(absoluteUrl('', 'https://logo.example/l.png')).toBe('https://logo.example/l.png')
})

test.each([
  ['de', '58 €'],
  ['de-AT', '58 €'],
  ['de-CH', '58 €'],
  ['en', '€58'],
  ['en-IE', '€58'],
  ['nl-BE', '€ 58'],
])('a price is written by the language of who reads it: %s', (locale, text) => {
  expect(moneyText({ amount: 5_800, currency: 'EUR' }, locale)).toBe(text)
})

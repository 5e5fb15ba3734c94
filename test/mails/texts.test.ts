import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { quotasOfText } from '../../src/access/rate-limit-rules.ts'
import { instantFromMs } from '../../src/base/instants.ts'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { queueReminders } from '../../src/mails/reminders.ts'
import { segmentsOf } from '../../src/mails/text-rules.ts'
import { wishIn } from '../../src/mails/text-sender.ts'
import { readConsole, textOf } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { isWhole, longTest, onOneEngine } from '../support/long.ts'
import { type MailWorld, mailWorld } from '../support/mail-world.ts'
import { logInNewPerson, sendForm } from '../support/person.ts'
import { type ProviderName, startSmsServer } from '../support/sms-server.ts'
import { storeBookings } from '../support/stored-bookings.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const monday = '2026-11-30T09:30:00+01:00'
const sentence = 'Send me text messages about this appointment'
const all = ['confirmed', 'changed', 'cancelled', 'reminder']

describe('segments', () => {
  test.each([
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1], // two places each
    ['€'.repeat(81), 2],
    ['ş'.repeat(70), 1],
    ['ş'.repeat(71), 2],
    ['予'.repeat(134), 2],
    ['😀'.repeat(36), 2], // two code units each
  ])('%# has %i', (text, segments) => {
    expect(segmentsOf(text)).toBe(segments)
  })

  test.each([
    ['STOP', 'stop'],
    [' stop. ', 'stop'],
    ['Arrêt', 'stop'],
    ['停止', 'stop'],
    ['Start', 'start'],
    ['Please stop by at ten', undefined],
    ['', undefined],
  ])('the answer %j means %s', (text, wish) => {
    expect(wishIn(text)).toBe(wish)
  })
})

onOneEngine('sqlite', 'text messages', (engine) => {
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close()
  })

  const world = async (
    provider: ProviderName = 'twilio',
    {
      settings = {},
      variables = {},
      from,
    }: { settings?: object; variables?: Record<string, string>; from?: string } = {},
  ) => {
    const sms = await startSmsServer(provider, from)
    open.push(() => sms.close())
    const made = await mailWorld(engine, {
      settings: { text_kinds: all, ...settings },
      variables: { SMS_URL: sms.url, ...variables },
    })
    open.push(() => made.stop())
    return { ...made, sms }
  }
  let number = 0
  /** Books for a new number, with consent. */
  const book = async (
    { offer, book }: MailWorld,
    { phone = `+49 170 1${String((number += 1)).padStart(6, '0')}`, ...parts }: Record<string, unknown> = {},
  ) => {
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: `ada-${number}@example.com`, phone }
    return book(await offer(), monday, { client, text_consent: sentence, ...parts })
  }
  const settle = async ({ service }: MailWorld) => {
    await service.app.mails.settled()
    await service.app.texts.settled()
  }
  const textsOf = async ({ call }: MailWorld) =>
    ((await call('GET', '/mails')).body.data as Record<string, unknown>[]).filter(
      ({ channel }) => channel === 'text',
    )

  test('a fee to pay, and a waived one, reach a client without an email address', async () => {
    const made = await world('twilio', { settings: { text_kinds: [] } })
    const deposit = { amount: 2_500, currency: 'EUR' }
    const client = { first_name: 'Ada', last_name: 'Lovelace', phone: '0170 1234567' }
    const { id } = await made.book(await made.offer({ deposit }), monday, { client, text_consent: sentence })
    const charged = await made.call('POST', `/bookings/${id}/charge`, { amount: 500, reason: 'Tea' })
    await made.service.app.payments.settled()
    await settle(made)
    expect(made.sms.texts).toMatchObject([
      { to: '+491701234567', text: expect.stringMatching(/: please pay €5 for Haircut, .*\/m\//) as string },
    ])
    await made.call('POST', `/bookings/${id}/payments/${String(charged.body['id'])}/waive`, {})
    await settle(made)
    expect(made.sms.texts.at(-1)?.text).toContain('you do not have to pay €5 for Haircut')
    expect(made.sms.texts).toHaveLength(2)
    expect(made.server.mails).toEqual([])
  })

  test.each(['twilio', 'vonage', 'gateway'] as const)(
    'a booking with consent goes to the number through %s, with a link that works',
    async (provider) => {
      const made = await world(provider)
      const booking = await book(made, { phone: '0170 1234567' })
      await settle(made)
      const [text, ...more] = made.sms.texts
      expect(more).toEqual([])
      expect(text?.to).toBe('+491701234567')
      expect(text?.text).toMatch(/confirmed: Haircut, .*9:30.* https:\/\/book\.example\/m\/[\w-]{32}/)
      expect(segmentsOf(text?.text ?? '')).toBeLessThanOrEqual(2)
      expect(booking['text_consent']).toMatchObject({ text: sentence })
      const path = /\/m\/[\w-]+/.exec(text?.text ?? '')?.[0] ?? ''
      const answer = await made.service.app.server.inject(path)
      expect([answer.statusCode, answer.headers.location]).toEqual([
        303,
        expect.stringMatching(/^https:\/\/book\.example\/manage#cal_/),
      ])
      expect(await textsOf(made)).toMatchObject([{ to: '+491701234567', status: 'sent', kind: 'confirmed' }])
    },
  )

  test('an offer of the waiting list goes to a client who agreed, with the link that books it', async () => {
    const { call, service, offer, sms } = await world('twilio', { settings: { text_kinds: ['offered'] } })
    const client = { first_name: 'Ada', last_name: 'Lovelace', phone: '+4915112345678' }
    const { body } = await call('POST', '/waitlist', {
      ...{ ...(await offer()), from: '2026-11-30', to: '2026-11-30', client, text_consent: sentence },
    })
    service.clock.advance(31)
    await service.app.offers.settled()
    await eventually('the text message', () => Promise.resolve(sms.texts[0]))
    await service.app.texts.settled()
    expect(sms.texts).toHaveLength(1)
    expect(sms.texts[0]).toMatchObject({ to: client.phone })
    expect(sms.texts[0]?.text).toContain('Corner Spa: free for you: Haircut,')
    const path = /https:\/\/book\.example(\/w\/[\w-]+)/.exec(sms.texts[0]?.text ?? '')?.[1] ?? ''
    expect((await service.call('GET', `/${path}`)).body).toContain('Book this time')
    const { offer: offered } = (await call('GET', `/waitlist/${body.id}`)).body
    await sendForm(service, `${path}/take`, { offer: offered.hold_id })
    expect((await call('GET', `/waitlist/${body.id}`)).body).toMatchObject({ status: 'booked' })
  })

  test('a text message names the zone of a client elsewhere, and that of every online appointment', async () => {
    const made = await world('twilio', { settings: { text_kinds: ['confirmed', 'offered'] } })
    const { call, service, sms } = made
    const [offer, online] = [await made.offer(), await made.offer()]
    const online_url = 'https://video.example/room'
    await call('PATCH', `/locations/${online.location_id}`, { online_url })
    const wish = (phone: string, parts: object = {}) => ({
      client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', phone },
      ...{ text_consent: sentence, ...parts },
    })
    const newYork = { time_zone: 'America/New_York' }
    await made.book(offer, monday, wish('+4917011111111'))
    await made.book(offer, '2026-11-30T11:00:00+01:00', wish('+4917011111112', newYork))
    await made.book(online, monday, wish('+4917011111113'))
    await made.book(online, '2026-11-30T15:00:00+01:00', wish('+4917011111114', newYork))
    await settle(made)
    const textTo = (to: string) => sms.texts.find((text) => text.to === to)?.text
    expect(textTo('+4917011111111')).toMatch(/30 Nov, 9:30\. /)
    expect(textTo('+4917011111112')).toMatch(/30 Nov, 11:00 CET\. /)
    expect(textTo('+4917011111113')).toMatch(/30 Nov, 9:30 CET\. /)
    expect(textTo('+4917011111114')).toMatch(/Nov 30, 9:00 AM EST\. /)
    const day = '2026-11-30'
    const { body } = await call('POST', '/waitlist', {
      ...{ ...online, from: day, to: day, after: '15:30' },
      ...wish('+4917011111115', newYork),
    })
    service.clock.advance(31)
    await service.app.offers.settled()
    await settle(made)
    expect((await call('GET', `/waitlist/${body.id}`)).body.status).toBe('offered')
    expect(textTo('+4917011111115')).toMatch(/Nov 30, \d+:\d\d AM EST\. Book it here/)
  })

  test('a code that was changed leads nowhere', async () => {
    const made = await world()
    await book(made)
    await settle(made)
    const path = /\/m\/[\w-]+/.exec(made.sms.texts[0]?.text ?? '')?.[0] ?? ''
    for (let place = 3; place < path.length; place += 1) {
      const changed = `${path.slice(0, place)}${path[place] === 'A' ? 'B' : 'A'}${path.slice(place + 1)}`
      expect((await made.service.app.server.inject(changed)).statusCode).toBe(404)
    }
  })

  test('nothing goes to a client who did not agree, to another country, or of a kind that is switched off', async () => {
    const made = await world('twilio', { settings: { text_kinds: ['cancelled'] } })
    const { call } = made
    const silent = await book(made, { text_consent: undefined })
    const booking = await book(made)
    const abroad = await book(made, { phone: '+1 212 555 0100' })
    await settle(made)
    expect(made.sms.texts).toEqual([])
    for (const { id } of [silent, booking, abroad]) await call('DELETE', `/bookings/${id}`)
    await settle(made)
    expect(made.sms.texts.map(({ text }) => text)).toEqual([expect.stringContaining('cancelled')])
  })

  test('SMS_CALLING_CODES opens other countries', async () => {
    const made = await world('twilio', { variables: { SMS_CALLING_CODES: '1,43' } })
    await book(made, { phone: '+1 212 555 0101' })
    await book(made)
    await settle(made)
    expect(made.sms.texts.map(({ to }) => to)).toEqual(['+12125550101'])
  })

  test('consent needs a number with its country', async () => {
    const made = await world()
    const offer = await made.offer({ timezone: 'America/Bogota' })
    const hold = await made.call('POST', '/bookings/hold', { ...offer, starts_at: '2026-11-30T15:30:00Z' })
    const client = { first_name: 'Ada', last_name: 'L', email: 'ada@example.com', phone: '601 2345678' }
    const body = { hold_id: hold.body.hold_id, client, text_consent: sentence }
    const refused = await made.call('POST', '/bookings', body)
    expect(refused.body.errors).toMatchObject([{ pointer: '/client/phone', code: 'invalid_format' }])
    const taken = await made.call('POST', '/bookings', {
      ...body,
      client: { ...client, phone: '+57 601 2345678' },
    })
    expect(taken.status).toBe(201)
  })

  test('a client without email is reached, and a change with notify: false is not told', async () => {
    const made = await world()
    const client = { first_name: 'Ada', last_name: 'L', phone: '+49 170 2000000' }
    const booking = await made.book(await made.offer(), monday, { client, text_consent: sentence })
    await settle(made)
    expect(made.sms.texts).toHaveLength(1)
    const move = { starts_at: '2026-11-30T11:00:00+01:00' }
    await made.call('PATCH', `/bookings/${booking.id}`, { ...move, notify: false })
    await settle(made)
    expect(made.sms.texts).toHaveLength(1)
    await made.call('PATCH', `/bookings/${booking.id}`, { starts_at: '2026-11-30T12:00:00+01:00' })
    await settle(made)
    expect(made.sms.texts.at(-1)?.text).toMatch(/changed: .*12:00/)
  })

  test('STOP ends all messages to a number, START allows them again, and forged callbacks change nothing', async () => {
    const made = await world()
    const phone = '+49 170 3000000'
    const { sms, service } = made
    expect(await sms.forge(service, { From: '+491703000000', Body: 'STOP' })).toBe(400)
    await book(made, { phone })
    await settle(made)
    expect(sms.texts).toHaveLength(1)
    expect(await sms.report(service, { From: '+491703000000', Body: 'Stop' })).toBe(204)
    await book(made, { phone })
    await settle(made)
    expect(sms.texts).toHaveLength(1)
    expect(await sms.report(service, { From: '+491703000000', Body: 'START' })).toBe(204)
    await book(made, { phone })
    await settle(made)
    expect(sms.texts).toHaveLength(2)
  })

  test('a STOP stands on the client’s page, where those who change clients allow messages again', async () => {
    const made = await world()
    const { sms, service, business } = made
    const phone = '+49 170 3100000'
    const place = { businessId: business.id }
    const desk = await logInNewPerson(service, { email: 'desk@example.com', role: 'front_desk', place })
    const staffId = (await made.staff('Anna'))[0] ?? ''
    const staff = { email: 'staff@example.com', role: 'staff', place, staffId } as const
    const anna = await logInNewPerson(service, staff)
    const booking = await book(made, { phone })
    await settle(made)
    const { client } = booking as unknown as { client: { id: string } }
    const page = `/console/clients/${client.id}`
    const shown = async (at = page) => textOf(await readConsole(service, at, desk))
    expect(await shown()).not.toContain('STOP')
    expect(await sms.report(service, { From: '+491703100000', Body: 'Stop' })).toBe(204)
    expect(await shown()).toMatch(/Replied STOP on .*: gets no text messages\./)
    const eve = { business_id: business.id, first_name: 'Eve', last_name: 'Moore', phone }
    const other = await made.call('POST', '/clients', eve)
    expect(other.status).toBe(201)
    expect(await shown(`/console/clients/${String(other.body['id'])}`)).not.toContain('STOP') // never agreed
    const allow = { action: 'allow_texts' }
    await sendForm(service, `/console/clients/${String(other.body['id'])}`, allow, desk)
    expect((await sendForm(service, page, allow, anna)).status).toBe(404)
    expect(await shown()).toContain('STOP')
    for (let count = 0; count < 2; count += 1)
      expect(await sendForm(service, page, allow, desk)).toMatchObject({
        ...{ status: 303, headers: { location: `${page}?done=textsAllowed` } },
      })
    expect(await shown(`${page}?done=textsAllowed`)).toMatch(/Text messages are allowed again\.(?!.*STOP)/s)
    const { data } = (await made.call('GET', '/audit')).body as { data: Record<string, unknown>[] }
    const allowed = data.filter(({ action }) => action === 'client.texts_allowed')
    expect(allowed).toMatchObject([{ subject: { type: 'client', id: client.id } }])
    await book(made, { phone })
    await settle(made)
    expect(sms.texts).toHaveLength(2)
  })

  test('the form to book asks in sight, for a client whose other fields are folded too', async () => {
    const made = await world()
    const place = { businessId: made.business.id }
    const desk = await logInNewPerson(made.service, { email: 'desk2@example.com', role: 'front_desk', place })
    const form = async (contact: object) => {
      const known = { business_id: made.business.id, first_name: 'Grace', last_name: 'Hopper', ...contact }
      const { body } = await made.call('POST', '/clients', known)
      const { body: page } = await readConsole(
        made.service,
        `/console/book?client=${String(body['id'])}`,
        desk,
      )
      const [folded = '', seen = ''] =
        String(page)
          .split(/<details class="client-fields"[^>]*>/)[1]
          ?.split('</details>') ?? []
      return { folded: folded.includes('name="texts"'), seen: seen.includes('name="texts"') }
    }
    expect(await form({ phone: '+49 170 3200000' })).toEqual({ folded: false, seen: true })
    expect(await form({ email: 'grace@example.com' })).toEqual({ folded: true, seen: false })
  })

  test('the form to book remembers the agreement of a client, until they reply STOP', async () => {
    const made = await world()
    const { service, business, sms } = made
    const place = { businessId: business.id }
    const desk = await logInNewPerson(service, { email: 'desk3@example.com', role: 'front_desk', place })
    const phone = '+49 170 3300000'
    const offer = await made.offer()
    const page = async (query: string) => {
      const { body } = await readConsole(service, `/console/book?service=${offer.service_id}${query}`, desk)
      const html = String(body)
      return {
        isTicked: /name="texts"\s+value="on"\s+checked/.test(html),
        text: textOf({ body: html }),
      }
    }
    const stranger = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', phone }
    const none = await made.book(offer, monday, { client: stranger })
    const { id } = (none as unknown as { client: { id: string } }).client
    expect((await page(`&client=${id}`)).isTicked).toBe(false)
    await book(made, { phone, client: stranger })
    const known = await page(`&client=${id}`)
    expect(known).toMatchObject({ isTicked: true, text: expect.stringMatching(/Agreed on .*20/) as string })
    expect(known.text).not.toContain('Without an email address') // they have one
    expect((await page('')).isTicked).toBe(false)
    // somebody else with the number never agreed
    const eve = { business_id: business.id, first_name: 'Eve', last_name: 'Moore', phone }
    const other = await made.call('POST', '/clients', eve)
    expect((await page(`&client=${String(other.body['id'])}`)).isTicked).toBe(false)
    await settle(made)
    expect(await sms.report(service, { From: '+491703300000', Body: 'Stop' })).toBe(204)
    const stopped = await page(`&client=${id}`)
    expect(stopped).toMatchObject({
      ...{
        isTicked: false,
        text: expect.stringMatching(/Replied STOP on .*: gets no text messages/) as string,
      },
    })
    expect((await page(`&client=${String(other.body['id'])}`)).text).not.toContain('STOP')
  })

  test('a move and a cancellation in the console send a text to a client without email', async () => {
    const made = await world()
    const { service, business, sms } = made
    const place = { businessId: business.id }
    const desk = await logInNewPerson(service, { email: 'desk4@example.com', role: 'front_desk', place })
    const phone = '+49 170 3400000'
    const booking = await book(made, { client: { first_name: 'Grace', last_name: 'Hopper', phone } })
    await settle(made)
    const before = sms.texts.length
    const at = `/console/bookings/${booking.id}`
    const move = String((await readConsole(service, `${at}/move`, desk)).body)
    expect(move).toContain('name="tell"')
    const cancel = String((await readConsole(service, `${at}/cancel`, desk)).body)
    expect(cancel).toContain('Notify +491703400000')
    await made.call('PATCH', `/businesses/${business.id}`, { text_kinds: ['confirmed'] })
    expect(String((await readConsole(service, `${at}/move`, desk)).body)).not.toContain('name="tell"')
    expect(sms.texts).toHaveLength(before)
  })

  test('messages are listed by type and state, on the page as well', async () => {
    const made = await world()
    await book(made)
    await settle(made)
    const kinds = async (query: string) =>
      ((await made.call('GET', `/mails${query}`)).body.data as Record<string, unknown>[]).map(
        ({ channel }) => channel,
      )
    expect(await kinds('?channel=text')).toEqual(['text'])
    expect(await kinds('?channel=text&status=queued')).toEqual([])
    expect(new Set(await kinds('?channel=email'))).toEqual(new Set(['email']))
    const place = { businessId: made.business.id }
    const desk = await logInNewPerson(made.service, { email: 'd@example.com', role: 'front_desk', place })
    const page = await readConsole(made.service, '/console/mails?channel=text&status=sent', desk)
    expect(textOf(page)).toContain('+49170')
    expect(textOf(page)).not.toContain('ada-')
    expect(String(page.body)).toMatch(/value="text"\s+selected/)
    const none = await readConsole(made.service, '/console/mails?channel=text&status=failed', desk)
    expect(textOf(none)).toContain('No such messages.')
  })

  test('Twilio knows of a STOP that we do not: no further message', async () => {
    const made = await world()
    made.sms.mood = { status: 400, body: { code: 21610 } }
    const phone = '+49 170 3100000'
    await book(made, { phone })
    await settle(made)
    expect(await textsOf(made)).toMatchObject([{ status: 'failed', last_error: 'Twilio refused it (21610)' }])
    made.sms.mood = undefined
    await book(made, { phone })
    await settle(made)
    expect(made.sms.texts).toEqual([])
  })

  test('the list tells what arrived and what did not; what failed can be sent again', async () => {
    const made = await world()
    await book(made)
    await book(made)
    await settle(made)
    const [first, second] = made.sms.texts
    expect(await made.sms.report(made.service, { MessageStatus: 'delivered' }, first?.id)).toBe(204)
    const lost = { MessageStatus: 'undelivered', ErrorCode: '30003' }
    expect(await made.sms.report(made.service, lost, second?.id)).toBe(204)
    const listed = await textsOf(made)
    expect(listed.find(({ id }) => id === first?.id)?.['delivered_at']).not.toBeNull()
    expect(listed.find(({ id }) => id === second?.id)).toMatchObject({
      status: 'failed',
      last_error: 'not delivered (30003)',
    })
    await made.call('POST', `/mails/${second?.id ?? ''}/retry`, {})
    await settle(made)
    expect(made.sms.texts).toHaveLength(3)
  })

  test('a gateway reports what arrived, what did not, and STOP, as the guide shows', async () => {
    const made = await world('gateway')
    const { sms, service } = made
    await book(made)
    await book(made)
    await settle(made)
    const [first, second] = sms.texts
    const guide = readFileSync('docs/guides/mail.md', 'utf8')
    const [delivered, failed, stop] = Array.from(
      guide.matchAll(/^\{ "(?:id|from)": .*\}$/gm),
      ([line]) => JSON.parse(line) as Record<string, string>,
    )
    expect(await sms.forge(service, { from: '+491701234567', text: 'STOP' })).toBe(400)
    expect(await sms.report(service, { ...delivered, id: first?.id ?? '' })).toBe(204)
    expect(await sms.report(service, { ...failed, id: second?.id ?? '' })).toBe(204)
    expect(await sms.report(service, { ...stop, from: second?.to ?? '' })).toBe(204)
    const listed = await textsOf(made)
    expect(listed.find(({ id }) => id === first?.id)?.['delivered_at']).not.toBeNull()
    expect(listed.find(({ id }) => id === second?.id)?.['last_error']).toBe('not delivered (unknown number)')
    await book(made, { phone: second?.to })
    await settle(made)
    expect(sms.texts).toHaveLength(2)
  })

  test('quiet hours hold messages back, and drop those that would come after the start', async () => {
    const made = await world('twilio', { settings: { quiet_hours: { from: '00:00', to: '23:59' } } })
    await book(made)
    await settle(made)
    expect(made.sms.texts).toEqual([])
    expect(await textsOf(made)).toMatchObject([{ status: 'queued', waits_for: 'quiet_hours' }])
    const client = { first_name: 'Ada', last_name: 'L', phone: '+49 170 7000000' }
    await made.book(await made.offer(), '2026-11-20T15:00:00+01:00', { client, text_consent: sentence })
    await settle(made)
    expect(await textsOf(made)).toHaveLength(1) // today's is dropped
    await made.call('PATCH', `/businesses/${made.business.id}`, { quiet_hours: null })
    made.service.clock.advance(86_400)
    await settle(made)
    expect(made.sms.texts).toHaveLength(1)
  })

  test('a month has an allowance, counted in segments', async () => {
    const made = await world('twilio', { variables: { SMS_PER_MONTH: '2' } })
    for (let count = 0; count < 3; count += 1) await book(made)
    await settle(made)
    expect(made.sms.texts).toHaveLength(2)
    expect((await textsOf(made)).filter(({ status }) => status === 'failed')).toMatchObject([
      { last_error: 'the text messages of this month are used up' },
    ])
  })

  test('a number gets five an hour, and all businesses together what SMS_PER_HOUR says', async () => {
    const made = await world('twilio', { variables: { SMS_PER_HOUR: '6' } })
    for (let count = 0; count < 6; count += 1) await book(made, { phone: '+49 170 4000000' })
    await settle(made)
    expect(made.sms.texts).toHaveLength(5)
    await book(made)
    await book(made)
    await settle(made)
    expect(made.sms.texts).toHaveLength(6)
    const waiting = (await textsOf(made)).flatMap(({ waits_for }) => waits_for ?? [])
    expect(waiting.toSorted()).toEqual(['recipient_limit', 'server_limit'])
  })

  test('clients who share a number get five an hour each, and fifteen together', async () => {
    const made = await world()
    const phone = '+49 170 4100000'
    const child = async (first_name: string, count: number) => {
      const client = { first_name, last_name: 'Berg', email: 'family@example.com', phone }
      for (let time = 0; time < count; time += 1) await book(made, { phone, client })
      await settle(made)
    }
    const sent = () => made.sms.texts.length
    await child('Mia', 6)
    expect(sent()).toBe(5)
    await child('Ben', 4)
    expect(sent()).toBe(9) // the sixth of Mia waits
    for (const name of ['Eva', 'Ida', 'Tom']) await child(name, 4)
    expect(sent()).toBe(15)
    const waiting = (await textsOf(made)).flatMap(({ waits_for }) => waits_for ?? [])
    expect(new Set(waiting)).toEqual(new Set(['recipient_limit']))
    made.service.clock.advance(3_600)
    await settle(made)
    expect(sent()).toBe(22)
  })

  test('a message that the limit of the server stops neither counts for its business nor is lost', async () => {
    const made = await world('twilio', { variables: { SMS_PER_HOUR: '2' } })
    for (let count = 0; count < 4; count += 1) await book(made)
    await settle(made)
    expect(made.sms.texts).toHaveLength(2)
    const { config } = made.service.context
    const { ofBusiness } = quotasOfText({ businessId: made.business.id, plan: 'enterprise' }, config)
    const { limit, remaining } = await made.service.app.texts['limiter'].count([ofBusiness])
    expect(limit - remaining).toBe(3) // with this count
    for (const sent of [4, 4]) {
      made.service.clock.advance(3_601)
      await settle(made)
      expect(made.sms.texts).toHaveLength(sent)
    }
    expect(new Set(made.sms.texts.map(({ to }) => to)).size).toBe(4)
  })

  test('a provider that fails or hangs delays no email, and the message comes later', async () => {
    const made = await world()
    made.sms.mood = { status: 503 }
    await book(made)
    await settle(made)
    expect(made.fresh()).toHaveLength(1)
    expect(await textsOf(made)).toMatchObject([{ status: 'queued', waits_for: 'retry' }])
    made.sms.mood = undefined
    made.service.clock.advance(60)
    await settle(made)
    expect(made.sms.texts).toHaveLength(1)
  })

  test('the longest names and every language fit in two segments', async () => {
    const made = await world('twilio', { settings: { name: 'Ş'.repeat(120) } })
    for (const locale of ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'tr', 'ja', 'ar']) {
      const offer = await made.offer({ name: 'Saçkesimi '.repeat(18).trim() })
      const client = {
        first_name: 'Ada',
        last_name: 'L',
        phone: `+49 170 50000${10 + made.sms.texts.length}`,
      }
      await made.book(offer, monday, { client, text_consent: sentence, locale })
      await settle(made)
    }
    expect(made.sms.texts).toHaveLength(11)
    for (const { text } of made.sms.texts) expect(segmentsOf(text), text).toBeLessThanOrEqual(2)
  })

  test('an erased client leaves no number', async () => {
    const made = await world()
    const phone = '+49 170 6000000'
    await book(made, { phone })
    await settle(made)
    const email = `ada-${number}@example.com`
    await made.call('POST', '/clients/erase', { email })
    expect(JSON.stringify(await made.service.rows('mails'))).not.toContain('1706000000')
  })

  longTest(
    'many reminders due at one minute are sent once each, by two servers, while the provider hangs, fails, refuses and is slow',
    async () => {
      const count = isWhole ? 10_000 : 200
      const sms = await startSmsServer('gateway')
      open.push(() => sms.close())
      const variables = {
        SMS_URL: sms.url,
        SMS_PER_MONTH: '1000000',
        SMS_PER_HOUR: '1000000',
        RATE_LIMIT_FACTOR: '100',
      }
      const service = await startTestService(engine, variables)
      open.push(() => service.stop())
      const beside =
        engine === 'postgres' ? await startTestService(engine, variables, { beside: service }) : undefined
      if (beside) open.push(() => beside.stop())
      const business = businessOf(service.world, 'Salon Spree')
      const { context, clock } = service
      await context.db.transaction(async (tx) => {
        await storeBookings(tx.db, engine, {
          businessId: business.id,
          serviceId: business.services[0]?.id ?? '',
          locationId: business.locations[0]?.id ?? '',
          staffIds: business.staff.map(({ id }) => id),
          ...{ count, firstNumber: 500_001, stepMinutes: 0, minutes: 30, withoutClaims: true },
          fromMs: clock.nowMs() + 48 * 3_600_000,
        })
        await sql`update businesses set text_kinds_json = '["reminder"]' where id = ${business.id}`.execute(
          tx.db,
        )
      })
      // in parts, because each change also counts its client
      for (let from = 1_000_000; from < 1_000_000 + count; from += 500) {
        await context.db.transaction((tx) =>
          sql`
            update bookings set scheduled_at = ${tx.now}, confirmed_at = ${tx.now}, text_agreed_at = ${tx.now},
                   text_consent = 'yes', client_phone = '+4917' || r.n, client_email = 'of-' || r.n || '@no-email.invalid'
              from (select id as of_id, 1000000 + row_number() over (order by id) as n from bookings) as r
             where id = r.of_id and business_id = ${business.id} and r.n > ${from} and r.n <= ${from + 500}`.execute(
            tx.db,
          ),
        )
      }
      clock.advance(24 * 3_600 + 301)
      const since = instantFromMs(clock.nowMs() - 600_000)
      const servers = beside ? [service, beside] : [service]
      // two servers on a busy machine may find no connection in time; the next attempt queues the rest
      const queued = ({ context: of }: TestService) =>
        queueReminders(of, since).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof DatabaseUnavailable)) throw error
            return undefined
          },
        )
      await Promise.all(servers.map((server) => eventually('the reminders', () => queued(server))))
      sms.mood = 'hang'
      const hung = Promise.all(servers.map((server) => server.app.texts.settled()))
      await eventually('a request that hangs', () => sms.hanging > 0 || undefined)
      sms.mood = { status: 503 }
      await hung
      const unavailable = sms.refused
      sms.mood = { status: 400 }
      clock.advance(3_600)
      const refusing = Promise.all(servers.map((server) => server.app.texts.settled()))
      await eventually('some refusals', () => sms.refused >= unavailable + count / 20 || undefined)
      sms.mood = 'slow'
      await refusing
      const refused = sms.refused - unavailable
      const reached = () => new Set(sms.texts.map(({ to }) => to))
      for (let round = 0; reached().size < count - refused && round < 20; round += 1) {
        clock.advance(3_600)
        await Promise.all(servers.map((server) => server.app.texts.settled()))
      }
      // a message whose result a busy database did not take comes again, with its ID; each such case is in the log
      const unwritten = servers.flatMap(({ logLines }) =>
        logLines.filter((line) => line.includes('the result of a text message could not be written')),
      )
      expect(sms.texts.length + refused - count).toBeLessThanOrEqual(unwritten.length)
      expect(new Set(sms.texts.map(({ id }) => id)).size).toBe(reached().size)
      // one that was refused is not sent again by itself
      const failed = (await service.rows('mails')).filter(({ status }) => status === 'failed')
      expect(reached().size + failed.length).toBe(count)
      expect(new Set(failed.map(({ to_phone }) => String(to_phone))).isDisjointFrom(reached())).toBe(true)
    },
    900_000,
  )
})

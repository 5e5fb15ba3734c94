import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { emptyDirectory } from '../support/holdfast-process.ts'
import { onOneEngine } from '../support/long.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

onOneEngine('sqlite', 'the settings of a business', (engine) => {
  const directory = emptyDirectory()
  let service: TestService
  let owner: LoggedIn
  let manager: LoggedIn
  beforeAll(async () => {
    service = await startTestService(engine, { MAIL_DIR: directory })
    const place = { businessId: businessOf(service.world, 'Thames Barbers').id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(() => service.stop())
  const settings = {
    ...{
      name: 'Thames & Sons',
      timezone: 'Europe/London',
      locale: 'en',
      reply_to_email: 'hello@example.com',
    },
    ...{
      notify_emails: 'a@example.com, b@example.com\n\nc@example.com',
      reminder_hours: '2, 48',
      'quiet_hours.from': '21:00',
      'quiet_hours.to': '08:00',
    },
    ...{
      retention_days: '365',
      max_bookings_per_client: '',
      max_gap_minutes: '15',
      trusted_networks: '203.0.113.7/32',
    },
  }
  const shown = async () =>
    (await owner.call('GET', `/businesses/${businessOf(service.world, 'Thames Barbers').id}`)).body as object

  test('are saved as the API takes them, and shown again', async () => {
    expect(await sendForm(service, '/console/settings', settings, owner)).toMatchObject({ status: 303 })
    expect(await shown()).toMatchObject({
      ...{ name: 'Thames & Sons', reply_to_email: 'hello@example.com', reminder_hours: [48, 2] },
      ...{
        notify_emails: ['a@example.com', 'b@example.com', 'c@example.com'],
        quiet_hours: { from: '21:00', to: '08:00' },
      },
      ...{
        retention_days: 365,
        max_bookings_per_client: null,
        max_gap_minutes: 15,
        trusted_networks: ['203.0.113.7/32'],
      },
    })
    const page = await readConsole(service, '/console/settings', owner)
    expect(page.body).toMatch(/name="reminder_hours"[^>]*value="48, 2"/)
    expect(page.body).toContain('value="Thames &amp; Sons"')
  })

  test('name each fault at its field, keep what was typed, and change nothing', async () => {
    const before = await shown()
    const wrong = {
      ...{ reply_to_email: 'nobody', reminder_hours: 'soon', 'quiet_hours.to': '' },
      ...{ retention_days: '0', trusted_networks: 'home' },
    }
    const { status, body } = await sendForm(service, '/console/settings', { ...settings, ...wrong }, owner)
    expect(status).toBe(422)
    for (const name of Object.keys(wrong)) expect(body).toContain(`id="${name}-fault"`)
    expect(body).toContain('value="soon"')
    expect(await shown()).toEqual(before)
  })

  test('show each mail in the name of the business, and nothing that runs', async () => {
    for (const kind of ['confirmed', 'reminder', 'booked']) {
      const mail = await readConsole(service, `/console/mails/preview?kind=${kind}`, owner)
      expect(mail.status).toBe(200)
      expect(mail.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/)
    }
    const confirmed = await readConsole(service, '/console/mails/preview?kind=confirmed', owner)
    expect(textOf(confirmed)).toContain('Thames & Sons')
  })

  test('send a test mail to the owner', async () => {
    const sent = await sendForm(service, '/console/mails/server', { do: 'test' }, owner)
    expect(sent.headers['location']).toBe('/console/mails/server?done=sent')
    expect(readdirSync(directory).filter((name) => name.endsWith('-confirmed.eml'))).toHaveLength(1)
    const page = textOf(await readConsole(service, '/console/mails/server?done=sent', owner))
    expect(page).toContain(`The test email is a file in ${directory}`)
    expect(page).not.toContain('inbox')
  })

  test('give the locations in the zone of the business its new one, and tell of appointments ahead', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    const place = { businessId: business.id }
    const spree = await logInNewPerson(service, { email: 'spree@example.com', role: 'owner', place })
    const zones = async () => {
      const { data } = (await spree.call('GET', '/locations')).body as { data: unknown }
      return Object.fromEntries(
        (data as { name: string; timezone: string }[]).map(({ name, timezone }) => [name, timezone]),
      )
    }
    const elsewhere = await spree.call('POST', '/locations', { name: 'Faro', timezone: 'Europe/Lisbon' })
    expect(elsewhere.status).toBe(201)
    const named = (text: string) => text.replaceAll(/\s+/g, ' ')
    const before = named(textOf(await readConsole(service, '/console/settings', spree)))
    expect(before).toContain('Also change the locations in this time zone: Mitte, Online')
    expect(before).toContain('Locations in another time zone keep theirs: Faro (Lisbon (Portugal))')
    expect(before).toContain('In another time zone, the clock shows a different time for them')

    const booker = bookerOf(service)
    const startsAt = '2027-03-02T10:00:00+01:00'
    const id = await booker.book('Haircut', startsAt)
    const form = { ...settings, name: 'Salon Spree', trusted_networks: '' }
    const same = await sendForm(
      service,
      '/console/settings',
      { ...form, timezone: 'Europe/Berlin', zoneToo: 'on' },
      spree,
    )
    expect(same.headers['location']).toBe('/console/settings?done=saved')
    const sent = await sendForm(
      service,
      '/console/settings',
      { ...form, timezone: 'Europe/Athens', zoneToo: 'on' },
      spree,
    )
    const next = sent.headers['location'] ?? ''
    expect(next).toBe('/console/settings?done=saved&ahead=1&date=2027-03-02')
    expect(await zones()).toEqual({ Mitte: 'Europe/Athens', Online: 'Europe/Athens', Faro: 'Europe/Lisbon' })
    expect(textOf(await readConsole(service, next, spree))).toContain(
      'Opening hours now use the new time zone. 1 upcoming appointment keeps its moment. Nobody was notified. Check that it is at the agreed time of day.',
    )
    expect((await booker.call('GET', `/bookings/${id}`)).body).toMatchObject({
      starts_at: '2027-03-02T11:00:00+02:00',
    })

    const alone = await sendForm(service, '/console/settings', { ...form, timezone: 'Europe/Rome' }, spree)
    expect(alone.headers['location']).toBe('/console/settings?done=saved')
    expect(await zones()).toEqual({ Mitte: 'Europe/Athens', Online: 'Europe/Athens', Faro: 'Europe/Lisbon' })
  })

  test('are for owners alone', async () => {
    expect(await readConsole(service, '/console/settings', manager)).toMatchObject({ status: 404 })
    expect(await readConsole(service, '/console/mails/preview?kind=booked', manager)).toMatchObject({
      status: 404,
    })
    expect(await sendForm(service, '/console/settings', settings, manager)).toMatchObject({ status: 404 })
    expect(await sendForm(service, '/console/mails/server', { do: 'test' }, manager)).toMatchObject({
      status: 404,
    })
  })
})

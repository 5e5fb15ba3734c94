import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FirstOwner, offerFirstOwner } from '../../src/access/first-owner.ts'
import { createHub } from '../../src/catalogue/business.ts'
import { readConsole, textOf, typedIn } from '../support/console.ts'
import { onOneEngine } from '../support/long.ts'
import {
  cookieOf,
  goodPassword,
  type LoggedIn,
  logInNewPerson,
  loggedIn,
  sendForm,
} from '../support/person.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const salon = { name: ' Salon Nova ', timezone: 'europe/berlin', locale: 'de' }

const tokenOf = (offer: FirstOwner) => (offer && 'link' in offer ? offer.link.token : '')

/** Sends the form of the first owner. */
const claim = (service: TestService, token: string, fields: Record<string, string> = {}) =>
  sendForm(service, '/console/first', {
    ...{ token, owner_name: 'Ada Lovelace', email: 'ada@example.com', password: goodPassword },
    ...{ ...salon, ...fields },
  })

onOneEngine('sqlite', 'on an empty server, the first owner', (engine) => {
  let service: TestService
  let owner: Pick<LoggedIn, 'cookie'>
  beforeAll(async () => {
    service = await startTestService(engine, { NODE_ENV: 'production' }, { empty: true })
  })
  afterAll(() => service.stop())
  const read = (path: string) => readConsole(service, path, owner)
  const send = (path: string, fields: Record<string, string>) => sendForm(service, path, fields, owner)

  test('gets no link where the output is a log', async () => {
    expect(await offerFirstOwner(service.context, false)).toEqual({ couldLink: true })
    expect(await service.rows('user_links')).toEqual([])
  })

  test('is asked for a business, and told of its faults without using up the link', async () => {
    const token = tokenOf(await offerFirstOwner(service.context, true))
    const page = await service.call('GET', '//console/first', { headers: { host: 'localhost' } })
    expect(page.body).toContain('Name of your business')
    const refused = await claim(service, token, { name: '', timezone: 'Moon/Base' })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatch(/id="timezone-fault"[^]*value="Ada|value="Ada[^]*id="timezone-fault"/)
    expect(await service.rows('users')).toEqual([])
    expect(await service.rows('businesses')).toEqual([])
    expect((await readConsole(service, '/console', { cookie: '' })).body).not.toContain('of-whom')
  })

  test('is one of several at once, with one business, and the link is used up', async () => {
    const token = tokenOf(await offerFirstOwner(service.context, true))
    const replies = await Promise.all(
      ['ada', 'grace', 'mary'].map((name) => claim(service, token, { email: `${name}@example.com` })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([303, 404, 404])
    expect(await service.rows('users')).toHaveLength(1)
    expect(await service.rows('businesses')).toMatchObject([
      { name: 'Salon Nova', timezone: 'Europe/Berlin', locale: 'de' },
    ])
    const won = replies.find(({ status }) => status === 303)
    expect(won?.headers['location']).toBe('/console/start/hours')
    owner = { cookie: (won && cookieOf(won)) ?? '' }
    const logIn = await readConsole(service, '/console', { cookie: '' })
    expect(logIn.body).toMatch(/<p class="of-whom">[^]*?<bdi>Salon Nova<\/bdi>/)
    expect(await claim(service, token)).toMatchObject({ status: 404 })
    expect(await offerFirstOwner(service.context, true)).toBeUndefined()
  })

  test('goes from step to step, each kept, to a page that can be booked', async () => {
    expect(textOf(await read('/console'))).toContain('Finish setting up')
    const early = textOf(await read('/console/start/page'))
    expect(early).toContain('Something is missing')
    const badHours = await send('/console/start/hours', {
      ...{ hours: 'own', 'monday.open': 'on', 'monday.0.opens': '09:00' },
    })
    expect(badHours.status).toBe(422)
    expect(badHours.body).toContain('value="09:00"')
    expect(badHours.body).toContain('id="monday.0.closes-fault">Monday: enter an end for 09:00.')
    const open = { hours: 'own', 'monday.open': 'on' }
    const half = {
      'saturday.open': 'on',
      'monday.0.opens': '09:00',
      'monday.0.closes': '17:00',
      'saturday.0.closes': '14:00',
    }
    const halfDay = String((await send('/console/start/hours', { ...open, ...half })).body)
    expect(halfDay).toContain('id="saturday.0.opens-fault">Saturday: enter a start for 14:00.')
    expect(halfDay).toMatch(/name="saturday\.0\.opens"[^>]*aria-invalid="true"/)
    expect(halfDay.match(/aria-invalid/g)).toHaveLength(1)
    const hours = {
      'monday.0.opens': '09:00',
      'monday.0.closes': '17:00',
      'friday.0.opens': '10:00',
      same: 'on',
    }
    expect(await send('/console/start/hours', { ...open, ...hours })).toMatchObject({
      status: 303,
      headers: { location: '/console/start/holidays' },
    })
    // sending it again changes it: no second location
    await send('/console/start/hours', { ...open, ...hours, address: 'Musterstr. 1' })
    const locations = await service.rows('locations')
    expect(locations).toMatchObject([{ name: 'Salon Nova', address: 'Musterstr. 1' }])
    const holidays = await readConsole(service, '/console/start/holidays', owner)
    expect(textOf(holidays)).toMatch(/Germany.*Friday, December 25, 2026 Christmas Day/)
    expect(await send('/console/start/holidays', { 'day.2026-12-25': 'on' })).toMatchObject({
      headers: { location: '/console/start/service' },
    })
    expect(textOf(await readConsole(service, '/console/start/service', owner))).toContain('Hairdresser')
    const fresh = await readConsole(service, '/console/start/service?trade=other', owner)
    expect(fresh.body).toMatch(/<select\s+id="price\.currency"[^>]*>\s*<option value="EUR" selected/)
    const nameless = await send('/console/start/service', {
      name: '',
      duration_minutes: '45',
      'price.amount': '35',
      'price.currency': 'EUR',
    })
    expect(nameless.status).toBe(422)
    for (let time = 0; time < 2; time += 1)
      expect(
        await send('/console/start/service', {
          name: 'Haircut',
          duration_minutes: '45',
          'price.amount': '35 €',
          'price.currency': 'EUR',
        }),
      ).toMatchObject({ status: 303, headers: { location: '/console/start/people' } })
    expect(await service.rows('services')).toMatchObject([
      { name: 'Haircut', duration_minutes: 45, price_amount: 3500, price_currency: 'EUR' },
    ])
    expect(await send('/console/start/people', { who: 'several', names: ' ' })).toMatchObject({ status: 422 })
    for (let time = 0; time < 2; time += 1)
      expect(await send('/console/start/people', { who: 'alone' })).toMatchObject({
        status: 303,
        headers: { location: '/console/start/page' },
      })
    const [person, other] = await service.rows('staff')
    expect(person).toMatchObject({ name: 'Ada Lovelace' })
    expect(other).toBeUndefined()
    expect(await service.rows('user_places')).toMatchObject([{ staff_id: person?.['id'] }])
    expect(await service.rows('service_staff')).toHaveLength(1)
  })

  test('sees the booking page in a frame, and after a booking no steps any more', async () => {
    const page = await read('/console/start/page')
    expect(page.headers['content-security-policy']).toContain("frame-src 'self'")
    const [, path = ''] = /src="(\/book\/[^"]+)\?preview"/.exec(String(page.body)) ?? []
    expect(page.body).toMatch(/<a href="\/console\/start\/page\?open=test"\s*>Test appointment<\/a>/)
    expect(textOf(await read('/console/start/page?open=test'))).toContain('Back to the console')
    expect(textOf(page)).toMatch(new RegExp(`Link to your booking page: https?://[^ ]+${path} `))
    const framed = await service.call('GET', `/${path}?preview`)
    expect(framed).toMatchObject({ status: 200, headers: { 'x-frame-options': 'SAMEORIGIN' } })
    expect(framed.headers['content-security-policy']).toContain("frame-ancestors 'self'")
    const alone = await service.call('GET', `/${path}`)
    expect(alone.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(alone.headers['x-frame-options']).toBe('DENY')

    const [token = ''] = /cal_pub_\w+/.exec(String(alone.body)) ?? []
    const session = (await service.call('POST', '/session', { token })).body.session_token as string
    const [{ id: service_id } = { id: '' }] = await service.rows('services')
    const [{ id: location_id } = { id: '' }] = await service.rows('locations')
    const body = { service_id, location_id, starts_at: '2026-11-23T09:45:00+01:00' }
    const hold = await service.call('POST', '/bookings/hold', { token: session, body })
    const booked = await service.call('POST', '/bookings', {
      token: session,
      body: {
        hold_id: hold.body.hold_id as string,
        client: { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' },
      },
    })
    expect(booked.status).toBe(201)
    expect(textOf(await read('/console'))).not.toMatch(/Finish setting up|Everything is set up/)
    const after = await read('/console/start/page')
    expect(after.body).toContain('href="/console?date=2026-11-23"')
    expect(textOf(await read('/console?date=2026-11-23'))).toContain('Grace Hopper')
  })
})

onOneEngine('sqlite', 'the steps to the first booking', (engine) => {
  let service: TestService
  let hubOwner: LoggedIn
  let hubId = ''
  beforeAll(async () => {
    service = await startTestService(engine)
    const hub = await createHub(service.context, { name: 'New hub', plan: 'growth' })
    hubId = hub.id
    hubOwner = await logInNewPerson(service, {
      ...{ email: 'hub@example.com', name: 'Hanna', role: 'owner', place: { hubId: hub.id } },
    })
  })
  afterAll(() => service.stop())

  test('are hidden in one browser, and stay open', async () => {
    const owner = await logInNewPerson(service, {
      ...{ email: 'salon@example.com', role: 'owner' },
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
    expect(textOf(await readConsole(service, '/console', owner))).toContain('Everything is set up')
    const { body: page } = await readConsole(service, '/console?view=week&date=2026-12-08', owner)
    const action = (/action="(\/console\/start\/hide[^"]*)"/.exec(String(page))?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    )
    const hidden = await sendForm(service, action, {}, owner)
    expect(hidden).toMatchObject({
      ...{ status: 303, headers: { location: '/console?view=week&date=2026-12-08' } },
    })
    const cookie = `${owner.cookie}; ${cookieOf(hidden) ?? ''}`
    expect(textOf(await readConsole(service, '/console', { cookie }))).not.toContain('Everything is set up')
    expect(textOf(await readConsole(service, '/console/start/hours', { cookie }))).toContain('Opening hours')
  })

  test('offer an own service every quarter of an hour, and tick the booking page once clients can book', async () => {
    const { id } = businessOf(service.world, 'Salon Spree')
    const owner = await logInNewPerson(service, {
      ...{ email: 'own@example.com', role: 'owner', place: { businessId: id } },
    })
    const path = '/console/start/service?trade=other'
    const typed = typedIn(String((await readConsole(service, path, owner)).body))
    const sent = await sendForm(
      service,
      path,
      { ...typed, name: 'Long massage', duration_minutes: '90' },
      owner,
    )
    expect(sent.status).toBe(303)
    const [made] = (await service.rows('services')).filter(({ name }) => name === 'Long massage')
    expect(made).toMatchObject({ duration_minutes: 90, slot_interval_minutes: 15 })
    const page = textOf(await readConsole(service, '/console/start/page', owner)).replaceAll(/\s+/g, ' ')
    expect(page).toContain('Services (done)')
    expect(page).toContain('Booking page (done)')
    expect(page).not.toContain('Test appointment (done)')
  })

  test('offer the usual services of a trade, created together, in the currency of the business', async () => {
    const owner = await logInNewPerson(service, {
      ...{ email: 'trade@example.com', role: 'owner' },
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
    const path = '/console/start/service?trade=hair'
    const page = await readConsole(service, path, owner)
    const typed = typedIn(String(page.body))
    expect(typed).toMatchObject({ 'rootColor.name': 'Root colour', 'rootColor.price.amount': '65' })
    const german = await service.call('GET', `/${path}`, {
      headers: { host: 'localhost', cookie: owner.cookie, 'accept-language': 'de' },
    })
    expect(german.body).toContain('value="Ansatzfarbe"')
    expect(textOf(await sendForm(service, path, typed, owner))).toContain('Tick at least one service.')
    const ticked = { ...typed, 'offer.rootColor': 'on', 'offer.updo': 'on', 'updo.step.0': '75' }
    const before = (await service.rows('services')).length
    const faulty = await sendForm(service, path, { ...ticked, 'updo.price.amount': 'much' }, owner)
    expect(faulty).toMatchObject({ status: 422 })
    expect(faulty.body).toMatch(/name="updo\.price\.amount"[^>]*aria-invalid/)
    expect(await service.rows('services')).toHaveLength(before)
    for (let time = 0; time < 2; time += 1)
      expect(await sendForm(service, path, ticked, owner)).toMatchObject({ status: 303 })
    const made = (await service.rows('services')).filter(({ name }) =>
      /^(Root colour|Updo)$/.test(String(name)),
    )
    expect(made).toHaveLength(2)
    expect(made.toSorted((one, other) => Number(one['position']) - Number(other['position']))).toMatchObject([
      {
        ...{ name: 'Root colour', category: 'Colour', duration_minutes: 90, price_amount: 6500 },
        slot_interval_minutes: 15, // not only every 90 minutes
      },
      { name: 'Updo', category: 'Styling', duration_minutes: 75, price_amount: 7000 },
    ])
    expect(made[0]?.['steps_json'] ?? made[1]?.['steps_json']).toBeDefined()
  })

  test('add everyone who is named, and link the owner to their own column', async () => {
    const owner = await logInNewPerson(service, {
      ...{ email: 'petra@example.com', name: 'Petra Hofbauer', role: 'owner' },
      place: { businessId: businessOf(service.world, 'Salon Spree').id },
    })
    const people = { who: 'alone', names: 'Mira\nPetra' }
    expect(await sendForm(service, '/console/start/people', people, owner)).toMatchObject({ status: 303 })
    const staff = await service.rows('staff')
    const [petra] = staff.filter(({ name }) => name === 'Petra')
    expect(staff.some(({ name }) => name === 'Mira')).toBe(true)
    expect((await service.rows('user_places')).at(-1)).toMatchObject({ staff_id: petra?.['id'] })
  })

  /** Sends the form of a new business on a page of the hub. */
  const addBusiness = (fields: Record<string, string> = {}) =>
    sendForm(service, '/console/new-business', { ...salon, at_business: hubId, ...fields }, hubOwner)

  test('begin for each new business of a hub, and its owner alone', async () => {
    expect(textOf(await readConsole(service, '/console', hubOwner))).toContain('No business yet')
    expect((await readConsole(service, '/console/start/hours', hubOwner)).status).toBe(404)
    const faulty = await addBusiness({ name: '' })
    expect(faulty).toMatchObject({ status: 422 })
    const made = await addBusiness()
    expect(made.headers['location']).toMatch(/^\/console\/start\/hours\?business=/)
    const [first] = (await service.rows('businesses')).filter(({ hub_id }) => hub_id === hubId)
    expect(first?.['notify_emails_json']).toContain('@') // the address of its creator
    const again = await addBusiness({ name: 'Second' })
    const path = again.headers['location'] ?? ''
    const twice = { name: 'Twice', once: 'the same form' }
    await addBusiness(twice)
    await addBusiness(twice)
    expect((await service.rows('businesses')).filter(({ name }) => name === 'Twice')).toHaveLength(1)
    const saved = await sendForm(service, path, { hours: 'none' }, hubOwner)
    expect(saved.headers['location']).toBe(path.replace('hours', 'holidays'))
    expect((await service.rows('locations')).at(-1)).toMatchObject({
      name: 'Second',
      weekly_hours_json: null,
    })
    for (const person of [
      { email: 'manager@example.com', role: 'manager' as const },
      { email: 'alone@example.com', role: 'owner' as const },
    ]) {
      const place = { businessId: businessOf(service.world, 'Salon Spree').id }
      const { cookie } = await logInNewPerson(service, { ...person, place })
      const tried = await sendForm(service, '/console/new-business', salon, { cookie })
      expect(tried.status).toBe(person.role === 'owner' ? 422 : 404)
    }
  })

  test('lead on at the business that was shown last, also after the next log-in', async () => {
    const all = (await service.rows('businesses')).filter(({ hub_id: hub }) => hub === hubId)
    const [first, last] = all.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))
    const read = (path: string, memory = '') =>
      readConsole(service, path, { cookie: [hubOwner.cookie, memory].join('; ') })
    const made = await addBusiness({ name: 'Zoo' })
    const path = made.headers['location'] ?? ''
    const zoo = path.split('=')[1] ?? ''
    const begun = await read(path)
    expect(String(begun.headers['set-cookie'])).toMatch(
      /^holdfast-business=[0-9a-f-]{36}~[\w-]{43}; Path=\/console; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
    )
    const memory = cookieOf(begun) ?? ''
    const calendar = await read('/console', memory)
    expect(calendar.body).toContain('<title>Calendar – Zoo</title>')
    expect(calendar.headers['set-cookie']).toBeUndefined() // because it does not change
    const headers = { host: 'localhost', cookie: `${hubOwner.cookie}; ${memory}` }
    expect(await service.call('GET', '//console/services', { headers })).toMatchObject({
      status: 303,
      headers: { location: `/console/services?business=${zoo}` },
    })
    const other = await read(`/console/services?business=${String(last?.id)}`, memory)
    expect(cookieOf(other)).toContain(`holdfast-business=${String(last?.id)}~`)
    const foreign = businessOf(service.world, 'Lotus Clinic').id
    for (const wrong of [foreign, 'nonsense', '']) {
      const page = await read('/console', `holdfast-business=${wrong}`)
      expect(page.body).toContain(`<title>Calendar – ${String(first?.name)}</title>`)
    }
  })

  test('a form is of the business of its page, also at an address without one, whatever was shown since', async () => {
    const { body } = await readConsole(service, '/console/people/new', hubOwner)
    const hiddenValue = (name: string) =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(String(body))?.[1] ?? ''
    const named = /<title>New team member – ([^<]+)<\/title>/.exec(String(body))?.[1]
    const zoo = (await service.rows('businesses')).find(({ name }) => name === 'Zoo')
    const cookie = `${hubOwner.cookie}; holdfast-business=${String(zoo?.id)}`
    const once = hiddenValue('once')
    const fields = { name: 'Tina Tab', hours: 'none', once, at_business: hiddenValue('at_business') }
    expect((await sendForm(service, '/console/people/new', fields, { cookie })).status).toBe(303)
    const tina = (await service.rows('staff')).find(({ name }) => name === 'Tina Tab')
    const where = (await service.rows('businesses')).find(({ id }) => id === tina?.business_id)
    expect(where?.name).toBe(named)
    expect(named).not.toBe('Zoo')
  })

  test('nobody in particular is needed for a room', async () => {
    const person = loggedIn(service, hubOwner)
    const list = (await person.call('GET', '/businesses')).body as { data: { id: string; name: string }[] }
    const { id = '' } = list.data.find(({ name }) => name === 'Second') ?? {}
    const step = (name: string, fields: Record<string, string>) =>
      sendForm(service, `/console/start/${name}?business=${id}`, fields, hubOwner)
    await step('service', {
      name: 'Court',
      duration_minutes: '60',
      'price.amount': '',
      'price.currency': 'EUR',
    })
    expect(await step('people', { who: 'nobody' })).toMatchObject({ status: 303 })
    const page = await readConsole(service, `/console/start/page?business=${id}`, hubOwner)
    expect(textOf(page)).toContain('Book a test appointment')
  })

  test('name the link of the booking page after the business, unless the name is taken', async () => {
    const slugs: unknown[] = []
    for (const name of ['Café Füchse', 'Café Füchse', '山田']) {
      const { headers } = await addBusiness({ name })
      const hours = headers['location'] ?? ''
      await sendForm(service, hours, { hours: 'none' }, hubOwner)
      const path = hours.replace('hours', 'service')
      const cut = { name: 'Cut', duration_minutes: '30', 'price.currency': 'EUR', 'price.amount': '20' }
      expect(await sendForm(service, path, cut, hubOwner)).toMatchObject({ status: 303 })
      const id = path.split('=')[1]
      slugs.push((await service.rows('businesses')).find((one) => one['id'] === id)?.['slug'])
    }
    expect(slugs).toEqual(['cafe-fuchse', null, null])
  })
})

describe('a link of the first owner', () => {
  test('ends after 30 minutes', async () => {
    const service = await startTestService('sqlite', {}, { empty: true })
    const token = tokenOf(await offerFirstOwner(service.context, true))
    service.clock.advance(1_801)
    expect(await claim(service, token)).toMatchObject({ status: 404 })
    expect(await service.rows('businesses')).toEqual([])
    await service.stop()
  })
})

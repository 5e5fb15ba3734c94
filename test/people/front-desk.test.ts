import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookSlot, clientOf } from '../support/client.ts'
import { readConsole, textOf } from '../support/console.ts'
import { expectErrors } from '../support/expect-problem.ts'
import { makeBusiness, makeOffer, makeStaff, type Offer, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const grace = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', phone: '+49 30 1234' }
const alan = { first_name: 'Alan', last_name: 'Turing', email: 'alan@example.com', phone: null }
const at = (day: number) => `2026-12-0${day}T10:00:00+01:00`

const notYours = 'You cannot open this page'
const refusal = { status: 403, body: { code: 'key_type_not_allowed' } }

/** Pages of the console for the front desk, and for everybody with an account. */
const itsPages = [
  ...['', '/calendar.css', '/book', '/block', '/block/:id', '/bookings', '/bookings.csv', '/bookings/:id'],
  ...['answer', 'cancel', 'client', 'details', 'person', 'services', 'link', 'move'].map(
    (one) => `/bookings/:id/${one}`,
  ),
  ...[
    '/clients',
    '/clients.csv',
    '/clients/new',
    '/clients/:id',
    '/clients/:id/edit',
    '/clients/:id/merge',
    '/waitlist',
    '/waitlist/new',
    '/waitlist/:id',
    '/mails',
    '/account',
    '/authorize',
    '/invitations',
    '/calendar',
    '/businesses',
  ],
  ...['/away', '/away/:id', '/class', '/print'],
  // their own accounts: test/calendars/cloud-accounts.test.ts
  ...['/calendars', '/calendars/accounts/new', '/calendars/accounts/:id', '/calendars/accounts/:id/remove'],
  ...['google', 'google/start', 'microsoft', 'microsoft/start'].map((one) => `/calendars/${one}`),
  ...['/email', '/link', '/code', '/first', '/forgotten', '/login'],
]

onOneEngine('sqlite', 'the front desk', (engine) => {
  let service: TestService
  let business: OwnBusiness
  let offer: Offer
  let desk: LoggedIn
  let anna: LoggedIn
  let [annasId, bensId] = ['', '']
  let [annas, bens] = ['', '']
  beforeAll(async () => {
    service = await startTestService(engine)
    business = await makeBusiness(service)
    const place = { businessId: business.id }
    const key = clientOf(service, business.key)
    ;[annasId = '', bensId = ''] = await makeStaff(service, business.id, ['Anna', 'Ben'])
    offer = await makeOffer(service, business.id, { staffIds: [annasId, bensId] })
    annas = String(
      (await bookSlot(key, offer, at(1), { hold: { staff_id: annasId }, book: { client: grace } })).id,
    )
    bens = String(
      (await bookSlot(key, offer, at(2), { hold: { staff_id: bensId }, book: { client: alan } })).id,
    )
    desk = await logInNewPerson(service, { email: 'desk@example.com', role: 'front_desk', place })
    anna = await logInNewPerson(service, {
      email: 'anna@example.com',
      role: 'staff',
      staffId: annasId,
      place,
    })
  })
  afterAll(() => service.stop())

  test("books, moves and cancels everybody's appointments, and blocks everybody's time", async () => {
    for (const [index, staff_id] of [annasId, bensId].entries()) {
      const starts_at = at(index + 3)
      const held = await desk.call('POST', '/bookings/hold', { ...offer, staff_id, starts_at })
      const { body } = await desk.call('POST', '/bookings', { hold_id: held.body.hold_id, client: grace })
      expect(body).toMatchObject({ staff: { id: staff_id }, client: grace })
      const path = `/bookings/${body.id}`
      expect(await desk.call('PATCH', path, { notes: 'Window seat' })).toMatchObject({ status: 200 })
      expect(await desk.call('DELETE', path)).toMatchObject({ body: { status: 'cancelled' } })
      const span = { starts_at: '2027-06-01T08:00:00Z', ends_at: '2027-06-01T09:00:00Z' }
      expect(await desk.call('POST', '/blocks', { staff_id, ...span })).toMatchObject({ status: 201 })
    }
  })

  test('finds and blocks clients, but neither exports nor erases them', async () => {
    const { body } = await desk.call('GET', '/clients?q=hopper')
    expect(body.data).toMatchObject([{ email: grace.email, phone: grace.phone }])
    const named = { business_id: business.id, email: 'mallory@example.com' }
    expect(await desk.call('POST', '/clients/block', named)).toMatchObject({ status: 201 })
    expect(await desk.call('DELETE', '/clients/block', named)).toMatchObject({ status: 204 })
    for (const one of ['export', 'erase'])
      expect(await desk.call('POST', `/clients/${one}`, named)).toMatchObject(refusal)
    const page = String((await readConsole(service, `/console/clients/${bens}`, desk)).body)
    expect(page).toContain('alan@example.com')
    expect(page).not.toMatch(/\/(export|erase)/)
  })

  test('changes no price, reads no settings and sees no numbers', async () => {
    const refused = [
      ['PATCH', `/services/${offer.service_id}`, { price: { amount: 1, currency: 'EUR' } }],
      ['GET', `/businesses/${business.id}`, undefined],
      ['GET', '/numbers?from=2026-12-01&to=2026-12-01', undefined],
      ['GET', `/businesses/${business.id}/keys`, undefined],
      ['GET', '/users', undefined],
    ] as const
    for (const [method, path, body] of refused)
      expect(await desk.call(method, path, body)).toMatchObject(refusal)
  })

  const forEveryone = /^\/console\/(?:parts|offline|manifest\.webmanifest|service-worker\.js)$/
  test('every other page and form of the console is for somebody else', async () => {
    const routes = service.app.server.knownRoutes.filter(({ url }) => url.startsWith('/console'))
    const pathOf = (url: string) => url.replace(':id', url.includes('/block/') ? 'new' : annas)
    const pages = routes.filter(({ method, url }) => method === 'GET' && !forEveryone.test(url))
    for (const { url } of pages) {
      const page = await readConsole(service, pathOf(url), desk)
      const isItsOwn = itsPages.includes(url.slice('/console'.length))
      if (/\.(csv|svg)$/.test(url)) expect([url, page.status]).toEqual([url, 303])
      else if (isItsOwn) expect([url, textOf(page)]).not.toEqual([url, expect.stringContaining(notYours)])
      else expect([url, page.status]).toEqual([url, 404])
    }
    const forms = routes.filter(({ method }) => method === 'POST').map(({ url }) => url)
    const others = forms.filter((url) =>
      /^\/console\/(locations|people|users|resources|services|coupons|calendars\/(?!accounts)|developers|settings|website|start\/(?!hide)|new-business)/.test(
        url,
      ),
    )
    expect(others.length).toBeGreaterThan(20)
    const before = await service.rows('audit_entries')
    for (const url of others)
      expect([url, (await sendForm(service, pathOf(url), {}, desk)).status]).toEqual([url, 404])
    expect(await service.rows('audit_entries')).toEqual(before)
  })

  test('is offered its own sections only', async () => {
    const { body } = await readConsole(service, '/console', desk)
    for (const path of ['clients', 'bookings', 'mails']) expect(body).toContain(`href="/console/${path}"`)
    for (const path of ['services', 'people', 'resources', 'website', 'numbers', 'settings', 'developers'])
      expect(body).not.toContain(`href="/console/${path}`)
  })

  test('is a role of businesses and hubs that owners can give', async () => {
    const owner = await logInNewPerson(service, {
      ...{ email: 'owner@example.com', role: 'owner' },
      place: { businessId: business.id },
    })
    const made = await owner.call('POST', '/users', { email: 'new@example.com', role: 'front_desk' })
    expect(made).toMatchObject({ status: 201, body: { role: 'front_desk', staff_id: null } })
    const changed = await owner.call('PATCH', `/users/${made.body.id}`, { role: 'staff' })
    expectErrors(changed, '/staff_id')
    const page = await readConsole(service, '/console/users/new', owner)
    expect(page.body).toContain('<option value="front_desk"')
  })

  test("staff open the card of their own client, and nobody else's", async () => {
    const card = await readConsole(service, `/console/clients/${annas}`, anna)
    expect(textOf(card)).toContain('grace@example.com')
    expect(String(card.body)).not.toMatch(/\/(export|erase)|value="block"|bookings\?client=/)
    expect((await readConsole(service, `/console/bookings/${annas}`, anna)).body).toContain(
      `/console/clients/${annas}`,
    )
    const others = await readConsole(service, `/console/clients/${bens}`, anna)
    expect(others.status).toBe(404)
    expect(String(others.body)).not.toContain('Turing')
    expect((await readConsole(service, '/console/clients', anna)).status).toBe(404)
    const blocked = await sendForm(service, `/console/clients/${annas}`, { action: 'block' }, anna)
    expect(blocked.status).toBe(404)
    expect(await service.rows('blocked_clients')).toEqual([])
  })

  test("staff see the number that their own booking has, not a colleague's", async () => {
    const key = clientOf(service, business.key)
    const client = { ...grace, phone: '+49 99 9999' }
    await bookSlot(key, offer, at(7), { hold: { staff_id: bensId }, book: { client } })
    const text = textOf(await readConsole(service, `/console/clients/${annas}`, anna))
    expect(text).toContain(grace.phone)
    expect(text).not.toContain(client.phone)
  })
})

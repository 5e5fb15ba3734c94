import type { Page } from 'playwright-core'
import { guideGroups } from '../../src/pages/guides.ts'
import { heading, next, writeDetails } from '../support/booking-visit.ts'
import { shownDay, type World } from './world.ts'

/* The pages and their states that the report is about. */

export interface State {
  area: 'Booking' | 'Console' | 'Documents'
  name: string
  /** The route of its page. */
  route: string
  /** True for pages that only people with an account see. */
  isConsole: boolean
  /** True if the person belongs to the whole hub. */
  isOfHub: boolean
  /** Only reads: its walks by keyboard would repeat those of similar pages. */
  isBrief: boolean
  /** A menu is open, which may cover what is below it. */
  hasMenu: boolean
  open(page: Page, world: World): Promise<void>
}

type Step = (page: Page, world: World) => Promise<unknown>

const state =
  (area: State['area'], isConsole = false) =>
  (name: string, route: string, path: string | ((world: World) => string), ...steps: Step[]): State => ({
    ...{ area, name, route, isConsole, isOfHub: false, isBrief: false, hasMenu: false },
    open: async (page, world) => {
      const to = typeof path === 'string' ? path : path(world)
      const reply = await page.goto(to.startsWith('http') ? to : `${world.address}${to}`)
      const status = reply?.status() ?? 200
      const mayBeMissing = name.includes('does not exist')
      if (status !== (mayBeMissing ? 404 : 200)) throw new Error(`${name}: status ${status} at ${to}`)
      for (const step of steps) await step(page, world)
    },
  })

const booking = state('Booking')
const inConsole = state('Console', true)
const gate = state('Console')
const document = state('Documents')

const click = (selector: string) => (page: Page) => page.locator(selector).first().click()
const press = (name: RegExp | string) => (page: Page) => next(page, name)
const title = (name: RegExp | string) => (page: Page) => heading(page, name)
const marked = (page: Page) => page.getByText('Please look at the marked fields.').waitFor()
const fault = (page: Page) => page.getByRole('alert').first().waitFor()

const book = '/book/:publishable_key'
const salon = ({ key }: World) => `/book/${key}`
const toTime: Step[] = [press(/Haircut/), press(/Mitte/), press(/Anyone/), title('When?')]
const pickDay = async (page: Page) => {
  await page.locator('.day.is-free').first().click()
  await page.locator('.time').first().waitFor()
}
let visits = 0
/** Picks another time than the states before it, which hold theirs. */
const pickTime = (page: Page) =>
  page
    .locator('.time')
    .nth(2 * (visits += 1))
    .click()
const toForm: Step[] = [...toTime, pickDay, pickTime, title('Your details')]

const widget: State[] = [
  booking('The first page', '/', '/'),
  booking('Choose a service', book, salon, (page) => page.getByRole('button', { name: /Haircut/ }).waitFor()),
  booking('Choose a location', book, salon, press(/Haircut/), title('Where?')),
  booking('Choose a person', book, salon, press(/Haircut/), press(/Mitte/), title('With whom?')),
  booking('Choose a time', book, salon, ...toTime, pickDay),
  booking('Details of a hold', book, salon, ...toForm),
  booking('Details with faults', book, salon, ...toForm, press('Book now'), marked),
  booking('Confirmation', book, salon, ...toForm, writeDetails, press('Book now'), title(/^Thank you/)),
  booking(
    'The waiting list',
    book,
    ({ key, ids }) => `/book/${key}?service=${ids['room'] ?? ''}&location=${ids['location'] ?? ''}`,
    click('.waiting summary'),
  ),
  booking(
    'The waiting list with faults',
    book,
    ({ key, ids }) => `/book/${key}?service=${ids['room'] ?? ''}&location=${ids['location'] ?? ''}`,
    click('.waiting summary'),
    press('Join the waiting list'),
    marked,
  ),
  booking('A service that does not exist', `${book}/:service`, ({ key }) => `/book/${key}/none`),
  booking('A business that does not exist', book, '/book/none'),
]

const manage = ({ paths }: World) => paths['manage'] ?? ''
const logIn = ({ ids }: World) => `/me/${ids['business'] ?? ''}`
const toLink: Step[] = [
  (page) => page.locator('#contact').fill('ada@example.com'),
  click('form button'),
  (page) => page.locator('[role=status]').waitFor(),
  async (page, { linkToClientPage }) => page.goto(await linkToClientPage()),
]
const clients: State[] = [
  booking(
    'A booking by its link',
    '/manage',
    manage,
    press(/^Move$/),
    title('When?'),
    (page) => page.reload(),
    title(/booked/),
  ),
  booking('Move a booking', '/manage', manage, press(/^Move$/), title('When?'), pickDay),
  booking(
    'Confirm the move',
    '/manage',
    manage,
    press(/^Move$/),
    title('When?'),
    pickDay,
    click('.time'),
    title(/Move to this time/),
  ),
  booking('Cancel a booking', '/manage', manage, press(/^Cancel/), title(/^Cancel this/)),
  booking('A cancelled booking', '/manage', ({ paths }) => paths['ended'] ?? '', title(/cancelled/)),
  booking('A request', '/manage', ({ paths }) => paths['asked'] ?? '', title(/^Requested/)),
  booking('A link that leads nowhere', '/manage', '/manage#cal_man_none', (page) =>
    page.getByRole('heading').first().waitFor(),
  ),
  booking("Log in to the client's page", '/me/:business_id', logIn),
  booking(
    'The same with a fault',
    '/me/:business_id',
    logIn,
    (page) => page.locator('#contact').fill('12'),
    click('form button'),
    (page) => page.locator('#fault').waitFor(),
  ),
  booking('The link was sent', '/me/:business_id', logIn, ...toLink.slice(0, 3)),
  booking("Open the client's page", '/me', logIn, ...toLink),
  booking("The client's page", '/me', logIn, ...toLink, click('button'), (page) =>
    page.locator('.visits').first().waitFor(),
  ),
  booking('Pay in the sandbox', '/sandbox/:reference', ({ paths }) => paths['sandbox'] ?? ''),
  booking('Back from a checkout', '/checkout/:payment_id', ({ paths }) => paths['checkout'] ?? ''),
  booking('A place on the waiting list', '/w/:code', ({ paths }) => paths['waiting'] ?? ''),
  booking('Stop reminders', '/mail/off/:token', ({ paths }) => paths['mailOff'] ?? ''),
  booking('A page that does not exist', '/', '/none'),
]

const day = `date=${shownDay}`
const at = (path: string) => (world: World) =>
  `/console${path.replace(/:(\w+)/g, (_, name: string) => world.ids[name] ?? world.paths[name] ?? '')}`
/** A page of the console by its route, its address and the name of the thing in it. */
const page = (name: string, route: string, path = route, ...steps: Step[]): State =>
  inConsole(name, `/console${route}`, at(path), ...steps)
const bookingPage = (name: string, action: string, id = ':cut', ...steps: Step[]) =>
  page(name, `/bookings/:id${action}`, `/bookings/${id}${action}`, ...steps)
const type = (selector: string, text: string) => (page: Page) => page.locator(selector).fill(text)
const submit = (page: Page) => page.locator('main form button:not([type=button])').last().click()

const schedule: State[] = [
  page('The calendar of a day', '', `?${day}`),
  page('The calendar of a week', '', `?${day}&view=week`),
  page('The calendar as a list', '', `?${day}&view=list`),
  {
    ...page(
      'A booking in the panel of the calendar',
      '',
      `?${day}`,
      click('.cal-col a[id^="b-"], [id^="b-"] a, [id^="b-"]'),
      (page) => page.locator('#panel h1').waitFor(),
    ),
    hasMenu: true,
  },
  { ...page("A person's menu", '', `?${day}`, click('.person > summary')), hasMenu: true },
  page('Book for a client', '/book', `/book?${day}`),
  page(
    'Choose the client of a booking',
    '/book',
    `/book?service=:haircut&location=:location&date=${shownDay}`,
  ),
  page('Block a time', '/block'),
  page('A blocked time', '/block/:id', '/block/:block'),
  page('Time away', '/away', '/away'),
  page(
    'The places of a class',
    '/class',
    `/class?service=:yogaService&who=:clara&start=${shownDay}T10%3A00%3A00.000Z`,
  ),
  page('The day on paper', '/print', `/print?${day}`),
  page('All bookings', '/bookings'),
  page('Search without a result', '/bookings', '/bookings?q=nobody'),
  bookingPage('A booking', ''),
  { ...bookingPage('The menu of a booking', '', ':cut', click('.booking .menu > summary')), hasMenu: true },
  bookingPage('A paid booking', '', ':paid'),
  bookingPage('A booking of several steps', '', ':colour'),
  bookingPage('Cancel a booking', '/cancel'),
  bookingPage('Decline a request', '/answer', ':askedId'),
  bookingPage("Change a booking's client", '/client'),
  bookingPage("Change a booking's details", '/details'),
  bookingPage('Change the person of a booking', '/person'),
  bookingPage('Change the services of a booking', '/services'),
  bookingPage("A booking's link for the client", '/link'),
  bookingPage('Move a booking', '/move'),
  bookingPage('Refund a payment', '/refund', ':paid'),
  bookingPage('Charge a saved card', '/charge', ':charged'),
  bookingPage('Remove a saved card', '/card', ':charged'),
  page('Waive a fee', '/bookings/:id/waive', '/bookings/:owing/waive?payment=:owing'),
  page('Import bookings', '/bookings/import'),
  page('The waiting list', '/waitlist'),
  page('Add to the waiting list', '/waitlist/new'),
]

const people: State[] = [
  page('Clients', '/clients'),
  page('A new client', '/clients/new'),
  page(
    'A new client, with faults',
    '/clients/new',
    '/clients/new',
    type('#first_name', 'Ada'),
    type('#email', 'ada@example'),
    submit,
    fault,
  ),
  page('The card of a client', '/clients/:id', '/clients/:client'),
  page('Change a client', '/clients/:id/edit', '/clients/:client/edit'),
  page('Merge two clients', '/clients/:id/merge', '/clients/:client/merge?q=spare'),
  page('Erase a client', '/clients/:id/erase', '/clients/:client/erase'),
  page('Import clients', '/clients/import'),
  page('The team', '/people'),
  page('A member of the team', '/people/:id', '/people/:anna'),
  page('A new member of the team', '/people/:id', '/people/new'),
  page('User accounts', '/users'),
  page('A user account', '/users/:id', '/users/:user'),
  page('A new user account', '/users/new'),
  page(
    'A new user account, with faults',
    '/users/new',
    '/users/new',
    type('#email', 'x@example.com'),
    (page) => page.locator('#role').selectOption('staff'),
    submit,
    fault,
  ),
]

const offered: State[] = [
  page('Services', '/services'),
  page('A service', '/services/:id', '/services/:haircut'),
  page('A new service, all parts open', '/services/:id', '/services/new', (page) =>
    page.evaluate('document.querySelectorAll("main details").forEach((one) => { one.open = true })'),
  ),
  page(
    'A new service, with faults',
    '/services/:id',
    '/services/new',
    type('#name', 'X'),
    type('#duration_minutes', '4000'),
    submit,
    fault,
  ),
  page('Rooms and equipment', '/resources'),
  page('A room', '/resources/:id', '/resources/:spare_resource_id'),
  page('Coupons', '/coupons'),
  page('A coupon', '/coupons/:id', '/coupons/:coupon'),
  page('A new coupon, with faults', '/coupons/:id', '/coupons/new', type('#code', 'X'), submit, fault),
  page('A location', '/locations/:id', '/locations/:location'),
  page('Holidays', '/locations/:id/holidays', '/locations/:location/holidays'),
]

const running: State[] = [
  page('Payments', '/payments'),
  page("The business's Stripe account", '/payments/stripe'),
  page('Numbers', '/numbers', '/numbers?from=2026-11-01&to=2026-11-30'),
  page('Settings', '/settings'),
  page('The booking page', '/website'),
  page('Messages', '/mails'),
  page("The business's mail server", '/mails/server'),
  page('Calendars', '/calendars'),
  page('A new calendar account', '/calendars/accounts/new'),
  page('A calendar account', '/calendars/accounts/:id', '/calendars/accounts/:calendar_account_id'),
  page('A new busy calendar', '/calendars/busy/new'),
  page('A new feed', '/calendars/feeds/new'),
  page('Keys and webhooks', '/developers'),
  page('Events', '/developers/events'),
  page('A key', '/developers/keys/:id', '/developers/keys/:key_id'),
  page('A new key', '/developers/keys/new'),
  page('A webhook', '/developers/webhooks/:id', '/developers/webhooks/:webhook_id'),
  page('The audit log', '/audit'),
  page('Set up: hours', '/start/hours'),
  page('Set up: holidays', '/start/holidays'),
  page('Set up: services', '/start/service'),
  page('Set up: people', '/start/people'),
  page('Set up: booking page', '/start/page'),
]

const accounts: State[] = [
  page("A person's account", '/account'),
  page('Invitations', '/invitations'),
  { ...page('Businesses', '/businesses'), isOfHub: true },
  { ...page('A new business', '/new-business'), isOfHub: true },
  inConsole('A program asks for access', '/console/authorize', ({ paths }) => paths['authorize'] ?? ''),
  page('A page that does not exist', '', '/none'),
  page('All parts of the console', '/parts'),
  page('Without a connection', '/offline'),
  gate('Log in', '/console/login', '/console'),
  gate('Log in, with a fault', '/console/login', '/console', async (page) => {
    await page.getByLabel('Email').fill('owner@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByLabel('Password').press('Enter')
    await fault(page)
  }),
  gate('Forgotten password', '/console/forgotten', '/console/forgotten'),
  gate('Set a password', '/console/link', ({ paths }) => paths['link'] ?? ''),
  gate('The code of the second step', '/console/code', '/console/code'),
  gate('Prove an email address', '/console/email', '/console/email#cal_eml_none'),
  gate('The first owner', '/console/first', ({ firstUrl }) => firstUrl),
  gate('Answer a request by its link', '/requests/:token', ({ paths }) => paths['request'] ?? ''),
]

const guides = guideGroups()
  .flatMap((group) => group.guides)
  .map(({ name, title }, index) => ({
    ...document(`Guide: ${title}`, '/guides/:name', `/guides/${name}`),
    isBrief: index > 1,
  }))

const documents: State[] = [
  document('The guides', '/guides', '/guides'),
  ...guides,
  { ...document('The API reference', '/docs', '/docs'), isBrief: true },
  document('Error codes', '/problems', '/problems'),
  document('An error code', '/problems/:code', '/problems/hold_expired'),
  document('A page that embeds the widget', '/embed', ({ key }) => `/embed?key=${key}`),
]

/** Every state of the report. */
export const states: State[] = [
  ...widget,
  ...clients,
  ...schedule,
  ...people,
  ...offered,
  ...running,
  ...accounts,
  ...documents,
]

/** Routes that answer with something other than a page of their own, and why. */
export const withoutPage: Record<string, string> = {
  '/console/calendar': 'a redirect',
  '/console/oidc': 'a redirect',
  '/console/oidc/start': 'a redirect',
  '/console/calendars/google': 'a redirect',
  '/console/calendars/google/start': 'a redirect',
  '/console/calendars/microsoft': 'a redirect',
  '/console/calendars/microsoft/start': 'a redirect',
  '/console/mails/preview': 'an email, in a frame without scripts',
  '/console/away/:id': 'the page of a new time away, filled in',
  '/m/:code': 'a redirect',
  '/book/:publishable_key/start': 'data of the widget',
  '/me/:business_id/bookings.json': 'a file',
  '/me/:business_id/state': 'data of the widget',
  '/feeds/:file': 'a file',
  '/images/:digest': 'a file',
  '/guides/images/:file': 'a file',
  '/docs/:file': 'a file',
  '/widget/:file': 'a file',
  '/llms.txt': 'a file',
  '/llms-full.txt': 'a file',
  '/healthz': 'data',
  '/readyz': 'data',
  '/metrics': 'data',
}

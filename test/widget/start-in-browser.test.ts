/** @module-tag long */
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/catalogue/business-keys.ts'
import { misfitsIn, violationsIn, violationsNow } from '../support/accessibility.ts'
import { heading, holdBack, next, writeDetails } from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  type Visitor,
  type VisitorOptions,
  type Website,
} from '../support/browser.ts'
import { longTest, testFirstOf } from '../support/long.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The widget's start: one request, and a session only for visitors who continue. */

/** A green picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const pictures = 'https://pictures.example'
const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 800 }
const phoneFirst = [
  ['phone', phone],
  ['desk', desk],
] as const

describe.skipIf(chromiumPath === undefined)('the start of the widget', () => {
  let service: TestService
  let address: string
  let website: Website
  let embedding = ''
  const visits = startVisits({ pages: () => ({ '/': embedding }), hosts: [pictures] })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })
  afterEach(() => {
    service.clock.advance(5) // the first times stay the same for this long
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const idOf = (kind: 'services' | 'locations' | 'staff', name: string) =>
    salon()[kind].find((thing) => thing.name === name)?.id ?? ''
  const visitorOf = async (options: VisitorOptions = {}) => {
    const visitor = await visits.visitor(options)
    await visitor.page.route(`${pictures}/**`, (route) =>
      route.request().url().endsWith('missing.png')
        ? route.fulfill({ status: 404 })
        : route.fulfill({ contentType: 'image/png', body: picture }),
    )
    return visitor
  }
  const visit = async (path = '', options: VisitorOptions = {}) => {
    const visitor = await visitorOf(options)
    await visitor.page.goto(`${address}/book/${salon().publishable_key}${path}`)
    return visitor
  }
  const asked = ({ requests }: Visitor) =>
    requests
      .map(({ method, address: to }) => `${method} ${new URL(to).pathname}`)
      .filter((one) => /\/api\/v1\/|\/start$/.test(one))
      .map((one) => one.replace(salon().publishable_key, 'key').replace('/api/v1', ''))
  const haircut = () => `/haircut?location=${idOf('locations', 'Mitte')}&staff=anna`
  const firstTime = (page: Page) => page.locator('.next-free button').first()
  const day = (page: Page, date: string) => page.locator(`.day.is-free[data-date="${date}"]`)

  test('the page carries what can be booked and first times; the session comes with the first hold', async () => {
    const visitor = await visit(haircut())
    const { page } = visitor
    await firstTime(page).waitFor()
    await page.locator('.time').first().waitFor()
    await day(page, '2026-11-24').waitFor()
    expect(asked(visitor)).toEqual([])
    await firstTime(page).click()
    await heading(page, 'Your details')
    expect(asked(visitor)).toEqual(['POST /session', 'POST /bookings/hold'])
    await writeDetails(page)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
  })

  test('who chooses step by step needs no session either, until they want another day or month', async () => {
    const visitor = await visit()
    const { page } = visitor
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await firstTime(page).waitFor()
    expect(asked(visitor)).toEqual(['GET /book/key/start'])
    await day(page, '2026-11-26').click()
    await page.getByRole('heading', { name: /Times on Thursday,? 26 November 2026/ }).waitFor()
    expect(asked(visitor).slice(1)).toEqual(['POST /session', 'GET /availability'])
    await next(page, 'Next month')
    await day(page, '2026-12-01').click()
    await page.locator('.time').first().waitFor()
    expect(asked(visitor).filter((one) => one === 'POST /session')).toHaveLength(1)
  })

  test('a time chosen while the month is still being read is held', async () => {
    const { page } = await visit(haircut())
    await day(page, '2026-11-27').click()
    await page.getByRole('heading', { name: /Times on Friday,? 27 November 2026/ }).waitFor()
    const release = await holdBack(page, '**/api/v1/availability*')
    const reading = page.waitForRequest('**/api/v1/availability*')
    await page.reload()
    await reading
    await firstTime(page).click()
    await heading(page, 'Your details')
    release()
    await page.goBack()
    await day(page, '2026-11-27').waitFor()
  })

  longTest('in Japanese the name of the family is asked first', async () => {
    for (const [locale, first, time] of [
      ['ja-JP', 'family-name', 3],
      ['tr-TR', 'given-name', 5],
    ] as const) {
      const { page } = await visit(haircut(), { locale })
      await page.locator('.time').nth(time).click()
      const fields = page.locator('form input')
      await fields.first().waitFor()
      expect(await fields.first().getAttribute('autocomplete')).toBe(first)
    }
  })

  test('one session serves the tab; another tab and another key have their own', async () => {
    const visitor = await visit(haircut())
    const { page, context } = visitor
    await day(page, '2026-11-27').click()
    await page.getByRole('heading', { name: /Times on Friday,? 27 November 2026/ }).waitFor()
    await page.reload()
    await day(page, '2026-11-28').click()
    await page.getByRole('heading', { name: /Times on Saturday,? 28 November 2026/ }).waitFor()
    const exchanges = () => asked(visitor).filter((one) => one === 'POST /session').length
    expect(exchanges()).toBe(1)
    // one that the service does not accept
    await page.evaluate(`{
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('holdfast:session:'))
      const kept = JSON.parse(sessionStorage.getItem(key))
      sessionStorage.setItem(key, JSON.stringify({ ...kept, session_token: 'cal_ses_' + 'x'.repeat(38) }))
    }`)
    await page.reload()
    await firstTime(page).waitFor()
    await firstTime(page).click()
    await heading(page, 'Your details')
    expect(exchanges()).toBe(2)
    const other = await context.newPage()
    await other.goto(`${address}/book/${businessOf(service.world, 'Thames Barbers').publishable_key}`)
    await other.locator('.option').first().waitFor()
    expect(await other.evaluate('sessionStorage.length')).toBe(0)
  })

  test('works on the websites of the key, within three requests, and tells others that it is not set up', async () => {
    const made = async (origin: string) =>
      (
        await createKey(service.context, {
          ...{ type: 'publishable', businessId: salon().id },
          allowedOrigins: [origin],
        })
      ).key
    const open = async (key: string) => {
      embedding = `<!doctype html><html lang="en"><head><title>A website</title><meta name="viewport" content="width=device-width">
        <script type="module" src="${address}/widget/v1.js"></script></head><body><main><h1>A website</h1>
        <holdfast-booking publishable-key="${key}" service-id="${idOf('services', 'Haircut')}" location-id="${idOf('locations', 'Mitte')}" staff-id="anyone" style="display: block; min-height: 800px"><a href="${address}/book/${key}">Book an appointment</a></holdfast-booking></main></body></html>`
      const visitor = await visitorOf(desk)
      const warned: string[] = []
      visitor.page.on('console', (message) => message.type() === 'warning' && warned.push(message.text()))
      await visitor.page.goto(website.address)
      return { ...visitor, warned }
    }
    const visitor = await open(await made(website.address))
    await visitor.page.locator('.time').first().waitFor()
    expect(asked(visitor).length).toBeLessThanOrEqual(3)
    expect(asked(visitor).filter((one) => one.startsWith('OPTIONS'))).toEqual([])
    await firstTime(visitor.page).click()
    await heading(visitor.page, 'Your details')
    const stranger = await open(await made('https://elsewhere.example'))
    await stranger.page.getByText('This booking form is not set up correctly.').waitFor()
    const box = await stranger.page.locator('holdfast-booking').boundingBox()
    expect(box?.height).toBeLessThan(300)
    expect(stranger.warned).toEqual(['Holdfast: origin_not_allowed'])
    await stranger.page.getByRole('link', { name: 'Book an appointment' }).click()
    await heading(stranger.page, 'What would you like to book?')
    expect(visitor.warned).toEqual([])
  })

  longTest('without an answer, or with too many requests, there is a sentence and a way on', async () => {
    const { page } = await visitorOf(phone)
    embedding = `<!doctype html><html lang="en"><head><title>A website</title><script type="module" src="${address}/widget/v1.js"></script></head>
      <body><holdfast-booking publishable-key="${salon().publishable_key}"></holdfast-booking></body></html>`
    let answers = 0
    await page.route('**/start*', (route) => {
      answers += 1
      return answers <= 2 ? route.abort() : route.continue()
    })
    await page.goto(website.address)
    await page.getByText('No connection just now.').waitFor()
    await next(page, 'Try again')
    await heading(page, 'What would you like to book?')
    expect(answers).toBe(3)
  })

  testFirstOf([
    ['desk', desk],
    ['phone', phone],
  ])(
    'until its script is there, the page tells what can be booked, in the language of the visitor (%s)',
    async (size, options) => {
      const { page } = await visitorOf({ ...options, locale: 'de-DE' })
      const release = await holdBack(page, '**/widget/v1.js')
      await page.goto(`${address}/book/${salon().publishable_key}`, { waitUntil: 'commit' })
      for (const text of ['Suchen Sie sich eine Zeit aus', 'Consultation'])
        await page.locator('holdfast-booking', { hasText: text }).waitFor()
      await keepScreenshot(page, `start-meanwhile-${size}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await violationsNow(page)).toEqual([])
      release()
      await heading(page, 'Was möchten Sie buchen?')
      expect(await page.getByText('Suchen Sie sich eine Zeit aus').isVisible()).toBe(false)
    },
  )

  test('the first paint of the page waits for nothing, and the first step for its script and language alone', async () => {
    const visitor = await visit(haircut(), { locale: 'de-DE' })
    await firstTime(visitor.page).waitFor()
    const files = visitor.requests.map(({ address: to }) => new URL(to).pathname).slice(1)
    expect(files.filter((file) => file.endsWith('.css'))).toEqual([])
    expect(files[0]).toBe('/widget/v1.js')
    expect(files[1]).toMatch(/^\/widget\/de-/)
  })

  test('a link presets the day; one that is past is ignored', async () => {
    const visitor = await visit(`${haircut()}&date=2026-12-03`, phone)
    await visitor.page.getByRole('heading', { name: /Times on Thursday,? 3 December 2026/ }).waitFor()
    const late = await visit(`${haircut()}&date=2026-11-02`, phone)
    await late.page.locator('.day.is-chosen').waitFor()
    expect(asked(late)).toEqual([])
  })

  test('a link to a time holds it at once, and shows the times of the day if somebody was faster', async () => {
    const cut = `/haircut?location=${idOf('locations', 'Mitte')}`
    const startsAt = '2026-12-03T10:00:00.000Z'
    const link = `${cut}&staff=anna&date=2026-12-03&time=${encodeURIComponent(startsAt)}`
    const first = await visit(`${link}#first_name=Ada&last_name=Lovelace&email=ada%40example.com`, phone)
    await heading(first.page, 'Your details')
    expect(await first.page.locator('.summary').innerText()).toMatch(/3 Dec[^]*11:00/)
    expect(await first.page.getByLabel('First name').inputValue()).toBe('Ada')
    expect(await violationsIn(first.page)).toEqual([])

    const second = await visit(link, phone)
    await second.page.getByText('Sorry, somebody else was a moment quicker.').waitFor()
    await second.page.getByRole('heading', { name: /Times on Thursday,? 3 December 2026/ }).waitFor()
    expect(await violationsIn(second.page)).toEqual([])
    // a reload does not try again, and the back button of the first visitor leads to the times
    await second.page.reload()
    await second.page.getByRole('heading', { name: /Times on Thursday,? 3 December 2026/ }).waitFor()
    await first.page.goBack()
    await first.page.getByRole('heading', { name: /Times on Thursday,? 3 December 2026/ }).waitFor()

    const anyone = await visit(`${cut}&staff=anyone&date=2026-12-03&time=2026-12-03T11:00:00Z`, desk)
    await heading(anyone.page, 'Your details')
    const over = await visit(`${cut}&staff=anyone&date=2026-11-02&time=2026-11-02T11:00:00Z`, desk)
    await over.page.getByText('Sorry, this time can no longer be booked.').waitFor()
    const odd = await visit(`${cut}&staff=anyone&date=2026-12-03&time=soon`, desk)
    await odd.page.getByRole('heading', { name: /Times on Thursday,? 3 December 2026/ }).waitFor()

    const page = await service.call('GET', `//book/${salon().publishable_key}${link}`)
    expect(page.body).toMatch(/<li>Thu,? 3 Dec, 11:00<\/li>/)
    expect(page.body).toContain('Booking needs JavaScript.')
  })

  testFirstOf(phoneFirst)(
    'categories, texts and pictures are shown in their order, and a missing picture leaves no gap (%s)',
    async (size, options) => {
      const change = async (path: string, body: object) => {
        const reply = await service.call('PATCH', path, { token: salon().business_key, body })
        expect(reply.status).toBe(200)
      }
      const of = (name: string) => `/services/${idOf('services', name)}`
      await change(of('Yoga class'), {
        position: 1,
        category: 'Body',
        description: 'Eight people, one hour, mats are there.',
        image_url: `${pictures}/yoga.png`,
      })
      await change(of('Haircut'), { position: 2, category: 'Hair', image_url: `${pictures}/missing.png` })
      await change(`/staff/${idOf('staff', 'Anna Weber')}`, {
        description: 'Curls and colour.',
        image_url: `${pictures}/anna.png`,
      })
      service.clock.advance(5)
      const { page } = await visit('', options)
      await page.locator('h3').first().waitFor()
      expect(await page.locator('h3').allTextContents()).toEqual([
        'Body',
        'Hair',
        'Hair and care',
        'Classes and rooms',
      ])
      await expect.poll(() => page.locator('.option img').count()).toBe(1)
      const shown = page.locator('.option img')
      expect(await shown.getAttribute('alt')).toBe('')
      expect(await shown.getAttribute('loading')).toBe('lazy')
      await keepScreenshot(page, `start-services-${size}`)
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
      await next(page, /Haircut/)
      await next(page, /Mitte/)
      await page.getByText('Curls and colour.').waitFor()
      await page.locator('.option img').waitFor()
      await keepScreenshot(page, `start-people-${size}`)
      expect(await violationsIn(page)).toEqual([])
    },
  )

  testFirstOf(phoneFirst)(
    'a long description is cut, and shown whole where one wants it, also by a link to the service (%s)',
    async (size, options) => {
      const { business_key: token, locations } = salon()
      const made = await service.call('POST', '/services', {
        token,
        body: {
          name: 'Wedding styling',
          description: `${'We talk about your wishes and try two ways to wear your hair. '.repeat(8)}\nBring the veil.`,
          duration_minutes: 60,
          location_ids: [locations[0]?.id],
        },
      })
      expect(made.status).toBe(201)
      service.clock.advance(5)
      for (const path of ['', `?service=${String(made.body.id)}`]) {
        const { page } = await visit(path, options)
        const text = page.locator('.description', { hasText: 'Bring the veil.' })
        await text.waitFor()
        const height = async () => (await text.boundingBox())?.height ?? 0
        const cut = await height()
        const more = page.getByRole('button', { name: 'Read more' })
        expect(await more.count()).toBe(1) // nothing else is cut off
        await keepScreenshot(page, `description-cut-${size}-${path.length}`)
        await more.click()
        await page.getByRole('button', { name: 'Show less' }).waitFor()
        expect(await height()).toBeGreaterThan(1.5 * cut)
        await keepScreenshot(page, `description-whole-${size}-${path.length}`)
        expect(await misfitsIn(page)).toEqual([])
        expect(await violationsIn(page)).toEqual([])
      }
      await service.call('DELETE', `/services/${String(made.body.id)}`, { token })
    },
  )

  testFirstOf(phoneFirst)(
    'first times stand above the grid, which begins at this week near the end of a month (%s)',
    async (size, options) => {
      const { page } = await visit(haircut(), options)
      await page.getByRole('group', { name: 'Next free:' }).waitFor()
      expect(await page.locator('.next-free button').count()).toBeGreaterThan(1)
      const before = page.locator('.day[data-date="2026-11-10"]')
      expect(await before.isVisible()).toBe(false)
      expect(await page.locator('.day[data-date="2026-11-30"]').isVisible()).toBe(true)
      await keepScreenshot(page, `start-times-${size}`)
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
    },
  )
})

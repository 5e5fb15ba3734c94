/** @module-tag long */
import { beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { apiRequests, heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, keepScreenshot, type VisitorOptions, type Website } from '../support/browser.ts'
import { longTest, rounds } from '../support/long.ts'
import { randomFrom } from '../support/random.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/*
 * The widget on a foreign page, with a different origin from the service's and a strict policy. The tests of the hosted
 * page cover its use of the database, on both engines.
 */

describe.skipIf(chromiumPath === undefined)('the widget on a website', () => {
  let service: TestService
  let address: string
  let website: Website
  let pages: Record<string, string> = {}
  const visits = startVisits({
    pages: () => pages,
    headers: (at) => ({
      'content-security-policy': `default-src 'none'; script-src ${at}; connect-src ${at}; img-src ${at}; base-uri 'none'; form-action 'none'`,
    }),
  })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const business = (name = 'Thames Barbers') => businessOf(service.world, name)
  const idOf = (kind: 'services' | 'locations', name: string, of = business()) =>
    of[kind].find((thing) => thing.name === name)?.id ?? ''
  const pageWith = (body: string) =>
    `<!doctype html><html lang="en"><head><title>A website</title><meta name="viewport" content="width=device-width">
     <script type="module" src="${address}/widget/v1.js"></script></head><body><main><h1>A website</h1>${body}</main></body></html>`
  const element = (attributes = '', of = business()) =>
    `<holdfast-booking publishable-key="${of.publishable_key}" ${attributes}></holdfast-booking>`
  const preselected = () =>
    `service-id="${idOf('services', 'Meeting room')}" location-id="${idOf('locations', 'Southwark')}"`
  const visit = async (body: string, options: VisitorOptions = {}) => {
    pages = { '/': pageWith(body) }
    const visitor = await visits.visitor({ timezoneId: 'Europe/London', ...options })
    await visitor.page.goto(website.address)
    return visitor
  }
  test('works under a strict policy, asks no other host, leaves no global name, and tells what happens', async () => {
    const visitor = await visit(element(preselected()))
    const { page } = visitor
    const names = `Object.getOwnPropertyNames(window).filter((name) => !/^(__playwright|__pw|axe)/.test(name)).sort().join()`
    await heading(page, 'When?')
    await page.locator('.day.is-free').first().waitFor()
    expect(apiRequests(visitor).length).toBeLessThanOrEqual(5)
    const withWidget = await page.evaluate(names)
    pages['/bare'] = '<!doctype html><html lang="en"><title>Bare</title>'
    const bare = await visits.visitor()
    await bare.page.goto(`${website.address}/bare`)
    expect(withWidget).toBe(await bare.page.evaluate(names))
    await page.evaluate(`{
      const told = (document.body.dataset)
      for (const name of ['held', 'booked', 'error']) {
        document.addEventListener('holdfast:' + name, (event) => { told[name] = JSON.stringify(event.detail) })
      }
    }`)
    await toDetails(page, '2026-11-24', '10:00')
    await writeDetails(page)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    const told = await page.evaluate<Partial<Record<string, string>>>('({ ...document.body.dataset })')
    expect(JSON.parse(told['held'] ?? '{}')).toMatchObject({
      hold: { starts_at: '2026-11-24T10:00:00+00:00' },
    })
    expect(JSON.parse(told['booked'] ?? '{}')).toMatchObject({ booking: { status: 'confirmed' } })
    expect(told['error']).toBeUndefined()
  })

  longTest('two widgets on a page do not disturb each other', async () => {
    const { page } = await visit(
      `${element(preselected())}${element('locale="de"', business('Lotus Clinic'))}`,
    )
    const [first, second] = [page.locator('holdfast-booking').nth(0), page.locator('holdfast-booking').nth(1)]
    await second.getByRole('button', { name: /Haircut/ }).waitFor()
    await first.locator('.day.is-free[data-date="2026-11-25"]').click()
    await first.locator('.time').first().click()
    await first.getByRole('heading', { name: 'Your details' }).waitFor()
    await second.getByRole('button', { name: /Haircut/ }).click()
    await second.getByRole('heading', { name: 'Wo?' }).waitFor()
    await first.getByText('Held for you').waitFor()
    expect(await violationsIn(page)).toEqual([])
  })

  test('a button opens it over the page; closing it gives the slot and the focus back', async () => {
    const key = business().publishable_key
    const { page } = await visit(
      `<button data-holdfast-open="${key}" data-service-id="${idOf('services', 'Meeting room')}" data-location-id="${idOf('locations', 'Southwark')}">Book a room</button>`,
    )
    await page.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await next(page, 'Book a room')
    await page.getByRole('dialog').waitFor()
    await toDetails(page, '2026-11-26', '10:00')
    await keepScreenshot(page, 'overlay')
    expect(await violationsIn(page)).toEqual([])
    const active = async () =>
      (await service.rows('claims')).filter(
        ({ booked_at, ended_at }) => booked_at === null && ended_at === null,
      ).length
    const before = await active()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(active).toBe(before - 1)
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Book a room')
  })

  longTest('names with markup and of 200 characters are shown as text, within their boxes', async () => {
    const salon = business('Salon Spree')
    const token = salon.business_key
    const location_id = idOf('locations', 'Mitte', salon)
    const create = (path: string, body: object) => service.call('POST', path, { token, body })
    const markup = '<img src=x onerror=alert(1)>'
    for (const name of [markup, 'W'.repeat(200), 'a word '.repeat(28) + 'end']) {
      const staff = await create('/staff', { name })
      const other = await create('/staff', { name: `${name.slice(0, 190)} too` })
      expect([staff.status, other.status]).toEqual([201, 201])
      const made = await create('/services', {
        name,
        description: name,
        duration_minutes: 30,
        location_ids: [location_id],
        staff_ids: [staff.body.id, other.body.id],
      })
      expect(made.status).toBe(201)
    }
    for (const name of [markup, 'W'.repeat(200)]) {
      const { page } = await visit(element('', salon), { timezoneId: 'Europe/Berlin' })
      const expectFits = async () => {
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          expect(await misfitsIn(page), `at ${width} pixels`).toEqual([])
        }
      }
      const named = page.locator('.option', { has: page.locator('.option-name', { hasText: name }) })
      await named.first().waitFor()
      await expectFits()
      await named.first().click()
      await heading(page, 'With whom?')
      await expectFits()
      await named.first().click()
      await toDetails(page, '2026-11-25', ':')
      await keepScreenshot(page, 'long-names')
      await expectFits()
      expect(await page.locator('img[src="x"]').count()).toBe(0)
    }
  })

  longTest('random brand colours can be read, by day and by night', async () => {
    const random = randomFrom(1)
    const salon = business('Salon Spree')
    const { page } = await visit('')
    await page.evaluate(`{
      document.documentElement.style.colorScheme = 'light dark'
      document.body.style.background = 'Canvas'
    }`)
    const attributes = {
      'publishable-key': salon.publishable_key,
      'service-id': idOf('services', 'Meeting room', salon),
      'location-id': idOf('locations', 'Mitte', salon),
    }
    for (let count = 1; count <= rounds(4, 100); count += 1) {
      const brand_color = `#${random.below(0x1000000).toString(16).padStart(6, '0')}`
      const changed = await service.call('PATCH', `/businesses/${salon.id}`, {
        token: salon.business_key,
        body: { brand_color },
      })
      expect(changed.status).toBe(200)
      const exchange = page.waitForResponse((response) => response.url().includes('/start'))
      await page.evaluate(`{
        const element = document.createElement('holdfast-booking')
        for (const [name, value] of Object.entries(${JSON.stringify(attributes)})) element.setAttribute(name, value)
        document.querySelector('main').append(element)
      }`)
      await exchange
    }
    for (const widget of await page.locator('holdfast-booking').all()) {
      await widget.locator('.time').first().waitFor()
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `brands-${colorScheme}`)
      expect(await violationsIn(page, ['color-contrast'])).toEqual([])
    }
  })

  test('waits where a limit asks for it, and says so', async () => {
    const { page } = await visit(element(preselected()))
    let refusals = 0
    await page.route('**/api/v1/bookings/hold', (route) => {
      if (route.request().method() !== 'POST' || refusals > 0) return route.continue()
      refusals += 1
      const headers = {
        'content-type': 'application/problem+json',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Retry-After',
        'retry-after': '60',
      }
      return route.fulfill({ status: 429, headers, body: '{"code":"rate_limited","status":429}' })
    })
    await page.locator('.day.is-free[data-date="2026-11-28"]').click()
    await page.locator('.time').first().click()
    await page
      .getByText(/Retrying in \d+ second/)
      .first()
      .waitFor()
    await page.clock.fastForward(60_000)
    await heading(page, 'Your details')
    expect(refusals).toBe(1)
  })

  longTest('without a network there is a sentence and a button, and nothing is lost', async () => {
    const { page, context, requests } = await visit(element(preselected()))
    await toDetails(page, '2026-11-28', '12:00')
    await writeDetails(page)
    await context.setOffline(true)
    await next(page, 'Book now')
    await page.getByText('No connection just now.').waitFor()
    expect(await violationsIn(page)).toEqual([])
    await context.setOffline(false)
    await next(page, 'Try again')
    await heading(page, 'Thank you, Ada!')
    const tries = requests.filter(
      ({ method, address: to }) => method === 'POST' && to.endsWith('/api/v1/bookings'),
    )
    expect(new Set(tries.slice(0, 2).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  longTest('on a slow network the shape of what comes is there, and nothing can be done twice', async () => {
    const { page, context } = await visit('')
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 300,
      downloadThroughput: 50_000,
      uploadThroughput: 20_000,
    })
    pages['/'] = pageWith(element(preselected()))
    const come = Promise.withResolvers<undefined>()
    await page.route('**/start*', async (route) => {
      await come.promise
      await route.continue()
    })
    await page.goto(website.address)
    await page.locator('.skeleton').waitFor()
    come.resolve(undefined)
    const before = (await service.rows('claims')).length
    await page.locator('.day.is-free[data-date="2026-11-28"]').click()
    await page.locator('.time', { hasText: '13:00' }).dblclick()
    await heading(page, 'Your details')
    expect(await service.rows('claims')).toHaveLength(before + 1)
  })

  test('an unknown key is told in a sentence, and to the page', async () => {
    const { page } = await visit(
      `<holdfast-booking publishable-key="cal_pub_${'x'.repeat(38)}"></holdfast-booking>`,
    )
    await page.getByText('This booking form is not set up correctly.').waitFor()
    expect(await violationsIn(page)).toEqual([])
  })
})

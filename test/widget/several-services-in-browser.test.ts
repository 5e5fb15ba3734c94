/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  expectFocus,
  expectSound,
  heading,
  next,
  tabTo,
  toDetails,
  writeDetails,
} from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  openVisitor,
  serveWebsite,
  sharedBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* Several services in one visit, in the widget, on the booking page and on the manage page. */

describe.skipIf(chromiumPath === undefined)('several services', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let balayage = ''
  const visitors: Visitor[] = []
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const basin = await create('/resources', { location_id: mitte(), name: 'Basin', quantity: 1 })
    balayage = await create('/services', {
      name: 'Balayage',
      slug: 'balayage',
      location_ids: [mitte()],
      staff_ids: [staff('Anna Weber'), staff('Ben Fischer')],
      slot_interval_minutes: 15,
      price: { amount: 6_000, currency: 'EUR' },
      steps: [
        { minutes: 30, staffed: true },
        { minutes: 30, staffed: false },
        { minutes: 30, staffed: true },
      ],
      needs: [{ resource_ids: [basin] }],
      terms: [{ staff_id: staff('Ben Fischer'), price: { amount: 4_500, currency: 'EUR' } }],
      custom_fields: [{ key: 'allergies', label: 'Any allergies?', type: 'text', required: true }],
    })
    service.clock.advance(6) // after the cache of the catalogue has expired
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(() => service.stop())

  const salon = () => businessOf(service.world, 'Salon Spree')
  const mitte = () => salon().locations.find(({ name }) => name === 'Mitte')?.id ?? ''
  const staff = (name: string) => salon().staff.find((one) => one.name === name)?.id ?? ''
  const create = async (path: string, body: object) => {
    const made = await service.call('POST', path, { token: salon().business_key, body })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return String(made.body.id)
  }
  const visit = async (path = '', options: VisitorOptions = {}) => {
    const visitor = await openVisitor(browser, { width: 390, height: 844, ...options })
    visitors.push(visitor)
    await visitor.page.goto(`${address}/book/salon-spree${path}`)
    return visitor
  }
  /** Returns the queries of the page's requests for times, as they are sent. */
  const searchesOf = (page: Page) => {
    const searches: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (/\/(start|availability)$/.test(pathname)) searches.push(decodeURIComponent(search))
    })
    return searches
  }
  const basket = async (page: Page) =>
    (await page.locator('.basket li .basket-text').allTextContents()).map((text) => text.trim())
  const total = (page: Page) => page.locator('.basket-total').textContent()
  const latest = async (name: string) => {
    const all = await service.call('GET', '/bookings?limit=100', { token: salon().business_key })
    const found = (all.body.data as { client: { first_name: string } }[]).filter(
      ({ client }) => client.first_name === name,
    )
    expect(found).toHaveLength(1)
    return found[0]
  }

  test('a cut and a colour with anyone take six taps, are booked together and can be moved', async () => {
    const { page } = await visit()
    const searches = searchesOf(page)
    let taps = 0
    const tap = async (name: RegExp | string) => {
      await next(page, name)
      taps += 1
    }
    await tap(/Haircut/)
    await tap(/Mitte/)
    await tap(/Anyone/)
    await heading(page, 'When?')
    await page.locator('.time').first().waitFor()
    // one service is asked for as ever
    expect(searches.filter((one) => one.includes('items='))).toEqual([])
    expect(searches.length).toBeGreaterThan(0)
    await expectSound(page, 'visit-1-one')
    await tap('Add another service')
    await heading(page, 'What would you like to add?')
    await expectFocus(page, /^What would you like to add/)
    expect(await page.locator('.option-name').allTextContents()).not.toContain('Haircut')
    await expectSound(page, 'visit-2-more')
    await tap(/Balayage/)
    await heading(page, 'When?')
    await page.locator('.time').first().waitFor()
    expect(taps).toBeLessThanOrEqual(6)
    expect((await basket(page)).map((text) => text.replace(/\d.*/, ''))).toEqual(['Haircut', 'Balayage'])
    expect(await total(page)).toMatch(/^In total.*from €/)
    await expectSound(page, 'visit-3-times')
    await page.setViewportSize({ width: 1280, height: 900 })
    await keepScreenshot(page, 'visit-3-times-wide')
    await page.setViewportSize({ width: 390, height: 844 })
    await toDetails(page, '2026-11-27', '10:00')
    const summary = (await page.locator('.summary').textContent()) ?? ''
    expect(summary).toMatch(/Haircut10:00 – 10:\d\d · (Anna Weber|Ben Fischer)Balayage10:\d\d – 12:\d\d · /)
    await expectSound(page, 'visit-4-details')
    await writeDetails(page)
    await page.getByLabel('First name').fill('Cleo')
    await next(page, 'Book now')
    await page.getByText('Please fill this in.').first().waitFor()
    await page.getByLabel('Any allergies?').fill('None')
    await next(page, 'Book now')
    await heading(page, 'Thank you, Cleo!')
    expect(await page.locator('.summary').textContent()).toMatch(/Haircut.*Balayage.*· /)
    await expectSound(page, 'visit-5-done')
    expect(await latest('Cleo')).toMatchObject({ items: [{}, { service: { id: balayage } }] })
    // on the manage page
    await page.getByRole('link', { name: 'Move or cancel' }).click()
    await heading(page, /booked, Cleo/)
    expect(await page.locator('.appointment').textContent()).toMatch(/Haircut10:00 .*Balayage/)
    await expectSound(page, 'visit-6-manage')
    await next(page, 'Move')
    await heading(page, 'When?')
    await page.locator('.time', { hasText: '11:00' }).first().click()
    await next(page, 'Move the appointment')
    await page.getByText('Your appointment is moved.').waitFor()
    expect(await page.locator('.appointment').textContent()).toMatch(/Haircut11:00 .*Balayage11:/)
  })

  test('one person for all or each can be chosen, and a service removed, with the keyboard', async () => {
    const { page } = await visit('/haircut+balayage?location=mitte')
    await heading(page, 'With whom?')
    await expect.poll(() => page.locator('.option-name').allTextContents()).toContain('Anna Weber')
    await expectSound(page, 'visit-7-staff')
    await next(page, /Anyone/)
    await page.locator('.time').first().waitFor()
    expect(await total(page)).toMatch(/from €/)
    const whom = page.getByLabel('With whom?', { exact: true })
    await whom.selectOption({ label: 'Ben Fischer for everything' })
    await expect.poll(() => total(page)).not.toMatch(/from/)
    await whom.selectOption({ label: 'Choose for each service' })
    await page.getByLabel('Balayage: With whom?').selectOption({ label: 'Anna Weber' })
    await page.locator('.time').first().waitFor()
    await expectSound(page, 'visit-8-each')
    await tabTo(page, /^Remove Balayage$/, 40)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.basket').count()).toBe(0)
    await expectFocus(page, /^When/)
    expect(await page.locator('.facts').first().textContent()).toContain('minutes')
  })

  test('services that a website names are asked for at once; others that are quicker leave other times', async () => {
    const site = await serveWebsite(() => ({
      '/': `<!doctype html><title>Salon</title><script type="module" src="${address}/widget/v1.js"></script>
        <holdfast-booking publishable-key="${salon().publishable_key}" services="haircut, balayage" staff-id="anyone"></holdfast-booking>`,
    }))
    const visitor = await openVisitor(browser, { width: 390, height: 844 })
    visitors.push(visitor)
    const { page } = visitor
    const searches = searchesOf(page)
    await page.goto(site.address)
    await page.locator('.time').first().waitFor()
    await expect
      .poll(async () => (await basket(page)).map((text) => text.replace(/\d.*/, '')))
      .toEqual(['Haircut', 'Balayage'])
    expect(searches).toEqual(['?items=haircut,balayage'])
    // the only basin is taken after the times were read
    await next(page, 'Next month')
    await page.locator('.month-name', { hasText: /^December 2026$/ }).waitFor()
    await page.locator('tbody:not(.is-loading) .day.is-free[data-date="2026-12-03"]').waitFor()
    const rival = await service.call('POST', '/bookings/hold', {
      token: salon().business_key,
      body: {
        ...{ service_id: balayage, location_id: mitte(), starts_at: '2026-12-03T13:30:00+01:00' },
      },
    })
    expect(rival.status).toBe(201)
    await page.locator('.day.is-free[data-date="2026-12-03"]').click()
    await page.locator('.time', { hasText: '13:00' }).click()
    await page.getByText('Sorry, somebody else was a moment quicker.').waitFor()
    await page.locator('.notice button').first().click()
    await heading(page, 'Your details')
    await site.stop()
  })

  test('somebody who comes along is served at the same time by somebody else', async () => {
    const { page } = await visit('/haircut?location=mitte&staff=anna')
    await next(page, 'Somebody comes along')
    await heading(page, 'What would the other person like?')
    await next(page, /^Haircut/)
    await page.locator('.time').first().waitFor()
    expect(await basket(page)).toEqual([
      expect.stringMatching(/^Haircut/),
      expect.stringMatching(/^Haircut.*at the same time$/),
    ])
    await expectSound(page, 'visit-9-along')
    await page.locator('.time').first().click()
    await heading(page, 'Your details')
    const summary = (await page.locator('.summary').textContent()) ?? ''
    expect(summary).toMatch(/Haircut(\d+:\d\d – \d+:\d\d) · Anna WeberHaircut\1 · Ben Fischer/)
    // the visit survives a reload
    await page.reload()
    await heading(page, 'Your details')
    expect(await page.locator('.summary').textContent()).toMatch(/Anna Weber.*Ben Fischer/)
  })
})

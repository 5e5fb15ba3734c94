/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  openVisitor,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* All details of an appointment that a client needs, before and after the booking. */

describe.skipIf(chromiumPath === undefined)('the summary of an appointment', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let online = ''
  const online_url = 'https://meet.example.com/salon'
  const visitors: Visitor[] = []
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const place = await create('/locations', {
      name: 'Video call',
      timezone: 'Europe/Berlin',
      weekly_hours: [{ weekday: 'friday', opens: '09:00', closes: '18:00' }],
      online_url,
    })
    online = await course({}, place)
    await change(online, { cancel_until_minutes: null, reschedule_until_minutes: null })
    const body = { phone: '+49 30 1234', reply_to_email: 'hello@salon-spree.example' }
    const token = salon().business_key
    expect((await service.call('PATCH', `/businesses/${salon().id}`, { token, body })).status).toBe(200)
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(async () => {
    await service.stop()
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const create = async (path: string, body: object) => {
    const made = await service.call('POST', path, { token: salon().business_key, body })
    expect(made.status).toBe(201)
    return String(made.body.id)
  }
  const change = async (id: string, body: object) => {
    const token = salon().business_key
    expect((await service.call('PATCH', `/services/${id}`, { token, body })).status).toBe(200)
  }
  /** Returns a new course, at the salon's location or another one. */
  const course = (members: object, place = salon().locations[0]?.id ?? '') =>
    create('/services', {
      name: 'Life drawing',
      duration_minutes: 90,
      slot_interval_minutes: 30,
      location_ids: [place],
      ...members,
    })
  const visit = async (serviceId: string) => {
    const visitor = await openVisitor(browser, { width: 390, height: 844 })
    visitors.push(visitor)
    await visitor.page.goto(`${address}/book/${salon().publishable_key}?service=${serviceId}`)
    return visitor.page
  }
  const summary = async (page: Page) => (await page.locator('.summary').textContent()) ?? ''
  const links = (page: Page) =>
    page
      .locator('.confirmation a')
      .evaluateAll((all: { textContent: string; href: string; rel: string; target: string }[]) =>
        all.map(({ textContent, href, rel, target }) => ({ text: textContent, href, rel, target })),
      )

  test('a class is shown at the starts of its timetable, with what is left for two, and is booked for two', async () => {
    const id = await course({
      name: 'Dance class',
      capacity: 8,
      timetable: [{ weekday: 'friday', starts: ['11:00', '16:30'] }],
    })
    const shown = (page: Page) => page.locator('.time').allTextContents()
    for (const [left, size] of [
      [8, { width: 390, height: 844 }],
      [6, { width: 1280, height: 800 }],
    ] as const) {
      const page = await visit(id)
      await page.setViewportSize(size)
      await page.locator('.day.is-free[data-date="2026-11-27"]').click()
      const places = ['11:00Places left: 8', `16:30Places left: ${left}`]
      await expect.poll(() => shown(page)).toEqual(places)
      await page.getByLabel('How many people?').fill('2')
      await page.keyboard.press('Tab')
      await expect.poll(() => shown(page)).toEqual(places)
      await keepScreenshot(page, `class-${size.width}`)
      await page.locator('.time', { hasText: '16:30' }).click()
      await heading(page, 'Your details')
      expect(await summary(page)).toContain('Dance class for 2 people')
      await writeDetails(page)
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      service.clock.advance(5)
    }
    const alone = await visit(id)
    await toDetails(alone, '2026-11-27', '11:00')
    expect(await summary(alone)).toContain('Dance class for one person') // others may book as well
    service.clock.advance(5)
    const booked = (await service.rows('bookings')).filter(({ service_id }) => service_id === id)
    expect(booked.map(({ party_size }) => party_size)).toEqual([2, 2])
  })

  test('a price of 0 is the word for free; one that is not stated is left out', async () => {
    const id = await course({ price: { amount: 0, currency: 'EUR' } })
    const page = await visit(id)
    await toDetails(page, '2026-11-27', '10:00')
    expect(await summary(page)).toMatch(/11:30 · 1 hour, 30 minutes.*free/)
    service.clock.advance(5) // the limits of an address
    const other = await visit(await course({}))
    await toDetails(other, '2026-11-27', '12:00')
    expect(await summary(other)).not.toMatch(/free|€/)
    service.clock.advance(5)
  })

  test('tells price for all, deposit, what is left, length, place, policy, and adds it to a calendar', async () => {
    const price = { amount: 2_000, currency: 'EUR' }
    const deposit = { amount: 500, currency: 'EUR' }
    const rules = { cancel_until_minutes: 2_880, reschedule_until_minutes: 1_440 }
    const id = await course({ capacity: 6, price, deposit, ...rules })
    const page = await visit(id)
    await page.getByLabel('How many people?').fill('3')
    await page.keyboard.press('Tab')
    await toDetails(page, '2026-11-27', '10:00')
    const before = await summary(page)
    for (const part of [
      'Life drawing for 3 people',
      '10:00 – 11:30 · 1 hour, 30 minutes',
      'Mitte, Rosenthaler Str. 12, 10119 Berlin Map',
      '€60 · €15 due now · €45 to pay on site',
      'You can move it until Thursday, 26 November 2026, 10:00. You can cancel until Wednesday, 25 November 2026, 10:00.',
    ])
      expect(before).toContain(part)
    const map = page.locator('holdfast-booking').getByRole('link', { name: 'Map' })
    expect(await map.getAttribute('href')).toBe(
      'https://www.openstreetmap.org/search?query=Rosenthaler%20Str.%2012%2C%2010119%20Berlin',
    )
    expect(await map.getAttribute('rel')).toBe('noopener noreferrer')
    expect(await map.getAttribute('target')).toBe('_blank')
    await expectSound(page, 'summary-details')
    // the agreed price is the one at the booking
    await change(id, { price: { amount: 2_500, currency: 'EUR' } })
    await writeDetails(page)
    await next(page, /^Book and pay €15/)
    await page.waitForURL(/\/sandbox\//)
    await next(page, /^Pay/)
    await heading(page, 'Thank you, Ada!')
    const after = await summary(page)
    for (const part of [
      'Life drawing for 3 people',
      '€75 · €15 paid · €60 to pay on site',
      'You can cancel until Wednesday, 25 November 2026, 10:00.',
    ])
      expect(after).toContain(part)
    await page.getByText('Add to calendar').click()
    await expectSound(page, 'summary-done')
    const shown = await links(page)
    expect(shown.map(({ text }) => text)).toEqual(['Map', 'Google', 'Outlook', 'Move or cancel'])
    expect(shown[1]?.href).toContain('dates=20261127T090000Z%2F20261127T103000Z')
    for (const { rel, target } of shown.slice(0, 3))
      expect({ rel, target }).toEqual({ rel: 'noopener noreferrer', target: '_blank' })
    const [download] = await Promise.all([page.waitForEvent('download'), next(page, 'Calendar file')])
    expect(download.suggestedFilename()).toBe('appointment.ics')
  })

  test('a coupon shows its price before the booking, in the summary and on the button, and afterwards', async () => {
    await create('/coupons', { code: 'SUMMER50', percent: 50 })
    const id = await course({ price: { amount: 2_000, currency: 'EUR' }, payment: 'full' })
    service.clock.advance(5) // the data of the first step is stored that long
    const page = await visit(id)
    await toDetails(page, '2026-11-27', '14:00')
    const code = page.getByLabel('Coupon code')
    const submit = page.locator('button[type=submit]')
    await code.fill('nothing')
    await next(page, 'Apply')
    const refusal = page.getByText('This code cannot be used for this booking. Remove it')
    await refusal.waitFor()
    expect(await submit.textContent()).toBe('Book and pay €20')
    await expectSound(page, 'coupon-refused')
    await next(page, 'Remove')
    await refusal.waitFor({ state: 'detached' })
    expect(await code.inputValue()).toBe('')
    await code.fill('summer50')
    await code.press('Enter') // shows the price, and does not book
    await page.getByText('New price: €10').waitFor()
    expect(await submit.textContent()).toBe('Book and pay €10')
    expect(await summary(page)).toContain('Coupon SUMMER50: −€10€10 · €10 due now')
    await expectSound(page, 'coupon-applied')
    await code.fill('summer5')
    expect(await submit.textContent()).toBe('Book and pay €20')
    await code.fill('summer50')
    await writeDetails(page) // leaving the field asks as well
    await expect.poll(() => submit.textContent()).toBe('Book and pay €10')
    await next(page, 'Book and pay €10')
    await page.waitForURL(/\/sandbox\//)
    await next(page, /^Pay/)
    await heading(page, 'Thank you, Ada!')
    expect(await summary(page)).toContain('Coupon SUMMER50: −€10€10 · €10 paid')
    await page.getByRole('link', { name: 'Move or cancel' }).click()
    await page.getByText('Coupon SUMMER50: −€10').waitFor()
  })

  test('a coupon that is used up meanwhile can be removed, and is not asked for where nothing is to be paid', async () => {
    const coupon = await create('/coupons', { code: 'LAST', percent: 50, max_uses: 1 })
    const id = await course({ price: { amount: 2_000, currency: 'EUR' } })
    service.clock.advance(5)
    const page = await visit(id)
    await toDetails(page, '2026-11-27', '14:00')
    await page.getByLabel('Coupon code').fill('last')
    await next(page, 'Apply')
    await page.getByText('New price: €10').waitFor()
    const token = salon().business_key
    await service.call('PATCH', `/coupons/${coupon}`, { token, body: { active: false } })
    await writeDetails(page)
    await next(page, 'Book now')
    await page.getByText('Remove it to book at the full price.').waitFor()
    await next(page, 'Remove')
    expect(await summary(page)).toContain('€20')
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    const free = await course({ price: { amount: 0, currency: 'EUR' } })
    service.clock.advance(5)
    const other = await visit(free)
    await toDetails(other, '2026-11-27', '14:00')
    await other.getByLabel('Notes').waitFor()
    expect(await other.getByLabel('Coupon code').count()).toBe(0)
  })

  test('online it says that a link follows, and then has it; without a policy it says whom to ask', async () => {
    const page = await visit(online)
    await toDetails(page, '2026-11-27', '11:00')
    const before = await summary(page)
    expect(before).toContain('Online: you get the link once you have booked')
    expect(before).toContain(
      'To change anything, please contact Salon Spree. +49 30 1234 · hello@salon-spree.example',
    )
    expect(await page.locator('.summary a').count()).toBe(2) // not yet to the location
    await writeDetails(page)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    expect(await summary(page)).not.toContain('you get the link')
    expect((await links(page)).map(({ href }) => href)).toEqual(
      expect.arrayContaining(['tel:+49301234', 'mailto:hello@salon-spree.example']),
    )
    expect((await links(page)).find(({ text }) => text === 'Join online')?.href).toBe(online_url)
  })
})

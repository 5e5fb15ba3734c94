/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  expectFocus,
  expectHosts,
  expectSound,
  heading,
  next,
  tabTo,
  writeDetails,
} from '../support/booking-visit.ts'
import {
  chromiumPath,
  sharedBrowser,
  openVisitor,
  serveWebsite,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { testFirstOf } from '../support/long.ts'
import { bookingOf } from '../support/tenant-things.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* A client's use of the manage link, in a browser, on a service with the demo world. */

let browser: Browser
let service: TestService
let address: string
const visitors: Visitor[] = []

describe.skipIf(chromiumPath === undefined)('the page of the manage link', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expectHosts(visitor, [address])
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(async () => {
    await service.stop()
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const open = async (url: string, options: VisitorOptions = {}) => {
    const visitor = await openVisitor(browser, options)
    visitors.push(visitor)
    await visitor.page.goto(url)
    return visitor.page
  }
  /** Creates a booking of a session, and its link. */
  const booked = async (startsAt: string, serviceName = 'Haircut', body: object = {}) => {
    const token = await service.session(salon())
    const id = await bookingOf(service, salon(), { token, service: serviceName, starts_at: startsAt, body })
    const shown = await service.call('GET', `/bookings/${id}`, { token })
    return { id, url: String(shown.body.manage_url) }
  }
  const change = (id: string, body: object) =>
    service.call('PATCH', `/bookings/${id}`, { token: salon().business_key, body })
  const stateOf = async (id: string) =>
    (await service.call('GET', `/bookings/${id}`, { token: salon().business_key })).body as Record<
      string,
      unknown
    >
  const time = (page: Page, text: string) => page.locator('.time', { hasText: text }).first()

  test('from the booking to its link, a reload, another time and the end; nothing is cut or inaccessible', async () => {
    const page = await open(`${address}/book/${salon().publishable_key}`, { width: 390 })
    await next(page, /Haircut/)
    await next(page, /Mitte/)
    await next(page, /Anyone/)
    await next(page, 'Next month')
    await page.locator('.day.is-free[data-date="2026-12-01"]').click()
    await time(page, '11:00').click()
    await writeDetails(page)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    const href = await page.getByRole('link', { name: 'Move or cancel' }).getAttribute('href')
    expect(href).toMatch(new RegExp(`^${address}/manage#cal_man_\\w{38}$`))
    await page.reload()
    await heading(page, 'You’re booked, Ada')
    expect(page.url()).toBe(href)
    await page.getByText(/Tuesday,? 1 December 2026, 11:00 – 11:30/).waitFor()
    await page.getByText(/You can move or cancel until Monday,? 30 November 2026, 11:00\./).waitFor()
    await page.getByText('€35').waitFor()
    await expectSound(page, 'manage-1-booked')

    await next(page, 'Move')
    await heading(page, 'When?')
    await page.getByText(/Tuesday,? 1 December 2026, 11:00$/).waitFor() // the new time
    await page.getByText('December 2026').first().waitFor() // the month of the appointment
    await time(page, '11:30').waitFor()
    expect(await time(page, '11:00').count()).toBe(0) // their own
    await page.locator('.day.is-free[data-date="2026-12-02"]').click()
    await time(page, '14:00').waitFor()
    await expectSound(page, 'manage-2-times')
    await time(page, '14:00').click()
    await heading(page, 'Move to this time?')
    await expectFocus(page, 'Move to this time\\?')
    await expectSound(page, 'manage-3-confirm')
    await next(page, 'Move the appointment')
    await page.getByRole('status').filter({ hasText: 'Your appointment is moved.' }).waitFor()
    await page.getByText(/Wednesday,? 2 December 2026, 14:00 – 14:30/).waitFor()

    await next(page, 'Cancel')
    await heading(page, 'Cancel this appointment?')
    await page.getByLabel('Reason').fill('A cold')
    await expectSound(page, 'manage-4-cancel')
    await next(page, 'Cancel the appointment')
    await heading(page, 'This appointment is cancelled')
    await page.getByText('Reason: A cold').waitFor()
    await expectSound(page, 'manage-5-cancelled')
    const again = page.getByRole('link', { name: 'Book again' })
    await again.click()
    await heading(page, 'When?') // the same service, location and person
    await page.getByRole('button', { name: 'Change: Haircut' }).waitFor()
    const [booking] = (await service.rows('bookings')).filter(
      ({ cancel_reason }) => cancel_reason === 'A cold',
    )
    expect(booking).toMatchObject({
      ...{ status: 'cancelled', client_reschedules: 1 },
      time_zone: 'Europe/Berlin', // the browser's zone
    })
  })

  test('everything is done by keyboard', async () => {
    const { id, url } = await booked('2026-12-03T09:00:00Z')
    const page = await open(url)
    await heading(page, 'You’re booked, Ada')
    await tabTo(page, /^Move$/, 6)
    await page.keyboard.press('Enter')
    await heading(page, 'When?')
    await expectFocus(page, 'When\\?')
    await page.locator('.time').first().waitFor()
    await tabTo(page, /free times/, 4)
    await expectFocus(page, /3 December 2026, free times/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^\d+:\d\d/, 10)
    await page.keyboard.press('Enter')
    await heading(page, 'Move to this time?')
    await tabTo(page, /^Move the appointment$/, 3)
    await page.keyboard.press('Enter')
    await expectFocus(page, 'You’re booked, Ada')
    expect(await stateOf(id)).not.toMatchObject({ starts_at: '2026-12-03T10:00:00+01:00' })
    await tabTo(page, /^Cancel$/, 6)
    await page.keyboard.press('Enter')
    await tabTo(page, /^Cancel the appointment$/, 8)
    await page.keyboard.press('Enter')
    await heading(page, 'This appointment is cancelled')
    expect(await stateOf(id)).toMatchObject({ status: 'cancelled' })
  })

  test('a new time is asked about with its zone, where the visitor has another one', async () => {
    const { url } = await booked('2026-12-10T09:00:00Z')
    const page = await open(url, { timezoneId: 'America/New_York' })
    await next(page, 'Move')
    await page.locator('.time').first().click()
    await heading(page, 'Move to this time?')
    await page.getByText('Central European Standard Time').waitFor()
  })

  test('nothing happens to a booking whose link is only opened', async () => {
    const { id, url } = await booked('2026-12-03T11:00:00Z')
    const before = await service.rows('bookings')
    const visitor = await openVisitor(browser)
    visitors.push(visitor)
    await visitor.page.goto(url)
    await heading(visitor.page, 'You’re booked, Ada')
    await visitor.page.getByText('Add to calendar').waitFor()
    expect(visitor.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await service.rows('bookings')).toEqual(before)
    const secret = url.slice(url.indexOf('#') + 1)
    for (const { address: asked, headers } of visitor.requests) {
      expect(asked).not.toContain(secret)
      expect(headers['referer'] ?? '').toBe('')
    }
    expect(id).toBeTruthy()
  })

  test('whoever comes second sees what has become of it', async () => {
    const { id, url } = await booked('2026-12-03T13:00:00Z')
    const page = await open(url)
    await heading(page, 'You’re booked, Ada')
    await next(page, 'Cancel')
    await change(id, { starts_at: '2026-12-03T15:00:00Z' })
    await next(page, 'Cancel the appointment')
    await page.getByText('Somebody changed this appointment in the meantime.').waitFor()
    await page.getByText(/Thursday,? 3 December 2026, 16:00 – 16:30/).waitFor()
    expect(await stateOf(id)).toMatchObject({ status: 'confirmed' })
  })

  test('a time that somebody else just took is answered with others', async () => {
    const { id, url } = await booked('2026-12-07T08:00:00Z', 'Meeting room')
    const page = await open(url)
    await next(page, 'Move')
    await page.locator('.time').first().waitFor()
    await page.locator('.day.is-free[data-date="2026-12-07"]').click()
    await time(page, '15:00').click()
    await heading(page, 'Move to this time?')
    await booked('2026-12-07T14:00:00Z', 'Meeting room')
    await next(page, 'Move the appointment')
    await page.getByText('Sorry, somebody else was a moment quicker.').waitFor()
    await page.locator('.alternative').first().click()
    await next(page, 'Move the appointment')
    await page.getByText('Your appointment is moved.').waitFor()
    expect(await stateOf(id)).not.toMatchObject({ starts_at: '2026-12-07T09:00:00+01:00' })
  })

  test('after the cut-off it says whom to ask, and in whose time it is', async () => {
    const { url } = await booked('2026-11-20T18:00:00Z')
    const page = await open(url, { timezoneId: 'America/New_York', width: 1280 })
    await heading(page, 'You’re booked, Ada')
    await page.getByText('To change anything, please contact Salon Spree.').waitFor()
    await page.getByText('13:00 – 13:30 in New York').waitFor()
    await page.getByText(/Friday,? 20 November 2026, 19:00 – 19:30/).waitFor()
    expect(await page.getByRole('button', { name: /Move|Cancel/ }).count()).toBe(0)
    await expectSound(page, 'manage-6-late')
  })

  test("an online appointment shows the visitor's time first, then that of the location", async () => {
    const { id, url } = await booked('2026-12-09T09:00:00Z')
    const { body } = await service.call('GET', `/bookings/${id}`, { token: salon().business_key })
    const path = `/locations/${(body['location'] as { id: string }).id}`
    const put = (online_url: string | null) =>
      service.call('PATCH', path, { token: salon().business_key, body: { online_url } })
    expect((await put('https://meet.example/room')).status).toBe(200)
    const page = await open(url, { timezoneId: 'America/New_York' })
    await page.getByText(/Wednesday,? 9 December 2026, 4:00 – 4:30/).waitFor()
    await page.getByText('10:00 – 10:30 in Berlin').waitFor()
    await page.getByText(/until .*8 December 2026, 4:00/).waitFor()
    await put(null)
  })

  test('reads from right to left, and in the dark', async () => {
    const { url } = await booked('2026-12-08T09:00:00Z', 'Haircut')
    const page = await open(url, { locale: 'ar', colorScheme: 'dark', width: 390 })
    await heading(page, /تم حجز موعدك/)
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    await expectSound(page, 'manage-7-arabic-dark')
    await next(page, 'إلغاء')
    await heading(page, 'هل تريد إلغاء هذا الموعد؟')
    await expectSound(page, 'manage-8-arabic-dark-cancel')
  })

  testFirstOf(
    [
      ['de', '09'],
      ['fr', '10'],
      ['es', '11'],
      ['pl', '16'],
      ['it', '17'],
      ['pt-BR', '18'],
      ['nl', '21'],
      ['tr', '22'],
      ['ja', '23'],
    ],
    { nightFrom: 2 },
  )('speaks %s', async (locale, day) => {
    const { url } = await booked(`2026-12-${day}T09:00:00Z`)
    const page = await open(url, { locale, width: 390 })
    await page.getByRole('heading', { level: 2, name: /Ada/ }).waitFor()
    await expectSound(page, `manage-9-${locale}`)
  })

  test('a link that is wrong, or has ended, shows one neutral page', async () => {
    const { id, url } = await booked('2026-12-14T09:00:00Z')
    await service.call('POST', `/bookings/${id}/manage-link`, { token: salon().business_key })
    const texts: string[] = []
    for (const wrong of [`${address}/manage#nonsense`, `${address}/manage`, url]) {
      const page = await open(wrong)
      await heading(page, 'This link is incomplete or has ended')
      texts.push(await page.locator('holdfast-manage').innerText())
      if (wrong === url) await expectSound(page, 'manage-10-ended')
    }
    expect(new Set(texts).size).toBe(1)
  })

  test('the calendar file is handed over', async () => {
    const { id, url } = await booked('2026-12-15T09:00:00Z')
    const page = await open(url)
    await page.getByText('Add to calendar').click()
    const [download] = await Promise.all([page.waitForEvent('download'), next(page, 'Calendar file')])
    expect(download.suggestedFilename()).toBe('appointment.ics')
    const google = await page.getByRole('link', { name: 'Google' }).getAttribute('href')
    expect(google).toContain('dates=20261215T090000Z%2F20261215T093000Z')
    expect(google).toContain('cal_man_') // the event goes into the client's own calendar
    expect(id).toBeTruthy()
  })

  test('on a website of somebody else, the link outlives a reload, and its scripts do not get it', async () => {
    const page = `<!doctype html><html lang="en"><title>Salon</title>
      <script type="module" src="${address}/widget/v1.js"></script>
      <script>addEventListener('holdfast:booked', (event) => { window.told = JSON.stringify(event.detail) })</script>
      <holdfast-booking publishable-key="${salon().publishable_key}"></holdfast-booking></html>`
    const website = await serveWebsite(() => ({ '/': page }))
    const visitor = await openVisitor(browser)
    try {
      await visitor.page.goto(website.address)
      await next(visitor.page, /Meeting room/)
      await next(visitor.page, /Mitte/)
      await next(visitor.page, 'Next month')
      await visitor.page.locator('.day.is-free').first().click()
      await visitor.page.locator('.time').first().click()
      await writeDetails(visitor.page)
      await next(visitor.page, 'Book now')
      await heading(visitor.page, 'Thank you, Ada!')
      const link = visitor.page.getByRole('link', { name: 'Move or cancel' })
      const href = await link.getAttribute('href')
      expect(String(await visitor.page.evaluate('window.told'))).toContain('"booking"')
      expect(String(await visitor.page.evaluate('window.told'))).not.toContain('cal_man_')
      await visitor.page.reload()
      await heading(visitor.page, 'What would you like to book?')
      expect(await link.getAttribute('href')).toBe(href)
      expect(visitor.page.url()).not.toContain('cal_man_')
    } finally {
      await visitor.close()
      await website.stop()
    }
  })
})

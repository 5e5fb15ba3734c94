/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectFocus, expectSound, tabTo } from '../support/booking-visit.ts'
import {
  chromiumPath,
  openVisitor,
  sharedBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { isWhole } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type SmsServer, startSmsServer } from '../support/sms-server.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* Joining the waiting list in the widget. */

const phone = { width: 390, height: 844, hasTouch: true }

describe.skipIf(chromiumPath === undefined)('a visitor for whom no time fits', () => {
  let browser: Browser
  let mails: MailServer
  let sms: SmsServer
  let service: TestService
  let address: string
  let visitor: Visitor
  beforeAll(async () => {
    browser = await sharedBrowser()
    mails = await startMailServer()
    sms = await startSmsServer('gateway')
    const settings = { SMTP_URL: mails.url, MAIL_FROM: 'Salon <salon@example.com>', SMS_URL: sms.url }
    ;({ service, address } = await startPublicService('sqlite', settings))
  })
  afterEach(async () => {
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })
  afterAll(async () => {
    await service.stop()
    await sms.close()
    await mails.close()
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: salon().business_key, ...(body && { body }) })
  const room = () => salon().services.find(({ name }) => name === 'Meeting room')
  const change = async (body: object) => {
    expect((await call('PATCH', `/services/${room()?.id ?? ''}`, body)).status).toBe(200)
    service.clock.advance(6) // sessions read the catalogue at most five seconds late
  }
  const visit = async (options: VisitorOptions = {}) => {
    visitor = await openVisitor(browser, options)
    const { page } = visitor
    const query = `service=${room()?.id ?? ''}&location=${room()?.location_ids[0] ?? ''}`
    await page.goto(`${address}/book/${salon().publishable_key}?${query}`)
    await page.locator('.waiting').waitFor()
    return page
  }
  const list = async () => (await call('GET', '/waitlist')).body.data as Record<string, unknown>[]

  test('joins the waiting list with the days and times that fit', async () => {
    const page = await visit({ width: 1_100, height: 900 })
    const line = page.locator('.waiting summary')
    expect(await line.textContent()).toBe('No time that fits? Join the waiting list')
    await expectSound(page, 'waiting-line')
    await line.click()
    expect(await page.getByLabel('From').inputValue()).toBe('2026-11-20')
    expect(await page.getByLabel('Until').inputValue()).toBe('2026-12-17')
    await page.getByLabel('Until').fill('2026-11-01')
    const join = page.getByRole('button', { name: 'Join the waiting list' })
    await join.click()
    await page.getByText('Please look at the marked fields.').waitFor()
    await expectFocus(page, '')
    await expectSound(page, 'waiting-faults')
    await page.getByLabel('Until').fill('2026-12-04')
    await page.getByLabel('Tue', { exact: true }).check()
    await page.getByLabel('Fri', { exact: true }).check()
    await page.getByLabel('Not before').fill('16:00')
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByLabel('Email').fill('ada@example.com')
    await expectSound(page, 'waiting-form')
    await join.click()
    await expectFocus(page, 'You are on the waiting list')
    await page.getByText('We email ada@example.com as soon as').waitFor()
    await page.getByText('The email has a link with which you can leave the list.').waitFor()
    await expectSound(page, 'waiting-joined')
    expect(await list()).toMatchObject([
      {
        ...{ from: '2026-11-20', to: '2026-12-04', after: '16:00', before: null },
        weekdays: ['tuesday', 'friday'],
        ...{ locale: 'en-GB', time_zone: 'Europe/Berlin' },
        client: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', phone: null },
      },
    ])
    await service.app.mails.settled()
    const [mail] = mails.to('ada@example.com')
    expect(mail?.text).toContain(`${address}/w/`)
  })

  test('uses the keyboard only, and hears that the list has enough entries', async () => {
    const { location_ids: [location_id = ''] = [], id: service_id = '' } = room() ?? {}
    const client = { first_name: 'Bo', last_name: 'Li', email: 'bo@example.com' }
    const page = await visit({ width: 390, height: 844 }) // on a wide page, the times scroll alone
    const token = await page.evaluate<string>(
      `JSON.parse(Object.entries(sessionStorage).find(([key]) => key.startsWith('holdfast:session:'))?.[1] ?? '{}').session_token ?? ''`,
    )
    const { body } = await service.call('POST', '/session', { token: salon().publishable_key })
    for (let count = 0; count < 3; count += 1) {
      const entry = { service_id, location_id, from: '2026-12-01', to: '2026-12-02', client }
      const reply = await service.call('POST', '/waitlist', {
        token: token || (body.session_token as string),
        body: entry,
      })
      expect(reply.status).toBe(201)
    }
    await tabTo(page, /^No time that fits/, 60)
    await page.keyboard.press('Enter')
    await page.getByLabel('First name').fill('Bo')
    await page.getByLabel('Last name').fill('Li')
    await page.getByLabel('Email').fill('bo@example.com')
    await page.getByLabel('Email').press('Enter')
    await page.getByRole('alert').filter({ hasText: 'No more bookings' }).waitFor()
    await expectSound(page, 'waiting-limit')
  })

  test('agrees to text messages where the business sends them', async () => {
    await service.call('PATCH', `/businesses/${salon().id}`, {
      ...{ token: salon().business_key, body: { text_kinds: ['offered'] } },
    })
    service.clock.advance(6)
    const page = await visit(phone)
    await page.locator('.waiting summary').tap()
    await page.getByLabel('First name').fill('Cleo')
    await page.getByLabel('Last name').fill('Marsh')
    await page.getByLabel('Email').fill('cleo@example.com')
    await page.getByLabel('Phone').fill('0151 23456789')
    await page.getByLabel('Send me text messages about this appointment').check()
    await expectSound(page, 'waiting-phone')
    await page.getByRole('button', { name: 'Join the waiting list' }).tap()
    await expectFocus(page, 'You are on the waiting list')
    const entry = (await list()).at(-1)
    expect(entry).toMatchObject({ client: { first_name: 'Cleo', phone: '0151 23456789' } })
  })

  test('sees the form at once if no time is free at all', async () => {
    await change({ min_notice_minutes: 525_600, max_advance_days: 1 })
    const page = await visit(phone)
    await page.getByText('No time that fits?').waitFor()
    await expect.poll(() => page.locator('.waiting').getAttribute('open')).not.toBeNull()
    await expectSound(page, 'waiting-none-free')
    await change({ min_notice_minutes: 0, max_advance_days: null })
  })

  test('is not offered a list that the service does not keep', async () => {
    await change({ waitlist: false })
    visitor = await openVisitor(browser)
    const { page } = visitor
    await page.goto(
      `${address}/book/${salon().publishable_key}?service=${room()?.id ?? ''}&location=${room()?.location_ids[0] ?? ''}`,
    )
    await page.locator('.next-free button').first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.locator('.waiting').count()).toBe(0)
    await change({ waitlist: true })
  })

  const locales = ['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'tr']
  test('reads the form in their language', async () => {
    for (const locale of isWhole ? locales : ['ar', 'de']) {
      const page = await visit({ ...phone, locale })
      await page.locator('.waiting summary').tap()
      await expectSound(page, `waiting-${locale}`)
      if (locale !== locales.at(isWhole ? -1 : 1)) await visitor.close()
    }
  })
})

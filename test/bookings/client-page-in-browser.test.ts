/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  openVisitor,
  sharedBrowser,
  startPublicService,
} from '../support/browser.ts'
import { consoleSizes } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { bookerOf } from '../support/salon-day.ts'
import { type SmsServer, startSmsServer } from '../support/sms-server.ts'
import type { TestService } from '../support/test-service.ts'

describe.skipIf(chromiumPath === undefined)("a client's page in a browser", () => {
  let browser: Browser
  let service: TestService
  let server: MailServer
  let sms: SmsServer
  let address: string
  let businessId: string
  let numbers = 0
  beforeAll(async () => {
    browser = await sharedBrowser()
    server = await startMailServer()
    sms = await startSmsServer('gateway')
    ;({ service, address } = await startPublicService('sqlite', {
      SMTP_URL: server.url,
      MAIL_FROM: 'booking@holdfast.example',
      SMS_URL: sms.url,
    }))
    const { book, staffId, business } = bookerOf(service)
    businessId = business.id
    const staff_id = staffId('Anna')
    for (const day of ['2026-11-24', '2026-12-01'])
      await book('Haircut', `${day}T10:00:00+01:00`, { staff_id })
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
    await sms.close()
  })

  test.each([
    ['desktop', 'light', 'en'],
    ['phone', 'dark', 'ar'],
  ] as const)('it opens from the booking page by a link (%s, %s, %s)', async (size, colorScheme, locale) => {
    const { page, errors, close } = await openVisitor(browser, { ...consoleSizes[size], colorScheme, locale })
    const look = async (name: string) => {
      await keepScreenshot(page, `client-page-${name}-${size}`)
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
    }
    const { business } = bookerOf(service)
    await page.goto(`${address}/book/${business.publishable_key}`)
    await page.locator(`a[href="/me/${businessId}"]`).click()
    await look('ask')
    await page.locator('#contact').fill('ada@example.com')
    await page.keyboard.press('Enter')
    await page.locator('[role=status]').waitFor()
    await look('sent')
    await service.app.mails.settled()
    const link = /http\S+\/me#\w+/.exec(server.mails.at(-1)?.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await page.waitForURL(`${address}/me`) // the script has taken the token out of the address
    await look('link')
    await page.locator('button').click()
    await page.waitForURL(`${address}/me/${businessId}`)
    await look('list')
    expect(await page.locator('.visits li').count()).toBe(2)
    await page.locator('.visits a').first().click()
    const wayBack = page.locator(`holdfast-manage a[href$="/me/${businessId}"]`)
    await wayBack.waitFor()
    await look('manage')
    const manageUrl = page.url()
    await wayBack.click()
    await page.waitForURL(`${address}/me/${businessId}`)
    await page.locator('footer button').click()
    await page.locator('#contact').waitFor()
    await page.goto(manageUrl)
    await page.locator('holdfast-manage h2').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await wayBack.count()).toBe(0) // the log-in has ended
    expect(errors).toEqual([])
    await close()
  })

  testFirstOf(
    [
      ['desktop', 'light', 'en'],
      ['phone', 'dark', 'ar'],
      ['desktop', 'dark', 'de'],
      ['phone', 'light', 'de'],
    ],
    { nightFrom: 2 },
  )('a number gets the link by text (%s, %s, %s)', async (size, colorScheme, locale) => {
    const { page, errors, close } = await openVisitor(browser, { ...consoleSizes[size], colorScheme, locale })
    const look = async (name: string) => {
      await keepScreenshot(page, `client-page-text-${name}-${size}-${colorScheme}-${locale}`)
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
    }
    const number = `+4917099900${String((numbers += 1)).padStart(2, '0')}`
    const { book, staffId } = bookerOf(service)
    const client = { first_name: 'Grace', last_name: 'Hopper', phone: number }
    await book('Haircut', `2026-12-0${numbers + 1}T12:00:00+01:00`, { staff_id: staffId('Anna'), client })
    await page.goto(`${address}/me/${businessId}`)
    await look('ask')
    await page.locator('#contact').fill('12')
    await page.keyboard.press('Enter')
    await page.locator('#fault').waitFor()
    await look('fault')
    await page.locator('#contact').fill(number.replace('+49', '0'))
    await page.keyboard.press('Enter')
    await page.locator('[role=status]').waitFor()
    await look('sent')
    await service.app.texts.settled()
    await page.goto(/http\S+\/me#\w+/.exec(sms.texts.at(-1)?.text ?? '')?.[0] ?? '')
    await page.waitForURL(`${address}/me`)
    await page.locator('button').click()
    await page.waitForURL(`${address}/me/${businessId}`)
    await look('list')
    expect(await page.locator('.visits li').count()).toBe(1)
    expect(errors).toEqual([])
    await close()
  })
})

/** @module-tag long */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { clientOf, bookSlot } from '../support/client.ts'
import { consoleSizes, openConsole, openMore } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, offer, type TestService } from '../support/test-service.ts'

/* A deposit for a booking by the business, in a browser: the console shows the link, and the client pays with it. */

let browser: Browser
let service: TestService
let address: string
let manager: LoggedIn

describe.skipIf(chromiumPath === undefined)('a deposit that is due in the console', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite', {
      MAIL_DIR: mkdtempSync(join(inject('filesDirectory'), 'mails-')),
    }))
    const place = { businessId: salon().id }
    manager = await logInNewPerson(service, { email: 'max@example.com', name: 'Max', role: 'manager', place })
  })
  afterAll(() => service.stop())

  const salon = () => businessOf(service.world, 'Salon Spree')
  const expectSound = async (page: Page, name: string) => {
    await keepScreenshot(page, name)
    expect(await violationsIn(page)).toEqual([])
    expect(await misfitsIn(page)).toEqual([])
  }
  const starts = ['2026-12-01T10:00:00Z', '2026-12-02T10:00:00Z']

  testFirstOf(Object.entries(consoleSizes))('is paid by the link on its page (%s)', async (name, size) => {
    const key = clientOf(service, salon().business_key)
    const { id } = await bookSlot(key, offer(salon(), 'Treatment'), starts.pop() ?? '')
    const { page, errors, close } = await openConsole(browser, manager, { address, ...size })
    await page.goto(`${address}/console/bookings/${String(id)}?done=due`)
    const link = await page.getByLabel('Link to pay').inputValue()
    await expectSound(page, `deposit-due-${name}`)
    await openMore(page)
    await page.getByRole('link', { name: "Client's link" }).click()
    await page.getByRole('button', { name: 'Email it to the client' }).waitFor()
    await expectSound(page, `deposit-link-${name}`)
    await page.goto(link)
    await page.getByText('Your appointment is confirmed.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0) // nothing to give up
    await expectSound(page, `deposit-page-${name}`)
    await page.getByRole('link', { name: 'Pay now' }).click()
    await page.getByRole('button', { name: /^Pay/ }).click()
    await page.getByRole('heading', { name: 'Your booking is confirmed' }).waitFor()
    await page.goto(`${address}/console/bookings/${String(id)}`)
    await page.getByText(/Deposit .* paid by card/).waitFor()
    expect(await page.getByLabel('Link to pay').count()).toBe(0)
    expect(errors).toEqual([])
    await close()
  })
})

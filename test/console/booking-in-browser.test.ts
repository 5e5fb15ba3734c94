/** @module-tag long */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, inject } from 'vitest'
import { violationsIn, misfitsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { consoleSizes, openConsole, openMore } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, offer, type TestService } from '../support/test-service.ts'

/* An owner's work on one booking, in a browser, on the demo world. */

const long = {
  ...{
    first_name: 'Wolfeschlegelsteinhausenbergerdorff',
    last_name: 'Freifrau von und zu Liechtenstein-Hohenems',
  },
  ...{
    email: 'a.very.long.address.of.a.client@a-rather-long-name-of-a-company.example.com',
    phone: '+49 30 123456',
  },
}

let browser: Browser
let service: TestService
let address: string
let owner: LoggedIn
const visitors: Visitor[] = []

describe.skipIf(chromiumPath === undefined)('a booking in the console', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite', {
      MAIL_DIR: mkdtempSync(join(inject('filesDirectory'), 'mails-')),
    }))
    const place = { businessId: salon().id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
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
  const key = () => clientOf(service, salon().business_key)
  const book = async (startsAt: string, client: object = long) => {
    const more = { book: { client, notes: 'Please ring twice.\nThe dog is harmless.' } }
    return String((await bookSlot(key(), offer(salon(), 'Haircut'), startsAt, more)).id)
  }
  const open = async (path: string, options: VisitorOptions) => {
    const visitor = await openConsole(browser, owner, { address, ...options })
    visitors.push(visitor)
    await visitor.page.goto(`${address}${path}`)
    return visitor.page
  }
  const look = async (page: Page, name: string) => {
    await keepScreenshot(page, name)
    expect(await misfitsIn(page)).toEqual([])
    expect(await violationsIn(page)).toEqual([])
  }

  testFirstOf([
    ['desktop', 'dark', '11:00'],
    ['phone', 'light', '10:00'],
  ] as const)(
    'is corrected, moved to another person and cancelled, on a %s in the %s',
    async (size, colorScheme, time) => {
      const id = await book(`2026-12-01T${time}:00+01:00`)
      const page = await open(`/console/bookings/${id}`, { ...consoleSizes[size], colorScheme })
      const picture = (name: string) => look(page, `console-booking-${name}-${size}`)
      await page.getByRole('heading', { name: 'Haircut' }).waitFor()
      await picture('1-shown')
      await openMore(page)
      await page.getByRole('link', { name: 'Edit client' }).click()
      await page.getByLabel('Last name').fill('')
      await page.getByLabel('Phone').fill('call me')
      await page.evaluate('document.querySelector("form.fields").noValidate = true')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      await picture('2-faults')
      await page.getByLabel('Last name').fill('Byron')
      await page.getByLabel('Phone').fill('+44 20 7946 0000')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').filter({ hasText: 'Client details saved.' }).waitFor()

      await openMore(page)
      await page.getByRole('link', { name: 'Notes and answers' }).click()
      await page.getByLabel('Notes').fill('Mine')
      await key().change(id, { notes: 'Theirs' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your input is kept.').waitFor()
      expect(await page.getByLabel('Notes').inputValue()).toBe('Mine')
      await picture('3-stale')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()

      await page.getByRole('link', { name: 'Cancel…' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Cancel this booking?' }).waitFor()
      await page.getByLabel('Notify nobody').check()
      await page.getByLabel('Reason').fill('The hairdresser is ill')
      await picture('4-cancel')
      await page.getByRole('button', { name: 'Cancel booking' }).click()
      await page.getByRole('status').filter({ hasText: 'Booking cancelled.' }).waitFor()
      await picture('5-cancelled')
      await page.getByRole('button', { name: 'Restore booking' }).click()
      await page.getByRole('status').filter({ hasText: 'Booking confirmed.' }).waitFor()
    },
  )

  test('prints without what is for the screen; a name from right to left stands in its place', async () => {
    const client = { first_name: 'שרה', last_name: 'לוי', email: 'sarah@example.com' }
    const id = await book('2026-12-02T10:00:00+01:00', client)
    const page = await open(`/console/bookings/${id}`, consoleSizes.desktop)
    await openMore(page)
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await look(page, 'console-booking-6-right-to-left')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    expect(await page.getByText('שרה').isVisible()).toBe(true)
    await keepScreenshot(page, 'console-booking-7-print')
  })
})

/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { bookSlot, clientOf } from '../support/client.ts'
import { consoleSizes, goToSection, openConsole, openMore, panelAddress } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { ada, businessOf, offer, type TestService } from '../support/test-service.ts'

/* An owner's ways to find a booking, in a browser, on the demo world. */

let browser: Browser
let service: TestService
let address: string
let owner: LoggedIn
const visitors: Visitor[] = []
const bookings = 60

describe.skipIf(chromiumPath === undefined)('the list of bookings in a browser', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const salon = businessOf(service.world, 'Salon Spree')
    const place = { businessId: salon.id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
    const key = clientOf(service, salon.business_key)
    for (let index = 0; index < bookings; index += 1) {
      const startsAt = new Date(Date.UTC(2026, 11, 1, 8) + index * 3_600_000).toISOString()
      const first_name = index === 0 ? 'Wolfeschlegelsteinhausenbergerdorff-Hohenems' : `Client${index}`
      const client = { ...ada, first_name, email: `client${index}@example.com` }
      await bookSlot(key, offer(salon, 'Haircut'), startsAt.replace('.000', ''), { book: { client } })
    }
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

  const look = async (page: Page, name: string) => {
    await keepScreenshot(page, name)
    expect(await misfitsIn(page)).toEqual([])
    expect(await violationsIn(page)).toEqual([])
  }

  testFirstOf([
    ['phone', 'dark'],
    ['desktop', 'light'],
  ] as const)(
    'is paged, searched, saved as a file, and leads to a booking, on a %s in the %s',
    async (size, colorScheme) => {
      const visitor = await openConsole(browser, owner, { address, ...consoleSizes[size], colorScheme })
      visitors.push(visitor)
      const { page } = visitor
      await page.goto(`${address}/console`)
      await goToSection(page, 'Bookings')
      await page.getByRole('heading', { name: 'Bookings' }).waitFor()
      expect(await page.locator('.rows li').count()).toBe(50)
      await look(page, `console-bookings-1-${size}`)
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download as CSV' }).click()
      expect((await saved).suggestedFilename()).toBe('bookings.csv')
      await page.getByRole('link', { name: 'More' }).click()
      await page.getByText('Client59').waitFor()
      expect(await page.locator('.rows li').count()).toBe(bookings - 50)
      await page.getByLabel('Name, email or phone').fill('nobody at all')
      await page.getByText('No booking found.').waitFor() // at once, without a button
      await page.waitForURL(/[?&]q=nobody/) // the address follows what is shown
      expect(new URL(page.url()).searchParams.get('q')).toBe('nobody at all')
      await look(page, `console-bookings-2-empty-${size}`)
      await page.getByLabel('Name, email or phone').fill('client42@')
      const row = page.locator('.rows a', { hasText: 'Client42' })
      await row.waitFor()
      expect(await page.evaluate('document.activeElement.id')).toBe('list-q')
      expect(await page.getByRole('button', { name: 'Show' }).isVisible()).toBe(false)
      await row.click()
      const { pathname } = await panelAddress(page)
      expect(pathname).toMatch(/^\/console\/bookings\/[0-9a-f-]+$/)
      await look(page, `console-bookings-3-panel-${size}`)
      await page.reload()
      expect((await panelAddress(page)).pathname).toBe(pathname)
      await page.goBack()
      await page.locator('aside.panel').waitFor({ state: 'hidden' })
      expect(new URL(page.url()).searchParams.get('q')).toBe('client42@')
      await row.click()
      await panelAddress(page)
      await openMore(page)
      await page.getByRole('link', { name: 'All bookings of this client' }).click()
      await page.waitForURL(/client=/)
      await row.waitFor()
      expect(await page.locator('.rows li').count()).toBe(1)
    },
  )
})

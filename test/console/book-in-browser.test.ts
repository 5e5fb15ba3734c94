/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { chromiumPath, sharedBrowser, startPublicService, type Visitor } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* Choosing the time of a new booking, in a browser, on the demo world. */

let browser: Browser
let service: TestService
let address: string
let owner: LoggedIn
const visitors: Visitor[] = []

describe.skipIf(chromiumPath === undefined)('the days of a new booking', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const place = { businessId: salon().id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
  })
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) {
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(() => service.stop())

  const salon = () => businessOf(service.world, 'Salon Spree')
  const form = () => {
    const haircut = salon().services.find(({ name }) => name === 'Haircut')?.id ?? ''
    return `/console/book?service=${haircut}`
  }

  test.each([
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)(
    'a tap on more weeks and one on a day lead to times three weeks away, on a %s in the %s',
    async (size, colorScheme) => {
      const visitor = await openConsole(browser, owner, { address, ...consoleSizes[size], colorScheme })
      visitors.push(visitor)
      const { page } = visitor
      await page.goto(`${address}${form()}`)
      await page.getByLabel('Notes').fill('Window seat')
      await page.getByRole('button', { name: 'More weeks' }).click()
      const day = page.getByRole('button', { name: 'Friday 11 December', exact: true })
      await day.click()
      await page.getByRole('status').filter({ hasText: 'Free on Fri, 11 Dec 2026:' }).waitFor()
      await page.locator('[name=day][value="2026-12-11"]:focus').waitFor()
      expect(await page.getByLabel('Date').inputValue()).toBe('2026-12-11')
      expect(await misfitsIn(page)).toEqual([])
      expect(await violationsIn(page)).toEqual([])
      const later = page.getByRole('button', { name: 'Later days' })
      await later.press('Enter')
      await page.getByRole('status').filter({ hasText: 'Free on Fri, 18 Dec 2026:' }).waitFor()
      await page.locator('#days-after:focus').waitFor()
      await page.locator('[name=use]').first().click()
      await page.locator('[data-fresh] [name=day]').first().waitFor({ state: 'detached' })
      expect(await page.getByLabel('Date').inputValue()).toBe('2026-12-18')
      expect(await page.getByLabel('Notes').inputValue()).toBe('Window seat')
    },
  )
})

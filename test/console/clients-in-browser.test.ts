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
import { consoleSizes, openConsole, goToSection } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import type { TestService } from '../support/test-service.ts'

/* An owner finds a client, books for them again, and erases one, in a browser, on the demo world. */

let browser: Browser
let service: TestService
let address: string
let owner: LoggedIn
const visitors: Visitor[] = []
const names = ['Grace Hopper', 'Wolfeschlegelsteinhausenbergerdorff Hohenems', 'עדה לאבלייס', 'Alan Turing']

describe.skipIf(chromiumPath === undefined)('the clients in a browser', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const booker = bookerOf(service)
    const place = { businessId: booker.business.id }
    owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
    for (const [index, name] of [...names, 'Grace Hopper'].entries()) {
      const [first_name = '', last_name = ''] = name.split(' ')
      const number = names.indexOf(name)
      const client = {
        first_name,
        last_name,
        email: `client${number}@example.com`,
        phone: `+49 30 000${number}`,
      }
      await booker.book('Haircut', `2026-12-0${index + 1}T10:00:00+01:00`, { client })
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
    ['desktop', 'dark', 'Wolfeschlegelsteinhausenbergerdorff Hohenems'],
    ['phone', 'light', 'Alan Turing'], // last, because all look for him
  ] as const)(
    'are found, booked for again, blocked and erased, on a %s in the %s',
    async (size, colorScheme, other) => {
      const visitor = await openConsole(browser, owner, { address, ...consoleSizes[size], colorScheme })
      visitors.push(visitor)
      const { page } = visitor
      await page.goto(`${address}/console`)
      await goToSection(page, 'Clients')
      await page.getByRole('heading', { name: 'Clients' }).waitFor()
      await look(page, `console-clients-1-list-${size}`)
      await page.getByLabel('Name, email or phone').fill('hopper')
      await page.waitForURL(/q=hopper/)
      await page.getByRole('link', { name: /Grace Hopper/ }).click()
      await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
      await look(page, `console-clients-2-client-${size}`)
      await page.locator('.client-card .menu > summary').click()
      await look(page, `console-clients-2-menu-${size}`)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export to a file' }).click()
      expect((await saved).suggestedFilename()).toBe('client.json')
      await page.getByRole('link', { name: 'Merge with another client…' }).click()
      await page.getByRole('heading', { name: 'Merge another client into Grace Hopper' }).waitFor()
      await look(page, `console-clients-2-merge-${size}`)
      await page.locator('.panel, main').getByLabel('Name, email or phone').last().fill('alan')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: /Alan Turing.*1 appointment/ }).click()
      await page.getByRole('heading', { name: 'Merge Alan Turing into Grace Hopper?' }).waitFor()
      await look(page, `console-clients-2-merge-ask-${size}`)
      await page.goto(`${address}/console/clients?q=hopper`)
      await page.getByRole('link', { name: /Grace Hopper/ }).click()
      await page.getByRole('link', { name: 'Book again' }).click()
      await page.locator('summary').filter({ hasText: 'Grace Hopper' }).waitFor()
      expect(await page.getByLabel('First name').inputValue()).toBe('Grace')
      await look(page, `console-clients-3-book-${size}`)
      await page.getByLabel('Existing client: name, email or phone').fill('client2@')
      await page.getByRole('button', { name: /client2@example/ }).waitFor()
      await look(page, `console-clients-3-look-up-${size}`)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const email = page.getByLabel('Email', { exact: true })
      await expect.poll(() => email.inputValue()).toBe('client2@example.com')
      await expect.poll(() => page.getByRole('button', { name: /client2@example/ }).count()).toBe(0)
      await page.goBack()
      await page.getByRole('link', { name: /Grace Hopper/ }).click()
      await page.getByText('Block or erase').click()
      await page.getByRole('button', { name: 'Block this client' }).click()
      await page.getByText('Client blocked.').waitFor()
      await look(page, `console-clients-4-blocked-${size}`)
      await page.getByRole('button', { name: 'Unblock' }).click()
      await page.getByText('Client unblocked.').waitFor()
      await page.goto(`${address}/console/clients`)
      await page.getByRole('link', { name: new RegExp(other) }).click()
      await page.getByText('Block or erase').click()
      await page.getByRole('link', { name: 'Erase this client…' }).click()
      await page.getByRole('button', { name: 'Erase permanently' }).waitFor()
      await look(page, `console-clients-5-erase-${size}`)
      await page.getByRole('button', { name: 'Erase permanently' }).click()
      await page.getByText('Client erased.').waitFor()
      expect(await page.getByText(other).count()).toBe(0)
    },
  )
})

/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.runIf(chromiumPath !== undefined)('in a browser, the people who may log in', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    owner = await logInNewPerson(service, { email: 'owner@example.com', role: 'owner', place })
  })
  afterAll(async () => {
    await service.stop()
  })

  testFirstOf([
    ['phone', 'light'],
    ['desktop', 'dark'],
  ] as const)('an owner adds one and keeps them out, on a %s in the %s', async (size, colorScheme) => {
    const { page, errors, close } = await openConsole(browser, owner, {
      ...{ address, colorScheme, ...consoleSizes[size] },
    })
    const look = async (name: string) => {
      await keepScreenshot(page, `users-${name}-${size}`)
      expect(await violationsIn(page)).toEqual([])
    }
    await page.goto(`${address}/console`)
    await page.locator('.person > summary').click()
    await page.getByRole('link', { name: 'User accounts' }).click()
    await look('list')
    await page.getByRole('link', { name: 'Add a user' }).click()
    await page.getByLabel('Email').fill(`anna-${size}@example.com`)
    await page.getByLabel('Name').fill('عنّا Weber')
    await page.getByLabel('Role').selectOption('staff')
    await page.getByLabel('Name').press('Enter')
    await page.getByText('Choose a team member.').waitFor()
    await look('fault')
    await page.getByLabel('Team member').selectOption('Anna Weber')
    await page.getByRole('button', { name: 'Add a user' }).click()
    await page.getByRole('heading', { name: 'Link, shown only once' }).waitFor()
    expect(await page.getByLabel('Link').inputValue()).toContain('/console/link#cal_lnk_')
    await page.getByRole('button', { name: 'Copy' }).waitFor()
    await look('link')
    await page.getByRole('link', { name: 'User accounts' }).last().click()
    await page.getByRole('link', { name: 'Weber' }).last().click()
    await look('person')
    await page.getByRole('button', { name: 'Block' }).click()
    await page.getByText('Blocked.').waitFor()
    await page.getByRole('button', { name: 'Unblock' }).click()
    await page.getByText('Unblocked.').waitFor()
    expect(errors).toEqual([])
    await close()
  })
})

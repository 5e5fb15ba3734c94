/** @module-tag long */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offerFirstOwner } from '../../src/access/first-owner.ts'
import { expectSound } from '../support/booking-visit.ts'
import { chromiumPath, sharedBrowser, openVisitor, startPublicService } from '../support/browser.ts'
import { consoleSizes } from '../support/console.ts'
import { goodPassword } from '../support/person.ts'
import type { TestService } from '../support/test-service.ts'

/** Presses the tab key until the target has the focus. */
async function reach(page: Page, target: Locator, max = 150): Promise<void> {
  // found once, because a search by name takes longer than a key press
  const element = await target.elementHandle()
  const isThere = () =>
    element.evaluate(
      (node) => (node as { getRootNode(): { activeElement?: unknown } }).getRootNode().activeElement === node,
    )
  for (let presses = 0; presses < max && !(await isThere()); presses += 1) await page.keyboard.press('Tab')
  expect(await isThere()).toBe(true)
}

describe.runIf(chromiumPath !== undefined)('in a browser, from nothing to the first booking', () => {
  let browser: Browser
  let service: TestService
  let address: string
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite', { empty: true }))
  })
  afterAll(async () => {
    await service.stop()
  })

  test('an owner begins by the link, on a phone, by keyboard alone', async () => {
    const offer = await offerFirstOwner(service.context, true)
    const token = offer && 'link' in offer ? offer.link.token : ''
    const visitor = await openVisitor(browser, { ...consoleSizes.phone, timezoneId: 'America/New_York' })
    const { page, errors } = visitor
    const type = async (target: Locator, text: string) => {
      await reach(page, target)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    }
    const press = async (target: Locator, key = 'Enter') => {
      await reach(page, target)
      await page.keyboard.press(key)
    }
    const goOn = () => press(page.getByRole('button', { name: 'Save and continue' }))
    const title = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

    await page.goto(`${address}/console/first#${token}`)
    expect(page.url()).not.toContain(token)
    expect(await page.getByLabel('Time zone').inputValue()).toBe('America/New_York')
    await type(page.getByLabel('Your name'), 'Ada Lovelace')
    await type(page.getByLabel('Email', { exact: true }), 'ada@example')
    await type(page.getByLabel('New password'), goodPassword)
    await type(page.getByLabel('Name of your business'), 'Salon Nova')
    await type(page.getByLabel('Time zone'), 'Berlin')
    await press(page.getByRole('button', { name: 'Create account' }))
    await page.getByRole('alert').waitFor()
    await expectSound(page, 'start-1-account')
    await page.getByText('Enter the password again.').waitFor()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin')
    await type(page.getByLabel('Email', { exact: true }), 'ada@example.com')
    await type(page.getByLabel('New password'), goodPassword)
    await page.keyboard.press('Enter')

    await title('When can clients come?')
    await expectSound(page, 'start-2-hours')
    await goOn()
    await title('On which holidays are you closed?')
    await page.getByText('Christmas Day').first().waitFor()
    await expectSound(page, 'start-3-holidays')
    await goOn()
    await title('What do you offer?')
    await press(page.getByRole('link', { name: 'Hairdresser' }))
    await press(page.getByRole('checkbox', { name: 'Men’s cut', exact: true }), 'Space')
    await press(page.getByRole('checkbox', { name: 'Root colour' }), 'Space')
    await type(page.getByLabel('Men’s cut: price'), '35')
    await expectSound(page, 'start-3-services')
    await goOn()
    await title('Who works there?')
    await expectSound(page, 'start-4-people')
    await goOn()
    await title('Your booking page')
    await page.frameLocator('iframe').getByRole('heading', { name: 'Salon Nova' }).first().waitFor()
    await page.frameLocator('iframe').getByRole('button').first().waitFor()
    await expectSound(page, 'start-5-page')

    await press(page.getByRole('link', { name: 'Book a test appointment' }))
    const client = page.frameLocator('iframe')
    await client.getByRole('button', { name: 'Men’s cut' }).click()
    await client.locator('.time').first().click()
    await client.getByLabel('First name').fill('Grace')
    await client.getByLabel('Last name').fill('Hopper')
    await client.getByLabel('Email').fill('grace@example.com')
    await client.getByLabel('Email').press('Enter')
    await client.getByRole('heading', { name: 'Thank you, Grace!' }).waitFor()
    await press(page.getByRole('link', { name: 'Back to the console' }))
    await press(page.getByRole('link', { name: 'Show it in the calendar' }))
    await page.locator('.as-list', { hasText: 'Grace Hopper' }).waitFor()
    await expectSound(page, 'start-6-calendar')
    await press(page.locator('.tabs').getByRole('button', { name: 'More' }))
    await press(page.getByRole('link', { name: 'Booking page' }))
    await page.frameLocator('iframe').getByRole('heading', { name: 'Salon Nova' }).first().waitFor()
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(page.getByRole('button', { name: 'Copy Link to your booking page' }))
    await page.locator('#link-copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/\/book\/salon-nova$/)
    await press(page.locator('summary', { hasText: 'For your own website' }))
    await type(page.getByLabel('Address of your website'), 'www.salon.example')
    await page.keyboard.press('Enter')
    await page.getByText('is allowed').waitFor()
    await expectSound(page, 'start-7-website')
    await press(page.locator('.tabs').getByRole('button', { name: 'More' }))
    await press(page.getByRole('link', { name: 'Settings' }))
    await title('Settings')
    await expectSound(page, 'start-8-settings')
    expect(errors).toEqual([])
    await visitor.close()
  })
})

/** @module-tag long */
import type { Browser } from 'playwright-core'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.runIf(chromiumPath !== undefined)('in a browser, the page about calendars', () => {
  let browser: Browser
  let service: TestService
  let receiver: Receiver
  let address: string
  let manager: LoggedIn
  beforeAll(async () => {
    browser = await sharedBrowser()
    receiver = await startReceiver()
    ;({ service, address } = await startPublicService('sqlite'))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    manager = await logInNewPerson(service, { email: 'manager@example.com', role: 'manager', place })
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  testFirstOf([
    ['desktop', 'dark'],
    ['phone', 'light'],
  ] as const)('connects both ways, on a %s in the %s', async (size, colorScheme) => {
    const { page, errors, close } = await openConsole(browser, manager, {
      ...{ address, colorScheme, ...consoleSizes[size] },
    })
    const look = async (name: string) => {
      await keepScreenshot(page, `calendars-${name}-${size}`)
      expect(await violationsIn(page)).toEqual([])
      const [inner, outer] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      expect(inner).toBeLessThanOrEqual(outer)
    }
    receiver.answer = (response) => response.end('<!doctype html>')
    await page.goto(`${address}/console/people`)
    await page.locator('main .head .menu > summary').click()
    await page.getByRole('main').getByRole('link', { name: 'Connected calendars' }).click()
    await look('empty')
    await page.getByRole('link', { name: 'New address' }).click()
    await page.getByLabel('Bookings of').selectOption('Anna Weber')
    await look('feed')
    await page.getByRole('button', { name: 'Create address' }).click()
    expect(await page.getByLabel('Address').inputValue()).toMatch(/\/feeds\/[\w-]{43}\.ics$/)
    await page.getByRole('button', { name: 'Copy' }).waitFor()
    await look('address')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'Add a calendar' }).click()
    await page.getByLabel('Team member').selectOption('Anna Weber')
    await page.getByLabel('Secret address').fill('https://anna:secret@calendar.example.com/a.ics')
    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await page.getByRole('alert').waitFor()
    await look('fault')
    await page.getByLabel('Secret address').fill(`${receiver.address}/page`)
    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await page.getByText('The address does not lead to a calendar').waitFor()
    await look('no-calendar')
    receiver.answer = (response) => response.end('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n')
    await page.getByLabel('Secret address').fill(`${receiver.address}/a.ics`)
    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await page.getByText('Calendar added.').waitFor()
    await page.getByText('Delete', { exact: true }).click()
    await look('list')
    await page.getByRole('button', { name: 'Delete this address' }).click()
    await page.getByText('Address deleted.').waitFor()
    await page.getByText('Remove', { exact: true }).click()
    await page.getByRole('button', { name: 'Remove this calendar' }).click()
    await page.getByText('Calendar removed.').waitFor()
    expect(errors).toEqual([])
    await close()
  })
})

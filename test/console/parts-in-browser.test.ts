/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const ada = { email: 'ada@example.com', name: 'Ada', role: 'owner' } as const

describe.skipIf(chromiumPath === undefined)('the page of all parts', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn

  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const place = { businessId: businessOf(service.world, 'Salon Spree').id }
    owner = await logInNewPerson(service, { ...ada, place })
  })
  afterAll(async () => {
    await service.stop()
  })

  test.for([
    ['light, on a desktop', { ...consoleSizes.desktop, colorScheme: 'light' }],
    ['dark, on a phone', { ...consoleSizes.phone, hasTouch: true, colorScheme: 'dark' }],
  ] as const)('has no violation: %s', async ([name, look]) => {
    const visitor = await openConsole(browser, owner, { address, ...look })
    await visitor.page.goto(`${address}/console/parts`)
    await keepScreenshot(visitor.page, `parts ${name}`)
    expect(await misfitsIn(visitor.page)).toEqual([])
    expect(await violationsIn(visitor.page)).toEqual([])
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })

  test('fields show dates in the language of the page, and can be edited by keyboard', async () => {
    const visitor = await openConsole(browser, owner, { address, ...consoleSizes.desktop, locale: 'de-DE' })
    const { page } = visitor
    await page.goto(`${address}/console/parts`)
    const day = page.locator('#day')
    await day.fill('2026-11-23')
    await page.locator('#time').focus()
    expect(await day.getAttribute('data-words')).toBe('Mo., 23. Nov. 2026')
    await day.focus()
    await page.keyboard.press('ArrowUp')
    expect(await day.inputValue()).not.toBe('2026-11-23')
    await visitor.close()
  })
})

test('production has no page of parts', async () => {
  const service = await startTestService('sqlite', { NODE_ENV: 'production' })
  const { status } = await service.call('GET', '//console/parts', { headers: { accept: 'text/html' } })
  expect(status).toBe(404)
  await service.stop()
})

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
})

test('production has no page of parts', async () => {
  const service = await startTestService('sqlite', { NODE_ENV: 'production' })
  const { status } = await service.call('GET', '//console/parts', { headers: { accept: 'text/html' } })
  expect(status).toBe(404)
  await service.stop()
})

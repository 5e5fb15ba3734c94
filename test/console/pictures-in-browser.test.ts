/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { pngOf } from '../support/pictures.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.runIf(chromiumPath !== undefined)('in a browser, pictures', () => {
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
  afterAll(() => service.stop())

  testFirstOf([
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)('are cropped with keys, uploaded and shown to clients (%s, %s)', async (size, colorScheme) => {
    const { page, errors, close } = await openConsole(browser, owner, {
      ...{ address, colorScheme, ...consoleSizes[size] },
    })
    await page.goto(`${address}/console/website`)
    const cover = page.locator('[data-picture=cover]')
    const file = cover.locator('input[type=file]')
    await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await cover.getByText('Your browser cannot open this file').waitFor()
    // far larger than the API accepts
    const large = { name: 'cover.png', mimeType: 'image/png', buffer: pngOf(2_400, 2_100) }
    await file.setInputFiles(large)
    const dialog = page.getByRole('dialog', { name: 'Choose the part to show' })
    await dialog.waitFor()
    await page.keyboard.press('ArrowDown')
    await dialog.getByLabel('Zoom').fill('1.5')
    await keepScreenshot(page, `crop-${size}`)
    expect(await violationsIn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await file.setInputFiles(large)
    await dialog.getByRole('button', { name: 'Use this part' }).click()
    await cover.getByText('Uploaded. Save to show it.').waitFor()
    await page.locator('form', { has: cover }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    const [stored] = await service.rows('images')
    expect(stored).toMatchObject({ media_type: 'image/webp' })
    const shown = page.locator('img.cover')
    service.clock.advance(6) // the brand is cached for five seconds
    await page.goto(`${address}/book/salon-spree`)
    expect(await shown.getAttribute('src')).toBe(`/images/${String(stored?.digest)}`)
    const pixels = await page.evaluate(
      `(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector('img.cover'))`,
    )
    expect(pixels).toEqual([1_920, 600])
    await page.getByText('What would you like to book?').waitFor()
    await keepScreenshot(page, `cover-${size}`)
    expect(await violationsIn(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  })
})

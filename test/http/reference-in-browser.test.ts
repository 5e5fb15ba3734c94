/** @module-tag long */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

const withoutOthers = `for (const one of document.querySelectorAll('.reference section:not(:has(.trial))')) one.remove()`

describe.skipIf(chromiumPath === undefined)('the API reference in a browser', () => {
  let browser: Browser
  let service: TestService
  let address: string
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
  })
  afterAll(() => service.stop())

  const visit = async (width: number, height: number, colorScheme: 'dark' | 'light') => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address })
    return context.newPage()
  }

  /** Opens the form of an operation with the keyboard. */
  const formOf = async (page: Page, operation: string, name: string) => {
    await page.goto(`${address}/docs#${operation}`)
    await page.getByRole('button', { name: `Try it: ${name}` }).focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: `Try it: ${name}` })
    await form.waitFor()
    return form
  }

  test.each([
    [1440, 900, 'light'],
    [390, 844, 'dark'],
  ] as const)('tries and copies calls at %i pixels', async (width, height, scheme) => {
    const page = await visit(width, height, scheme)
    const list = await formOf(page, 'listServices', 'List services')
    await list.getByLabel('Key or token').fill(businessOf(service.world, 'Salon Spree').publishable_key)
    await page.keyboard.press('Enter')
    await list.getByText(/^200 OK · \d+ ms$/).waitFor()
    expect(await list.locator('pre').textContent()).toContain('"name": "Haircut"')

    const hold = await formOf(page, 'placeHold', 'Hold a slot')
    await hold.getByLabel('Body').fill('{"service_id":')
    await hold.getByRole('button', { name: 'Send' }).click()
    await hold.getByText(/^The body is not JSON: /).waitFor()
    await hold.getByLabel('Body').fill('{}')
    await hold.getByRole('button', { name: 'Send' }).click()
    await hold.getByText(/^422 /).waitFor()
    expect(await hold.locator('pre').textContent()).toContain('"code": "validation_failed"')

    await page.getByRole('button', { name: 'Copy: Hold a slot' }).click()
    await page.getByText('Copied').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toMatch(/^TOKEN=\$\(curl -s -X POST http/)
    await hold.getByLabel('Body').fill('')
    await page.getByRole('button', { name: 'Copy: Hold a slot' }).click()
    await expect
      .poll(async () => String(await page.evaluate('navigator.clipboard.readText()')))
      .toContain('"service_id"')
    const shell = String(await page.evaluate('navigator.clipboard.readText()'))
    const { stdout } = await promisify(execFile)('sh', ['-c', shell.replace('curl -X', 'curl -s -X')])
    expect(JSON.parse(stdout)).toMatchObject({ hold_id: expect.any(String) as string })
    await page.evaluate(withoutOthers) // the whole page takes axe a minute
    await keepScreenshot(page, `reference-${width}`)
    expect(await violationsIn(page)).toEqual([])
    await page.context().close()
  })

  test('a search is submitted with Enter, in the reference and in the guides', async () => {
    const page = await visit(390, 844, 'light')
    for (const name of ['API reference', 'Guides']) {
      await page.goto(`${address}/${name === 'Guides' ? 'guides' : 'docs'}`)
      await page.getByLabel(`Search: ${name}`).fill('webhook')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?q=webhook$/)
      expect(await page.locator('main a').count()).toBeGreaterThan(1)
    }
    await page.context().close()
  })

  test('asks for IDs in the address, and refuses a wrong key', async () => {
    const page = await visit(390, 844, 'light')
    const show = await formOf(page, 'showBooking', 'Show a booking')
    await show.getByRole('textbox', { name: 'id' }).fill('01990000-0000-7000-8000-000000000000')
    await show.getByLabel('Key or token').fill(businessOf(service.world, 'Salon Spree').business_key)
    await show.getByRole('button', { name: 'Send' }).click()
    await show.getByText(/^404 /).waitFor()
    await show.getByLabel('Key or token').fill('cal_pub_x')
    await show.getByRole('button', { name: 'Send' }).click()
    await show.getByText(/^The key was not exchanged for a session: /).waitFor()
    await page.context().close()
  })
})

/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading, next, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, sharedBrowser } from '../support/browser.ts'
import { readRows } from '../support/checker.ts'
import { commandLine } from '../support/command-line.ts'
import { isWhole, longTest } from '../support/long.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { engines } from '../support/test-service.ts'

/** From an empty database in production to a booking, by an owner and then a client. */
describe.runIf(chromiumPath !== undefined)('from nothing', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  // test/cli/setup.test.ts covers the engines
  describe.each(isWhole ? engines : ['sqlite' as const])('to a first booking (%s)', (engine) => {
    let database: TestDatabase
    let server: ServerProcess
    beforeAll(async () => {
      database = await createTestDatabase(engine)
      server = await startServer(database.url)
    })
    afterAll(async () => {
      await server.stop()
      await database.drop()
    })

    longTest('the first page without a business is sound', async () => {
      const page = await browser.newPage()
      await page.goto(server.address)
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor()
      await expectSoundInBoth(page, 'start-nothing')
      await page.close()
    })

    test('a business that setup makes is booked from the first page, without PUBLIC_URL', async () => {
      await commandLine(database.url, { NODE_ENV: 'development' }).text(
        ...['setup', '--yes', '--name', 'Salon Spree', '--service', 'Haircut', '--person', 'Anna Weber'],
        ...['--hours', 'daily 00:00-24:00', '--timezone', 'Europe/Berlin', '--price', '35 EUR'],
      )
      const page = await browser.newPage({
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
      })
      page.setDefaultTimeout(60_000)
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      // neither the address of PUBLIC_URL nor that of HOST and PORT
      const address = server.address.replace('127.0.0.1', 'localhost')
      await expect
        .poll(async () => (await page.goto(address), page.getByRole('link', { name: 'Book' }).count()))
        .toBe(1)
      await expectSound(page, `start-business-${engine}`)
      await page.getByRole('link', { name: 'Book' }).click()
      // no step has named them, because there was nothing to choose
      const facts = page.locator('.facts')
      await facts.waitFor()
      expect(await facts.locator('bdi, span').allTextContents()).toEqual([
        ...['Haircut', '30 minutes', '€35', 'Anna Weber'],
      ])
      await expectSound(page, `first-times-${engine}`)
      const day = page.locator('.day.is-free').last()
      await day.click()
      await page.locator('.time').first().click()
      await heading(page, 'Your details')
      await writeDetails(page)
      await next(page, 'Book now')
      await heading(page, 'Thank you, Ada!')
      expect(errors).toEqual([])
      expect(await readRows(database.url, 'select status, client_email from bookings')).toMatchObject([
        { status: 'confirmed', client_email: 'ada@example.com' },
      ])
      await page.close()
    })

    longTest('in development it leads on, and is sound', async () => {
      await server.stop() // a SQLite file has one server
      const other = await startServer(database.url, { NODE_ENV: 'development' })
      const page = await browser.newPage({ reducedMotion: 'reduce' }) // colours would change slowly
      await page.goto(other.address)
      await page.getByRole('link', { name: 'API reference' }).waitFor()
      await expectSoundInBoth(page, 'start-development')
      await page.close()
      await other.stop()
    })

    async function expectSoundInBoth(page: Page, name: string): Promise<void> {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expectSound(page, `${name}-${engine}-${colorScheme}`)
      }
    }
  })
})

/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { consoleSizes, goToSection, openConsole } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import type { TestService } from '../support/test-service.ts'

/* An owner imports a file of clients as a spreadsheet in Germany saves it, in a browser. */

let browser: Browser
let service: TestService
let address: string

/** Semicolons, Windows-1252, a client who is repeated, and a row that cannot be imported. */
function fileOf(size: string): Buffer {
  const rows = [
    ['Vorname', 'Nachname', 'E-Mail', 'Mobil', 'Geburtstag', 'Notiz'],
    ['Jürgen', 'Müller', `juergen-${size}@example.com`, '0151 2345601', '01.05.1980', 'Allergie: Nüsse'],
    ['Käthe', 'Größe', `kaethe-${size}@example.com`, '0151 2345602', '', ''],
    ['Zoë', 'Schäfer', '', `0151 23456${size.length}3`, '02.05.1981', ''],
    ['Käthe', 'Größe', `kaethe-${size}@example.com`, '', '', ''],
    ['Björn', 'Weiß', 'no address', '', '', ''],
  ]
  return Buffer.from(rows.map((row) => row.join(';')).join('\r\n'), 'latin1')
}

describe.skipIf(chromiumPath === undefined)('the import of clients in a browser', () => {
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
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
    ['phone', 'light', 'SMALL'],
    ['desktop', 'dark', 'LARGE'],
  ] as const)('shows a plan and then the result, on a %s in the %s', async (size, colorScheme, name) => {
    const place = { businessId: bookerOf(service).business.id }
    const person = { email: `${name}@example.com`, name: 'Ada', role: 'owner', place } as const
    const owner = await logInNewPerson(service, person)
    const visitor = await openConsole(browser, owner, { address, ...consoleSizes[size], colorScheme })
    const { page } = visitor
    await page.goto(`${address}/console`)
    await goToSection(page, 'Clients')
    await page.locator('.head .menu > summary').click()
    await page.getByRole('link', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import clients' }).waitFor()
    await look(page, `console-import-1-file-${size}`)
    const file = { name: 'clients.csv', mimeType: 'text/csv', buffer: fileOf(size) }
    await page.getByLabel('CSV file').setInputFiles(file)
    await page.getByRole('button', { name: 'Read the file' }).click()
    await page.getByText('3 new clients').waitFor()
    await look(page, `console-import-2-plan-${size}`)
    expect(await page.getByText('Jürgen').count()).toBe(1)
    await page.getByLabel('Geburtstag').selectOption({ label: 'Into the notes, with the heading' })
    await page.getByRole('button', { name: 'Update the plan' }).click()
    await page.getByText('3 new clients').waitFor()
    expect(await page.getByLabel('Geburtstag').inputValue()).toBe('note')
    await page.getByRole('button', { name: 'Import 3 clients' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    await look(page, `console-import-3-result-${size}`)
    await page.getByRole('link', { name: 'All clients' }).click()
    await page
      .getByRole('link', { name: /Jürgen Müller/ })
      .first()
      .click()
    await page.getByText('Geburtstag: 01.05.1980').waitFor()
    await look(page, `console-import-4-client-${size}`)
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })
})

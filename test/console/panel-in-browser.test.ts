/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { consoleSizes, openConsole, openMore, panelAddress } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import type { TestService } from '../support/test-service.ts'

const day = '2026-11-23'

describe.skipIf(chromiumPath === undefined)('the panel next to the calendar', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  const visitors: Visitor[] = []

  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const { book, staffId, business } = bookerOf(service)
    owner = await logInNewPerson(service, {
      ...{ email: 'ada@example.com', name: 'Ada', role: 'owner', place: { businessId: business.id } },
    })
    const client = { first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', phone: null }
    for (const time of ['10:00', '12:00'])
      await book('Haircut', `${day}T${time}:00+01:00`, { staff_id: staffId('Anna'), client })
  })
  afterEach(async () => {
    for (const { errors, close } of visitors.splice(0)) {
      expect(errors).toEqual([])
      await close()
    }
  })
  afterAll(async () => {
    await service.stop()
  })

  const open = async (path: string, options: Parameters<typeof openConsole>[2] | object): Promise<Page> => {
    const visitor = await openConsole(browser, owner, { address, ...options })
    visitors.push(visitor)
    await visitor.page.goto(`${address}${path}`)
    await visitor.page.locator('aside.panel').waitFor({ state: 'attached' })
    return visitor.page
  }
  const isOpen = (page: Page) => page.locator('aside.panel').isVisible()

  testFirstOf([
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)(
    'shows a booking, keeps faults and saves, and survives a reload (%s, %s)',
    async (size, colorScheme) => {
      const view = size === 'phone' ? 'list' : 'day'
      const page = await open(`/console?date=${day}&view=${view}`, { ...consoleSizes[size], colorScheme })
      await page
        .getByRole('link', { name: /Grace Hopper/ })
        .first()
        .click()
      expect((await panelAddress(page)).pathname).toMatch(/^\/console\/bookings\/[0-9a-f-]+$/)
      await keepScreenshot(page, `panel-${size}-${colorScheme}`)
      expect(await violationsIn(page)).toEqual([])
      expect(await misfitsIn(page)).toEqual([])
      await openMore(page)
      await page.getByRole('link', { name: 'Edit client' }).click()
      await page.getByLabel('Phone', { exact: true }).fill('call me')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('Phone', { exact: true }).inputValue()).toBe('call me')
      await page.getByLabel('Phone', { exact: true }).fill('+44 20 7946 0000')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').filter({ hasText: 'Client details saved.' }).waitFor()
      await page.waitForURL(({ searchParams }) => !searchParams.get('panel')?.includes('/client'))
      await page.reload()
      await panelAddress(page)
      await page.locator('.panel').getByText('+44 20 7946 0000').first().waitFor()
      await page.goBack()
      await eventually('the calendar alone', async () => !(await isOpen(page)))
      expect(new URL(page.url()).searchParams.get('panel')).toBeNull()
    },
  )

  test('Escape closes it and gives the focus back', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    const link = page.getByRole('link', { name: /Grace Hopper/ }).first()
    await link.focus()
    await page.keyboard.press('Enter')
    await panelAddress(page)
    await page.keyboard.press('Escape')
    expect(await isOpen(page)).toBe(false)
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Grace Hopper')
  })

  test('Escape closes it from the part of the page that it covers, and the focus stays there', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    await page
      .getByRole('link', { name: /Grace Hopper/ })
      .first()
      .click()
    await panelAddress(page)
    const settings = page.locator('#sections').getByRole('link', { name: 'Settings' })
    await settings.focus()
    await page.keyboard.press('Escape')
    expect(await isOpen(page)).toBe(false)
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Settings')
  })

  test('Escape closes a menu or a drop-down list in it first', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    await page
      .getByRole('link', { name: /Grace Hopper/ })
      .first()
      .click()
    await panelAddress(page)
    await openMore(page)
    await page.keyboard.press('Escape')
    expect(await page.locator('.booking .menu > ul').isVisible()).toBe(false)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    expect(await isOpen(page)).toBe(true)
    await page.goto(
      `${address}/console?date=${day}&panel=${encodeURIComponent(`/console/block?date=${day}`)}`,
    )
    await panelAddress(page)
    await page.locator('.panel select').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    expect(await isOpen(page)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await isOpen(page)).toBe(false)
    expect(await page.evaluate('document.activeElement.id')).toBe('main') // no link opened it
  })

  test('on a phone, the focus stays in it, because it covers the page', async () => {
    const page = await open(`/console?date=${day}&view=list`, consoleSizes.phone)
    await page
      .getByRole('link', { name: /Grace Hopper/ })
      .first()
      .click()
    await panelAddress(page)
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.closest("main, .side, .tabs")')).toBeNull()
    }
    await page.locator('.panel-close').click()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Grace Hopper')
  })

  test('moves nothing when an address opens it', async () => {
    const visitor = await openConsole(browser, owner, { address, width: 1440, height: 900 })
    visitors.push(visitor)
    const { page } = visitor
    await page.addInitScript(`globalThis.moved = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.moved += value
      }).observe({ type: 'layout-shift', buffered: true })`)
    const panel = encodeURIComponent(`/console/block?date=${day}`)
    await page.goto(`${address}/console?date=${day}&panel=${panel}`)
    await panelAddress(page)
    expect(await page.evaluate('moved')).toBeLessThan(0.001)
  })

  test('a booking made in it appears in the calendar', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    await page.getByRole('link', { name: 'New booking' }).click()
    await page.getByText('New client').click()
    await page.getByLabel('First name').fill('Alan')
    await page.locator('.panel').getByRole('button', { name: 'Haircut 30 min · €35' }).click()
    await page.getByText('30 min · €35 in total').waitFor()
    await page.locator('.panel summary').filter({ hasText: 'Alan' }).click()
    expect(await page.getByLabel('First name').inputValue()).toBe('Alan')
    await page.getByLabel('Last name').fill('Turing')
    await page.getByLabel('Email', { exact: true }).fill('alan@example.com')
    await page.getByLabel('Time', { exact: true }).fill('15:00')
    await page.getByLabel('Time', { exact: true }).press('Tab')
    await page.getByText('15:00–15:30 · 30 min').waitFor() // before it is booked
    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await page.locator('#calendar').getByText('Alan Turing').first().waitFor()
  })

  test('a link to a page that does not fit leads to that page', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    await page
      .getByRole('link', { name: /Grace Hopper/ })
      .first()
      .click()
    await panelAddress(page)
    await openMore(page)
    await page.getByRole('link', { name: 'All bookings of this client' }).click()
    await page.getByRole('heading', { name: 'Bookings' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/bookings')
  })

  test('a warning has the focus, and after a move to another day its calendar and panel work', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    const openTwelve = () => page.getByRole('link', { name: /12:00 Grace Hopper/ }).click()
    await openTwelve()
    await panelAddress(page)
    await page.locator('.panel').getByRole('link', { name: 'Move', exact: true }).click()
    const time = page.locator('.panel').getByLabel('Time')
    await time.fill('03:00')
    const move = page.locator('.panel').getByRole('button', { name: 'Move', exact: true }).last()
    await move.click()
    await page.getByLabel('Move anyway').waitFor()
    await page.waitForFunction('document.activeElement.name === "anyway"')
    await time.fill('12:00')
    await page.locator('.panel').getByLabel('Date').fill('2026-11-24')
    await move.click()
    await page.waitForURL(/date=2026-11-24/)
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor()
    await openTwelve()
    expect((await panelAddress(page)).pathname).toMatch(/^\/console\/bookings\/[0-9a-f-]+$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('t')
    await page.waitForURL((url) => !url.search.includes('2026-11-24'))
  })

  test('an ended log-in shows the log-in page, and then saves what was typed', async () => {
    const page = await open(`/console?date=${day}`, consoleSizes.desktop)
    await page
      .getByRole('link', { name: /Grace Hopper/ })
      .first()
      .click()
    await openMore(page)
    await page.getByRole('link', { name: 'Notes and answers' }).click()
    await page.getByLabel('Notes').fill('Rings twice')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.content()).toContain('Rings twice')
  })
})

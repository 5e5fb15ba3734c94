import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  launchBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import type { TestService } from '../support/test-service.ts'

/* The calendar of the console with its script, in a browser, on the demo world. */

let browser: Browser
let service: TestService
let address: string
let owner: LoggedIn
let booker: ReturnType<typeof bookerOf>
const visitors: Visitor[] = []

beforeAll(async () => {
  if (chromiumPath === undefined) return
  browser = await launchBrowser()
  ;({ service, address } = await startPublicService('sqlite'))
  booker = bookerOf(service)
  const place = { businessId: booker.business.id }
  owner = await logInNewPerson(service, { email: 'ada@example.com', name: 'Ada', role: 'owner', place })
})
afterEach(async () => {
  for (const visitor of visitors.splice(0)) {
    expect(visitor.errors).toEqual([])
    await visitor.close()
  }
})
afterAll(async () => {
  if (chromiumPath === undefined) return
  await browser.close()
  await service.stop()
})

const open = async (path: string, options: VisitorOptions = consoleSizes.desktop) => {
  const visitor = await openConsole(browser, owner, { address, ...options })
  visitors.push(visitor)
  await visitor.page.goto(`${address}${path}`)
  return visitor
}
const look = async (page: Page, name: string) => {
  await keepScreenshot(page, `console-calendar-${name}`)
  expect(await misfitsIn(page)).toEqual([])
  expect(await violationsIn(page)).toEqual([])
}
const booking = (page: Page, id: string) => page.locator(`#b-${id}`)

describe.skipIf(chromiumPath === undefined)('the calendar, live', () => {
  test('shows what others book, move and hold; focus, scrolling and an open menu stay', async () => {
    const day = '2026-11-23'
    const anna = booker.staffId('Anna')
    const first = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const { page } = await open(`/console?date=${day}&hours=all`)
    await booking(page, first).focus()
    const scrolled = `document.querySelector('.cal-scroll').scrollTop`
    const isOpen = `document.querySelector('header .menu.at-end').open`
    await page.evaluate(`${scrolled} = 300; ${isOpen} = true`)
    const second = await booker.book('Haircut', `${day}T11:00:00+01:00`, { staff_id: anna })
    await booking(page, second).waitFor()
    await booker.hold('Haircut', `${day}T14:00:00+01:00`, { staff_id: booker.staffId('Ben') })
    await page.locator('.hold').waitFor()
    await look(page, 'live')
    await booker.call('PATCH', `/bookings/${first}`, { staff_id: booker.staffId('Ben') })
    await page.locator(`[data-who="${booker.staffId('Ben')}"] #b-${first}`).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe(`b-${first}`)
    expect(await page.evaluate(scrolled)).toBe(300)
    expect(await page.evaluate(isOpen)).toBe(true)
    await booker.call('DELETE', `/bookings/${second}`)
    await booking(page, second).waitFor({ state: 'detached' })
  })

  test('a hold counts down and goes when it ends; the present time moves', async () => {
    await booker.hold('Haircut', '2026-11-20T15:00:00+01:00', { staff_id: booker.staffId('Ben') })
    const { page } = await open('/console?date=2026-11-20')
    await page.locator('.hold').getByText('held 9:5').waitFor()
    const line = page.locator('.cal-axis .cal-now')
    await line.getByText('10:00').waitFor()
    await page.clock.fastForward('10:00')
    await page.locator('.hold').waitFor({ state: 'detached' })
    service.clock.advance(660)
    await line.getByText('10:11').waitFor()
  })

  test('says that the network is away and that a log-in has ended, and goes on', async () => {
    const { page, context } = await open('/console?date=2026-11-24')
    await context.setOffline(true)
    const status = page.locator('#cal-status')
    await status.getByText('No connection. This is how it was at').waitFor()
    await look(page, 'offline')
    const id = await booker.book('Haircut', '2026-11-24T11:00:00+01:00')
    await context.setOffline(false)
    await booking(page, id).waitFor()
    await status.getByText('No connection.').waitFor({ state: 'detached' })
    const cookies = await context.cookies()
    await context.clearCookies()
    await status.getByRole('link', { name: 'Log in again' }).waitFor()
    await look(page, 'logged-out')
    await context.addCookies(cookies)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await status.getByRole('link').waitFor({ state: 'detached' })
  })
})

/** @module-tag long */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { consoleSizes, openConsole, panelAddress } from '../support/console.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import type { TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

/* Visits in the calendar of the console with its script, in a browser: a colour by Anna, then a cut by Ben. */

let browser: Browser
let service: TestService
let address: string
let business: OwnBusiness
let salon: VisitSalon
let owner: LoggedIn
const visitors: Visitor[] = []

beforeAll(async () => {
  if (chromiumPath === undefined) return
  browser = await sharedBrowser()
  ;({ service, address } = await startPublicService('sqlite', {
    MAIL_DIR: mkdtempSync(join(inject('filesDirectory'), 'mails-')),
  }))
  business = await makeBusiness(service)
  salon = await makeVisitSalon(service, business)
  const place = { businessId: business.id }
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
  await service.stop()
})

const call = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { token: business.key, ...(body !== undefined && { body }) })
const open = async (path: string, options: VisitorOptions = consoleSizes.desktop) => {
  const visitor = await openConsole(browser, owner, { address, ...options })
  visitors.push(visitor)
  await visitor.page.goto(`${address}${path}`)
  await visitor.page.locator('aside.panel').waitFor({ state: 'attached' }) // its script has loaded
  return visitor.page
}
const look = async (page: Page, name: string) => {
  await keepScreenshot(page, `console-visits-${name}`)
  expect(await misfitsIn(page)).toEqual([])
  expect(await violationsIn(page)).toEqual([])
}
/** Books a colour by Anna at 10:00, then a cut by Ben at 11:30. Anna is free from 10:30 to 11:00. */
const book = (day: string) =>
  salon.book(`${day}T10:00:00+01:00`, {
    items: [
      { service_id: salon.colour, staff_id: salon.anna },
      { service_id: salon.cut, staff_id: salon.ben },
    ],
  })
const itemsOf = async (id: string) => {
  const { body } = await call('GET', `/bookings/${id}`)
  const items = body['items'] as { service: { name: string }; staff: { name: string }; starts_at: string }[]
  return items.map((one) => `${one.starts_at.slice(11, 16)} ${one.service.name} ${one.staff.name}`)
}
const note = (page: Page) => page.locator('.cal-note')
const keepNote = (page: Page) => note(page).getByRole('button').first().focus()
const column = (page: Page, who: string) => page.locator(`.cal-col[data-who="${who}"]`)
const partsIn = (page: Page, who: string) => column(page, who).locator('.booking')
/** Returns a point within a part. */
const pointOf = async (page: Page, who: string) => {
  const box = await partsIn(page, who).first().boundingBox()
  return { x: (box?.x ?? 0) + 40, y: (box?.y ?? 0) + 8 }
}
/** Returns the height of a number of hours. */
const hours = (page: Page, count: number) =>
  page.evaluate<number>(`(() => {
    const column = document.querySelector('.cal-col')
    const [[, end]] = JSON.parse(column.dataset.runs)
    return (${count} * 12 * column.querySelector('.cal-rows').getBoundingClientRect().height) / end
  })()`)
const drag = async (page: Page, from: { x: number; y: number }, by: { x?: number; y?: number }) => {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + (by.x ?? 0), from.y + (by.y ?? 0), { steps: 8 })
}
/** Returns the times of the copies that follow the pointer. */
const carried = (page: Page) => page.locator('.cal-carried:visible > b').allInnerTexts()

describe.skipIf(chromiumPath === undefined)('a visit in the calendar', () => {
  test('shows its parts together, and its light step books others', async () => {
    const day = '2026-11-23'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}&resources=true&view=day`)
    expect(await partsIn(page, salon.anna).count()).toBe(2)
    expect(await partsIn(page, salon.ben).count()).toBe(1)
    expect(await partsIn(page, salon.basin).count()).toBe(1)
    await page.locator(`#b-${id}-1`).focus()
    expect(await page.locator('.is-tied:not(.light)').count()).toBe(4)
    await look(page, 'tied')
    await page.getByRole('link', { name: 'Rooms' }).first().focus()
    expect(await page.locator('.is-tied').count()).toBe(0)
    await partsIn(page, salon.basin).hover()
    expect(await page.locator('.is-tied:not(.light)').count()).toBe(4)
    const light = await column(page, salon.anna).locator('.light').boundingBox()
    await page.mouse.click((light?.x ?? 0) + 40, (light?.y ?? 0) + 4)
    const { searchParams } = await panelAddress(page)
    expect([searchParams.get('who'), searchParams.get('start')]).toEqual([salon.anna, `${day}T09:30:00.000Z`])
    await page.goBack()
    await page.locator('aside.panel').waitFor({ state: 'hidden' })
    await partsIn(page, salon.basin).getByRole('link').click()
    expect((await panelAddress(page)).pathname).toBe(`/console/bookings/${id}`)
    expect(await page.locator('.is-open:not(.light)').count()).toBe(4)
    await look(page, 'open')
    await page.locator('.panel-close').click()
    expect(await page.locator('.is-open').count()).toBe(0)
  })

  test('is dragged in time with all its parts, and back by Undo', async () => {
    const day = '2026-11-24'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}&resources=true&view=day`)
    await drag(page, await pointOf(page, salon.ben), { y: await hours(page, 1) })
    await page.locator('.cal-carried').getByText('12:30–13:00').waitFor()
    expect((await carried(page)).toSorted()).toEqual([
      '11:00–11:30',
      '11:00–12:30',
      '12:00–12:30',
      '12:30–13:00',
    ])
    await look(page, 'dragging')
    await page.mouse.up()
    await note(page).getByText('Tue 10:00 → Tue 11:00').waitFor()
    await keepNote(page)
    expect(await page.getByLabel('Notify').isChecked()).toBe(true)
    expect(await itemsOf(id)).toEqual(['11:00 Colour Anna', '12:30 Cut Ben'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await note(page).getByText('Undone.').waitFor()
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
  })

  test('gives one item to somebody else when it is dragged sideways', async () => {
    const day = '2026-11-25'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}`)
    const [from, to] = [await pointOf(page, salon.ben), await pointOf(page, salon.anna)]
    await drag(page, from, { x: to.x - from.x })
    await page.mouse.up()
    await note(page).getByText('Cut\u2069 with \u2068Anna\u2069').waitFor()
    await keepNote(page)
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Anna'])
    expect(await partsIn(page, salon.anna).count()).toBe(3)
    await page.getByRole('button', { name: 'Undo' }).click()
    await note(page).getByText('Undone.').waitFor()
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
  })

  test('stays in its room, and keeps its length', async () => {
    const day = '2026-11-26'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}&resources=true&view=day`)
    const [from, to] = [await pointOf(page, salon.basin), await pointOf(page, salon.ben)]
    await drag(page, from, { x: to.x - from.x })
    await page.locator('.cal-carried.is-refused').first().waitFor()
    await page.mouse.up()
    await note(page).getByText('It cannot be moved there.').waitFor()
    await page.locator('.cal-carried').first().waitFor({ state: 'detached' })
    const box = await partsIn(page, salon.ben).boundingBox()
    await drag(page, { x: from.x, y: from.y }, { y: await hours(page, 0.5) })
    await page.mouse.up()
    await note(page).getByText('Thu 10:00 → Thu 10:30').waitFor()
    expect(await itemsOf(id)).toEqual(['10:30 Colour Anna', '12:00 Cut Ben'])
    expect((await partsIn(page, salon.ben).boundingBox())?.height).toBe(box?.height)
  })

  test('springs back from a taken time, and offers times for all of it', async () => {
    const day = '2026-11-27'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}`)
    await page.route('**/console/calendar?*', (route) => route.abort()) // it does not know of the other one
    await salon.book(`${day}T12:30:00+01:00`, { items: [{ service_id: salon.cut, staff_id: salon.ben }] })
    await drag(page, await pointOf(page, salon.anna), { y: await hours(page, 1) })
    await page.mouse.up()
    await note(page).getByText('That time has just been taken. Free nearby:').waitFor()
    await page.locator('.cal-carried').first().waitFor({ state: 'detached' })
    await look(page, 'conflict')
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
    await page.unroute('**/console/calendar?*')
    await note(page).getByRole('button', { name: 'Fri' }).first().click()
    await note(page).getByText('Fri 10:00 → Fri').waitFor()
    const [colour, cut] = await itemsOf(id)
    expect(colour).toMatch(/ Colour Anna$/)
    expect(colour).not.toContain('10:00')
    expect(cut).toMatch(/ Cut Ben$/)
  })

  test('goes to another day of a week, also with what the week does not show', async () => {
    const day = '2026-12-07'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}&view=week&who=${salon.anna}`)
    const days = page.locator('.cal-col')
    const [monday, tuesday] = [await days.nth(0).boundingBox(), await days.nth(1).boundingBox()]
    await drag(page, await pointOf(page, salon.anna), { x: (tuesday?.x ?? 0) - (monday?.x ?? 0) })
    await page.locator('.cal-carried').getByText('11:00–11:30').waitFor()
    await page.mouse.up()
    await note(page).getByText('Mon 10:00 → Tue 10:00').waitFor()
    expect(await days.nth(1).locator('.booking').count()).toBe(2)
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
    const { body } = await call('GET', `/bookings/${id}`)
    expect(body.starts_at).toBe('2026-12-08T10:00:00+01:00')
  })

  test('is moved by keys, from any of its parts', async () => {
    const day = '2026-11-30'
    const { id } = await book(day)
    const page = await open(`/console?date=${day}`, { ...consoleSizes.desktop, colorScheme: 'dark' })
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const focused = () => page.evaluate<string>('document.activeElement.id')
    await page.locator(`#b-${id}-1`).focus()
    await press('m', 'ArrowDown', 'Escape')
    await page.locator('.cal-carried').first().waitFor({ state: 'detached' })
    await press('m', 'ArrowDown', 'ArrowDown', 'Shift+ArrowDown', 'ArrowLeft')
    await page.getByText('Mon 12:15, Anna').waitFor()
    await look(page, 'keys')
    await press('Enter')
    await note(page).getByText('Mon 10:00 → Mon 10:45, \u2068Cut\u2069 with \u2068Anna\u2069').waitFor()
    expect(await itemsOf(id)).toEqual(['10:45 Colour Anna', '12:15 Cut Anna'])
    expect(await focused()).toBe(`b-${id}-1`)
    await press('u')
    await note(page).getByText('Undone.').waitFor()
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
  })

  test('on a phone, is in the list with all its items, and moves by finger', async () => {
    const day = '2026-12-02'
    const { id } = await book(day)
    const phone = { ...consoleSizes.phone, hasTouch: true }
    const list = await open(`/console?date=${day}`, phone)
    const rows = list.locator('.cal-agenda').locator('li', { hasText: 'Ada Lovelace' })
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining('1 of 2 · with Ben later'),
      expect.stringContaining('2 of 2 · with Anna before'),
    ])
    await look(list, 'phone-list')
    await rows.last().getByRole('link').tap()
    expect((await panelAddress(list)).pathname).toBe(`/console/bookings/${id}`)
    const page = await open(`/console?date=${day}&view=day`, phone)
    const fingers = await page.context().newCDPSession(page)
    const touch = (type: string, ...touchPoints: { x: number; y: number }[]) =>
      fingers.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints })
    await page.locator(`#b-${id}`).scrollIntoViewIfNeeded()
    const from = await pointOf(page, salon.anna)
    const step = (await hours(page, 1)) / 6
    await touch('touchStart', from)
    await page.locator('.cal-carried').first().waitFor()
    for (let at = 1; at <= 6; at += 1) await touch('touchMove', { x: from.x, y: from.y + at * step })
    await page.locator('.cal-carried').getByText('12:30–13:00').waitFor()
    await touch('touchEnd')
    await note(page).getByText('Wed 10:00 → Wed 11:00').waitFor()
    await keepNote(page)
    await look(page, 'phone-moved')
    expect(await itemsOf(id)).toEqual(['11:00 Colour Anna', '12:30 Cut Ben'])
    await page.getByRole('button', { name: 'Undo' }).tap()
    await note(page).getByText('Undone.').waitFor()
    expect(await itemsOf(id)).toEqual(['10:00 Colour Anna', '11:30 Cut Ben'])
  })
})

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
  type VisitorOptions,
} from '../support/browser.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { longTest } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { offer, type TestService } from '../support/test-service.ts'

/* Blocks, and classes of several bookings, in the calendar of the console with its script. */

describe.skipIf(chromiumPath === undefined)('in the calendar', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  let booker: ReturnType<typeof bookerOf>
  const visitors: Visitor[] = []
  beforeAll(async () => {
    browser = await sharedBrowser()
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
    await service.stop()
  })

  const open = async (path: string, options: VisitorOptions = consoleSizes.desktop) => {
    const visitor = await openConsole(browser, owner, { address, ...options })
    visitors.push(visitor)
    await visitor.page.goto(`${address}${path}`)
    return visitor
  }
  const look = async (page: Page, name: string) => {
    await keepScreenshot(page, `console-blocks-${name}`)
    expect(await misfitsIn(page)).toEqual([])
    expect(await violationsIn(page)).toEqual([])
  }
  const note = (page: Page) => page.locator('.cal-note')
  const keepNote = (page: Page) => note(page).getByRole('button').first().focus()
  const block = async (day: string, from: string, to: string) => {
    const { body } = await booker.call('POST', '/blocks', {
      staff_id: booker.staffId('Anna'),
      starts_at: `${day}T${from}:00+01:00`,
      ends_at: `${day}T${to}:00+01:00`,
      reason: 'Dentist',
    })
    return String(body.id)
  }
  const spanOf = async (id: string) => {
    const { body } = await booker.call('GET', `/blocks/${id}`)
    const name = booker.business.staff.find((one) => one.id === body.staff_id)?.name
    return `${String(body.starts_at).slice(11, 16)}–${String(body.ends_at).slice(11, 16)} ${String(name)}`
  }
  const shown = (page: Page, id: string) => page.locator(`[data-id="${id}"]`)
  /** Returns the middle of an element, and its lower edge. */
  const pointsOf = async (page: Page, id: string) => {
    await shown(page, id).scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await shown(page, id).boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    }
    return { middle: { x: x + width / 3, y: y + height / 2 }, edge: { x: x + width / 3, y: y + height - 2 } }
  }
  /** A row is five minutes. */
  const rowHeight = (page: Page) =>
    page.evaluate<number>(`(() => {
      const column = document.querySelector('.cal-col')
      const [[, end]] = JSON.parse(column.dataset.runs)
      return column.querySelector('.cal-rows').getBoundingClientRect().height / end
    })()`)
  const drag = async (page: Page, from: { x: number; y: number }, rows: number) => {
    const height = await rowHeight(page)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x, from.y + rows * height, { steps: 8 })
    await page.mouse.up()
  }

  test('a block is dragged, made longer, put back by Undo, and where somebody was faster', async () => {
    const day = '2026-11-25'
    const id = await block(day, '10:00', '11:00')
    const { page } = await open(`/console?date=${day}`)
    await drag(page, (await pointsOf(page, id)).middle, 24)
    await note(page).getByText('Wed 10:00 → Wed 12:00').waitFor()
    await keepNote(page)
    expect(await note(page).getByRole('checkbox').count()).toBe(0) // there is nobody to notify
    await look(page, 'moved')
    expect(await spanOf(id)).toBe('12:00–13:00 Anna Weber')
    await drag(page, (await pointsOf(page, id)).edge, 6)
    await note(page).getByText('Wed 12:00–13:00 → Wed 12:00–13:30').waitFor()
    await keepNote(page)
    expect(await spanOf(id)).toBe('12:00–13:30 Anna Weber')
    await page.getByRole('button', { name: 'Undo' }).click()
    await note(page).getByText('Undone.').waitFor()
    expect(await spanOf(id)).toBe('12:00–13:00 Anna Weber')

    await page.route('**/console/calendar?*', (route) => route.abort()) // it does not receive the change
    await booker.call('DELETE', `/blocks/${id}`)
    await drag(page, (await pointsOf(page, id)).middle, 12)
    await note(page).getByText('Somebody else has changed or removed this block.').waitFor()
    await page.locator('.cal-carried').waitFor({ state: 'detached' })
    await page.unroute('**/console/calendar?*')
  })

  test('a block is moved by keys, to another person and to another length', async () => {
    const day = '2026-11-26'
    const id = await block(day, '10:00', '11:00')
    const { page } = await open(`/console?date=${day}`)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await shown(page, id).getByRole('link').focus()
    await press('m', 'ArrowDown', 'Escape')
    await page.locator('.cal-carried').waitFor({ state: 'detached' })
    expect(await spanOf(id)).toBe('10:00–11:00 Anna Weber')
    await press('m', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+ArrowDown', 'Enter')
    await note(page).getByText('Thu 10:00 → Thu 10:30, with').waitFor()
    await page.locator(`[data-who="${booker.staffId('Ben')}"] [data-id="${id}"]`).waitFor()
    expect(await spanOf(id)).toBe('10:30–11:45 Ben Fischer')
    await page.waitForFunction(`document.activeElement.closest('[data-id="${id}"]') !== null`)
    await press('u')
    await note(page).getByText('Undone.').waitFor()
    expect(await spanOf(id)).toBe('10:00–11:00 Anna Weber')
  })

  longTest('a block is dragged with a finger, on a phone', async () => {
    const day = '2026-12-01'
    const id = await block(day, '10:00', '11:00')
    const { page, context } = await open(`/console?date=${day}&view=day`, {
      ...consoleSizes.phone,
      colorScheme: 'dark',
      hasTouch: true,
    })
    const fingers = await context.newCDPSession(page)
    const touch = (type: string, ...touchPoints: { x: number; y: number }[]) =>
      fingers.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints })
    const { middle } = await pointsOf(page, id)
    const step = (await rowHeight(page)) * 2
    await touch('touchStart', middle)
    await page.locator('.cal-carried').waitFor()
    for (let at = 1; at <= 6; at += 1) await touch('touchMove', { x: middle.x, y: middle.y + at * step })
    await touch('touchEnd')
    await note(page).getByText('Tue 10:00 → Tue 11:00').waitFor()
    await keepNote(page)
    await look(page, 'phone')
    expect(await spanOf(id)).toBe('11:00–12:00 Anna Weber')
  })

  test('a class is booked for two; with others in it, dragging it leads to its bookings', async () => {
    const date = '2026-12-02'
    const { location_id } = offer(booker.business, 'Haircut', 'Mitte')
    const { body } = await booker.call('POST', '/services', {
      ...{ name: 'Dance class', duration_minutes: 60, capacity: 8, location_ids: [location_id] },
      timetable: [{ weekday: 'wednesday', starts: ['16:30'] }],
    })
    const { page } = await open(`/console/book?date=${date}&service=${String(body.id)}`)
    await page.getByRole('button', { name: '16:30 · 8 left' }).click()
    await page.getByLabel('How many people').fill('2')
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com')
    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await page.getByText('Booked.').waitFor()
    await page.goto(`${address}/console?date=${date}`)
    await page.locator('.booking.group').getByText('2 of 8').waitFor()

    const { body: hold } = await booker.call('POST', '/bookings/hold', {
      ...{ service_id: body.id, location_id, starts_at: `${date}T16:30:00+01:00` },
    })
    const client = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
    await booker.call('POST', '/bookings', { hold_id: hold.hold_id, client })
    await page.goto(`${address}/console?date=${date}`)
    const group = page.locator('.booking.group')
    await group.getByText('3 of 8').waitFor()
    await group.scrollIntoViewIfNeeded()
    const { x, y } = (await group.boundingBox()) ?? { x: 0, y: 0 }
    await drag(page, { x: x + 10, y: y + 10 }, -12)
    await note(page)
      .getByText('Several bookings share this time. Open the list to move them together.')
      .waitFor()
    await look(page, 'class')
    await page.keyboard.press('Escape')
    await group.getByRole('link').focus()
    await page.keyboard.press('m')
    await note(page).getByRole('link', { name: 'Show bookings' }).click()
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor()
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  })
})

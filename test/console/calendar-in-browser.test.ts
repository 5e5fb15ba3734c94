import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, inject } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type Visitor,
  type VisitorOptions,
} from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { consoleSizes, openConsole, panelAddress } from '../support/console.ts'
import { longTest } from '../support/long.ts'
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
  browser = await sharedBrowser()
  ;({ service, address } = await startPublicService('sqlite', {
    MAIL_DIR: mkdtempSync(join(inject('filesDirectory'), 'mails-')),
  }))
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
  await service.stop()
})

const open = async (path: string, options: VisitorOptions = consoleSizes.desktop) => {
  const visitor = await openConsole(browser, owner, { address, ...options })
  visitors.push(visitor)
  await visitor.page.goto(`${address}${path}`)
  await visitor.page.locator('aside.panel').waitFor({ state: 'attached' }) // its script has loaded
  return visitor
}
const look = async (page: Page, name: string) => {
  await keepScreenshot(page, `console-calendar-${name}`)
  expect(await misfitsIn(page)).toEqual([])
  expect(await violationsIn(page)).toEqual([])
}
const booking = (page: Page, id: string) => page.locator(`#b-${id}`)
const note = (page: Page) => page.locator('.cal-note')
/** Returns the position of an instant in a column, on the screen. */
const pointOf = async (page: Page, who: string, instant: string) => {
  const [x, y] = await page.evaluate<[number, number]>(`(() => {
    const column = document.querySelector('[data-who="${who}"]')
    const rows = column.querySelector('.cal-rows').getBoundingClientRect()
    const [[first, end, atMs]] = JSON.parse(column.dataset.runs)
    const row = first + (Date.parse('${instant}') - atMs) / 300000
    return [rows.left + rows.width / 3, rows.top + ((row + 0.5) * rows.height) / end]
  })()`)
  return { x, y }
}
/** Keeps the note open, which stays while something in it has the focus. */
const keepNote = (page: Page) => note(page).getByRole('button').first().focus()
/** Lets time pass in the page until the awaited event. */
const passing = async (page: Page, awaited: Promise<unknown>) => {
  const state = { isOver: false }
  const ended = awaited.finally(() => (state.isOver = true))
  while (!state.isOver) {
    await page.clock.fastForward(3_000)
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300))])
  }
  await ended
}
const dragTo = async (page: Page, from: { x: number; y: number }, to: { x: number; y: number }) => {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 8 })
}
const startOf = async (id: string) => {
  const { body } = await booker.call('GET', `/bookings/${id}`)
  return `${String(body.starts_at).slice(0, 16)} ${String(body.staff?.name)}`
}
/** Returns the calls that change something. */
const changes = ({ requests }: Visitor) =>
  requests.filter(({ method }) => method === 'PATCH' || method === 'POST')

describe.skipIf(chromiumPath === undefined)('the calendar on paper', () => {
  longTest.each([
    ['desktop', consoleSizes.desktop],
    ['phone', consoleSizes.phone],
  ])('shows everybody of the day and nothing to press, from a %s', async (name, size) => {
    const day = '2027-02-01'
    const { id: added } = (
      await booker.call('POST', '/staff', {
        name: `Eva ${name}`,
        location_ids: [booker.business.locations.find((one) => one.name === 'Mitte')?.id],
      })
    ).body as { id: string }
    await booker.call('POST', '/staff', { name: `Fred ${name}` })
    const { page } = await open(`/console?date=${day}`, size)
    const columns = await page.locator('.cal-col').count()
    expect(columns).toBeGreaterThan(4)
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 1047, height: 718 }) // A4 landscape, without its margins
    await keepScreenshot(page, `console-calendar-printed-${name}`)
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.cal-col')]
      .filter((column) => column.getBoundingClientRect().right > innerWidth + 1)
      .map((column) => column.getAttribute('aria-label'))`)
    expect(cut).toEqual([])
    expect(await page.locator(`.cal-col[data-who="${added}"]`).isVisible()).toBe(true)
    const pressed = page.locator(
      'button:visible, .button:visible, select:visible, input:visible, nav:visible',
    )
    expect(await pressed.count()).toBe(0)
    const grid = await page.evaluate<number[]>(`(() => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.querySelector('.cal-scroll')
      return [scrollHeight - clientHeight, scrollWidth - clientWidth]
    })()`)
    expect(Math.max(...grid)).toBeLessThanOrEqual(1)
  })
})

describe.skipIf(chromiumPath === undefined)('the calendar in a narrow window', () => {
  longTest('scrolls sideways within its grid, so that the bar and the hours stay', async () => {
    const { page } = await open('/console?view=week&date=2026-11-23')
    await page.setViewportSize({ width: 1000, height: 720 })
    const beyond = (selector: string) =>
      page.locator(selector).evaluate((part) => part.scrollWidth - part.clientWidth)
    expect(await beyond('.cal-scroll')).toBe(0) // a week fits
    // as with more columns than fit
    await page.evaluate(
      `for (const one of document.querySelectorAll('.cal-col')) one.style.minWidth = '20rem'`,
    )
    expect(await beyond('.cal-scroll')).toBeGreaterThan(0)
    expect(await beyond('main')).toBe(0)
  })
})

describe.skipIf(chromiumPath === undefined)('the calendar, live', () => {
  test('shows what others book, move and hold; focus, scrolling and an open menu stay', async () => {
    const day = '2026-11-23'
    const anna = booker.staffId('Anna')
    const first = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const { page } = await open(`/console?date=${day}&hours=all`)
    await booking(page, first).focus()
    const scrolled = `document.querySelector('.cal-scroll').scrollTop`
    const isOpen = `document.querySelector('header .menu.person').open`
    await page.evaluate(`${scrolled} = 300; ${isOpen} = true`)
    const second = await booker.book('Haircut', `${day}T11:00:00+01:00`, { staff_id: anna })
    await passing(page, booking(page, second).waitFor())
    await booker.hold('Haircut', `${day}T14:00:00+01:00`, { staff_id: booker.staffId('Ben') })
    await passing(page, page.locator('.hold').waitFor())
    await look(page, 'live')
    await booker.call('PATCH', `/bookings/${first}`, { staff_id: booker.staffId('Ben') })
    await passing(page, page.locator(`[data-who="${booker.staffId('Ben')}"] #b-${first}`).waitFor())
    expect(await page.evaluate('document.activeElement.id')).toBe(`b-${first}`)
    expect(await page.evaluate(scrolled)).toBe(300)
    expect(await page.evaluate(isOpen)).toBe(true)
    await booker.call('DELETE', `/bookings/${second}`)
    await passing(page, booking(page, second).waitFor({ state: 'detached' }))
  })

  longTest('keeps the list of a phone as it is, in German', async () => {
    const day = '2026-12-04'
    const { page } = await open(`/console?date=${day}`, { ...consoleSizes.phone, locale: 'de-DE' })
    await booker.book('Haircut', `${day}T11:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    await booker.hold('Haircut', `${day}T14:00:00+01:00`, { staff_id: booker.staffId('Ben') })
    const list = page.locator('.cal-agenda')
    await passing(page, list.getByRole('link', { name: 'Ada Lovelace' }).waitFor())
    await passing(page, list.getByText('reserviert, noch 9:').waitFor())
    await look(page, 'list-phone')
  })

  longTest('a hold counts down and goes when it ends; the present time moves', async () => {
    await booker.hold('Haircut', '2026-11-20T15:00:00+01:00', { staff_id: booker.staffId('Ben') })
    const { page } = await open('/console?date=2026-11-20')
    await page.locator('.hold').getByText('held, 9:5').waitFor()
    const line = page.locator('.cal-axis .cal-now')
    await line.getByText('10:00').waitFor()
    await page.clock.fastForward('10:00')
    await passing(page, page.locator('.hold').waitFor({ state: 'detached' }))
    service.clock.advance(660)
    await passing(page, line.getByText('10:11').waitFor())
  })

  longTest('says that the network is away and that a log-in has ended, and goes on', async () => {
    const { page, context } = await open('/console?date=2026-11-24')
    await context.setOffline(true)
    const status = page.locator('#cal-status')
    await passing(page, status.getByText('No connection. Last updated').waitFor())
    await look(page, 'offline')
    const id = await booker.book('Haircut', '2026-11-24T11:00:00+01:00')
    await context.setOffline(false)
    await passing(page, booking(page, id).waitFor())
    await passing(page, status.getByText('No connection.').waitFor({ state: 'detached' }))
    const cookies = await context.cookies()
    await context.clearCookies()
    await passing(page, status.getByRole('link', { name: 'Log in again' }).waitFor())
    await look(page, 'logged-out')
    await context.addCookies(cookies)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await passing(page, status.getByRole('link').waitFor({ state: 'detached' }))
  })
})

describe.skipIf(chromiumPath === undefined)('an appointment in the calendar', () => {
  test('is dragged to another person and time, and back by Undo; else the client is told', async () => {
    const day = '2026-11-25'
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const visitor = await open(`/console?date=${day}`)
    const { page } = visitor
    await dragTo(
      page,
      await pointOf(page, anna, `${day}T09:05:00+01:00`),
      await pointOf(page, ben, `${day}T11:05:00+01:00`),
    )
    await page.locator('.cal-carried').getByText('11:00').waitFor()
    await look(page, 'dragging')
    await page.mouse.up()
    await note(page).getByText('Wed 9:00 → Wed 11:00, with \u2068Ben Fischer\u2069').waitFor()
    await keepNote(page)
    await page.locator(`[data-who="${ben}"] #b-${id}`).waitFor()
    expect(await page.getByLabel('Notify').isChecked()).toBe(true)
    await look(page, 'moved')
    expect(await startOf(id)).toBe(`${day}T11:00 Ben Fischer`)
    await page.getByRole('button', { name: 'Undo' }).click()
    await note(page).getByText('Undone.').waitFor()
    expect(await startOf(id)).toBe(`${day}T09:00 Anna Weber`)
    expect(changes(visitor).map(({ method }) => method)).toEqual(['PATCH', 'PATCH'])

    await dragTo(
      page,
      await pointOf(page, anna, `${day}T09:05:00+01:00`),
      await pointOf(page, anna, `${day}T10:05:00+01:00`),
    )
    await page.mouse.up()
    await note(page).getByText('Wed 9:00 → Wed 10:00').waitFor()
    await keepNote(page)
    await dragTo(
      page,
      await pointOf(page, anna, `${day}T10:05:00+01:00`),
      await pointOf(page, anna, `${day}T11:05:00+01:00`),
    )
    await page.mouse.up()
    await note(page).getByText('Wed 10:00 → Wed 11:00').waitFor()
    expect(await startOf(id)).toBe(`${day}T11:00 Anna Weber`)
    // the emails are written with the moves, so nothing depends on this page any more
    const waiting = async () =>
      (await service.rows('mails')).filter(
        (row) => row['booking_id'] === id && row['kind'] === 'changed' && row['status'] === 'queued',
      ).length
    const before = await waiting()
    expect(before).toBeGreaterThan(0)
    const box = note(page).getByRole('checkbox')
    const taken = page.waitForResponse((response) => response.url().endsWith('/tell'))
    await box.uncheck()
    expect((await taken).status()).toBe(204)
    expect(await waiting()).toBe(before - 1)
    const back = page.waitForResponse((response) => response.url().endsWith('/tell'))
    await box.check()
    expect((await back).status()).toBe(204)
    expect(await waiting()).toBe(before)
    await page.goto(`${address}/console/bookings`) // leaving the page does not undo it
    expect(await waiting()).toBe(before)
  })

  longTest('says that a client without an e-mail address gets no mail, and offers none', async () => {
    const day = '2026-12-16'
    const anna = booker.staffId('Anna')
    const client = { first_name: 'Peter', last_name: 'Lustig' }
    await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna, client })
    const visitor = await open(`/console?date=${day}`)
    const { page } = visitor
    await dragTo(
      page,
      await pointOf(page, anna, `${day}T09:05:00+01:00`),
      await pointOf(page, anna, `${day}T11:05:00+01:00`),
    )
    await page.mouse.up()
    await note(page).getByText('\u2068Peter Lustig\u2069 gets no email').waitFor()
    expect(await page.getByLabel('Notify').count()).toBe(0)
    await look(page, 'untold')
    await page.getByRole('button', { name: 'Undo' }).click()
    await note(page).getByText('Undone.').waitFor()
    expect(changes(visitor).map(({ method }) => method)).toEqual(['PATCH', 'PATCH'])
  })

  longTest(
    'springs back from a taken time, with free times nearby; its lower edge makes it longer',
    async () => {
      const day = '2026-11-26'
      const anna = booker.staffId('Anna')
      const id = await booker.book('Haircut', `${day}T08:00:00+01:00`, { staff_id: anna })
      const { page } = await open(`/console?date=${day}`)
      await booking(page, id).waitFor()
      await page.route('**/console/calendar?*', (route) => route.abort()) // it does not know of the other one
      await booker.book('Haircut', `${day}T10:00:00+01:00`, { staff_id: anna })
      const at = (time: string) => pointOf(page, anna, `${day}T${time}:00+01:00`)
      await dragTo(page, await at('08:05'), await at('10:05'))
      await page.mouse.up()
      await note(page).getByText('That time has just been taken. Free nearby:').waitFor()
      await page.locator('.cal-carried').waitFor({ state: 'detached' })
      await look(page, 'conflict')
      expect(await startOf(id)).toBe(`${day}T08:00 Anna Weber`)
      await page.unroute('**/console/calendar?*')
      const near = note(page).getByRole('button', { name: 'Thu' })
      expect(await near.count()).toBe(3)
      await near.first().click()
      await note(page).getByText('Thu 8:00 → Thu').waitFor()
      await keepNote(page)
      expect(await startOf(id)).not.toBe(`${day}T08:00 Anna Weber`)
      await page.getByRole('button', { name: 'Undo' }).click()
      await note(page).getByText('Undone.').waitFor()

      const edge = await at('08:25')
      const box = await booking(page, id).boundingBox()
      await dragTo(page, { x: edge.x, y: (box?.y ?? 0) + (box?.height ?? 0) - 2 }, await at('08:58'))
      await page.locator('.cal-carried').getByText('8:00–9:00').waitFor()
      await page.mouse.up()
      await note(page).getByText('Thu 8:00–8:30 → Thu 8:00–9:00').waitFor()
      const { body } = await booker.call('GET', `/bookings/${id}`)
      expect(body.ends_at).toBe(`${day}T09:00:00+01:00`)
    },
  )

  longTest(
    'is moved by keys, which also walk, book, block and help, and steal nothing that is typed',
    async () => {
      const day = '2026-11-27'
      const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
      const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
      const later = await booker.book('Haircut', `${day}T12:00:00+01:00`, { staff_id: anna })
      const { page } = await open(`/console?date=${day}`)
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      const focused = () => page.evaluate<string>('document.activeElement.id')
      await booking(page, id).focus()
      await press('ArrowDown', 'ArrowDown')
      expect(await focused()).toBe(`b-${later}`)
      await press('ArrowUp', 'ArrowUp')
      expect(await focused()).toBe(`b-${id}`)
      await press('m', 'ArrowDown', 'ArrowRight')
      await page.getByText('Fri 9:15, Ben Fischer').waitFor()
      await press('Escape')
      await page.locator('.cal-carried').waitFor({ state: 'detached' })
      expect(await startOf(id)).toBe(`${day}T09:00 Anna Weber`)
      await press('m', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+ArrowDown', 'Enter')
      await note(page).getByText('Fri 9:00 → Fri 9:30, with').waitFor()
      await page.locator(`[data-who="${ben}"] #b-${id}`).waitFor()
      expect(await focused()).toBe(`b-${id}`)
      expect(await startOf(id)).toBe(`${day}T09:30 Ben Fischer`)
      await press('u')
      await note(page).getByText('Undone.').waitFor()
      expect(await startOf(id)).toBe(`${day}T09:00 Anna Weber`)
      await press('?')
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      await look(page, 'keys')
      const letters = page.getByLabel('Use letters as shortcuts')
      await letters.uncheck() // speech input would cause them
      await press('Escape')
      await booking(page, id).focus()
      await press('x', 't', 'b', 'm', '/', '?')
      expect(await page.getByRole('heading', { name: 'Shortcuts' }).isVisible()).toBe(false)
      expect([await focused(), page.url()]).toEqual([`b-${id}`, `${address}/console?date=${day}`])
      await page.reload()
      await page.locator('aside.panel').waitFor({ state: 'attached' })
      await page.locator('[popovertarget=cal-do]').click()
      await page.getByRole('button', { name: 'Shortcuts (?)' }).click()
      expect(await letters.isChecked()).toBe(false)
      await letters.check()
      await press('Escape')
      await page.locator('[popovertarget=cal-tools]').click()
      await page.locator('.cal-filter [name=date]').focus()
      await press('b', 'x', 't', '?')
      expect(await page.getByRole('heading', { name: 'Shortcuts' }).isVisible()).toBe(false)
      await booking(page, id).focus()
      await press('ArrowRight', 'x')
      await page.getByRole('heading', { name: 'Block time' }).waitFor()
      expect(await page.getByLabel('Who or what').inputValue()).toBe(ben)
      await page.goBack()
      await eventually('the focus', async () =>
        (await page.evaluate<string>('document.activeElement.parentElement.className')).includes('free')
          ? true
          : undefined,
      )
      await booking(page, id).focus()
      await press('b')
      expect((await panelAddress(page)).searchParams.get('who')).toBe(anna)
      await page.goBack()
      await page.locator('aside.panel').waitFor({ state: 'hidden' })
      await booking(page, id).focus()
      await press('t')
      await page.getByRole('heading', { name: '20 November' }).waitFor()
    },
  )

  longTest('is dragged and moved by keys in Arabic, where columns run from right to left', async () => {
    const day = '2026-12-10'
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const { page } = await open(`/console?date=${day}`, { ...consoleSizes.desktop, locale: 'ar-EG' })
    const [from, to] = [
      await pointOf(page, anna, `${day}T09:05:00+01:00`),
      await pointOf(page, ben, `${day}T11:05:00+01:00`),
    ]
    expect(to.x).toBeLessThan(from.x)
    await dragTo(page, from, to)
    await look(page, 'dragging-arabic')
    await page.mouse.up()
    await page.locator(`[data-who="${ben}"] #b-${id}`).waitFor()
    await eventually('the move', async () =>
      (await startOf(id)) === `${day}T11:00 Ben Fischer` ? true : undefined,
    )
    await booking(page, id).focus()
    for (const key of ['m', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.locator(`[data-who="${anna}"] #b-${id}`).waitFor()
    await eventually('the move back', async () =>
      (await startOf(id)) === `${day}T11:15 Anna Weber` ? true : undefined,
    )
  })

  longTest('has its focus and scroll position again after going back to it', async () => {
    const day = '2026-12-08'
    const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: booker.staffId('Anna') })
    const { page } = await open(`/console?date=${day}&hours=all`)
    await booking(page, id).focus()
    await page.evaluate(`document.querySelector('.cal-scroll').scrollTop = 300`)
    await page.goto(`${address}/console/bookings`)
    await page.goBack()
    await eventually('the focus', async () =>
      (await page.evaluate<string>('document.activeElement.id')) === `b-${id}` ? true : undefined,
    )
    expect(await page.evaluate(`document.querySelector('.cal-scroll').scrollTop`)).toBe(300)
  })

  longTest('free time shows its start, and is booked by a click or blocked by dragging over it', async () => {
    const day = '2026-11-30'
    const anna = booker.staffId('Anna')
    const { page } = await open(`/console?date=${day}`, { ...consoleSizes.desktop, colorScheme: 'dark' })
    const at = (time: string) => pointOf(page, anna, `${day}T${time}:00+01:00`)
    const point = await at('09:20')
    await page.mouse.move(point.x, point.y)
    await page.getByText('+ 9:15').waitFor()
    await dragTo(page, point, await at('10:25'))
    await page.mouse.up()
    await page.getByRole('link', { name: 'Block 9:15–10:30' }).waitFor()
    await look(page, 'choice')
    await page.keyboard.press('Escape')
    await page.locator('.cal-choice').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.parentElement.className')).toContain('free')
    await dragTo(page, point, await at('10:25'))
    await page.mouse.up()
    await page.getByRole('link', { name: 'Block 9:15–10:30' }).click()
    expect(await page.getByLabel('From: Time').inputValue()).toBe('09:15')
    expect(await page.getByLabel('Until: Time').inputValue()).toBe('10:30')
    await page.goBack({ waitUntil: 'load' }) // its script is loaded then
    const again = await at('09:20')
    await page.mouse.click(again.x, again.y)
    const { searchParams } = await panelAddress(page)
    expect([searchParams.get('who'), searchParams.get('start')]).toEqual([anna, `${day}T08:15:00.000Z`])
  })

  longTest('a free time of yesterday is entered afterwards by a click', async () => {
    const day = '2026-11-19'
    const anna = booker.staffId('Anna')
    const { page } = await open(`/console?date=${day}`)
    const point = await pointOf(page, anna, `${day}T11:20:00+01:00`)
    await page.mouse.click(point.x, point.y)
    const { searchParams } = await panelAddress(page)
    expect([searchParams.get('who'), searchParams.get('start')]).toEqual([anna, `${day}T10:15:00.000Z`])
  })

  longTest('is dragged with a finger after a moment, on a phone, and one tap undoes it', async () => {
    const day = '2026-12-01'
    const anna = booker.staffId('Anna')
    const id = await booker.book('Haircut', `${day}T08:00:00+01:00`, { staff_id: anna })
    const { page, context } = await open(`/console?date=${day}&view=day`, {
      ...consoleSizes.phone,
      hasTouch: true,
    })
    const fingers = await context.newCDPSession(page)
    const touch = (type: string, ...touchPoints: { x: number; y: number }[]) =>
      fingers.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints })
    const from = await pointOf(page, anna, `${day}T08:05:00+01:00`)
    await touch('touchStart', from)
    await page.locator('.cal-carried').waitFor()
    for (let step = 1; step <= 6; step += 1) await touch('touchMove', { x: from.x, y: from.y + step * 12 })
    await page.locator('.cal-carried').getByText('9:00').waitFor()
    await touch('touchEnd')
    await note(page).getByText('Tue 8:00 → Tue 9:00').waitFor()
    await keepNote(page)
    await look(page, 'phone')
    expect(await startOf(id)).toBe(`${day}T09:00 Anna Weber`)
    await page.getByRole('button', { name: 'Undo' }).tap()
    await note(page).getByText('Undone.').waitFor()
    expect(await startOf(id)).toBe(`${day}T08:00 Anna Weber`)
    await page.getByRole('button', { name: 'Close' }).tap()
    await touch('touchStart', from) // a scrolling finger does not drag anything
    for (let step = 1; step <= 6; step += 1) await touch('touchMove', { x: from.x, y: from.y - step * 12 })
    await touch('touchEnd')
    expect(await page.locator('.cal-carried').count()).toBe(0)
    expect(await startOf(id)).toBe(`${day}T08:00 Anna Weber`)
  })

  longTest('two people move it: one wins, the other is told and sees where it is', async () => {
    const day = '2026-12-02'
    const [anna, ben] = [booker.staffId('Anna'), booker.staffId('Ben')]
    const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const { page: one } = await open(`/console?date=${day}`)
    const { page: other } = await open(`/console?date=${day}`)
    await dragTo(
      other,
      await pointOf(other, anna, `${day}T09:05:00+01:00`),
      await pointOf(other, anna, `${day}T12:05:00+01:00`),
    )
    await dragTo(
      one,
      await pointOf(one, anna, `${day}T09:05:00+01:00`),
      await pointOf(one, ben, `${day}T10:05:00+01:00`),
    )
    await one.mouse.up()
    await note(one).getByText('Wed 9:00 → Wed 10:00').waitFor()
    await other.mouse.up()
    await note(other).getByText('Somebody else has changed this appointment.').waitFor()
    await other.locator(`[data-who="${ben}"] #b-${id}`).waitFor()
    expect(await startOf(id)).toBe(`${day}T10:00 Ben Fischer`)
  })

  longTest('is moved once over a broken network, and while the server is away', async () => {
    const day = '2026-12-03'
    const anna = booker.staffId('Anna')
    const id = await booker.book('Haircut', `${day}T09:00:00+01:00`, { staff_id: anna })
    const visitor = await open(`/console?date=${day}`)
    const { page } = visitor
    const at = (time: string) => pointOf(page, anna, `${day}T${time}:00+01:00`)
    await page.route('**/api/v1/bookings/*', async (route) => {
      await route.fetch() // the request arrives, but its answer does not
      await route.abort()
      await page.unroute('**/api/v1/bookings/*')
    })
    await dragTo(page, await at('09:05'), await at('11:05'))
    await page.mouse.up()
    await note(page).getByText('Thu 9:00 → Thu 11:00').waitFor()
    expect(await booker.call('GET', `/bookings/${id}`)).toMatchObject({ headers: { etag: '"2"' } })
    await note(page).getByRole('button', { name: 'Close' }).click()

    const { server } = service.app.server
    const { port } = new URL(address)
    server.close()
    server.closeAllConnections()
    await dragTo(page, await at('11:05'), await at('12:05'))
    await page.mouse.up()
    await note(page).getByText('No connection. Not moved yet').waitFor()
    await look(page, 'waiting')
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve))
    await note(page).getByText('Thu 11:00 → Thu 12:00').waitFor()
    expect(await startOf(id)).toBe(`${day}T12:00 Anna Weber`)
    expect(await booker.call('GET', `/bookings/${id}`)).toMatchObject({ headers: { etag: '"3"' } })
  })
})

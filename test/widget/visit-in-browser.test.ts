/** @module-tag long */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { expectFocus, heading, holdBack, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  startPublicService,
  type VisitorOptions,
  type Website,
} from '../support/browser.ts'
import { longTest, testFirstOf } from '../support/long.ts'
import { startMailServer } from '../support/mail-server.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* Events that a visit survives: going back, a reload, a click outside the overlay. The visitor notices what happens. */

const phone = { width: 390, height: 844, hasTouch: true }
const desktop = { width: 1280, height: 800 }

describe.skipIf(chromiumPath === undefined)('a visit', () => {
  let service: TestService
  let address: string
  let website: Website
  let body = ''
  const hosts: string[] = []
  const visits = startVisits({
    hosts,
    pages: (at) => ({
      '/': `<!doctype html><html lang="en"><head><title>A website</title><meta name="viewport" content="width=device-width">
        <script type="module" src="${at}/widget/v1.js"></script></head><body><main><h1>A website</h1>${body}
        <pre>${'A line.\n'.repeat(100)}</pre></main></body></html>`,
      '/before': '<!doctype html><html lang="en"><title>Before</title><h1>Before</h1></html>',
    }),
  })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const business = (name = 'Thames Barbers') => businessOf(service.world, name)
  const preset = (prefix = '', of = business()) =>
    [
      ...[`${prefix}service-id="${of.services.find(({ name }) => name === 'Meeting room')?.id ?? ''}"`],
      ...[`${prefix}location-id="${of.locations.find(({ name }) => name === 'Southwark')?.id ?? ''}"`],
    ].join(' ')
  const start = async (options: VisitorOptions, url: string) => {
    const visitor = await visits.visitor({ timezoneId: 'Europe/London', ...options })
    await visitor.page.goto(`${website.address}/before`)
    await visitor.page.goto(url)
    return visitor
  }
  const visitPage = (options: VisitorOptions, name = 'Salon Spree') =>
    start({ timezoneId: 'Europe/Berlin', ...options }, `${address}/book/${business(name).publishable_key}`)
  const visitWebsite = (options: VisitorOptions, html: string) => {
    body = html
    return start(options, website.address)
  }
  const opener = () =>
    `<p><button data-holdfast-open="${business().publishable_key}" ${preset('data-')}>Book a room</button></p>`
  const openOverlay = async (options: VisitorOptions) => {
    const visitor = await visitWebsite(options, opener())
    const { page } = visitor
    await page.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await next(page, 'Book a room')
    await page.getByRole('dialog').waitFor()
    return visitor
  }
  const activeHolds = async () =>
    (await service.rows('claims')).filter(
      ({ booked_at, ended_at }) => booked_at === null && ended_at === null,
    ).length
  const kept = (page: Page) =>
    page.evaluate<string[]>(`Object.keys(sessionStorage).filter((key) => key.startsWith('holdfast:visit'))`)
  /** Completely inside the window, and focused. */
  const expectNoticed = async (page: Page, text: RegExp) => {
    const notice = page.locator('.notice', { hasText: text })
    await notice.waitFor()
    await expectFocus(page, text)
    const box = await notice.boundingBox()
    const height = page.viewportSize()?.height ?? 0
    expect(box && box.y >= 0 && box.y + Math.min(box.height, height) <= height + 1, JSON.stringify(box)).toBe(
      true,
    )
  }

  /** The browser goes back by itself when it has time for that. */
  const expectOverlayEntry = (page: Page, isThere: boolean) =>
    expect
      .poll(() =>
        page.evaluate<boolean>(`Object.keys(history.state ?? {}).some((key) => key.endsWith(':overlay'))`),
      )
      .toBe(isThere)

  testFirstOf([
    ['a phone', phone],
    ['a desktop', desktop],
  ])('on %s a refused time, and a lost connection, are brought into view', async (name, options) => {
    const { page, context } = await visitPage(options)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await page.locator('.day.is-free[data-date="2026-11-25"]').click()
    const last = page.locator('.time').last()
    await last.scrollIntoViewIfNeeded()
    const refusal = { type: '', title: '', detail: '', status: 409, code: 'slot_held', alternatives: [] }
    await page.route('**/api/v1/bookings/hold', (route) => route.fulfill({ status: 409, json: refusal }))
    await last.click()
    await expectNoticed(page, /somebody else was a moment quicker/)
    await keepScreenshot(page, `refused-${name}`)
    await page.unroute('**/api/v1/bookings/hold')
    await last.click()
    await heading(page, 'Your details')
    await writeDetails(page)
    await page.getByLabel('What is it about?').fill('A plan')
    await page.getByLabel('Have you been here before?').selectOption('First visit')
    await context.setOffline(true)
    await next(page, 'Book now')
    await expectNoticed(page, /No connection just now/)
    expect(await violationsIn(page)).toEqual([])
    await context.setOffline(false)
    await next(page, 'Try again')
    await heading(page, 'Thank you, Ada!')
  })

  test('a hold that ends says so beside the field in which somebody writes; holding again takes the focus along', async () => {
    const { page } = await visitPage(phone)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await toDetails(page, '2026-11-26', '11:00')
    await page.getByLabel('Notes').pressSequentially('About')
    service.clock.advance(600)
    await page.clock.fastForward(600_000)
    const notice = page.getByText('Your time is no longer held.')
    await notice.waitFor()
    await page.keyboard.type(' that')
    expect(await page.getByLabel('Notes').inputValue()).toBe('About that')
    await expect.poll(async () => (await notice.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await keepScreenshot(page, 'expired-while-writing')
    await next(page, 'Hold it again')
    await page.getByText('Held for you').waitFor()
    await expectFocus(page, 'Your details')
    expect(await page.getByLabel('Notes').inputValue()).toBe('About that')
  })

  test('back leads through the steps, forward too, and nothing typed is lost', async () => {
    const { page } = await visitPage(phone)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await toDetails(page, '2026-11-25', '12:00')
    await page.getByLabel('First name').fill('Ada')
    await page.goBack()
    await heading(page, 'When?')
    await page.locator('.time.is-held').waitFor()
    await page.goBack()
    await heading(page, 'Where?')
    await page.goForward()
    await heading(page, 'When?')
    await page.goForward()
    await heading(page, 'Your details')
    await page.getByText('Held for you').waitFor()
    expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
    for (const title of ['When?', 'Where?', 'What would you like to book?']) {
      await page.goBack()
      await heading(page, title)
    }
    await page.goBack()
    await page.getByRole('heading', { name: 'Before' }).waitFor()
  })

  longTest(
    'nobody waits for the script of the later steps: each early click leads on, and back leads through them',
    async () => {
      const { page } = await visitPage(phone)
      const release = await holdBack(page, '**/widget/later-steps-*.js')
      await page.reload()
      await next(page, /Consultation/)
      await next(page, /Mitte/)
      await heading(page, 'When?')
      await page.locator('.next-free button').first().click()
      await page.locator('.next-free button[aria-disabled=true]').first().waitFor()
      release()
      await heading(page, 'Your details')
      for (const title of ['When?', 'Where?', 'What would you like to book?']) {
        await page.goBack()
        await heading(page, title)
      }
      await page.goBack()
      await page.getByRole('heading', { name: 'Before' }).waitFor()
    },
  )

  longTest('after a reload a time that is chosen early counts, not the one of before', async () => {
    const { page } = await visitPage(desktop)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await toDetails(page, '2026-11-26', '14:00')
    const release = await holdBack(page, '**/widget/later-steps-*.js')
    await page.reload()
    await page.locator('.day.is-free[data-date="2026-11-27"]').click()
    await page.locator('.time', { hasText: '15:00' }).click()
    release()
    await page.getByText('Held for you').waitFor()
    await page.locator('.summary', { hasText: '15:00 –' }).waitFor()
    await page.goBack()
    await heading(page, 'When?')
  })

  longTest('who reloads after the hold has ended can still book', async () => {
    const { page } = await visitPage(desktop)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await toDetails(page, '2026-11-30', '12:00')
    await writeDetails(page)
    await page.getByLabel('What is it about?').fill('A plan')
    await page.getByLabel('Have you been here before?').selectOption('First visit')
    service.clock.advance(600)
    await page.clock.fastForward(600_000)
    await page.getByText('Your time is no longer held.').waitFor()
    await page.reload()
    await page.getByText('Your time is no longer held.').waitFor()
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
  })

  test('a reload keeps the place, what was typed and the slot, until it is booked', async () => {
    const { page } = await visitPage(desktop)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await toDetails(page, '2026-11-27', '12:00')
    await writeDetails(page)
    const before = await activeHolds()
    await page.reload()
    await heading(page, 'Your details')
    await page.getByText('Held for you').waitFor()
    expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
    await expect.poll(activeHolds).toBe(before)
    await page.getByLabel('What is it about?').fill('A plan')
    await page.getByLabel('Have you been here before?').selectOption('First visit')
    expect(await kept(page)).toHaveLength(1)
    await next(page, 'Book now')
    await heading(page, 'Thank you, Ada!')
    expect(await kept(page)).toEqual([])
    await page.goBack()
    await heading(page, 'When?')
  })

  testFirstOf([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('on %s an overlay with details is not closed by a slip; back closes it first', async (name, options) => {
    const { page } = await openOverlay(options)
    await toDetails(page, name === 'a phone' ? '2026-11-26' : '2026-11-27', '10:00')
    const field = page.getByLabel('First name')
    await field.fill('Ada Lovelace')
    const { x, y } = (await field.boundingBox()) ?? { x: 0, y: 0 }
    await page.mouse.move(x + 60, y + 10)
    await page.mouse.down()
    await page.mouse.move(2, y + 10)
    await page.mouse.up()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    await page.getByText('Held for you').waitFor()
    const question = page.getByRole('alertdialog')
    const asks = async (act: () => Promise<unknown>) => {
      await act()
      await question.waitFor()
      await next(page, 'Continue booking')
      await question.waitFor({ state: 'detached' })
      await page.getByText('Held for you').waitFor()
    }
    await asks(() => page.keyboard.press('Escape'))
    if (name !== 'a phone') await asks(() => page.mouse.click(3, 400))
    await asks(() => page.getByRole('button', { name: 'Close' }).click())
    await asks(() => page.evaluate('history.back()'))
    await expectOverlayEntry(page, true)
    expect(await page.evaluate('getComputedStyle(document.documentElement).overflow')).toBe('hidden')
    await page.evaluate('history.back()')
    await question.waitFor()
    await keepScreenshot(page, `ask-${name}`)
    expect(await violationsIn(page)).toEqual([])
    const before = await activeHolds()
    await question.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(activeHolds).toBe(before - 1)
    await expectFocus(page, 'Book a room')
    expect(page.url()).toBe(`${website.address}/`)
    expect(await page.evaluate('getComputedStyle(document.documentElement).overflow')).toBe('visible')
    await next(page, 'Book a room') // the draft is still there, and the slot is held again
    await page.getByText('Held for you').waitFor()
    expect(await field.inputValue()).toBe('Ada Lovelace')
    await field.fill('')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectOverlayEntry(page, false)
    // by the page itself, because the browser may not know the page's URL yet; delayed, because the page may be gone
    // before it answers
    await page.evaluate('void setTimeout(() => history.back())')
    await page.getByRole('heading', { name: 'Before' }).waitFor()
  })

  longTest('on a website each step is an entry of the history where the page allows it', async () => {
    const element = (more: string) =>
      `<holdfast-booking publishable-key="${business('Salon Spree').publishable_key}" ${more}></holdfast-booking>`
    const { page } = await visitWebsite(desktop, element('history'))
    await next(page, /Consultation/)
    await heading(page, 'Where?')
    await page.goBack()
    await heading(page, 'What would you like to book?')
    const other = await visitWebsite(desktop, element(''))
    await next(other.page, /Consultation/)
    await heading(other.page, 'Where?')
    await other.page.goBack()
    await other.page.getByRole('heading', { name: 'Before' }).waitFor()
  })

  longTest('an overlay beside an element of the same key leaves its steps alone', async () => {
    const { publishable_key } = business('Salon Spree')
    const { page } = await visitWebsite(
      desktop,
      `<holdfast-booking publishable-key="${publishable_key}" history></holdfast-booking>
       <button data-holdfast-open="${publishable_key}">Book over the page</button>`,
    )
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    await heading(page, 'When?')
    await next(page, 'Book over the page')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { level: 2 }).waitFor()
    await expectOverlayEntry(page, true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expectOverlayEntry(page, false)
    await heading(page, 'When?')
    await page.goBack()
    await heading(page, 'Where?')
  })

  longTest('another preselection keeps what was typed', async () => {
    const { page } = await visitWebsite(
      desktop,
      `<holdfast-booking publishable-key="${business().publishable_key}" ${preset()}></holdfast-booking>`,
    )
    await toDetails(page, '2026-11-30', '10:00')
    await page.getByLabel('First name').fill('Ada')
    await page.evaluate(`document.querySelector('holdfast-booking').setAttribute('staff-id', 'anyone')`)
    await heading(page, 'When?')
    await toDetails(page, '2026-11-30', '11:00')
    expect(await page.getByLabel('First name').inputValue()).toBe('Ada')
  })

  test('who booked reads where the confirmation goes, if the server sends mails', async () => {
    const mails = await startMailServer()
    const settings = { SMTP_URL: mails.url, MAIL_FROM: 'Salon <salon@example.com>' }
    const mailing = await startPublicService('sqlite', settings)
    hosts.push(mailing.address)
    const { publishable_key } = businessOf(mailing.service.world, 'Thames Barbers')
    const { page } = await start(phone, `${mailing.address}/book/${publishable_key}`)
    await next(page, /Meeting room/)
    await next(page, /Southwark/)
    await toDetails(page, '2026-11-26', '10:00')
    await writeDetails(page)
    await next(page, 'Book now')
    await page.getByText('A confirmation is on its way to ada@example.com.').waitFor()
    await keepScreenshot(page, 'mailed')
    await mailing.service.stop()
    await mails.close()
  })

  test('who listens hears how many times a day has, that a month is loading, and stays where they pressed', async () => {
    const { page } = await visitPage(desktop)
    await next(page, /Consultation/)
    await next(page, /Mitte/)
    const day = page.locator('.day.is-free[data-date="2026-11-24"]')
    await day.click()
    await page.getByRole('heading', { name: 'Times on Tuesday, 24 November 2026' }).waitFor()
    const count = await page.locator('.time').count()
    await page
      .getByRole('status')
      .filter({ hasText: `Times on Tuesday, 24 November 2026: ${count}` })
      .waitFor()
    const loaded = Promise.withResolvers<undefined>()
    await page.route('**/api/v1/availability*', async (route) => {
      await loaded.promise
      await route.continue()
    })
    await next(page, 'Next month')
    await page.getByRole('button', { name: 'Thursday, 31 December 2026, One moment …' }).waitFor()
    loaded.resolve(undefined)
    await page.getByRole('button', { name: /^Thursday, 31 December 2026, (no )?free times/ }).waitFor()
    await page.getByRole('button', { name: 'Previous month' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.day[data-date="2026-11-24"]').waitFor()
    await expectFocus(page, 'Previous month')
    await page.keyboard.press('Enter')
    await page.locator('.day[data-date="2026-11-24"]').waitFor()
    expect(await violationsIn(page)).toEqual([])
  })
})

/** @module-tag long */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { heading, toDetails, writeDetails } from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  openVisitor,
  sharedBrowser,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { consoleSizes, openConsole, openMore, panelAddress } from '../support/console.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { makeBusiness, type OwnBusiness } from '../support/offers.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import type { TestService } from '../support/test-service.ts'
import { makeVisitSalon, type VisitSalon } from '../support/visit-salon.ts'

/* A visit on phones, from the client's first tap to its end in the console, with all its emails. */

const day = '2026-11-24'
const phone = { ...consoleSizes.phone, hasTouch: true }

describe.skipIf(chromiumPath === undefined)('a colour by Anna and a cut by Ben', () => {
  let browser: Browser
  let server: MailServer
  let service: TestService
  let address: string
  let business: OwnBusiness
  let salon: VisitSalon
  let owner: LoggedIn
  const visitors: Visitor[] = []

  beforeAll(async () => {
    browser = await sharedBrowser()
    server = await startMailServer()
    ;({ service, address } = await startPublicService('sqlite', {
      SMTP_URL: server.url,
      MAIL_FROM: 'Holdfast <booking@holdfast.example>',
    }))
    business = await makeBusiness(service)
    salon = await makeVisitSalon(service, business)
    const place = { businessId: business.id }
    owner = await logInNewPerson(service, { email: 'eve@example.com', name: 'Eve', role: 'owner', place })
  })
  afterEach(async () => {
    for (const { errors, close } of visitors.splice(0)) {
      expect(errors).toEqual([])
      await close()
    }
  })
  afterAll(async () => {
    await service.stop()
    await server.close()
  })

  const look = async (page: Page, name: string) => {
    await keepScreenshot(page, `visit-story-${name}`)
    expect(await misfitsIn(page)).toEqual([])
    expect(await violationsIn(page)).toEqual([])
  }
  /** Returns the client's newest email. The clock passes the time in which a move can be undone. */
  const newestMail = async () => {
    service.clock.advance(20)
    await service.app.mails.settled()
    const mail = server.to('ada@example.com').at(-1)
    const lines = (mail?.calendar ?? '').replaceAll('\r\n ', '').split('\r\n')
    const calendar = Object.fromEntries(lines.map((line) => line.split(/:(.*)/s, 2) as [string, string]))
    return { subject: mail?.headers['subject'], text: mail?.text.replaceAll('\r\n', '\n') ?? '', calendar }
  }
  const partsOf = async (page: Page) => {
    const count = (who: string) => page.locator(`.cal-col[data-who="${who}"] .booking`).count()
    return { anna: await count(salon.anna), ben: await count(salon.ben), basin: await count(salon.basin) }
  }

  const bookOnThePage = async () => {
    const visitor = await openVisitor(browser, phone)
    visitors.push(visitor)
    const { page } = visitor
    await page.goto(`${address}/book/${business.publishableKey}`)
    for (const name of [/^Colour/, /Anna/, 'Add another service', /^Cut/])
      await page.getByRole('button', { name }).tap()
    await page.locator('.time').first().waitFor() // four taps
    await page.getByLabel('With whom?').selectOption({ label: 'Choose for each service' })
    const cut = page.locator('.basket li', { hasText: 'Cut' })
    await cut.getByLabel('With whom?').selectOption({ label: 'Ben' })
    expect(await page.locator('.basket-total').textContent()).toMatch(/2 hours.*€95/)
    await look(page, '1-times')
    await toDetails(page, day, '10:00')
    await look(page, '2-details')
    await writeDetails(page)
    await page.getByRole('button', { name: 'Book now' }).tap()
    await heading(page, 'Thank you, Ada!')
    await look(page, '3-booked')
  }

  /** Drags the first part of a booking down by a number of hours, with a finger. */
  const dragDown = async (page: Page, hours: number) => {
    const fingers = await page.context().newCDPSession(page)
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => fingers.send('Input.dispatchTouchEvent', { type, touchPoints })
    const part = page.locator(`.cal-col[data-who="${salon.anna}"] .booking`).first()
    await part.scrollIntoViewIfNeeded()
    const box = await part.boundingBox()
    const [x, y] = [(box?.x ?? 0) + 40, (box?.y ?? 0) + 8]
    const hour = (box?.height ?? 0) * 2 // it takes half an hour
    await touch('touchStart', { x, y })
    await page.locator('.cal-carried').first().waitFor()
    for (let step = 1; step <= 6; step += 1) await touch('touchMove', { x, y: y + (step / 6) * hours * hour })
    await page.locator('.cal-carried').getByText('12:30–13:00').waitFor()
    await touch('touchEnd')
    await page.locator('.cal-note').getByText('Tue 10:00 → Tue 11:00').waitFor()
  }

  /** Opens a booking of the calendar in the panel. */
  const openBooking = async (page: Page) => {
    await page
      .getByRole('link', { name: /Ada Lovelace/ })
      .first()
      .tap()
    await panelAddress(page)
  }

  test('is booked, moved, shortened and cancelled, and each email says so', async () => {
    await bookOnThePage()
    const confirmed = await newestMail()
    expect(confirmed.subject).toBe('Confirmed: Colour + Cut, Tue 24 Nov, 10:00 – Corner Spa')
    expect(confirmed.text).toContain(
      [
        '  Colour + Cut',
        '  Tuesday, 24 November 2026',
        '  10:00 – 12:00 (CET)',
        '  10:00 – 11:30: Colour, Anna, €60',
        '  11:30 – 12:00: Cut, Ben, €35\n',
      ].join('\n'),
    )
    expect(confirmed.text).toContain('\n  Price: €95\n')
    expect(confirmed.calendar).toMatchObject({
      METHOD: 'REQUEST',
      DTSTART: '20261124T090000Z',
      SEQUENCE: '0',
    })

    const visitor = await openConsole(browser, owner, { address, ...phone, colorScheme: 'dark' })
    visitors.push(visitor)
    const { page } = visitor
    await page.goto(`${address}/console?date=${day}`)
    expect(await page.getByRole('link', { name: /Ada Lovelace/ }).count()).toBe(2)
    await page.goto(`${address}/console?date=${day}&view=day&resources=true`)
    expect(await partsOf(page)).toEqual({ anna: 2, ben: 1, basin: 1 })
    await dragDown(page, 1)
    expect(await partsOf(page)).toEqual({ anna: 2, ben: 1, basin: 1 })
    const moved = await newestMail()
    expect(moved.subject).toBe('Changed: Colour + Cut, Tue 24 Nov, 11:00 – Corner Spa')
    expect(moved.text).toContain('  11:00 – 12:30: Colour, Anna, €60\n  12:30 – 13:00: Cut, Ben, €35\n')
    expect(moved.text).toContain('\n  Before: Tue 24 Nov, 10:00\n')
    expect(moved.text).toContain('\n  Price: €95\n')
    expect(moved.calendar).toMatchObject({
      DTSTART: '20261124T100000Z',
      DTEND: '20261124T120000Z',
      SEQUENCE: '1',
    })

    await openBooking(page)
    await openMore(page)
    await page.getByRole('link', { name: 'Change services' }).tap()
    await page.getByRole('button', { name: 'Remove Colour' }).tap()
    await page.getByRole('button', { name: 'Remove Colour' }).waitFor({ state: 'detached' })
    await look(page, '4-services')
    await page.getByRole('button', { name: 'Save' }).tap()
    await page.getByRole('status').filter({ hasText: 'The services are changed.' }).waitFor()
    const shortened = await newestMail()
    expect(shortened.subject).toBe('Changed: Cut, Tue 24 Nov, 12:30 – Corner Spa')
    expect(shortened.text).toContain(
      '  With Ben\n  12:30 – 13:00: Cut, €35\n  No longer booked: Colour, 11:00 – 12:30\n',
    )
    expect(shortened.text).toContain('\n  Before: Tue 24 Nov, 11:00 – 13:00\n')
    expect(shortened.text).toContain('\n  Price: €35\n')
    await page.locator('.panel').getByRole('button', { name: 'Close' }).tap()
    await expect.poll(() => partsOf(page)).toEqual({ anna: 0, ben: 1, basin: 0 })

    await openBooking(page)
    await page.getByRole('link', { name: 'Cancel…' }).tap()
    await page.getByRole('button', { name: 'Cancel booking' }).tap()
    await page.getByRole('status').filter({ hasText: 'Booking cancelled.' }).waitFor()
    const cancelled = await newestMail()
    expect(cancelled.subject).toBe('Cancelled: Cut, Tue 24 Nov, 12:30 – Corner Spa')
    expect(cancelled.calendar).toMatchObject({ METHOD: 'CANCEL', STATUS: 'CANCELLED' })
    expect(server.to('ada@example.com')).toHaveLength(4)
    await page.goto(`${address}/console?date=${day}&view=day&resources=true`)
    expect(await partsOf(page)).toEqual({ anna: 0, ben: 0, basin: 0 })
  })
})

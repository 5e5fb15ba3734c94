/** @module-tag long */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { startPublicService } from '../support/browser.ts'
import { findFirefox, launchFirefox } from '../support/firefox.ts'
import { testFirstOf } from '../support/long.ts'
import { businessOf, startOfTime, type TestService } from '../support/test-service.ts'

/* The main flow in Firefox: choose, hold, enter details, book. Then move and cancel with the link. */

const firefoxPath = findFirefox()

describe.skipIf(firefoxPath === undefined)('in Firefox', () => {
  let service: TestService
  let address: string
  let firefox: Awaited<ReturnType<typeof launchFirefox>>
  beforeAll(async () => {
    ;({ service, address } = await startPublicService('sqlite'))
    firefox = await launchFirefox(firefoxPath ?? '', { TZ: 'Europe/Berlin' })
  })
  afterAll(async () => {
    await firefox.stop()
    await service.stop()
  })

  testFirstOf([
    ['a phone', { width: 390, height: 844, from: '26', to: '27' }],
    ['a desktop', { width: 1280, height: 800, from: '28', to: '30' }],
  ])('a visitor on %s books, moves and cancels', async (_name, { from, to, ...size }) => {
    const page = await firefox.open({ ...size, startMs: startOfTime })
    const day = (date: string) => page.click(`.day.is-free[data-date="2026-11-${date}"]`)
    await page.goto(`${address}/book/${businessOf(service.world, 'Salon Spree').publishable_key}`)
    await page.click('.option', 'Haircut')
    await page.click('.option', 'Mitte')
    await page.click('.option', 'Anyone')
    await day(from)
    await page.shown('.times h3', from)
    await page.click('.time', '12:00')
    await page.shown('.countdown', 'Held for you')
    await page.shown('h2', 'Your details')
    await page.type('input[autocomplete=given-name]', 'Ada')
    await page.type('input[autocomplete=family-name]', 'Lovelace')
    await page.type('input[type=email]', 'ada@example.com')
    await page.click('button', 'Book now')
    await page.shown('h2', 'Thank you, Ada!')
    expect(await page.shown('.summary')).toContain('12:00 – 12:30')
    const href = await page.evaluate(
      `document.querySelector('holdfast-booking').shadowRoot.querySelector('a[href*="/manage#"]').href`,
    )
    await page.goto('about:blank')
    await page.goto(String(href))
    await page.shown('h2', 'You’re booked, Ada')
    await page.click('button', 'Move')
    await page.shown('h2', 'When?')
    await day(to)
    await page.shown('.times h3', to)
    await page.click('.time', '14:00')
    await page.click('button', 'Move the appointment')
    await page.shown('[role=status]', 'Your appointment is moved.')
    await page.click('button', 'Cancel')
    await page.shown('h2', 'Cancel this appointment?')
    await page.click('button', 'Cancel the appointment')
    await page.shown('h2', 'This appointment is cancelled')
    const [booking] = (await service.rows('bookings')).filter(
      ({ status, starts_at }) =>
        status === 'cancelled' && new Date(String(starts_at)).toISOString().startsWith(`2026-11-${to}T13:00`),
    )
    expect(booking).toMatchObject({ client_reschedules: 1 })
    await page.close()
  })
})

/** @module-tag long */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading, next } from '../support/booking-visit.ts'
import { chromiumPath, type VisitorOptions } from '../support/browser.ts'
import { businessOf, startOfTime, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The first times offered, at the end of a month and without free times. Others take slots in the meantime. */

const phone = { width: 390, height: 844 }

describe.skipIf(chromiumPath === undefined)('the next free times', () => {
  let service: TestService
  let address: string
  const visits = startVisits()
  beforeAll(() => {
    ;({ service, address } = visits)
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const idOf = (kind: 'services' | 'staff', name: string) =>
    salon()[kind].find((thing) => thing.name === name)?.id ?? ''
  const place = () => salon().locations[0]?.id ?? ''
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.call(method, path, { token: salon().business_key, body })
    expect(reply.status).toBeLessThan(300)
    return reply.body
  }
  const visit = async (query: string, options: VisitorOptions = phone) => {
    const { page } = await visits.visitor(options)
    await page.clock.setSystemTime(service.clock.now())
    await page.goto(`${address}/book/${salon().publishable_key}?${query}`)
    return page
  }
  const haircut = () =>
    `service=${idOf('services', 'Haircut')}&location=${place()}&staff=${idOf('staff', 'Anna Weber')}`
  const chips = (page: Page) => page.locator('.next-free button').allTextContents()

  test('are of different days', async () => {
    const page = await visit(haircut())
    await heading(page, 'When?')
    await page.locator('.next-free button').first().waitFor()
    expect((await chips(page)).map((text) => text.slice(0, 10).trim())).toEqual([
      ...['Fri 20 Nov', 'Sat 21 Nov', 'Mon 23 Nov', 'Tue 24 Nov'],
    ])
  })

  test('show what others took as soon as one comes back to the page, and move nothing', async () => {
    const page = await visit(haircut())
    const first = page.locator('.next-free button').first()
    await first.waitFor()
    const month = await page.locator('.month').boundingBox()
    const taken = (await page.locator('.time-text').first().textContent()) ?? ''
    const hold = await send('POST', '/bookings/hold', {
      ...{
        service_id: idOf('services', 'Haircut'),
        location_id: place(),
        staff_id: idOf('staff', 'Anna Weber'),
      },
      starts_at: `2026-11-20T${taken}:00+01:00`,
    })
    service.clock.advance(6)
    await page.clock.fastForward(6_000)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.locator('.time-text', { hasText: taken }).first().waitFor({ state: 'detached' })
    expect((await chips(page))[0]).not.toContain(taken)
    expect(await page.locator('.month').boundingBox()).toEqual(month)
    await service.call('DELETE', `/bookings/hold/${String(hold.hold_id)}`, { token: salon().business_key })
  })

  test('where nothing is free, people learn whom to ask, and can look for anyone', async () => {
    const made = await send('POST', '/services', {
      ...{ name: 'Full', duration_minutes: 60, location_ids: [place()], slug: 'full' },
      staff_ids: [idOf('staff', 'Anna Weber'), idOf('staff', 'Ben Fischer')],
      max_advance_days: 0,
      min_notice_minutes: 500_000,
    })
    service.clock.advance(6)
    const query = `service=${String(made.id)}&location=${place()}&staff=${idOf('staff', 'Anna Weber')}`
    const contact = { phone: '+49 30 1234', reply_to_email: 'hello@salon-spree.example' }
    await send('PATCH', `/businesses/${salon().id}`, contact)
    service.clock.advance(6)
    const page = await visit(query)
    await page.getByText('Ask Salon Spree for an appointment:').waitFor()
    const form = page.locator('holdfast-booking')
    expect(await form.getByRole('link', { name: contact.phone }).getAttribute('href')).toBe('tel:+49301234')
    expect(await form.getByRole('link', { name: contact.reply_to_email }).count()).toBe(1)
    await form.getByRole('button', { name: 'Ben Fischer' }).waitFor()
    await expectSound(page, 'none-free')
    await send('PATCH', `/services/${String(made.id)}`, { min_notice_minutes: 0, max_advance_days: 30 })
    service.clock.advance(6)
    await page.clock.fastForward(6_000)
    await page.getByRole('button', { name: 'Times with anyone' }).click()
    await page.locator('.next-free button').first().waitFor()
    expect(await page.getByText('Ask Salon Spree').count()).toBe(0)
    const nobody = { phone: null, reply_to_email: null }
    await send('PATCH', `/businesses/${salon().id}`, nobody)
    await send('PATCH', `/services/${String(made.id)}`, { min_notice_minutes: 500_000, max_advance_days: 0 })
    service.clock.advance(6)
    const alone = await visit(`service=${String(made.id)}&location=${place()}`)
    await next(alone, /^Anyone/)
    await alone.getByRole('button', { name: 'Look again' }).waitFor()
    expect(await alone.getByText('Ask Salon Spree').count()).toBe(0)
  })

  test('at the end of a month lead into the next one', async () => {
    service.clock.advance((Date.UTC(2026, 10, 27, 9) - startOfTime) / 1000)
    const page = await visit(haircut(), { ...phone, locale: 'de-DE' })
    await page.locator('.next-free button').first().waitFor()
    const shown = await chips(page)
    expect(shown.some((text) => text.includes('Dez'))).toBe(true)
    await expectSound(page, 'end-of-month')
    await page.getByText(/November\s?–\s?Dezember 2026/).waitFor()
    await page.locator('.day.is-free[data-date="2026-12-15"]').click()
    await page.getByRole('heading', { name: 'Zeiten am Dienstag, 15. Dezember 2026' }).waitFor()
  })
})

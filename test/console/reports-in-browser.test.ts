/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import {
  chromiumPath,
  keepScreenshot,
  sharedBrowser,
  startPublicService,
  type VisitorOptions,
} from '../support/browser.ts'
import { consoleSizes, openConsole, goToSection } from '../support/console.ts'
import { testFirstOf } from '../support/long.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { makeWebhook } from '../support/webhooks.ts'

/** Pages that an owner reads now and then, at both sizes, in light and dark. */
describe.runIf(chromiumPath !== undefined)('in a browser, what an owner looks up', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  let receiver: Receiver
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const salon = bookerOf(service)
    const place = { businessId: salon.business.id }
    owner = await logInNewPerson(service, { email: 'salon@example.com', role: 'owner', place })
    for (const [name, hour] of [
      ['Anna', 10],
      ['Anna', 11],
      ['Anna', 12],
      ['Ben', 13],
    ] as const)
      await salon.book('Haircut', `2026-11-24T${hour}:00:00+01:00`, { staff_id: salon.staffId(name) })
    receiver = await startReceiver()
    receiver.answer = (response, received) =>
      status(received.path === '/down' ? 503 : 200)(response, received)
    const token = salon.business.business_key
    await makeWebhook(service, { token, to: receiver })
    await makeWebhook(service, { token, to: receiver, path: '/down' })
    const cancelled = await salon.book('Haircut', '2026-12-02T10:00:00+01:00')
    await salon.call('DELETE', `/bookings/${cancelled}`)
    await service.app.deliveries.settled()
  })
  afterAll(async () => {
    await service.stop()
    await receiver.stop()
  })

  const open = async ({ who = owner, ...options }: VisitorOptions & { who?: LoggedIn } = {}) => {
    const visitor = await openConsole(browser, who, { address, ...options })
    const picture = async (name: string) => {
      await keepScreenshot(visitor.page, `report-${name}`)
      expect(await violationsIn(visitor.page)).toEqual([])
      const [inner, outer] = await visitor.page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      expect(inner).toBeLessThanOrEqual(outer)
    }
    return { ...visitor, picture }
  }

  testFirstOf([
    ['phone', { ...consoleSizes.phone }],
    ['desk-dark', { ...consoleSizes.desktop, colorScheme: 'dark' as const }],
  ])('numbers, by a choice of days (%s)', async (name, size) => {
    const { page, picture, errors, close } = await open(size)
    await page.goto(`${address}/console`)
    await goToSection(page, 'Reports')
    await page.getByLabel('Period').selectOption('quarter') // applies at once
    await page.waitForURL(/range=quarter/)
    await page.getByText(/31 Dec 2026, compared with/).waitFor()
    await page.getByLabel('Period').selectOption('own')
    await page.waitForURL(/range=own/)
    await page.getByLabel('From', { exact: true }).fill('2026-11-23')
    await page.getByLabel('To', { exact: true }).fill('2026-12-13')
    await page.getByRole('button', { name: 'Show' }).press('Enter')
    await page.waitForURL(/to=2026-12-13/)
    await page.getByText('Show as table: Who is booked').press('Enter')
    await page.getByRole('columnheader', { name: 'Booked hours' }).last().waitFor()
    await picture(`numbers-${name}`)
    expect(errors).toEqual([])
    await close()
  })

  testFirstOf([
    ['desk', { ...consoleSizes.desktop }],
    ['phone-dark', { ...consoleSizes.phone, colorScheme: 'dark' as const }],
  ])('a key is made, copied and revoked, and a delivery looked into (%s)', async (name, size) => {
    const { page, picture, errors, close } = await open(size)
    await page.goto(`${address}/console`)
    await goToSection(page, 'Developers')
    await picture(`developers-${name}`)
    await page.getByRole('link', { name: 'New key' }).press('Enter')
    await page.getByLabel('Name', { exact: true }).fill(`Kiosk מסך ${name}`)
    await page.getByLabel('Allowed websites').fill('not a website')
    await page.getByRole('button', { name: 'Create key' }).press('Enter')
    await page.getByRole('alert').waitFor()
    await picture(`key-fault-${name}`)
    await page.getByLabel('Allowed websites').fill('')
    await page.getByRole('button', { name: 'Create key' }).press('Enter')
    await page.getByText('Copy it now.').waitFor()
    await picture(`key-${name}`)
    await page.getByRole('link', { name: 'I have copied it' }).press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: `Kiosk מסך ${name}` })
    await row.getByText('Revoke', { exact: true }).press('Enter')
    await row.getByRole('button', { name: 'Revoke this key' }).press('Enter')
    await page.getByText('Key revoked.').waitFor()
    await page.getByRole('link', { name: '/down' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Booked' }).getByRole('link').first().click()
    await page.getByText('response 503').first().waitFor()
    await picture(`delivery-${name}`)
    await page.goto(`${address}/console/developers/events`)
    await page.getByText('Body', { exact: true }).first().press('Enter')
    await picture(`events-${name}`)
    expect(errors).toEqual([])
    await close()
  })

  test('the audit log on a phone, the businesses of a hub on a desk in the dark', async () => {
    const phone = await open({ ...consoleSizes.phone })
    await phone.page.goto(`${address}/console`)
    await phone.page.locator('.person > summary').click()
    await phone.page.getByRole('link', { name: 'Audit log' }).click()
    await phone.page.getByRole('link', { name: 'Booking: cancelled' }).waitFor()
    await phone.picture('audit-phone')
    expect(phone.errors).toEqual([])
    await phone.close()
    const place = { hubId: businessOf(service.world, 'Salon Spree').hub_id ?? '' }
    const ofHub = await logInNewPerson(service, { email: 'hub@example.com', role: 'manager', place })
    const desk = await open({ ...consoleSizes.desktop, colorScheme: 'dark', who: ofHub })
    await desk.page.goto(`${address}/console/businesses`)
    await desk.page.getByRole('link', { name: 'Salon Spree' }).last().waitFor()
    await desk.picture('businesses-desk-dark')
    expect(desk.errors).toEqual([])
    await desk.close()
  })
})

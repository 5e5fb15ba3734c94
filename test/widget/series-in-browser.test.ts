/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFocus, expectSound, heading, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, openVisitor, sharedBrowser, startPublicService } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.skipIf(chromiumPath === undefined)('a visitor who repeats an appointment', () => {
  let browser: Browser
  let service: TestService
  let address: string
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
  })
  afterAll(() => service.stop())

  test('chooses every 2 weeks, sees all dates and books them; then cancels all that are ahead', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const room = salon.services.find(({ name }) => name === 'Meeting room')
    const call = (method: string, path: string, body?: object) =>
      service.call(method, path, { token: salon.business_key, ...(body && { body }) })
    const query = `service=${room?.id ?? ''}&location=${room?.location_ids[0] ?? ''}`
    const open = async () => {
      const visitor = await openVisitor(browser, { width: 390, height: 844, hasTouch: true })
      const { page } = visitor
      await page.goto(`${address}/book/${salon.publishable_key}?${query}`)
      await page.locator('.next-free button').first().tap()
      await heading(page, 'Your details')
      return visitor
    }
    const other = await open()
    expect(await other.page.getByLabel('Repeat').count()).toBe(0)
    await other.close()
    await call('PATCH', `/services/${room?.id ?? ''}`, { max_repeats: 4 })
    service.clock.advance(6)
    const visitor = await open()
    const { page } = visitor
    await page.getByLabel('Repeat').selectOption({ label: 'Every 2 weeks' })
    await page.locator('.repeat li').nth(2).waitFor()
    await page.getByLabel('How many times').selectOption('4')
    await page.locator('.repeat li').nth(3).waitFor()
    await expectSound(page, 'series')
    await writeDetails(page)
    await page.getByRole('button', { name: 'Book now' }).tap()
    await heading(page, /Thank you/)
    await page.getByText('All these appointments are booked:').waitFor()
    expect(await page.locator('.confirmation > ul > li').count()).toBe(4)
    await expectSound(page, 'series-booked')
    const { data } = (await call('GET', '/bookings?sort=starts_at')).body as {
      data: { id: string; starts_at: string; status: string; series_id?: string }[]
    }
    expect(data).toHaveLength(4)
    expect(new Set(data.map(({ series_id }) => series_id)).size).toBe(1)
    const starts = data.map(({ starts_at }) => Date.parse(starts_at))
    expect(starts.map((start) => (start - (starts[0] ?? 0)) / 86_400_000)).toEqual([0, 14, 28, 42])

    const { manage_url } = (await call('GET', `/bookings/${data[1]?.id ?? ''}`)).body as {
      manage_url: string
    }
    await page.goto(`${address}/manage${new URL(manage_url).hash}`)
    await page.getByText('All dates').click()
    expect(await page.locator('.dates li').count()).toBe(4)
    await expectSound(page, 'series-dates')

    // the page of one date leads to another, which moves alone
    await page.locator('.dates li').nth(3).getByRole('link').tap()
    await page.waitForURL(({ hash }) => hash !== new URL(manage_url).hash)
    await heading(page, /You’re booked/)
    await expectFocus(page, 'You’re booked, Ada')
    await page.getByRole('button', { name: 'Move' }).tap()
    await page.locator('.time').nth(2).tap()
    await heading(page, 'Move to this time?')
    await page.getByText('Your other dates stay as they are.').waitFor()
    await expectSound(page, 'series-move')
    await page.getByRole('button', { name: 'Move the appointment' }).tap()
    await page.getByText('Your appointment is moved.').waitFor()
    const moved = (await call('GET', '/bookings?sort=starts_at')).body as { data: { starts_at: string }[] }
    expect(moved.data.map(({ starts_at }) => Date.parse(starts_at)).slice(0, 3)).toEqual(starts.slice(0, 3))
    expect(Date.parse(moved.data[3]?.starts_at ?? '')).not.toBe(starts[3])
    await page.goBack()
    await heading(page, /You’re booked/)
    await page.getByRole('button', { name: 'Cancel' }).tap()
    await page.getByLabel('This and the later ones').check()
    await expectSound(page, 'series-cancel')
    await page.getByRole('button', { name: 'Cancel the appointment' }).tap()
    await heading(page, 'This appointment is cancelled')
    const after = (await call('GET', '/bookings?sort=starts_at')).body as { data: { status: string }[] }
    expect(after.data.map(({ status }) => status)).toEqual([
      'confirmed',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })
})

/** @module-tag long */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFocus, expectSound, heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath } from '../support/browser.ts'
import { isWhole } from '../support/long.ts'
import { businessOf, engines, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* A service whose bookings the business confirms, in a browser: the request, its page, and its end. */

describe.skipIf(chromiumPath === undefined).each(isWhole ? engines : ['sqlite' as const])(
  'a request (%s)',
  (engine) => {
    let service: TestService
    let address: string
    const visits = startVisits({ engine })
    const salon = () => businessOf(service.world, 'Salon Spree')
    const call = (method: string, path: string, body?: object) =>
      service.call(method, path, { token: salon().business_key, ...(body && { body }) })
    const ask = async (name: string, body: object) => {
      const found = salon().services.find((one) => one.name === name)
      expect((await call('PATCH', `/services/${found?.id ?? ''}`, body)).status).toBe(200)
    }
    beforeAll(() => {
      ;({ service, address } = visits)
    })
    beforeEach(async () => {
      await ask('Treatment', { confirmation: 'request', respond_within_minutes: 1_440 })
      await ask('Haircut', { confirmation: 'request', respond_within_minutes: 1_440 })
      service.clock.advance(6) // sessions read the catalogue at most five seconds late
    })

    const visit = async (serviceName: RegExp, options = {}) => {
      const visitor = await visits.visitor(options)
      const { page } = visitor
      await page.goto(`${address}/book/${salon().publishable_key}`)
      await next(page, serviceName)
      await next(page, /Mitte/)
      await next(page, /Anyone/)
      return page
    }
    const newest = async () => {
      const { data } = (await call('GET', '/bookings')).body as {
        data: { id: string; status: string; respond_by?: string; manage_url: string }[]
      }
      return data[0]
    }

    test('says so beside its button, is kept by the page, and is withdrawn there', async () => {
      const page = await visit(/Haircut/)
      await toDetails(page, '2026-11-27', '11:00')
      await page
        .getByText(/^This is a request\. You will hear by Saturday, 21 November 2026, 10:0\d\.$/)
        .waitFor()
      expect(await page.getByRole('button', { name: 'Book now' }).count()).toBe(0)
      expect(await page.getByText(/You can move/).count()).toBe(0)
      await expectSound(page, 'request-details')
      await writeDetails(page)
      await next(page, 'Send request')
      await heading(page, 'Your request is sent')
      await expectFocus(page, 'Your request is sent')
      await page.getByText(/^You will hear by Saturday, 21 November 2026, 10:0\d\. Until then/).waitFor()
      for (const wrong of ['Check again', 'Pay now', 'Add to calendar'])
        expect(await page.getByRole('button', { name: wrong }).count()).toBe(0)
      expect(await newest()).toMatchObject({ status: 'pending', respond_by: expect.any(String) })
      await expectSound(page, 'request-sent')

      await page.reload()
      await heading(page, 'Requested, Ada')
      await page.getByText(/^You will hear by Saturday, 21 November 2026, 10:0\d\./).waitFor()
      expect(await page.getByRole('button', { name: 'Move' }).count()).toBe(0)
      expect(await page.getByText('You can cancel at any time.').count()).toBe(0)
      await expectSound(page, 'request-manage')
      await next(page, 'Withdraw request')
      await heading(page, 'Withdraw this request?')
      await expectSound(page, 'request-withdraw')
      await next(page, 'Withdraw request')
      await heading(page, 'This appointment is cancelled')
      expect(await newest()).toMatchObject({ status: 'cancelled' })
    })

    test('with a deposit takes no money, and hears an hour before its start at the latest', async () => {
      const page = await visit(/Treatment/, { width: 390, height: 844, hasTouch: true })
      await ask('Treatment', { respond_within_minutes: 20_160 })
      service.clock.advance(6)
      await page.reload()
      await toDetails(page, '2026-11-27', '11:00')
      await page.getByText('You will hear by Friday, 27 November 2026, 10:00.').waitFor()
      await page.getByText('Nothing is paid now. €25 is due').waitFor()
      await expectSound(page, 'request-deposit-details')
      await writeDetails(page)
      await next(page, 'Send request')
      await heading(page, 'Your request is sent')
      await page.getByText('You will hear by Friday, 27 November 2026, 10:00.').waitFor()
      expect(page.url()).toContain('/book/')
      await expectSound(page, 'request-deposit-sent')
      const booking = await newest()
      await call('PATCH', `/bookings/${booking?.id ?? ''}`, { status: 'confirmed' })
      await page.reload()
      await heading(page, 'You’re booked, Ada')
      await page.getByRole('link', { name: 'Pay now' }).waitFor()
    })

    test('leaves the way back to other bookings open', async () => {
      const page = await visit(/Haircut/)
      await toDetails(page, '2026-11-27', '12:00')
      await writeDetails(page)
      await next(page, 'Send request')
      await heading(page, 'Your request is sent')
      await next(page, 'Book another')
      await heading(page, 'What would you like to book?')
    })
  },
)

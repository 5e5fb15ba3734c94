/** @module-tag long */
import { beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { expectSound, heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, type Website } from '../support/browser.ts'
import { isWhole, longTest } from '../support/long.ts'
import { businessOf, engines, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* A deposit in a browser: to the checkout of the sandbox, and back to the confirmation without a manual step. */

// the paths are those of the hosted page, which is tested on both
describe.skipIf(chromiumPath === undefined).each(isWhole ? engines : ['sqlite' as const])(
  'a deposit (%s)',
  (engine) => {
    let service: TestService
    let address: string
    let website: Website
    let embedding = ''
    const visits = startVisits({ engine, pages: () => ({ '/': embedding }) })
    beforeAll(() => {
      ;({ service, address, website } = visits)
      const { publishable_key: key, services, locations } = salon()
      const idOf = (items: { id: string; name: string }[], name: string) =>
        items.find((thing) => thing.name === name)?.id ?? ''
      embedding = `<!doctype html><html lang="en"><title>A website</title><script type="module" src="${address}/widget/v1.js"></script>
      <main><h1>A website</h1><holdfast-booking publishable-key="${key}" service-id="${idOf(services, 'Treatment')}" location-id="${idOf(locations, 'Mitte')}" staff-id="anyone"></holdfast-booking></main>`
    })

    const salon = () => businessOf(service.world, 'Salon Spree')
    const visit = async (url: string) => {
      const visitor = await visits.visitor()
      await visitor.page.goto(url)
      return visitor
    }
    const hostedPage = () => `${address}/book/${salon().publishable_key}`
    /** Goes to the checkout on the hosted page. */
    const toCheckout = async (time: string) => {
      const visitor = await visit(`${hostedPage()}?from=letter`)
      const { page } = visitor
      await next(page, /Treatment/)
      await next(page, /Mitte/)
      await next(page, /Anyone/)
      await toDetails(page, '2026-11-27', time)
      await page.getByText('If you cancel by then, your payment is refunded in full.').waitFor()
      await writeDetails(page)
      await next(page, /^Book and pay €25/)
      await page.waitForURL(/\/sandbox\//)
      return visitor
    }
    const status = async () =>
      (await service.rows('bookings')).toSorted((one, other) =>
        String(one['id']) < String(other['id']) ? 1 : -1,
      )[0]?.['status']

    test('that is paid leads back to the hosted page, where the booking is confirmed', async () => {
      const { page, context } = await toCheckout('9:00')
      expect(await status()).toBe('pending')
      const beside = await context.newPage()
      await beside.goto(`${address}/checkout/${String((await service.rows('payments'))[0]?.['id'])}`)
      await beside.getByRole('heading', { name: 'Not paid yet' }).waitFor()
      await next(page, /^Pay/)
      await page.waitForURL(/from=letter/)
      await heading(page, 'Thank you, Ada!')
      expect(await status()).toBe('confirmed')
      await page.reload()
      await heading(page, 'You’re booked, Ada')
      await page.getByText('€105 · €25 paid · €80 to pay on site').waitFor()
      await next(page, 'Cancel')
      await page.getByText('Your payment of €25 will be refunded in full.').waitFor()
      await expectSound(page, 'manage-refund')
      await beside.clock.fastForward(4_000)
      await beside.getByRole('heading', { name: 'Your booking is confirmed' }).waitFor() // by itself
      await beside.getByText('If you cancel by then, your payment is refunded in full.').waitFor()
    })

    longTest(
      'that is still due is paid from the page of the booking, and goes back when it is cancelled',
      async () => {
        const { context } = await toCheckout('15:00') // and stops there
        const page = await context.newPage() // like a link in an email
        const [payment] = (await service.rows('payments')).filter((row) => row['status'] === 'due')
        const shown = await service.call('GET', `/bookings/${String(payment?.['booking_id'])}`, {
          token: salon().business_key,
        })
        await page.goto(String(shown.body.manage_url))
        await heading(page, 'Almost booked, Ada')
        await page.getByText('€105 · €25 to pay now · €80 to pay on site').waitFor()
        await expectSound(page, 'manage-deposit-due')
        await page.getByRole('link', { name: 'Pay now' }).click()
        await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
        await page.getByText('Salon Spree').waitFor()
        expect(await page.getByRole('link', { name: 'Back to your booking' }).getAttribute('href')).toBe(
          shown.body.manage_url,
        )
        await expectSound(page, 'checkout-due')
        await page.getByRole('link', { name: /^Pay/ }).click()
        await page.waitForURL(/\/sandbox\//)
        await next(page, /^Pay/)
        await heading(page, 'You’re booked, Ada') // by itself
        expect(await page.getByRole('link', { name: 'Pay now' }).count()).toBe(0)
        await next(page, 'Cancel')
        await page.getByText('Your payment of €25 will be refunded in full.').waitFor()
        await next(page, 'Cancel the appointment')
        await page.getByText('Your payment of €25 is on its way back to you.').waitFor()
      },
    )

    longTest('that is given up leads back too', async () => {
      const { page } = await toCheckout('11:00')
      await next(page, 'Cancel booking')
      await page.waitForURL(`${hostedPage()}?from=letter`)
      await heading(page, 'This booking was cancelled')
      expect(await status()).toBe('cancelled')
      expect(await violationsIn(page)).toEqual([])
    })

    longTest('opens beside a website, which tells of the payment by itself', async () => {
      const { page } = await visit(website.address)
      await page.evaluate(`{
      document.body.dataset.told = ''
      document.addEventListener('holdfast:booked', ({ detail: { booking } }) => { document.body.dataset.told += booking.status + ' ' })
    }`)
      await toDetails(page, '2026-11-27', '13:00')
      await writeDetails(page)
      const opened = page.waitForEvent('popup')
      await next(page, /^Book and pay €25/)
      const checkout = await opened
      await heading(page, 'Almost done')
      expect(await violationsIn(page)).toEqual([])
      // nobody can store another URL to lead the client to, not even a script on that page
      await checkout.evaluate(
        `for (const { id } of ${JSON.stringify(await service.rows('bookings'))}) sessionStorage.setItem('holdfast:return:' + id, 'https://elsewhere.example/')`,
      )
      await next(checkout, /^Pay/)
      await checkout.getByRole('heading', { name: 'Your booking is confirmed' }).waitFor()
      expect(await checkout.evaluate('window.opener')).toBeNull()
      await page.clock.fastForward(5_000)
      await heading(page, 'Thank you, Ada!')
      expect(checkout.url()).toMatch(/\/checkout\//)
      await expect.poll(() => page.evaluate('document.body.dataset.told')).toBe('pending confirmed ')
      await page.reload()
      await heading(page, 'When?')
    })
  },
)

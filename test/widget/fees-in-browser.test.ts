/** @module-tag long */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { expectSound, heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import {
  chromiumPath,
  keepScreenshot,
  openVisitor,
  sharedBrowser,
  startPublicService,
  type Visitor,
} from '../support/browser.ts'
import { openConsole, openMore } from '../support/console.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* Fees in a browser: agreed to before booking, named before cancelling, paid by a link, charged and waived by the team. */

describe.skipIf(chromiumPath === undefined)('fees of a service', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let manager: LoggedIn
  let massage: string
  const mails = mkdtempSync(join(inject('filesDirectory'), 'mails-'))
  const visitors: Visitor[] = []
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite', { MAIL_DIR: mails }))
    const place = { businessId: salon().id }
    manager = await logInNewPerson(service, { email: 'max@example.com', name: 'Max', role: 'manager', place })
    const made = await service.call('POST', '/services', {
      token: salon().business_key,
      body: {
        ...{ name: 'Hot stones', duration_minutes: 60, price: { amount: 6_000, currency: 'EUR' } },
        ...{ location_ids: [salon().locations[0]?.id], slot_interval_minutes: 60, cancel_until_minutes: 0 },
        ...{ payment: 'card', fees: [{ within_minutes: 14_400, percent: 50 }], no_show_percent: 100 },
      },
    })
    expect(made.status).toBe(201)
    massage = String(made.body.id)
  })
  afterEach(async () => {
    service.clock.advance(5) // the limits of an address
    for (const visitor of visitors.splice(0)) {
      expect(visitor.errors).toEqual([])
      await visitor.close()
    }
  })
  afterAll(() => service.stop())

  const salon = () => businessOf(service.world, 'Salon Spree')
  const shown = async (id: string) =>
    (await service.call('GET', `/bookings/${id}`, { token: salon().business_key })).body
  const settled = async () => {
    for (let turn = 0; turn < 2; turn += 1) await service.app.payments.settled()
    for (let turn = 0; turn < 2; turn += 1) await service.app.mails.settled()
  }
  const sentence =
    'If you cancel less than 10 days before the start, we charge €30 to your card. If you do not come, we charge €60 to your card. By booking, you agree to this.'

  /** Books in the widget, and saves a card of the sandbox. */
  const booked = async (time: string, card: string) => {
    const visitor = await openVisitor(browser, { width: 390, height: 844 })
    visitors.push(visitor)
    const { page } = visitor
    await page.goto(`${address}/book/${salon().publishable_key}?service=${massage}`)
    await toDetails(page, '2026-11-27', time)
    await page.getByText(sentence).waitFor()
    await writeDetails(page)
    await expectSound(page, 'fees-details')
    await next(page, 'Book now')
    await page.getByRole('heading', { name: 'Save a card (sandbox)' }).waitFor()
    await next(page, card)
    await heading(page, 'Thank you, Ada!')
    await page.locator('.confirmation .hint', { hasText: sentence.replace(/ By booking.*/, '') }).waitFor()
    const rows = await service.rows('bookings')
    return {
      page,
      id: String(
        rows
          .map(({ id }) => String(id))
          .toSorted()
          .at(-1),
      ),
    }
  }
  const openBooking = async (id: string): Promise<Page> => {
    const visitor = await openConsole(browser, manager, { address, width: 1280, height: 800 })
    visitors.push(visitor)
    await visitor.page.goto(`${address}/console/bookings/${id}`)
    return visitor.page
  }
  const expectFits = async (page: Page, name: string) => {
    await keepScreenshot(page, name)
    expect(await violationsIn(page)).toEqual([])
    expect(await misfitsIn(page)).toEqual([])
  }

  test('a full payment that depends on the person says "from"', async () => {
    const token = salon().business_key
    const person = async (name: string) =>
      String((await service.call('POST', '/staff', { token, body: { name } })).body.id)
    const [senior, junior] = [await person('Anna Weber'), await person('Ben Kraus')]
    const price = (amount: number) => ({ amount, currency: 'EUR' })
    const made = await service.call('POST', '/services', {
      token,
      body: {
        ...{ name: 'Colour in full', duration_minutes: 60, price: price(6_300), payment: 'full' },
        ...{ location_ids: [salon().locations[0]?.id], staff_ids: [senior, junior] },
        terms: [{ staff_id: senior, price: price(7_000) }],
      },
    })
    expect(made.status).toBe(201)
    const visitor = await openVisitor(browser, { width: 390, height: 844 })
    visitors.push(visitor)
    await visitor.page.goto(`${address}/book/${salon().publishable_key}`)
    const option = visitor.page.getByRole('button', { name: /Colour in full/ })
    expect((await option.innerText()).replaceAll(/\s+/g, ' ')).toContain('from €63 from €63 due now')
    const withCard = visitor.page.getByRole('button', { name: /Hot stones/ })
    expect((await withCard.innerText()).replaceAll(/\s+/g, ' ')).toContain('€60 Card needed')
  })

  test('the visitor agrees, sees the fee before cancelling, and pays by the link if the card is declined', async () => {
    const { page, id } = await booked('10:00', 'A card that is declined')
    expect(await shown(id)).toMatchObject({ status: 'confirmed', fee_consent: { text: sentence } })
    await page.getByRole('link', { name: 'Move or cancel' }).click()
    const cost = page.locator('.policy', { hasText: 'If you cancel now, we charge €30 to your card.' })
    await cost.waitFor()
    await expectSound(page, 'fees-before-cancelling')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await cost.waitFor({ state: 'detached' })
    await page.getByText('If you cancel now, we charge €30 to your card.').waitFor()
    await expectSound(page, 'fees-cancel')
    await next(page, 'Cancel the appointment')
    await heading(page, 'This appointment is cancelled')
    await settled()
    await page.reload()
    await page.getByText('€30 to pay (late cancellation)').waitFor()
    expect(await page.getByRole('link', { name: 'Pay now' }).count()).toBe(1)
    await expectSound(page, 'fees-to-pay')
    const names = readdirSync(mails).filter((name) => /-(cancelled|fee_due)\.eml$/.test(name))
    const texts = names.map((name) => readFileSync(join(mails, name), 'utf8').replaceAll(/=\r?\n/g, ''))
    const [text = ''] = texts.filter((one) => one.includes('To: ada@example.com'))
    expect(names.filter((name) => name.endsWith('-fee_due.eml'))).toEqual([])
    const [link = ''] = /\/checkout\/[0-9a-f-]{36}/.exec(text) ?? []
    await page.goto(`${address}${link}`)
    await page.getByText('€30 could not be charged to your card (late cancellation).').waitFor()
    await expectSound(page, 'fees-due')
    await page.getByRole('link', { name: 'Pay now' }).click()
    await next(page, 'Pay €30')
    await page.getByRole('heading', { name: 'Thank you, it is paid' }).waitFor()
    const payments = (await shown(id)).payments as { kind: string; status: string }[]
    expect(payments.find(({ kind }) => kind === 'fee')).toMatchObject({ status: 'paid', amount: 3_000 })
  })

  test('a manager charges the saved card, and refunds a part', async () => {
    const { id } = await booked('11:00', 'A card that works')
    const page = await openBooking(id)
    await openMore(page)
    await page.getByRole('link', { name: 'Charge…' }).click()
    await page.getByLabel('Amount (EUR)').fill('15.50')
    await page.getByLabel('What for? The client reads this.').fill('Broken vase')
    await expectFits(page, 'fees-charge')
    await next(page, 'Continue')
    await page.getByText('€15.50 is charged to the card that Ada Lovelace saved.').waitFor()
    await expectFits(page, 'fees-charge-asked')
    await next(page, 'Charge €15.50')
    await page.getByText(/Broken vase: €15\.50/).waitFor()
    await settled()
    await page.reload()
    await page.getByText(/Broken vase: €15\.50 charged/).waitFor()
    await expectFits(page, 'fees-charged')
    await page.getByRole('link', { name: 'Refund…' }).click()
    await page.getByText('At most €15.50, which is left.').waitFor()
    await page.getByLabel('Amount (EUR)').fill('99')
    await next(page, 'Refund')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Amount (EUR)').fill('5.50')
    await expectFits(page, 'fees-refund')
    await next(page, 'Refund')
    await page.getByText('€5.50 of it refunded').waitFor()
  })

  test('a manager waives what a declined card did not pay, after a question', async () => {
    const { id } = await booked('12:00', 'A card that is declined')
    const page = await openBooking(id)
    await page.goto(`${address}/console/bookings/${id}/charge`)
    await page.getByLabel('Amount (EUR)').fill('20')
    await page.getByLabel('What for? The client reads this.').fill('Lost key')
    await next(page, 'Continue')
    await next(page, 'Charge €20')
    await page.getByText(/Lost key: €20/).waitFor()
    await settled()
    await page.reload()
    await page.getByText(/Lost key: €20 due/).waitFor()
    await page.getByText('Reason: The card has not enough money.').waitFor()
    const link = await page.getByLabel('Link to pay: €20').inputValue()
    await expectFits(page, 'fees-due-console')
    await page.getByRole('link', { name: 'Waive' }).click()
    await page.getByRole('heading', { name: 'Waive the fee of €20?' }).waitFor()
    await page.getByText('Ada Lovelace then has nothing to pay for it and gets a message.').waitFor()
    await expectFits(page, 'fees-waive')
    await next(page, 'Waive')
    await page.getByText('Lost key: €20 waived').waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'You have nothing to pay' }).waitFor()
  })
})

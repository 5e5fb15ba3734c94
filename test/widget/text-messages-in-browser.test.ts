/** @module-tag long */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading } from '../support/booking-visit.ts'
import { chromiumPath, openVisitor, sharedBrowser, startPublicService } from '../support/browser.ts'
import { readConsole, textOf } from '../support/console.ts'
import { logInNewPerson } from '../support/person.ts'
import { type SmsServer, startSmsServer } from '../support/sms-server.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

/* Consent to text messages in the widget, and its place in the console. */

describe.skipIf(chromiumPath === undefined)('a visitor who agrees to text messages', () => {
  let browser: Browser
  let sms: SmsServer
  let service: TestService
  let address: string
  beforeAll(async () => {
    browser = await sharedBrowser()
    sms = await startSmsServer('gateway')
    ;({ service, address } = await startPublicService('sqlite', { SMS_URL: sms.url }))
  })
  afterAll(async () => {
    await service.stop()
    await sms.close()
  })

  test('is asked once there is a phone number, gets a message, and stands in the console', async () => {
    const salon = businessOf(service.world, 'Salon Spree')
    const place = { businessId: salon.id }
    const owner = await logInNewPerson(service, {
      email: 'eva@example.com',
      name: 'Eva',
      role: 'owner',
      place,
    })
    const read = async (path: string) => textOf(await readConsole(service, path, owner))
    expect(await read('/console/settings')).toContain('Notice of the change')
    expect(await read('/console/book')).not.toContain('agrees to text messages')
    await service.call('PATCH', `/businesses/${salon.id}`, {
      ...{ token: salon.business_key, body: { text_kinds: ['confirmed'] } },
    })
    service.clock.advance(5)
    expect(await read('/console/book')).toContain('The client agrees to text messages')

    const visitor = await openVisitor(browser, { width: 390, height: 844, hasTouch: true })
    const { page } = visitor
    const room = salon.services.find(({ name }) => name === 'Meeting room')
    const query = `service=${room?.id ?? ''}&location=${room?.location_ids[0] ?? ''}`
    const openDetails = async (fragment = '', time = 0) => {
      await page.goto('about:blank')
      await page.goto(`${address}/book/${salon.publishable_key}?${query}${fragment}`)
      await page.locator('.next-free button').nth(time).tap()
      await heading(page, 'Your details')
    }
    await openDetails()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByLabel('Email').fill('ada@example.com')
    const tick = page.getByLabel('Send me text messages about this appointment')
    expect(await tick.count()).toBe(0)
    await page.getByLabel('Phone').fill('0151 23456789')
    expect(await tick.isChecked()).toBe(false)
    await tick.check()
    await expectSound(page, 'text-messages')
    await page.getByRole('button', { name: 'Book now' }).tap()
    await heading(page, /Thank you/)
    // on this device and for this number it is ticked again, until the visitor takes the tick off
    await openDetails('#first_name=Ada&last_name=Lovelace&email=ada%40example.com&phone=0151+23456789', 1)
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com')
    expect(await tick.isChecked()).toBe(true)
    await page.getByLabel('Phone').fill('0151 23450000')
    await expect.poll(() => tick.isChecked()).toBe(false)
    await page.getByLabel('Phone').fill('+49 151 2345-6789')
    await expect.poll(() => tick.isChecked()).toBe(true)
    await tick.uncheck()
    await page.getByLabel('Phone').fill('0151 23456789')
    expect(await tick.isChecked()).toBe(false)
    expect(visitor.errors).toEqual([])
    await visitor.close()

    await service.app.texts.settled()
    const [text] = sms.texts
    expect(text).toMatchObject({ to: '+4915123456789', text: expect.stringContaining(`${address}/m/`) })
    expect(await sms.report(service, { id: text?.id ?? '', status: 'delivered' })).toBe(204)
    const told = /Confirmation sent to \+4915123456789\s*, delivered/
    expect(await read('/console/mails')).toMatch(/Confirmation AL Ada Lovelace \+4915123456789 Delivered/)
    const { body } = await service.call('GET', '/bookings?limit=1', { token: salon.business_key })
    const shown = await read(`/console/bookings/${(body.data as { id: string }[])[0]?.id ?? ''}`)
    expect(shown).toMatch(told)
    expect(shown).toContain('Send me text messages about this appointment')
  })
})

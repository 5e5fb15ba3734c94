/** @module-tag long */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectSound, heading } from '../support/booking-visit.ts'
import { chromiumPath } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/*
 * The widget's questions to a client, on a phone: a consent with its link, and names and phone as the service requires.
 */

describe.skipIf(chromiumPath === undefined)('what a client is asked for', () => {
  let service: TestService
  let address: string
  const visits = startVisits()
  beforeAll(() => {
    ;({ service, address } = visits)
  })

  const salon = () => businessOf(service.world, 'Salon Spree')
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.call(method, path, { token: salon().business_key, body })
    expect(reply.status).toBeLessThan(300)
    return reply.body
  }
  const consent = { key: 'terms', label: 'I accept the [terms](https://example.com/terms).', type: 'consent' }
  const make = async (more: object) => {
    const place = salon().locations[0]?.id ?? ''
    const made = await send('POST', '/services', {
      name: 'Tattoo',
      duration_minutes: 60,
      location_ids: [place],
      ...more,
    })
    service.clock.advance(5)
    return made
  }
  const toDetails = async (id: string) => {
    const { page } = await visits.visitor({ width: 390, height: 844, hasTouch: true })
    await page.goto(`${address}/book/${salon().publishable_key}?service=${id}`)
    await page.locator('.next-free button').first().tap()
    await heading(page, 'Your details')
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    return page
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Book now' }).tap()
  const booked = async (id: string) => {
    const { body } = await service.call('GET', `/bookings?service_id=${id}`, { token: salon().business_key })
    return body.data as { client: object; custom_field_values: object[] }[]
  }

  test('a consent has to be ticked, leads to its text, and is kept with it', async () => {
    const { id } = await make({
      custom_fields: [consent],
      client_fields: { last_name: 'hidden', phone: 'hidden' },
    })
    const page = await toDetails(id)
    expect(await page.getByLabel('Last name').count()).toBe(0)
    expect(await page.getByLabel('Phone').count()).toBe(0)
    const link = page.getByRole('link', { name: 'terms' })
    expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([
      'https://example.com/terms',
      '_blank',
    ])
    await submit(page)
    await page.getByText('Please tick this box to go on.').waitFor()
    await expectSound(page, 'consent-fault')
    expect(await booked(id)).toEqual([])
    await page.getByLabel('I accept the').check()
    await expectSound(page, 'consent')
    await submit(page)
    await heading(page, 'Thank you, Ada!')
    expect(await booked(id)).toMatchObject([
      { client: { last_name: '', phone: null }, custom_field_values: [{ value: true, text: consent.label }] },
    ])
  })

  test('a consent that was changed meanwhile is shown anew and asks again', async () => {
    const { id, custom_fields } = await make({ custom_fields: [consent] })
    const page = await toDetails(id)
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByLabel('I accept the').check()
    const [{ id: fieldId }] = custom_fields as [{ id: string }]
    await send('PATCH', `/services/${id}`, {
      custom_fields: [{ ...consent, id: fieldId, label: 'I accept the house rules.' }],
    })
    service.clock.advance(6)
    await submit(page)
    const box = page.getByLabel('I accept the house rules.')
    await box.waitFor()
    expect(await box.isChecked()).toBe(false)
    expect(await booked(id)).toEqual([])
    await box.check()
    await submit(page)
    await heading(page, 'Thank you, Ada!')
    expect(await booked(id)).toMatchObject([{ custom_field_values: [{ text: 'I accept the house rules.' }] }])
  })

  test('a phone can be required, and a last name optional', async () => {
    const { id } = await make({ client_fields: { last_name: 'optional', phone: 'required' } })
    const page = await toDetails(id)
    await page.getByText('Last name (optional)').waitFor()
    await submit(page)
    await page.getByText('Please fill this in.').waitFor()
    await page.getByLabel('Phone').fill('+49 30 1234')
    await submit(page)
    await heading(page, 'Thank you, Ada!')
    expect(await booked(id)).toMatchObject([{ client: { last_name: '', phone: '+49 30 1234' } }])
  })
})

/** @module-tag long */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, type Website } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* Data that a page passes to the widget about its visitor, and events that the widget sends to its page. */

describe.skipIf(chromiumPath === undefined)('a page and its widget', () => {
  let service: TestService
  let address: string
  let website: Website
  let page = ''
  const visits = startVisits({ pages: () => ({ '/': page }) })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const barbers = () => businessOf(service.world, 'Thames Barbers')
  const idOf = (kind: 'services' | 'locations', name: string) =>
    barbers()[kind].find((thing) => thing.name === name)?.id ?? ''
  const preselected = () =>
    `service-id="${idOf('services', 'Meeting room')}" location-id="${idOf('locations', 'Southwark')}"`
  const open = async (url: string) => {
    const visitor = await visits.visitor({ timezoneId: 'Europe/London' })
    await visitor.page.goto(url)
    return visitor.page
  }
  const embed = (body: string) => {
    page = `<!doctype html><html lang="en"><title>A website</title>
      <script>
        told = []
        for (const name of ['ready', 'step', 'held', 'booked', 'closed'])
          document.addEventListener('holdfast:' + name, ({ detail }) => told.push([name, detail]))
      </script>
      <script type="module" src="${address}/widget/v1.js"></script><main><h1>A website</h1>${body}</main>`
    return open(website.address)
  }
  const written = async (within: Page) => {
    const labels = ['First name', 'Last name', 'Email', 'Phone', 'Notes']
    return Promise.all(labels.map((label) => within.getByLabel(label).inputValue()))
  }
  const given = `prefill-first-name=" Ada" prefill-last-name="Love&#10;lace" prefill-email="ada@example.com"
    prefill-phone="${'1'.repeat(33)}" prefill-notes="A\nB"`

  test('fills in what the page knows, and never what the visitor has written', async () => {
    const shown = await embed(
      `<holdfast-booking publishable-key="${barbers().publishable_key}" ${preselected()} ${given}></holdfast-booking>`,
    )
    await toDetails(shown, '2026-11-24', '10:00')
    expect(await written(shown)).toEqual(['Ada', 'Love lace', 'ada@example.com', '', 'A\nB'])
    await shown.getByLabel('First name').fill('Augusta')
    await shown.getByLabel('Notes').fill('')
    await shown.evaluate(`{
      const element = document.querySelector('holdfast-booking')
      element.setAttribute('prefill-first-name', 'Eve')
      element.setAttribute('prefill-last-name', 'King')
      element.setAttribute('prefill-notes', 'C')
    }`)
    await expect.poll(() => written(shown)).toEqual(['Augusta', 'King', 'ada@example.com', '', ''])
    await shown.reload()
    await heading(shown, 'Your details')
    await expect.poll(() => written(shown)).toEqual(['Augusta', 'Love lace', 'ada@example.com', '', ''])
  })

  test('the booking page takes it from its address, and nothing of it is logged', async () => {
    const query =
      'first_name=Zebediah&last_name=Quill&email=zq%40example.com&phone=%2B44+20+7946+0018&notes=Hi'
    const shown = await open(
      `${address}/book/${barbers().publishable_key}?${query}&service=${idOf('services', 'Meeting room')}`,
    )
    await next(shown, /Southwark/)
    await toDetails(shown, '2026-11-25', '10:00')
    expect(await written(shown)).toEqual(['Zebediah', 'Quill', 'zq@example.com', '+44 20 7946 0018', 'Hi'])
    expect(service.logLines.join('\n')).toContain('/book/:publishable_key')
    expect(service.logLines.join('\n')).not.toMatch(/Zebediah|zq(%40|@)/)
  })

  test('tells when it is ready, each step, the hold and the booking, and nothing that was typed', async () => {
    const shown = await embed(
      `<holdfast-booking publishable-key="${barbers().publishable_key}" metadata-order="1042" ${preselected()}></holdfast-booking>`,
    )
    await shown.evaluate(`history.replaceState(null, '', '?utm_source=news&other=1')`)
    await toDetails(shown, '2026-11-26', '10:00')
    await writeDetails(shown)
    await next(shown, 'Book now')
    await heading(shown, 'Thank you, Ada!')
    const told = await shown.evaluate<[string, Record<string, unknown>][]>('told')
    const chosen = {
      service_id: idOf('services', 'Meeting room'),
      location_id: idOf('locations', 'Southwark'),
      staff_id: null, // there is nobody to choose
    }
    expect(told).toEqual([
      ['ready', { step: 'time', ...chosen }],
      ['held', { hold: expect.objectContaining({ starts_at: '2026-11-26T10:00:00+00:00' }) as unknown }],
      ['step', { step: 'details', ...chosen }],
      ['booked', { booking: expect.objectContaining({ status: 'confirmed' }) as unknown }],
      ['step', { step: 'done', ...chosen }],
    ])
    expect(JSON.stringify(told)).not.toMatch(/Ada|Lovelace|ada@|cal_man_/)
    const kept = (await service.rows('bookings')).map((row) => row.metadata_json)
    expect(kept).toContain(JSON.stringify({ order: '1042', utm_source: 'news' }))
  })

  test('tells of nobody chosen until somebody is, or anyone', async () => {
    const { publishable_key } = businessOf(service.world, 'Salon Spree')
    const shown = await embed(`<holdfast-booking publishable-key="${publishable_key}"></holdfast-booking>`)
    await next(shown, /Haircut/)
    await next(shown, /Mitte/)
    await next(shown, /Anyone/)
    await heading(shown, 'When?')
    const told = await shown.evaluate<[string, Record<string, unknown>][]>('told')
    expect(told.map(([, { step, staff_id }]) => [step, staff_id])).toEqual([
      ['service', null],
      ['location', null],
      ['staff', null],
      ['time', 'anyone'],
    ])
  })

  test('over a page it hands on what the button has, asks nothing about it, and tells that it is closed', async () => {
    const shown = await embed(
      `<button data-holdfast-open="${barbers().publishable_key}" ${preselected().replaceAll(/(?=service-|location-)/g, 'data-')} data-prefill-first-name="Ada">Book</button>`,
    )
    await shown.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
    await next(shown, 'Book')
    await toDetails(shown, '2026-11-27', '10:00')
    expect((await written(shown))[0]).toBe('Ada')
    await shown.keyboard.press('Escape')
    await shown.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => shown.evaluate('told.at(-1)')).toEqual(['closed', { step: 'details' }])
  })
})

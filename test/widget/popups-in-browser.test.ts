/** @module-tag long */
import type { Page } from 'playwright-core'
import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { project } from '../docs/documents.ts'
import { misfitsIn, violationsIn } from '../support/accessibility.ts'
import { heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, keepScreenshot, type Website } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* Popups and the floating button of `holdfast.js`, and the attributes for looks and for the page after the booking. */

test('holdfast.js has at most 2,500 bytes, gzipped', () => {
  const script = readFileSync(join(project, 'widget/dist/holdfast.js'))
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(2500)
})

describe.skipIf(chromiumPath === undefined)('a website with holdfast.js', () => {
  let service: TestService
  let address: string
  let website: Website
  let page = ''
  let scripts = ''
  const thanks = '<!doctype html><html lang="en"><title>Thanks</title><h1>Thanks</h1>'
  const visits = startVisits({
    pages: () => ({ '/': page, '/thanks': thanks }),
    // inline styles and scripts are refused, except the page's own program
    headers: (at) => ({
      'content-security-policy': `default-src 'none'; script-src ${at}${scripts}; connect-src ${at}; img-src ${at}; base-uri 'none'; form-action 'none'`,
    }),
  })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const barbers = () => businessOf(service.world, 'Thames Barbers')
  const idOf = (kind: 'services' | 'locations', name: string) =>
    barbers()[kind].find((thing) => thing.name === name)?.id ?? ''
  const preselected = () =>
    `service-id="${idOf('services', 'Meeting room')}" location-id="${idOf('locations', 'Southwark')}"`
  const open = async (body: string, script = 'holdfast.js', options: object = {}) => {
    page = `<!doctype html><html lang="en"><head><title>A website</title><meta name="viewport" content="width=device-width">
      <script defer src="${address}/widget/${script}"></script></head><body><main><h1>A website</h1>${body}</main></body></html>`
    const visitor = await visits.visitor({ timezoneId: 'Europe/London', ...options })
    await visitor.page.goto(website.address)
    return visitor.page
  }
  const loaded = (shown: Page) =>
    shown.evaluate(`customElements.whenDefined('holdfast-booking').then(() => undefined)`)
  const button = (attributes = '') =>
    `<holdfast-button publishable-key="${barbers().publishable_key}" ${preselected()} ${attributes}><a href="${address}/book/${barbers().publishable_key}">Book now</a></holdfast-button>`
  const element = (attributes = '') =>
    `<holdfast-booking publishable-key="${barbers().publishable_key}" ${preselected()} ${attributes}></holdfast-booking>`
  const colors = (shown: Page, selector: string) =>
    shown.evaluate<{ background: string; color: string }>(`(() => {
      const { backgroundColor: background, color } = getComputedStyle(${selector})
      return { background, color }
    })()`)

  test('has a floating button with its colour, which opens the widget with its attributes', async () => {
    const shown = await open(button('accent="gold" theme="dark" prefill-first-name="Ada"'), 'holdfast.js', {
      width: 390,
    })
    await loaded(shown)
    const link = shown.getByRole('link', { name: 'Book now' })
    const box = await link.boundingBox()
    expect(box && box.x + box.width).toBe(390 - 16)
    expect(await colors(shown, `document.querySelector('holdfast-button a')`)).toEqual({
      background: 'rgb(255, 215, 0)',
      color: 'rgb(0, 0, 0)',
    })
    expect(await violationsIn(shown)).toEqual([])
    await keepScreenshot(shown, 'floating-button')
    await link.focus()
    await shown.keyboard.press('Enter')
    await shown.getByRole('dialog').waitFor()
    await heading(shown, 'When?')
    const widget = `document.querySelector('holdfast-booking').shadowRoot.querySelector('.widget')`
    expect((await colors(shown, widget)).background).toBe('rgb(23, 27, 31)')
    await keepScreenshot(shown, 'floating-button-open')
    expect(await violationsIn(shown)).toEqual([])
    expect(await misfitsIn(shown)).toEqual([])
    await toDetails(shown, '2026-11-24', '10:00')
    expect(await shown.getByLabel('First name').inputValue()).toBe('Ada')
    await shown.keyboard.press('Escape')
    await shown.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await shown.evaluate('document.activeElement.textContent')).toBe('Book now')
    // the element decides at each click
    await shown.evaluate(`{
      const button = document.querySelector('holdfast-button')
      button.setAttribute('locale', 'de')
      button.removeAttribute('theme')
    }`)
    await link.click()
    await heading(shown, 'Wann?')
    expect((await colors(shown, widget)).background).toBe('rgb(255, 255, 255)')
  })

  test('opens and closes the widget from a script, which waits for it, and hears its events', async () => {
    const program = `
      document.addEventListener('DOMContentLoaded', () => {
        told = []
        const stop = Holdfast.on('ready', (detail) => { told.push(detail.step); stop() })
        Holdfast.on('closed', (detail) => told.push(detail))
        Holdfast.open({ publishableKey: '${barbers().publishable_key}', serviceId: '${idOf('services', 'Meeting room')}', locale: 'fr', accent: '#6b21a8', prefill: { firstName: 'Ada' }, metadata: { order: '1042' } })
      })`
    scripts = " 'unsafe-inline'"
    const shown = await open(`<script>${program}</script>`)
    scripts = ''
    await heading(shown, 'Où ?')
    const element = shown.locator('holdfast-booking[overlay]')
    for (const [name, value] of [
      ['accent', '#6b21a8'],
      ['prefill-first-name', 'Ada'],
      ['metadata-order', '1042'],
    ] as const)
      expect(await element.getAttribute(name)).toBe(value)
    await shown.evaluate('Holdfast.close()')
    await element.waitFor({ state: 'detached' })
    await shown.evaluate(
      `void Holdfast.open({ publishableKey: '${barbers().publishable_key}', locale: 'en' })`,
    )
    await heading(shown, 'What would you like to book?')
    expect(await shown.evaluate('told')).toEqual(['location', { step: 'location' }])
  })

  test('asks before a script closes what the visitor has typed', async () => {
    const shown = await open(button())
    await loaded(shown)
    await shown.getByRole('link', { name: 'Book now' }).click()
    await toDetails(shown, '2026-11-25', '10:00')
    await shown.getByLabel('First name').fill('Ada')
    await shown.evaluate('Holdfast.close()')
    await shown.getByRole('alertdialog').waitFor()
    expect(await shown.locator('holdfast-booking[overlay]').count()).toBe(1)
  })

  test('opens the booking page where the widget does not load', async () => {
    const visitor = await visits.visitor()
    await visitor.page.route('**/widget/v1.js', (route) => route.abort())
    page = `<!doctype html><html lang="en"><title>A website</title><script defer src="${address}/widget/holdfast.js"></script>`
    await visitor.page.goto(website.address)
    await visitor.page.evaluate(`void Holdfast.open({ publishableKey: '${barbers().publishable_key}' })`)
    await visitor.page.waitForURL(`${address}/book/${barbers().publishable_key}`)
    visitor.errors.splice(0) // the aborted requests
  })

  test.each([
    ['in the page', 'success-url="/thanks?from=here"', '/thanks?from=here&booking_id='],
    ['with a whole address', () => `success-url="${website.address}/thanks"`, '/thanks?booking_id='],
  ] as const)('leads to the page of success-url after the booking, %s', async (_how, attribute, path) => {
    const given = typeof attribute === 'function' ? attribute() : attribute
    const shown = await open(element(given), 'v1.js')
    await toDetails(shown, '2026-11-26', given.includes('http') ? '11:00' : '10:00')
    await writeDetails(shown)
    await next(shown, 'Book now')
    await shown.waitForURL(`${website.address}${path}*`)
    const id = new URL(shown.url()).searchParams.get('booking_id')
    expect((await service.rows('bookings')).map((row) => row.id)).toContain(id)
  })

  test('stays where success-url is not the address of a page', async () => {
    const shown = await open(element('success-url="javascript:alert(1)"'), 'v1.js')
    await toDetails(shown, '2026-11-27', '10:00')
    await writeDetails(shown)
    await next(shown, 'Book now')
    await heading(shown, 'Thank you, Ada!')
    expect(shown.url()).toBe(`${website.address}/`)
  })

  test.each(['#ffff66', '#777777', '#0a0a0a', '#ff0000'])(
    'makes readable shades of %s in both themes',
    async (accent) => {
      const shown = await open(element(`accent="${accent}"`), 'v1.js')
      await shown.locator('.day.is-free').first().waitFor()
      for (const theme of ['light', 'dark']) {
        await shown.evaluate(`document.querySelector('holdfast-booking').setAttribute('theme', '${theme}')`)
        expect(await violationsIn(shown)).toEqual([])
      }
      await keepScreenshot(shown, `accent-${accent.slice(1)}`)
    },
  )
})

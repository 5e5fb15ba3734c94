/** @module-tag long */
import { beforeAll, describe, expect, test } from 'vitest'
import { heading, next } from '../support/booking-visit.ts'
import { chromiumPath, keepScreenshot, type Website } from '../support/browser.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The widget as other programs embed it: as a script without `type="module"`, and in one colour. */

describe.skipIf(chromiumPath === undefined)('the script on a website', () => {
  let service: TestService
  let address: string
  let website: Website
  let page = ''
  const visits = startVisits({ pages: () => ({ '/': page }) })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const barbers = () => businessOf(service.world, 'Thames Barbers')
  const open = async (head: string) => {
    page = `<!doctype html><html lang="en"><head><title>A website</title>${head}</head><body>
      <holdfast-booking publishable-key="${barbers().publishable_key}"></holdfast-booking></body></html>`
    const visitor = await visits.visitor({ timezoneId: 'Europe/London' })
    await visitor.page.goto(website.address)
    return visitor.page
  }

  test.each([
    [
      'as WordPress writes it',
      (at: string) => `<script src="${at}/widget/v1.js?ver=6.8.1" id="holdfast-js"></script>`,
    ],
    ['deferred', (at: string) => `<script defer src="${at}/widget/v1.js"></script>`],
    [
      'imported by a script of the page',
      (at: string) => `<script type="module">import('${at}/widget/v1.js')</script>`,
    ],
    [
      'beside a variable of the same name, and twice',
      (at: string) =>
        `<script>let e = 1, t = 2, n = 3</script><script src="${at}/widget/v1.js"></script><script type="module" src="${at}/widget/v1.js?ver=1"></script>`,
    ],
  ])('works %s, up to the booking', async (_how, head) => {
    service.clock.advance(6) // the cache of the previous test has expired
    const shown = await open(head(address))
    await next(shown, /^Meeting room/)
    await next(shown, /Southwark/)
    await shown.locator('.next-free button').first().click()
    await heading(shown, 'Your details')
    await shown.getByText('Held for you').waitFor()
  })

  test('works on the second page and the third, for whose script the browser only asks whether it has changed', async () => {
    const shown = await open(`<script src="${address}/widget/v1.js"></script>`)
    for (let visits = 0; visits < 3; visits += 1) {
      await heading(shown, 'What would you like to book?')
      await shown.goto(website.address)
    }
    await heading(shown, 'What would you like to book?')
  })

  test.each([
    ['light', '#c2185b', 'rgb(194, 24, 91)'],
    ['dark', 'rebeccapurple', 'rgb(102, 51, 153)'],
  ] as const)('takes all its colours from one (%s)', async (colorScheme, accent, computed) => {
    page = `<!doctype html><html lang="en"><head><meta name="color-scheme" content="${colorScheme}">
      <style>holdfast-booking { --holdfast-accent: ${accent} }</style>
      <script src="${address}/widget/v1.js"></script></head><body>
      <holdfast-booking publishable-key="${barbers().publishable_key}" service-id="${barbers().services.find(({ name }) => name === 'Meeting room')?.id ?? ''}" location-id="${barbers().locations[0]?.id ?? ''}"></holdfast-booking></body></html>`
    const { page: shown } = await visits.visitor({ timezoneId: 'Europe/London', colorScheme })
    await shown.goto(website.address)
    await shown.locator('.day.is-chosen').waitFor()
    const colorOf = (selector: string, property: string) =>
      shown
        .locator(selector)
        .first()
        .evaluate((element, name) => {
          const look = globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }
          return look.getComputedStyle(element)[name] ?? ''
        }, property)
    expect(await colorOf('.day.is-chosen', 'backgroundColor')).toBe(computed)
    const hue = (rgb: string) => {
      const [r = 0, g = 0, b = 0] = rgb.match(/[\d.]+/g)?.map(Number) ?? []
      const [max, min] = [Math.max(r, g, b), Math.min(r, g, b)]
      const part =
        max === r ? (g - b) / (max - min) : max === g ? 2 + (b - r) / (max - min) : 4 + (r - g) / (max - min)
      return (part * 60 + 360) % 360
    }
    for (const [selector, property] of [
      ['.next-free button', 'backgroundColor'],
      ['.next-free button', 'color'],
      ['.day.is-free:not(.is-chosen)', 'backgroundColor'],
      ['.time-text', 'color'],
    ] as const) {
      const found = await colorOf(selector, property)
      expect([selector, property, Math.abs(hue(found) - hue(computed)) < 15]).toEqual([
        selector,
        property,
        true,
      ])
    }
    await keepScreenshot(shown, `accent-${colorScheme}`)
  })
})

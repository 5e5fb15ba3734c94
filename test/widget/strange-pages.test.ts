/** @module-tag long */
import { beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { heading } from '../support/booking-visit.ts'
import { chromiumPath, keepScreenshot, type VisitorOptions, type Website } from '../support/browser.ts'
import { testFirstOf } from '../support/long.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* Effects of a website on the widget's texts, and of the widget on its website. */

describe.skipIf(chromiumPath === undefined)('the widget on a website with ways of its own', () => {
  let service: TestService
  let address: string
  let website: Website
  let html = ''
  const visits = startVisits({ pages: () => ({ '/': html }) })
  beforeAll(() => {
    ;({ service, address, website } = visits)
  })

  const idOf = (items: { id: string; name: string }[], name: string) =>
    items.find((item) => item.name === name)?.id ?? ''
  /** Shows the times of a service on a page with these styles. */
  const pageWith = (styles: string, attributes = '') => {
    const { publishable_key: key, services, locations } = businessOf(service.world, 'Thames Barbers')
    html = `<!doctype html><html lang="en"><head><title>A website</title><meta name="viewport" content="width=device-width">
      <style>${styles}</style><script type="module" src="${address}/widget/v1.js?ver=2"></script></head>
      <body><main><h1>A website</h1><holdfast-booking publishable-key="${key}" ${attributes}
        service-id="${idOf(services, 'Meeting room')}" location-id="${idOf(locations, 'Southwark')}"></holdfast-booking>
      <p id="below">Below the widget</p></main></body></html>`
  }
  const open = async (options: VisitorOptions = {}) => {
    const visitor = await visits.visitor({ timezoneId: 'Europe/London', ...options })
    return visitor
  }
  const visit = async (options: VisitorOptions = {}) => {
    const { page } = await open(options)
    await page.goto(website.address)
    await heading(page, 'When?')
    await page.locator('.time').first().waitFor()
    return page
  }

  testFirstOf([['dark'], ['light']])(
    'has texts of its own size and form, whatever those of the page are (%s)',
    async (colorScheme) => {
      const look = async () => {
        const page = await visit({ colorScheme })
        const texts = ['.brand', 'h2', '.month-name', '.month th', '.day', '.time-text', 'h3']
        const looks = []
        for (const text of texts) {
          const element = page.locator(`holdfast-booking ${text}`).first()
          looks.push([
            text,
            await element.evaluate(`(node) => ['fontSize', 'letterSpacing', 'wordSpacing', 'textTransform', 'fontStyle',
              'fontWeight', 'textShadow', 'lineHeight'].map((name) => getComputedStyle(node)[name])`),
            (await element.boundingBox())?.height,
          ])
        }
        return { page, looks }
      }
      pageWith(':root { color-scheme: light dark }')
      const { looks } = await look()
      pageWith(`:root { color-scheme: light dark } html { font-size: 62.5% } body { font-size: 1.3rem; margin: 8px }
        main { text-transform: uppercase; letter-spacing: 3px; word-spacing: 9px; font-style: italic; font-weight: 900;
          line-height: 3; text-indent: 2em; text-shadow: 1px 1px red; white-space: pre; text-align: right }`)
      const strange = await look()
      expect(strange.looks).toEqual(looks)
      await keepScreenshot(strange.page, `strange-${colorScheme}`)
      expect(await violationsIn(strange.page)).toEqual([])
    },
  )

  test('goes on to the last step under an address with a version behind it', async () => {
    pageWith('')
    const page = await visit()
    await page.locator('.time').first().click()
    await heading(page, 'Your details')
  })

  testFirstOf([
    [390, 844],
    [1280, 800],
  ])('moves nothing on the page over a slow network (%d wide)', async (width, height) => {
    pageWith('', 'style="display: block; min-height: 800px"')
    const { page } = await open({ width, height })
    await page.addInitScript(`{
      window.moves = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, startTime, sources } = entry
          const what = sources.map(({ node, previousRect, currentRect }) => [node?.nodeName ?? 'in the widget', previousRect.y, currentRect.y])
          if (!entry.hadRecentInput) window.moves.push({ value, startTime, what })
        }
      }).observe({ type: 'layout-shift', buffered: true })
    }`)
    await page.route(`${address}/**`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await route.continue()
    })
    await page.goto(website.address)
    await page.locator('.time').first().waitFor()
    await page.locator('.day.is-free').nth(3).click()
    await page.getByRole('button', { name: 'Change: Meeting room' }).click()
    await page.locator('.option').first().click()
    await page.locator('.time').first().waitFor()
    // browsers count layout shifts less than a second apart as one (https://web.dev/articles/cls)
    const moves = await page.evaluate<{ value: number; startTime: number }[]>('window.moves')
    const sums = moves.reduce<number[]>((all, { value, startTime }, index) => {
      const isNew = startTime - (moves[index - 1]?.startTime ?? -Infinity) >= 1000
      return isNew ? [...all, value] : [...all.slice(0, -1), (all.at(-1) ?? 0) + value]
    }, [])
    expect(Math.max(0, ...sums), JSON.stringify(moves)).toBeLessThanOrEqual(0.05)
    await keepScreenshot(page, `slow-${width}`)
  })
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { misfitsIn, violationsIn } from './accessibility.ts'
import { keepScreenshot, type Visitor } from './browser.ts'
import { isWhole } from './long.ts'

/* Actions of a visitor in the widget, and checks on it. Each action waits for its element. */

export function next(page: Page, name: RegExp | string): Promise<void> {
  return page.getByRole('button', { name }).click()
}

export function heading(page: Page, text: string | RegExp): Promise<void> {
  return page.getByRole('heading', { name: text, level: 2 }).waitFor()
}

export async function writeDetails(page: Page): Promise<void> {
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  await page.getByLabel('Email').fill('ada@example.com')
}

/** Goes to the details of the first slot, on a day, whose text has this beginning. */
export async function toDetails(page: Page, day: string, time: string): Promise<void> {
  await page.locator(`.day.is-free[data-date="${day}"]`).click()
  await page.locator('.time', { hasText: time }).first().click()
  await heading(page, 'Your details')
}

/** Returns the label or text of the focused element, also within the widget. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim()
  })()`)
}

export function expectFocus(page: Page, on: string | RegExp): Promise<void> {
  return expect.poll(() => focused(page)).toMatch(typeof on === 'string' ? new RegExp(`^${on}$`) : on)
}

/** Presses the tab key until the focus matches, at most `max` times. */
export async function tabTo(page: Page, on: RegExp, max: number): Promise<void> {
  for (let presses = 0; presses < max && !on.test(await focused(page)); presses += 1) {
    await page.keyboard.press('Tab')
  }
  await expectFocus(page, on)
}

/** Holds back requests to these URLs. Returns a function that releases them. */
export async function holdBack(page: Page, addresses: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await page.route(addresses, async (route) => {
    await promise
    await route.continue()
  })
  return () => resolve(undefined)
}

/** Besides the page's own width. Texts are cut first at the narrowest. */
const widths = isWhole ? [320, 768, 1280] : [320]

/** Checks that nothing is cut off, covered or outside the page at any width, and that nothing is inaccessible. */
export async function expectSound(page: Page, name: string): Promise<void> {
  const own = page.viewportSize()
  await page.waitForLoadState() // a new page may still lack its styles
  expect(await misfitsIn(page), 'at its own width').toEqual([])
  for (const width of widths) {
    await page.setViewportSize({ width, height: own?.height ?? 900 })
    await keepScreenshot(page, `${name}-${width}`)
    expect(await misfitsIn(page), `at ${width} pixels`).toEqual([])
  }
  if (own) await page.setViewportSize(own)
  expect(await violationsIn(page)).toEqual([])
}

/** Checks that the visitor sent requests to these hosts only. */
export function expectHosts({ requests }: Visitor, allowed: string[]): void {
  const asked = requests
    .map(({ address }) => new URL(address))
    .filter(({ protocol }) => /^https?:/.test(protocol))
  expect(asked.filter(({ origin }) => !allowed.includes(origin)).map(({ href }) => href)).toEqual([])
}

/** Returns the visitor's requests to the API, without preflights. */
export function apiRequests({ requests }: Visitor): Visitor['requests'] {
  return requests.filter(({ method, address }) => address.includes('/api/v1/') && method !== 'OPTIONS')
}

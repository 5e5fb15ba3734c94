import type { Browser, Page } from 'playwright-core'
import { openVisitor, type Visitor, type VisitorOptions } from './browser.ts'
import { eventually } from './eventually.ts'
import { type LoggedIn, sendForm } from './person.ts'
import type { Reply, TestService } from './test-service.ts'

/** The screen sizes for pages of the console. */
export const consoleSizes = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
} as const

/** Opens a page of the console as a logged-in person. */
export async function openConsole(
  browser: Browser,
  { cookie }: Pick<LoggedIn, 'cookie'>,
  { address, ...options }: VisitorOptions & { address: string },
): Promise<Visitor> {
  const visitor = await openVisitor(browser, options)
  const [name = '', value = ''] = cookie.split('=', 2)
  await visitor.context.addCookies([{ name, value, url: address }])
  return visitor
}

/**
 * Reads a page of the console without a browser. If its URL needs a business but names none, uses the displayed one.
 */
export async function readConsole(
  service: TestService,
  path: string,
  { cookie }: Pick<LoggedIn, 'cookie'>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const get = (address: string) =>
    service.call('GET', `/${address}`, { headers: { host: 'localhost', cookie, ...headers } })
  const reply = await get(path)
  const named = reply.status === 303 && !path.includes('business=') ? reply.headers['location'] : undefined
  return named?.startsWith(`${path.split('?', 1)[0] ?? ''}?business=`) ? get(named) : reply
}

/** Returns the values that a page's form would send, from its hidden fields, inputs and areas, by name. */
export function formValues(body: string, action: string): Record<string, string> {
  const start = body.indexOf(`action="${action}"`)
  const form = body.slice(start, body.indexOf('</form>', start))
  const values: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]
    const isChoice = ['radio', 'checkbox'].includes(attribute('type') ?? '')
    const name = attribute('name')
    if (name !== undefined && (!isChoice || / checked/.test(input))) values[name] = attribute('value') ?? ''
  }
  for (const [, name = '', value = ''] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n?([^<]*)</g))
    values[name] = value
  return values
}

/** Returns the contents of an item's form, as a browser would send them. */
export function typedIn(page: string): Record<string, string> {
  const form = /<form [^>]*class="fields[^]*?<\/form>/.exec(page)?.[0] ?? ''
  const typed: Record<string, string> = {}
  const plain = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<')
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const at = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
    const isOff = /type="(checkbox|radio)"/.test(tag) && !/\schecked/.test(tag)
    if (!isOff) typed[at('name') ?? ''] = plain(at('value') ?? '')
  }
  for (const [, name = '', text = ''] of form.matchAll(
    /<textarea[^>]*name="([^"]*)"[^>]*>([^]*?)<\/textarea>/g,
  ))
    typed[name] = plain(text)
  for (const [, name = '', options = ''] of form.matchAll(
    /<select[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g,
  ))
    typed[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? ''
  return typed
}

/** Fills in a form of a page and sends it. */
export async function useForm(
  service: TestService,
  person: Pick<LoggedIn, 'cookie'>,
  { page, action, fields }: { page: string; action: string; fields: Record<string, string> },
): Promise<Reply> {
  const { body } = await readConsole(service, page, person)
  return sendForm(service, action, { ...formValues(String(body), action), ...fields }, person)
}

/** Returns the text of a page as people read it, on one line. */
export function textOf(page: { body: unknown }): string {
  return String(page.body)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
}

/** Returns the address of the page in the calendar's panel, once it has loaded. */
export async function panelAddress(page: Page): Promise<URL> {
  await page.locator('#panel h1').waitFor()
  await eventually('the focus in the panel', async () =>
    (await page.evaluate<boolean>('document.querySelector("#panel").contains(document.activeElement)'))
      ? true
      : undefined,
  )
  return new URL(new URL(page.url()).searchParams.get('panel') ?? '', page.url())
}

/** Opens the menu of a booking's further actions. */
export async function openMore(page: Page): Promise<void> {
  await page.locator('.booking .menu > summary').click()
}

/** Goes to a section of the console through its menu, which phones open first. */
export async function goToSection(page: Page, name: string): Promise<void> {
  const button = page.locator('.tabs').getByRole('button', { name: 'More' })
  if (await button.isVisible()) await button.click()
  await page.locator('#sections').getByRole('link', { name, exact: true }).click()
}

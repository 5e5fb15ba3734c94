import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type Browser, type Page } from 'playwright-core'
import { request } from 'undici'
import { findWholeChromium } from '../test/support/chromium.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { postgresFor, startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * A visitor's waiting time for the first times of the widget on a website, and of the booking page. The service is
 * already chosen, in Chromium without a cache. Also measures how both load on a phone with a slow connection.
 */

/**
 * Lighthouse's slow 4G, formerly "slow 3G" for "fast":
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md
 */
const slow4g = { latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 }
/** 3G in Chromium's developer tools, formerly slow 3G. */
const slow3g = { latency: 2_000, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 }
const connections = { 'slow 4G': slow4g, 'slow 3G': slow3g }

const opensPerRound = 7

/** Prints for each engine the time to the first times, the requests until then, and the figures of slow connections. */
export async function measureWidget({ engines, rounds }: Plan): Promise<void> {
  const executablePath = findWholeChromium()
  if (executablePath === undefined) throw new Error('this benchmark needs Chromium')
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  undo.defer(() => browser.close())
  const bytes = gzipSync(readFileSync(resolve(thisCheckout, 'widget/dist/v1.js')), { level: 9 }).length
  console.log(`v1.js has ${bytes} bytes gzipped; ${opensOf(rounds)} openings without a cache, at 390 × 844.`)
  const rows: object[] = []
  for (const engine of engines) rows.push(...(await rowsOf(browser, engine, { url: postgresUrl, rounds })))
  console.table(rows)
}

const opensOf = (rounds: number) => Math.max(1, Math.round(rounds * opensPerRound))

async function rowsOf(
  browser: Browser,
  engine: Engine,
  { url, rounds }: { url: string | undefined; rounds: number },
): Promise<object[]> {
  await using undo = new AsyncDisposableStack()
  const target = await startTarget(thisCheckout, engine, { postgresUrl: url, number: 0 })
  undo.defer(() => target.stop())
  const salon = await makeSalon(target)
  const website = await serveWebsite(salon.website)
  undo.defer(website.stop)
  const rows: object[] = []
  for (const [page, address] of Object.entries({ website: website.address, 'booking page': salon.page }))
    rows.push({ engine, page, ...(await figuresAt(browser, address, rounds)) })
  return rows
}

async function figuresAt(browser: Browser, address: string, rounds: number): Promise<object> {
  const opens: Opening[] = []
  for (let open = 0; open < opensOf(rounds); open += 1) opens.push(await openingOf(browser, address))
  const row: Record<string, unknown> = {
    'first times ms': median(opens.map(({ timesMs }) => timesMs)).toFixed(0),
    'slowest ms': Math.max(...opens.map(({ timesMs }) => timesMs)).toFixed(0),
    'API requests': Math.max(...opens.map(({ requests }) => requests)),
  }
  for (const [name, connection] of Object.entries(connections)) {
    const slow: Opening[] = []
    for (let open = 0; open < Math.max(1, Math.round(rounds)); open += 1)
      slow.push(await openingOf(browser, address, connection))
    row[`LCP ms, ${name}`] = median(slow.map(({ paintMs }) => paintMs)).toFixed(0)
    row[`first times ms, ${name}`] = median(slow.map(({ timesMs }) => timesMs)).toFixed(0)
    row[`CLS, ${name}`] = Math.max(...slow.map(({ shift }) => shift)).toFixed(3)
  }
  return row
}

/** Creates a business with a service every day: its booking page, and a website with its widget. */
async function makeSalon(target: Target): Promise<{ page: string; website: string }> {
  const { id } = await target.command<{ id: string }>('business', 'create', 'Salon', '--timezone', 'UTC')
  const { key } = await target.command<{ key: string }>('key', 'create', '--business', id)
  const { key: publishable } = await target.command<{ key: string }>(
    ...['key', 'create', '--business', id, '--type', 'publishable'],
  )
  const [address = ''] = target.addresses
  const make = async (where: string, body: object): Promise<string> => {
    const answer = await request(`${address}/api/v1${where}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 201) throw new Error(`POST ${where} answered ${answer.statusCode}: ${text}`)
    return (JSON.parse(text) as { id: string }).id
  }
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const weekly_hours = days.map((weekday) => ({ weekday, opens: '09:00', closes: '18:00' }))
  const location = await make('/locations', { name: 'Salon', timezone: 'UTC', weekly_hours })
  const ada = await make('/staff', { name: 'Ada' })
  const staff_ids = [ada, await make('/staff', { name: 'Grace' })]
  const service = await make('/services', {
    ...{ name: 'Haircut', duration_minutes: 30, slot_interval_minutes: 30 },
    ...{ location_ids: [location], staff_ids },
  })
  const snippet = ['widget', 'snippet', '--key', publishable, '--service', service, '--staff', ada]
  const { html } = await target.command<{ html: string }>(...snippet)
  const own = new URL(/src="([^"]*)"/.exec(html)?.[1] ?? '').origin // PUBLIC_URL is not set
  return {
    page: `${address}/book/${publishable}?service=${service}&staff=${ada}`,
    website: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A salon</title>
      <h1>A salon</h1>${html.replaceAll(own, address)}<p>Below the widget.</p>`,
  }
}

/** Serves a website of a different origin. */
async function serveWebsite(page: string): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((stopped) => {
        server.closeAllConnections()
        server.close(() => stopped())
      }),
  }
}

interface Opening {
  /** From the start of the navigation until a time can be pressed. */
  timesMs: number
  /** Requests of the widget to the service until then, except for its scripts. */
  requests: number
  /** Largest Contentful Paint. */
  paintMs: number
  /** Cumulative Layout Shift. */
  shift: number
}

/** Opens the website as a new visitor. */
async function openingOf(browser: Browser, address: string, connection?: typeof slow4g): Promise<Opening> {
  await using undo = new AsyncDisposableStack()
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-GB' })
  undo.defer(() => context.close())
  const page = await context.newPage()
  if (connection) {
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', { offline: false, ...connection })
  }
  let requests = 0
  page.on('request', (asked) => {
    if (/\/api\/v1\/|\/start(?:\?|$)/.test(asked.url()) && asked.method() !== 'OPTIONS') requests += 1
  })
  await page.addInitScript(observe)
  await page.goto(address)
  await page.locator('.time').first().waitFor()
  return { ...(await figuresOf(page)), requests }
}

/** Records the browser's performance entries in the page. */
const observe = `{
  const seen = (globalThis.seen = { timesMs: 0, paintMs: 0, shift: 0 })
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('largest-contentful-paint', ({ startTime }) => (seen.paintMs = startTime))
  watch('layout-shift', ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value))
  const look = () => {
    if (document.querySelector('holdfast-booking')?.shadowRoot?.querySelector('.time')) seen.timesMs = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}`

/** The browser reports a paint some frames later. */
const settleMs = 1_000

/** Returns the figures once the browser has reported everything painted with the first times. */
function figuresOf(page: Page): Promise<Omit<Opening, 'requests'>> {
  return page.evaluate(`new Promise((resolve) => setTimeout(() => resolve(globalThis.seen), ${settleMs}))`)
}

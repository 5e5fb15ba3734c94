import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { createApp } from '../src/app.ts'
import { makeDemoWorld } from '../src/catalogue/make-demo-world.ts'
import { readConfig } from '../src/config.ts'
import { createContext } from '../src/create-context.ts'
import { findChromium } from '../test/support/chromium.ts'

/*
 * How long a visitor waits: from the start of the widget's script to the first times that can be booked, on a page that has
 * preselected the service and the location, over loopback. Each visit is one of a new visitor with an empty cache, and
 * the same again with what the browser has kept.
 */

const visits = 15

/** Run in the page: notes when the script begins and when the first time is painted. */
const watch = `(() => {
  const look = () => {
    const time = document.querySelector('holdfast-booking')?.shadowRoot?.querySelector('.time')
    if (time) requestAnimationFrame(() => { document.documentElement.dataset.shown = String(performance.now()) })
    else requestAnimationFrame(look)
  }
  look()
})()`

const measure = `(() => {
  const script = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/widget/v1.js'))
  const shown = Number(document.documentElement.dataset.shown)
  const requests = performance.getEntriesByType('resource').filter(({ name, startTime }) => name.includes('/api/v1/') && startTime < shown)
  return { fromScript: shown - script.responseEnd, fromNavigation: shown, requests: requests.length }
})()`

interface Visit {
  fromScript: number
  fromNavigation: number
  requests: number
}

async function visit(browser: Browser, website: string, body: string): Promise<[cold: Visit, warm: Visit]> {
  const context = await browser.newContext()
  await context.route(website, (route) => route.fulfill({ contentType: 'text/html', body }))
  const page = await context.newPage()
  await page.addInitScript(watch)
  const look = async () => {
    await page.waitForSelector('html[data-shown]', { state: 'attached' })
    return page.evaluate<Visit>(measure)
  }
  await page.goto(website)
  const cold = await look()
  await page.reload()
  const warm = await look()
  await context.close()
  return [cold, warm]
}

function row(name: string, all: Visit[]) {
  const median = (values: number[]) =>
    values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
  return {
    visit: name,
    'script to times, median': `${median(all.map(({ fromScript }) => fromScript)).toFixed(0)} ms`,
    slowest: `${Math.max(...all.map(({ fromScript }) => fromScript)).toFixed(0)} ms`,
    'navigation to times, median': `${median(all.map(({ fromNavigation }) => fromNavigation)).toFixed(0)} ms`,
    'requests to the API': Math.max(...all.map(({ requests }) => requests)),
  }
}

const program = findChromium()
if (program === undefined) throw new Error('this needs Chromium: install it, or name it in CHROMIUM_PATH')
const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
const config = readConfig({
  NODE_ENV: 'test',
  DATABASE_URL: `sqlite:${join(directory, 'bench.db')}`,
  LOG_LEVEL: 'error',
  RATE_LIMIT_FACTOR: '1000',
})
const context = await createContext(config)
await context.db.migrate()
const [business] = (await makeDemoWorld(context)).businesses
const app = await createApp(context)
const address = await app.server.listen({ host: '127.0.0.1', port: 0 })
const service = business?.services.find(({ name }) => name === 'Consultation')
const page = `<!doctype html><title>Bench</title><script type="module" src="${address}/widget/v1.js"></script>
  <holdfast-booking publishable-key="${business?.publishable_key ?? ''}" service-id="${service?.id ?? ''}" location-id="${business?.locations[0]?.id ?? ''}"></holdfast-booking>`
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
try {
  // a page of the same origin: what is measured is the widget, not the preflights of another website
  const website = `${address}/bench`
  const cold: Visit[] = []
  const warm: Visit[] = []
  await visit(browser, website, page) // warm
  for (let count = 0; count < visits; count += 1) {
    const [first, second] = await visit(browser, website, page)
    cold.push(first)
    warm.push(second)
  }
  console.table([row('first', cold), row('again', warm)])
} finally {
  await browser.close()
  await app.stop()
  rmSync(directory, { recursive: true })
}

import { chromium, type Browser, type Page } from 'playwright-core'
import { request } from 'undici'
import { findChromium } from '../test/support/chromium.ts'
import { median, type Plan } from './measure.ts'
import type { Engine } from './operations.ts'
import { logInOwner } from './support/log-in.ts'
import { postgresFor, startTarget, type Target, thisCheckout } from './targets.ts'

/*
 * An owner's waiting time: the day of a large salon in the console, in Chromium, opened without a cache. Also measures
 * how smoothly an appointment follows the mouse. A day without appointments and a line of text show what the frame of
 * the page and the browser take.
 */

const people = 20
const appointments = 300
const openHour = 7
const closeHour = 21
const times = { duration_minutes: 30, slot_interval_minutes: 30, max_advance_days: 60 }
const dayMs = 86_400_000

/** Prints for each engine the time to the first view of the page, and between two frames of a drag. */
export async function measureCalendar({ engines, rounds, seconds }: Plan): Promise<void> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('this benchmark needs Chromium')
  await using undo = new AsyncDisposableStack()
  const postgresUrl = await postgresFor(engines, undo)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  undo.defer(() => browser.close())
  console.log(
    `${people} people, ${closeHour - openHour} hours, ${appointments} appointments; ${rounds * 5} openings without a cache, ` +
      `a drag of ${seconds} s.`,
  )
  const rows: object[] = []
  for (const engine of engines) rows.push(await rowOf(browser, engine, { postgresUrl, rounds, seconds }))
  console.table(rows)
}

async function rowOf(
  browser: Browser,
  engine: Engine,
  { postgresUrl, rounds, seconds }: { postgresUrl: string | undefined; rounds: number; seconds: number },
): Promise<object> {
  await using undo = new AsyncDisposableStack()
  const target = await startTarget(thisCheckout, engine, { postgresUrl, number: 0 })
  undo.defer(() => target.stop())
  const { path, emptyPath, cookie } = await makeSalon(target)
  const [address = ''] = target.addresses
  const open = async (opened = path) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await context.addCookies([{ ...cookie, url: address }])
    const page = await context.newPage()
    await page.goto(address + opened)
    return { page, close: () => context.close() }
  }
  const openings: Record<'full' | 'empty' | 'text', Opening[]> = { full: [], empty: [], text: [] }
  const paths = { full: path, empty: emptyPath, text: '/healthz' } as const
  for (let opening = 0; opening < rounds * 5; opening += 1) {
    for (const kind of ['full', 'empty', 'text'] as const) {
      const { page, close } = await open(paths[kind])
      openings[kind].push(await openingOf(page))
      await close()
    }
  }
  const { page, close } = await open()
  const frames = await framesOfDrag(page, seconds)
  await close()
  const pictures = (kind: keyof typeof openings) => openings[kind].map(({ pictureMs }) => pictureMs)
  return {
    engine,
    'answer ms': median(openings.full.map(({ answerMs }) => answerMs)).toFixed(0),
    'first picture ms': median(pictures('full')).toFixed(0),
    'slowest picture ms': Math.max(...pictures('full')).toFixed(0),
    'first picture of a day without appointments ms': median(pictures('empty')).toFixed(0),
    'first picture of a line of text ms': median(pictures('text')).toFixed(0),
    frames: frames.length,
    'between frames, p50 ms': share(frames, 0.5).toFixed(1),
    'p95 ms': share(frames, 0.95).toFixed(1),
    'frames a second': (1_000 / (frames.reduce((sum, one) => sum + one, 0) / frames.length)).toFixed(0),
  }
}

/** Creates a business with its appointments on the day after tomorrow, and a logged-in person. */
async function makeSalon(
  target: Target,
): Promise<{ path: string; emptyPath: string; cookie: { name: string; value: string } }> {
  const { id } = await target.command<{ id: string }>('business', 'create', 'Salon', '--timezone', 'UTC')
  const { key } = await target.command<{ key: string }>('key', 'create', '--business', id)
  const [address = ''] = target.addresses
  const make = async (where: string, body: object): Promise<{ id: string; hold_id: string }> => {
    const answer = await request(`${address}/api/v1${where}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 201) throw new Error(`POST ${where} answered ${answer.statusCode}: ${text}`)
    return JSON.parse(text) as { id: string; hold_id: string }
  }
  const day = new Date(Date.now() + 2 * dayMs).toISOString().slice(0, 10)
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(day))
  const hours = [{ weekday: weekday.toLowerCase(), opens: `0${openHour}:00`, closes: `${closeHour}:00` }]
  const { id: location_id } = await make('/locations', {
    name: 'Salon',
    timezone: 'UTC',
    weekly_hours: hours,
  })
  const staff_ids: string[] = []
  for (let one = 0; one < people; one += 1)
    staff_ids.push((await make('/staff', { name: `Person ${one + 1}` })).id)
  const { id: service_id } = await make('/services', {
    ...{ name: 'Haircut', location_ids: [location_id], staff_ids },
    ...times,
  })
  for (let index = 0; index < appointments; index += 1) {
    const startMs =
      Date.parse(`${day}T00:00:00Z`) + openHour * 3_600_000 + Math.floor(index / people) * 3_000_000
    const starts_at = new Date(Math.floor(startMs / 1_800_000) * 1_800_000).toISOString()
    const staff_id = staff_ids[index % people]
    const { hold_id } = await make('/bookings/hold', { service_id, location_id, staff_id, starts_at })
    const client = { first_name: 'Ada', last_name: `Lovelace ${index}`, email: `ada${index}@example.com` }
    await make('/bookings', { hold_id, client })
  }
  const later = new Date(Date.parse(day) + 7 * dayMs).toISOString().slice(0, 10) // the same hours
  const [path, emptyPath] = [`/console?date=${day}`, `/console?date=${later}`]
  return { path, emptyPath, cookie: await logInOwner(target, 'Salon') }
}

interface Opening {
  answerMs: number
  pictureMs: number
}

function openingOf(page: Page): Promise<Opening> {
  return page.evaluate(`(async () => {
    const paint = await new Promise((resolve) => new PerformanceObserver((list) => {
      const found = list.getEntriesByName('first-contentful-paint')[0]
      if (found) resolve(found)
    }).observe({ type: 'paint', buffered: true }))
    const [{ responseEnd, requestStart }] = performance.getEntriesByType('navigation')
    return { answerMs: responseEnd - requestStart, pictureMs: paint.startTime }
  })()`)
}

/** Drags the first appointment up and down. Returns the milliseconds between the frames. */
async function framesOfDrag(page: Page, seconds: number): Promise<number[]> {
  await page.locator('.cal-keys').waitFor({ state: 'attached' }) // the script has loaded
  const box = await page.locator('.booking[data-id]').first().boundingBox()
  if (!box) throw new Error('no appointment is seen')
  const [x, y] = [box.x + box.width / 2, box.y + 8]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 20, { steps: 4 })
  await page.evaluate(`(() => {
    window.frames_ = []
    let before
    const tick = (now) => {
      if (before !== undefined) window.frames_.push(now - before)
      before = now
      if (window.frames_) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })()`)
  const end = performance.now() + seconds * 1_000
  for (let step = 0; performance.now() < end; step += 1) {
    await page.mouse.move(x + 300 * Math.abs(Math.sin(step / 60)), y + 300 * Math.abs(Math.sin(step / 40)))
  }
  const frames = await page.evaluate<number[]>(
    '(() => { const seen = window.frames_; window.frames_ = null; return seen })()',
  )
  await page.keyboard.press('Escape')
  await page.mouse.up()
  return frames
}

function share(values: number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? NaN
}

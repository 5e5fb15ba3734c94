import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../support/chromium.ts'
import { slot } from '../support/cluster.ts'
import { freePort } from '../support/free-port.ts'
import { demoWorld } from '../support/holdfast-process.ts'
import { httpClients } from '../support/http-client.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { ada, businessOf, offer } from '../support/test-service.ts'

const executablePath = findChromium()
const call = httpClients()

describe.skipIf(executablePath === undefined)('the sandbox in a browser', () => {
  let database: TestDatabase
  let server: ServerProcess
  let browser: Browser
  let page: Page
  let token: string
  let book: () => Promise<{ id: string; url: string }>
  const complaints: string[] = []

  beforeAll(async () => {
    database = await createTestDatabase('sqlite')
    const world = await demoWorld(database.url)
    const business = businessOf(world, 'Salon Spree')
    token = business.business_key
    const port = String(await freePort())
    const own = { NODE_ENV: 'test', PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` }
    server = await startServer(database.url, own)
    let slots = 0
    book = async () => {
      const wanted = { ...offer(business, 'Treatment'), starts_at: slot((slots += 1)) }
      const exchanged = await call(server.address, 'POST', '/session', { token: business.publishable_key })
      const session = String(exchanged.body.session_token)
      const held = await call(server.address, 'POST', '/bookings/hold', { token: session, body: wanted })
      const body = { hold_id: held.body.hold_id, client: ada }
      const booked = await call(server.address, 'POST', '/bookings', { token: session, body })
      expect(booked).toMatchObject({ status: 201, body: { status: 'pending' } })
      return { id: String(booked.body.id), url: String(booked.body.redirect_url) }
    }
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
    page = await browser.newPage()
    // the browser reports blocked resources here (a form, a missing style)
    page.on('console', (message) => {
      const isLogo = message.location().url.endsWith('/salon-spree.png') // from a server that is not running
      if (!isLogo) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await database.drop()
  })

  const statusOf = async (id: string): Promise<string> => {
    const shown = await call(server.address, 'GET', `/bookings/${id}`, { token })
    return `${String(shown.body.status)}, ${String(shown.body.payment.status)}`
  }
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  test('a client pays, comes back, and sees the booking confirmed', async () => {
    const { id, url } = await book()
    await page.goto(url)
    expect(await heading()).toBe('Pay (sandbox)')
    await page.getByRole('button', { name: /^Pay / }).click()
    await page.waitForURL(/\/checkout\//)
    expect(await heading()).toBe('Your booking is confirmed')
    expect(await statusOf(id)).toBe('confirmed, paid')
  })

  test('with the keyboard alone, after a payment that failed', async () => {
    const { id, url } = await book()
    await page.goto(url)
    await page.getByRole('button', { name: 'Let the payment fail' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await statusOf(id)).toBe('pending, due')
    await page.getByRole('button', { name: /^Pay / }).focus()
    await page.keyboard.press('Space')
    await page.waitForURL(/\/checkout\//)
    expect(await statusOf(id)).toBe('confirmed, paid')
  })

  test('a client goes back, then on to the payment, then gives up', async () => {
    const { id, url } = await book()
    await page.goto(url)
    await page.getByRole('button', { name: 'Cancel booking' }).click()
    await page.waitForURL(/\/checkout\//)
    expect(await heading()).toBe('This booking is cancelled')
    expect(await statusOf(id)).toBe('cancelled, expired')
    await page.goto(url)
    await page.getByRole('link', { name: 'See the booking' }).click()
    expect(await heading()).toBe('This booking is cancelled')
  })

  test('the page speaks the language of the client', async () => {
    const { url } = await book()
    const context = await browser.newContext({ locale: 'ar', viewport: { width: 390, height: 844 } })
    const arabic = await context.newPage()
    await arabic.goto(url)
    await arabic.getByRole('button', { name: 'جعل الدفع يفشل' }).click()
    await arabic.getByRole('alert').waitFor()
    expect(await arabic.locator('html').getAttribute('dir')).toBe('rtl')
    expect(await arabic.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await context.close()
  })

  test('the browser has nothing to complain about', () => {
    expect(complaints).toEqual([])
  })
})

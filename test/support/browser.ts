import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterEachFile } from './after-file.ts'
import { findChromium } from './chromium.ts'
import type { Engine } from '../../src/database/database.ts'
import { freePort } from './free-port.ts'
import { startOfTime, startTestService, type TestService } from './test-service.ts'

/** The program of the browser. Undefined if there is none, which causes a loud warning. */
export const chromiumPath = findChromium()

/** Makes it connect to the tests only. */
const quietly = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let shared: Promise<Browser> | undefined

afterEachFile(async () => {
  for (const context of (await shared)?.contexts() ?? []) await context.close()
})

/**
 * Starts the browser of this worker, with which it ends. The files share it, but each visitor has a separate context.
 */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= chromium.launch({ executablePath: chromiumPath ?? '', args: quietly }))
}

export interface VisitorOptions {
  width?: number
  height?: number
  locale?: string
  timezoneId?: string
  colorScheme?: 'light' | 'dark'
  hasTouch?: boolean
  javaScriptEnabled?: boolean
  serviceWorkers?: 'allow' | 'block'
}

/** A visitor's page and its observations. */
export interface Visitor {
  page: Page
  context: BrowserContext
  /** Method and URL of each request, without its query. */
  requests: { method: string; address: string; headers: Record<string, string> }[]
  /** Errors of scripts, and violations of a policy. */
  errors: string[]
  close(): Promise<void>
}

const patienceMs = 60_000

/** Opens a page whose clock begins at the time of the service and keeps running. */
export async function openVisitor(
  browser: Browser,
  { width = 768, height = 900, locale = 'en-GB', timezoneId = 'Europe/Berlin', ...more }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width, height },
    locale,
    timezoneId,
    reducedMotion: 'reduce', // otherwise clicks would wait for animations
    serviceWorkers: 'block', // those of the console would fetch files for each test
    ...more,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.clock.install({ time: startOfTime })
  const requests: Visitor['requests'] = []
  const errors: string[] = []
  page.on('request', (request) => {
    const address = request.url().split('?', 1)[0] ?? ''
    requests.push({ method: request.method(), address, headers: request.headers() })
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) errors.push(message.text())
  })
  return { page, context, requests, errors, close: () => context.close() }
}

/** Starts a service with a socket that knows its public URL, for logos and for checkouts that lead back. */
export async function startPublicService(
  engine: Engine,
  {
    empty = false,
    ...settings
  }: { empty?: boolean; SMTP_URL?: string; MAIL_FROM?: string; MAIL_DIR?: string; SMS_URL?: string } = {},
): Promise<{ service: TestService; address: string }> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const service = await startTestService(engine, { PUBLIC_URL: address, ...settings }, { empty })
  await service.app.server.listen({ host: '127.0.0.1', port })
  return { service, address }
}

/** Pages of a website that embeds the widget, from a different origin than the service. */
export interface Website {
  address: string
  stop(): Promise<void>
}

/** Serves pages by their path, each with the headers of a website. */
export async function serveWebsite(
  pages: () => Record<string, string>,
  headers: () => Record<string, string> = () => ({}),
): Promise<Website> {
  const server: Server = createServer((request, response) => {
    const page = pages()[request.url?.split('?', 1)[0] ?? '']
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      ...headers(),
    })
    response.end(page ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://localhost:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Keeps a screenshot for people if TEST_SCREENSHOTS names a directory. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['TEST_SCREENSHOTS']
  if (!directory) return
  mkdirSync(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

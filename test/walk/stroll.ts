import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { project } from '../docs/documents.ts'
import { serveWebsite, type Website } from '../support/browser.ts'
import { findWholeChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { bookerOf } from '../support/salon-day.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import type { Kind } from './walk.ts'

/* Walks of Bombadil through a service with the demo data, in real time. */

/** Undefined if this machine has none. */
export const walkersBrowser = findWholeChromium()

export interface Ground {
  service: TestService
  address: string
  website: Website
  owner: LoggedIn
  stop(): Promise<void>
}

const dayMs = 86_400_000

/** Starts a service with some bookings of the next days, and a website that embeds the widget. */
export async function startGround(): Promise<Ground> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  // browsers of walks have the real time
  const clock = { ...systemClock, advance: () => undefined }
  const service = await startTestService('sqlite', { PUBLIC_URL: address }, { clock })
  await service.app.server.listen({ host: '127.0.0.1', port })
  const { business, book } = bookerOf(service)
  const owner = await logInNewPerson(service, {
    ...{ email: 'owner@example.com', name: 'Ada', role: 'owner', place: { businessId: business.id } },
  })
  for (const days of [1, 2, 3]) {
    const date = new Date(systemClock.nowMs() + days * dayMs).toISOString().slice(0, 10)
    for (const hour of ['09', '12', '15'])
      await book('Haircut', `${date}T${hour}:00:00Z`, { location: 'Online' })
  }
  const website = await serveWebsite(() => ({
    '/': `<!doctype html><html lang="en"><head><title>A website</title>
      <meta name="viewport" content="width=device-width" /><script type="module" src="${address}/widget/v1.js"></script></head>
      <body><main><h1>A website</h1><holdfast-booking publishable-key="${business.publishable_key}"></holdfast-booking></main></body></html>`,
  }))
  return {
    ...{ service, address, website, owner },
    stop: async () => {
      await website.stop()
      await service.stop()
    },
  }
}

/** A walk and its outcome. */
export interface Outcome {
  steps: number
  /** The last steps and the broken promises. Empty if none is broken. */
  faults: string
}

const sizes: Record<Kind, [width: number, height: number]> = {
  widget: [1024, 768],
  page: [390, 844],
  console: [1280, 800],
}

interface Stroll {
  seconds: number
  /** Receives the steps and a picture of each. */
  folder: string
  /** Repeats the steps in the folder. */
  isAgain?: boolean
}

/** Walks for some seconds, or until a promise breaks. */
export async function stroll(
  start: { url: string; cookie?: string; kind: Kind },
  { seconds, folder, isAgain = false }: Stroll,
): Promise<Outcome> {
  const [width, height] = sizes[start.kind]
  const common = [
    ...[start.url, join(import.meta.dirname, 'spec.js'), '--headless', '--no-sandbox'],
    ...['--width', String(width), '--height', String(height)],
    ...(start.cookie === undefined ? [] : ['--cookie', start.cookie]),
  ]
  const options = isAgain
    ? ['--reproduce', folder]
    : ['--exit-on-violation', '--time-limit', `${String(seconds)}s`, '--output-path', folder]
  const program = resolve(project, 'node_modules/@antithesishq/bombadil/bin/bombadil.js')
  const child = spawn(process.execPath, [program, 'browser', 'test', ...common, ...options], {
    env: { ...process.env, CHROME: walkersBrowser ?? '', RUST_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  const steps = readFileSync(join(folder, 'trace.jsonl'), 'utf8').trimEnd().split('\n').length
  return {
    steps,
    faults: child.exitCode === 0 ? '' : output.slice(-6_000),
  }
}

/** Returns the beginning of a kind of walk. */
export function startOf(kind: Kind, { service, address, website, owner }: Ground) {
  if (kind === 'widget') return { kind, url: `${website.address}/` }
  if (kind === 'console') return { kind, url: `${address}/console`, cookie: owner.cookie }
  return { kind, url: `${address}/book/${bookerOf(service).business.publishable_key}` }
}

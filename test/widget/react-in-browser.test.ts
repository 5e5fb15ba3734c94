/** @module-tag long */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import { heading, next, toDetails, writeDetails } from '../support/booking-visit.ts'
import { chromiumPath, type Website } from '../support/browser.ts'
import { projectWithEmbeds } from '../support/packed-client.ts'
import { businessOf, type TestService } from '../support/test-service.ts'
import { startVisits } from '../support/visits.ts'

/* The package @holdfast/react, as it is published: rendered by a server, and continued by a browser in StrictMode. */

const app = `
import { createElement as h, Fragment, StrictMode, useState } from 'react'
import { HoldfastBooking, HoldfastButton } from '@holdfast/react'

export function App({ server, publishableKey, told }) {
  const [count, setCount] = useState(0)
  const [isShown, setShown] = useState(true)
  const tell = (name) => (detail) => told.push([name, count, detail])
  return h(StrictMode, null,
    h('button', { onClick: () => setCount(count + 1) }, 'Count'),
    h('button', { onClick: () => setShown(!isShown) }, 'Toggle'),
    isShown && h(HoldfastBooking, {
      server: server + '/', publishableKey, className: 'inline', theme: count > 1 ? 'dark' : undefined, accent: '#6b21a8',
      prefill: { firstName: 'Ada' }, metadata: { order: '1042' }, services: undefined,
      onStep: tell('step'), onHeld: tell('held'), onBooked: tell('booked'), onError: tell('error'),
    }),
    h(HoldfastButton, { server, publishableKey, onStep: tell('step of the button'), onClosed: tell('closed') }, 'Book ', count),
  )
}`
const onServer = `
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { App } from './app.js'
process.stdout.write(renderToString(createElement(App, { ...JSON.parse(process.argv[2]), told: [] })))`
const inBrowser = `
import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { App } from './app.js'
window.told = []
const onRecoverableError = (error) => console.error(error)
hydrateRoot(document.getElementById('root'), createElement(App, { ...window.given, told }), { onRecoverableError })`

describe.skipIf(chromiumPath === undefined)('@holdfast/react', () => {
  let service: TestService
  let address: string
  let website: Website
  let root: string
  let rendered = ''
  let page = ''
  const visits = startVisits({ pages: () => ({ '/': page }) })
  beforeAll(async () => {
    ;({ service, address, website } = visits)
    root = await projectWithEmbeds()
    for (const [name, text] of Object.entries({ app, onServer, inBrowser }))
      writeFileSync(join(root, `${name}.js`), text)
    const { publishable_key: publishableKey } = businessOf(service.world, 'Thames Barbers')
    const given = JSON.stringify({ server: address, publishableKey })
    const ran = spawnSync(process.execPath, ['onServer.js', given], { cwd: root, encoding: 'utf8' })
    expect(ran.stderr).toBe('')
    rendered = ran.stdout
    page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A shop</title><div id="root">${rendered}</div>
      <script>given = ${given}</script>
      <script type="module">${(await bundled(join(root, 'inBrowser.js'))).replaceAll('</script', '<\\/script')}</script>`
  })

  /** Returns React's development version, whose StrictMode runs every effect twice. */
  async function bundled(input: string): Promise<string> {
    const bundle = await rolldown({
      input,
      platform: 'browser',
      logLevel: 'silent',
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    })
    const { output } = await bundle.generate({ format: 'es' })
    await bundle.close()
    return output[0].code
  }

  test('is about a kilobyte', () => {
    const code = readFileSync(join(root, 'node_modules/@holdfast/react/dist/holdfast-react.js'))
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(1250)
    expect(code.toString()).toMatch(/^'use client'/)
  })

  test('renders elements and links on the server, and each script once', () => {
    const { publishable_key: key } = businessOf(service.world, 'Thames Barbers')
    expect(rendered.match(/<script[^>]*>/g)).toEqual([
      `<script async="" src="${address}/widget/v1.js">`,
      `<script async="" src="${address}/widget/holdfast.js">`,
    ])
    expect(rendered).toContain(
      `<holdfast-booking publishable-key="${key}" accent="#6b21a8" prefill-first-name="Ada" metadata-order="1042" class="inline" style="display:block;min-height:800px"><a href="${address}/book/${key}">`,
    )
    expect(rendered).toContain(`<holdfast-button publishable-key="${key}"><a href="${address}/book/${key}">`)
  })

  test('continues the page of the server, books once for each event, and changes with its props', async () => {
    const { page: shown } = await visits.visitor({ timezoneId: 'Europe/London' })
    await shown.goto(website.address)
    await next(shown, /Meeting room/)
    await next(shown, /Southwark/)
    await next(shown, 'Count')
    await toDetails(shown, '2026-11-24', '10:00')
    await next(shown, 'Count')
    expect(await shown.getByLabel('First name').inputValue()).toBe('Ada')
    await expect
      .poll(() => shown.evaluate(`document.querySelector('holdfast-booking').getAttribute('theme')`))
      .toBe('dark')
    await writeDetails(shown)
    await next(shown, 'Book now')
    await heading(shown, 'Thank you, Ada!')
    const told = await shown.evaluate<[string, number, Record<string, unknown>][]>('told')
    // each once, with the count of that moment
    expect(told.map(([name, count, { step = null }]) => [name, count, step])).toEqual([
      ['step', 0, 'location'],
      ['step', 0, 'time'],
      ['held', 1, null],
      ['step', 1, 'details'],
      ['booked', 2, null],
      ['step', 2, 'done'],
    ])
    const kept = (await service.rows('bookings')).map((row) => row.metadata_json)
    expect(kept).toContain(JSON.stringify({ order: '1042' }))
    expect(await shown.evaluate(`document.querySelectorAll('script[src*="/widget/"]').length`)).toBe(2)
  })

  test('can be removed and added again, and its button opens the widget over the page', async () => {
    const { page: shown } = await visits.visitor({ timezoneId: 'Europe/London' })
    await shown.goto(website.address)
    await heading(shown, 'What would you like to book?')
    await next(shown, 'Toggle')
    expect(await shown.locator('holdfast-booking').count()).toBe(0)
    await next(shown, 'Toggle')
    await heading(shown, 'What would you like to book?')
    await next(shown, 'Toggle')
    await next(shown, 'Count')
    await shown.getByRole('link', { name: 'Book 1' }).click()
    await next(shown, /Meeting room/)
    await heading(shown, 'Where?')
    await shown.keyboard.press('Escape')
    await shown.getByRole('dialog').waitFor({ state: 'detached' })
    await expect
      .poll(() => shown.evaluate('told.map(([name]) => name)'))
      .toEqual(['step of the button', 'closed'])
  })
})

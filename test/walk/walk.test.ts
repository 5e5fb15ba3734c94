/** @module-tag long */
import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { longDescribe, longTest } from '../support/long.ts'
import { type Ground, startGround, startOf, stroll, walkersBrowser } from './stroll.ts'
import { kinds } from './walk.ts'

/* Short walks, and pages with a fault that a walk must find. `npm run walk` runs long ones. */

const folder = () => join(mkdtempSync(join(tmpdir(), 'holdfast-walk-')), 'trace')

const script = (text: string) => `<button>Go</button><script>${text}</script>`

/** The body of a page that breaks each promise. The empty one breaks two. */
const faulty = {
  noUncaughtError: script('setInterval(() => { throw new Error("broken") }, 200)'),
  noServerError: script('fetch("/broken")'),
  noConsoleError: script('setInterval(() => console.error("broken"), 200)'),
  noPolicyViolation: script('setInterval(() => { new Image().src = "http://127.0.0.1:9/x.png" }, 200)'),
  noWrongText: '<button>Pay undefined</button>',
  nothingSideways: '<button style="width: 300vw">Go</button>',
  'neverBlank neverStuck': '',
  noLostText: `<form><input name="city" /><button>Send</button></form><p role="alert" hidden>Wrong</p><script>
    document.forms[0].onsubmit = (event) => { event.preventDefault(); document.forms[0].reset(); document.querySelector('p').hidden = false }</script>`,
}

describe.runIf(walkersBrowser !== undefined)('a walk', () => {
  longDescribe('of a few seconds', () => {
    let ground: Ground
    beforeAll(async () => {
      ground = await startGround()
    })
    afterAll(() => ground.stop())

    longTest.each(kinds)('finds no fault in the %s', async (kind) => {
      const { steps, faults } = await stroll(startOf(kind, ground), { seconds: 6, folder: folder() })
      expect(steps).toBeGreaterThan(0)
      expect(faults).toBe('')
    })
  })

  longDescribe('finds a page', () => {
    let server: Server
    let address: string
    beforeAll(async () => {
      server = createServer((request, response) => {
        const body = new URL(request.url ?? '/', 'http://a').searchParams.get('body') ?? ''
        response.writeHead(request.url === '/broken' ? 500 : 200, {
          'content-type': 'text/html',
          'content-security-policy': "img-src 'self'",
        })
        response.end(`<!doctype html><html lang="en"><title>A page</title><body>${body}</body></html>`)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    afterAll(() => void server.close())

    longTest.each(Object.entries(faulty))('that breaks %s', async (promises, body) => {
      const url = `${address}/?body=${encodeURIComponent(body)}`
      const { faults } = await stroll({ url, kind: 'page' }, { seconds: 30, folder: folder() })
      const broken = [...faults.matchAll(/^(\w+) was violated:/gm)].map(([, name]) => name)
      expect(broken.toSorted()).toEqual(promises.split(' '))
    })
  })
})

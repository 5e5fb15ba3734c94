import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onOneEngine } from '../support/long.ts'
import { changeRows } from '../support/tenant-things.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const project = resolve(import.meta.dirname, '../..')
const built = join(project, 'widget/dist')
/** Size of everything that the first step needs, gzipped. */
const maxBytes = 27_000

function filesIn(directory: string): Record<string, string> {
  const names = globSync('*', { cwd: directory }).toSorted()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

describe('the built widget', () => {
  test(`has everything for the first step in at most ${maxBytes} bytes, gzipped`, () => {
    const entry = readFileSync(join(built, 'v1.js'))
    expect(gzipSync(entry, { level: 9 }).length).toBeLessThanOrEqual(maxBytes)
    expect(entry.toString()).not.toMatch(/^import /m) // nothing to wait for
  })

  test('the script of the console has at most 45,000 bytes, gzipped', () => {
    const scripts = [
      join(built, 'calendar.js'),
      join(project, 'src/pages/console.js'),
      join(project, 'src/pages/console-link.js'),
    ]
    const sizes = scripts.map((path) => gzipSync(readFileSync(path), { level: 9 }).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(45_000)
  })

  /** Destinations of links for maps and calendars. */
  const linked = ['calendar.google.com', 'outlook.live.com', 'www.openstreetmap.org']

  test('names no other host', () => {
    for (const [name, text] of Object.entries(filesIn(built))) {
      const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host)
      const named = name === 'calendar.js' ? ['turbo.hotwired.dev'] : [] // in a warning of Turbo
      const allowed = ['www.w3.org', ...named, ...(/^(manage|later-steps)\b/.test(name) ? linked : [])]
      expect({ name, hosts: hosts.filter((host) => !allowed.includes(host ?? '')) }).toEqual({
        name,
        hosts: [],
      })
    }
  })
})

describe('the files of the widget', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('sqlite') // independent of the database
  })
  afterAll(() => service.stop())
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.call('GET', `/${path}`, { headers })
  const raw = (encoding: string) =>
    service.app.server.inject({ url: '/widget/v1.js', headers: { 'accept-encoding': encoding } })

  test('the entry may be loaded by any website, and is asked for each time', async () => {
    const { status, headers, body } = await get('/widget/v1.js')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, no-cache',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    expect(body).toBe(readFileSync(join(built, 'v1.js'), 'utf8'))
    const again = await get('/widget/v1.js', { 'if-none-match': headers['etag'] ?? '' })
    expect([again.status, again.body]).toEqual([304, undefined])
    // with another type, Chromium would refuse its cached script
    expect(again.headers).not.toHaveProperty('content-type')
    expect(again.headers).not.toHaveProperty('content-length')
  })

  test('all others hold the hash of their content, and are kept for a year', async () => {
    const names = globSync('*-*.js', { cwd: built })
    expect(names.length).toBeGreaterThanOrEqual(5)
    for (const name of names) {
      const { status, headers } = await get(`/widget/${name}`)
      expect({ status, cache: headers['cache-control'] }).toEqual({
        status: 200,
        cache: 'public, max-age=31536000, immutable',
      })
    }
  })

  test('are compressed for whoever takes that, each with an ETag of its own', async () => {
    const plain = readFileSync(join(built, 'v1.js'))
    const [br, gzip, none] = [await raw('gzip, br'), await raw('gzip'), await raw('')]
    expect(br.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(br.rawPayload).equals(plain)).toBe(true)
    expect(gunzipSync(gzip.rawPayload).equals(plain)).toBe(true)
    expect(none.headers['content-encoding']).toBeUndefined()
    expect(none.rawPayload.equals(plain)).toBe(true)
    expect(new Set([br, gzip, none].map(({ headers }) => headers.etag)).size).toBe(3)
  })

  test('the entry is a script as well as a module, and puts no name on the page', () => {
    const text = readFileSync(join(built, 'v1.js'), 'utf8')
    expect(() => new Script(text)).not.toThrow() // neither import nor export nor import.meta
    const names = new Set(Object.keys(globalThis))
    const page = {
      document: { scripts: [] },
      location: { href: '' },
      customElements: {},
      HTMLElement: Array,
    }
    expect(() => new Script(text).runInNewContext(page)).toThrow() // no DOM here
    expect(new Set(Object.keys(globalThis))).toEqual(names)
    expect(Object.keys(page)).toEqual(['document', 'location', 'customElements', 'HTMLElement'])
  })

  test('with a query, as WordPress adds one, the entry is the same', async () => {
    const plain = readFileSync(join(built, 'v1.js'), 'utf8')
    for (const path of ['/widget/v1.js?ver=6.5', '/widget/v1.js?ver=6.5&ver=7&__proto__=1&=&%zz']) {
      const { status, body } = await get(path)
      expect({ path, status }).toEqual({ path, status: 200 })
      expect(body).toBe(plain)
    }
  })

  test.each(['/widget/v2.js', '/widget/..%2Fbuild.ts', '/widget/__proto__'])(
    '%s is not there',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )
})

onOneEngine('sqlite', 'the hosted booking page', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())
  const get = (key: string, headers: Record<string, string> = {}) =>
    service.call('GET', `//book/${key}`, { headers })
  const keyOf = (name: string) => businessOf(service.world, name).publishable_key

  test('has what a link preview shows: title, description and picture', async () => {
    const key = keyOf('Thames Barbers')
    const { status, headers, body } = await get(key)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    const page = body as string
    expect(page).toContain('<title>Book with Thames Barbers</title>')
    expect(page).toMatch(/<meta\s+name="description"\s+content="[^"]{20,}"/)
    expect(page).toContain('property="og:image" content="http://127.0.0.1:3000/docs/booking-card.png"')
    expect(page).toContain(`property="og:url" content="http://127.0.0.1:3000/book/${key}"`)
    expect(page).not.toMatch(/<script(?! type="application\/json">)(?![^>]* src=)|\son\w+=|style=/)
    const [, style = '', ...others] = page.split(/<style>|<\/style>/)
    const hash = createHash('sha256').update(style).digest('base64')
    expect([headers['content-security-policy'], others.length]).toEqual([
      expect.stringContaining(`style-src 'self' 'sha256-${hash}';`),
      1,
    ])
    const picture = await service.app.server.inject('/docs/booking-card.png')
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png'])
  })

  test.each([
    ['PUBLIC_URL', 'https://book.example.com/salon', 'https://book.example.com/salon'],
    ['HOST and PORT where there is no PUBLIC_URL', '', 'http://127.0.0.1:3000'],
  ])('has its address from %s, never from a stranger', async (_from, publicUrl, address) => {
    const own = await startTestService(engine, { PUBLIC_URL: publicUrl })
    const key = businessOf(own.world, 'Thames Barbers').publishable_key
    const { body } = await own.call('GET', `//book/${key}`, {
      headers: {
        ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' },
        forwarded: 'host=evil.example;proto=gopher',
      },
    })
    await own.stop()
    const page = body as string
    expect(page).toContain(`<link rel="canonical" href="${address}/book/${key}"`)
    expect(page).toContain(`property="og:url" content="${address}/book/${key}"`)
    expect(page).toContain(`property="og:image" content="${address}/docs/booking-card.png"`)
    expect(page).not.toMatch(/evil|gopher/)
  })

  test('has the brand of an Enterprise business, and lets its logo in', async () => {
    const { headers, body } = await get(keyOf('Salon Spree'))
    expect(body).toContain('property="og:image" content="http://127.0.0.1:3000/docs/salon-spree.png"')
    expect(body).toContain('name="theme-color" content="#1f6f5c"')
    expect(headers['content-security-policy']).toContain("img-src 'self' http://127.0.0.1:3000 data:")
    const logo = await service.app.server.inject('/docs/salon-spree.png')
    expect([logo.statusCode, logo.headers['content-type']]).toEqual([200, 'image/png'])
  })

  test.each([
    ['https://Logos.example.com:8443/l.png', 'https://logos.example.com:8443'],
    ['https://user:word@bücher.example/l.png', 'https://xn--bcher-kva.example'],
    ['http://192.0.2.7/l.png', 'http://192.0.2.7'],
    ['https://[2001:DB8::7]:444/l.png', 'https://[2001:db8::7]:444'],
    // a value stored before such URLs were refused
    ['https://x;script-src-elem/l.png', undefined],
    ['https://x,y/l.png', undefined],
    ['https://*/l.png', undefined],
    ["https://$`$'$&/l.png", undefined],
    ['data:image/png;base64,x', undefined],
    ['no address', undefined],
  ])('lets in the logo %s from there alone: %s', async (logo, origin) => {
    const { id, publishable_key: key } = businessOf(service.world, 'Hudson Studio')
    await changeRows(service, sql`update businesses set brand_logo_url = ${logo} where id = ${id}`)
    service.clock.advance(6)
    const { headers } = await get(key)
    expect(String(headers['content-security-policy']).replace(/ 'sha256-[^']+'/, '')).toBe(
      [
        "default-src 'none'; script-src 'self'; style-src 'self'",
        `img-src 'self' ${origin === undefined ? '' : `${origin} `}data:`,
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      ].join('; '),
    )
  })

  test('speaks the language of the browser', async () => {
    const { body } = await get(keyOf('Salon Spree'), { 'accept-language': 'ko,de-AT;q=0.8,en;q=0.5' })
    expect(body).toContain('<html lang="de" dir="ltr">')
    expect(body).toContain('<title>Termin buchen – Salon Spree</title>')
  })

  test.each(['nonsense', `cal_pub_${'x'.repeat(38)}`, '%3Cscript%3E'])(
    'of the unknown key %s says so kindly',
    async (key) => {
      const { status, headers, body } = await get(key)
      expect(status).toBe(404)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(body).toContain('This booking page does not exist')
      expect(body).not.toContain('<script')
    },
  )

  test('is not shown for keys of another type, nor for a session', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    for (const key of [business.business_key, service.world.hub.key, await service.session(business)]) {
      expect((await get(key)).status).toBe(404)
    }
  })

  test('a name with markup is text', async () => {
    const business = businessOf(service.world, 'Salon Spree')
    const name = '</title><script>alert(1)</script>'
    const changed = await service.call('PATCH', `/businesses/${business.id}`, {
      token: business.business_key,
      body: { brand_name: name },
    })
    expect(changed.status).toBe(200)
    service.clock.advance(6)
    const { body } = await get(business.publishable_key)
    expect(body).toContain('&lt;script&gt;alert(1)')
    expect(body).not.toContain('<script>')
  })
})

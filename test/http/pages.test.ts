import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProblemCode, problemKinds } from '../../src/base/errors.ts'
import { revokeKey } from '../../src/access/key.ts'
import { problemTexts } from '../../src/base/problem-texts.ts'
import type { ReferenceDocument } from '../../src/pages/reference-page.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { type Reply, startTestService, type TestService } from '../support/test-service.ts'

const codes = Object.keys(problemKinds) as ProblemCode[]

/** Returns the words of a page. */
function wordsOf(page: string): string {
  return page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
}

/** Returns every URL that a page loads or links to. */
function addressesIn(page: string): string[] {
  return [...page.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address)
}

onOneEngine('sqlite', 'the pages', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const get = (path: string) => service.call('GET', `/${path}`)

  const expectPage = ({ status, headers, body }: Reply) => {
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    const page = body as string
    expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/)
    expect(page).toContain('name="viewport"')
    expect(page).toMatch(/<title>[^<]*Holdfast[^<]*<\/title>/)
    // nothing that the policy would block, nothing external
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=/)
    for (const address of addressesIn(page)) expect(address).toMatch(/^[/#](?!\/)/)
  }

  describe('/docs', () => {
    test('is a page whose every file is served', async () => {
      const reply = await get('/docs')
      expectPage(reply)
      const files = addressesIn(reply.body as string).filter((address) => address.startsWith('/docs/'))
      expect(files.length).toBeGreaterThanOrEqual(2)
      for (const file of files) {
        const { status, headers } = await get(file)
        expect({ file, status }).toEqual({ file, status: 200 })
        expect(headers['x-content-type-options']).toBe('nosniff')
        expect(headers['content-type']).toMatch(/^(text\/css|application\/javascript|image\/svg\+xml)/)
      }
    })

    test('loads one script, and nothing from the internet', async () => {
      const scripts = String((await get('/docs')).body).match(/<script[^>]*>/g)
      expect(scripts).toEqual(['<script type="module" src="/docs/reference.js">'])
      expect((await get('/docs/page.css')).body).not.toMatch(/https?:|url\(/)
    })

    test('is also there with a slash at its end', async () => {
      const [page, withSlash] = [await get('/docs'), await get('/docs/')]
      expectPage(withSlash)
      expect(withSlash.body).toBe(page.body)
    })

    test('shows all that the document says of every operation and schema', async () => {
      const document = (await get('/openapi.json')).body as ReferenceDocument
      const page = (await get('/docs')).body as string
      const sections = new Map(
        [...page.matchAll(/<section aria-labelledby="([\w-]+)">(.*?)<\/section>/gs)].map(
          ([, id = '', section = '']) => [id, section],
        ),
      )
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
      )
      for (const { path, method, operation } of operations) {
        const section = sections.get(operation.operationId) ?? ''
        const words = wordsOf(section)
        expect(words).toContain(operation.summary)
        expect(words).toContain(`${method.toUpperCase()} ${path}`)
        expect(words).toContain(`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}`)
        for (const { name } of operation.parameters ?? []) expect(section).toContain(`<code>${name}</code>`)
        for (const [status, { content = {} }] of Object.entries(operation.responses)) {
          expect(section).toContain(`<td>${status}</td>`)
          for (const code of Object.keys(content['application/problem+json']?.examples ?? {}))
            expect(section).toContain(`href="/problems/${code}"`)
        }
      }
      const schemas = Object.entries(document.components.schemas)
      for (const [name, { properties = {} }] of schemas.filter(([name]) => !name.endsWith('Problem'))) {
        const section = sections.get(`schema-${name}`) ?? ''
        for (const field of Object.keys(properties)) expect(section).toContain(`<code>${field}</code>`)
      }
      expect(sections.size).toBe(
        operations.length + schemas.filter(([name]) => !name.endsWith('Problem')).length,
      )
      expect(page).not.toMatch(/undefined|\[object|\*\*|`/)
    })

    test('has every place to which it and the pages of problems lead, once', async () => {
      const page = (await get('/docs')).body as string
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
      expect(new Set(ids).size).toBe(ids.length)
      const problem = (await get('/problems/slot_held')).body as string
      const led = [...addressesIn(page), ...addressesIn(problem)].flatMap(
        (address) => /^(?:\/docs)?#(.*)$/.exec(address)?.[1] ?? [],
      )
      expect(led).toContain('placeHold')
      expect(led).toContain('schema-Booking')
      for (const place of led) expect(ids).toContain(place)
    })

    test.each(['/docs/console.css', '/console/calendar.css'])(
      '%s is one compressed file, which browsers keep',
      async (path) => {
        const sent = await service.call('GET', `/${path}`, { headers: { 'accept-encoding': 'gzip' } })
        const size = Number(sent.headers['content-length'])
        expect(sent.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
        expect(size).toBeLessThan(20_000)
        const again = await service.call('GET', `/${path}`, {
          headers: { 'accept-encoding': 'gzip', 'if-none-match': String(sent.headers.etag) },
        })
        expect(again.status).toBe(304)
      },
    )

    test('serves its files again only when they have changed', async () => {
      const first = await get('/docs/page.css')
      const again = await service.call('GET', '//docs/page.css', {
        headers: { 'if-none-match': first.headers['etag'] ?? '' },
      })
      expect(again).toMatchObject({ status: 304, body: undefined })
    })

    test.each([
      'nothing.css',
      'docs.js',
      '..%2fpage.css',
      'page.ts',
      '..%2f..%2ferrors.ts',
      'package.json',
      '%00',
      'page.css%00',
    ])('has no file %s', async (file) => {
      expectProblem(await get(`/docs/${file}`), 'not_found')
    })
  })

  describe('/problems', () => {
    test('lists every code', async () => {
      const reply = await get('/problems')
      expectPage(reply)
      const linked = addressesIn(reply.body as string).flatMap(
        (address) => /^\/problems\/(\w+)$/.exec(address)?.[1] ?? [],
      )
      expect(linked.toSorted()).toEqual(codes.toSorted())
    })

    test.each(codes)('/%s says what happened and what to do, with an example', async (code) => {
      const reply = await get(`/problems/${code}`)
      expectPage(reply)
      const { status, title } = problemKinds[code]
      const { when, whatToDo, fields = '', example } = problemTexts[code]
      const words = wordsOf(reply.body as string).toLowerCase()
      for (const part of [title, code, String(status), when, whatToDo, fields])
        expect(words).toContain(part.replaceAll('`', '').toLowerCase())
      const [, shown = ''] = /<pre[^>]*><code>(.*?)<\/code><\/pre>/s.exec(reply.body as string) ?? []
      expect(JSON.parse(wordsOf(shown))).toMatchObject({ code, status, title, ...example })
    })

    test('the type of a problem document leads to its page', async () => {
      const refused = await service.call('GET', '/services')
      expectPage(await get(refused.body.type as string))
    })

    test.each(['nothing', 'SLOT_HELD', '__proto__', 'toString', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'])(
      '%s is 404',
      async (code) => {
        const { status, headers, body } = await get(`/problems/${code}`)
        expect(status).toBe(404)
        expect(headers['content-type']).toBe('text/html; charset=utf-8')
        expect(body).not.toContain('<script>')
        expect(wordsOf(body as string)).toContain(decodeURIComponent(code))
      },
    )
  })

  describe('the first page', () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const open = (method: 'GET' | 'POST', accept?: string, url = '/') =>
      service.call(method, `/${url}`, { headers: accept === undefined ? {} : { accept } })

    test('leads a browser to the booking page of every business, to the API and to the guides', async () => {
      for (const url of ['/', '/?from=link']) {
        const reply = await open('GET', browser, url)
        expectPage(reply)
        expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
      }
      const page = (await open('GET', browser)).body as string
      expect(wordsOf(page)).toContain(engine === 'sqlite' ? 'Serving on SQLite' : 'Serving on PostgreSQL')
      expect(addressesIn(page)).toEqual(
        expect.arrayContaining(['/console', '/docs', '/problems', '/openapi.json']),
      )
      const led = addressesIn(page).filter((address) => address.startsWith('/book/'))
      expect(led).toHaveLength(service.world.businesses.length)
      for (const [index, name] of service.world.businesses
        .map((business) => business.name)
        .toSorted()
        .entries()) {
        const reply = await get(led[index] ?? '')
        expect(reply.status).toBe(200)
        expect(wordsOf(reply.body as string)).toContain(`Book with ${name}`)
      }
      expect(page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/widget/v1.js">'])
    })

    test('is there for a program, too, whatever it accepts', async () => {
      for (const accept of [undefined, '*/*', 'application/json']) expectPage(await open('GET', accept))
      expect((await open('POST', browser)).status).toBe(405)
      expect((await open('GET', browser, '/nowhere')).status).toBe(404)
    })

    test('names its keys by the secret of the server: no other page may use them, and revoked ones end', async () => {
      const linked = async () =>
        addressesIn((await open('GET', browser)).body as string).filter((path) => path.startsWith('/book/'))
      const [path = ''] = await linked()
      const token = path.replace('/book/', '')
      const ask = (headers: Record<string, string>) =>
        service.call('POST', '/session', {
          token,
          headers: { origin: 'https://book.example.com', ...headers },
        })
      expectProblem(await ask({}), 'origin_not_allowed')
      expectProblem(await ask({ 'sec-fetch-site': 'same-site' }), 'origin_not_allowed')
      expect((await ask({ 'sec-fetch-site': 'same-origin' })).status).toBe(201)
      const keys = (await service.rows('api_keys')).filter(({ last_four }) => last_four === token.slice(-4))
      expect(keys).toMatchObject([{ type: 'publishable' }])
      await revokeKey(service.context, String(keys[0]?.['id']))
      service.clock.advance(6)
      expect(await linked()).not.toContain(path)
    })
  })

  test('the document is JSON that is asked for again each time', async () => {
    const { status, headers, body } = await get('/openapi.json')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    })
    expect(body.openapi).toBe('3.1.0')
  })

  test.each(['/docs', '/docs/', '/docs/page.css', '/problems', '/problems/not_found', '/openapi.json'])(
    '%s needs no key, counts against no limit, and ignores unknown parameters',
    async (path) => {
      const reply = await service.call('GET', `/${path}`, { token: 'cal_biz_none' })
      expect(reply.status).toBe(200)
      expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
      expect(await get(`${path}?x=1&x=2&__proto__=y`)).toMatchObject({ status: 200, body: reply.body })
    },
  )
})

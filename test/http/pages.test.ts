import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemKinds, type ProblemCode } from '../../src/errors.ts'
import { problemTexts } from '../../src/problem-texts.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onEachEngine, startTestService, type Reply, type TestService } from '../support/test-service.ts'

const codes = Object.keys(problemKinds) as ProblemCode[]

/** What a page says to a reader. */
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

/** Everything that a page loads or links. */
function addressesIn(page: string): string[] {
  return [...page.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address)
}

onEachEngine('the pages', (engine) => {
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
    // nothing that the policy would stop, nothing from elsewhere
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=/)
    for (const address of addressesIn(page)) expect(address).toMatch(/^[/#](?!\/)/)
  }

  describe('/docs', () => {
    test('is a page whose every file is served', async () => {
      const reply = await get('/docs')
      expectPage(reply)
      const files = addressesIn(reply.body as string).filter((address) => address.startsWith('/docs/'))
      expect(files.length).toBeGreaterThanOrEqual(5)
      for (const file of files) {
        const { status, headers } = await get(file)
        expect({ file, status }).toEqual({ file, status: 200 })
        expect(headers['x-content-type-options']).toBe('nosniff')
        expect(headers['content-type']).toMatch(/^(text\/css|application\/javascript|image\/svg\+xml)/)
      }
    })

    test('asks for nothing on the internet', async () => {
      const script = (await get('/docs/docs.js')).body as string
      expect(script).toMatch(/validatorUrl: null/)
      for (const file of ['docs.js', 'page.css'])
        expect((await get(`/docs/${file}`)).body).not.toMatch(/https?:|url\(/)
    })

    test('serves its files again only when they have changed', async () => {
      const first = await get('/docs/page.css')
      const again = await service.call('GET', '//docs/page.css', {
        headers: { 'if-none-match': first.headers['etag'] ?? '' },
      })
      expect(again).toMatchObject({ status: 304, body: undefined })
    })

    test.each([
      'nothing.css',
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
      const { when, whatToDo, carries = '', example } = problemTexts[code]
      const words = wordsOf(reply.body as string).toLowerCase()
      for (const part of [title, code, String(status), when, whatToDo, carries])
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

  test('the document is JSON that is asked for again each time', async () => {
    const { status, headers, body } = await get('/openapi.json')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    })
    expect(body.openapi).toBe('3.1.0')
  })

  test.each(['/docs', '/docs/page.css', '/problems', '/problems/not_found', '/openapi.json'])(
    '%s needs no key, counts against no limit, and refuses unknown parameters',
    async (path) => {
      const reply = await service.call('GET', `/${path}`, { token: 'cal_biz_none' })
      expect(reply.status).toBe(200)
      expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
      expect((await get(`${path}?x=1`)).status).toBe(422)
    },
  )
})

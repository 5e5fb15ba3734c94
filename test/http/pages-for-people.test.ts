import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/database.ts'
import { textOf } from '../support/console.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { logInNewPerson, sameOrigin } from '../support/person.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

/** The header of a browser that opens a page. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

onOneEngine('sqlite', 'whoever asks for HTML gets HTML', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const get = (path: string, accept: string | undefined = browser, language = 'en') =>
    service.call('GET', `/${path}`, {
      headers: { host: 'localhost', 'accept-language': language, ...(accept !== '' && { accept }) },
    })

  describe('at a wrong address', () => {
    test.each([
      ['/nowhere', 'This link leads nowhere', 'class="card"'],
      ['/docs/nowhere', 'Not found', '/docs/page.css'],
      ['/w/nobody-knows', 'This link leads nowhere', 'href="/"'],
      ['/console/nowhere', 'Page not found', '/docs/console.css'],
      ['/console/logout', 'Page not found', '/docs/console.css'],
      ['/checkout/00000000-0000-4000-8000-000000000000', 'This link leads nowhere', 'class="card"'],
      ['/mail/off/none', 'This link leads nowhere', 'class="card"'],
      ['/book/nobody/at/all', 'This link leads nowhere', 'class="card"'],
      ['/book/nobody', 'This booking page does not exist', 'class="card"'],
    ])('%s in the design of the place', async (path, title, design) => {
      const reply = await get(path)
      expect([404, 405]).toContain(reply.status)
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
      })
      expect(textOf(reply)).toContain(title)
      expect(reply.body).toContain(design)
    })

    test('/console/nowhere, with the side bar for people who are logged in', async () => {
      const place = { businessId: businessOf(service.world, 'Salon Spree').id }
      const { cookie } = await logInNewPerson(service, { email: 'lost@example.com', role: 'owner', place })
      const headers = { host: 'localhost', accept: browser, cookie }
      const reply = await service.call('GET', '//console/nowhere', { headers })
      expect(reply.status).toBe(404)
      expect(textOf(reply)).toContain('Page not found')
      expect(reply.body).toContain('<nav id="sections"')
    })

    test('in their language', async () => {
      expect(textOf(await get('/console/nowhere', browser, 'de-AT'))).toContain('Seite nicht gefunden')
      expect(textOf(await get('/checkout/none', browser, 'pl'))).toContain('Ten link donikąd nie prowadzi')
      expect((await get('/checkout/none', browser, 'ar')).body).toContain('<html lang="ar" dir="rtl">')
    })

    test('also where a query does not fit', async () => {
      const reply = await get('/console/bookings?nonsense=1')
      expect(reply).toMatchObject({ status: 422, headers: { 'content-type': 'text/html; charset=utf-8' } })
    })
  })

  describe('programs get problem documents', () => {
    test.each(['', '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0'])(
      'with Accept %j',
      async (accept) => {
        const reply = await get('/nowhere', accept)
        expectProblem(reply, 'not_found')
        expect(reply.headers['vary']).toContain('Accept')
      },
    )

    test('from the API, whatever they accept', async () => {
      for (const path of ['/api/v1/nowhere', '/api/v1/services']) {
        const reply = await get(path)
        expect(reply.headers['content-type']).toBe('application/problem+json')
      }
    })
  })

  describe('where the database is away', () => {
    test.each([
      ['/console', 'Please try again in a moment'],
      ['/book/salon-spree', 'Please try again in a moment'],
    ])('%s says to try again', async (path, title) => {
      const place = { businessId: businessOf(service.world, 'Salon Spree').id }
      const email = `owner@${path.length}.example.com`
      const { cookie } = await logInNewPerson(service, { email, role: 'owner', place })
      const { reads } = service.context.db
      const selectFrom = reads.selectFrom
      reads.selectFrom = () => {
        throw new DatabaseUnavailable('gone')
      }
      const headers = { host: 'localhost', accept: browser, cookie }
      const reply = await service.call('GET', `/${path}`, { headers: { ...headers, ...sameOrigin } })
      reads.selectFrom = selectFrom
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect(textOf(reply)).toContain(title)
    })
  })
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideGroups } from '../../src/pages/guides.ts'
import { project } from '../docs/documents.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { onOneEngine } from '../support/long.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const names = readdirSync(join(project, 'docs/guides')).map((file) => file.replace(/\.md$/, ''))

onOneEngine('sqlite', 'the guides', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { PUBLIC_URL: 'https://book.example.com' })
  })
  afterAll(() => service.stop())

  const get = (path: string) => service.call('GET', `/${path}`)
  const pageAt = async (path: string) => String((await get(path)).body)
  const linksIn = (page: string) =>
    [...page.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)

  test('are listed once each, with their first sentence', async () => {
    const listed = guideGroups().flatMap(({ guides }) => guides)
    expect(listed.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    for (const { about } of listed) expect(about).toMatch(/^\S.{15,250}\.$/)
    const page = await pageAt('/guides')
    for (const { name } of listed) expect(page).toContain(`href="/guides/${name}"`)
  })

  test.each(names)(
    '%s: its links and pictures lead somewhere, and nothing is shown as source',
    async (name) => {
      const page = await pageAt(`/guides/${name}`)
      const [, main = ''] = page.split('<main')
      expect(main.replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, '')).not.toMatch(
        /&lt;!--|<!--|style=|\]\(|\*\*/,
      )
      const ids = [...main.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const link of new Set(linksIn(page)).values()) {
        const [path = '', anchor] = link.split('#')
        if (/^https?:/.test(path)) continue
        const target = path === '' ? page : await pageAt(path)
        if (path !== '') expect([link, (await get(path)).status]).toEqual([link, 200])
        if (anchor !== undefined) expect([link, target.includes(`id="${anchor}"`)]).toEqual([link, true])
      }
    },
  )

  test('a search finds the sections with all its words, the best first', async () => {
    const page = await pageAt('/guides?q=rotating%20a%20KEY')
    expect(linksIn(page.split('class="codes"')[1] ?? '')[0]).toBe('/guides/keys-and-sessions#rotating-a-key')
    expect(await pageAt('/guides?q=zzyzx')).toContain('Nothing found.')
    expect(await pageAt('/guides?q=%3Cscript%3E')).not.toContain('<script>')
    expectProblem(await get(`/guides?q=${'a'.repeat(101)}`), 'validation_failed', {
      errors: expect.any(Array),
    })
  })

  test('the API reference finds operations by name, path and text', async () => {
    const found = (await pageAt('/docs?q=bookings%20REFUND')).split('role="status"')[1] ?? ''
    expect(linksIn(found).filter((link) => link.startsWith('/docs#'))[0]).toBe('/docs#refundBooking')
    expect(found).toContain('POST /api/v1/bookings/{id}/refund')
    expect(await pageAt('/docs?q=zzyzx')).toContain('Nothing found.')
    const firstFor = async (query: string) =>
      linksIn((await pageAt(`/docs?q=${encodeURIComponent(query)}`)).split('role="status"')[1] ?? '').filter(
        (link) => link.startsWith('/docs#'),
      )
    expect((await firstFor('make a hold'))[0]).toBe('/docs#placeHold')
    expect((await firstFor('POST /api/v1/bookings'))[0]).toBe('/docs#createBooking')
    expect(await firstFor('slot_held')).toContain('/docs#placeHold')
    expect(await firstFor('metadata')).toContain('/docs#createBooking')
  })

  test('are served as Markdown, with a list and one text for programs', async () => {
    const markdown = await get('/guides/webhooks.md')
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(markdown.body).toMatch(/^# Webhooks\n/)
    const texts = await pageAt('/llms-full.txt')
    expect(texts).not.toMatch(/<!-- (?:checked|runs|typed)|\]\(\.\.\//)
    const list = await pageAt('/llms.txt')
    expect(list).toMatch(/^# Holdfast\n\n> /)
    expect(list).toContain('- [Webhooks](https://book.example.com/guides/webhooks.md): ')
    expect((await pageAt('/llms-full.txt')).match(/^# /gm)?.length).toBeGreaterThanOrEqual(names.length)
    expectProblem(await get('/guides/none'), 'not_found')
    expectProblem(await get('/guides/images/none.png'), 'not_found')
    expectProblem(await get('/guides/..%2F..%2FREADME'), 'not_found')
  })

  test('the catalogue of the API leads to its document and guides', async () => {
    const { headers, body } = await get('/.well-known/api-catalog')
    expect(headers['content-type']).toMatch(/^application\/linkset\+json/)
    const text = typeof body === 'string' ? (JSON.parse(body) as unknown) : body
    expect(text).toMatchObject({
      linkset: [
        {
          anchor: 'https://book.example.com/api/v1',
          'service-desc': [{ href: 'https://book.example.com/openapi.json' }],
        },
      ],
    })
  })
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentAt, project, tableUnder } from '../docs/documents.ts'
import { chromiumPath, openVisitor, sharedBrowser, type Visitor } from '../support/browser.ts'
import { startTestService } from '../support/test-service.ts'
import { check, type CheckName, checkNames, criteriaOfRule } from './checks.ts'
import { criteria } from './criteria.ts'
import { reportPath, verdictOf, version } from './document.ts'
import { states, withoutPage } from './states.ts'

/* The report on accessibility is complete, and its checks find faults. `npm run accessibility` writes it. */

describe('the report', () => {
  test('is that of this version', () => {
    const [, shown] = /^\| Version +\| (\S+) +\|$/m.exec(documentAt(reportPath).text) ?? []
    expect(shown).toBe(version)
  })

  test('has every criterion of WCAG 2.2 at levels A and AA', () => {
    const levels = Map.groupBy(criteria, ({ level }) => level)
    expect([levels.get('A')?.length, levels.get('AA')?.length]).toEqual([31, 24]) // W3C, without 4.1.1
    const shown = tableUnder(documentAt(reportPath), '## Criteria').map(([name, level]) => [name, level])
    expect(shown).toEqual(criteria.map(({ id, name, level }) => [`${id} ${name}`, level]))
  })

  test('names tests that exist', () => {
    const missing = criteria
      .flatMap(({ tests = [] }) => tests)
      .filter((path) => !existsSync(join(project, path)))
    expect(missing).toEqual([])
  })

  test('bases each result on something', () => {
    const bare = criteria.filter(
      ({ checks, byHand, tests = [] }) => checks.length + tests.length === 0 && !byHand,
    )
    expect(bare).toEqual([])
  })

  test('covers every page of the service', async () => {
    const service = await startTestService('sqlite')
    const pages = service.app.server.knownRoutes
      .filter(({ method, url }) => method === 'GET' && !/^\/(api\/|\.well-known)|\.\w+$/.test(url))
      .map(({ url }) => url)
    await service.stop()
    const known = new Set([...states.map(({ route }) => route), ...Object.keys(withoutPage)])
    expect(pages.filter((url) => !known.has(url))).toEqual([])
    const shown = tableUnder(documentAt(reportPath), '## States').map(([, route]) => route)
    expect(states.filter(({ route }) => !shown.includes(`\`${route}\``))).toEqual([])
  })

  test('a finding makes its criterion partial', () => {
    const [reflow] = criteria.filter(({ id }) => id === '1.4.10')
    if (!reflow) throw new Error('there is no 1.4.10')
    expect([verdictOf(reflow, []), verdictOf(reflow, [{ criteria: ['1.4.10'] }])]).toEqual([
      'supports',
      'supports partly',
    ])
    expect(criteriaOfRule('color-contrast')).toEqual(['1.4.3'])
  })
})

const page = (body: string, css = '') =>
  `<!doctype html><html lang="en"><head><title>A page</title><meta name="viewport" content="width=device-width">
  <style>:root { color-scheme: light dark } body { background: light-dark(#fff, #111) } a { color: light-dark(#03c, #acf) } button, a { min-height: 24px; display: inline-block } ${css}</style></head><body><main><h1>A page</h1>${body}</main></body></html>`

/** A page for each check that has its fault. */
const faulty: Record<CheckName, string> = {
  axe: page('<img src="data:,">'),
  'axe at 320': page('<img src="data:," class="x">', '@media (min-width: 40rem) { .x { display: none } }'),
  'contrast in the dark': page('<p>Pale</p>', 'p { color: light-dark(#000, #222) }'),
  reflow: page('<div>Wide</div>', 'div { width: 30rem }'),
  'text spacing': page('<p>Two or three words</p>', 'p { width: 9rem; height: 1.3em; overflow: hidden }'),
  'target size': page(
    '<button>a</button><button>b</button>',
    'button { min-height: 0; height: 12px; width: 12px; padding: 0; font-size: 8px }',
  ),
  'forced colours': page(
    '<button>Go</button>',
    'button { border: 0; background: #036; color: #fff; appearance: none }',
  ),
  'reduced motion': page(
    '<p>Moves</p>',
    'p { animation: x 2s infinite } @keyframes x { to { translate: 1rem } }',
  ),
  'tab order': page('<button tabindex="2">One</button><button tabindex="1">Two</button>'),
  'visible focus': page('<a href="#x">A link</a>', 'a:focus { outline: none }'),
  'focus not covered': page(
    '<div></div><button>Below</button>',
    'div { position: fixed; inset: 0; background: #fff } @media (forced-colors: active) { div { background: Canvas } }',
  ),
}

describe.runIf(chromiumPath !== undefined)('the checks', () => {
  let visitor: Visitor
  beforeAll(async () => {
    visitor = await openVisitor(await sharedBrowser())
  })
  afterAll(() => visitor.close())
  const findingsIn = async (html: string) => {
    await visitor.page.goto('about:blank')
    await visitor.page.setContent(html)
    return (await check(visitor.page)).found
  }

  test.each(Object.keys(checkNames) as CheckName[])('find a fault: %s', async (name) => {
    expect((await findingsIn(faulty[name]))[name]).not.toEqual([])
  })

  test('find none in a page without', async () => {
    const good = page(
      '<p>Words</p><button>Go</button><a href="#x">A link</a><fieldset><legend>Which</legend><label><input type="radio" name="a"> One</label><label><input type="radio" name="a"> Two</label></fieldset><label>Day <input type="date"></label>',
      'label { display: block; padding: 8px }',
    )
    const found = Object.entries(await findingsIn(good)).filter(([, list]) => list.length > 0)
    expect(found).toEqual([])
  })
})

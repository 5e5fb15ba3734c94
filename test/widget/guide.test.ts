/** @module-tag long */
import type { Browser } from 'playwright-core'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, documentAt, project, tableUnder } from '../docs/documents.ts'
import { chromiumPath, sharedBrowser, openVisitor, serveWebsite, type Website } from '../support/browser.ts'
import { projectWithEmbeds } from '../support/packed-client.ts'
import { businessOf, startTestService, type TestService } from '../support/test-service.ts'

const guide = documentAt('docs/guides/widget.md')
const blocks = blocksOf(guide)
const pages = blocks
  // tested in framed-in-browser.test.ts
  .filter(({ language, text }) => language === 'html' && !text.startsWith('<iframe'))
  .map(({ text }) => text)
const sources = globSync('widget/**/*.{ts,tsx,css}', { cwd: project, exclude: ['widget/dist/**'] })
  .map((file) => readFileSync(join(project, file), 'utf8'))
  .join('\n')
const attributeTypes = readFileSync(join(project, 'embed/widget/attributes.ts'), 'utf8')
const code = (text: string) => text.replaceAll('`', '')

describe.skipIf(chromiumPath === undefined)('the pages of the guide to the widget', () => {
  let browser: Browser
  let service: TestService
  let website: Website
  let address = ''
  let page = ''
  beforeAll(async () => {
    browser = await sharedBrowser()
    service = await startTestService('sqlite')
    address = await service.app.server.listen({ host: '127.0.0.1', port: 0 })
    website = await serveWebsite(() => ({ '/': page }))
  })
  afterAll(async () => {
    await website.stop()
    await service.stop()
  })

  test('there are some', () => {
    expect(pages.length).toBeGreaterThanOrEqual(4)
  })

  test.each(pages)('show the widget: %s', async (text) => {
    page = text
      .replaceAll('https://book.example.com', address)
      .replaceAll('cal_pub_…', businessOf(service.world, 'Thames Barbers').publishable_key)
    const visitor = await openVisitor(browser)
    await visitor.page.goto(website.address)
    const opener = visitor.page.locator('[data-holdfast-open], holdfast-button a, #book')
    if ((await opener.count()) > 0) {
      await visitor.page.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
      await opener.click()
    }
    await visitor.page.getByRole('button', { name: /^Haircut/ }).waitFor()
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })
})

test('the examples in TypeScript compile as strictly as can be, with the packages as they are published', async () => {
  const readmes = ['embed/widget/README.md', 'embed/react/README.md'].map(documentAt)
  const examples = [guide, ...readmes].flatMap(blocksOf).filter(({ language }) => /^tsx?$/.test(language))
  expect(examples.map(({ language }) => language)).toEqual(['ts', 'tsx', 'ts', 'tsx'])
  const root = await projectWithEmbeds()
  const wrong = [
    ['wrong-event.ts', `document.addEventListener('holdfast:booked', ({ detail }) => detail.hold)`],
    ['wrong-option.ts', `window.Holdfast?.open({ publishableKey: 'x', theme: 'black' })`],
    [
      'wrong-attribute.tsx',
      `import '@holdfast/widget/jsx'\nexport const one = <holdfast-booking publishable-key="x" metadata-order="1" service="y" />`,
    ],
  ] as const
  const sources = [
    ...examples.map(({ language, text }, index) => [`example-${index}.${language}`, text] as const),
    ...wrong.map(([name, text]) => [name, `import '@holdfast/widget'\n${text}`] as const),
  ]
  for (const [name, text] of sources) writeFileSync(join(root, name), text)
  const options = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const world = [
    '--jsx',
    'react-jsx',
    '--module',
    'esnext',
    '--target',
    'es2022',
    '--moduleResolution',
    'bundler',
  ]
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const command = [compiler, ...options, ...world, ...sources.map(([name]) => name)]
  const { stdout } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
  const faults = stdout.split('\n').filter((line) => /^\S/.test(line))
  expect(faults.map((line) => line.replace(/\(.*?: error/, ''))).toEqual([
    expect.stringMatching(/^wrong-attribute\.tsx .*service: string/),
    expect.stringMatching(/^wrong-event\.ts .*'hold'/),
    expect.stringMatching(/^wrong-option\.ts .*'"black"'/),
  ])
})

test('every attribute, event, property and part of the guide is one of the widget, and none is left out', () => {
  const attributes = tableUnder(guide, '## Attributes').map(([name = '']) => code(name))
  const observed = /observedAttributes = \[([^\]]*)\]/.exec(sources)?.[1]?.match(/[a-z-]{3,}/g)
  // read when the booking is made
  expect(attributes.toSorted()).toEqual([...(observed ?? []), 'success-url'].toSorted())
  const [, typed = ''] = /interface BookingAttributes \{([^}]*)\}/.exec(attributeTypes) ?? []
  const names = [...typed.matchAll(/^ {2}'?([a-z-]+)'?\??:/gm)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(attributes.toSorted())
  const events = tableUnder(guide, '## Events').map(([name = '']) => code(name))
  expect(events.toSorted()).toEqual(
    [
      ...new Set([...sources.matchAll(/this\.tell\('(\w+)'/g)].map(([, name]) => `holdfast:${name ?? ''}`)),
    ].toSorted(),
  )
  const properties = new Set(sources.match(/--holdfast-[a-z-]+[a-z]/g))
  const [, listed = ''] = /^- Properties: ([^.]*)\./m.exec(guide.text) ?? []
  expect(listed.match(/--holdfast-[a-z-]+/g)?.toSorted()).toEqual([...properties].toSorted())
  const parts = new Set(
    [...sources.matchAll(/part="([^"]+)"|part\.add\('([^']+)'\)|'?\b(day-free|day-chosen)\b/g)].map(
      ([, one, other, third]) => one ?? other ?? third ?? '',
    ),
  )
  const [, named = ''] = /^- Parts: ([^.]*)\./m.exec(guide.text) ?? []
  expect(
    named
      .match(/[a-z-]+/g)
      ?.filter((name) => name !== 'day')
      .toSorted(),
  ).toEqual([...parts].toSorted())
})

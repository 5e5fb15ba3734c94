import type { Browser } from 'playwright-core'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, documentAt, project, tableUnder } from '../docs/documents.ts'
import { chromiumPath, sharedBrowser, openVisitor, serveWebsite, type Website } from '../support/browser.ts'
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
    const opener = visitor.page.locator('[data-holdfast-open]')
    if ((await opener.count()) > 0) {
      await visitor.page.waitForFunction(`customElements.get('holdfast-booking') !== undefined`)
      await opener.click()
    }
    await visitor.page.getByRole('button', { name: /^Haircut/ }).waitFor()
    expect(visitor.errors).toEqual([])
    await visitor.close()
  })
})

/** The parts of React that the guide uses, as declared by `@types/react` 19. */
const react = `
declare module 'react' {
  export type Ref<T> = { current: T | null } | ((instance: T | null) => void) | null
  export function useRef<T>(initial: T | null): { current: T | null }
  export function useEffect(effect: () => void | (() => void), on?: readonly unknown[]): void
  export namespace JSX {
    type Element = object
    interface IntrinsicElements { script: { async?: boolean; src?: string } }
  }
}
declare module 'react/jsx-runtime' {
  export { JSX } from 'react'
  export const jsx: unknown, jsxs: unknown, Fragment: unknown
}`

test('the examples in TypeScript compile as strictly as can be', () => {
  const examples = blocks.filter(({ language }) => language === 'tsx' || language === 'ts')
  expect(examples.map(({ language }) => language)).toEqual(['ts', 'tsx'])
  for (const { language, text } of examples) {
    const files = new Map([
      [`/example.${language}`, text],
      ['/react.d.ts', react],
    ])
    const options: ts.CompilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] },
    }
    const host = ts.createCompilerHost(options)
    const { getSourceFile, fileExists } = host
    host.fileExists = (name) => files.has(name) || fileExists(name)
    host.getSourceFile = (name, ...rest) => {
      const own = files.get(name)
      return own === undefined
        ? getSourceFile(name, ...rest)
        : ts.createSourceFile(name, own, ts.ScriptTarget.ES2022)
    }
    const program = ts.createProgram([...files.keys()], options, host)
    const found = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
    expect(found).toEqual([])
  }
})

test('every attribute, event, property and part of the guide is one of the widget, and none is left out', () => {
  const attributes = tableUnder(guide, '## Attributes').map(([name = '']) => code(name))
  const observed = /observedAttributes = \[([^\]]*)\]/.exec(sources)?.[1]?.match(/[a-z-]{3,}/g)
  expect(attributes.toSorted()).toEqual(observed?.toSorted())
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

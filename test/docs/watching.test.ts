import { afterAll, beforeAll, expect, test } from 'vitest'
import { tracingPackages } from '../../src/cli/start-tracing.ts'
import { scrape, type Scrape } from '../support/scrape.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { blocksOf, documentAt, tableUnder } from './documents.ts'

const guide = documentAt('docs/guides/watching.md')
let service: TestService
let scraped: Scrape

beforeAll(async () => {
  service = await startTestService('sqlite')
  scraped = await scrape(service)
})
afterAll(() => service.stop())

test('the guide to watching has every metric, with its type and in its own words', () => {
  const described = scraped.metrics.map(({ name, type, help }) => [`\`${name}\``, type, help])
  expect(tableUnder(guide, '### What there is')).toEqual(described)
})

test('every metric that the guide uses exists', () => {
  const used = [...guide.text.matchAll(/\b(?:holdfast|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  )
  const names = scraped.metrics.map(({ name }) => name)
  expect(used.length).toBeGreaterThan(names.length)
  expect(used.filter((name) => name !== 'holdfast_' && !names.includes(name))).toEqual([])
})

test('the guide installs the packages that traces need, in their versions', () => {
  const packages = Object.entries(tracingPackages).map(([name, version]) => `${name}@${version}`)
  const commands = blocksOf(guide).map(({ text }) => text)
  expect(commands).toContain(`npm install --no-save \\\n  ${packages.join(' \\\n  ')}`)
})

test('the lines of the log in the guides have the members that a line can have', async () => {
  service.logLines.length = 0
  await service.call('GET', '/services', { token: service.world.businesses[0]?.business_key ?? '' })
  await service.call('GET', '/services')
  const written = service.logLines.flatMap((line) => Object.keys(JSON.parse(line) as object))
  const shown = (path: string) => {
    const block = blocksOf(documentAt(path)).find(({ text }) => text.includes('"msg": "request"'))
    return new Set(Object.keys(JSON.parse(block?.text ?? '{}') as object))
  }
  expect(shown('docs/guides/watching.md')).toEqual(new Set([...written, 'trace_id']))
  // without a trace, and without a problem
  expect(shown('docs/guides/self-hosting.md')).toEqual(new Set(written.filter((name) => name !== 'problem')))
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tracingPackages } from '../../src/cli/serve.ts'
import { scrape, type Scrape } from '../support/scrape.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { blocksOf, documentAt, tableUnder } from './documents.ts'

const guide = documentAt('docs/guides/monitoring.md')
let service: TestService
let scraped: Scrape

beforeAll(async () => {
  service = await startTestService('sqlite')
  scraped = await scrape(service)
})
afterAll(() => service.stop())

test('the guide to monitoring has every metric in its own words', () => {
  const described = scraped.metrics.map(({ name, help }) => [`\`${name}\``, help])
  expect(tableUnder(guide, '### All metrics')).toEqual(described)
})

test('every metric that the guide uses exists', () => {
  const used = [...guide.text.matchAll(/\b(?:holdfast|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  )
  const names = scraped.metrics.map(({ name }) => name)
  expect(used.length).toBeGreaterThan(names.length)
  expect(used.filter((name) => name !== 'holdfast_' && !names.includes(name))).toEqual([])
})

/* Prometheus checks them, if it is installed (Debian: prometheus). */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.runIf(hasPromtool).each(['docs/guides/monitoring.md', 'docs/guides/high-availability.md'])(
  'the alerts of %s are rules of Prometheus',
  (path) => {
    const rules = blocksOf(documentAt(path)).filter(({ text }) => text.startsWith('groups:'))
    expect(rules).toHaveLength(1)
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-rules-'))
    const file = join(directory, 'rules.yml')
    writeFileSync(file, rules[0]?.text ?? '')
    const checked = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
    rmSync(directory, { recursive: true })
    expect([checked.status, checked.stderr]).toEqual([0, ''])
  },
)

test('the guide installs the packages that traces need, in their versions', () => {
  const packages = Object.entries(tracingPackages).map(([name, version]) => `${name}@${version}`)
  const commands = blocksOf(guide).map(({ text }) => text)
  expect(commands).toContain(`npm install --no-save \\\n  ${packages.join(' \\\n  ')}`)
})

test('the line of the log in the guide has the members that a line can have', async () => {
  service.logLines.length = 0
  await service.call('GET', '/services', { token: service.world.businesses[0]?.business_key ?? '' })
  await service.call('GET', '/services')
  const written = service.logLines.flatMap((line) => Object.keys(JSON.parse(line) as object))
  const block = blocksOf(guide).find(({ text }) => text.includes('"msg": "request"'))
  const shown = Object.keys(JSON.parse(block?.text ?? '{}') as object)
  expect(new Set(shown)).toEqual(new Set([...written, 'trace_id']))
})

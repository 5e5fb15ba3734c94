import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestService } from '../support/test-service.ts'

/*
 * The reference is the last accepted document. It shows the author of a change to the API the differences for clients.
 * Decide if they are acceptable, name them in CHANGELOG.md, and accept them with `npm run openapi:accept`.
 */

const reference = join(import.meta.dirname, 'openapi.reference.json')
const howToAccept =
  'The API is not as in test/http/openapi.reference.json. If that is meant: name it in CHANGELOG.md, then run "npm run openapi:accept".'
const lineWidth = 120

/** Returns the document as text. Anything that fits on one line, or only refers to components, is on one line. */
function written(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return line
  if (indent.length + line.length <= lineWidth || Object.values(value).every(isReference)) return line
  const deeper = `${indent} `
  const entries = Array.isArray(value)
    ? value.map((entry) => deeper + written(entry, deeper))
    : Object.entries(value).map(
        ([name, member]) => `${deeper}${JSON.stringify(name)}: ${written(member, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${entries.join(',\n')}\n${indent}${close}`
}

function isReference(value: unknown): boolean {
  const target = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : value
  return typeof target === 'string' && target.startsWith('#/components/')
}

/** Returns the same with the members of each object sorted by name, because their order is irrelevant. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

/** Returns the differences of two documents: the innermost positions and their changes. */
function differences(before: unknown, after: unknown, place = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (before === undefined) return [`${place}: added`]
  if (after === undefined) return [`${place}: removed`]
  const inner = [before, after].every((value) => typeof value === 'object' && value !== null)
  if (!inner || Array.isArray(before) !== Array.isArray(after)) {
    return [`${place}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`]
  }
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>] // objects or lists
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...names].flatMap((name) => differences(was[name], is[name], `${place}/${name}`))
}

test('the API is as it was last accepted', async () => {
  const service = await startTestService('sqlite')
  const { body } = await service.call('GET', '//openapi.json')
  await service.stop()
  // a release alone changes nothing for clients
  const { version: _, ...info } = (body as { info: Record<string, unknown> }).info
  const document = sorted({ ...body, info })
  if (process.env['HOLDFAST_ACCEPT_OPENAPI'] === '1') writeFileSync(reference, `${written(document)}\n`)
  const accepted: unknown = existsSync(reference) ? JSON.parse(readFileSync(reference, 'utf8')) : {}
  expect(differences(accepted, document), howToAccept).toEqual([])
})

test('the comparison names each place that is added, removed or different', () => {
  const before = { paths: { '/a': { get: { tags: ['A'] } }, '/b': {} }, same: [1, { x: null }] }
  const after = { paths: { '/a': { get: { tags: ['A', 'B'] } }, '/c': {} }, same: [1, { x: null }] }
  expect(differences(before, after)).toEqual([
    '/paths//a/get/tags/1: added',
    '/paths//b: removed',
    '/paths//c: added',
  ])
  expect(differences({ type: 'string' }, { type: ['string', 'null'] })).toEqual([
    '/type: "string" became ["string","null"]',
  ])
  expect(JSON.parse(written(sorted(before)))).toEqual(before)
})

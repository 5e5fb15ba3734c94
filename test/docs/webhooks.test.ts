import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { matchesEventBody } from '../support/event-body.ts'
import { builtServer } from '../support/holdfast-process.ts'
import { startTestService } from '../support/test-service.ts'
import { makeShop } from '../support/webhooks.ts'
import { blocksOf, documentAt } from './documents.ts'

const guide = documentAt('docs/guides/webhooks.md')
const blocks = blocksOf(guide)
const block = (language: string, has = '') =>
  blocks.find((one) => one.language === language && one.text.includes(has))?.text ?? ''

const directory = mkdtempSync(join(tmpdir(), 'holdfast-guide-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const oldSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const body = '{"event":"booking.created","data":{"client":{"first_name":"Zoë"}}}'

/** A delivery that was sent so many seconds ago, signed with these secrets. */
function delivery(secondsAgo: number, secrets = [secret]) {
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
  const sign = (one: string) =>
    createHmac('sha256', Buffer.from(one.slice(6), 'base64'))
      .update(`one.${timestamp}.${body}`)
      .digest('base64')
  return {
    secret,
    body,
    headers: {
      'webhook-id': 'one',
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map((one) => `v1,${sign(one)}`).join(' '),
    },
  }
}

const cases = [
  { name: 'a genuine one', given: delivery(0), genuine: true },
  { name: 'one during a change of secrets', given: delivery(0, [oldSecret, secret]), genuine: true },
  { name: 'one of 270 s ago', given: delivery(270), genuine: true },
  { name: 'one of 302 s ago', given: delivery(302), genuine: false },
  { name: 'one with another secret', given: delivery(0, [oldSecret]), genuine: false },
  { name: 'an altered one', given: { ...delivery(0), body: body.replace('Zoë', 'Eve') }, genuine: false },
  { name: 'one without headers', given: { secret, body, headers: {} }, genuine: false },
]

describe('the verification of the guide', () => {
  test('in TypeScript accepts what is genuine and nothing else', async () => {
    const file = join(directory, 'verify.ts')
    writeFileSync(file, block('ts'))
    const { isGenuine } = (await import(pathToFileURL(file).href)) as {
      isGenuine: (secret: string, headers: object, body: Buffer) => boolean
    }
    const seen = cases.map(({ given }) => isGenuine(given.secret, given.headers, Buffer.from(given.body)))
    expect(seen).toEqual(cases.map(({ genuine }) => genuine))
  })

  const hasPython = spawnSync('python3', ['--version']).status === 0
  test.runIf(hasPython)('in Python accepts what is genuine and nothing else', () => {
    const program = `${block('python')}
import json, sys
print(json.dumps([is_genuine(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))
`
    // Python's HTTP servers hand on the names of headers as they were sent, or as Title-Case
    const inTitleCase = cases.map(({ given }) => ({ ...given, headers: titleCased(given.headers) }))
    const input = JSON.stringify([...cases.map(({ given }) => given), ...inTitleCase])
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([...cases, ...cases].map(({ genuine }) => genuine))
  })
})

function titleCased(headers: object): object {
  const titled = (name: string) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [titled(name), value as string]))
}

test('the body in the guide has the fields of a real one', async () => {
  expect(matchesEventBody(JSON.parse(block('json')))).toBe(true)
})

test('the request in the guide registers a webhook', async () => {
  const service = await startTestService('sqlite')
  const { business } = await makeShop(service)
  const [, sent = ''] = /-d '([^']*)'/.exec(block('sh', 'curl')) ?? []
  const reply = await service.call('POST', '/webhooks', { token: business.key, body: JSON.parse(sent) })
  expect(reply.status).toBe(201)
  await service.stop()
})

test('the commands in the guide exist', () => {
  const ran = spawnSync(process.execPath, [builtServer, 'webhook', 'listen', '--help'], {
    encoding: 'utf8',
  })
  expect(ran.status).toBe(0)
  for (const option of block('sh', 'listen').match(/--\w+/g) ?? []) expect(ran.stdout).toContain(option)
})

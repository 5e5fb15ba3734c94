import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { matchesEventBody } from '../support/event-body.ts'
import { builtServer } from '../support/holdfast-process.ts'
import { startTestService } from '../support/test-service.ts'
import { makeShop } from '../support/webhooks.ts'
import { blocksOf, documentAt } from './documents.ts'

const guide = documentAt('docs/guides/webhooks.md')
const blocks = blocksOf(guide)
const block = (language: string, has = '') =>
  blocks.find((one) => one.language === language && one.text.includes(has))?.text ?? ''

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

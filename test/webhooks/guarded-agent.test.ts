import { expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { exchange } from '../../src/webhooks/exchange.ts'
import { guardedAgent } from '../../src/webhooks/guarded-agent.ts'
import { startReceiver } from '../support/receiver.ts'

test('a client that cannot be loaded fails the attempt and not the server, and is loaded when it is there', async () => {
  const lines: string[] = []
  const log = createLog('error', { write: (line) => lines.push(line) })
  const dispatcher = guardedAgent({ config: readConfig({ NODE_ENV: 'test' }), log }, { timeoutMs: 5_000 })
  const receiver = await startReceiver()
  const send = () =>
    exchange(
      { url: receiver.address, headers: {}, body: '{}' },
      { dispatcher, timeoutMs: 5_000, stopping: new Set(), nowMs: Date.now },
    )
  vi.doMock('undici', () => {
    throw new Error('its files are being replaced')
  })
  expect(await send()).toEqual({ responseStatus: null, error: 'connection_failed' })
  expect(lines.join()).toContain('cannot be loaded')
  vi.doUnmock('undici')
  expect(await send()).toEqual({ responseStatus: 200, error: null })
  await dispatcher.destroy()
  await receiver.stop()
})

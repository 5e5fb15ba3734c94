import { connect, type AddressInfo } from 'node:net'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { limitPipelining, maxAhead } from '../../src/http/hardening.ts'

let app: FastifyInstance
let handled: number
beforeEach(async () => {
  handled = 0
  app = fastify()
  limitPipelining(app.server)
  app.get('/', async () => {
    handled += 1
    await new Promise(setImmediate)
    return 'answer'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

const wanted = 'GET / HTTP/1.1\r\nHost: holdfast.example\r\n\r\n'

/** Sends each text once all answers to the earlier ones have arrived. Returns the number of answers. */
async function answersTo(texts: string[]): Promise<number> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let got = ''
  let sent = 0
  const count = () => got.split('answer').length - 1
  const send = () => {
    const next = texts.shift()
    if (next === undefined) socket.end()
    else socket.write(next)
    sent += next?.split('GET').slice(1).length ?? 0
  }
  socket.on('connect', send).on('error', () => undefined)
  socket.on('close', () => {
    resolve(undefined)
  })
  socket.on('data', (bytes) => {
    got += bytes.toString()
    if (count() === sent) send()
  })
  await promise
  return count()
}

test('a client may send some requests ahead of their answers, again and again', async () => {
  const some = wanted.repeat(maxAhead + 1)
  expect(await answersTo([some, some, wanted, some])).toBe(3 * (maxAhead + 1) + 1)
})

test('a connection with too many requests ahead of their answers is closed, and most are not handled', async () => {
  expect(await answersTo([wanted.repeat(1_000)])).toBeLessThanOrEqual(maxAhead + 1)
  expect(handled).toBeLessThanOrEqual(maxAhead + 1)
  expect(await answersTo([wanted])).toBe(1)
})

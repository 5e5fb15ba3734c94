import { connect, type AddressInfo, type Socket } from 'node:net'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemReplies } from '../../src/http/problems.ts'
import { boundUnreadAnswers } from '../../src/http/unread-answers.ts'
import { eventually } from '../support/eventually.ts'

/** More than the connection buffers of this machine hold. */
const long = Buffer.alloc(12 * 1024 * 1024, 'x')

let app: FastifyInstance
let sockets: Socket[]
beforeEach(async () => {
  app = fastify()
  problemReplies(app)
  app.get('/long', (_request, reply) => reply.header('etag', '"tag"').type('text/plain').send(long))
  app.get('/short', (_request, reply) => reply.send('short'))
  boundUnreadAnswers(app)
  sockets = []
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await app.close()
})

const address = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

/** Sends a request and reads nothing of the answer. */
async function askUnread(): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined).pause()
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  const answered = new Promise<void>((resolve) => {
    app.server.once('request', (_request, response) => response.once('pipe', resolve))
    socket.once('readable', () => resolve())
  })
  socket.write('GET /long HTTP/1.1\r\nHost: holdfast.example\r\n\r\n')
  await answered
  return socket
}

test('while an answer waits to be read, a further long one to its address becomes a 503', async () => {
  const unread = await askUnread()
  const refused = await fetch(`${address()}/long`)
  expect(refused.status).toBe(503)
  expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '1' })
  expect(refused.headers.has('etag')).toBe(false)
  expect(await refused.json()).toMatchObject({ code: 'unavailable' })
  expect((await fetch(`${address()}/short`)).status).toBe(200)

  unread.destroy()
  await eventually('room for the next', async () => {
    const reply = await fetch(`${address()}/long`)
    await reply.arrayBuffer()
    return reply.status === 200 ? true : undefined
  })
})

test('who reads each answer gets any number of them', async () => {
  for (let count = 0; count < 5; count += 1) {
    const reply = await fetch(`${address()}/long`)
    expect((await reply.arrayBuffer()).byteLength).toBe(long.length)
  }
})

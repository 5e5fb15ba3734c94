import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Every byte of a received request. */
export interface Received {
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  /** Names as sent. */
  rawHeaders: string[]
  body: Buffer
  /** When it was complete, on the clock of the process. */
  atMs: number
}

export type Answer = (response: ServerResponse, received: Received) => void

/** A real receiver of webhooks on loopback. */
export interface Receiver {
  /** Such as http://127.0.0.1:41234. */
  address: string
  /** Received requests, the oldest first. */
  received: Received[]
  /** The answer from now on. 200 at first. */
  answer: Answer
  /** Number of connections to it. */
  connections: number
  stop(): Promise<void>
}

export const ok: Answer = (response) => response.end('ok')

/** Answers with this status, and optional headers. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end()
}

/** Never answers. */
export const hang: Answer = () => undefined

/** Starts a receiver on a port, by default a free one. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const received: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        rawHeaders: request.rawHeaders,
        body,
        atMs: performance.now(),
      }
      receiver.received.push(received)
      receiver.answer(response, received)
    })
  })
  server.on('connection', (socket) => {
    receiver.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  const receiver: Receiver = {
    address: '',
    received: [],
    answer: ok,
    connections: 0,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  receiver.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

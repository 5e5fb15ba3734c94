import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from './self-signed.ts'

/** A receiver that misbehaves on its socket. */
export interface BadReceiver {
  address: string
  /** Number of connections to it. */
  connections: number
  /** Number of bytes that it could send. */
  sentBytes: number
  stop(): Promise<void>
}

type Behaviour = (socket: Socket, receiver: BadReceiver) => void

const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
const gigabyte = 1_000_000_000

/** Each behaviour answers as soon as anything arrives, whether or not the request is complete. */
export const behaviours = {
  hangs: () => undefined,
  drips: (socket) => {
    const timer = setInterval(() => socket.write('x'), 1000)
    socket.write(head(1_000))
    socket.on('close', () => clearInterval(timer))
  },
  'drips its headers': (socket) => {
    const timer = setInterval(() => socket.write('X-A: b\r\n'), 1000)
    socket.write('HTTP/1.1 200 OK\r\n')
    socket.on('close', () => clearInterval(timer))
  },
  resets: (socket) => socket.resetAndDestroy(),
  'sends 1 GB': (socket, receiver) => {
    socket.write(head(gigabyte))
    flood(socket, receiver, Buffer.alloc(65_536, 'x'))
  },
  'never ends its answer': (socket, receiver) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    flood(socket, receiver, Buffer.from(`1000\r\n${'x'.repeat(4_096)}\r\n`))
  },
  'is cut off in its answer': (socket) => {
    socket.write(`${head(1_000)}only this`, () => socket.destroy())
  },
  'is no HTTP': (socket) => socket.end('220 smtp.example.com ESMTP\r\n'),
} satisfies Record<string, Behaviour>

/** Sends the same chunk repeatedly, a gigabyte at most. */
function flood(socket: Socket, receiver: BadReceiver, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && receiver.sentBytes < gigabyte) {
      receiver.sentBytes += chunk.length
      if (!socket.write(chunk)) return
    }
  }
  socket.on('drain', more)
  more()
}

export function startBadReceiver(behaviour: Behaviour): Promise<BadReceiver> {
  return listen('http', createServer(), (socket, receiver) => {
    socket.once('data', () => behaviour(socket, receiver))
  })
}

/** Speaks TLS with a certificate that nobody trusts. */
export function startSelfSigned(): Promise<BadReceiver> {
  const server = createTlsServer(selfSigned)
  server.on('tlsClientError', () => undefined)
  return listen('https', server, () => undefined)
}

async function listen(
  scheme: 'http' | 'https',
  server: Server,
  onConnection: (socket: Socket, receiver: BadReceiver) => void,
): Promise<BadReceiver> {
  const sockets = new Set<Socket>()
  const receiver: BadReceiver = {
    address: '',
    connections: 0,
    sentBytes: 0,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  server.on('connection', (socket) => {
    receiver.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    onConnection(socket, receiver)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.address = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

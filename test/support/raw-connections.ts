import { connect, type Socket } from 'node:net'
import { afterEachFile } from './after-file.ts'

const open = new Set<Socket>()

afterEachFile(() => {
  for (const socket of open) socket.destroy()
  open.clear()
})

/** A connection on which tests can send anything, HTTP or not. */
interface RawConnection {
  socket: Socket
  /** Returns everything received so far. */
  received(): string
  /** Resolves when either side closes it, with the received text and the time since it was opened. */
  closed: Promise<{ received: string; afterMs: number }>
}

/** Opens a connection to a server and sends the input, as far as the server accepts it. */
export function rawConnection(
  address: string,
  sent: string | Buffer = '',
  { allowHalfOpen = false } = {},
): RawConnection {
  const { hostname, port } = new URL(address)
  const started = performance.now()
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen })
  open.add(socket)
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  socket.on('error', () => undefined) // a reset is one of the ways to be closed
  if (sent.length > 0) socket.write(sent)
  const closed = new Promise<{ received: string; afterMs: number }>((resolve) => {
    socket.on('close', () => {
      open.delete(socket)
      resolve({ received, afterMs: performance.now() - started })
    })
  })
  return { socket, received: () => received, closed }
}

/**
 * Sends the first part at once, and then the other one repeatedly while the server keeps the connection. Such a client
 * ignores every answer, even the end of the response.
 */
export function sendOnAndOn(
  address: string,
  [first, then]: [first: string, then: string],
  everyMs: number,
): RawConnection {
  const connection = rawConnection(address, first, { allowHalfOpen: true })
  const timer = setInterval(() => {
    if (!connection.socket.writableNeedDrain) connection.socket.write(then)
  }, everyMs)
  void connection.closed.then(() => {
    clearInterval(timer)
  })
  return connection
}

/** Returns the status of the last answer, or undefined without one. */
export function lastStatus(received: string): number | undefined {
  const status = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].at(-1)?.[1]
  return status === undefined ? undefined : Number(status)
}

import { connect, type Socket } from 'node:net'
import { afterEachFile } from './after-file.ts'

const open = new Set<Socket>()

afterEachFile(() => {
  for (const socket of open) socket.destroy()
  open.clear()
})

/** A connection on which anything can be sent, HTTP or not. */
interface RawConnection {
  socket: Socket
  /** Everything that came back so far. */
  received(): string
  /** Resolves when it is closed, by whichever side, with what came back and after how long since it was opened. */
  closed: Promise<{ received: string; afterMs: number }>
}

/** Opens a connection to a server and sends what is given, as far as the server takes it. */
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
 * Sends the first part at once and then the other one, over and over, as long as the server keeps the connection:
 * a client that does not care what it is told, not even that the server has finished.
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

/** The status of the last answer; undefined where there was none. */
export function lastStatus(received: string): number | undefined {
  const status = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].at(-1)?.[1]
  return status === undefined ? undefined : Number(status)
}

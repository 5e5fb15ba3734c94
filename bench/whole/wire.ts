import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Request } from './requests.ts'

const lostConnection = 'the server closed a connection'

/** An answer as it came. */
export interface Answer {
  status: number
  body: string
}

/**
 * One connection to a server, for one request after the other. It understands of HTTP/1.1 what a server answers to
 * these requests, and so costs a fraction of what a client for everything does: on few cores, what the load
 * costs is taken from the service.
 */
export class Wire {
  private readonly socket: Socket
  private readonly host: string
  private received: Buffer = Buffer.alloc(0)
  private waiting: PromiseWithResolvers<Answer> | undefined

  private constructor(socket: Socket, host: string) {
    this.socket = socket
    this.host = host
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.take(chunk)
    })
    const lost = () => this.waiting?.reject(new Error(lostConnection))
    socket.on('error', lost)
    socket.on('close', lost)
  }

  static async open(address: string): Promise<Wire> {
    const { hostname, port, host } = new URL(address)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new Wire(socket, host)
  }

  send({ method, path, token, network, body }: Request): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const ofBody =
      body === undefined
        ? ''
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
    const empty = method === 'POST' && body === undefined ? 'content-length: 0\r\n' : ''
    if (this.socket.destroyed) return Promise.reject(new Error(lostConnection))
    this.waiting = Promise.withResolvers()
    this.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\nauthorization: Bearer ${token}\r\n` +
        `x-forwarded-for: ${network}\r\n${ofBody}${empty}\r\n${text}`,
    )
    return this.waiting.promise
  }

  /** Nothing can be sent any more. */
  get isLost(): boolean {
    return this.socket.destroyed
  }

  close(): void {
    this.waiting = undefined
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = this.received.toString('latin1', 0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const end = headEnd + 4 + length
    if (this.received.length < end) return
    const body = this.received.toString('utf8', headEnd + 4, end)
    this.received = this.received.subarray(end)
    const { waiting } = this
    this.waiting = undefined
    waiting?.resolve({ status: Number(head.slice(9, 12)), body })
  }
}

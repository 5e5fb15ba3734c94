import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Send, Time } from '../../client/send-with-retries.ts'
import type { TestService } from '../support/test-service.ts'

/** A request as the service received it. */
export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
}

/** Sends requests to the service without a socket, with the time of its clock in `Date`, and records them. */
export function sendTo(service: TestService): { send: Send; sent: Sent[] } {
  const sent: Sent[] = []
  const send: Send = async (request) => {
    request.signal.throwIfAborted()
    const { pathname, search } = new URL(request.url)
    const headers = Object.fromEntries(request.headers)
    sent.push({ method: request.method, path: pathname, headers })
    const text = await request.text()
    const reply = await service.call(request.method, `/${pathname}${search}`, {
      headers,
      ...(text !== '' && { rawBody: text }),
    })
    const shown = Object.entries(reply.headers).flatMap(([name, value]) =>
      value === undefined || name === 'content-length' ? [] : [[name, value] as [string, string]],
    )
    const now = new Date(service.clock.nowMs()).toUTCString()
    return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), {
      status: reply.status,
      headers: [...shown.filter(([name]) => name !== 'date'), ['date', now]],
    })
  }
  return { send, sent }
}

/** Returns the time of a service's clock for its client. Waiting advances it. */
export function timeOf(service: TestService): Time & { waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    nowMs: () => service.clock.nowMs(),
    random: () => 1,
    wait: (milliseconds, signal) => {
      signal.throwIfAborted()
      waits.push(milliseconds / 1000)
      service.clock.advance(milliseconds / 1000)
      return Promise.resolve()
    },
  }
}

/**
 * Starts a server in front of the service that drops its first connections: before it forwards a request, or instead of
 * the answer.
 */
export async function startDroppingServer(
  send: Send,
  { drops, when }: { drops: number; when: 'before' | 'after' },
): Promise<{ url: string; requests: () => number; close: () => Promise<void> }> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const isDropped = requests <= drops
    if (isDropped && when === 'before') return request.socket.destroy()
    const handOn = async () => {
      const chunks = await request.toArray()
      const answer = await send(
        new Request(`http://holdfast.test${request.url ?? ''}`, {
          method: request.method ?? 'GET',
          headers: request.headers as Record<string, string>,
          ...(chunks.length > 0 && { body: Buffer.concat(chunks as Buffer[]) }),
        }),
      )
      if (isDropped) return request.socket.destroy()
      return response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()))
    }
    void handOn()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

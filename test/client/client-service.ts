import type { Send, Time } from '../../client/send-with-retries.ts'
import type { TestService } from '../support/test-service.ts'

/** A request as the service got it. */
export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
}

/** A way to the service without a socket, with the time of its clock in `Date`, that notes what is sent. */
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

/** The time of a service's clock for its client: waiting moves it. */
export function timeOf(service: TestService): Time & { waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    nowMs: () => service.clock.nowMs(),
    wait: (milliseconds, signal) => {
      signal.throwIfAborted()
      waits.push(milliseconds / 1000)
      service.clock.advance(milliseconds / 1000)
      return Promise.resolve()
    },
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'

/** A passing request to the API. */
export interface Passing {
  method: string
  /** With its query. */
  path: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the wire gives
  body: any
}

/** The false answer to a client. */
export interface Told {
  status: number
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the wire gives
  body: any
}

/** The changes to make on the way. */
export interface Lies {
  /** Returns the path to request instead of the original one. */
  path?: (passing: Passing) => string
  answer: (passing: Passing, told: Told) => Told
}

/**
 * Starts a service that is not what it claims to be. It forwards requests to another one and changes answers on their
 * way back.
 */
export async function startLyingProxy(
  address: string,
  lies: Lies,
): Promise<{ address: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request
      const sent = await text(request)
      const passing = { method, path: url, body: sent === '' ? undefined : (JSON.parse(sent) as unknown) }
      const answer = await fetch(`${address}${lies.path?.(passing) ?? url}`, {
        method,
        headers: Object.fromEntries(
          Object.entries(headers).flatMap(([name, value]) =>
            /^(authorization|content-type|idempotency-key)$/.test(name) ? [[name, String(value)]] : [],
          ),
        ),
        ...(sent !== '' && { body: sent }),
      })
      const body = answer.status === 204 ? undefined : await json(answer.body as never)
      const told = lies.answer(passing, { status: answer.status, body })
      for (const [name, value] of answer.headers)
        if (/^(x-|retry-after)/.test(name)) response.setHeader(name, value)
      response.writeHead(told.status, { 'content-type': 'application/json' })
      response.end(told.body === undefined ? undefined : JSON.stringify(told.body))
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

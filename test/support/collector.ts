import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as received (OTLP/JSON), with its attributes as an object. */
interface SentSpan {
  traceId: string
  parentSpanId?: string
  name: string
  attributes: Record<string, unknown>
}

/** A collector of OpenTelemetry on this machine. */
export interface Collector {
  address: string
  /** All received bodies, unchanged. */
  bodies: unknown[]
  headers: Record<string, unknown>[]
  spans(): SentSpan[]
  /** The sender's description of itself. */
  resource(): Record<string, unknown>
  close(): Promise<void>
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<SentSpan, 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

function asObject(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

export async function startCollector(): Promise<Collector> {
  const bodies: Sent[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url === '/v1/traces') bodies.push(body as Sent)
      headers.push(request.headers)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const parts = () => bodies.flatMap(({ resourceSpans }) => resourceSpans)
  return {
    address: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    spans: () =>
      parts()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({ ...span, attributes: asObject(span.attributes) })),
    resource: () => asObject(parts()[0]?.resource.attributes ?? []),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import fastify from 'fastify'
import type { Sample } from './load.ts'

/*
 * The baseline for the service: Fastify routes that return given bytes and headers and do nothing else. A message
 * contains the answers. The process reports its address.
 */
process.once('message', (samples: Sample[]) => {
  const server = fastify()
  for (const { method, route, status, headers, body } of samples) {
    server.route({
      method,
      url: route,
      handler: (_request, reply) =>
        reply
          .code(status)
          .headers(headers)
          .send(body === '' ? null : body),
    })
  }
  server.listen({ host: '127.0.0.1', port: 0 }).then(
    (address) => process.send?.(address),
    (error: unknown) => process.send?.(String(error)),
  )
})

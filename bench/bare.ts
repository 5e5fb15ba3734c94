import fastify from 'fastify'
import type { Sample } from './load.ts'

/*
 * What the service is compared with: Fastify routes that answer with given bytes and headers and do nothing else. Told by
 * a message which; says where it listens.
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

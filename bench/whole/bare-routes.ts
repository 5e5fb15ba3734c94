import fastify from 'fastify'
import { readFileSync } from 'node:fs'

/*
 * A Fastify server with nothing but routes that answer with the bytes of the service: `node bare-routes.ts FILE`, a JSON
 * object from the route to its answer.
 */

const answers = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, string>
const server = fastify()
for (const [route, body] of Object.entries(answers)) {
  const [method = '', url = ''] = route.split(' ')
  server.route({
    method,
    url,
    handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(body),
  })
}
process.once('SIGTERM', () => void server.close())
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))

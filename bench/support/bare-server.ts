import fastify from 'fastify'
import { readFileSync } from 'node:fs'

/* Answers every request with the bytes of a file: `node bare-server.ts FILE`. */

const body = readFileSync(process.argv[2] ?? '')
const server = fastify()
server.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
process.once('SIGTERM', () => void server.close())
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))

import type { FastifyRequest } from 'fastify'

/** Returns a function that checks if a request's connection is closed, so that no response can reach its client. */
export function goneClient(request: FastifyRequest): () => boolean {
  const { socket } = request.raw // on the request itself, `destroyed` can also mean that it was read
  return () => socket.destroyed
}

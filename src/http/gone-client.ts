import type { FastifyRequest } from 'fastify'

/** Tells whether the connection of a request is closed, so that no response can reach its client. */
export function goneClient(request: FastifyRequest): () => boolean {
  const { socket } = request.raw // of the request itself, `destroyed` can also mean that it was read
  return () => socket.destroyed
}

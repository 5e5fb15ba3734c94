import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Sends JSON with its entity tag, or 304 when the caller has it already (`If-None-Match`, RFC 9110, section 13.1.2).
 */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  json: string,
  cacheControl = 'private, no-cache',
): FastifyReply {
  const body = Buffer.from(json) // encoded once for the tag and the socket: a month of slots is long
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  void reply.header('etag', etag).header('cache-control', cacheControl)
  if (knownTags(request)(etag.slice(1, -1))) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

/** Tells whether the caller has what bears an entity tag, given without its quotes. */
export function knownTags({ headers }: FastifyRequest): (tag: string) => boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return (tag) => known !== undefined && (known.includes(`"${tag}"`) || known.join() === '*')
}

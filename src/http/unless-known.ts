import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Sends a JSON text with its entity tag, or 304 without it when the caller has that very text already
 * (`If-None-Match`, RFC 9110, section 13.1.2).
 */
export function sendUnlessKnown(request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply {
  const body = Buffer.from(json) // once, for the tag and for the socket: a month of many slots is long
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  void reply.header('etag', etag).header('cache-control', 'private, no-cache')
  const known = request.headers['if-none-match']
  if (known !== undefined && names(known, etag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

function names(known: string, etag: string): boolean {
  return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

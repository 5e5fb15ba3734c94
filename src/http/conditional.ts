import { createHash, type Hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text with its entity tag. */
export interface Tagged {
  etag: string
  /** Returns the body, which a 304 does not need. */
  body: () => Buffer
  /** The media type, JSON if absent. */
  type?: string
}

/** Returns the entity tag of a body from its digest (SHA-256). */
export function tagOf(digest: Hash): string {
  return `"${digest.digest('base64url').slice(0, 27)}"`
}

/**
 * Sends a text, usually JSON, with its entity tag. Sends 304 if the caller already has it (`If-None-Match`, RFC 9110,
 * section 13.1.2).
 */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string | Tagged,
  cacheControl = 'private, no-cache',
): FastifyReply {
  const {
    etag,
    body,
    type = 'application/json; charset=utf-8',
  } = typeof text === 'string' ? tagged(text) : text
  void reply.header('etag', etag).header('cache-control', cacheControl)
  if (knownTags(request)(etag.slice(1, -1))) return sendNotModified(reply)
  return reply.type(type).send(body())
}

/** Returns a text with its entity tag. */
export function tagged(text: string): Tagged {
  const body = Buffer.from(text) // encoded once for the tag and the socket, because a month of slots is long
  return { etag: tagOf(createHash('sha256').update(body)), body: () => body }
}

/**
 * Sends 304 without body and type. Browsers would give the type to their copy (RFC 9111, section 3.2). Chromium refuses
 * a script of another type from another website.
 */
export function sendNotModified(reply: Pick<FastifyReply, 'code'>): FastifyReply {
  return (reply as FastifyReply).code(304).send()
}

/** Sends JSON text created earlier. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Returns a function that checks if the caller has an entity tag, given without its quotes. */
export function knownTags({ headers }: FastifyRequest): (tag: string) => boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return (tag) => known !== undefined && (known.includes(`"${tag}"`) || known.join() === '*')
}

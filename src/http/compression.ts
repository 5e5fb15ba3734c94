import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOfApi } from './route-list.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route shows one thing, although its URL contains no ID. */
    showsOne?: true
    /** The answer is public and rarely changes. It is compressed once, at the highest level, and cached. */
    keptCompressed?: true
  }
}

/** Shorter answers fit into a few packets, and compressing them costs more time than it saves. */
const worthwhileBytes = 4 * 1024
/** Level 4 of nine. A month of slots shrinks to a twentieth, in a third of the time that the highest level takes. */
const level = 4
const keptLevel = 9

/**
 * Compresses long answers of the API (gzip, RFC 9110, section 8.4.1.3) for clients that accept it: lists, availability
 * and descriptions of the API. Answers about one thing stay uncompressed. Some contain a secret or a token, whose
 * length must not leak. The entity tags of others guard changes and must stay strong.
 */
export function compressLongAnswers(app: FastifyInstance): void {
  const kept = new Map<string, { payload: unknown; compressed: Buffer }>()
  app.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', config } = request.routeOptions
    if (!config.keptCompressed && !isOfMany(request)) {
      done(null, payload)
      return
    }
    void reply.header('vary', 'Accept-Encoding')
    if (reply.statusCode === 304) repeatWeakTag(request, reply)
    const isLong =
      (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= worthwhileBytes
    if (!isLong || reply.statusCode !== 200 || !acceptsGzip(request.headers['accept-encoding'])) {
      done(null, payload)
      return
    }
    const send = (compressed: Buffer) => {
      const etag = reply.getHeader('etag')
      // the same answer in other bytes (RFC 9110, section 8.8.1); If-None-Match compares weakly
      if (typeof etag === 'string' && etag.startsWith('"')) void reply.header('etag', `W/${etag}`)
      void reply.header('content-encoding', 'gzip').removeHeader('content-length')
      done(null, compressed)
    }
    const known = kept.get(url)
    if (known?.payload === payload) {
      send(known.compressed)
      return
    }
    gzip(payload, { level: config.keptCompressed ? keptLevel : level }, (error, compressed) => {
      if (error) {
        done(error)
        return
      }
      if (config.keptCompressed) kept.set(url, { payload, compressed })
      send(compressed)
    })
  })
}

/** Gives a 304 the tag of the client's answer (RFC 9110, section 15.4.5), which is weak if that was compressed. */
function repeatWeakTag({ headers }: FastifyRequest, reply: FastifyReply): void {
  const weak = `W/${String(reply.getHeader('etag'))}`
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  if (known.includes(weak)) void reply.header('etag', weak)
}

/** True if the route shows a list or availability. */
function isOfMany(request: FastifyRequest): boolean {
  const { url, config } = request.routeOptions
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return (
    isRead &&
    config.access !== undefined &&
    !config.showsOne &&
    isOfApi(request) &&
    url?.includes(':') === false
  )
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((part) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(part))
}

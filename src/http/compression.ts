import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOfApi } from './route-list.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route shows one thing, though it names no id. */
    showsOne?: true
    /** The answer is public and seldom another: it is compressed once, as well as can be, and kept. */
    keptCompressed?: true
  }
}

/** Shorter answers fit into a few packets: compressing them costs more time than it saves. */
const worthwhileBytes = 4 * 1024
/** Of nine: a month of slots shrinks to a twentieth, in a third of the time of the best. */
const level = 4
const keptLevel = 9

/**
 * Compresses long answers of the API (gzip, RFC 9110, section 8.4.1.3) for clients that accept it: lists and availability,
 * and what says how the API is.
 * Answers about one thing stay as they are: some hold a secret or a token, whose length must not show, and the entity
 * tags of others guard changes and so must stay strong.
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

/** A 304 carries the tag of the answer that the client has (RFC 9110, section 15.4.5): weak if that was compressed. */
function repeatWeakTag({ headers }: FastifyRequest, reply: FastifyReply): void {
  const weak = `W/${String(reply.getHeader('etag'))}`
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  if (known.includes(weak)) void reply.header('etag', weak)
}

/** Whether the route shows a list or availability. */
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

import type { FastifyInstance } from 'fastify'
import { readClientAddress } from '../base/client-network.ts'
import { unavailable } from '../base/errors.ts'

/** Shorter answers do not count, because the limit of connections already bounds those of one address. */
const shortBytes = 16 * 1024
/** Limit for one IPv4 address or IPv6 /64. */
const maxBytes = 16 * 1024 * 1024
const maxBytesInAll = 128 * 1024 * 1024

/**
 * Limits the bytes that wait in memory until clients read them, for each address and in total. Beyond that an answer
 * becomes a 503, unless nothing else is waiting. Call it after every other hook that changes answers.
 */
export function boundUnreadAnswers(app: FastifyInstance): void {
  const waiting = new Map<string, number>()
  let inAll = 0
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    // no close event follows for a client that has already disconnected, so its bytes would count forever
    if (bytes < shortBytes || reply.raw.closed || reply.raw.destroyed) {
      done(null, payload)
      return
    }
    const { network } = readClientAddress(request.ip)
    const before = waiting.get(network) ?? 0
    const isTooMuch = (already: number, max: number) => already > 0 && already + bytes > max
    if (isTooMuch(before, maxBytes) || isTooMuch(inAll, maxBytesInAll)) {
      for (const name of ['etag', 'content-encoding', 'content-disposition']) reply.removeHeader(name)
      done(unavailable('Earlier responses have not been read yet. Read them, then retry.'))
      return
    }
    waiting.set(network, before + bytes)
    inAll += bytes
    reply.raw.once('close', () => {
      inAll -= bytes
      const rest = (waiting.get(network) ?? 0) - bytes
      if (rest > 0) waiting.set(network, rest)
      else waiting.delete(network)
    })
    done(null, payload)
  })
}

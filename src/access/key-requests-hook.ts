import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRequestsTable } from '../database/tables.ts'
import type { Context } from './context.ts'
import { maxKeyRequests, storeKeyRequests } from './key-requests.ts'
import { realClock } from '../base/clock.ts'

const maxPathLength = 200

/** Requests of all keys that wait for the next write. Later ones are dropped. */
const maxWaiting = 10_000

const writeMs = 2_000

/**
 * Records the latest requests of each key, without query, headers and bodies. Writes them every two seconds, so that no
 * request waits for it. A killed process loses those of two seconds.
 */
export function noteKeyRequests(app: FastifyInstance, context: Context): void {
  let waiting = new Map<string, KeyRequestsTable[]>()
  let size = 0
  const write = async () => {
    if (size === 0) return
    const noted = waiting
    waiting = new Map()
    size = 0
    try {
      await storeKeyRequests(context, [...noted.values()].flat())
    } catch (err) {
      context.log.debug({ err }, 'the requests of keys were not recorded')
    }
  }
  let writing: Promise<void> | undefined
  const timer = setInterval(() => {
    writing ??= write().finally(() => (writing = undefined))
  }, writeMs).unref()
  app.addHook('onResponse', (request, reply, done) => {
    const noted = requestOf(context, request, reply)
    if (noted && size < maxWaiting) {
      const own = waiting.get(noted.api_key_id) ?? []
      own.push(noted)
      if (own.length > maxKeyRequests) own.shift()
      else size += 1
      waiting.set(noted.api_key_id, own)
    }
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await writing
    await write()
  })
}

/** Returns undefined without a key. A session belongs to a visitor, not to the program of a key. */
function requestOf(
  { ids, clock }: Context,
  { actor, method, originalUrl }: FastifyRequest,
  { statusCode: status, problem, elapsedTime }: FastifyReply,
): KeyRequestsTable | undefined {
  const caller = actor as FastifyRequest['actor'] | undefined // absent before authentication
  if (caller?.type !== 'business' && caller?.type !== 'hub' && caller?.type !== 'publishable')
    return undefined
  const [path = ''] = originalUrl.split('?')
  return {
    api_key_id: caller.keyId,
    id: ids.next(),
    at: realClock(clock).now(),
    method,
    path: path.slice(0, maxPathLength),
    status,
    code: problem ?? null,
    milliseconds: Math.round(elapsedTime),
  }
}

import type { FastifyInstance } from 'fastify'
import { parse as parseSecurely } from 'secure-json-parse'
import { Problem } from '../base/errors.ts'
import { normalise } from '../base/normalise.ts'
import { EmptyObject } from '../base/wire.ts'

export const bodyLimitBytes = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Accepts only JSON bodies (RFC 8259, UTF-8), trims their strings and normalises them to NFC. An empty body counts as
 * absent.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined) request.body = {} // nothing was sent, not even an empty body
    done()
  })
  const options = { parseAs: 'buffer', bodyLimit: bodyLimitBytes } as const
  // callbacks, because a promise would cost every request another turn of the event loop
  app.addContentTypeParser('application/json', options, (_request, body: Buffer, done) => {
    settle(done, () => parseBody(body))
  })
  app.addContentTypeParser('*', options, (request, body: Buffer, done) => {
    settle(done, () => {
      if (body.length > 0 && !(request.routeOptions.schema?.body === EmptyObject && isEmptyObject(body))) {
        throw new Problem(
          'unsupported_media_type',
          'Send the body as JSON with "Content-Type: application/json".',
        )
      }
      return {}
    })
  })
}

/** Accepts `{}` under any content type for operations without a body, because HTTP clients send it. */
function isEmptyObject(body: Buffer): boolean {
  return body.length <= 64 && /^\s*\{\s*\}\s*$/.test(body.toString('latin1'))
}

function settle(done: (error: Error | null, body?: unknown) => void, read: () => unknown): void {
  let body: unknown
  try {
    body = read()
  } catch (error) {
    done(error instanceof Error ? error : new Error('unreadable body', { cause: error }))
    return
  }
  done(null, body)
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = parseSecurely(utf8.decode(bytes), { protoAction: 'error', constructorAction: 'error' })
  } catch {
    throw new Problem(
      'malformed_json',
      'The body is not valid JSON in UTF-8, or contains a key such as __proto__.',
    )
  }
  return normalise(value)
}

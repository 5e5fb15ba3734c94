import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse as parseSecurely } from 'secure-json-parse'
import { Problem } from '../errors.ts'

/** The largest body that is read, in bytes. */
export const bodyLimitBytes = 64 * 1024
const deepestNesting = 20

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * How bodies are read: JSON only (RFC 8259, UTF-8), in which strings are trimmed and NFC. An empty
 * body is an absent one. In a POST an optional null is the same as absent.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {} // nothing was sent, not even an empty body
    done()
  })
  const options = { parseAs: 'buffer', bodyLimit: bodyLimitBytes } as const
  // the callback interface: a promise would cost every request another turn of the event loop
  app.addContentTypeParser('application/json', options, (request, body: Buffer, done) => {
    settle(done, () => parseBody(request, body))
  })
  // operations without a body accept `{}` whatever it is called
  app.addContentTypeParser('*', options, (_request, body: Buffer, done) => {
    settle(done, () => {
      if (body.length > 0 && !/^\s*\{\s*\}\s*$/.test(body.toString('latin1', 0, 64))) {
        throw new Problem(
          'unsupported_media_type',
          'Send the body as JSON with "Content-Type: application/json".',
        )
      }
      return {}
    })
  })
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

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = parseSecurely(utf8.decode(bytes), { protoAction: 'error', constructorAction: 'error' })
  } catch {
    throw new Problem(
      'malformed_json',
      'The body is not valid JSON in UTF-8, or holds a key such as __proto__.',
    )
  }
  return normalise(value, { dropsNull: request.method === 'POST', depth: 0 })
}

function normalise(value: unknown, at: { dropsNull: boolean; depth: number }): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value.trim().normalize('NFC') : value
  if (typeof value !== 'object' || value === null) return value
  if (at.depth >= deepestNesting) {
    throw new Problem('malformed_json', `The body is nested deeper than ${deepestNesting} levels.`)
  }
  const inner = { ...at, depth: at.depth + 1 }
  if (Array.isArray(value)) return value.map((entry) => normalise(entry, inner))
  const kept = Object.entries(value).filter(([, member]) => !(at.dropsNull && member === null))
  return Object.fromEntries(kept.map(([name, member]) => [name, normalise(member, inner)]))
}

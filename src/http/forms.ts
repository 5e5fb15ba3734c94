import type { FastifyInstance } from 'fastify'
import { Problem } from '../base/errors.ts'

const defaultMaxBytes = 8_192

/**
 * Makes the routes of a scope accept only forms of web pages. Values are not trimmed, because one may be a password.
 */
export function readForms(scope: FastifyInstance, maxBytes = defaultMaxBytes): void {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: maxBytes } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body: Buffer, done) => {
    done(null, fieldsOf(body))
  })
  scope.addContentTypeParser('*', options, (_request, body: Buffer, done) => {
    if (body.length === 0) done(null, {})
    else done(new Problem('unsupported_media_type', 'Send the form as a browser does.'))
  })
}

/** Returns the values of a form by the names of its fields. */
export function fieldsOf(body: Buffer): Record<string, string> {
  const fields = [...new URLSearchParams(body.toString())].map(([name, value]) => [
    name,
    value.replaceAll('\r\n', '\n'), // browsers send CR LF between the lines of a text area (HTML, 4.10.22.4)
  ])
  return Object.fromEntries(fields) as Record<string, string>
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Media } from '../base/wire.ts'
import { sendConditional, tagged } from '../http/conditional.ts'
import { pageTag } from '../http/openapi.ts'

/** Spaces and line breaks without meaning. No text within our styles contains one. */
const needless = /(?<=[a-z]:) |(?<=,) | (?=\{)|(?<=[;{}])\n+/g

/** Returns the text of style sheets in this folder, one after the other, without comments and needless spaces. */
export function stylesOf(...files: string[]): string {
  return files
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\/|\n\s+/g, (found) => (found.startsWith('/') ? '' : '\n'))
    .replaceAll(needless, '')
}

/**
 * Registers a page's whole styles as one file. Each further file delays the first picture, because browsers draw
 * nothing before the last one has arrived.
 */
export function styleRoute(
  app: FastifyInstance,
  { url, operationId, summary, styles }: Record<'url' | 'operationId' | 'summary' | 'styles', string>,
): void {
  const { etag, body } = tagged(styles)
  const sent = body() // the same one each time, so it is compressed once
  const file = { etag, body: () => sent, type: 'text/css; charset=utf-8' }
  app.get(
    url,
    {
      config: { keptCompressed: true, isFile: true },
      schema: {
        operationId,
        tags: [pageTag],
        summary,
        description: 'The policy of the pages allows no styles within them.',
        response: {
          200: Media('text/css', 'The styles.'),
          304: Type.Null({ description: 'It has not changed.' }),
        },
      },
    },
    (request, reply) =>
      sendConditional(request, reply.header('x-content-type-options', 'nosniff'), file, 'public, no-cache'),
  )
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../../errors.ts'
import { Closed, Media } from '../../wire.ts'
import { WidgetFiles } from './widget-files.ts'

/** The one file whose name never changes, because websites have it in their pages. */
const entry = 'v1.js'

/** The script of the booking widget, and what it loads later (contract: Around the API). */
export function widgetRoutes(app: FastifyInstance): void {
  const files = new WidgetFiles()
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/widget/:file',
    {
      schema: {
        operationId: 'showWidgetFile',
        tags: ['Service'],
        summary: 'The booking widget for websites',
        description:
          '`/widget/v1.js` is the script that websites load. All other names hold the hash of their content and may be kept for ever.',
        params: Closed({ file: Type.String({ examples: [entry] }) }),
        response: {
          200: Media('text/javascript', 'The file.'),
          304: Type.Null({ description: 'It has not changed.' }),
        },
      },
    },
    async (request, reply) => {
      const name = request.params.file
      const file = await files.find(name, request.headers['accept-encoding'])
      if (!file) throw new Problem('not_found', missing(name))
      reply.headers({
        // a page must never run an old script with the new files beside it: the entry is asked for each time
        'cache-control': name === entry ? 'public, no-cache' : 'public, max-age=31536000, immutable',
        etag: file.etag,
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      })
      const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      if (known?.includes(file.etag)) return reply.code(304).send(null)
      if (file.encoding) void reply.header('content-encoding', file.encoding)
      return reply.type('text/javascript; charset=utf-8').send(file.body)
    },
  )
}

function missing(name: string): string {
  return name === entry
    ? 'The widget was not built: npm ci does so, or the start of a server.'
    : 'There is no such file of the widget.'
}

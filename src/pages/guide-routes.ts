import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../base/errors.ts'
import { html } from '../base/html.ts'
import { publicUrl } from '../base/public-url.ts'
import { Media, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { pageTag } from '../http/openapi.ts'
import { manualStyles, searchQuery, sendPage, withoutPreconditions } from './page.ts'

const tags = [pageTag]
const copyScript = html`<script type="module" src="/docs/reference.js"></script>`
const markdownType = 'text/markdown; charset=utf-8'

/** Registers the guides as pages, and what programs read to find them. */
export function guideRoutes(app: FastifyInstance, context: Context): void {
  indexRoute(app)
  guideRoute(app)
  imageRoute(app)
  textRoutes(app, context)
  catalogRoute(app, context)
}

function indexRoute(app: FastifyInstance): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/guides',
    {
      schema: {
        operationId: 'listGuides',
        tags,
        summary: 'All guides, or those that a search finds',
        querystring: searchQuery,
        response: { 200: Media('text/html', 'The page.') },
      },
    },
    async (request, reply) => {
      const { guideIndex } = await import('./guides.ts')
      const main = guideIndex(request.query.q?.trim() ?? '')
      return sendPage(reply, { title: 'Guides – Holdfast', main, styles: manualStyles, searches: true })
    },
  )
}

function guideRoute(app: FastifyInstance): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/guides/:name',
    {
      config: { keptCompressed: true },
      schema: {
        operationId: 'showGuide',
        tags,
        summary: 'A guide',
        description: 'With `.md`, as Markdown.',
        params: StrictObject({ name: Type.String({ examples: ['webhooks'] }) }),
        response: { 200: Media('*/*', 'The guide.') },
      },
    },
    async (request, reply) => {
      const { guideNamed, guidePage } = await import('./guides.ts')
      const { name } = request.params
      const guide = guideNamed(name.replace(/\.md$/, ''))
      if (!guide)
        throw new Problem('not_found', 'There is no guide with this name. All guides are at /guides.')
      if (!name.endsWith('.md')) {
        const title = `${guide.title} – Holdfast`
        return sendPage(reply, {
          title,
          main: guidePage(guide),
          more: copyScript,
          styles: manualStyles,
          searches: true,
        })
      }
      return reply.type(markdownType).header('cache-control', 'no-cache').send(guide.markdown)
    },
  )
}

function imageRoute(app: FastifyInstance): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/guides/images/:file',
    {
      schema: {
        operationId: 'showGuideImage',
        tags,
        summary: 'A picture of a guide',
        params: StrictObject({ file: Type.String({ examples: ['manage-link.png'] }) }),
        response: {
          200: Media('image/png', 'The picture.'),
          304: Type.Null({ description: 'It has not changed.' }),
        },
      },
    },
    async (request, reply) => {
      const { guideImages, imageFolder } = await import('./guides.ts')
      const { file } = request.params
      if (!guideImages().includes(file)) throw new Problem('not_found', 'There is no such picture.')
      withoutPreconditions(request)
      return reply.header('x-content-type-options', 'nosniff').sendFile(file, imageFolder)
    },
  )
}

function textRoutes(app: FastifyInstance, { config }: Context): void {
  const texts = {
    '/llms.txt': {
      operationId: 'showLlmsText',
      summary: 'The documentation for language models: what there is',
      read: async () => (await import('./guides.ts')).llmsText(publicUrl(config)),
    },
    '/llms-full.txt': {
      operationId: 'showLlmsFullText',
      summary: 'The documentation for language models: all guides in one text',
      read: async () => (await import('./guides.ts')).allGuidesText(),
    },
  }
  for (const [url, { operationId, summary, read }] of Object.entries(texts)) {
    app.get(
      url,
      {
        config: { keptCompressed: true },
        schema: { operationId, tags, summary, response: { 200: Media('text/markdown', 'The text.') } },
      },
      async (_request, reply) =>
        reply
          .type(markdownType)
          .header('cache-control', 'no-cache')
          .send(await read()),
    )
  }
}

/** Links of a catalogue (RFC 9264), which programs use to find the API. */
function catalogRoute(app: FastifyInstance, { config }: Context): void {
  app.get(
    '/.well-known/api-catalog',
    {
      schema: {
        operationId: 'showApiCatalog',
        tags,
        summary: 'Where the API, its document and its guides are',
        description: 'A link set (RFC 9727).',
        response: {
          200: Media(
            'application/linkset+json',
            'The links.',
            Type.Object({ linkset: Type.Array(Type.Object({})) }),
          ),
        },
      },
    },
    (_request, reply) => {
      const server = publicUrl(config)
      const links = {
        anchor: `${server}/api/v1`,
        'service-desc': [{ href: `${server}/openapi.json`, type: 'application/json' }],
        'service-doc': [
          { href: `${server}/docs`, type: 'text/html' },
          { href: `${server}/guides`, type: 'text/html' },
          { href: `${server}/llms.txt`, type: 'text/markdown' },
        ],
        status: [{ href: `${server}/readyz`, type: 'application/json' }],
      }
      return reply
        .type('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
        .header('cache-control', 'no-cache')
        .send(JSON.stringify({ linkset: [links] }))
    },
  )
}

import { pageTag } from '../http/openapi.ts'
import fastifyStatic from '@fastify/static'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Problem, type ProblemCode, problemKinds } from '../base/errors.ts'
import { html, type Html } from '../base/html.ts'
import { codesOfOperations } from '../http/openapi.ts'
import { StrictObject, Media } from '../base/wire.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import {
  manualStyles,
  problemCode,
  problemIndex,
  problemPage,
  type ProblemSource,
  searchQuery,
  sendPage,
  unknownProblemPage,
  withoutPreconditions,
} from './page.ts'
import { styleRoute, stylesOf } from './style-routes.ts'
import { type DescribedApi, postmanCollection } from './postman-collection.ts'
import type { ReferenceDocument } from './reference-page.ts'
import { firstPageKey } from './start-page-routes.ts'

const ownFiles = import.meta.dirname

/** Files of this folder served at /docs/…. */
const files = [
  'page.css',
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-apple.png',
  'icon-maskable.png',
  'booking-card.png',
  'booking-frame.js',
  'checkout.js',
  'console-app.js',
  'console-link.js',
  'console-passkey.js',
  'console-picture.js',
  'console.js',
  'embed.js',
  'reference.js',
  'salon-spree.png',
]

const tags = [pageTag]
const pageMedia = 'text/html'

/** Registers the API reference and a page for each problem code. */
export function pageRoutes(app: FastifyInstance, context: Context): void {
  void app.register(fastifyStatic, { root: ownFiles, serve: false, acceptRanges: false })
  documentRoute(app)
  collectionRoute(app, context)
  referenceRoutes(app, context)
  styleRoute(app, {
    url: '/docs/console.css',
    operationId: 'showConsoleStyles',
    summary: 'The styles of the console, without those of its calendar',
    styles: stylesOf('console.css', 'page.css'),
  })
  styleRoute(app, {
    url: manualStyles,
    operationId: 'showManualStyles',
    summary: 'The styles of guides and API reference',
    styles: stylesOf('page.css', 'manual.css'),
  })
  problemRoutes(app)
}

function documentRoute(app: FastifyInstance): void {
  let text: string | undefined
  app.get(
    '/openapi.json',
    {
      config: { keptCompressed: true },
      schema: {
        operationId: 'showOpenApi',
        tags: ['Service'],
        summary: 'This document',
        description: 'OpenAPI 3.1, made from the schemas that validate.',
        response: { 200: Media('application/json', 'The document.', Type.Object({})) },
      },
    },
    async (_request, reply) => {
      text ??= JSON.stringify(await app.openApi())
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text)
    },
  )
}

function collectionRoute(app: FastifyInstance, context: Context): void {
  app.get(
    '/postman.json',
    {
      schema: {
        operationId: 'showPostmanCollection',
        tags: ['Service'],
        summary: 'The API as a collection of requests',
        description:
          'For Postman, Bruno and others that import a Postman collection 2.1. Its first folder books.',
        response: { 200: Media('application/json', 'The collection.', Type.Object({})) },
      },
    },
    async (_request, reply) => {
      const collection = postmanCollection((await app.openApi()) as DescribedApi, publicUrl(context.config))
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(JSON.stringify(collection))
    },
  )
}

function referenceRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  let whole: Html | undefined
  const sendReference = async (reply: FastifyReply, query = '') => {
    const { referencePage } = await import('./reference-page.ts') // loaded late, because few people request it
    const document = (await app.openApi()) as ReferenceDocument // our own, whatever its static type
    const main = query === '' ? (whole ??= referencePage(document)) : referencePage(document, query)
    const key = query === '' ? await firstPageKey(context) : undefined
    const more = html`${key === undefined ? '' : html`<meta name="holdfast-key" content="${key}" />`}
      <script type="module" src="/docs/reference.js"></script>`
    return sendPage(reply, {
      title: 'Holdfast API',
      main,
      styles: manualStyles,
      searches: true,
      ...(query === '' && { more }),
    })
  }
  routes.get(
    '/docs',
    {
      config: { keptCompressed: true },
      schema: {
        operationId: 'showReference',
        tags,
        summary: 'The API reference for people',
        description:
          'Works without a connection to the internet. With `q`, the operations that a search finds.',
        querystring: searchQuery,
        response: { 200: Media(pageMedia, 'The page.') },
      },
    },
    (request, reply) => sendReference(reply, request.query.q?.trim()),
  )
  routes.get(
    '/docs/:file',
    {
      schema: {
        operationId: 'showReferenceFile',
        tags,
        summary: 'A file that the pages load',
        description: 'Their styles and scripts.',
        params: StrictObject({ file: Type.String({ examples: ['page.css'] }) }),
        response: {
          200: Media('*/*', 'The file.'),
          304: Type.Null({ description: 'It has not changed.' }),
        },
      },
    },
    (request, reply) => {
      const { file } = request.params
      if (file === '') return sendReference(reply) // the path `/docs/`
      if (!files.includes(file)) throw new Problem('not_found', 'There is no such file.')
      withoutPreconditions(request)
      return reply.header('x-content-type-options', 'nosniff').sendFile(file)
    },
  )
}

function problemRoutes(app: FastifyInstance): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/problems',
    {
      schema: {
        operationId: 'listProblems',
        tags,
        summary: 'Every problem code, for people',
        description: 'By status.',
        response: { 200: Media(pageMedia, 'The page.') },
      },
    },
    (_request, reply) => sendPage(reply, { title: 'Problems – Holdfast', main: problemIndex() }),
  )
  routes.get(
    '/problems/:code',
    {
      schema: {
        operationId: 'showProblem',
        tags,
        summary: 'What a problem code means, for people',
        description: 'The `type` of each problem document leads here: what happened, what to do, an example.',
        params: StrictObject({ code: Type.String({ examples: ['slot_held'] }) }),
        response: {
          200: Media(pageMedia, 'The page.'),
          404: Media(pageMedia, 'There is no such code.'),
        },
      },
    },
    async (request, reply) => {
      const code = problemCode(request.params.code)
      if (code === undefined) {
        const main = unknownProblemPage(request.params.code)
        return sendPage(reply.code(404), { title: 'No such problem – Holdfast', main })
      }
      const main = problemPage(code, await sourcesOf(app, code))
      return sendPage(reply, { title: `${problemKinds[code].title} – Holdfast`, main })
    },
  )
}

/** Returns the operations that can return a code. Empty if all of them can, because a list would not help. */
async function sourcesOf(app: FastifyInstance, code: ProblemCode): Promise<ProblemSource[]> {
  const operations = (await codesOfOperations(app)).filter(({ needsKey }) => needsKey)
  const sources = operations.filter(({ codes }) => codes.includes(code))
  if (sources.length === operations.length) return []
  return sources.map(({ summary, operationId }) => ({ summary, address: `/docs#${operationId}` }))
}

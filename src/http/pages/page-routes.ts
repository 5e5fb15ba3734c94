import fastifyStatic from '@fastify/static'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Type } from 'typebox'
import { Problem, problemKinds, type ProblemCode } from '../../errors.ts'
import { Closed, Media, Nothing } from '../../wire.ts'
import { codesOfOperations } from '../openapi.ts'
import { sendPage } from './page.ts'
import { problemCode, problemIndex, problemPage, unknownProblemPage, type Giver } from './problem-pages.ts'
import { referenceHead, referencePage } from './reference-page.ts'

const ownFiles = import.meta.dirname
const swaggerFiles = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** What /docs/… serves, and where it lies. */
const files = new Map([
  ['page.css', ownFiles],
  ['docs.js', ownFiles],
  ['icon.svg', ownFiles],
  ['booking-page.css', ownFiles],
  ['booking-card.png', ownFiles],
  ['checkout.js', ownFiles],
  ['salon-spree.png', ownFiles],
  ['swagger-ui.css', swaggerFiles],
  ['swagger-ui-bundle.js', swaggerFiles],
])

const tags = ['Service']
const pageMedia = 'text/html'

/** The API reference and a page for each problem code (contract: Around the API). */
export function pageRoutes(app: FastifyInstance): void {
  void app.register(fastifyStatic, { root: ownFiles, serve: false, acceptRanges: false })
  documentRoute(app)
  referenceRoutes(app)
  problemRoutes(app)
}

function documentRoute(app: FastifyInstance): void {
  let text: string | undefined
  app.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'showOpenApi',
        tags,
        summary: 'This document',
        description: 'OpenAPI 3.1, made from the schemas that validate and serialise.',
        querystring: Nothing,
        response: { 200: Media('application/json', 'The document.', Type.Object({})) },
      },
    },
    (_request, reply) => {
      text ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text)
    },
  )
}

function referenceRoutes(app: FastifyInstance): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/docs',
    {
      schema: {
        operationId: 'showReference',
        tags,
        summary: 'The API reference for people',
        description: 'Works without a connection to the internet.',
        querystring: Nothing,
        response: { 200: Media(pageMedia, 'The page.') },
      },
    },
    (_request, reply) => sendPage(reply, { title: 'Holdfast API', main: referencePage, more: referenceHead }),
  )
  routes.get(
    '/docs/:file',
    {
      schema: {
        operationId: 'showReferenceFile',
        tags,
        summary: 'A file that the pages load',
        description: 'Their styles and scripts.',
        params: Closed({ file: Type.String({ examples: ['page.css'] }) }),
        querystring: Nothing,
        response: {
          200: Media('*/*', 'The file.'),
          304: Type.Null({ description: 'It has not changed.' }),
        },
      },
    },
    (request, reply) => {
      const root = files.get(request.params.file)
      if (root === undefined) throw new Problem('not_found', 'There is no such file.')
      // a file is sent whole or is unchanged: conditions for those who edit it would otherwise fail without a problem code
      delete request.raw.headers['if-match']
      delete request.raw.headers['if-unmodified-since']
      return reply.header('x-content-type-options', 'nosniff').sendFile(request.params.file, root)
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
        querystring: Nothing,
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
        params: Closed({ code: Type.String({ examples: ['slot_held'] }) }),
        querystring: Nothing,
        response: {
          200: Media(pageMedia, 'The page.'),
          404: Media(pageMedia, 'There is no such code.'),
        },
      },
    },
    (request, reply) => {
      const code = problemCode(request.params.code)
      if (code === undefined) {
        const main = unknownProblemPage(request.params.code)
        return sendPage(reply.code(404), { title: 'No such problem – Holdfast', main })
      }
      const main = problemPage(code, giversOf(app, code))
      return sendPage(reply, { title: `${problemKinds[code].title} – Holdfast`, main })
    },
  )
}

/** The operations of the API that can answer with a code; what all of it can give would be no help. */
function giversOf(app: FastifyInstance, code: ProblemCode): Giver[] {
  const operations = codesOfOperations(app).filter(({ needsKey }) => needsKey)
  const givers = operations.filter(({ codes }) => codes.includes(code))
  if (givers.length === operations.length) return []
  return givers.map(({ summary, tag, operationId }) => ({
    summary,
    address: `/docs#/${encodeURIComponent(tag)}/${operationId}`,
  }))
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { countWithin } from '../access/authentication-hook.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { Unchanged } from '../availability/availability-schemas.ts'
import { readClientAddress } from '../base/client-network.ts'
import { exampleIds } from '../base/examples.ts'
import type { Context } from '../bookings/context.ts'
import { knownTags, sendNotModified } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
import { EmptyObject, Media, PathId, problems, StrictObject } from '../base/wire.ts'
import { CreateFeed, FeedPage, FeedsQuery, FeedWithUrl } from './feed-schemas.ts'
import { createFeed, deleteFeed, listFeeds, presentNewFeed, readFeed, rotateFeed } from './feed.ts'

const config = { access: ['business', 'hub'], people: 'manager' } as const
const params = StrictObject({ id: PathId('feed', exampleIds.feed) })
const tags = ['Calendars']

/** Registers the API routes that manage feeds. */
export function feedRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.post(
    '/feeds',
    {
      config,
      schema: {
        operationId: 'createFeed',
        tags,
        summary: 'Make a feed',
        description:
          'For calendar programs: the bookings of a staff member, a location or the whole business, from 30 days ago to a year ahead. The response shows its secret address, once. A business can have 20 feeds.',
        querystring: EmptyObject,
        body: CreateFeed,
        response: { 201: FeedWithUrl, ...problems('calendar_limit_reached') },
      },
    },
    async (request, reply) => {
      const created = await createFeed(context, request.actor, request.body)
      return reply.code(201).send(presentNewFeed(created))
    },
  )

  routes.get(
    '/feeds',
    {
      config,
      schema: {
        operationId: 'listFeeds',
        tags,
        summary: 'List feeds',
        description: 'The newest first, a page at a time, without their addresses.',
        querystring: FeedsQuery,
        response: { 200: FeedPage },
      },
    },
    (request) => listFeeds(context, request.actor, request.query),
  )

  routes.post(
    '/feeds/:id/rotate',
    {
      config,
      schema: {
        operationId: 'rotateFeed',
        tags,
        summary: 'Give a feed a new address',
        description: 'The one before answers 404 at once. The response shows the new one, once.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 200: FeedWithUrl },
      },
    },
    async (request) => presentNewFeed(await rotateFeed(context, request.actor, request.params.id)),
  )

  routes.delete(
    '/feeds/:id',
    {
      config,
      schema: {
        operationId: 'deleteFeed',
        tags,
        summary: 'Delete a feed',
        description: 'Its address answers 404 at once.',
        params,
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    async (request, reply) => {
      await deleteFeed(context, request.actor, request.params.id)
      return reply.code(204).send(null)
    },
  )
}

/** Registers the routes that calendar programs read. */
export function feedFileRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    app.withTypeProvider<TypeBoxTypeProvider>().get(
      '/feeds/:file',
      {
        schema: {
          operationId: 'readFeed',
          tags,
          summary: 'Read a feed',
          description:
            'For calendar programs (iCalendar, RFC 5545). Who knows the address needs no key. Send the `ETag` back as `If-None-Match` to poll cheaply. 600 a minute for each address, counted apart. Those of one business are read one at a time; beyond a short queue they answer 503.',
          params: StrictObject({
            file: Type.String({ description: 'The secret of the feed, and `.ics`.' }),
          }),
          response: {
            200: Media('text/calendar', 'The bookings, times in UTC.'),
            304: Unchanged,
            ...problems('not_found', 'rate_limited', 'unavailable'),
          },
        },
      },
      async (request, reply) => {
        const client = readClientAddress(request.ip)
        await countWithin(limiter, reply, quotasOfLook('feed', client, context.config.rateLimitFactor))
        const { file } = request.params
        const secret = file.endsWith('.ics') ? file.slice(0, -'.ics'.length) : ''
        const asked = { knows: knownTags(request), isGone: goneClient(request) }
        const { tag, text } = await readFeed(context, secret, asked)
        void reply.headers({
          etag: `"${tag}"`,
          'cache-control': 'private, no-cache',
          'x-robots-tag': 'noindex',
        })
        if (text === undefined) return sendNotModified(reply)
        return reply
          .header('content-disposition', 'inline; filename="bookings.ics"')
          .type('text/calendar; charset=utf-8')
          .send(text)
      },
    )
  }
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { assertMayCall } from '../access/actor.ts'
import { countWithin, isOwnPage } from '../access/authentication-hook.ts'
import { publishableCaller } from '../access/key.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { Unchanged } from '../availability/availability-schemas.ts'
import { readClientAddress } from '../base/client-network.ts'
import { Problem } from '../base/errors.ts'
import { ownOrigins } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { sendConditional } from '../http/conditional.ts'
import { goneClient } from '../http/gone-client.ts'
import { problems, StrictObject } from '../base/wire.ts'
import { BookingStart, bookingStart, StartQuery } from './booking-start.ts'

/**
 * Registers the route with the initial data of booking pages and the widget, in one response and without a
 * session.
 */
export function bookingStartRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    app.withTypeProvider<TypeBoxTypeProvider>().get(
      '/book/:publishable_key/start',
      {
        schema: {
          operationId: 'showBookingStart',
          tags: ['Sessions'],
          summary: 'What a booking page begins with',
          description:
            'The services, locations and people that a session of this key would see, the brand, and the first times of the service that the page shows: in one answer, up to five seconds old, without a session. 600 a minute for each address, counted apart. Only websites that may use the key get it. A service, location or person that cannot be booked with the key, or not together, is `not_found`: ask again without it, as the booking page does.',
          params: StrictObject({
            publishable_key: Type.String({ examples: ['cal_pub_ThisIsAnExampleAndOpensNothing00000000'] }),
          }),
          querystring: StartQuery,
          response: {
            200: BookingStart,
            304: Unchanged,
            ...problems('not_found', 'origin_not_allowed', 'rate_limited', 'validation_failed'),
          },
        },
      },
      async (request, reply) => {
        const client = readClientAddress(request.ip)
        await countWithin(limiter, reply, quotasOfLook('start', client, context.config.rateLimitFactor))
        const key = await publishableCaller(context, request.params.publishable_key)
        if (!key) throw new Problem('not_found', 'There is no booking page with this key.')
        const origin = isOwnPage(request, ours) ? undefined : request.headers.origin
        assertMayCall(key, { access: ['publishable'] }, origin)
        const start = await bookingStart(context, key, request.query, goneClient(request))
        return sendConditional(request, reply.header('vary', 'Origin'), start, 'private, max-age=5')
      },
    )
  }
}

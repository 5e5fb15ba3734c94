import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findBusinessOfKey } from '../../access/find-business-of-key.ts'
import { webOrigin } from '../../contact-formats.ts'
import type { Context } from '../../context.ts'
import { publicAddress } from '../../public-address.ts'
import { Closed, Media } from '../../wire.ts'
import { bookingPage, noBookingPage, pageLanguage } from './booking-page.ts'
import { contentSecurityPolicy } from './page.ts'

/** The hosted booking page of a business (contract: Around the API). */
export function bookingPageRoutes(app: FastifyInstance, context: Context): void {
  const server = publicAddress(context.config)
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/book/:publishable_key',
    {
      schema: {
        operationId: 'showBookingPage',
        tags: ['Service'],
        summary: 'The booking page of a business, for people',
        description: 'The widget on a page of its own: for a link in an e-mail or a profile.',
        params: Closed({
          publishable_key: Type.String({ examples: ['cal_pub_ThisIsAnExampleAndOpensNothing00000000'] }),
        }),
        response: {
          200: Media('text/html', 'The page.'),
          404: Media('text/html', 'No business has this key.'),
        },
      },
    },
    async (request, reply) => {
      const publishableKey = request.params.publishable_key
      const language = pageLanguage(request.headers['accept-language'])
      const business = await findBusinessOfKey(context, publishableKey)
      reply.headers({
        // the logo of a brand is the one thing that may come from elsewhere
        'content-security-policy': contentSecurityPolicy(false, webOrigin(business?.brand_logo_url ?? '')),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        vary: 'Accept-Language',
      })
      void reply.type('text/html; charset=utf-8')
      if (!business) return reply.code(404).send(noBookingPage().text)
      return reply.send(bookingPage({ business, publishableKey, language, server }).text)
    },
  )
}

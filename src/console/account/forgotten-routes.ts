import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { originOf } from '../../access/log-in-cookie.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { ownFormsOnly } from '../../access/own-forms-hook.ts'
import { ownOrigins } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { StrictObject } from '../../base/wire.ts'
import { wishForPassword } from '../../mails/link-mail.ts'
import { mailRoute } from '../../mails/mail-route.ts'
import { mailFolder } from '../../mails/send.ts'
import { formMedia, page, refusedForms, tags } from '../frame/console-route.ts'
import { sendForgotten, sendForgottenWithoutMail, sendLogIn, sendMailOnItsWay } from '../frame/gate-page.ts'
import { languageOf, textsOf } from '../frame/texts.ts'
import { limited, tooOftenText } from './log-in-routes.ts'

const path = '/console/forgotten'

/** Registers the pages for a forgotten password, which email a link if email is configured. */
export function forgottenRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const ours = ownOrigins(context.config)
    const hasMail = mailRoute(context.config) !== 'off'
    const isClosed = context.config.oidcOnly
    const closed = (request: FastifyRequest) => ({
      next: '/console',
      message: textsOf(request).gate.oidcOnly,
    })
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours)
      const routes = scope.withTypeProvider<TypeBoxTypeProvider>()
      routes.get(
        path,
        {
          schema: {
            operationId: 'showForgottenPassword',
            tags,
            summary: 'The page for who has forgotten their password',
            description: 'Asks for the e-mail; without mail on this server it says whom to ask.',
            response: { 200: page },
          },
        },
        (request, reply) =>
          isClosed
            ? sendLogIn(context, reply, closed(request))
            : hasMail
              ? sendForgotten(context, reply)
              : sendForgottenWithoutMail(reply),
      )
      routes.post(
        path,
        {
          schema: {
            operationId: 'wishForPassword',
            tags,
            summary: 'Have a link for a new password mailed',
            description:
              'The answer is the same whether anybody has the e-mail. A new link ends older ones. At most three an hour for one person.',
            consumes: formMedia,
            body: StrictObject({ email: Type.String({ maxLength: 254 }) }),
            response: { 200: page, 429: page, ...refusedForms },
          },
        },
        async (request, reply) => {
          if (isClosed) return sendLogIn(context, reply, closed(request))
          if (!hasMail) return sendForgottenWithoutMail(reply)
          const { email } = request.body
          const { texts, locale } = languageOf(request)
          const asked = { email, locale, origin: originOf(request) }
          const refused = await wishForPassword(context, limiter, asked)
          if (!refused) return sendMailOnItsWay(reply, mailFolder(context.config))
          const message = tooOftenText(texts.gate, limited(reply, refused.retryAfterSeconds))
          return sendForgotten(context, reply.code(429), { email, message })
        },
      )
      done()
    })
  }
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { exampleIds } from '../base/examples.ts'
import { EmptyObject, PathId, StrictObject } from '../base/wire.ts'
import type { Context } from './context.ts'
import { Mail, MailPage, MailsQuery } from './mail-schemas.ts'
import { listMails, retryMail } from './mail.ts'

const keys = ['business', 'hub'] as const
const tags = ['Mails']

export function mailRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get(
    '/mails',
    {
      config: { access: keys, people: 'front_desk' },
      schema: {
        operationId: 'listMails',
        tags,
        summary: 'List emails',
        description:
          'Emails about bookings, links for people who log in, and notices about busy calendars, the newest first. They are kept for 31 days.',
        querystring: MailsQuery,
        response: { 200: MailPage },
      },
    },
    (request) => listMails(context, request.actor, request.query),
  )

  routes.post(
    '/mails/:id/retry',
    {
      config: { access: keys, people: 'front_desk' },
      schema: {
        operationId: 'retryMail',
        tags,
        summary: 'Send a failed email again',
        description:
          'An email that waits for its next attempt is sent at once. Sent emails and those with an expired link stay unchanged.',
        params: StrictObject({ id: PathId('mail', exampleIds.mail) }),
        querystring: EmptyObject,
        body: EmptyObject,
        response: { 202: Mail },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await retryMail(context, request.actor, request.params.id)),
  )
}

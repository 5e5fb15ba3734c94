import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Problem } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import { EmptyObject, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { manageUrlOfCode } from '../bookings/manage.ts'
import { fieldsOf } from '../http/forms.ts'
import { pageTag } from '../http/openapi.ts'
import { noteReport } from '../mails/text-report.ts'
import { TextSender } from '../mails/text-sender.ts'

const maxBodyBytes = 16 * 1024

/** Registers the short links of text messages, and the callbacks of their provider. */
export function textRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/m/:code',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'followShortLink',
        tags: [pageTag],
        summary: 'The short link of a text message',
        description: 'Leads to the page on which a client manages the booking.',
        params: StrictObject({ code: Type.String({ description: 'From a text message.' }) }),
        querystring: EmptyObject,
        response: { 303: Type.Null({ description: 'The page.' }), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const url = await manageUrlOfCode(context, request.params.code)
      if (url === undefined) throw new Problem('not_found', 'There is nothing at this address.')
      return reply
        .headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
        .redirect(url, 303)
    },
  )
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const parts = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const
    scope.addContentTypeParser('*', parts, ({ headers }, body: Buffer, parsed) => {
      parsed(null, fieldsIn(body, headers['content-type'] ?? ''))
    })
    scope.post<{ Body: Record<string, string> | null }>(
      '/texts/callback',
      {
        bodyLimit: maxBodyBytes,
        schema: {
          operationId: 'receiveTextReport',
          tags: ['Service'],
          summary: 'Receive a report about a text message',
          description:
            'Only for the provider of `SMS_URL`: deliveries, and answers such as STOP. Twilio and Vonage sign it; a gateway of the operator sends the user and password of `SMS_URL`.',
          response: { 204: Type.Null(), ...problems('not_found', 'invalid_signature') },
        },
      },
      async (request, reply) => {
        const { smsUrl } = context.config
        if (smsUrl === '') throw new Problem('not_found', 'This server sends no text messages.')
        const report = new TextSender(smsUrl).report({
          url: `${publicUrl(context.config)}${request.url}`,
          headers: request.headers,
          fields: request.body ?? {},
        })
        if (!report) throw new Problem('invalid_signature', 'The signature is not that of the provider.')
        await noteReport(context, report)
        return reply.code(204).send()
      },
    )
    done()
  })
}

/** Returns the plain members of a form, or of a JSON object. */
function fieldsIn(body: Buffer, mediaType: string): Record<string, string> {
  if (!mediaType.startsWith('application/json')) return fieldsOf(body)
  try {
    const members: unknown = JSON.parse(body.toString())
    const entries = typeof members === 'object' && members !== null ? Object.entries(members) : []
    const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
    return Object.fromEntries(
      entries.filter(([, value]) => isPlain(value)).map(([name, value]) => [name, String(value)]),
    )
  } catch {
    return {}
  }
}

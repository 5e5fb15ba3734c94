import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { countWithin } from '../access/authentication-hook.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { readClientAddress } from '../base/client-network.ts'
import { exampleIds } from '../base/examples.ts'
import { isUuid } from '../base/ids.ts'
import { EmptyObject, Media, PathId, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { pushPath, receivePush } from './calendar-channels.ts'
import { fieldsIn, listIn, textIn } from './json-answers.ts'

/** In bytes. A report has some hundred, and Microsoft sends several at once. */
const bodyLimit = 256 * 1024
/** Reports of one request that are read. */
const maxReports = 200
const tags = ['Service']
const Received = Type.Null({ description: 'Received. Unknown and false reports get the same answer.' })

/** Registers the addresses to which Google and Microsoft report changes of calendars. */
export function calendarPushRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    void app.register((scope, _options, done) => {
      // Google sends no body, and everybody may send anything
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, parsed) => {
        parsed(null, body)
      })
      addGoogle(scope, context, limiter)
      addMicrosoft(scope, context, limiter)
      done()
    })
  }
}

/** Counts a false report, or the request of an echo, by its address. Throws rate_limited. */
async function countStranger(
  { config }: Context,
  limiter: RateLimiter,
  [request, reply]: [FastifyRequest, FastifyReply],
): Promise<void> {
  const client = readClientAddress(request.ip)
  await countWithin(limiter, reply, quotasOfLook('push', client, config.rateLimitFactor))
}

function addGoogle(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.post(
    `${pushPath}/google`,
    {
      bodyLimit,
      schema: {
        operationId: 'receiveGooglePush',
        tags,
        summary: 'Receive a report of Google Calendar',
        description:
          'Only for Google. The headers name a channel and its token. The calendar is read at once. False reports count, 600 a minute for each address.',
        querystring: EmptyObject,
        response: { 204: Received, ...problems('rate_limited', 'payload_too_large') },
      },
    },
    async (request, reply) => {
      const header = (name: string) => String(request.headers[name] ?? '')
      const [channel, token] = [header('x-goog-channel-id').toLowerCase(), header('x-goog-channel-token')]
      // the first message of a channel reports no change
      const isKnown = isUuid(channel) && (await receivePush(context, { channel, token }))
      if (!isKnown) await countStranger(context, limiter, [request, reply])
      return reply.code(204).send(null)
    },
  )
}

const lifecycle: Record<string, 'missed' | 'ending' | 'gone'> = {
  missed: 'missed',
  reauthorizationRequired: 'ending',
  subscriptionRemoved: 'gone',
}

function addMicrosoft(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  app.post<{ Params: { channel: string }; Querystring: { validationToken?: string } }>(
    `${pushPath}/microsoft/:channel`,
    {
      bodyLimit,
      schema: {
        operationId: 'receiveMicrosoftPush',
        tags,
        summary: 'Receive reports of Microsoft Graph',
        description:
          'Only for Microsoft. Echoes `validationToken`. Else the body has reports with a `clientState`, also about the subscription (`lifecycleEvent`). The calendar is read at once. Echoes and false reports count, 600 a minute for each address.',
        params: StrictObject({ channel: PathId('channel', exampleIds.calendarAccount) }),
        querystring: StrictObject({ validationToken: Type.Optional(Type.String({ maxLength: 4_000 })) }),
        response: {
          200: Media('text/plain', 'The token.'),
          204: Received,
          ...problems('rate_limited', 'payload_too_large'),
        },
      },
    },
    async (request, reply) => {
      const { validationToken } = request.query
      if (validationToken !== undefined) {
        await countStranger(context, limiter, [request, reply])
        return reply
          .header('x-content-type-options', 'nosniff')
          .type('text/plain; charset=utf-8')
          .send(validationToken)
      }
      const channel = request.params.channel.toLowerCase()
      const reports = isUuid(channel) ? reportsIn(request.body) : []
      let isKnown = reports.length > 0
      for (const report of reports) {
        const event = lifecycle[textIn(report, 'lifecycleEvent') ?? '']
        const push = { channel, token: textIn(report, 'clientState') ?? '', ...(event && { event }) }
        isKnown = (await receivePush(context, push)) && isKnown
      }
      if (!isKnown) await countStranger(context, limiter, [request, reply])
      return reply.code(204).send(null)
    },
  )
}

/** Returns the different reports of a body. */
function reportsIn(body: unknown): ReturnType<typeof listIn> {
  try {
    const reports = listIn(fieldsIn(JSON.parse(String(body))), 'value').slice(0, maxReports)
    const kinds = reports.map((one) => [
      `${textIn(one, 'clientState')} ${textIn(one, 'lifecycleEvent')}`,
      one,
    ])
    return [...new Map(kinds as [string, (typeof reports)[number]][]).values()]
  } catch {
    return []
  }
}

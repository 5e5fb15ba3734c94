import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { countTrial } from '../../access/counted-requests.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { finishGrant, returnPath, startGrant } from '../../calendars/calendar-connection.ts'
import { FetchFailed, faultOf } from '../../calendars/calendar-http.ts'
import { told } from '../../calendars/fetch-problems.ts'
import { type ProviderName, providerNames } from '../../calendars/providers.ts'
import { seeOther } from '../../pages/page.ts'
import {
  businessOf,
  type ConsoleVisit,
  findReader,
  findVisit,
  pathOf,
  sendConsolePage,
} from '../frame/console-page.ts'
import { notFound, page, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import {
  type AccountParts,
  accountsPath,
  backLink,
  calendarsPath,
  faultText,
  limitWords,
} from './calendar-parts.ts'

/*
 * Grants at Google and Microsoft. The way there is a link, because browsers let no form of these pages lead to another
 * site (`form-action`).
 */

/** Registers the pages that lead to a provider and back. */
export function grantRoutes(app: FastifyInstance, context: Context, parts: AccountParts): void {
  for (const kind of providerNames) {
    addStart(app, context, kind)
    addReturn(app, context, { ...parts, kind })
  }
}

const Name: Record<ProviderName, string> = { google: 'Google', microsoft: 'Microsoft' }
const Elsewhere = Type.Optional(Type.String({ maxLength: 500 }))

function addStart(app: FastifyInstance, context: Context, kind: ProviderName): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${returnPath(kind)}/start`,
    {
      schema: {
        operationId: `show${Name[kind]}Grant`,
        tags,
        summary: `Go to ${Name[kind]} to connect a calendar account, for people`,
        description: 'Of the role staff for their own calendar, of managers for everybody.',
        querystring: StrictObject({ business: Elsewhere, staff: Elsewhere }),
        response: {
          200: page,
          303: Type.Null({ description: `To ${Name[kind]}.` }),
          ...{ 404: page, 409: page },
        },
      },
    },
    async (request, reply) => {
      const found = await findReader(context, request, request.query.business)
      if (!found) return sendLogIn(context, reply, { next: request.url })
      const { visit, elsewhere } = found
      const { staff = '' } = request.query
      if (elsewhere || !visit.business) return sendConsolePage(reply.code(404), { visit, ...notFound(visit) })
      try {
        const actor = { ...visit.person, scope: { businessId: visit.business.id } }
        const address = await startGrant(context, actor, {
          kind,
          staff_id: staff.toLowerCase(),
        })
        return await seeOther(reply, address)
      } catch (error) {
        return sendRefusal(reply, visit, error)
      }
    },
  )
}

function addReturn(
  app: FastifyInstance,
  context: Context,
  { reader, limiter, kind }: AccountParts & { kind: ProviderName },
): void {
  const Text = Type.Optional(Type.String({ maxLength: 4_000 }))
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    returnPath(kind),
    {
      schema: {
        operationId: `show${Name[kind]}Return`,
        tags,
        summary: `Connect a calendar account at ${Name[kind]}, for people`,
        description:
          'The address to which the provider sends the browser. Its `state` works once the person who began is still logged in.',
        // providers add parameters, such as the granted scopes
        querystring: Type.Object({ state: Text, code: Text }, { additionalProperties: true }),
        response: {
          200: page,
          303: Type.Null({ description: 'To the account, whose calendars the person chooses.' }),
          ...{ 404: page, 409: page, 429: page },
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request)
      if (!visit) return sendLogIn(context, reply, { next: calendarsPath })
      try {
        const { state, code } = request.query
        if (code !== undefined) await countTrial(context, limiter, visit.person)
        const { id, business_id } = await finishGrant(context, visit.person, { kind, state, code }, reader)
        const several = businessOf(visit) === undefined ? {} : { business: business_id }
        const query = new URLSearchParams({ ...several, done: 'accountMade' })
        return await seeOther(reply, `${accountsPath}/${id}?${query.toString()}`)
      } catch (error) {
        return sendRefusal(reply, visit, error)
      }
    },
  )
}

/** Explains why an account is not connected. Rethrows errors of this server. */
function sendRefusal(reply: FastifyReply, visit: ConsoleVisit, error: unknown): FastifyReply {
  const isLimit = error instanceof Problem && error.code === 'rate_limited'
  const isRefusal =
    error instanceof Problem && ['validation_failed', 'calendar_limit_reached'].includes(error.code)
  if (!isLimit && !isRefusal && !(error instanceof FetchFailed)) throw error
  const { accounts: t } = visit.texts.calendars
  const why =
    error instanceof Problem
      ? limitWords(visit.texts).problem(error.code, error.message)
      : faultText(visit, told(faultOf(error)))
  return sendConsolePage(reply.code(isLimit ? 429 : 409), {
    visit,
    title: t.add,
    section: 'people',
    body: refusal(visit, why),
  })
}

function refusal(visit: ConsoleVisit, why: string): Html {
  const { accounts: t } = visit.texts.calendars
  return html`${backLink(visit)}
    <h1>${t.add}</h1>
    <p class="alert" role="alert">${why}</p>
    <p><a class="button" href="${pathOf(`${accountsPath}/new`, visit)}">${t.retry}</a></p>`
}

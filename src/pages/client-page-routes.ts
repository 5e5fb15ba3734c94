import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { effectivePlan } from '../access/actor.ts'
import { clientCookie, clientToken } from '../access/log-in-cookie.ts'
import { ownFormsOnly } from '../access/own-forms-hook.ts'
import { bookingPageKey } from '../access/page-key.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { brandedBusiness } from '../access/session.ts'
import { readClientAddress } from '../base/client-network.ts'
import { isEmail, isPhone, unicodeEmail } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { exampleIds } from '../base/examples.ts'
import { ownOrigins, publicUrl } from '../base/public-url.ts'
import { Id, Media, PathId, problems, StrictObject } from '../base/wire.ts'
import {
  cancelOwnSeries,
  clientOfToken,
  closeClientPage,
  exportOwnBookings,
  openClientPage,
  ownBookingClient,
  showOwnBookings,
  showOwnEntries,
} from '../bookings/client-log-in.ts'
import type { Context } from '../bookings/context.ts'
import { businessInScope } from '../catalogue/business.ts'
import { removeSavedCard } from '../payments/saved-card.ts'
import { type ClientMailbox, requestClientLink } from '../mails/client-link-mail.ts'
import { mailboxOfNumber } from '../mails/client-link-text.ts'
import { reachableNumber } from '../mails/text-route.ts'
import { mailRouteOf } from '../mails/mail-route.ts'
import { askPage, clientPage, type ClientVisit, endedPage, type Notice, openPage } from './client-page.ts'
import { pageLanguage, sendMessagePage } from './message-page.ts'
import { seeOther } from './page.ts'
import { entryNoticeIn } from './waitlist-page.ts'

const tags = [pageTag]
const page = Media('text/html', 'The page.')
const to = { 303: Type.Null({ description: 'To the page of the client.' }) }
const params = StrictObject({ business_id: PathId('business', exampleIds.business) })
const OwnPageState = Type.Object(
  { open: Type.Boolean({ description: 'Whether the cookie of the request shows the bookings.' }) },
  { title: 'OwnPageState', examples: [{ open: true }] },
)
const config = { countsVisits: true } as const
const Short = Type.String({ maxLength: 254 })

/**
 * Registers the page on which clients see all their bookings at a business. A link by email or text opens it with a
 * click, because mail scanners open links and run scripts.
 */
export function clientPagesRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    addPages(app, context)
    const ours = ownOrigins(context.config)
    void app.register((scope, _options, done) => {
      ownFormsOnly(scope, ours)
      addForms(scope, context, limiter)
      done()
    })
  }
}

function addPages(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/me',
    {
      schema: {
        operationId: 'showOwnLink',
        tags,
        summary: "The page behind the link to a client's page",
        description: 'The same for everybody. The token is in the fragment of its address.',
        response: { 200: page },
      },
    },
    (request, reply) => sendMessagePage(reply, languageOf(request), openPage(languageOf(request))),
  )
  routes.get(
    '/me/:business_id',
    {
      config,
      schema: {
        operationId: 'showOwnPage',
        tags,
        summary: 'The bookings of a client at a business, for the client',
        description: 'Without a log-in, the form that requests the link by email or text.',
        params,
        querystring: Type.Object({
          cursor: Type.Optional(Type.String({ maxLength: 500 })),
          now: Type.Optional(Type.String({ maxLength: 20 })),
        }),
        response: { 200: page, ...problems('not_found', 'validation_failed') },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const visit = await visitOf(context, request, businessId)
      const client = await clientOfToken(context, { businessId, token: clientToken(request) })
      if (!client) return sendMessagePage(reply, visit.language, askPage(visit))
      const { cursor, now } = request.query
      const shown = await showOwnBookings(context, client, cursor)
      const waiting = cursor === undefined ? await showOwnEntries(context, client) : []
      const { email, phone } = client
      const page = clientPage(visit, { ...shown, waiting, email, phone, notice: entryNoticeIn(now) })
      return sendMessagePage(reply, visit.language, page)
    },
  )
  routes.get(
    '/me/:business_id/state',
    {
      config,
      schema: {
        operationId: 'showOwnPageState',
        tags,
        summary: 'Whether the page of a client is open in this browser',
        description: 'The page behind a manage link then links back to it.',
        params,
        response: { 200: OwnPageState },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const client = await clientOfToken(context, { businessId, token: clientToken(request) })
      return reply.header('cache-control', 'no-store').send({ open: client !== undefined })
    },
  )
  routes.get(
    '/me/:business_id/bookings.json',
    {
      config,
      schema: {
        operationId: 'downloadOwnBookings',
        tags,
        summary: 'The bookings of a client as a file, for the client',
        params,
        response: {
          200: Media('application/json', 'All bookings.', Type.Object({})),
          ...problems('not_found'),
        },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const client = await clientOfToken(context, { businessId, token: clientToken(request) })
      if (!client) throw new Problem('not_found', 'The log-in of this page has ended.')
      return reply
        .headers({
          'content-disposition': 'attachment; filename="bookings.json"',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(await exportOwnBookings(context, client), null, 2))
    },
  )
}

function addForms(app: FastifyInstance, context: Context, limiter: RateLimiter): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const consumes = ['application/x-www-form-urlencoded']
  const refused = problems('origin_not_allowed', 'unsupported_media_type', 'validation_failed')
  routes.post(
    '/me',
    {
      config,
      schema: {
        operationId: 'openOwnPage',
        tags,
        summary: "Open a client's page with the token of a link",
        description: 'Works once. The answer sets a cookie for 30 days.',
        consumes,
        body: StrictObject({ token: Short }),
        response: { ...to, 404: page, ...refused },
      },
    },
    async (request, reply) => {
      const opened = await openClientPage(context, request.body.token)
      const language = languageOf(request)
      if (!opened) return sendMessagePage(reply.code(404), language, endedPage(language))
      const { businessId, token } = opened
      return seeOther(
        reply.header('set-cookie', clientCookie(request, businessId, token)),
        `/me/${businessId}`,
      )
    },
  )
  routes.post(
    '/me/:business_id/link',
    {
      config,
      schema: {
        operationId: 'requestOwnLink',
        tags,
        summary: "Request the link to a client's page by email or text",
        description:
          'The answer is the same for every address and number. Each gets at most three messages an hour. Numbers work on servers that send text messages.',
        consumes,
        params,
        body: StrictObject({ contact: Short }),
        response: { 200: page, 422: page, 429: page, ...refused, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const visit = await visitOf(context, request, businessId)
      const contact = request.body.contact.trim().normalize('NFC').toLowerCase()
      const again = (status: 200 | 422 | 429, notice: Notice) =>
        sendMessagePage(reply.code(status), visit.language, askPage(visit, { contact, notice }))
      const mailbox = mailboxOf(context, visit, contact)
      if (typeof mailbox === 'string') return again(422, mailbox)
      const limited = await requestClientLink(context, limiter, {
        ...{ ...mailbox, locale: visit.language.locale },
        client: readClientAddress(request.ip),
      })
      if (!limited) return again(200, mailbox.phone === null ? 'sent' : 'texted')
      void reply.header('retry-after', limited.retryAfterSeconds)
      return again(429, 'later')
    },
  )
  routes.post(
    '/me/:business_id/series',
    {
      config,
      schema: {
        operationId: 'cancelOwnSeries',
        tags,
        summary: 'Cancel all dates ahead of a series, by its client',
        description: 'By the rules of the service for clients. If one date is too late to cancel, none is.',
        consumes,
        params,
        body: StrictObject({ series_id: Id }),
        response: { ...to, 409: page, ...refused, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const client = await clientOfToken(context, { businessId, token: clientToken(request) })
      if (!client) return seeOther(reply, `/me/${businessId}`)
      try {
        await cancelOwnSeries(context, client, request.body.series_id)
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'change_not_allowed') throw error
        const visit = await visitOf(context, request, businessId)
        const shown = await showOwnBookings(context, client, undefined)
        const waiting = await showOwnEntries(context, client)
        const { email, phone } = client
        const again = { ...shown, waiting, email, phone, isRefused: true }
        return sendMessagePage(reply.code(409), visit.language, clientPage(visit, again))
      }
      return seeOther(reply, `/me/${businessId}`)
    },
  )
  routes.post(
    '/me/:business_id/card',
    {
      config,
      schema: {
        operationId: 'removeOwnCard',
        tags,
        summary: 'Remove the saved card of a booking, by its client',
        description: 'Possible once the appointment is over and nothing is due.',
        consumes,
        params,
        body: StrictObject({ booking_id: Id }),
        response: { ...to, ...refused, ...problems('not_found', 'change_not_allowed') },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const client = await clientOfToken(context, { businessId, token: clientToken(request) })
      if (!client) return seeOther(reply, `/me/${businessId}`)
      const owner = await ownBookingClient(context, client, request.body.booking_id)
      await removeSavedCard(context, owner, owner.bookingId)
      return seeOther(reply, `/me/${businessId}`)
    },
  )
  routes.post(
    '/me/:business_id/close',
    {
      config,
      schema: {
        operationId: 'closeOwnPage',
        tags,
        summary: "Close a client's page in this browser",
        consumes,
        params,
        response: { ...to, ...refused },
      },
    },
    async (request, reply) => {
      const { business_id: businessId } = request.params
      const token = clientToken(request)
      if (token !== undefined) await closeClientPage(context, token)
      return seeOther(
        reply.header('set-cookie', clientCookie(request, businessId, null)),
        `/me/${businessId}`,
      )
    },
  )
}

function languageOf({ headers }: FastifyRequest) {
  return pageLanguage(headers['accept-language'])
}

/** Returns the mailbox or number that a visitor typed, or the fault in it. */
function mailboxOf(
  { config }: Pick<Context, 'config'>,
  { businessId, timezone, sendsMail, sendsTexts }: Visit,
  contact: string,
): ClientMailbox | 'email' | 'phone' {
  if (sendsTexts && (isPhone(contact) || !sendsMail)) {
    const phone = isPhone(contact) ? reachableNumber(contact, timezone, config) : undefined
    return phone === undefined ? 'phone' : mailboxOfNumber(businessId, phone)
  }
  return isEmail(contact) ? { businessId, email: unicodeEmail(contact), phone: null } : 'email'
}

interface Visit extends ClientVisit {
  timezone: string
}

/** Returns the business of a page and the language of its visitor. Throws not_found. */
async function visitOf(context: Context, request: FastifyRequest, businessId: string): Promise<Visit> {
  const row = await businessInScope(context.db.reads, { everything: true }, businessId)
  const plan = effectivePlan(row.plan, row.hub_plan)
  const { business } = brandedBusiness(row, plan)
  const { config } = context
  const key = await bookingPageKey(context, businessId)
  return {
    ...{ business, businessId, timezone: row.timezone },
    sendsTexts: config.smsUrl !== '' && config.smsPerMonth[plan] > 0,
    sendsMail: (await mailRouteOf(context, context.db.reads, businessId)) !== 'off',
    language: pageLanguage(request.headers['accept-language'], business.locale),
    bookingUrl: key === undefined ? undefined : `${publicUrl(config)}/book/${key}`,
  }
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ownFormsOnly } from '../access/own-forms-hook.ts'
import { findShownBusiness } from '../access/session.ts'
import { Problem, type ProblemCode } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { acceptedLocales, languageFor } from '../base/languages.ts'
import { ownOrigins } from '../base/public-url.ts'
import { Media, problems, StrictObject } from '../base/wire.ts'
import type { Context } from '../bookings/context.ts'
import { managedBy } from '../bookings/manage.ts'
import { showBooking } from '../bookings/booking.ts'
import { entryOfLink, type LinkedEntry } from '../bookings/waitlist-link.ts'
import { declineOffer, leaveList, takeOffer } from '../bookings/waitlist-offer.ts'
import { clientOf } from '../bookings/waitlist-actors.ts'
import { goneClient } from '../http/gone-client.ts'
import { pageTag } from '../http/openapi.ts'
import { answersOf, refusedAnswers } from './answer-fields.ts'
import { filledForm, type FormState, type Typed, typedPhone } from './form.ts'
import { sendMessagePage } from './message-page.ts'
import { seeOther } from './page.ts'
import { type EntryNotice, entryNoticeIn, entryPage } from './waitlist-page.ts'

const tags = [pageTag]
const page = Media('text/html', 'The page.')
const params = StrictObject({ code: Type.String({ description: 'From a message about the waiting list.' }) })
const config = { countsVisits: true } as const
const to = { 303: Type.Null({ description: 'To the page of the entry, or to the payment.' }) }
const consumes = ['application/x-www-form-urlencoded']
const refused = problems('not_found', 'origin_not_allowed', 'unsupported_media_type', 'validation_failed')

/**
 * Registers the page on which clients take or decline the time that the waiting list offers them. Opening it changes
 * nothing, because mail scanners open links.
 */
export function waitlistPageRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/w/:code',
    {
      config,
      schema: {
        operationId: 'showOwnEntry',
        tags,
        summary: 'The page of an entry of the waiting list, for its client',
        description: 'Shows the time that is kept for the client. Changes nothing.',
        params,
        querystring: Type.Object({ now: Type.Optional(Type.String({ maxLength: 20 })) }),
        response: { 200: page, ...problems('not_found', 'validation_failed') },
      },
    },
    async (request, reply) => {
      const linked = await known(context, request.params.code)
      const notice = entryNoticeIn(request.query.now)
      return show(context, { request, reply }, linked, { notice, state: filledForm() })
    },
  )
  const ours = ownOrigins(context.config)
  void app.register((scope, _options, done) => {
    ownFormsOnly(scope, ours)
    addForms(scope, context)
    done()
  })
}

function addForms(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const Typed = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 5_000 }))
  const Offer = StrictObject({ offer: Type.String({ maxLength: 36 }), from: Type.Optional(From) })

  routes.post(
    '/w/:code/take',
    {
      config,
      schema: {
        operationId: 'takeOwnOffer',
        tags,
        summary: 'Book the time that the waiting list offers, as the client',
        description: 'With a deposit, it leads to the payment.',
        consumes,
        params,
        body: Typed,
        response: { ...to, 422: page, ...refused },
      },
    },
    async (request, reply) => {
      const linked = await known(context, request.params.code)
      const typed = request.body as Typed
      return take(context, { request, reply }, linked, typed)
    },
  )
  routes.post(
    '/w/:code/decline',
    {
      config,
      schema: {
        operationId: 'declineOwnOffer',
        tags,
        summary: 'Decline the time that the waiting list offers, as the client',
        description: 'The client goes on waiting for other times.',
        consumes,
        params,
        body: Offer,
        response: { ...to, ...refused },
      },
    },
    async (request, reply) => {
      const { entry } = await known(context, request.params.code)
      const offerId = request.body.offer.toLowerCase()
      const isDeclined = isUuid(offerId) && (await declineOffer(context, { entry, offerId }))
      return seeOther(reply, `${next(request, entry)}?now=${isDeclined ? 'declined' : 'gone'}`)
    },
  )
  routes.post(
    '/w/:code/leave',
    {
      config,
      schema: {
        operationId: 'leaveOwnList',
        tags,
        summary: 'Leave the waiting list, as the client',
        consumes,
        params,
        body: StrictObject({ from: Type.Optional(From) }),
        response: { ...to, ...refused },
      },
    },
    async (request, reply) => {
      const { entry } = await known(context, request.params.code)
      await leaveList(context, entry)
      return seeOther(reply, next(request, entry))
    },
  )
}

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Refusals that mean that the offered time is gone. */
const goneCodes: readonly ProblemCode[] = ['hold_expired', 'hold_not_found', 'hold_converted']

async function take(
  context: Context,
  { request, reply }: Exchange,
  linked: LinkedEntry,
  typed: Typed,
): Promise<FastifyReply> {
  const { entry, questions, missing } = linked
  const path = next(request, entry)
  if (entry.hold_id === null || entry.hold_id !== typed['offer']?.toLowerCase())
    return seeOther(reply, `${path}?now=gone`)
  const answers = answersOf(questions, typed)
  const client = Object.fromEntries(
    missing.flatMap((name) => {
      const text = (typed[name] ?? '').trim()
      return text === '' ? [] : [[name, name === 'phone' ? typedPhone(text) : text]]
    }),
  )
  try {
    const { booking, redirectUrl } = await takeOffer(context, {
      ...{ entry, offerId: entry.hold_id, client, custom_field_values: answers },
      ...{ from: request.client, isGone: goneClient(request) },
    })
    if (redirectUrl === undefined) return await seeOther(reply, path)
    // the page of the checkout shows the fees, to which the client agrees by saving a card
    const hasFees = booking.fee_rules_json !== null && booking.payment_id !== null
    return await reply.redirect(hasFees ? `/checkout/${booking.payment_id ?? ''}` : redirectUrl, 303)
  } catch (error) {
    if (error instanceof Problem && goneCodes.includes(error.code)) return seeOther(reply, `${path}?now=gone`)
    const refusal = refusedAnswers(error, { fields: questions, answers })
    if (!(refusal instanceof Problem) || refusal.code !== 'validation_failed') throw error
    return show(context, { request, reply: reply.code(422) }, linked, {
      notice: undefined,
      state: { typed, faults: faultsIn(refusal, languageOf(request, entry)) },
    })
  }
}

function faultsIn({ parts }: Problem, { say }: ReturnType<typeof languageFor>): Record<string, string> {
  const faults: Record<string, string> = { '': say('booking.faultsFound') }
  for (const { pointer, code } of parts.errors ?? []) {
    const name = pointer.replace('/client/', '/').slice(1)
    faults[name] = say(code === 'required' ? 'booking.faultRequired' : 'booking.faultInvalid')
  }
  return faults
}

/** Throws not_found for a wrong link. */
async function known(context: Context, code: string): Promise<LinkedEntry> {
  const linked = await entryOfLink(context, code)
  if (!linked) throw new Problem('not_found', 'There is nothing at this address.')
  return linked
}

/** The form stands on the page with all appointments of the client, and leads back to it. */
const From = Type.Literal('me')

/** Returns the path of the page that follows a form. */
function next(request: FastifyRequest, { business_id }: LinkedEntry['entry']): string {
  const { from } = request.body as { from?: string }
  return from === 'me' ? `/me/${business_id}` : pathOf(request)
}

function pathOf(request: FastifyRequest): string {
  const { code } = request.params as { code: string } // every route of the page has it
  return `/w/${encodeURIComponent(code)}`
}

function languageOf({ headers }: FastifyRequest, { locale }: LinkedEntry['entry']) {
  return languageFor(locale, ...acceptedLocales(headers['accept-language']))
}

async function show(
  context: Context,
  { request, reply }: Exchange,
  linked: LinkedEntry,
  shown: { notice: EntryNotice | undefined; state: FormState },
): Promise<FastifyReply> {
  const { entry } = linked
  const business = await findShownBusiness(context.db.reads, { businessId: entry.business_id })
  const language = languageOf(request, entry)
  const visit = { language, business, path: pathOf(request), ...(await bookingOf(context, linked)) }
  return sendMessagePage(reply, language, entryPage(visit, linked, shown))
}

/** Returns the link to the booking of an entry, its start, and until when a request waits. */
async function bookingOf(context: Context, { entry }: LinkedEntry) {
  if (entry.booking_id === null) return { manageUrl: undefined, respondBy: null, startsAt: null }
  const booking = await showBooking(context, clientOf(entry), entry.booking_id)
  const { manageUrl } = await managedBy(context, booking)
  const { respond_by: respondBy, starts_at: startsAt } = booking
  return { manageUrl: manageUrl ?? undefined, respondBy, startsAt }
}

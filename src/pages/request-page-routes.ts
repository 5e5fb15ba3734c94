import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { findShownBusiness } from '../access/session.ts'
import { fullName } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { html, type Html } from '../base/html.ts'
import { languageFor } from '../base/languages.ts'
import { Line, Media, problems, StrictObject } from '../base/wire.ts'
import { showBooking } from '../bookings/booking.ts'
import type { Context } from '../bookings/context.ts'
import { answererOf } from '../bookings/request.ts'
import { answerRequests, listSeries } from '../bookings/series-change.ts'
import type { BookingRow } from '../database/shown-booking.ts'
import { itemNames, itemsOf } from '../database/shown-item-rules.ts'
import { readForms } from '../http/forms.ts'
import { pageTag } from '../http/openapi.ts'
import { findShownBookings, requestOfToken } from '../mails/answer-link.ts'
import { momentOf } from '../mails/times-and-money.ts'
import { sendMessagePage } from './message-page.ts'

const params = StrictObject({ token: Type.String({ description: 'From an email about a request.' }) })
const response = { 200: Media('text/html', 'The page.'), ...problems('not_found') }
const maxBodyBytes = 8_192

/**
 * Registers the page on which the recipient of an email confirms or declines a request. Mail scanners open every link,
 * so only a POST answers.
 */
export function requestPageRoutes(app: FastifyInstance, context: Context): void {
  void app.register((scope, _options, done) => {
    readForms(scope, maxBodyBytes)
    addRoutes(scope, context)
    done()
  })
}

const AnswerForm = StrictObject({
  answer: Type.Enum(['confirm', 'decline']),
  reason: Type.Optional(Type.String({ ...Line(0, 500) })),
})

function addRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/requests/:token',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'showRequest',
        tags: [pageTag],
        summary: 'Ask whether to confirm or decline a request',
        description: 'For the recipient of an email. Changes nothing: the buttons of the page do.',
        params,
        querystring: StrictObject({ answer: Type.Optional(Type.Literal('decline')) }),
        response,
      },
    },
    async (request, reply) => {
      const found = await known(context, request.params.token)
      return send(reply, found, { isDeclining: request.query.answer === 'decline' })
    },
  )
  routes.post(
    '/requests/:token',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'answerRequest',
        tags: [pageTag],
        summary: 'Confirm or decline a request',
        description: 'From the buttons of the page.',
        params,
        body: AnswerForm,
        response: { ...response, ...problems('validation_failed') },
      },
    },
    async (request, reply) => {
      const found = await known(context, request.params.token)
      const { answer, reason } = request.body
      const confirms = answer === 'confirm'
      try {
        await answerRequests(context, answererOf(found), { id: found.bookingId, confirms, reason })
      } catch (error) {
        if (error instanceof Problem && error.code === 'change_not_allowed') return send(reply, found, {})
        throw error
      }
      return send(reply, found, { done: confirms ? 'confirmed' : 'declined' })
    },
  )
}

type Found = Awaited<ReturnType<typeof known>>

async function known(context: Context, token: string) {
  const answerer = await requestOfToken(context, token)
  if (!answerer) throw new Problem('not_found', 'There is nothing at this address.')
  const { businessId, bookingId } = answerer
  const booking = await showBooking(context, answererOf(answerer), bookingId)
  const shown = (
    await findShownBookings(context.db.reads, [{ business_id: businessId, booking_id: bookingId }])
  ).get(bookingId)
  const business = await findShownBusiness(context.db.reads, { businessId })
  const dates = (await listSeries(context, booking)).filter(({ respond_by }) => respond_by !== null)
  return { ...answerer, booking, dates, business, language: languageFor(shown?.business_locale ?? null) }
}

interface Shown {
  isDeclining?: boolean
  done?: 'confirmed' | 'declined'
}

function send(
  reply: FastifyReply,
  { language, booking, dates, business }: Found,
  { isDeclining = false, done }: Shown,
): FastifyReply {
  const { say } = language
  if (done) {
    return sendMessagePage(reply, language, {
      title: say(`request.${done}`),
      business,
      sign: 'done',
      content: html``,
    })
  }
  if (booking.respond_by === null && dates.length === 0) {
    return sendMessagePage(reply, language, { title: say('request.answered'), business, content: html`` })
  }
  return sendMessagePage(reply, language, {
    ...{ title: say(isDeclining ? 'request.decline' : 'request.confirm'), business, forms: true },
    content: html`<p>${summaryOf(booking, language)}</p>
      ${allDates(dates, booking.timezone, language)}
      <form method="post">
        <input type="hidden" name="answer" value="${isDeclining ? 'decline' : 'confirm'}" />
        ${
          isDeclining
            ? html`<p>
                <label
                  >${say('request.reason')} <input name="reason" maxlength="500" autocomplete="off"
                /></label>
              </p>`
            : ''
        }
        <button type="submit" class="button main">
          ${say(isDeclining ? 'mail.declineRequest' : 'mail.confirmRequest')}
        </button>
      </form>
      <p>
        <a href="${isDeclining ? '?' : '?answer=decline'}"
          >${say(isDeclining ? 'mail.confirmRequest' : 'mail.declineRequest')}</a
        >
      </p>`,
  })
}

/** Lists the dates of a series, for all of which the answer is. */
function allDates(dates: Found['dates'], timezone: string, language: Found['language']): Html {
  if (dates.length === 0) return html``
  return html`<p>${language.say('mail.series.dates')}</p>
    <ul>
      ${dates.map(({ starts_at }) => html`<li>${momentOf(starts_at, timezone, language)}</li>`)}
    </ul>`
}

function summaryOf(booking: BookingRow, language: Found['language']): string {
  const { client_first_name: first, client_last_name: last, starts_at, timezone } = booking
  const items = itemsOf(booking)
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))].join(', ')
  return [fullName(first, last), itemNames(items), momentOf(starts_at, timezone, language), people]
    .filter(Boolean)
    .join(' · ')
}

import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { findShownBusiness } from '../access/session.ts'
import { Problem } from '../base/errors.ts'
import { html } from '../base/html.ts'
import { languageFor } from '../base/languages.ts'
import type { Context } from '../mails/context.ts'
import { bookingOfOffToken, endReminders } from '../mails/opt-out.ts'
import { Media, problems, StrictObject } from '../base/wire.ts'
import { sendMessagePage } from './message-page.ts'

const tags = [pageTag]
const params = StrictObject({ token: Type.String({ description: 'From a reminder.' }) })
const response = { 200: Media('text/html', 'The page.'), ...problems('not_found') }
const maxBodyBytes = 4_096

/**
 * Registers the page that turns reminders off. Mail scanners open every link, so only a POST turns them off.
 * It comes from the page's button or a mail program's one-click button (RFC 8058).
 */
export function mailOffRoutes(app: FastifyInstance, context: Context): void {
  void app.register((scope, _options, done) => {
    // a mail program sends its standard form, whose content does not matter
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxBodyBytes },
      (_request, _body, parsed) => {
        parsed(null, {})
      },
    )
    addRoutes(scope, context)
    done()
  })
}

function addRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/mail/off/:token',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'showReminders',
        tags,
        summary: 'Ask whether to end reminders',
        description: 'Changes nothing: the button of the page does.',
        params,
        response,
      },
    },
    async (request, reply) => {
      const found = await known(context, request.params.token)
      const { say } = found.language
      return send(reply, found, {
        title: say('mail.noRemindersAsk'),
        button: say('mail.noReminders', { business: found.business.brand_name ?? found.business.name }),
      })
    },
  )
  routes.post(
    '/mail/off/:token',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'endReminders',
        tags,
        summary: 'End reminders for the client of a mail',
        description: 'Of this business. Confirmations, changes and cancellations still come.',
        params,
        response,
      },
    },
    async (request, reply) => {
      const found = await known(context, request.params.token)
      await endReminders(context, found.booking)
      return send(reply, found, { title: found.language.say('mail.noRemindersDone') })
    },
  )
}

async function known(context: Context, token: string) {
  const booking = await bookingOfOffToken(context, token)
  if (!booking) throw new Problem('not_found', 'There is nothing at this address.')
  const business = await findShownBusiness(context.db.reads, { businessId: booking.business_id })
  return { booking, business, language: languageFor(booking.locale, booking.business_locale) }
}

/** Reveals nothing about bookings, because anyone may have the URL. */
function send(
  reply: FastifyReply,
  { language, business }: Pick<Awaited<ReturnType<typeof known>>, 'language' | 'business'>,
  { title, button }: { title: string; button?: string },
) {
  return sendMessagePage(reply, language, {
    ...{ title, business, forms: true },
    sign: button === undefined ? 'done' : 'mails',
    content:
      button === undefined
        ? html``
        : html`<form method="post"><button type="submit" class="button main">${button}</button></form>`,
  })
}

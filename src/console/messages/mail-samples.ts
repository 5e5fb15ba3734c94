import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { countMail } from '../../access/counted-requests.ts'
import type { RateLimiter } from '../../access/rate-limits.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { absoluteUrl } from '../../base/public-url.ts'
import { Media, problems, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { showBusinessInScope } from '../../catalogue/business.ts'
import { mailSettings } from '../../catalogue/mail-settings-rules.ts'
import type { MailKind } from '../../database/tables.ts'
import { sendFor } from '../../mails/own-server.ts'
import { sampleKinds, sampleMail } from '../../mails/sample.ts'
import { findVisit, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, tags } from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'

/* Emails with sample data, as the clients of a business would get them. */

const path = '/console/mails/preview'

/** Renders links to preview each email. */
export function previewList(visit: BusinessVisit): Html {
  const { settings: words, booking } = visit.texts
  const names: Partial<Record<MailKind, string>> = booking.mails
  return html`<h2>${words.previews}</h2>
    <p class="soft">${words.previewsHint}</p>
    <ul class="rows">
      ${sampleKinds.map(
        (kind) => html`<li><a href="${pathOf(path, visit, { kind })}">${names[kind] ?? kind}</a></li>`,
      )}
    </ul>`
}

async function sampleOf(context: Context, { person, business: { id } }: BusinessVisit, kind: MailKind) {
  const business = await showBusinessInScope(context, person, id)
  const { name, timezone, brand_color: color, phone, imprint_url, privacy_url } = business
  const { locale, reply_to_email: replyTo } = mailSettings(business)
  const logoUrl = absoluteUrl(context.config.publicUrl, business.brand_logo_url)
  const legal = { imprintUrl: imprint_url, privacyUrl: privacy_url }
  return sampleMail(context.config, {
    ...{ kind, locale, to: person.email, now: context.clock.now() },
    business: { name, color, logoUrl, phone, replyTo, timezone, ...legal },
  })
}

/** Sends a sample to the person. Returns false if the mail server does not accept it. Throws rate_limited. */
export async function sendSample(
  context: Context,
  limiter: RateLimiter,
  visit: BusinessVisit,
): Promise<boolean> {
  const { person, mails, business } = visit
  if (mails === 'off') throw new Problem('not_found', 'No mail is sent here.')
  await countMail(context, limiter, { person, email: person.email })
  const mail = await sampleOf(context, visit, 'confirmed')
  // a different ID each time, because mail programs discard duplicates
  const { outcome } = await sendFor(context, business.id, { ...mail, id: context.ids.next() })
  return outcome === 'sent'
}

/** Allows the email itself, without scripts, forms or external content other than images. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' https: data:; frame-ancestors 'none'; sandbox"

/** Registers the preview of an email. */
export function mailPreviewRoute(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    path,
    {
      schema: {
        operationId: 'showMailPreview',
        tags,
        summary: 'A mail with made-up data, for owners',
        description: 'As clients of the business get it. Its links lead nowhere.',
        querystring: StrictObject({
          kind: Type.Optional(Type.Enum([...sampleKinds])),
          business: Type.Optional(Type.String({ maxLength: 40 })),
        }),
        response: { 200: Media('text/html', 'The mail.'), ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(context, reply, { next: '/console/mails/server' })
      const { business, person } = visit
      if (!business || !hasRole(person, 'owner')) throw new Problem('not_found', 'There is no such mail.')
      const { content } = await sampleOf(context, { ...visit, business }, request.query.kind ?? 'confirmed')
      return reply
        .headers({
          'content-security-policy': mailPolicy,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        })
        .type('text/html; charset=utf-8')
        .send(content.html)
    },
  )
}

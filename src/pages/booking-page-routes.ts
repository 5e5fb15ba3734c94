import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findBusinessOfKey } from '../access/key.ts'
import { webOrigin } from '../base/contact-formats.ts'
import { isUuid } from '../base/ids.ts'
import { publicUrl } from '../base/public-url.ts'
import { StrictObject, Media } from '../http/wire.ts'
import type { Context } from '../bookings/context.ts'
import { contentSecurityPolicy, html, type Html } from './page.ts'

/** The hosted booking page of a business. */
export function bookingPageRoutes(app: FastifyInstance, context: Context): void {
  const server = publicUrl(context.config)
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/book/:publishable_key',
    {
      schema: {
        operationId: 'showBookingPage',
        tags: ['Service'],
        summary: 'The booking page of a business, for people',
        description:
          'The widget on a page of its own: for a link in an e-mail or a profile. With `?service=` and an id, that service is chosen already.',
        params: StrictObject({
          publishable_key: Type.String({ examples: ['cal_pub_ThisIsAnExampleAndOpensNothing00000000'] }),
        }),
        response: {
          200: Media('text/html', 'The page.'),
          404: Media('text/html', 'No business has this key.'),
        },
      },
    },
    async (request, reply) => {
      const publishableKey = request.params.publishable_key
      const language = pageLanguage(request.headers['accept-language'])
      const business = await findBusinessOfKey(context, publishableKey)
      reply.headers({
        // only the brand's logo may come from another origin
        'content-security-policy': contentSecurityPolicy(false, webOrigin(business?.brand_logo_url ?? ''), {
          isShown: isPreview(request.query),
        }),
        ...(isPreview(request.query) && { 'x-frame-options': 'SAMEORIGIN' }),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        vary: 'Accept-Language',
      })
      void reply.type('text/html; charset=utf-8')
      if (!business) return reply.code(404).send(noBookingPage().text)
      return reply.send(
        bookingPage({ business, publishableKey, language, server, serviceId: chosenService(request.query) })
          .text,
      )
    },
  )
}

/** The service that is chosen already (`?service=`); whatever else a link carries is for others. */
function chosenService(query: unknown): string | undefined {
  const { service } = query as { service?: unknown }
  return typeof service === 'string' && isUuid(service) ? service : undefined
}

/** Whether the console shows the page in a frame (`?preview`). Pages of other origins never may. */
function isPreview(query: unknown): boolean {
  return (query as { preview?: unknown }).preview !== undefined
}

/** What the page shows of a business. */
interface PageBusiness {
  name: string
  brand_name: string | null
  brand_color: string | null
  brand_logo_url: string | null
}

interface PageTexts {
  title: (name: string) => string
  description: (name: string) => string
  withoutScripts: string
}

const english: PageTexts = {
  title: (name) => `Book with ${name}`,
  description: (name) => `Choose a time that suits you and book your appointment with ${name} in a minute.`,
  withoutScripts: 'Booking needs JavaScript. Please switch it on, or get in touch with us directly.',
}

/** By language of the widget. */
const languages: Partial<Record<string, PageTexts>> = {
  en: english,
  de: {
    title: (name) => `Termin buchen – ${name}`,
    description: (name) =>
      `Suchen Sie sich eine Zeit aus und buchen Sie Ihren Termin bei ${name} in einer Minute.`,
    withoutScripts:
      'Zum Buchen wird JavaScript gebraucht. Bitte schalten Sie es ein, oder melden Sie sich bei uns.',
  },
  fr: {
    title: (name) => `Prendre rendez-vous – ${name}`,
    description: (name) => `Choisissez l’horaire qui vous convient et réservez chez ${name} en une minute.`,
    withoutScripts: 'La réservation a besoin de JavaScript. Activez-le ou contactez-nous directement.',
  },
  es: {
    title: (name) => `Reservar una cita – ${name}`,
    description: (name) => `Elija la hora que le convenga y reserve su cita con ${name} en un minuto.`,
    withoutScripts: 'Para reservar hace falta JavaScript. Actívelo o póngase en contacto con nosotros.',
  },
  ar: {
    title: (name) => `حجز موعد – ${name}`,
    description: (name) => `اختر الوقت المناسب لك واحجز موعدك لدى ${name} في دقيقة واحدة.`,
    withoutScripts: 'يحتاج الحجز إلى JavaScript. يُرجى تفعيله أو التواصل معنا مباشرة.',
  },
}

/** The first known language of `Accept-Language`. Ignores its weights, because browsers sort by them. */
function pageLanguage(acceptLanguage: string | undefined): string {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  return wanted.find((language) => languages[language]) ?? 'en'
}

interface BookingPage {
  business: PageBusiness
  publishableKey: string
  language: string
  serviceId?: string | undefined
  /** The public address of this server, such as https://book.example.com. */
  server: string
}

export function bookingPage({ business, publishableKey, language, server, serviceId }: BookingPage): Html {
  const name = business.brand_name ?? business.name
  const texts = languages[language] ?? english
  const address = `${server}/book/${publishableKey}`
  const logo = business.brand_logo_url
  return html`<!doctype html>
    <html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <title>${texts.title(name)}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="${texts.description(name)}" />
        <meta name="color-scheme" content="light dark" />
        ${business.brand_color ? html`<meta name="theme-color" content="${business.brand_color}" />` : html``}
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="${name}" />
        <meta property="og:title" content="${texts.title(name)}" />
        <meta property="og:description" content="${texts.description(name)}" />
        <meta property="og:url" content="${address}" />
        <meta property="og:image" content="${logo ?? `${server}/docs/booking-card.png`}" />
        <meta name="twitter:card" content="${logo ? 'summary' : 'summary_large_image'}" />
        <link rel="canonical" href="${address}" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/booking-page.css" />
        <script type="module" src="/widget/v1.js"></script>
      </head>
      <body>
        <main>
          <h1><bdi>${name}</bdi></h1>
          <holdfast-booking
            publishable-key="${publishableKey}"
            ${serviceId === undefined ? html`` : html`service-id="${serviceId}"`}
          ></holdfast-booking>
          <noscript><p class="message">${texts.withoutScripts}</p></noscript>
        </main>
      </body>
    </html> `
}

/** For a link with an unknown key. It must not blame the visitor. */
function noBookingPage(): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>This booking page does not exist</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/booking-page.css" />
      </head>
      <body>
        <main>
          <h1>This booking page does not exist</h1>
          <p class="message">
            The link may be cut off or no longer valid. Please ask the business that you want to book with for
            a new one.
          </p>
        </main>
      </body>
    </html> `
}

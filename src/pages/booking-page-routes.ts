import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { WidgetActor } from '../access/actor.ts'
import { brandedBusinessOf, frameOriginsOf, publishableCaller } from '../access/key.ts'
import { bookingPageKey } from '../access/page-key.ts'
import { quotasOfLook } from '../access/rate-limit-rules.ts'
import type { RateLimiter } from '../access/rate-limits.ts'
import { tokenType } from '../access/token.ts'
import { readClientAddress } from '../base/client-network.ts'
import { webOrigin } from '../base/contact-formats.ts'
import { Problem } from '../base/errors.ts'
import { html, type Html, trusted } from '../base/html.ts'
import { itemsQuery } from '../availability/visit-query-rules.ts'
import { maxItems } from '../availability/visit-rules.ts'
import { isDate, parseInstant } from '../base/instants.ts'
import type { Language } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import { StrictObject, Media } from '../base/wire.ts'
import { anyone } from '../bookings/again-link.ts'
import type { Context } from '../bookings/context.ts'
import { findBusinessInLink } from '../catalogue/business.ts'
import { momentOf } from '../mails/times-and-money.ts'
import { aboutSalon, type PageBusiness, salonHead } from './booking-about.ts'
import { bookingStart, findOffered, type Linked, named, type Offered } from './booking-start.ts'
import { brandedStyles, messagePage, pageLanguage } from './message-page.ts'
import { contentSecurityPolicy } from './page.ts'
import { isSnippetColor, snippetThemes } from './snippet.ts'
import { languageFile } from './widget-routes.ts'

/** Choices in the URL of a booking page, in addition to the name of the business. */
interface Wanted {
  /** An ID or slug. */
  service?: string
  staff?: string
  location?: string
  date?: string
  /** An instant, which the widget holds at once. */
  time?: string
  /** The looks of the page in a frame. */
  theme?: string
  accent?: string
}

const PublishableKey = Type.String({
  examples: ['cal_pub_ThisIsAnExampleAndOpensNothing00000000'],
  description: 'A publishable key, or the slug of a business.',
})

const described = {
  tags: [pageTag],
  response: {
    200: Media('text/html', 'The page.'),
    404: Media('text/html', 'No business has this key or slug, or it does not offer this service.'),
  },
}

/** Registers the hosted booking page of a business. */
export function bookingPageRoutes(limiter: RateLimiter) {
  return (app: FastifyInstance, context: Context): void => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>()
    const parts = { ...context, limiter }
    routes.get(
      '/book/:publishable_key',
      {
        config: { countsVisits: true },
        schema: {
          ...described,
          operationId: 'showBookingPage',
          summary: 'The booking page of a business, for people',
          description:
            'The widget on a page of its own: for a link in an e-mail or a profile, by a publishable key or by the slug of the business. With `?service=`, `?staff=` and `?location=` (an id or slug), these are chosen already, with `?service=cut,colour` both services in one visit; `?staff=anyone` is any free person; `?date=` (2026-12-01) is handed to the widget as its attribute `date`; `?time=` (an instant) is held at once if it is free, for `?party=` people; `?theme=` (light, dark) and `?accent=` (#1a2b3c) are the looks, for a page in a frame. The page carries what `GET /book/{publishable_key}/start` answers and counts with it; beyond that limit, or when that is longer than 256 KB, it comes without.',
          params: StrictObject({ publishable_key: PublishableKey }),
        },
      },
      (request, reply) => sendBookingPage(parts, { request, reply }, request.params.publishable_key),
    )
    routes.get(
      '/book/:publishable_key/:service',
      {
        config: { countsVisits: true },
        schema: {
          ...described,
          operationId: 'showBookingPageOfService',
          summary: 'The booking page of one service or several, for people',
          description: 'As the page of the business, with these services chosen already.',
          params: StrictObject({
            publishable_key: PublishableKey,
            service: Type.String({
              examples: ['haircut', 'cut+colour'],
              description: 'An id or slug, or several joined by `+`: one visit.',
            }),
          }),
        },
      },
      (request, reply) => {
        const { publishable_key, service } = request.params
        // people type links, so a trailing slash leads to the whole page
        return sendBookingPage(parts, { request, reply }, publishable_key, service || undefined)
      },
    )
  }
}

type Parts = Context & { limiter: RateLimiter }

async function sendBookingPage(
  context: Parts,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  name: string,
  serviceName?: string,
): Promise<FastifyReply> {
  const isPreviewed = previewOf(request.query) !== undefined
  const page = await findPage(context, name)
  const language = pageLanguage(request.headers['accept-language'], page?.business.locale)
  const offered = page && (await findOffered(context, page.caller))
  const frameOrigins = page ? await frameOriginsOf(context, page.key, page.caller) : []
  const wanted = wantedBy(request.query)
  const find = <Item extends Linked>(items: readonly Item[] | undefined, one: string | undefined) =>
    one === undefined ? undefined : named(items ?? [], one)
  const chosen = offered ? namedServices(offered, serviceName ?? wanted.service) : []
  const member = find(offered?.staff, wanted.staff)
  const location = find(offered?.locations, wanted.location)
  const pictures = [...(offered?.services ?? []), ...(offered?.staff ?? [])].map((one) => one.image_url)
  const isElsewhere = (url: string | null | undefined) => /^https:/i.test(url ?? '')
  const logo = page?.business.brand_logo_url ?? ''
  const theme = snippetThemes.find((one) => one === wanted.theme)
  const accent = isSnippetColor(wanted.accent ?? '') ? wanted.accent : undefined
  const styles = brandedStyles(accent ?? page?.business.brand_color ?? null)
  reply.headers({
    // only logo, cover and pictures of services and people may come from other origins
    'content-security-policy': contentSecurityPolicy(
      false,
      [...pictures, page?.business.cover_url].some(isElsewhere) ? 'https:' : webOrigin(logo),
      { isShown: isPreviewed, in: frameOrigins },
      styles.source,
    ),
    ...(isPreviewed && { 'x-frame-options': 'SAMEORIGIN' }),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store', // the page contains times, which soon become stale
    vary: 'Accept-Language',
  })
  void reply.type('text/html; charset=utf-8')
  if (!page || !offered) return reply.code(404).send(noBookingPage(language).text)
  const path = `/book/${name}`
  if (serviceName !== undefined && chosen.length === 0)
    return reply.code(404).send(noBookingPage(language, { path, business: page.business }).text)
  const shown = bookingPage({
    ...{ business: page.business, publishableKey: page.key, language, chosen, member, styles },
    about: aboutSalon(language, {
      business: page.business,
      locations: offered.locations,
      people: offered.staff.map(({ id, slug, name: of, image_url: picture }) => ({
        ...{ name: of, picture },
        path: `/book/${name}?staff=${slug ?? id}`,
      })),
      now: context.clock.now(),
      ownPath: `/me/${page.caller.scope.businessId}`,
    }),
    ...{ theme, accent },
    isFramed: frameOrigins.length > 0 || previewOf(request.query) === 'frame',
    server: publicUrl(context.config),
    path: serviceName === undefined ? path : `${path}/${serviceName}`,
    locationId: location?.id,
    date: wanted.date !== undefined && isDate(wanted.date) ? wanted.date : undefined,
    isAnyone: wanted.staff === anyone,
    moment: location && linkedMoment(wanted.time, { location, language }),
    services: offered.services,
    start: await startWithin(
      context,
      { ip: request.ip, caller: page.caller, offered },
      { chosen, location, member },
    ),
  })
  return reply.send(shown.text)
}

/**
 * Size limit of embedded data. A larger page would stay blank for long and could not be shared between
 * visitors.
 */
const maxCarriedBytes = 256 * 1024

/**
 * Returns the initial data of the page as JSON. Undefined if it is long or its address exceeded the rate
 * limit; the widget then requests it.
 */
async function startWithin(
  context: Parts,
  { ip, caller, offered }: { ip: string; caller: WidgetActor; offered: Offered },
  wanted: Pick<BookingPage, 'chosen' | 'member'> & { location: Linked | undefined },
): Promise<string | undefined> {
  if (offered.sharedBytes > maxCarriedBytes) return undefined
  const quotas = quotasOfLook('start', readClientAddress(ip), context.config.rateLimitFactor)
  if (!(await context.limiter.count(quotas)).allowed) return undefined
  const { chosen, location, member } = wanted
  const [service] = chosen
  const services =
    chosen.length > 1
      ? { items: itemsOfLink({ chosen, member }) }
      : { ...(service && { service: service.id }), ...(member && { staff: member.id }) }
  const asked = { ...services, ...(location && { location: location.id }) }
  const start = await bookingStart(context, caller, asked).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    return bookingStart(context, caller, {}) // the widget omits combinations that do not exist
  })
  return start.body().toString()
}

/** Returns the services that a link names, in order; none if one of them is not offered. */
function namedServices({ services }: Offered, names: string | undefined): Offered['services'] {
  // in a query, a plus is a space
  const parts = names?.split(/[+, ]/) ?? []
  const found = parts.slice(0, maxItems).flatMap((name) => named(services, name) ?? [])
  return found.length === parts.length ? found : []
}

/** Returns the query `items` of a link. Its person gives all services that they can. */
function itemsOfLink({ chosen, member }: Pick<BookingPage, 'chosen' | 'member'>): string {
  return itemsQuery(
    chosen.map(({ id, staff_ids }) => ({
      service_id: id,
      ...(member && staff_ids.includes(member.id) && { staff_id: member.id }),
      starts: 'after',
    })),
  )
}

interface FoundPage {
  key: string
  caller: WidgetActor
  business: PageBusiness
}

/** Finds the page of a publishable key or a business's slug; undefined if there is none. */
async function findPage(context: Context, name: string): Promise<FoundPage | undefined> {
  const key = tokenType(name) === 'publishable' ? name : await keyOfSlug(context, name.toLowerCase())
  if (key === undefined) return undefined
  const caller = await publishableCaller(context, key)
  return caller && { key, caller, business: (await brandedBusinessOf(context, caller)).business }
}

async function keyOfSlug(context: Context, slug: string): Promise<string | undefined> {
  const business = await findBusinessInLink(context, slug)
  return business && bookingPageKey(context, business.id)
}

/** Returns the choices in a link. Ignores all other parameters. */
function wantedBy(query: unknown): Wanted {
  const given = Object.entries(query as Record<string, unknown>)
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) // only strings remain
}

/** Returns the time of a link in words. Visitors without scripts see it. Undefined for any other text. */
function linkedMoment(
  time: string | undefined,
  { location: { timezone }, language }: { location: { timezone: string }; language: Language },
): string | undefined {
  const instant = time === undefined ? undefined : parseInstant(time)
  return instant && momentOf(instant, timezone, language)
}

/**
 * Returns the value of `?preview`, with which this server shows the page in a frame. Pages of other origins may not. With
 * `frame`, it looks as in a frame of a website.
 */
function previewOf(query: unknown): unknown {
  return (query as { preview?: unknown }).preview
}

/** Maximum length. Programs that preview links truncate longer texts anyway. */
const maxDescription = 300

interface BookingPage {
  business: PageBusiness
  styles: ReturnType<typeof brandedStyles>
  /** The part about the business. */
  about: Html
  /** True if websites may show it in a frame. */
  isFramed: boolean
  theme: string | undefined
  /** Replaces the colour of the business. */
  accent: string | undefined
  publishableKey: string
  language: Language
  /** The services that the link names. */
  chosen: Offered['services']
  member: Offered['staff'][number] | undefined
  locationId?: string | undefined
  date?: string | undefined
  /** True if the link leaves the choice of the person to the business. */
  isAnyone: boolean
  /** The time that the link names, in words. */
  moment: string | undefined
  services: Offered['services']
  /** Initial data of the widget as JSON. If absent, the widget requests it. */
  start: string | undefined
  /** Path of the page, relative to the server's public URL. */
  path: string
  /** The public URL of this server, such as https://book.example.com. */
  server: string
}

/** Maximum number of services to list before the widget loads. */
const maxNamed = 12

/** Renders the placeholder that visitors on a slow network see before the widget loads. */
function meanwhile({ chosen, services, business, language, moment }: BookingPage): Html {
  const name = business.brand_name ?? business.name
  const named = chosen.length > 0 ? chosen : services.slice(0, maxNamed)
  return html`<p class="intro">${language.say('page.description', { name })}</p>
    <ul class="offer">
      ${named.map((one) => html`<li><bdi>${one.name}</bdi> ${one.description?.slice(0, maxDescription) ?? ''}</li>`)}
      ${moment === undefined ? '' : html`<li>${moment}</li>`}
    </ul>`
}

function bookingPage(parts: BookingPage): Html {
  const { business, publishableKey, language, server, path, start, styles, about, ...preset } = parts
  const { chosen, member, locationId, date, isAnyone, isFramed, theme, accent } = preset
  const color = accent ?? business.brand_color
  const spoken = html`lang="${language.name}" dir="${language.direction}"`
  const [service] = chosen
  const name = business.brand_name ?? business.name
  const { say } = language
  const address = `${server}${path}`
  const services = chosen.map((one) => one.name).join(' + ')
  const what = [services, member?.name].filter(Boolean).join(' · ')
  const title = what === '' ? say('page.title', { name }) : `${what} – ${name}`
  const description = service?.description?.slice(0, maxDescription) || say('page.description', { name })
  const picture = service?.image_url ?? (service ? undefined : member?.image_url)
  const logo = business.brand_logo_url
  const shared = picture ?? business.cover_url ?? logo
  const image = shared && !shared.startsWith('/') ? shared : `${server}${shared ?? '/docs/booking-card.png'}`
  const words = languageFile(language.name)
  return html`<!doctype html>
    <html ${theme === undefined ? spoken : html`${spoken} data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="${description}" />
        <meta name="color-scheme" content="${theme ?? 'light dark'}" />
        ${color ? html`<meta name="theme-color" content="${color}" />` : html``}
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="${name}" />
        <meta property="og:title" content="${title}" />
        <meta property="og:description" content="${description}" />
        <meta property="og:url" content="${address}" />
        <meta property="og:image" content="${image}" />
        <meta
          name="twitter:card"
          content="${shared && shared === logo ? 'summary' : 'summary_large_image'}"
        />
        <link rel="canonical" href="${address}" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${styles.element}
        <script type="module" src="/widget/v1.js"></script>
        ${words === undefined ? '' : html`<link rel="modulepreload" href="/widget/${words}" />`}
        ${isFramed ? html`<script type="module" src="/docs/booking-frame.js"></script>` : html``}
      </head>
      <body ${color ? html`data-brand` : ''}>
        ${salonHead(business)}
        <main>
          <holdfast-booking
            publishable-key="${publishableKey}"
            ${service && chosen.length === 1 ? html`service-id="${service.id}"` : ''}
            ${chosen.length > 1 ? html`services="${chosen.map(({ id }) => id).join()}"` : ''}
            ${locationId === undefined ? '' : html`location-id="${locationId}"`}
            ${member ? html`staff-id="${member.id}"` : isAnyone ? html`staff-id="${anyone}"` : ''}
            ${date === undefined ? '' : html`date="${date}"`}
            ${theme === undefined ? '' : html`theme="${theme}"`}
            ${accent === undefined ? '' : html`accent="${accent}"`}
          >
            ${meanwhile(parts)} ${start === undefined ? '' : carried(start)}
          </holdfast-booking>
          <noscript><p class="message">${say('page.withoutScripts')}</p></noscript>
        </main>
        ${about}
      </body>
    </html> `
}

/** Embeds data for the widget. No text in it can close the element. */
function carried(json: string): Html {
  return trusted(`<script type="application/json">${json.replaceAll('<', '\\u003c')}</script>`)
}

/**
 * Renders the page for an unknown or revoked key or name, or for a service that `business` does not offer.
 */
function noBookingPage(language: Language, offers?: { path: string; business: PageBusiness }): Html {
  const { say } = language
  if (!offers)
    return messagePage(language, {
      title: say('page.missing'),
      content: html`<p>${say('page.missingHint')}</p>`,
      sign: 'search',
    })
  const { business, path } = offers
  const name = business.brand_name ?? business.name
  return messagePage(language, {
    title: say('page.notOffered'),
    content: html`<a class="button main" href="${path}">${say('page.seeAll', { name })}</a>`,
    ...{ sign: 'calendar', business },
  })
}

import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { bookingPageKey } from '../access/page-key.ts'
import { findShownBusiness } from '../access/session.ts'
import { html, type Html } from '../base/html.ts'
import type { Language } from '../base/languages.ts'
import type { Context } from '../bookings/context.ts'
import { firstBusinesses } from '../catalogue/business.ts'
import { Media } from '../base/wire.ts'
import { icon } from './icons.ts'
import { type MessagePage, pageLanguage, sendMessagePage } from './message-page.ts'
import { sendPage } from './page.ts'

/** A business with an accessible booking page. */
interface BookableBusiness {
  name: string
  /** The path of its booking page. */
  path: string
}

/** Maximum number of listed businesses, more than a demo has. */
const maxListed = 20

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** Registers the first page, which explains Holdfast and links to the next steps. */
export function startPageRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/',
    {
      schema: {
        operationId: 'showStartPage',
        tags: [pageTag],
        summary: 'The first page, for people',
        description:
          'In development it leads to booking pages, the console and the API reference; in production to the booking page of the only business, and to the log-in.',
        response: { 200: Media('text/html', 'The page.') },
      },
    },
    async (request, reply) => {
      if (context.config.environment === 'production') {
        const only = await context.cache.get('only-business', () => findOnly(context))
        const language = pageLanguage(request.headers['accept-language'], only?.locale)
        return sendMessagePage(reply, language, only ? entrance(language, only) : nothingHere(language))
      }
      const businesses = await context.cache.get('start-page', () => findBookable(context))
      return sendPage(reply, {
        title: 'Holdfast',
        main: overview(businesses ?? [], context.db.engine),
        more: html`<script type="module" src="/widget/v1.js"></script>`,
      })
    },
  )
}

/** Returns the key of the first booking page in development, with which developers try the API; otherwise undefined. */
export async function firstPageKey(context: Context): Promise<string | undefined> {
  if (context.config.environment === 'production') return undefined
  const businesses = await context.cache.get('start-page', () => findBookable(context))
  const first = businesses?.find(({ path }) => path !== '')
  return first && keyIn(first)
}

/** Finds the only business. Undefined if there are more, or if it has no booking page. */
async function findOnly(context: Context) {
  const [only, other] = await firstBusinesses(context, 2)
  const key = only && !other ? await bookingPageKey(context, only.id) : undefined
  if (!only || key === undefined) return undefined
  const business = await findShownBusiness(context.db.reads, { businessId: only.id })
  return { business, locale: only.locale, path: `/book/${key}` }
}

/** Finds businesses by name. The path is empty for a business without a booking page. */
async function findBookable(context: Context): Promise<BookableBusiness[]> {
  const businesses = await firstBusinesses(context, maxListed)
  return Promise.all(
    businesses.map(async ({ id, name, brand_name }) => {
      const key = await bookingPageKey(context, id)
      return { name: brand_name ?? name, path: key === undefined ? '' : `/book/${key}` }
    }),
  )
}

/** Renders the page for developers and people who try Holdfast, with the widget of the first business. */
function overview(businesses: BookableBusiness[], engine: keyof typeof engineNames): Html {
  const bookable = businesses.filter(({ path }) => path !== '')
  const [first] = bookable
  return html`<main id="main" class="front" tabindex="-1">
    <div>
      <h1>Booking that you run yourself</h1>
      <p class="lead">A client holds a slot, then books it. A slot is never sold twice.</p>
      <p class="actions">
        <a class="button main" href="/console">${icon('calendar')} Open the console</a>
        <a class="button" href="/guides">${icon('bookings')} Guides</a>
        <a class="button" href="/docs">${icon('developers')} API reference</a>
      </p>
      <h2>Booking pages</h2>
      ${
        first
          ? html`<ul class="rows">
              ${bookable.map(
                ({ name, path }) =>
                  html`<li>
                    <a href="${path}"><bdi>${name}</bdi> ${icon('next')}</a>
                  </li>`,
              )}
            </ul>`
          : html`<p>None yet. <code>npx holdfast setup</code> creates a business and its page.</p>`
      }
    </div>
    ${
      first
        ? html`<section aria-label="Widget of ${first.name}">
            <holdfast-booking publishable-key="${keyIn(first)}"></holdfast-booking>
          </section>`
        : ''
    }
    <div>
      <h2>For programs</h2>
      <ul>
        <li><a href="/openapi.json">OpenAPI document</a></li>
        <li><a href="/postman.json">Collection for Postman and Bruno</a></li>
        <li><a href="/problems">Problem codes</a></li>
        <li><a href="/embed">The widget on your website</a></li>
      </ul>
      <h2>Guides</h2>
      <p>
        Start with <a href="/guides/first-booking">a first booking</a>, or
        <a href="/guides/self-hosting">run it</a> for your own business. <a href="/guides">All guides</a>
      </p>
      <p class="soft">Serving on ${engineNames[engine]}, version ${packageJson.version}, in development.</p>
    </div>
  </main>`
}

function keyIn({ path }: BookableBusiness): string {
  return path.slice('/book/'.length)
}

function forTeam({ say }: Language): Html {
  return html`<p class="aside"><a href="/console">${say('page.logIn')}</a></p>`
}

/** Renders the page for clients of the only business. */
function entrance(
  language: Language,
  { business, path }: NonNullable<Awaited<ReturnType<typeof findOnly>>>,
): MessagePage {
  return {
    ...{ title: business.brand_name ?? business.name, business, sign: 'calendar' },
    content: html`<a class="button main" href="${path}">${language.say('page.book')}</a>
      ${forTeam(language)}`,
  }
}

function nothingHere(language: Language): MessagePage {
  return {
    title: language.say('page.empty'),
    content: html`<p>${language.say('page.emptyHint')}</p>
      ${forTeam(language)}`,
    sign: 'calendar',
  }
}

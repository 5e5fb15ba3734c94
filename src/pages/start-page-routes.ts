import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { bookingPageKey } from '../access/page-key.ts'
import { html, type Html } from '../base/html.ts'
import type { Context } from '../bookings/context.ts'
import { firstBusinesses } from '../catalogue/business.ts'
import { Media } from '../base/wire.ts'
import { icon } from './icons.ts'
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
    async (_request, reply) => {
      const isProduction = context.config.environment === 'production'
      const found = await context.cache.get('start-page', () =>
        findBookable(context, isProduction ? 2 : maxListed),
      )
      const businesses = found ?? []
      if (!isProduction)
        return sendPage(reply, {
          title: 'Holdfast',
          main: overview(businesses, context.db.engine),
          more: html`<script type="module" src="/widget/v1.js"></script>`,
        })
      const [only, other] = businesses
      const shown = only && !other && only.path !== '' ? only : undefined
      return sendPage(reply, {
        title: shown?.name ?? 'Nothing here',
        main: shown ? entrance(shown) : nothingHere,
        header: false,
      })
    },
  )
}

/** Finds businesses by name. The path is empty for a business without a booking page. */
async function findBookable(context: Context, max: number): Promise<BookableBusiness[]> {
  const businesses = await firstBusinesses(context, max)
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
        <a class="button" href="/docs">${icon('developers')} API reference</a>
      </p>
      <h2>Booking pages</h2>
      ${
        first
          ? html`<ul class="rows">
              ${bookable.map(
                ({ name, path }) =>
                  html`<li>
                    <a href="${path}"><bdi>${name}</bdi></a>
                  </li>`,
              )}
            </ul>`
          : html`<p>None yet. <code>npx holdfast setup</code> creates a business and its page.</p>`
      }
      <h2>For programs</h2>
      <ul>
        <li><a href="/openapi.json">OpenAPI document</a></li>
        <li><a href="/postman.json">Collection for Postman and Bruno</a></li>
        <li><a href="/problems">Problem codes</a></li>
        <li><a href="/embed">The widget on your website</a></li>
      </ul>
      <h2>Guides</h2>
      <p>
        They are in <code>docs/guides</code>. Start with <code>first-booking.md</code>, or with
        <code>self-hosting.md</code> for your own business.
      </p>
      <p class="soft">Serving on ${engineNames[engine]}, version ${packageJson.version}, in development.</p>
    </div>
    ${
      first
        ? html`<section aria-label="Widget of ${first.name}">
            <holdfast-booking publishable-key="${keyIn(first)}"></holdfast-booking>
          </section>`
        : ''
    }
  </main>`
}

function keyIn({ path }: BookableBusiness): string {
  return path.slice('/book/'.length)
}

/** Link for the team. */
const toConsole = html`<p class="soft"><a href="/console">Log in</a></p>`

/** Renders the page for clients of the only business. */
function entrance({ name, path }: BookableBusiness): Html {
  return html`<main id="main" class="text door" tabindex="-1">
    ${icon('calendar')}
    <h1><bdi>${name}</bdi></h1>
    <p><a class="button main" href="${path}">Book an appointment</a></p>
    ${toConsole}
  </main>`
}

const nothingHere = html`<main id="main" class="text door" tabindex="-1">
  ${icon('calendar')}
  <h1>Nothing here</h1>
  <p>To book, open the link that the business has given you.</p>
  ${toConsole}
</main>`

import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { brandedBusinessOf, publishableCaller } from '../access/key.ts'
import { webOrigin } from '../base/contact-formats.ts'
import { html, type Html } from '../base/html.ts'
import { languageNames } from '../base/languages.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { Media } from '../base/wire.ts'
import { findOffered, named, type Offered } from './booking-start.ts'
import { choice, field, filledForm, type FormState } from './form.ts'
import { sendPage } from './page.ts'
import { inkOn } from '../mails/layout.ts'
import { isSnippetColor, type SnippetWish, widgetSnippet } from './snippet.ts'

/**
 * Registers the page that creates the HTML for a website. It shows only data that the publishable key shows.
 */
export function embedRoutes(app: FastifyInstance, context: Context): void {
  const server = publicUrl(context.config)
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/embed',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'showEmbedPage',
        tags: [pageTag],
        summary: 'The lines that put the widget on a website, for people',
        description:
          'A form for a publishable key, with `key`, `service`, `staff` (ids or slugs), `locale`, `color` and `button`, and beside the lines the widget itself.',
        response: { 200: Media('text/html', 'The page.') },
      },
    },
    async (request, reply) => {
      const typed = typedOf(request.query)
      const key = typed['key'] ?? ''
      const caller = key === '' ? undefined : await publishableCaller(context, key)
      const found = caller && {
        offered: await findOffered(context, caller),
        business: (await brandedBusinessOf(context, caller)).business,
      }
      const faults: Record<string, string> = {
        ...(key !== '' &&
          !found && { key: 'No business has this key. Publishable keys begin with cal_pub_.' }),
        ...(typed['color'] && !isSnippetColor(typed['color']) && { color: 'Write it like #1a2b3c.' }),
      }
      const state: FormState = { ...filledForm(typed), faults }
      return sendPage(reply, {
        title: 'The widget on your website',
        main: embedPage(state, found?.offered, found && wishOf(typed, { server, ...found })),
        styles: '/docs/console.css',
        more: html`<script type="module" src="/docs/console.js"></script>
          ${found ? html`<script type="module" src="/widget/v1.js"></script>` : ''}`,
        forms: true,
        imageOrigin: webOrigin(found?.business.brand_logo_url ?? ''),
      })
    },
  )
}

const maxLength = 200

/** Returns the texts in the query. Repeated and overlong texts count as absent. */
function typedOf(query: unknown): Record<string, string> {
  const texts = Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value === 'string' && value.length <= maxLength ? [[name, value.trim()] as const] : [],
  )
  return Object.fromEntries(texts)
}

function wishOf(
  typed: Record<string, string>,
  { server, offered, business }: { server: string; offered: Offered; business: SnippetWish['business'] },
): SnippetWish {
  const { key = '', service = '', staff = '', locale = '', color = '', button = '' } = typed
  return {
    server,
    business,
    publishableKey: key,
    serviceId: named(offered.services, service)?.id,
    staffId: named(offered.staff, staff)?.id,
    locale: languageNames.includes(locale) ? locale : undefined,
    color: isSnippetColor(color) ? color : undefined,
    button: button === '' ? undefined : button,
  }
}

function embedPage(state: FormState, offered: Offered | undefined, wish: SnippetWish | undefined): Html {
  return html`<main id="main" class="text" tabindex="-1">
    <h1>The widget on your website</h1>
    <p>
      Enter the publishable key of a business. This page then writes the HTML for your website, and shows the
      result.
    </p>
    <form method="get" action="/embed" class="fields wide-fields">
      ${field(state, { name: 'key', label: 'Publishable key', required: true, max: maxLength })}
      ${offered ? choices(state, offered) : ''}
      <button type="submit" class="main">${offered ? 'Update' : 'Continue'}</button>
    </form>
    ${wish ? lines(wish) : ''}
  </main>`
}

function choices(state: FormState, { services, staff }: Offered): Html {
  const all = (items: { id: string; name: string }[]) => items.map(({ id, name }) => [id, name] as const)
  const spoken = languageNames.map(
    (code) => [code, new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code] as const,
  )
  return html`${choice(state, { name: 'service', label: 'Service', options: [['', 'All'], ...all(services)] })}
  ${choice(state, { name: 'staff', label: 'Person', options: [['', 'All'], ...all(staff)] })}
  ${choice(state, { name: 'locale', label: 'Language', options: [['', 'The visitor’s'], ...spoken] })}
  ${field(state, { name: 'color', label: 'Colour', hint: 'Such as #1a2b3c. If empty, the colour of the business.', max: 7 })}
  ${field(state, {
    ...{ name: 'button', label: 'Text of a button', max: 80 },
    hint: 'The button opens the form over your page. If empty, your page shows the form itself.',
  })}`
}

function lines(wish: SnippetWish): Html {
  const { publishableKey, serviceId, staffId, locale, color, button } = wish
  const attribute = (name: string, value: string | undefined) =>
    value === undefined ? html`` : html`${name}="${value}"`
  return html`<h2>HTML to paste</h2>
    <div class="fields copied">
      <label for="snippet">For your website</label>
      <textarea id="snippet" readonly rows="6">${widgetSnippet(wish)}</textarea>
      <button type="button" hidden data-copy="snippet">Copy</button>
      <p id="snippet-copied" role="status" hidden>Copied.</p>
    </div>
    <p class="soft">The key must allow your website. This server is always allowed.</p>
    <h2>Preview</h2>
    <p class="soft">This is the real form. Bookings made here count.</p>
    <div ${color ? html`data-accent="${color}" data-on-accent="${inkOn(color)}"` : ''}>
      ${
        button === undefined
          ? html`<holdfast-booking
              publishable-key="${publishableKey}"
              ${attribute('service-id', serviceId)}
              ${attribute('staff-id', staffId)}
              ${attribute('locale', locale)}
            ></holdfast-booking>`
          : html`<a
              class="button main"
              href="/book/${publishableKey}"
              data-holdfast-open="${publishableKey}"
              ${attribute('data-service-id', serviceId)}
              ${attribute('data-staff-id', staffId)}
              ${attribute('data-locale', locale)}
            >
              ${button}
            </a>`
      }
    </div>`
}

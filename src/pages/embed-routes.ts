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
import { choice, copied, field, filledForm, type FormState, radios } from './form.ts'
import { sendPage } from './page.ts'
import {
  isSnippetColor,
  reactSnippet,
  snippetAttributes,
  snippetModes,
  snippetPath,
  snippetText,
  snippetThemes,
  type SnippetWish,
  widgetSnippet,
  wordpressSnippet,
} from './snippet.ts'
import { styleRoute, stylesOf } from './style-routes.ts'

const styles = '/docs/embed.css'

/**
 * Registers the page that creates the lines for a website. It shows only data that the publishable key shows.
 */
export function embedRoutes(app: FastifyInstance, context: Context): void {
  const server = publicUrl(context.config)
  styleRoute(app, {
    url: styles,
    operationId: 'showEmbedStyles',
    summary: 'The styles of the page that creates lines for a website',
    styles: stylesOf('console.css', 'page.css', 'embed.css'),
  })
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/embed',
    {
      config: { countsVisits: true },
      schema: {
        operationId: 'showEmbedPage',
        tags: [pageTag],
        summary: 'The lines that put the widget on a website, for people',
        description:
          'A form for a publishable key, with `key`, `mode` (inline, popup, floating, frame), `service`, `staff` (ids or slugs), `locale`, `color`, `theme`, `button` and `success`, and beside the lines the widget itself.',
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
      const wish = found && wishOf(typed, { server, ...found })
      const state: FormState = { ...filledForm({ ...typed, mode: wish?.mode ?? 'inline' }), faults }
      return sendPage(reply, {
        title: 'The widget on your website',
        main: embedPage(state, found?.offered, wish),
        styles,
        more: html`<script type="module" src="/docs/console.js"></script>
          <script type="module" src="/docs/embed.js"></script>
          ${found ? html`<script type="module" src="/widget/holdfast.js"></script>` : ''}`,
        forms: true,
        frames: true,
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
  const { key = '', service = '', staff = '', locale = '', color = '', button = '', success = '' } = typed
  return {
    server,
    business,
    publishableKey: key,
    // links of earlier releases name the text of a button only
    mode: snippetModes.find((one) => one === typed['mode']) ?? (button === '' ? 'inline' : 'popup'),
    serviceId: named(offered.services, service)?.id,
    staffId: named(offered.staff, staff)?.id,
    locale: languageNames.includes(locale) ? locale : undefined,
    accent: isSnippetColor(color) ? color : undefined,
    theme: snippetThemes.find((one) => one === typed['theme']),
    successUrl: success === '' ? undefined : success,
    button: button === '' ? undefined : button,
  }
}

function embedPage(state: FormState, offered: Offered | undefined, wish: SnippetWish | undefined): Html {
  return html`<main id="main" class="text studio" tabindex="-1">
    <h1>The widget on your website</h1>
    <p>
      Enter the publishable key of a business. This page then writes the lines for your website, and shows the
      result.
    </p>
    <div class="parts">
      <form method="get" action="/embed" class="fields">
        ${field(state, { name: 'key', label: 'Publishable key', required: true, max: maxLength })}
        ${offered ? choices(state, offered) : ''}
        <button type="submit" class="main">${offered ? 'Update' : 'Continue'}</button>
      </form>
      ${wish ? preview(wish) : ''}
    </div>
    ${wish ? lines(wish) : ''}
  </main>`
}

const modeNames: Record<SnippetWish['mode'], string> = {
  inline: 'In the page',
  popup: 'Over the page',
  floating: 'Floating button',
  frame: 'Frame',
}

function choices(state: FormState, { services, staff }: Offered): Html {
  const all = (items: { id: string; name: string }[]) => items.map(({ id, name }) => [id, name] as const)
  const spoken = languageNames.map(
    (code) => [code, new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code] as const,
  )
  return html`<div class="modes">
      ${radios(state, {
        ...{ name: 'mode', label: 'Form' },
        options: snippetModes.map((mode) => [mode, modeNames[mode]]),
      })}
    </div>
    ${field(state, { name: 'color', label: 'Colour', hint: 'Such as #1a2b3c. If empty, the colour of the business.', max: 7 })}
    ${choice(state, {
      ...{ name: 'theme', label: 'Theme' },
      options: [
        ['', 'That of your page'],
        ['light', 'Light'],
        ['dark', 'Dark'],
        ['light dark', 'The visitor’s'],
      ],
    })}
    ${choice(state, { name: 'service', label: 'Service', options: [['', 'All'], ...all(services)] })}
    ${choice(state, { name: 'staff', label: 'Person', options: [['', 'All'], ...all(staff)] })}
    ${choice(state, { name: 'locale', label: 'Language', options: [['', 'The visitor’s'], ...spoken] })}
    ${field(state, { name: 'button', label: 'Text of the link or button', max: 80 })}
    ${field(state, {
      ...{ name: 'success', label: 'Page after the booking', max: maxLength },
      hint: 'Such as /thanks. If empty, the widget shows the confirmation. No frame can lead to it.',
    })}`
}

/** Renders the real widget. The script of the page keeps it when the options change, and changes its attributes. */
function preview(wish: SnippetWish): Html {
  return html`<section id="preview" data-mode="${wish.mode}" aria-labelledby="preview-heading">
    <h2 id="preview-heading">Preview</h2>
    <p class="soft">
      This is the real widget. Bookings made here count.
      <span id="at-corner" ${wish.mode === 'floating' ? '' : html`hidden`}
        >The button is at the corner of this window.</span
      >
    </p>
    ${example({ ...wish, successUrl: undefined })}
  </section>`
}

function example(wish: SnippetWish): Html {
  const { publishableKey, mode } = wish
  const given = (prefix: string) =>
    Object.entries(snippetAttributes(wish)).map(([name, value]) =>
      value === undefined ? '' : html` ${prefix}${name}="${value}"`,
    )
  const text = snippetText(wish)
  switch (mode) {
    case 'inline':
      return html`<holdfast-booking publishable-key="${publishableKey}" ${given('')}></holdfast-booking>`
    case 'popup':
      return html`<a
        class="button main"
        href="${snippetPath(wish)}"
        data-holdfast-open="${publishableKey}"
        ${given('data-')}
        >${text}</a
      >`
    case 'floating':
      return html`<holdfast-button publishable-key="${publishableKey}" ${given('')}
        ><a href="${snippetPath(wish)}">${text}</a></holdfast-button
      >`
    case 'frame': {
      const path = snippetPath(wish)
      return html`<iframe
        src="${path}${path.includes('?') ? '&' : '?'}preview=frame"
        title="${text}"
      ></iframe>`
    }
  }
}

function lines(wish: SnippetWish): Html {
  const words = { copy: 'Copy', copied: 'Copied.' }
  const part = (name: string, label: string, text: string, isOpen = false) =>
    html`<details name="lines" ${isOpen ? html`open` : ''}>
      <summary>${label}</summary>
      ${copied(words, { name, label: `For ${label}`, text, rows: 8 })}
    </details>`
  return html`<h2>Lines for your website</h2>
    <section id="lines" class="card folds">
      ${part('html', 'HTML', widgetSnippet(wish), true)} ${part('react', 'React', reactSnippet(wish))}
      ${part('wordpress', 'WordPress', wordpressSnippet(wish))}
    </section>
    <p class="soft" id="needs-frames" ${wish.mode === 'frame' ? '' : html`hidden`}>
      The key must allow frames.
    </p>
    <p class="soft">
      The key must allow your website. This server is always allowed. The
      <a href="/guides/widget">guide</a> explains the packages for React, the plugin for WordPress, and all
      attributes.
    </p>`
}

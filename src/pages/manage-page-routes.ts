import { pageTag } from '../http/openapi.ts'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { html } from '../base/html.ts'
import { languageFor, languageNames } from '../base/languages.ts'
import { Media } from '../base/wire.ts'
import { pageStyles } from './message-page.ts'
import { contentSecurityPolicy } from './page.ts'

/**
 * Registers the page behind manage links. It is the same for everyone, because the token is in the URL's
 * fragment, which only its script reads. Changes need a click, because mail scanners open links and run
 * scripts.
 */
export function managePageRoutes(app: FastifyInstance): void {
  const page = managePage().text
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/manage',
    {
      schema: {
        operationId: 'showManagePage',
        tags: [pageTag],
        summary: 'The page on which a client manages a booking',
        description: 'The same for everybody. The token is in the fragment of its address.',
        response: { 200: Media('text/html', 'The page.') },
      },
    },
    (_request, reply) =>
      reply
        .headers({
          // brands may host their logos anywhere
          'content-security-policy': contentSecurityPolicy(false, 'https:', {}, pageStyles.source),
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-cache',
        })
        .type('text/html; charset=utf-8')
        .send(page),
  )
}

function managePage() {
  const title = languageFor('en').say('manage.title')
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        ${pageStyles.element}
        <script type="module" src="/widget/manage.js"></script>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <holdfast-manage></holdfast-manage>
          <noscript>
            ${languageNames
              .map((name) => languageFor(name))
              .map(
                ({ name, direction, say }) =>
                  html`<p class="message" lang="${name}" dir="${direction}">
                    ${say('page.manageWithoutScripts')}
                  </p>`,
              )}
          </noscript>
        </main>
      </body>
    </html> `
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Media } from '../base/wire.ts'
import { contentSecurityPolicy, html } from './page.ts'

/** For readers of each language of the widget: without a script, the token cannot be read. */
export const withoutScripts = {
  en: 'This page needs JavaScript. How to reach us is in our mail to you.',
  de: 'Diese Seite braucht JavaScript. Wie Sie uns erreichen, steht in unserer E-Mail an Sie.',
  fr: 'Cette page a besoin de JavaScript. Nos coordonnées sont dans l’e-mail que nous vous avons envoyé.',
  es: 'Esta página necesita JavaScript. Nuestros datos de contacto están en el correo que le enviamos.',
  ar: 'تحتاج هذه الصفحة إلى JavaScript. تجد وسيلة التواصل معنا في رسالتنا إليك.',
  pl: 'Ta strona wymaga JavaScriptu. Dane kontaktowe są w naszym e-mailu.',
  it: 'Questa pagina richiede JavaScript. I nostri contatti sono nell’e-mail che abbiamo inviato.',
  pt: 'Esta página precisa de JavaScript. Os nossos dados estão no e-mail que enviamos.',
  nl: 'Deze pagina heeft JavaScript nodig. Hoe je ons bereikt, staat in onze mail aan jou.',
  tr: 'Bu sayfa için JavaScript gereklidir. İletişim bilgilerimiz size gönderdiğimiz e-postadadır.',
  ja: 'このページにはJavaScriptが必要です。連絡先は、お送りしたメールに記載されています。',
}

/**
 * The page behind manage links. It is the same for everybody: the token is in the fragment of its address, which only its
 * script reads. That the script changes anything needs a click: programs that look through mails open links and run scripts.
 */
export function managePageRoutes(app: FastifyInstance): void {
  const page = managePage().text
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/manage',
    {
      schema: {
        operationId: 'showManagePage',
        tags: ['Service'],
        summary: 'The page on which a client manages a booking',
        description: 'The same for everybody. The token is in the fragment of its address.',
        response: { 200: Media('text/html', 'The page.') },
      },
    },
    (_request, reply) =>
      reply
        .headers({
          // brands keep their logos anywhere
          'content-security-policy': contentSecurityPolicy(false, 'https:'),
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
  const texts = Object.entries(withoutScripts)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Your appointment</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/booking-page.css" />
        <script type="module" src="/widget/manage.js"></script>
      </head>
      <body>
        <main>
          <h1>Your appointment</h1>
          <holdfast-manage></holdfast-manage>
          <noscript>
            ${texts.map(
              ([language, text]) =>
                html`<p class="message" lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
                  ${text}
                </p>`,
            )}
          </noscript>
        </main>
      </body>
    </html> `
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { html } from '../../base/html.ts'
import { Media, StrictObject } from '../../base/wire.ts'
import type { Context } from '../../bookings/context.ts'
import { appIcons, appColors, serviceWorker } from '../../pages/app-files.ts'
import { icon } from '../../pages/icons.ts'
import { sendPage } from '../../pages/page.ts'
import { consoleHead, consoleStyles, findReader, pathOf } from '../frame/console-page.ts'
import { page, tags } from '../frame/console-route.ts'
import { type ConsoleLanguage, languageOf } from '../frame/texts.ts'

/* The console as an app: its manifest, its service worker, and the page without a connection. */

/** The policy of its response applies to a service worker. */
const workerPolicy = "default-src 'none'; connect-src 'self'; img-src 'self'"

const Locale = StrictObject({ locale: Type.Optional(Type.String({ maxLength: 100 })) })

/** Returns the language that an address names, or else the browser's. */
function languageIn(request: FastifyRequest<{ Querystring: { locale?: string } }>): ConsoleLanguage {
  const { locale } = request.query
  return languageOf(locale === undefined ? request : { headers: { 'accept-language': locale } })
}

export function appRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/console/manifest.webmanifest',
    {
      schema: {
        operationId: 'showManifest',
        tags,
        summary: 'The console as an app to install',
        description: 'Named after the business of who is logged in.',
        response: { 200: Media('application/manifest+json', 'The manifest.', Type.Object({})) },
      },
    },
    async (request, reply) => {
      const visit = (await findReader(context, request, undefined))?.visit
      const { texts, locale } = visit ?? languageOf(request)
      const name = visit?.business?.name ?? 'Holdfast'
      const at = (path: string, query = {}) => (visit ? pathOf(path, visit, query) : path)
      const manifest = {
        ...{ id: '/console', name, short_name: name, start_url: '/console', scope: '/console' },
        ...{ display: 'standalone', lang: locale, dir: 'auto' },
        ...{ theme_color: appColors.light, background_color: appColors.ground, icons: appIcons },
        shortcuts: [
          { name: texts.frame.book, url: at('/console/book') },
          { name: texts.frame.today, url: at('/console', { view: 'list' }) },
        ],
      }
      return sendFresh(reply, 'application/manifest+json').send(JSON.stringify(manifest))
    },
  )
  routes.get(
    '/console/service-worker.js',
    {
      schema: {
        operationId: 'showServiceWorker',
        tags,
        summary: 'The service worker of the console',
        description: 'Shows notifications, and a page while there is no connection. Keeps no data.',
        querystring: Locale,
        response: { 200: Media('text/javascript', 'The script.') },
      },
    },
    (request, reply) => {
      const language = languageIn(request)
      const address = `/console/offline?locale=${encodeURIComponent(language.locale)}`
      return sendFresh(reply, 'text/javascript; charset=utf-8')
        .header('service-worker-allowed', '/console')
        .header('content-security-policy', workerPolicy)
        .send(serviceWorker(address, offlineBody(language).text))
    },
  )
  routes.get(
    '/console/offline',
    {
      schema: {
        operationId: 'showOffline',
        tags,
        summary: 'The page of the console without a connection',
        description: 'The same for everybody. The service worker shows it in place of any page.',
        querystring: Locale,
        response: { 200: page },
      },
    },
    (request, reply) => {
      const language = languageIn(request)
      return sendPage(reply, {
        title: language.texts.offline.title,
        locale: language.locale,
        more: consoleHead,
        styles: consoleStyles,
        header: false,
        main: offlineBody(language),
      })
    },
  )
}

function sendFresh(reply: FastifyReply, type: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff').type(type)
}

/** Its link leads to the address that was asked for. */
function offlineBody({ texts: { offline: texts } }: ConsoleLanguage) {
  return html`<main id="main" class="text gate offline" tabindex="-1">
    ${icon('offline')}
    <h1>${texts.title}</h1>
    <p>${texts.hint}</p>
    <p><a class="button main" href="">${texts.again}</a></p>
  </main>`
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { effectivePlan, hasRole } from '../../access/actor.ts'
import { openBookingPage, readPageKey } from '../../access/page-key.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { publicUrl } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { changeBusinessInScope, showBusinessInScope } from '../../catalogue/business.ts'
import { changeKeyInScope } from '../../catalogue/business-keys.ts'
import { ChangeBusiness } from '../../catalogue/business-schemas.ts'
import { serviceKind } from '../../catalogue/catalogue-kinds.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { ChangeKey } from '../../catalogue/key-schemas.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import {
  choice,
  copied,
  faultSummary,
  filledForm,
  type FormState,
  hidden,
  type Typed,
} from '../../pages/form.ts'
import { widgetSnippet } from '../../pages/snippet.ts'
import { listItems } from '../frame/lists.ts'
import { businessOf, doneNotice, findVisit, pathOf } from '../frame/console-page.ts'
import {
  assertNoFaults,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
  tags,
} from '../frame/console-route.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { emptyState } from '../frame/empty-state.ts'
import { qrCode, qrCodeFile } from '../frame/qr-code.ts'
import { color } from '../frame/color-field.ts'
import { fieldsOf, fillRows, optional, readRows, type Rows, text } from '../frame/form-rows.ts'
import { picture } from '../frame/picture-field.ts'
import type { ConsoleLanguage } from '../frame/texts.ts'
import { privateLinkNote } from './public-address.ts'
import { offeredSlug, slugFaults } from '../frame/shown-form.ts'
import { seeOther } from '../../pages/page.ts'

/** Registers the page about the booking page and the form on the business's website. */
export function websiteRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [websitePage(context)])
  qrCodeRoute(app, context)
}

const path = '/console/website'
const ServiceParameter = Type.Optional(Type.String({ maxLength: 40 }))

type Business = Awaited<ReturnType<typeof showBusinessInScope>>
type PageKey = NonNullable<Awaited<ReturnType<typeof readPageKey>>>

interface Website {
  business: Business
  pageKey: PageKey | undefined
  /** Bookable services. */
  services: Service[]
  /** The service of the links and snippet; undefined for all. */
  only: Service | undefined
}

async function readWebsite(
  context: Context,
  { person, business: { id } }: BusinessVisit,
  serviceId?: string,
): Promise<Website> {
  const [business, pageKey, services] = await Promise.all([
    showBusinessInScope(context, person, id),
    readPageKey(context, id),
    listItems(context, person, { kind: serviceKind, businessId: id }),
  ])
  const active = services.filter((service) => service.active)
  return { business, pageKey, services: active, only: active.find((one) => one.id === serviceId) }
}

function websitePage(context: Context): ConsoleRoute {
  const read = (visit: BusinessVisit, serviceId?: string) => readWebsite(context, visit, serviceId)
  const server = publicUrl(context.config)
  return {
    path,
    name: 'WebsitePage',
    summary: 'The booking page and the website of a business',
    role: 'manager',
    query: { service: ServiceParameter },
    show: async (visit, { query }) => {
      const website = await read(visit, query['service'])
      const state = filledForm(fillRows(websiteRows(visit), website.business))
      return shown(visit, website, { server, state, done: query['done'] })
    },
    form: {
      rows: websiteRows,
      act: async (visit, typed) => {
        if (visit.person.role !== 'owner')
          assertNoFaults({ '': visit.texts.setUp.notYoursWhy({ role: visit.texts.roles.owner }) })
        if (typed['do'] === 'slug') assertNoFaults(slugFaults(visit, typed))
        await save(context, visit, { typed, website: await read(visit) })
        return { path, query: { done: isOfWebsite(typed) ? 'website' : 'saved' } }
      },
      again: async (visit, state, { query }) =>
        shown(visit, await read(visit, query['service']), {
          server,
          state: {
            ...state,
            typed: {
              ...fillRows(websiteRows(visit), (await read(visit)).business),
              ...state.typed,
              ...slugOffer(visit, state),
            },
          },
        }),
    },
  }
}

/** Fills in the suggested slug. */
function slugOffer(visit: BusinessVisit, { typed: { slug = '' } }: FormState): Typed {
  const offered = offeredSlug(slug, visit)
  return offered === undefined ? {} : { slug: offered }
}

/** Registers the printable QR code of the booking page's link. */
function qrCodeRoute(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${path}/qr-code.svg`,
    {
      schema: {
        operationId: 'saveQrCode',
        tags,
        summary: "The QR code of the booking page's link, for managers who are logged in",
        description: 'An image to print, which a browser saves. With `service` it leads to that service.',
        querystring: StrictObject({
          business: Type.Optional(Type.String({ maxLength: 500 })),
          service: ServiceParameter,
        }),
        response: {
          200: {
            description: 'The image, or the form to log in.',
            content: { 'image/svg+xml': { schema: Type.String() }, 'text/html': { schema: Type.String() } },
          },
          303: Type.Null({ description: 'To the page: for those who may not, or without a booking page.' }),
          ...problems('not_found'),
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(context, reply, { next: path })
      const { business, person } = visit
      if (!hasRole(person, 'manager') || !business) return seeOther(reply, pathOf(path, visit))
      const website = await readWebsite(context, { ...visit, business }, request.query.service)
      if (!website.pageKey) return seeOther(reply, pathOf(path, visit))
      return reply
        .headers({
          'content-disposition': 'attachment; filename="booking-page.svg"',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .type('image/svg+xml')
        .send(qrCodeFile(linkOf(website, { server: publicUrl(context.config), key: website.pageKey.key })))
    },
  )
}

/** The fields of all forms on the page. Each form omits the others. */
function websiteRows({ texts }: ConsoleLanguage): Rows<Business & PageOrigins> {
  const { website: words } = texts
  return [
    ['slug', optional({ max: 60 }), words.slug, words.slugHint],
    ['allowed_origins', text({ max: 2_000, required: true }), words.newOrigin, words.originHint],
    ['brand_name', optional({ max: 200 }), words.brandName, words.brandNameHint],
    ['brand_color', color(texts), words.color],
    ['brand_logo_url', picture('logo', texts), words.logo, words.logoHint],
    ['cover_url', picture('cover', texts), words.cover, words.coverHint],
  ]
}

/** Origins of a form that allows or forbids one website. */
interface PageOrigins {
  allowed_origins: string[]
}

/** Performs the action of one of the page's forms. */
async function save(
  context: Context,
  visit: BusinessVisit,
  { typed, website: { pageKey } }: { typed: Typed; website: Website },
): Promise<void> {
  const { person, business } = visit
  const { id } = business
  if (['brand', 'slug'].includes(typed['do'] ?? '')) {
    const change = checkedForm(ChangeBusiness, readRows(websiteRows(visit), typed))
    await changeBusinessInScope(context, person, { id, change })
    return
  }
  if (typed['do'] === 'open') {
    await openBookingPage(context, person, id)
    return
  }
  if (!pageKey) throw new Problem('not_found', 'There is no booking page.')
  const { allowed_origins: origin = '' } = typed
  const change = (present: string[] | null) => {
    const all = present ?? []
    const allowed_origins =
      typed['do'] === 'forbid'
        ? all.filter((one) => one !== origin)
        : [...new Set([...all, originOf(origin)])]
    return checkedForm(ChangeKey, { allowed_origins })
  }
  await changeKeyInScope(context, person, { businessId: id, keyId: pageKey.id, change })
}

/** Returns the origin of a copied URL. Leaves other texts for the API to refuse. */
function originOf(text: string): string {
  const isBareName = !text.includes('://') && !/[.:]|^localhost$/.test(text) // such as a single word
  const address = text.includes('://') ? text : `https://${text}`
  return !isBareName && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : text
}

/** Forms that show their faults themselves, because they are far from the top of the page. */
const ownForms = ['slug', 'allow', 'brand']

const isOfWebsite = (typed: Typed) => ['allow', 'forbid'].includes(typed['do'] ?? '')

const isSent = ({ typed }: FormState, form: string) => typed['do'] === form

/** Renders the faults of a submitted form, above its fields. */
function formFault(visit: BusinessVisit, state: FormState, form: string): Html {
  return isSent(state, form) ? faultSummary(state, visit.texts.setUp) : html``
}

/** Renders the fields of a form. The page scrolls to the first one with a fault. */
function focused(visit: BusinessVisit, state: FormState, pointers: readonly string[]) {
  const focus = pointers.find((name) => state.faults[name] !== undefined)
  return fieldsOf(websiteRows(visit), state, { focus })
}

interface Shown {
  server: string
  state: FormState
  done?: string | undefined
}

function shown(visit: BusinessVisit, website: Website, { server, state, done }: Shown): ShownPage {
  const { website: words, setUp } = visit.texts
  const { pageKey } = website
  return {
    title: words.title,
    section: 'website',
    frames: true,
    body: html`<h1>${words.title}</h1>
      ${doneNotice({ saved: setUp.done.saved, website: setUp.done.saved }, done)}
      ${ownForms.some((form) => isSent(state, form)) ? '' : faultSummary(state, setUp)}
      <div class="two">
        <div>
          ${pageKey ? linkPart(visit, website, { server, key: pageKey.key, state, done }) : closedPart(visit)}
          ${lookPart(visit, website, state)}
          <p><a href="${pathOf('/console/services', visit)}">${words.toServices}</a></p>
        </div>
        ${
          pageKey
            ? html`<div class="preview">
                <h2>${words.preview}</h2>
                <iframe
                  class="phone"
                  src="${pathOfPage(website)}&amp;preview"
                  title="${words.preview}"
                ></iframe>
              </div>`
            : ''
        }
      </div>`,
  }
}

function pathOfPage({ pageKey, only }: Website): Html {
  return html`/book/${pageKey?.key ?? ''}?${only ? html`service=${only.id}` : ''}`
}

function closedPart(visit: BusinessVisit): Html {
  const { website: words } = visit.texts
  return emptyState(
    'website',
    words.closed,
    visit.person.role === 'owner'
      ? html`<form method="post">${hidden({ do: 'open' })}<button class="main">${words.open}</button></form>`
      : undefined,
  )
}

/** Renders the link, and folded: its name, links to one service, and the HTML for the owner's website. */
function linkPart(
  visit: BusinessVisit,
  website: Website,
  { server, key, state, done }: Shown & { key: string },
): Html {
  const { website: words } = visit.texts
  const { services, only, pageKey, business } = website
  const link = linkOf(website, { server, key })
  const snippet = widgetSnippet({
    ...{ server, publishableKey: key, business },
    ...{ mode: 'inline', serviceId: only?.id },
  })
  return html`<section class="card">
      ${copied(words, { name: 'link', label: words.link, text: link, rows: 1 })}
      <p><a href="${link.slice(server.length)}">${words.openPage}</a></p>
      <div class="with-code">
        ${qrCode(link, words.qrCode({ link }))}
        <div>
          <p class="soft">${privateLinkNote(visit, server) ?? words.qrCodeHint}</p>
          <a class="button" href="${pathOf(`${path}/qr-code.svg`, visit, { service: only?.id })}" download
            >${words.saveQrCode}</a
          >
        </div>
      </div>
    </section>
    <section class="card folds">
      ${folded(words.slug, slugPart(visit, state), isSent(state, 'slug'))}
      ${folded(words.services, services.length > 1 ? serviceChoice(visit, website) : html``, only !== undefined)}
      ${folded(
        words.snippet,
        html`${copied(words, { name: 'snippet', label: words.snippet, text: snippet, rows: 5 })}
          <p class="soft">${words.snippetHint}</p>
          ${pageKey ? originPart(visit, pageKey, state) : ''}`,
        isOfWebsite(state.typed) || done === 'website',
      )}
    </section>`
}

function folded(summary: string, content: Html, isOpen: boolean): Html {
  if (content.text === '') return content
  return html`<details ${isOpen ? html`open` : ''}>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

/** Renders the choice of the service to which link, code and snippet lead. */
function serviceChoice(visit: BusinessVisit, { services, only }: Website): Html {
  const { website: words } = visit.texts
  return html`<form method="get" action="${path}" class="fields wide-fields" data-apply>
    ${hidden({ business: businessOf(visit) })}
    ${choice(filledForm({ service: only?.id ?? '' }), {
      ...{ name: 'service', label: words.services, hint: words.servicesHint },
      options: [['', words.allServices], ...services.map(({ id, name }) => [id, name] as const)],
    })}
    <button type="submit">${words.choose}</button>
  </form>`
}

/** Returns the booking page's link for clients. */
function linkOf(website: Website, { server, key }: { server: string; key: string }): string {
  return `${server}/book/${website.business.slug ?? key}${ofService(website)}`
}

/** Returns the path of the chosen service, relative to the business. */
function ofService({ only, business }: Website): string {
  if (!only) return ''
  return business.slug !== null && only.slug !== null ? `/${only.slug}` : `?service=${only.id}`
}

/** Renders the slug in the link, which only the owner can change. */
function slugPart(visit: BusinessVisit, state: FormState): Html {
  const { setUp } = visit.texts
  if (visit.person.role !== 'owner') return html``
  return html`<form method="post" class="fields wide-fields">
    ${hidden({ do: 'slug' })} ${formFault(visit, state, 'slug')} ${focused(visit, state, ['slug'])('slug')}
    <button type="submit">${setUp.save}</button>
  </form>`
}

function originPart(visit: BusinessVisit, { origins }: PageKey, state: FormState): Html {
  const { website: words } = visit.texts
  const isOwner = visit.person.role === 'owner'
  return html`<h2>${words.origins}</h2>
    ${
      origins === null
        ? html`<p>${words.anyOrigin}</p>`
        : origins.length === 0
          ? html`<p>${words.noOrigin}</p>`
          : html`<ul class="rows">
              ${origins.map(
                (origin) =>
                  html`<li>
                    <span>✓ <bdi>${origin}</bdi> ${words.allowed}</span>
                    ${
                      isOwner
                        ? html`<form method="post">
                            ${hidden({ do: 'forbid', allowed_origins: origin })}
                            <button type="submit">
                              ${words.forbid}<span class="unseen"> ${origin}</span>
                            </button>
                          </form>`
                        : ''
                    }
                  </li>`,
              )}
            </ul>`
    }
    ${
      isOwner && origins !== null
        ? html`<form method="post" class="fields wide-fields">
            ${hidden({ do: 'allow' })} ${formFault(visit, state, 'allow')}
            ${focused(visit, state, ['allowed_origins'])('allowed_origins')}
            <button type="submit">${words.allow}</button>
          </form>`
        : ''
    }`
}

/** Renders name, colour and logo, which need a plan, and the picture on top of the page. */
function lookPart(visit: BusinessVisit, { business }: Website, state: FormState): Html {
  const { website: words, setUp, roles } = visit.texts
  const isAllowed = effectivePlan(business.plan, business.hub_plan) === 'enterprise'
  if (visit.person.role !== 'owner')
    return html`<h2>${words.brand}</h2>
      <p class="soft">${setUp.notYoursWhy({ role: roles.owner })}</p>`
  const brand = isAllowed ? (['brand_name', 'brand_color', 'brand_logo_url'] as const) : []
  const shown = [...brand, 'cover_url'] as const
  return html`<form method="post" class="fields wide-fields">
    ${hidden({ do: 'brand' })} ${formFault(visit, state, 'brand')}
    <section class="card">
      <h2>${isAllowed ? words.brand : words.cover}</h2>
      ${isAllowed ? '' : html`<p class="soft">${words.brandPlan}</p>`}
      ${focused(visit, state, shown)(...shown)}
    </section>
    <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
  </form>`
}

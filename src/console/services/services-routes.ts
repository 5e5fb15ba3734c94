import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { type CatalogueKind } from '../../catalogue/catalogue.ts'
import {
  locationKind,
  resourceKind,
  serviceKind,
  staffKind,
  writableServices,
} from '../../catalogue/catalogue-kinds.ts'
import type { Location, StaffMember } from '../../catalogue/location-and-staff-schemas.ts'
import type { BookableResource } from '../../catalogue/resource-schemas.ts'
import { ChangeService, CreateService, type Service } from '../../catalogue/service-schemas.ts'
import { moveService } from '../../catalogue/service-order.ts'
import type { Move } from '../../catalogue/order-rules.ts'
import { focusIf, type FormState, hidden, type Typed } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { emptyState } from '../frame/empty-state.ts'
import { categoryHues, hueMark, thumbnail } from '../frame/faces.ts'
import { lengthText } from '../frame/formats.ts'
import { servicePriceText } from '../frame/prices.ts'
import { listItems, nextPage } from '../frame/lists.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  assertNoFaults,
  type BusinessVisit,
  type ConsoleRoute,
  consoleRoutes,
} from '../frame/console-route.ts'
import { addButton, itemPage, listPage, rowsOf } from '../frame/item-page.ts'
import { slugFaults } from '../frame/shown-form.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { couponsPath } from './coupons-routes.ts'
import {
  classFaults,
  hasIdleFees,
  idleStartsOf,
  newService,
  serviceFields,
  serviceRows,
  serviceSummary,
  startFaults,
} from './service-form.ts'
import { needFaults } from './service-parts.ts'

/** Registers the services of a business. */
export function servicesRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [serviceList(context), itemPage(context, servicePage(context))])
}

function serviceList(context: Context): ConsoleRoute {
  const show: Required<ConsoleRoute>['show'] = async (visit, { query }) => {
    const { texts } = visit
    const words = texts.services
    const page = await listPage(context, visit, { kind: serviceKind, cursor: query['cursor'] })
    const hues = categoryHues(page.data)
    const menu = (id: string, name: string, isGroup = false) =>
      moveMenu(visit, { id, name, isGroup, isOpen: query['open'] === id })
    const rows = page.data.map((service) => ({
      ...service,
      path: `/console/services/${service.id}`,
      mark: html`<span class="grip" hidden data-grip>${icon('grip')}</span
        >${thumbnail(service, hues.get(service.category ?? ''))}`,
      about: html`${serviceSummary(service, visit)}`,
      ends: [lengthText(visit, service.duration_minutes), servicePriceText(visit, service)],
      more: menu(service.id, service.name),
    }))
    const groups = [...Map.groupBy(rows, ({ category }) => category)]
    const heading = (category: string, first: string) =>
      html`<div class="head order">
        <h2>${hueMark(hues.get(category))} <bdi>${category}</bdi></h2>
        ${groups.length > 1 ? menu(first, category, true) : ''}
      </div>`
    return {
      title: words.title,
      section: 'services',
      body: html`<div class="head">
          <h1>${words.title}</h1>
          ${
            rows.length === 0
              ? ''
              : html`<a class="button" href="${pathOf(couponsPath, visit)}">${texts.coupons.title}</a>
                  ${addButton(visit, '/console/services', words.add)}`
          }
        </div>
        ${doneNotice({ ...texts.setUp.done, moved: words.moved }, query['done'])}
        ${rows.length === 0 ? emptyState('services', words.empty, addButton(visit, '/console/services', words.add)) : ''}
        ${groups.map(
          ([category, ofGroup]) =>
            html`<section data-order>
              ${category === null ? '' : heading(category, ofGroup.find(({ active }) => active)?.id ?? '')}
              ${rowsOf(visit, words.activity, ofGroup)}
            </section>`,
        )}
        <form method="post" id="order">${hidden({ move: '' })}</form>
        ${nextPage(visit, '/console/services', page.next_cursor)}`,
    }
  }
  return {
    path: '/console/services',
    name: 'ServicesPage',
    summary: 'The services of a business',
    role: 'manager',
    show,
    form: {
      act: async (visit, typed) => {
        const move = moveOf(typed['to'] ?? typed['move'] ?? '')
        const { person, business } = visit
        if (move) await moveService(context, person, { businessId: business.id, move })
        return { path: '/console/services', query: { ...(move && { done: 'moved', open: move.id }) } }
      },
      again: (visit, _state, address) => show(visit, address),
    },
  }
}

/** Renders the menu that moves a service or its category by one. It needs no script, and no mouse. */
function moveMenu(
  { texts: { services: words } }: BusinessVisit,
  { id, name, isGroup, isOpen }: { id: string; name: string; isGroup: boolean; isOpen: boolean },
): Html {
  const button = (to: 'up' | 'down', text: string) =>
    html`<li><button form="order" name="to" value="${id}:${to}${isGroup ? ':all' : ''}">${text}</button></li>`
  return html`<details class="menu order at-end">
    <summary ${focusIf(isOpen && !isGroup)}>
      ${icon('more')}<span class="unseen">${words.moveOf({ name })}</span>
    </summary>
    <ul>
      ${button('up', words.moveUp)} ${button('down', words.moveDown)}
    </ul>
  </details>`
}

/** Reads a move, such as `<id>:up`, `<id>:down:all` with its category, or `<id>:before:<id>`. */
function moveOf(text: string): Move | undefined {
  const [id = '', to = '', rest = ''] = text.split(':')
  if (to === 'up' || to === 'down') return { id, to, withCategory: rest === 'all' }
  return to === 'before' ? { id, before: rest === '' ? null : rest } : undefined
}

/** Returns the name of a resource, with its number and location if they tell more. */
function resourceName(
  { resources: words }: ConsoleTexts,
  locations: readonly Location[],
  { name, quantity, location_id: locationId }: BookableResource,
): string {
  const place = locations.length < 2 ? undefined : locations.find(({ id }) => id === locationId)
  return [
    name,
    ...(quantity > 1 ? [words.count({ count: quantity })] : []),
    ...(place ? [place.name] : []),
  ].join(' · ')
}

function servicePage(context: Context) {
  const choices = async ({
    person,
    business: { id: businessId },
    texts,
  }: Pick<BusinessVisit, 'person' | 'business' | 'texts'>) => {
    const [services, locations, staff, resources] = await Promise.all([
      listItems(context, person, { kind: serviceKind, businessId }),
      listItems(context, person, { kind: locationKind, businessId }),
      listItems(context, person, { kind: staffKind, businessId }),
      listItems(context, person, { kind: resourceKind, businessId }),
    ])
    const offered = resources.map((one) => ({ ...one, name: resourceName(texts, locations, one) }))
    const categories = [...new Set(services.flatMap((one) => one.category ?? []))]
    return { services, categories, locations, staff: staff as StaffMember[], resources: offered } // managers see all of it
  }
  return {
    path: '/console/services',
    name: 'ServicePage',
    summary: 'A service of a business',
    section: 'services' as const,
    words: 'services' as const,
    list: '/console/services',
    kind: writableServices as typeof writableServices & CatalogueKind<Service, unknown>,
    create: CreateService,
    change: ChangeService,
    fresh: async (visit: BusinessVisit) => {
      const { services, staff, locations } = await choices(visit)
      const active = (all: { id: string; active: boolean }[]) =>
        all.flatMap((one) => (one.active ? [one.id] : []))
      return newService(visit, services, { staff_ids: active(staff), location_ids: active(locations) })
    },
    rows: serviceRows,
    faults: (visit: BusinessVisit, typed: Typed) => ({
      ...startFaults(visit, typed),
      ...classFaults(visit, typed),
      ...slugFaults(visit, typed),
    }),
    check: async (visit: BusinessVisit, _id: string, typed: Typed) => {
      assertNoFaults(needFaults(visit.texts.services, typed, await choices(visit)))
    },
    stays: async (visit: BusinessVisit, typed: Typed) =>
      hasIdleFees(visit, typed) || idleStartsOf(typed, await choices(visit)).length > 0,
    fields: async (visit: BusinessVisit, state: FormState) =>
      serviceFields(visit, state, await choices(visit)),
  }
}

import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { listBlocks } from '../../catalogue/block.ts'
import { type CatalogueKind } from '../../catalogue/catalogue.ts'
import { locationKind, resourceKind, writableResources } from '../../catalogue/catalogue-kinds.ts'
import { type BookableResource, ChangeResource, CreateResource } from '../../catalogue/resource-schemas.ts'
import type { FormState } from '../../pages/form.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, type ConsoleRoute, consoleRoutes } from '../frame/console-route.ts'
import { fillRows } from '../frame/form-rows.ts'
import { emptyState } from '../frame/empty-state.ts'
import { thumbnail } from '../frame/faces.ts'
import { spanText, wallFields } from '../frame/formats.ts'
import { addButton, itemPage, listPage, rowsOf } from '../frame/item-page.ts'
import { listItems, nextPage } from '../frame/lists.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { hoursFaults, hoursText, nextDaysText } from '../team/hours-form.ts'
import { resourceFields, resourceRows } from './resource-form.ts'

/** Maximum number of blocks on the page of a resource. */
const maxShownBlocks = 20

/** Registers the rooms and the equipment of a business. */
export function resourcesRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [resourceList(context), itemPage(context, resourcePage(context))])
}

function locationsOf(context: Context, { person, business }: BusinessVisit) {
  return listItems(context, person, { kind: locationKind, businessId: business.id })
}

function resourceList(context: Context): ConsoleRoute {
  return {
    path: '/console/resources',
    name: 'ResourcesPage',
    summary: 'The rooms and the equipment of a business',
    role: 'manager',
    show: async (visit, { query }) => {
      const { texts } = visit
      const words = texts.resources
      const [page, locations] = await Promise.all([
        listPage(context, visit, { kind: resourceKind, cursor: query['cursor'] }),
        locationsOf(context, visit),
      ])
      const { date: today } = wallFields(context.clock.now(), visit.business.timezone)
      const placeOf = ({ location_id: id }: BookableResource) => {
        const place = locations.length < 2 ? undefined : locations.find((one) => one.id === id)
        return place ? [html`<bdi>${place.name}</bdi>`] : []
      }
      const aboutOf = (resource: BookableResource) => {
        const { quantity, weekly_hours: hours, date_overrides: overrides } = resource
        const others = nextDaysText(overrides, today, visit)
        const parts = [
          ...(quantity > 1 ? [html`${words.count({ count: quantity })}`] : []),
          ...placeOf(resource),
          html`${hours ? hoursText(hours, visit) : words.asLocation}`,
        ]
        return html`${parts.map((part, index) => (index === 0 ? part : html` · ${part}`))}${others === '' ? '' : html`<br />${others}`}`
      }
      const rows = page.data.map((resource) => ({
        ...resource,
        path: `/console/resources/${resource.id}`,
        mark: thumbnail(resource),
        about: aboutOf(resource),
      }))
      // a room is at a location
      const add =
        locations.length === 0
          ? addButton(visit, '/console/locations', texts.locations.add)
          : addButton(visit, '/console/resources', words.add)
      return {
        title: words.title,
        section: 'resources',
        body: html`<div class="head">
            <h1>${words.title}</h1>
            ${locations.length === 0 || rows.length === 0 ? '' : add}
          </div>
          ${doneNotice(texts.setUp.done, query['done'])}
          ${rows.length === 0 ? emptyState('resources', words.empty, add) : rowsOf(visit, words.activity, rows)}
          ${nextPage(visit, '/console/resources', page.next_cursor)}`,
      }
    },
  }
}

function resourcePage(context: Context) {
  return {
    path: '/console/resources',
    name: 'ResourcePage',
    summary: 'A room or equipment of a business',
    section: 'resources' as const,
    words: 'resources' as const,
    list: '/console/resources',
    kind: writableResources as typeof writableResources & CatalogueKind<BookableResource, unknown>,
    create: CreateResource,
    change: ChangeResource,
    fresh: (visit: BusinessVisit) =>
      Promise.resolve(fillRows(resourceRows(visit), { quantity: 1, weekly_hours: null })),
    rows: resourceRows,
    fields: async (visit: BusinessVisit, state: FormState) =>
      resourceFields(visit, state, await locationsOf(context, visit)),
    faults: hoursFaults,
    notices: ({ block }: ConsoleTexts) => ({ blocked: block.done, unblocked: block.removed }),
    below: (visit: BusinessVisit, resource: BookableResource) => blocksOf(context, visit, resource),
  }
}

/** Renders the present and coming blocks of a resource, and the way to another one. */
async function blocksOf(context: Context, visit: BusinessVisit, resource: BookableResource): Promise<Html> {
  const { block: words } = visit.texts
  const blocks = await listBlocks(context, visit.person, {
    business_id: visit.business.id,
    resource_id: resource.id,
    from: context.clock.now(),
    limit: maxShownBlocks,
  })
  const locations = await locationsOf(context, visit)
  const timezone =
    locations.find(({ id }) => id === resource.location_id)?.timezone ?? visit.business.timezone
  const { locale } = visit
  return html`<h2>${words.blockedTimes}</h2>
    ${
      blocks.data.length === 0
        ? html`<p>${words.noBlocks}</p>`
        : html`<ul class="rows">
            ${blocks.data.map(
              (block) =>
                html`<li>
                  <a href="${pathOf(`/console/block/${block.id}`, visit)}"
                    >${spanText(block, { timezone, locale })}</a
                  >
                  <span class="soft"><bdi>${block.reason ?? ''}</bdi></span>
                </li>`,
            )}
          </ul>`
    }
    ${
      resource.active
        ? html`<p>
            <a class="button" href="${pathOf('/console/block', visit, { who: resource.id })}"
              >${words.title}</a
            >
          </p>`
        : ''
    }`
}

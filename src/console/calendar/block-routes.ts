import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasRole, isStaff } from '../../access/actor.ts'
import { invalidCredentials } from '../../access/authentication.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { html } from '../../base/html.ts'
import { isDate, parseInstant, readInstant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { createBlock, deleteBlock, moveBlock, presentBlock, showBlock } from '../../catalogue/block.ts'
import { resourceKind } from '../../catalogue/catalogue-kinds.ts'
import { CreateBlock } from '../../catalogue/block-schemas.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import type { BookableResource } from '../../catalogue/resource-schemas.ts'
import { Id, InstantText, problems, StrictObject } from '../../base/wire.ts'
import {
  choice,
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  type Typed,
} from '../../pages/form.ts'
import { calendarForm } from '../bookings/book-page.ts'
import { bookingRefusals, catalogueOf, filledInQuery } from '../bookings/book-routes.ts'
import { bookingWords } from '../bookings/booking-words.ts'
import { AtBusiness, findScriptSender, pathOf } from '../frame/console-page.ts'
import {
  addForms,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  formMedia,
  FormFault,
  inTimeOf,
  refusedForms,
  tags,
} from '../frame/console-route.ts'
import { instantOf, spanText, wallFields } from '../frame/formats.ts'
import { listItems } from '../frame/lists.ts'

/** Registers the pages to block time, move a block and delete it. */
export function blockPageRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [blockForm(context), blockPage(context)])
  addForms(app, context, (scope) => moveBlockRoute(scope, context))
}

const PersonId = Type.Optional(Type.String({ ...Id, description: 'Absent for a block of a location.' }))

/** Registers the route to which the calendar script sends a dropped block. */
function moveBlockRoute(scope: FastifyInstance, context: Context): void {
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    '/console/block/:id/move',
    {
      schema: {
        operationId: 'moveBlock',
        tags,
        summary: 'Move a blocked time, or make it longer or shorter',
        description:
          'Names where the block is known to be: if somebody has moved or removed it meanwhile, it is not found. Sent again, it does nothing.',
        params: StrictObject({ id: Type.String({ maxLength: 40 }) }),
        consumes: formMedia,
        body: StrictObject({
          at_business: AtBusiness,
          starts_at: InstantText,
          ends_at: InstantText,
          staff_id: PersonId,
          known_starts_at: InstantText,
          known_ends_at: InstantText,
          known_staff_id: PersonId,
        }),
        response: {
          204: Type.Null({ description: 'The block is there.' }),
          ...problems('not_found', 'change_not_allowed', 'validation_failed', 'invalid_credentials'),
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const { at_business: at, staff_id = null, known_staff_id = null, ...times } = request.body
      const visit = await findScriptSender(context, request, { at })
      if (!visit) throw invalidCredentials('The log-in has ended; log in again at /console.')
      const change = {
        known: {
          ...{ starts_at: readInstant(times.known_starts_at), ends_at: readInstant(times.known_ends_at) },
          staff_id: known_staff_id,
        },
        wanted: {
          ...{ starts_at: readInstant(times.starts_at), ends_at: readInstant(times.ends_at) },
          staff_id,
        },
      }
      await inTimeOf(context, { request, visit }, () =>
        moveBlock(context, visit.person, request.params.id, change),
      )
      return reply.code(204).send(null)
    },
  )
}

function blockForm(context: Context): ConsoleRoute {
  return {
    path: '/console/block',
    name: 'BlockForm',
    summary: 'The form to block time',
    role: 'staff',
    query: filledInQuery,
    show: async (visit, { query }) => {
      const catalogue = await blockable(context, visit)
      const whose = query['who'] ?? query['location'] ?? ''
      const zone = zoneOf(catalogue, whose)
      const [start, end] = [query['start'], query['end']].map((text = '') => parseInstant(text))
      const { date: today } = wallFields(context.clock.now(), zone)
      const { date, time } = start ? wallFields(start, zone) : { date: query['date'] ?? today, time: '' }
      const until = end ? wallFields(end, zone) : { date, time: '' }
      const typed = { whose, from_date: date, from_time: time, to_date: until.date, to_time: until.time }
      return formPage(visit, catalogue, filledForm(typed))
    },
    form: {
      fieldOf: (pointer) => pointer.slice(1),
      words: bookingWords,
      refusals: bookingRefusals,
      act: async (visit, typed, _address, once) => {
        const body = blockOf(visit, await blockable(context, visit), typed)
        const { resource_id: resource } = body
        return once(
          (store) => createBlock(context, visit.person, body, store),
          () =>
            resource === undefined
              ? { path: '/console', query: { date: typed['from_date'] ?? '', done: 'blocked' } }
              : pageOfResource(resource, 'blocked'),
        )
      },
      again: async (visit, state) => formPage(visit, await blockable(context, visit), state),
    },
  }
}

/** A catalogue with all resources, whether a service needs them or not. */
async function blockable(context: Context, visit: BusinessVisit): Promise<WholeCatalogue> {
  const [catalogue, resources] = await Promise.all([catalogueOf(context, visit), resourcesOf(context, visit)])
  return { ...catalogue, resources }
}

function resourcesOf(context: Context, { person, business }: BusinessVisit): Promise<BookableResource[]> {
  return listItems(context, person, { kind: resourceKind, businessId: business.id })
}

/** Returns the page that lists the blocks of a resource, as the calendar does for people and locations. */
function pageOfResource(id: string, done: 'blocked' | 'unblocked') {
  return { path: `/console/resources/${id}`, query: { done } }
}

/** Returns the zone of a block: that of the business for a staff member, that of the location otherwise. */
function zoneOf(
  { locations, resources, timezone }: Pick<WholeCatalogue, 'locations' | 'resources' | 'timezone'>,
  whose: string | undefined,
): string {
  const place = resources.find(({ id }) => id === whose)?.location_id ?? whose
  return locations.find(({ id }) => id === place)?.timezone ?? timezone
}

/** Returns the block that the form requests. Throws a FormFault or validation_failed. */
function blockOf({ texts }: BusinessVisit, catalogue: WholeCatalogue, typed: Typed) {
  const { block: t, book } = texts
  const { whose = '', reason = '', from_date: date = '', from_time: time = '' } = typed
  const timezone = zoneOf(catalogue, whose)
  const startsAt = instantOf({ date, time }, timezone)
  const endsAt = instantOf(endFields(typed), timezone)
  if (startsAt === undefined || endsAt === undefined) throw new FormFault({ '': book.needTime })
  if (startsAt === 'skipped' || endsAt === 'skipped') throw new FormFault({ '': book.noTime })
  if (endsAt <= startsAt) throw new FormFault({ '': t.order, to_time: t.order })
  const has = (items: { id: string }[]) => items.some(({ id }) => id === whose)
  const owner = has(catalogue.locations)
    ? 'location_id'
    : has(catalogue.resources)
      ? 'resource_id'
      : 'staff_id'
  const checked = checkedForm(CreateBlock, {
    [owner]: whose,
    starts_at: startsAt,
    ends_at: endsAt,
    ...(reason && { reason }),
  })
  return { ...checked, starts_at: startsAt, ends_at: endsAt }
}

/** Converts an end at 24:00, which time fields do not support, to 0:00 of the next day. */
function endFields({ to_date: date = '', to_time: time = '' }: Typed) {
  if (time === '24:00' && isDate(date)) return { date: dateOf(dayOf(date) + 1), time: '00:00' }
  return { date, time }
}

function formPage(visit: BusinessVisit, catalogue: WholeCatalogue, state: FormState) {
  const { block: t, book } = visit.texts
  const isOwn = isStaff(visit.person)
  const { staff, locations, resources } = visit.texts
  const offered = (all: { id: string; name: string; active: boolean }[], group: string) =>
    all.flatMap(({ id, name, active }) => (active ? [[id, name, group] as const] : []))
  const whose = isOwn
    ? offered(
        catalogue.staff.filter(({ id }) => id === visit.person.staffId),
        '',
      )
    : [
        ...offered(catalogue.staff, staff.title),
        ...offered(catalogue.locations, locations.title),
        ...offered(catalogue.resources, resources.title),
      ]
  if (whose.length === 0)
    return calendarForm(
      t.title,
      html`<h1>${t.title}</h1>
        <p>${t.nobody}</p>
        ${hasRole(visit.person, 'manager') ? html`<p><a class="button" href="${pathOf('/console/people', visit)}">${visit.texts.frame.people}</a></p>` : ''}`,
    )
  const wall = (end: 'from' | 'to') =>
    html`<div class="beside">
      ${field(state, { name: `${end}_date`, label: `${t[end]}: ${book.date}`, type: 'date', required: true })}
      ${field(state, { name: `${end}_time`, label: `${t[end]}: ${book.time}`, type: 'time', required: true })}
    </div>`
  return calendarForm(
    t.title,
    html`<h1>${t.title}</h1>
      <form method="post" action="${pathOf('/console/block', visit)}" class="fields book">
        ${hidden({ once: visit.once })} ${faultSummary(state, bookingWords(visit.texts))}
        ${choice(state, { name: 'whose', label: t.whose, options: whose })} ${wall('from')} ${wall('to')}
        ${field(state, { name: 'reason', label: t.reason, max: 500 })}
        <button type="submit" class="main">${t.send}</button>
      </form>`,
  )
}

function blockPage(context: Context): ConsoleRoute {
  const show = async (visit: BusinessVisit, { id }: { id: string }) => {
    const { block, bookingIds } = await showBlock(context, visit.person, id)
    const { reason } = presentBlock(block, visit.person)
    const { staff, locations, resources } = await blockable(context, visit)
    const t = visit.texts.block
    const whose = [...staff, ...locations, ...resources].find(
      ({ id: one }) => one === (block.staff_id ?? block.location_id ?? block.resource_id),
    )
    const mayRemove = !isStaff(visit.person) || visit.person.staffId === block.staff_id
    const form = html`<form
      method="post"
      action="${pathOf(`/console/block/${block.id}`, visit)}"
      class="fields"
    >
      <button type="submit" class="main">${t.remove}</button>
    </form>`
    return calendarForm(
      t.blocked,
      html`<h1>${t.blocked}</h1>
        <p>
          <bdi>${whose?.name ?? ''}</bdi> ·
          ${spanText(block, { timezone: block.timezone, locale: visit.locale })}
        </p>
        ${reason === null ? '' : html`<p><bdi>${reason}</bdi></p>`}
        ${bookingIds.length === 0 ? '' : html`<p class="alert">${t.under({ count: bookingIds.length })}</p>`}
        ${
          bookingIds.length === 0 || block.staff_id === null || !mayRemove
            ? ''
            : html`<p>
                <a class="button main" href="${pathOf(`/console/away/${block.id}`, visit)}"
                  >${visit.texts.away.find}</a
                >
              </p>`
        }
        ${mayRemove ? form : ''}`,
    )
  }
  return {
    path: '/console/block/:id',
    name: 'BlockPage',
    summary: 'A blocked time, and the bookings that lie in it',
    role: 'staff',
    query: filledInQuery,
    show,
    form: {
      act: async (visit, _typed, { id }) => {
        const { block } = await showBlock(context, visit.person, id)
        await deleteBlock(context, visit.person, block.id)
        if (block.resource_id !== null) return pageOfResource(block.resource_id, 'unblocked')
        const { date } = wallFields(block.starts_at, block.timezone)
        return { path: '/console', query: { date, done: 'removed' } }
      },
      again: (visit, _state, address) => show(visit, address),
    },
  }
}

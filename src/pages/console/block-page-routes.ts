import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { type Instant, isDate, parseInstant } from '../../base/instants.ts'
import type { Context } from '../../bookings/context.ts'
import { createBlock, deleteBlock, showBlock } from '../../catalogue/block.ts'
import { CreateBlock } from '../../catalogue/block-schemas.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { Media, problems, StrictObject } from '../../http/wire.ts'
import { html, type Html } from '../page.ts'
import { type Filled, momentOf } from './book-page.ts'
import { FormQuery, seeOther, sendBook, Texts, withVisit } from './book-routes.ts'
import {
  addForms,
  checkedForm,
  faultBox,
  faultOf,
  formMedia,
  type FormFault,
  inputField,
  refusedForms,
  selectField,
} from './console-form.ts'
import { type ConsoleVisit, pathOf } from './console-page.ts'
import { instantOf, wallFields } from './wall-clock.ts'

const tags = ['Console']
const page = Media('text/html', 'The page.')
const params = StrictObject({ id: Type.String({ maxLength: 40 }) })
const toCalendar = { 303: Type.Null({ description: 'To the calendar.' }) }

/** Blocking time, and giving it back. */
export function blockPageRoutes(app: FastifyInstance, context: Context): void {
  addPages(app, context)
  addForms(app, context, (scope) => addFormRoutes(scope, context))
}

function addPages(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get(
    '/console/block',
    {
      schema: {
        operationId: 'showBlockForm',
        tags,
        summary: 'The form to block time',
        description: 'With `start`, `date`, `who` and `location` filled in.',
        querystring: FormQuery,
        response: { 200: page },
      },
    },
    async (request, reply) => {
      const filled = request.query as Filled
      return withVisit(context, { request, reply, business: filled.business }, (visit, catalogue) => {
        const start = parseInstant(filled.start ?? '')
        const when = start
          ? wallFields(start, zoneOf(catalogue, filled))
          : { date: filled.date ?? '', time: '' }
        const whose = filled.who ?? filled.location ?? ''
        return sendBook(
          reply,
          visit,
          blockForm({
            visit,
            catalogue,
            filled: {
              ...filled,
              whose,
              from_date: when.date,
              from_time: when.time,
              to_date: when.date,
              to_time: '',
            },
          }),
          visit.texts.block.title,
        )
      })
    },
  )
  routes.get(
    '/console/block/:id',
    {
      schema: {
        operationId: 'showBlockPage',
        tags,
        summary: 'A blocked time, and the bookings that lie in it',
        description: 'With a button that gives the time back.',
        params,
        querystring: FormQuery,
        response: { 200: page, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { business } = request.query as Filled
      return withVisit(context, { request, reply, business }, async (visit, catalogue) => {
        const { block, bookingIds } = await showBlock(context, visit.person, request.params.id)
        const t = visit.texts.block
        const whose = [...catalogue.staff, ...catalogue.locations].find(
          ({ id }) => id === (block.staff_id ?? block.location_id),
        )
        const at = (instant: Instant) => momentOf(instant, block.timezone, visit.locale)
        const mayRemove = !isStaff(visit.person) || visit.person.staffId === block.staff_id
        return sendBook(
          reply,
          visit,
          html`<h1>${t.blocked}</h1>
            <p><bdi>${whose?.name ?? ''}</bdi> · ${at(block.starts_at)} – ${at(block.ends_at)}</p>
            ${block.reason === null ? '' : html`<p><bdi>${block.reason}</bdi></p>`}
            ${bookingIds.length === 0 ? '' : html`<p class="alert">${t.under(bookingIds.length)}</p>`}
            ${
              mayRemove
                ? html`<form
                    method="post"
                    action="${pathOf(`/console/block/${block.id}`, visit)}"
                    class="fields"
                  >
                    <button type="submit" class="main">${t.remove}</button>
                  </form>`
                : ''
            }`,
          t.blocked,
        )
      })
    },
  )
}

function addFormRoutes(scope: FastifyInstance, context: Context): void {
  const routes = scope.withTypeProvider<TypeBoxTypeProvider>()
  routes.post(
    '/console/block',
    {
      schema: {
        operationId: 'blockByForm',
        tags,
        summary: 'Block time',
        description: 'Existing bookings stay.',
        querystring: FormQuery,
        consumes: formMedia,
        body: Texts,
        response: { ...toCalendar, 422: page, ...refusedForms },
      },
    },
    async (request, reply) => {
      const { business } = request.query as Filled
      return withVisit(context, { request, reply, business }, (visit, catalogue) =>
        answerBlock(context, reply, { visit, catalogue, filled: request.body }),
      )
    },
  )
  routes.post(
    '/console/block/:id',
    {
      schema: {
        operationId: 'unblockByForm',
        tags,
        summary: 'Give a blocked time back',
        description: 'It is bookable again at once.',
        params,
        querystring: FormQuery,
        consumes: formMedia,
        body: Texts,
        response: { ...toCalendar, ...problems('not_found'), ...refusedForms },
      },
    },
    async (request, reply) => {
      const { business } = request.query as Filled
      return withVisit(context, { request, reply, business }, async (visit) => {
        const { block } = await showBlock(context, visit.person, request.params.id)
        await deleteBlock(context, visit.person, block.id)
        const { date } = wallFields(block.starts_at, block.timezone)
        return seeOther(reply, pathOf('/console', visit, { date, done: 'removed' }))
      })
    },
  )
}

interface BlockForm {
  visit: ConsoleVisit
  catalogue: WholeCatalogue
  filled: Filled
  fault?: FormFault
}

/** A block of a person stands in the zone of the business, that of a location in its own. */
function zoneOf({ locations, timezone }: WholeCatalogue, { whose, location }: Filled): string {
  return locations.find(({ id }) => id === (whose ?? location))?.timezone ?? timezone
}

function blockForm({ visit, catalogue, filled, fault }: BlockForm): Html {
  const { block: t, form, book } = visit.texts
  const isOwn = isStaff(visit.person)
  const whose = [
    ...catalogue.staff.filter(({ id, active }) => active && (!isOwn || id === visit.person.staffId)),
    ...(isOwn ? [] : catalogue.locations.filter(({ active }) => active)),
  ]
  const field = (id: 'from_date' | 'from_time' | 'to_date' | 'to_time', label: string) =>
    inputField(form, {
      id,
      label,
      type: id.endsWith('date') ? 'date' : 'time',
      value: filled[id] ?? '',
      required: true,
      fault: fault?.fields[id],
    })
  return html`<h1>${t.title}</h1>
    <form method="post" action="${pathOf('/console/block', visit)}" class="fields book">
      ${faultBox(fault)}
      ${selectField(form, {
        id: 'whose',
        label: t.whose,
        value: filled.whose ?? '',
        options: whose.map(({ id, name }) => [id, name] as const),
      })}
      <div class="pair">
        ${field('from_date', `${t.from}: ${book.date}`)} ${field('from_time', `${t.from}: ${book.time}`)}
      </div>
      <div class="pair">
        ${field('to_date', `${t.to}: ${book.date}`)} ${field('to_time', `${t.to}: ${book.time}`)}
      </div>
      ${inputField(form, { id: 'reason', label: t.reason, value: filled.reason ?? '', maxLength: 500, fault: fault?.fields.reason })}
      <button type="submit" class="main">${t.send}</button>
    </form>`
}

async function answerBlock(
  context: Context,
  reply: FastifyReply,
  { visit, catalogue, filled }: BlockForm,
): Promise<FastifyReply> {
  const { block: t, book } = visit.texts
  const timezone = zoneOf(catalogue, filled)
  const again = (fault: FormFault) =>
    sendBook(reply.code(422), visit, blockForm({ visit, catalogue, filled, fault }), t.title)
  const startsAt = instantOf({ date: filled.from_date ?? '', time: filled.from_time ?? '' }, timezone)
  const endsAt = instantOf(endFields(filled), timezone)
  if (startsAt === undefined || endsAt === undefined) return again({ message: book.needTime, fields: {} })
  if (startsAt === 'skipped' || endsAt === 'skipped') return again({ message: book.noTime, fields: {} })
  if (endsAt <= startsAt) return again({ message: t.order, fields: { to_time: t.order } })
  const isPlace = catalogue.locations.some(({ id }) => id === filled.whose)
  let fault: FormFault | undefined
  try {
    const body = checkedForm(CreateBlock, {
      [isPlace ? 'location_id' : 'staff_id']: filled.whose ?? '',
      starts_at: startsAt,
      ends_at: endsAt,
      ...(filled.reason?.trim() && { reason: filled.reason }),
    })
    await createBlock(context, visit.person, body)
  } catch (error) {
    fault = faultOf(visit.texts.form, error)
  }
  if (fault) return again(fault)
  const path = pathOf('/console', visit, { date: filled.from_date, done: 'blocked' })
  return seeOther(reply, path)
}

/** Until 24:00, which time fields do not know, is until 0:00 of the next day. */
function endFields({ to_date: date = '', to_time: time = '' }: Filled) {
  if (time === '24:00' && isDate(date)) return { date: dateOf(dayOf(date) + 1), time: '00:00' }
  return { date, time }
}

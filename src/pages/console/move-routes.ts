import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import { parseInstant, plusMinutes, readInstant, toMs } from '../../base/instants.ts'
import { changeBooking, presentBooking, showBooking } from '../../bookings/booking.ts'
import { etagOf } from '../../bookings/booking-rules.ts'
import type { Context } from '../../bookings/context.ts'
import { isUuid } from '../../base/ids.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { Media, problems, StrictObject } from '../../http/wire.ts'
import { html, type Html } from '../page.ts'
import { type Filled, momentOf, type NearTime } from './book-page.ts'
import { bookFault, FormQuery, seeOther, sendBook, Texts, withVisit } from './book-routes.ts'
import {
  addForms,
  faultBox,
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
const path = '/console/bookings/:id/move'
const params = StrictObject({ id: Type.String({ maxLength: 40 }) })

/** Moving a booking, making it longer or shorter, and giving it to somebody else. */
export function moveRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    path,
    {
      schema: {
        operationId: 'showMoveForm',
        tags,
        summary: 'The form to move a booking',
        description: 'With its present time, length and person filled in.',
        params,
        querystring: FormQuery,
        response: { 200: page, ...problems('not_found') },
      },
    },
    async (request, reply) => {
      const { business } = request.query as Filled
      return withVisit(context, { request, reply, business }, async (visit, catalogue) => {
        const booking = await ownBooking(context, visit, request.params.id)
        return sendMove(reply, visit, moveForm({ visit, catalogue, booking, filled: presentFields(booking) }))
      })
    },
  )
  addForms(app, context, (scope) => {
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      path,
      {
        schema: {
          operationId: 'moveByForm',
          tags,
          summary: 'Move a booking',
          description: 'Only while nobody has changed it since the form was shown.',
          params,
          querystring: FormQuery,
          consumes: formMedia,
          body: Texts,
          response: {
            303: Type.Null({ description: 'To the calendar.' }),
            422: page,
            ...problems('not_found'),
            ...refusedForms,
          },
        },
      },
      async (request, reply) => {
        const { business } = request.query as Filled
        return withVisit(context, { request, reply, business }, async (visit, catalogue) => {
          const booking = await ownBooking(context, visit, request.params.id)
          return answerMove(context, reply, { visit, catalogue, booking, filled: request.body })
        })
      },
    )
  })
}

/** Throws not_found for a booking of somebody else, for staff. */
async function ownBooking(context: Context, { person }: ConsoleVisit, id: string): Promise<BookingRow> {
  const booking = await showBooking(context, person, id)
  if (isStaff(person) && person.staffId !== booking.staff_id)
    throw new Problem('not_found', 'There is no booking with this id.')
  return booking
}

function sendMove(reply: FastifyReply, visit: ConsoleVisit, body: Html): FastifyReply {
  return sendBook(reply, visit, body, visit.texts.move.title)
}

type BookingRow = Awaited<ReturnType<typeof showBooking>>

interface MoveForm {
  visit: ConsoleVisit
  catalogue: WholeCatalogue
  booking: BookingRow
  filled: Filled
  fault?: FormFault | undefined
  near?: readonly NearTime[] | undefined
}

function presentFields(booking: BookingRow): Filled {
  return {
    ...wallFields(booking.starts_at, booking.timezone),
    start: booking.starts_at,
    minutes: String((toMs(booking.ends_at) - toMs(booking.starts_at)) / 60_000),
    who: booking.staff_id ?? '',
    version: etagOf(booking),
    tell: 'on',
  }
}

function moveForm({ visit, catalogue, booking, filled, fault, near }: MoveForm): Html {
  const { texts, locale, person } = visit
  const { move: t, book, form } = texts
  const { client } = presentBooking(booking, person)
  const service = catalogue.services.find(({ id }) => id === booking.service_id)
  const people = catalogue.staff.filter(({ id, active }) => active && service?.staff_ids.includes(id))
  const when = momentOf(booking.starts_at, booking.timezone, locale)
  const about = html`<p>
    <a href="${pathOf(`/console/bookings/${booking.id}`, visit)}"
      ><bdi>${t.of(`${client.first_name} ${client.last_name}`, booking.service_name)}</bdi></a
    >
    · ${t.now}: ${when}${booking.staff_name === null ? '' : html` · <bdi>${booking.staff_name}</bdi>`}
  </p>`
  if (booking.status === 'cancelled')
    return html`<h1>${t.title}</h1>
      ${about}
      <p>${t.cancelled}</p>`
  const nearby =
    near && near.length > 0
      ? html`<p>${book.near}</p>
          <p class="near">
            ${near.map(
              ({ starts_at }) =>
                html`<button type="submit" name="at" value="${starts_at}">
                  ${momentOf(readInstant(starts_at), booking.timezone, locale)}
                </button>`,
            )}
          </p>`
      : html``
  return html`<h1>${t.title}</h1>
    ${about}
    <form method="post" action="${pathOf(`/console/bookings/${booking.id}/move`, visit)}" class="fields book">
      <button type="submit" name="do" value="move" class="unseen" tabindex="-1" aria-hidden="true"></button>
      <input type="hidden" name="version" value="${filled.version ?? ''}" />
      <input type="hidden" name="start" value="${filled.start ?? ''}" />
      ${faultBox(fault, nearby)}
      <div class="pair">
        ${inputField(form, { id: 'date', label: book.date, type: 'date', value: filled.date ?? '', required: true })}
        ${inputField(form, { id: 'time', label: book.time, type: 'time', value: filled.time ?? '', required: true, fault: fault?.fields.time })}
        ${inputField(form, { id: 'minutes', label: t.minutes, type: 'number', value: filled.minutes ?? '', required: true, fault: fault?.fields.ends_at })}
      </div>
      ${
        booking.staff_id === null || person.role === 'staff'
          ? ''
          : selectField(form, {
              id: 'who',
              label: book.who,
              value: filled.who ?? '',
              fault: fault?.fields.staff_id,
              options: [
                ...(people.some(({ id }) => id === booking.staff_id)
                  ? []
                  : [[booking.staff_id, booking.staff_name ?? ''] as const]),
                ...people.map(({ id, name }) => [id, name] as const),
              ],
            })
      }
      <label class="choice"
        ><input type="checkbox" name="tell" value="on" ${filled.tell === 'on' ? html`checked` : ''} />
        ${t.tell}</label
      >
      <button type="submit" name="do" value="move" class="main">${t.send}</button>
    </form>`
}

async function answerMove(context: Context, reply: FastifyReply, given: MoveForm): Promise<FastifyReply> {
  const { visit, booking } = given
  const { book, move } = visit.texts
  const at = parseInstant(given.filled.at ?? '')
  const filled = at ? { ...given.filled, start: at, ...wallFields(at, booking.timezone) } : given.filled
  const again = (parts: Partial<MoveForm>) =>
    sendMove(reply.code(422), visit, moveForm({ ...given, filled, ...parts }))
  const startsAt = instantOf(
    { date: filled.date ?? '', time: filled.time ?? '' },
    booking.timezone,
    parseInstant(filled.start ?? ''),
  )
  const minutes = Number(filled.minutes)
  if (startsAt === 'skipped' || startsAt === undefined) {
    const text = startsAt === undefined ? book.needTime : book.noTime
    return again({ fault: { message: text, fields: { time: text } } })
  }
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440) {
    const { checkFields, faults } = visit.texts.form
    return again({ fault: { message: checkFields, fields: { ends_at: faults.invalid_format } } })
  }
  const staffId = filled.who !== undefined && isUuid(filled.who) ? filled.who : undefined
  const endsAt = plusMinutes(startsAt, minutes)
  let refused: Partial<MoveForm> | undefined
  try {
    await changeBooking(context, visit.person, {
      target: { id: booking.id, ifMatch: filled.version ?? '"0"' },
      change: {
        ...(startsAt !== booking.starts_at && { starts_at: startsAt }),
        ...((startsAt !== booking.starts_at || endsAt !== booking.ends_at) && { ends_at: endsAt }),
        ...(staffId !== undefined &&
          booking.staff_id !== null &&
          staffId !== booking.staff_id && { staff_id: staffId }),
        notify: filled.tell === 'on',
      },
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'version_conflict')
      refused = { fault: { message: move.changed, fields: {} }, filled: presentFields(booking) }
    else {
      const { near, ...fault } = bookFault(visit, error, {})
      refused = { fault, near }
    }
  }
  if (refused) return again(refused)
  const { date } = wallFields(startsAt, booking.timezone)
  return seeOther(reply, pathOf('/console', visit, { date, done: 'moved' }))
}

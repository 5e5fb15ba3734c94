import { createHash } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { explainSlot } from '../../availability/availability.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { Problem, validationProblem } from '../../base/errors.ts'
import { type Instant, parseInstant } from '../../base/instants.ts'
import { listClients } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { convertHold, type Conversion } from '../../bookings/conversion.ts'
import type { FieldAnswer } from '../../bookings/custom-field-rules.ts'
import { ConvertHold } from '../../bookings/booking-schemas.ts'
import { placeHold, releaseHold } from '../../bookings/hold.ts'
import type { CustomField, Location, Service } from '../../catalogue/catalogue-types.ts'
import { findWholeCatalogue, type WholeCatalogue } from '../../catalogue/offering.ts'
import { respondOnce, type StoreResponse } from '../../http/idempotency.ts'
import { Media } from '../../http/wire.ts'
import { html, type Html } from '../page.ts'
import {
  answerName,
  type BookForm,
  bookForm,
  type Filled,
  type NearTime,
  serviceChoice,
} from './book-page.ts'
import { addForms, checkedForm, faultOf, formMedia, type FormFault, refusedForms } from './console-form.ts'
import { type ConsoleVisit, findVisit, pathOf, sendConsolePage } from './console-page.ts'
import { sendLogIn } from './gate-page.ts'
import { instantOf, wallFields } from './wall-clock.ts'

const tags = ['Console']
const page = Media('text/html', 'The page.')
/** Fields of forms and parameters of pages: what does not fit is as if it were not there. */
export const Texts = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 6_000 }), {
  maxProperties: 300,
})
const filledIn = (description: string) => Type.Optional(Type.String({ maxLength: 600, description }))
/** What a link can fill in of a form; a form that is shown again has more. */
export const FormQuery = Type.Object(
  {
    business: filledIn('Of a hub: the business to look at.'),
    location: filledIn('The id of a location.'),
    service: filledIn('The id of a service.'),
    who: filledIn('The id of a column of the calendar.'),
    start: filledIn('The start, such as 2026-12-01T10:00:00+01:00.'),
    date: filledIn('The day, such as 2026-12-01.'),
  },
  { additionalProperties: Type.String({ maxLength: 6_000 }), maxProperties: 300 },
)

/** Booking for a client. */
export function bookRoutes(app: FastifyInstance, context: Context): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/book',
    {
      schema: {
        operationId: 'showBookForm',
        tags,
        summary: 'The form to book for a client',
        description: 'With `start`, `who`, `service` and `location` filled in.',
        querystring: FormQuery,
        response: { 200: page },
      },
    },
    async (request, reply) => {
      const filled = request.query as Filled
      return withVisit(context, { request, reply, business: filled.business }, async (visit, catalogue) => {
        const choice = chosen(visit, catalogue, filled)
        const { service, location } = choice
        if (!service || !location) {
          const { start, who, location: place, date } = filled
          const body = serviceChoice(visit, choice.services, { start, who, location: place, date })
          return sendBook(reply, visit, body)
        }
        const once = context.ids.next()
        const start = parseInstant(filled.start ?? '')
        const when = start ? wallFields(start, location.timezone) : { date: filled.date ?? '', time: '' }
        const staffId = visit.person.role === 'staff' ? (visit.person.staffId ?? '') : (filled.who ?? '')
        const who = service.staff_ids.includes(staffId) ? staffId : ''
        return sendBook(
          reply,
          visit,
          bookForm({
            visit,
            catalogue,
            service,
            location,
            filled: { ...filled, ...when, who, once, tell: 'on' },
          }),
        )
      })
    },
  )
  addForms(app, context, (scope) => {
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/console/book',
      {
        schema: {
          operationId: 'bookByForm',
          tags,
          summary: 'Book for a client',
          description: 'Holds and books in one step. Rules can be ignored after a warning, conflicts cannot.',
          querystring: FormQuery,
          consumes: formMedia,
          body: Texts,
          response: {
            200: page,
            303: Type.Null({ description: 'To the calendar.' }),
            422: page,
            ...refusedForms,
          },
        },
      },
      async (request, reply) => {
        const filled = request.body as Filled
        const { business } = request.query as Filled
        return withVisit(context, { request, reply, business }, (visit, catalogue) =>
          answerForm(context, { request, reply, visit, catalogue, filled }),
        )
      },
    )
  })
}

/** Leads on to another page. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

/** Calls with who is logged in and what the business offers; sends the form to log in to everybody else. */
export async function withVisit(
  context: Context,
  {
    request,
    reply,
    business,
  }: { request: FastifyRequest; reply: FastifyReply; business: string | undefined },
  work: (visit: ConsoleVisit, catalogue: WholeCatalogue) => Promise<FastifyReply> | FastifyReply,
): Promise<FastifyReply> {
  const visit = await findVisit(context, request, business)
  if (!visit) return sendLogIn(reply, { next: request.method === 'GET' ? request.url : '/console' })
  const catalogue = visit.business && (await findWholeCatalogue(context.db.reads, visit.business.id))
  if (!catalogue) return seeOther(reply, '/console')
  return work(visit, catalogue)
}

export function sendBook(
  reply: FastifyReply,
  visit: ConsoleVisit,
  body: Html,
  title = visit.texts.book.title,
): FastifyReply {
  return sendConsolePage(reply, {
    title,
    visit,
    section: 'calendar',
    more: html`<link rel="stylesheet" href="/docs/console-calendar.css" />`,
    body: html`<div class="narrow">${body}</div>`,
  })
}

interface Choice {
  /** Those that whoever it is to be with gives. */
  services: Service[]
  service: Service | undefined
  location: Location | undefined
}

function chosen(visit: ConsoleVisit, { services, locations }: WholeCatalogue, filled: Filled): Choice {
  const isStaff = visit.person.role === 'staff'
  const places = locations.filter(({ active }) => active)
  const offered = services.filter(
    ({ active, staff_ids, location_ids }) =>
      active &&
      places.some(({ id }) => location_ids.includes(id)) &&
      (!isStaff || staff_ids.includes(visit.person.staffId ?? '')),
  )
  const ofPerson = offered.filter(({ staff_ids }) => staff_ids.includes(filled.who ?? ''))
  const fitting = ofPerson.length > 0 ? ofPerson : offered
  const service =
    offered.find(({ id }) => id === filled.service) ?? (fitting.length === 1 ? fitting[0] : undefined)
  const there = places.filter(({ id }) => service?.location_ids.includes(id))
  return { services: fitting, service, location: there.find(({ id }) => id === filled.location) ?? there[0] }
}

interface Asked {
  request: FastifyRequest
  reply: FastifyReply
  visit: ConsoleVisit
  catalogue: WholeCatalogue
  filled: Filled
}

async function answerForm(context: Context, asked: Asked): Promise<FastifyReply> {
  const { reply, visit, catalogue } = asked
  const choice = chosen(visit, catalogue, asked.filled)
  const service = choice.service?.id === asked.filled.service ? choice.service : undefined
  const location = choice.location?.id === asked.filled.location ? choice.location : undefined
  if (!service || !location) return seeOther(reply, pathOf('/console/book', visit))
  const filled = withChosenTime(asked.filled, location)
  const again = (status: number, parts: Partial<BookForm>) =>
    sendBook(reply.code(status), visit, bookForm({ visit, catalogue, service, location, filled, ...parts }))
  if (filled.do === 'find') return again(200, await foundClients(context, visit, filled))
  if (filled.pick !== undefined) return again(200, await pickedClient(context, visit, filled))
  const order = orderOf(asked, filled, { service, location })
  if ('fault' in order) return again(422, order)
  let refused: Partial<BookForm> | undefined
  try {
    refused = await warningOf(context, visit, { ...order, filled })
    if (!refused) await bookOnce(context, asked, order)
  } catch (error) {
    const { near, ...fault } = bookFault(visit, error, { service, answers: order.body.custom_field_values })
    refused = { fault, near, filled: { ...filled, once: context.ids.next() } }
  }
  if (refused) return again(422, refused)
  const { date } = wallFields(order.startsAt, location.timezone)
  return seeOther(reply, pathOf('/console', visit, { date, done: 'booked' }))
}

/** A free time that was offered comes in the place of that in the fields. */
function withChosenTime(filled: Filled, { timezone }: Location): Filled {
  const [startText = '', staffId] = (filled.at ?? '').split(' ')
  const start = parseInstant(startText)
  if (!start) return filled
  return { ...filled, start: startText, ...wallFields(start, timezone), ...(staffId && { who: staffId }) }
}

async function foundClients(
  context: Context,
  visit: ConsoleVisit,
  filled: Filled,
): Promise<Partial<BookForm>> {
  const q = (filled.q ?? '').trim()
  if (q.length < 3)
    return { fault: { message: visit.texts.book.tooShort, fields: { q: visit.texts.book.tooShort } } }
  return { found: await clientsLike(context, visit, { q: q.slice(0, 100) }) }
}

async function pickedClient(
  context: Context,
  visit: ConsoleVisit,
  filled: Filled,
): Promise<Partial<BookForm>> {
  const [client] = await clientsLike(context, visit, { email: filled.pick ?? '' })
  if (!client) return {}
  const { first_name, last_name, email, phone } = client
  return { filled: { ...filled, first_name, last_name, email, phone: phone ?? '' } }
}

const maxFound = '8'

async function clientsLike(
  context: Context,
  { person, business }: ConsoleVisit,
  by: { q: string } | { email: string },
) {
  if (person.role === 'staff') return []
  const { data } = await listClients(context, person, {
    ...by,
    limit: maxFound,
    ...(business && { business_id: business.id }),
  })
  return data
}

interface Order {
  service: Service
  location: Location
  staffId: string | undefined
  startsAt: Instant
  body: Omit<Static<typeof ConvertHold>, 'hold_id'>
}

/** What the form asks for, or what is wrong with it. */
function orderOf(
  { visit, request }: Asked,
  filled: Filled,
  { service, location }: { service: Service; location: Location },
): (Order & { address: ReturnType<typeof readClientAddress> }) | { fault: FormFault } {
  const t = visit.texts.book
  const startsAt = instantOf(
    { date: filled.date ?? '', time: filled.time ?? '' },
    location.timezone,
    parseInstant(filled.start ?? ''),
  )
  if (startsAt === 'skipped' || startsAt === undefined) {
    const text = startsAt === undefined ? t.needTime : t.noTime
    return { fault: { message: text, fields: { time: text } } }
  }
  const answers = answersOf(service.custom_fields, filled)
  try {
    const { hold_id: _, ...body } = checkedForm(ConvertHold, {
      hold_id: service.id, // checked alone: the hold comes later
      client: {
        ...{
          first_name: filled.first_name ?? '',
          last_name: filled.last_name ?? '',
          email: filled.email ?? '',
        },
        ...(filled.phone?.trim() && { phone: filled.phone }),
      },
      custom_field_values: answers,
      ...(filled.notes?.trim() && { notes: filled.notes }),
      notify: filled.tell === 'on',
    })
    const staffId = filled.who && service.staff_ids.includes(filled.who) ? filled.who : undefined
    return { service, location, staffId, startsAt, body, address: readClientAddress(request.ip) }
  } catch (error) {
    return { fault: bookFault(visit, error, { service, answers }) }
  }
}

function answersOf(fields: readonly CustomField[], filled: Filled): FieldAnswer[] {
  return fields.flatMap((field): FieldAnswer[] => {
    const text = (filled[answerName(field)] ?? '').trim()
    if (field.type === 'boolean') return [{ field_id: field.id, value: text === 'on' }]
    if (field.type === 'multi_select') {
      const value = (field.options ?? []).filter((_, index) => filled[answerName(field, index)] === 'on')
      return value.length > 0 ? [{ field_id: field.id, value }] : []
    }
    if (text === '') return []
    return [{ field_id: field.id, value: field.type === 'number' ? Number(text) : text }]
  })
}

/** What a client would be told; a warning here, as people of the business may ignore its rules. */
async function warningOf(
  context: Context,
  { person, texts }: ConsoleVisit,
  { service, location, staffId, startsAt, filled }: Order & { filled: Filled },
): Promise<Partial<BookForm> | undefined> {
  const { reason } = await explainSlot(context, person, {
    service_id: service.id,
    location_id: location.id,
    ...(staffId !== undefined && { staff_id: staffId }),
    starts_at: startsAt,
  })
  if (reason === null || !Object.hasOwn(texts.book.reasons, reason)) return undefined // or a conflict, which the hold tells
  const text = texts.book.reasons[reason as keyof typeof texts.book.reasons]
  if (reason === 'in_the_past' || reason === 'not_offered_here')
    return { fault: { message: text, fields: { time: text } } }
  return filled.anyway === 'on' ? undefined : { warning: text }
}

/** Books, however often the same form is sent. A hold that could not be converted is released. */
async function bookOnce(
  context: Context,
  { visit, filled }: Asked,
  order: Order & { address: ReturnType<typeof readClientAddress> },
): Promise<void> {
  const { person } = visit
  const { service, location, staffId, startsAt, body, address: from } = order
  const run = async (store: StoreResponse<unknown>): Promise<Conversion> => {
    const { hold } = await placeHold(context, person, {
      service_id: service.id,
      location_id: location.id,
      ...(staffId !== undefined && { staff_id: staffId }),
      starts_at: startsAt,
      from,
    })
    try {
      return await convertHold(context, person, { ...body, hold_id: hold.id, from }, store)
    } catch (error) {
      await releaseHold(context, person, hold.id)
      throw error
    }
  }
  const said = JSON.stringify([service.id, location.id, staffId, startsAt, body])
  await respondOnce(context, {
    key: {
      caller_id: person.ownerId,
      route: 'POST /console/book',
      idempotency_key: filled.once ?? context.ids.next(),
    },
    digest: createHash('sha256').update(said).digest('hex'),
    run,
    present: ({ booking }) => ({ status: 201, etag: null, body: JSON.stringify({ id: booking.id }) }),
  })
}

/** What is wrong, with the free times nearby of a refusal. */
export function bookFault(
  { texts }: ConsoleVisit,
  error: unknown,
  { service, answers = [] }: { service?: Service; answers?: FieldAnswer[] | undefined },
): FormFault & { near?: NearTime[] } {
  if (error instanceof Problem && error.code === 'idempotency_key_reused')
    return { message: texts.book.sentBefore, fields: {} }
  if (error instanceof Problem && error.code === 'validation_failed') {
    const errors = error.parts.errors ?? []
    const fault = faultOf(texts.form, validationProblem(errors))
    return {
      ...fault,
      fields: {
        ...fault.fields,
        ...answerFaults({ fields: service?.custom_fields ?? [], answers }, errors, texts),
      },
    }
  }
  const fault = faultOf(texts.form, error)
  const { alternatives } = (error instanceof Problem ? (error.parts.extensions ?? {}) : {}) as {
    alternatives?: NearTime[]
  }
  return alternatives && alternatives.length > 0 ? { ...fault, near: alternatives } : fault
}

/** Errors name an answer by its place, or by the id of a question without one. */
function answerFaults(
  { fields, answers }: { fields: readonly CustomField[]; answers: readonly FieldAnswer[] },
  errors: readonly { pointer: string; code: string; detail: string }[],
  { form }: ConsoleVisit['texts'],
): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const { pointer, code, detail } of errors) {
    if (!pointer.startsWith('/custom_field_values')) continue
    const answered = answers[Number(pointer.split('/')[2])]?.field_id
    const field = fields.find(({ id }) => id === answered || detail.includes(id))
    if (field) faults[answerName(field)] = form.faults[code === 'required' ? 'required' : 'wrong_value']
  }
  return faults
}

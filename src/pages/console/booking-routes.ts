import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { personRoles } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import { exampleIds } from '../../base/examples.ts'
import { isInstant, readInstant } from '../../base/instants.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import { cancelBooking, changeBooking, showBooking } from '../../bookings/booking.ts'
import { listClients } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { type HistoryEntry, readHistory } from '../../bookings/history.ts'
import { listCatalogue, serviceKind, showOfCatalogue, staffKind } from '../../catalogue/catalogue.ts'
import { Media, PathId, StrictObject } from '../../http/wire.ts'
import { listMails } from '../../mails/mail.ts'
import { html, type Html } from '../page.ts'
import {
  changeList,
  type Filled,
  type FormName,
  formNames,
  formPage,
  readClient,
  readDetails,
} from './booking-forms.ts'
import { bookingPage, type BookingView, isMasked, type PlainAction, plainActions } from './booking-page.ts'
import {
  addForms,
  checkedForm,
  faultBox,
  faultOf,
  formMedia,
  type FormFault,
  refusedForms,
} from './console-form.ts'
import { type ConsoleVisit, findVisit, pathOf, sendConsolePage } from './console-page.ts'
import { momentText } from './formats.ts'
import { sendLogIn } from './gate-page.ts'

const tags = ['Console']
const page = Media('text/html', 'The page.')
const params = StrictObject({ id: PathId('booking', exampleIds.booking) })
const querystring = StrictObject({
  business: Type.Optional(Type.String({ maxLength: 36, description: 'Of a hub: the business to look at.' })),
  done: Type.Optional(Type.String({ maxLength: 40, description: 'What was just done.' })),
})
/** Fields of forms; operations check them. */
const AnyForm = Type.Object({}, { additionalProperties: Type.String() })

type BookingRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: { business?: string; done?: string }
}>

/** A booking in the console, and what people do with it. */
export function bookingPageOfConsoleRoutes(app: FastifyInstance, context: Context): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const response = { 200: page, 404: page }
  routes.get(
    '/console/bookings/:id',
    {
      schema: {
        operationId: 'showConsoleBooking',
        tags,
        summary: 'A booking, for people who are logged in',
        description: 'Others get the form to log in.',
        params,
        querystring,
        response,
      },
    },
    (request, reply) =>
      withBooking(
        context,
        { request, reply },
        (view) => sendBooking(reply, view, { notice: noticeOf(view.visit, request.query.done) }),
        true,
      ),
  )
  for (const name of formNames) {
    routes.get(
      `/console/bookings/:id/${name}`,
      {
        schema: {
          operationId: `showConsole${capital(name)}Form`,
          tags,
          summary: `The form to ${purposes[name]}`,
          description: 'It changes nothing.',
          params,
          querystring,
          response,
        },
      },
      (request, reply) =>
        withBooking(context, { request, reply }, async (view) => {
          return sendForm(reply, { name, view, staff: await staffFor(context, name, view) })
        }),
    )
  }
  addForms(app, context, (scope) => {
    addActions(scope, context)
  })
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

const purposes: Record<FormName, string> = {
  cancel: 'cancel a booking, or to send its deposit back',
  client: 'correct the client of a booking',
  details: 'change notes and answers of a booking',
  person: 'give a booking to another person',
}

function addActions(scope: FastifyInstance, context: Context): void {
  const routes = scope.withTypeProvider<TypeBoxTypeProvider>()
  const response = {
    303: Type.Null({ description: 'To the booking.' }),
    ...{ 200: page, 404: page, 409: page, 412: page, 422: page },
    ...refusedForms,
  }
  const common = { tags, consumes: formMedia, params, querystring, response }
  routes.post(
    '/console/bookings/:id/status',
    {
      schema: {
        ...common,
        operationId: 'useConsoleAction',
        summary: 'Confirm a booking, mark it as done or no-show, or take that back',
        description: 'A form of its page.',
        body: StrictObject({
          version: Type.Optional(Type.String()),
          seen: Type.Optional(Type.String()),
          action: Type.Enum([...plainActions]),
        }),
      },
    },
    (request, reply) =>
      withBooking(context, { request, reply }, async (view) => {
        const { action, version = '', seen = '' } = request.body
        const target = { id: view.row.id, ifMatch: `"${version}"` }
        const change = changesOf[action]
        try {
          await changeBooking(context, view.visit.person, { target, change: { ...change } })
        } catch (error) {
          const fresh = await freshView(context, view)
          const changes = changesSince(fresh, seen, error)
          const notice = faultBox(faultOf(fresh.visit.texts.form, error), changeList(fresh, changes ?? []))
          return sendBooking(reply.code(statusOf(error)), fresh, { notice })
        }
        return goTo(reply, view, doneBy[action])
      }),
  )
  for (const name of formNames) {
    routes.post(
      `/console/bookings/:id/${name}`,
      {
        schema: {
          ...common,
          operationId: `useConsole${capital(name)}Form`,
          summary: `Use the form to ${purposes[name]}`,
          description: 'After a fault it comes back with what was typed.',
          body: AnyForm,
        },
      },
      (request, reply) =>
        withBooking(context, { request, reply }, async (view) => {
          const { version = '', seen = '', ...filled } = request.body as Filled
          let done: Done
          try {
            done = await useForm(context, name, { view, version, filled })
          } catch (error) {
            const fresh = await freshView(context, view)
            const fault = faultOf(fresh.visit.texts.form, error)
            const changes = changesSince(fresh, seen, error)
            const form = { fault, changes, filled, nearest: nearestOf(fresh, error) }
            const staff = await staffFor(context, name, fresh)
            return sendForm(reply.code(statusOf(error)), { name, view: fresh, staff, ...form })
          }
          return goTo(reply, view, done)
        }),
    )
  }
}

const changesOf: Record<PlainAction, { status?: 'confirmed' | 'completed'; no_show?: boolean }> = {
  confirm: { status: 'confirmed' },
  complete: { status: 'completed' },
  no_show: { no_show: true },
  came: { no_show: false },
  reopen: { status: 'confirmed' },
  restore: { status: 'confirmed' },
}

type Done = keyof ConsoleVisit['texts']['booking']['done']

const doneBy: Record<PlainAction, Done> = {
  confirm: 'confirmed',
  complete: 'completed',
  no_show: 'no_show',
  came: 'came',
  reopen: 'reopened',
  restore: 'confirmed',
}

/** Does what a form asks for. Gives what it was. */
async function useForm(
  context: Context,
  name: FormName,
  { view, version, filled }: { view: BookingView; version: string; filled: Filled },
): Promise<Done> {
  const { row, visit } = view
  const target = { id: row.id, ifMatch: `"${version}"` }
  const notify = filled['tell'] !== 'no'
  if (name === 'cancel') {
    const reason = checkedForm(ChangeBooking, { cancel_reason: filled['cancel_reason'] ?? '' }).cancel_reason
    const refund = filled['refund'] === 'full'
    await cancelBooking(context, visit.person, {
      ...{ ...target, notify, refund },
      ...(reason && { reason }),
    })
    return row.status === 'cancelled' ? 'refunded' : 'cancelled'
  }
  const change = {
    client: () => readClient(filled),
    details: () => readDetails(view, filled),
    person: () => ({ staff_id: filled['staff_id'] || null, notify }),
  }[name]()
  await changeBooking(context, visit.person, { target, change: checkedForm(ChangeBooking, change) })
  return name
}

/** Looks the booking up for whoever may change it, or with `isPage` see it, and answers what cannot be shown. */
async function withBooking(
  context: Context,
  { request, reply }: { request: BookingRequest; reply: FastifyReply },
  answer: (view: BookingView) => FastifyReply | Promise<FastifyReply>,
  isPage = false,
): Promise<FastifyReply> {
  const visit = await findVisit(context, request, request.query.business)
  if (!visit) return sendLogIn(reply, { next: request.method === 'GET' ? request.url : '/console' })
  let view: BookingView
  try {
    view = await readView(context, visit, request.params.id)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return sendMissing(reply, visit)
    throw error
  }
  return isPage || !isMasked(view) ? answer(view) : sendMissing(reply, visit)
}

const shownChanges = '100'

/** All that the page of a booking shows, as far as the person may see it. Throws not_found. */
async function readView(context: Context, visit: ConsoleVisit, id: string): Promise<BookingView> {
  const { person } = visit
  const row = await showBooking(context, person, id)
  const business = visit.businesses.find((one) => one.id === row.business_id) ?? visit.business
  const seen = { visit: { ...visit, business }, row, now: context.clock.now() }
  const maySeeClients = personRoles.indexOf(person.role) >= personRoles.indexOf('manager')
  const [service, history, mails, client] = await Promise.all([
    showOfCatalogue(context, person, { kind: serviceKind, id: row.service_id }),
    isMasked(seen) ? undefined : readHistory(context, person, { id: row.id, limit: shownChanges }),
    maySeeClients ? listMails(context, person, { booking_id: row.id, limit: shownChanges }) : undefined,
    maySeeClients && row.client_email !== ''
      ? listClients(context, person, {
          ...{ email: row.client_email, before: row.starts_at, business_id: row.business_id },
        })
      : undefined,
  ])
  return {
    ...seen,
    service,
    history: history?.entries.toReversed(),
    hasOlder: history !== undefined && history.nextCursor !== null,
    mails: mails?.data ?? [],
    client: client && (client.data[0] ?? { visits: 0, no_shows: 0, blocked: false }),
  }
}

function freshView(context: Context, { visit, row }: BookingView): Promise<BookingView> {
  return readView(context, visit, row.id)
}

/** What happened since a form was shown, where that is why it was refused. */
function changesSince(view: BookingView, seen: string, error: unknown): HistoryEntry[] | undefined {
  if (!(error instanceof Problem) || error.code !== 'version_conflict') return undefined
  return isInstant(seen) ? (view.history ?? []).filter(({ at }) => at > seen) : []
}

/** Those who could take the booking, for the form about that. */
async function staffFor(
  context: Context,
  name: FormName,
  { visit, row, service }: BookingView,
): Promise<(readonly [id: string, name: string])[]> {
  if (name !== 'person') return []
  const { data } = await listCatalogue(context, visit.person, {
    kind: staffKind,
    query: { business_id: row.business_id, limit: '100' },
  })
  return data
    .filter(({ id }) => service?.staff_ids.includes(id) || id === row.staff_id)
    .map(({ id, name: label }) => [id, label] as const)
}

interface SentForm {
  name: FormName
  view: BookingView
  staff: (readonly [id: string, name: string])[]
  filled?: Filled
  fault?: FormFault
  changes?: HistoryEntry[] | undefined
  nearest?: string[]
}

function sendForm(reply: FastifyReply, { name, view, staff, ...form }: SentForm): FastifyReply {
  const texts = view.visit.texts.booking
  const titles: Record<FormName, string> = {
    cancel: texts.cancelTitle,
    client: texts.correct,
    details: texts.detailsTitle,
    person: texts.personTitle,
  }
  return sendConsolePage(reply, {
    title: titles[name],
    visit: view.visit,
    section: 'bookings',
    body: formPage(name, { view, ...form }, staff),
  })
}

function sendBooking(reply: FastifyReply, view: BookingView, { notice }: { notice: Html }): FastifyReply {
  const { row, visit } = view
  const at = momentText(row.starts_at, { timezone: row.timezone, locale: visit.locale })
  return sendConsolePage(reply, {
    title: `${row.service_name}, ${at}`,
    visit,
    section: 'bookings',
    body: bookingPage(view, notice),
    more: html`<script type="module" src="/docs/console.js"></script>`,
  })
}

function sendMissing(reply: FastifyReply, visit: ConsoleVisit): FastifyReply {
  const texts = visit.texts.booking
  return sendConsolePage(reply.code(404), {
    title: texts.notFound,
    visit,
    section: 'bookings',
    body: html`<h1>${texts.notFound}</h1>
      <p>${texts.notFoundWhy}</p>
      <p><a href="${pathOf('/console/bookings', visit)}">${texts.toList}</a></p>`,
  })
}

function goTo(reply: FastifyReply, { visit, row }: BookingView, done: Done): FastifyReply {
  const path = pathOf(`/console/bookings/${row.id}`, visit, { done })
  return reply.code(303).header('location', path).header('cache-control', 'no-store').send()
}

function noticeOf({ texts }: ConsoleVisit, done: string | undefined): Html {
  if (done === undefined || !Object.hasOwn(texts.booking.done, done)) return html``
  return html`<p class="notice" role="status">${texts.booking.done[done as Done]}</p>`
}

/** Forms that are refused answer as the API does. */
function statusOf(error: unknown): 409 | 412 | 422 {
  const code = error instanceof Problem ? error.code : undefined
  if (code === 'version_conflict') return 412
  return code === 'validation_failed' ? 422 : 409
}

interface Alternative {
  starts_at: string
}

/** The free times that a refusal names. */
function nearestOf({ visit, row }: BookingView, error: unknown): string[] {
  const named = error instanceof Problem ? error.parts.extensions?.['alternatives'] : undefined
  if (!Array.isArray(named)) return []
  const setting = { timezone: row.timezone, locale: visit.locale }
  return (named as Alternative[]).map(({ starts_at }) => momentText(readInstant(starts_at), setting))
}

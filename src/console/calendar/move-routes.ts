import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { invalidCredentials } from '../../access/authentication.ts'
import { showFirstDays } from '../../availability/availability.ts'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, plusMinutes, readInstant, readInstants, toMs } from '../../base/instants.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { showBooking } from '../../bookings/booking.ts'
import { changeInSeries } from '../../bookings/series-change.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { Context } from '../../bookings/context.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { decideTelling } from '../../bookings/telling.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import {
  choice,
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  type Typed,
} from '../../pages/form.ts'
import {
  calendarForm,
  firstButton,
  nearTimes,
  othersFree,
  timeButtons,
  timeFields,
  warningBox,
} from '../bookings/book-page.ts'
import {
  assertUsual,
  bookingRefusals,
  catalogueOf,
  fieldOfBooking,
  filledInQuery,
  startOf,
  withChosenTime,
} from '../bookings/book-routes.ts'
import { conflictList, conflictsOf, reachChoice, reachIn } from '../bookings/book-series.ts'
import { isMasked } from '../bookings/booking-page.ts'
import { bookingWords } from '../bookings/booking-words.ts'
import { isVisit, namesOfItems, presentItemsQuery, titleOf } from '../bookings/item-list.ts'
import { tellTick } from '../bookings/telling.ts'
import { tellAfterSeconds } from '../bookings/undo.ts'
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
  type RefusedForm,
  refusedForms,
  tags,
} from '../frame/console-route.ts'
import { clientName, momentText, wallFields } from '../frame/formats.ts'
import { undoPlace } from '../bookings/undo-together.ts'
import { nearest, none } from './away-appointments.ts'
import { undoOf } from './moved-notice.ts'

const maxMinutes = 1_440

/** Registers the pages to move, resize and reassign a booking. */
export function moveRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [moveRoute(context)])
  addForms(app, context, (scope) => tellRoute(scope, context))
}

/**
 * Registers the route that withdraws or restores a pending email. The calendar script moves bookings with a
 * delayed email.
 */
function tellRoute(scope: FastifyInstance, context: Context): void {
  scope.withTypeProvider<TypeBoxTypeProvider>().post(
    '/console/bookings/:id/tell',
    {
      schema: {
        operationId: 'decideTelling',
        tags,
        summary: 'Say whether the client is told of a move that was made just now',
        description: 'For moves with `notify_after_seconds`, while that lasts.',
        params: StrictObject({ id: Type.String({ maxLength: 40 }) }),
        consumes: formMedia,
        body: StrictObject({
          at_business: AtBusiness,
          version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'That the move made.' }),
          tell: Type.Enum(['on', 'off']),
        }),
        response: {
          204: Type.Null({ description: 'It is as was asked for.' }),
          ...problems('not_found', 'change_not_allowed', 'validation_failed', 'invalid_credentials'),
          ...refusedForms,
        },
      },
    },
    async (request, reply) => {
      const { at_business: at, version, tell } = request.body
      const visit = await findScriptSender(context, request, { at })
      if (!visit) throw invalidCredentials('The log-in has ended; log in again at /console.')
      const { id } = request.params
      const wish = { id, version: Number(version), tell: tell === 'on' }
      const decide = () => decideTelling(context, visit.person, wish)
      if (!(await inTimeOf(context, { request, visit }, decide)))
        throw new Problem('not_found', 'No mail about this change waits: it has been sent already.')
      return reply.code(204).send(null)
    },
  )
}

function moveRoute(context: Context): ConsoleRoute {
  return {
    path: '/console/bookings/:id/move',
    name: 'MoveForm',
    summary: 'The form to move a booking',
    role: 'staff',
    query: {
      ...filledInQuery,
      away: Type.Optional(
        Type.String({ maxLength: 40, description: 'The id of an absence, to return to its page.' }),
      ),
    },
    show: async (visit, { id, query }) => {
      const booking = await ownBooking(context, visit, id)
      const typed = { ...presentFields(booking), away: query['away'] ?? '' }
      return movePage(context, visit, {
        booking,
        state: filledForm(typed),
        near: await timesNear(context, visit, booking),
      })
    },
    form: {
      fieldOf: fieldOfBooking,
      words: bookingWords,
      refusals: { ...bookingRefusals, version_conflict: 422, change_not_allowed: 422 },
      act: async (visit, sent, { id }, once) => {
        const booking = await ownBooking(context, visit, id)
        const typed = withChosenTime(sent, booking.timezone)
        const startsAt = startOf(visit, typed, booking.timezone)
        const target = { id: booking.id, versions: [Number(typed['version'])] }
        const change = changeOf(visit, { booking, typed, startsAt })
        const { date } = wallFields(startsAt, booking.timezone)
        await warnOfMove(context, visit, { booking, typed, change })
        return once(
          async () => {
            const reach = reachIn(typed)
            const wanted = { reach, target, change: checkedChange(change) }
            return (await changeInSeries(context, visit.person, wanted)).booking
          },
          (moved) => {
            const { away = '' } = typed
            const undo = undoOf(moved, booking, change.notify)
            const back = change.notify && reachIn(typed) === 'this' ? undoPlace(booking, moved) : undefined
            return isUuid(away)
              ? { path: `/console/away/${away}`, query: { done: 'moved', ...(back && { undo: back }) } }
              : { path: '/console', query: { date, done: 'moved', undo } }
          },
        )
      },
      again: async (visit, state, { id }) => {
        const booking = await ownBooking(context, visit, id)
        const { refusal } = state
        const isStale = refusal instanceof Problem && refusal.code === 'version_conflict'
        const shown = isStale
          ? { typed: presentFields(booking), faults: { '': visit.texts.move.changed } }
          : { ...state, typed: withChosenTime(state.typed, booking.timezone) }
        return movePage(context, visit, { booking, state: shown })
      },
    },
  }
}

/** Throws validation_failed. */
function checkedChange(change: MoveChange) {
  return readInstants(checkedForm(ChangeBooking, change), 'starts_at', 'ends_at')
}

/** Warns of an unusual time, unless the booking stays where it was. */
async function warnOfMove(
  context: Context,
  visit: BusinessVisit,
  { booking, typed, change }: { booking: BookingRow; typed: Typed; change: MoveChange },
): Promise<void> {
  if (change.starts_at === undefined && change.staff_id === undefined) return
  const { service_id, location_id, starts_at } = booking
  const staffId = change.staff_id ?? booking.staff_id
  if (isVisit(booking)) {
    const time = { location_id, starts_at: change.starts_at ?? starts_at, items: presentItemsQuery(booking) }
    const names = namesOfItems(booking)
    return assertUsual(context, visit, {
      ...{ act: 'move', time, minutes: lengthOf(booking), typed, itemNames: names },
    })
  }
  const time = {
    ...{ service_id, location_id, starts_at: change.starts_at ?? starts_at },
    ...(staffId !== null && { staff_id: staffId }),
  }
  await assertUsual(context, visit, { act: 'move', time, minutes: Number(typed['minutes']), typed })
}

/** Throws not_found to staff for a booking of somebody else. */
async function ownBooking(context: Context, visit: BusinessVisit, id: string): Promise<BookingRow> {
  const booking = await showBooking(context, visit.person, id)
  if (isMasked({ visit, row: booking })) throw new Problem('not_found', 'There is no booking with this id.')
  return booking
}

function lengthOf({ starts_at, ends_at }: BookingRow): number {
  return (toMs(ends_at) - toMs(starts_at)) / 60_000
}

type BookingRow = Awaited<ReturnType<typeof showBooking>>

function presentFields(booking: BookingRow): Typed {
  return {
    ...wallFields(booking.starts_at, booking.timezone),
    start: booking.starts_at,
    minutes: String(lengthOf(booking)),
    who: booking.staff_id ?? '',
    version: String(booking.version),
    tell: 'on',
  }
}

interface MoveChange {
  starts_at?: Instant
  ends_at?: Instant
  staff_id?: string
  notify: boolean
  notify_after_seconds: number
}

/** Returns the change that the form asks for. The services of a visit keep their lengths and people. */
function changeOf(
  { texts: { book } }: BusinessVisit,
  { booking, typed, startsAt }: { booking: BookingRow; typed: Typed; startsAt: BookingRow['starts_at'] },
): MoveChange {
  const isMoved = startsAt !== booking.starts_at
  const telling = { notify: typed['tell'] === 'on', notify_after_seconds: tellAfterSeconds }
  if (isVisit(booking)) return { ...(isMoved && { starts_at: startsAt }), ...telling }
  const minutes = Number(typed['minutes'])
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > maxMinutes)
    throw new FormFault({ minutes: book.badParty({ most: maxMinutes }) })
  const endsAt = plusMinutes(startsAt, minutes)
  const { who = '' } = typed
  const isGiven = isUuid(who) && booking.staff_id !== null && who !== booking.staff_id
  return {
    ...(isMoved && { starts_at: startsAt }),
    ...((isMoved || endsAt !== booking.ends_at) && { ends_at: endsAt }),
    ...(isGiven && { staff_id: who }),
    ...telling,
  }
}

async function movePage(
  context: Context,
  visit: BusinessVisit,
  {
    booking,
    state,
    near,
  }: { booking: BookingRow; state: FormState & Partial<RefusedForm>; near?: NearTimes },
) {
  const { texts, locale, person } = visit
  const t = texts.move
  const { timezone } = booking
  const staff_name = isVisit(booking) ? null : booking.staff_name
  const { client } = presentBooking(booking, person)
  const { anyway: _, ...others } = state.faults
  const conflicts = conflictsOf(state.refusal)
  const otherTimes =
    conflicts.length > 0
      ? conflictList(visit, conflicts, { timezone })
      : nearTimes(visit, state.refusal, { timezone })
  const about = html`<h1>${t.title}</h1>
    <p>
      <a href="${pathOf(`/console/bookings/${booking.id}`, visit)}"
        ><bdi>${t.of({ client: clientName(client, visit), service: titleOf(booking) })}</bdi></a
      >
      · ${t.now}:
      ${momentText(booking.starts_at, { timezone, locale })}${staff_name === null ? '' : html` · <bdi>${staff_name}</bdi>`}
    </p>`
  const rest =
    booking.status === 'cancelled'
      ? html`<p>${t.cancelled}</p>`
      : html`<form
          method="post"
          action="${pathOf(`/console/bookings/${booking.id}/move`, visit)}"
          class="fields book"
        >
          ${firstButton('move')}
          ${hidden({ once: visit.once, version: state.typed['version'], start: state.typed['start'], away: state.typed['away'] })}
          ${faultSummary({ ...state, faults: others }, bookingWords(texts), otherTimes)}
          ${timeFields(
            visit,
            state,
            isVisit(booking)
              ? html``
              : field(state, { name: 'minutes', label: t.minutes, type: 'number', required: true }),
          )}
          ${near ? html`${othersFree(visit, near.free)} ${timeButtons(visit, near.times, { timezone, staff: near.staff })}` : ''}
          ${booking.staff_id === null || isVisit(booking) || isStaff(person) ? '' : await peopleField(context, visit, { booking, state })}
          ${reachChoice(visit, state, booking.series_id)} ${tellTick(visit, state, t.tell, booking)}
          ${warningBox(state, t.anyway)}
          <button type="submit" name="do" value="move" class="main">${t.send}</button>
        </form>`
  return calendarForm(t.title, html`${about} ${rest}`)
}

interface NearTimes {
  times: { starts_at: string; staff_ids: string[] }[]
  /** The people named with a time. */
  staff: WholeCatalogue['staff']
  /** Colleagues who are free at the same time. */
  free: { startsAt: Instant; people: WholeCatalogue['staff'] }
}

/** Days in which the form looks for free times. */
const daysAhead = 14

/** Returns free times around the booking, or from today on if it is over. Staff move to their own time only. */
async function timesNear(context: Context, visit: BusinessVisit, booking: BookingRow): Promise<NearTimes> {
  const { service_id, location_id, timezone, party_size } = booking
  const now = context.clock.now()
  const { date: from } = wallFields(booking.starts_at > now ? booking.starts_at : now, timezone)
  const { person } = visit
  const what = isVisit(booking)
    ? { items: presentItemsQuery(booking) }
    : { service_id, party_size, ...(isStaff(person) && { staff_id: person.staffId }) }
  const days = { from, to: dateOf(dayOf(from) + daysAhead - 1) }
  const slots = await showFirstDays(context, person, { location_id, ...what, ...days }).then(
    (found) => found.days.flatMap((day) => day.slots),
    none,
  )
  const { staff } = await catalogueOf(context, visit)
  const own = { id: booking.staff_id ?? '', name: booking.staff_name ?? '' }
  const mayGive = !isVisit(booking) && !isStaff(person)
  const sameTime = new Set(
    slots
      .filter(({ starts_at }) => readInstant(starts_at) === booking.starts_at)
      .flatMap(({ staff_ids }) => staff_ids.filter((id) => id !== booking.staff_id)),
  )
  const times = nearest(slots, { starts_at: booking.starts_at, staff: own })
  return {
    times: times.map(({ start, staffId }) => ({
      starts_at: start,
      staff_ids: staffId === undefined ? [] : [staffId],
    })),
    staff: mayGive ? staff : [],
    free: { startsAt: booking.starts_at, people: mayGive ? staff.filter(({ id }) => sameTime.has(id)) : [] },
  }
}

/** Renders the staff members who could take the booking, and its current one. */
async function peopleField(
  context: Context,
  visit: BusinessVisit,
  { booking, state }: { booking: BookingRow; state: FormState },
): Promise<Html> {
  const { services, staff } = await catalogueOf(context, visit)
  const service = services.find(({ id }) => id === booking.service_id)
  const people = staff.filter(
    ({ id, active }) => id === booking.staff_id || (active && service?.staff_ids.includes(id)),
  )
  return choice(state, {
    ...{ name: 'who', label: visit.texts.book.who },
    options: people.map(({ id, name }) => [id, name] as const),
  })
}

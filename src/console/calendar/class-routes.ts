import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { dialled } from '../../base/contact-formats.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, parseInstant, readInstant } from '../../base/instants.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import { changeClass, maxTogether } from '../../bookings/class-change.ts'
import type { Context } from '../../bookings/context.ts'
import {
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  tick,
  type Typed,
} from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { arrivalMs } from '../bookings/booking-page.ts'
import { calendarForm, timeFields, warningBox } from '../bookings/book-page.ts'
import {
  assertUsual,
  bookingRefusals,
  fieldOfBooking,
  filledInQuery,
  startOf,
} from '../bookings/book-routes.ts'
import { bookingWords } from '../bookings/booking-words.ts'
import { filedHint } from '../bookings/telling.ts'
import { tellAfterSeconds, undoNoticeOf } from '../bookings/undo.ts'
import {
  finalReason,
  maxUndoLength,
  statusCode,
  takeBack,
  togetherNotice,
  undoTogether,
} from '../bookings/undo-together.ts'
import { doneNotice, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
} from '../frame/console-route.ts'
import { face } from '../frame/faces.ts'
import { clientName, spanText, wallFields } from '../frame/formats.ts'
import { markOf, noteText } from './calendar-page.ts'
import { type CalendarView, readDays, type ShownBooking } from './calendar-view.ts'

/** Registers the page of a class with its clients and its change as a whole. */
export function classRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [classRoute(context)])
}

/** The bookings of one service at one start with one person or room. */
interface Class {
  service: { id: string; name: string }
  capacity: number
  hasDeposit: boolean
  who: string
  staff: { id: string; name: string } | null
  location: { id: string; name: string }
  timezone: string
  starts_at: Instant
  ends_at: Instant
  bookings: ShownBooking[]
  notes: CalendarView['notes']
  /** True once clients can have arrived. */
  isNear: boolean
}

type Address = Record<'service' | 'who' | 'start', string>

const addressIn = (query: Record<string, string | undefined>): Address => {
  const { service = '', who = '', start = '' } = query
  return { service, who, start }
}

/** Throws not_found for a class without bookings, or one of a colleague for staff. */
async function findClass(
  context: Context,
  visit: BusinessVisit,
  { service, who, start }: Address,
): Promise<Class> {
  const startsAt = parseInstant(start)
  if (!startsAt || !isUuid(who)) throw noClass()
  const { date } = wallFields(startsAt, visit.business.timezone)
  return readDays(context, visit, { from: date, to: date, columnId: who }, (view) => {
    const bookings = view.shown.bookings.filter(
      (one) =>
        one.column_id === who &&
        one.service.id === service &&
        !('redacted' in one) &&
        readInstant(one.starts_at) === startsAt,
    )
    const [first] = bookings
    const offered = view.calendar.catalogue.services.find(({ id }) => id === service)
    if (!first || !offered) throw noClass()
    return Promise.resolve({
      ...{ service: first.service, capacity: offered.capacity, hasDeposit: offered.payment !== 'none', who },
      ...{ staff: first.staff, location: first.location, timezone: view.calendar.timezone },
      ...{ starts_at: startsAt, ends_at: readInstant(first.ends_at), bookings },
      notes: view.notes,
      isNear: Date.parse(startsAt) - view.nowMs < arrivalMs,
    })
  })
}

const noClass = () => new Problem('not_found', 'There is no class at this address.')

function classRoute(context: Context): ConsoleRoute {
  return {
    path: '/console/class',
    name: 'ClassPage',
    summary: 'A class: the clients who come, and the forms to move and cancel it',
    role: 'staff',
    query: {
      ...filledInQuery,
      done: Type.Optional(Type.String({ maxLength: 40, description: 'What was done just before.' })),
      undo: Type.Optional(
        Type.String({
          maxLength: maxUndoLength,
          description: 'The bookings and their former state, to undo a change.',
        }),
      ),
    },
    show: async (visit, { query }) => {
      const found = await findClass(context, visit, addressIn(query))
      const { done, undo } = query
      const notice = await noticeOf(context, visit, { address: addressIn(query), done, undo })
      return classPage(visit, found, { state: filledForm(presentFields(found)), notice })
    },
    form: {
      fieldOf: fieldOfBooking,
      words: bookingWords,
      refusals: { ...bookingRefusals, version_conflict: 422, change_not_allowed: 422 },
      act: async (visit, typed, _address, once) => {
        const address = addressIn(typed)
        if (typed['do'] === 'undo')
          return once(
            () => takeBack(context, visit, typed['undo']),
            () => {
              const { date = '' } = typed
              const [path, query] = date === '' ? ['/console/class', address] : ['/console', { date }]
              return { path, query: { ...query, done: 'undone' } }
            },
          )
        const found = await findClass(context, visit, address)
        const targets = targetsIn(visit, typed)
        const { service, who } = found
        const change = (of: Parameters<typeof changeClass>[2]['change']) => () =>
          changeClass(context, visit.person, { targets, change: of, delaySeconds: tellAfterSeconds })
        if (typed['do'] === 'cancel') {
          const { cancel_reason: reason } = checkedForm(ChangeBooking, {
            cancel_reason: typed['cancel_reason'] ?? '',
          })
          const refund = typed['refund'] === 'on'
          const { date } = wallFields(found.starts_at, found.timezone)
          return once(change({ cancel: true, refund, ...(reason && { reason }) }), (changed) => ({
            path: '/console',
            query: { date, ...cancelled(changed, refund) },
          }))
        }
        if (typed['do'] === 'arrived')
          return once(change({ arrived: true }), (changed) => ({
            path: '/console/class',
            query: { ...address, done: 'arrived', undo: statusUndo(changed) },
          }))
        const startsAt = startOf(visit, typed, found.timezone)
        await warn(context, visit, { found, startsAt, typed })
        return once(change({ startsAt }), (changed) => ({
          path: '/console/class',
          query: { service: service.id, who, start: startsAt, done: 'moved', undo: moveUndo(changed, found) },
        }))
      },
      again: async (visit, state) => {
        const found = await findClass(context, visit, addressIn(state.typed)).catch((error: unknown) => {
          if (state.typed['do'] === 'undo') return undefined
          throw error
        })
        return found ? classPage(visit, found, { state }) : gonePage(visit, state)
      },
    },
  }
}

type Changed = Awaited<ReturnType<typeof changeClass>>

/** Returns the parameter that gives bookings their former status. */
function statusUndo(changed: Changed): string {
  const entries = changed.map(({ before, after: { id, version } }) => ({
    id,
    version,
    code: statusCode(before),
  }))
  return undoTogether({ kind: 'status', was: '', changed: entries })
}

function moveUndo(changed: Changed, { starts_at: was }: Class): string {
  const entries = changed
    .filter(({ before, after }) => before.version !== after.version)
    .map(({ after: { id, version } }) => ({ id, version, code: 0 }))
  return undoTogether({ kind: 'move', was, changed: entries })
}

/** Returns the notice after a cancellation, and how to undo it if that is possible. */
function cancelled(changed: Changed, refund: boolean): Record<string, string> {
  const before = changed.map((one) => one.before)
  const final = finalReason(before, { refund })
  return final ? { done: `class_final_${final}` } : { done: 'class_cancelled', undo: statusUndo(changed) }
}

/** Renders the notice of what was done just before. */
function noticeOf(
  context: Context,
  visit: BusinessVisit,
  { address, done, undo }: { address: Address; done: string | undefined; undo: string | undefined },
): Promise<Html> | Html {
  const { class: t, booking, live } = visit.texts
  const text = { arrived: booking.done.arrived, moved: t.moved }[done ?? '']
  if (text === undefined) return doneNotice({ undone: live.undone }, done)
  if (done === 'arrived' && undo?.startsWith('status,') !== true)
    return undoNoticeOf(context, { visit, text, undo, to: { to: 'class', ...address } })
  const before = done === 'moved' ? (undo?.split(',')[1] ?? address.start) : address.start
  const fields = { ...address, start: before }
  return togetherNotice(context, visit, { text, undo, action: pathOf('/console/class', visit), fields })
}

/** Explains why a cancellation could not be taken back. */
function gonePage(visit: BusinessVisit, state: FormState) {
  const { texts } = visit
  return calendarForm(
    texts.class.cancelled,
    html`<h1>${texts.class.cancelled}</h1>
      ${faultSummary({ ...state, typed: {} }, bookingWords(texts))}
      <p><a class="button" href="${pathOf('/console', visit)}">${texts.form.back}</a></p>`,
  )
}

/** Returns the bookings as the page showed them: a booking that was made or changed since refuses the whole. */
function targetsIn({ texts }: BusinessVisit, typed: Typed) {
  const pairs = (typed['members'] ?? '').split(',').map((pair) => pair.split(':'))
  const targets = pairs.map(([id = '', version]) => ({ id, version: Number(version) }))
  if (
    !targets.every(({ id, version }) => isUuid(id) && Number.isInteger(version)) ||
    targets.length > maxTogether
  )
    throw new FormFault({ '': texts.class.tooMany({ count: maxTogether }) })
  return targets
}

async function warn(
  context: Context,
  visit: BusinessVisit,
  { found, startsAt, typed }: { found: Class; startsAt: Instant; typed: Typed },
): Promise<void> {
  const { service, location, staff, starts_at, ends_at } = found
  const time = {
    service_id: service.id,
    location_id: location.id,
    starts_at: startsAt,
    ...(staff && { staff_id: staff.id }),
  }
  const minutes = (Date.parse(ends_at) - Date.parse(starts_at)) / 60_000
  if (startsAt !== starts_at) await assertUsual(context, visit, { act: 'move', time, minutes, typed })
}

function presentFields(found: Class): Typed {
  return { ...wallFields(found.starts_at, found.timezone), start: found.starts_at }
}

function classPage(
  visit: BusinessVisit,
  found: Class,
  { state, notice = html`` }: { state: FormState; notice?: Html },
) {
  const { texts, locale } = visit
  const t = texts.class
  const { service, who, staff, location, timezone, bookings, starts_at, capacity } = found
  const count = bookings.reduce((sum, { party_size }) => sum + party_size, 0)
  const add = {
    service: service.id,
    location: location.id,
    start: starts_at,
    ...(staff && { who: staff.id }),
  }
  return calendarForm(
    service.name,
    html`<h1><bdi>${service.name}</bdi></h1>
      ${notice}
      <p>
        ${spanText(found, { timezone, locale })}${staff ? html` · <bdi>${staff.name}</bdi>` : ''} ·
        <bdi>${location.name}</bdi>
      </p>
      <h2>${t.places({ count, capacity })}</h2>
      ${togetherActions(visit, found)}
      <ul class="rows">
        ${bookings.map((booking) => memberRow(visit, booking, { found, address: { service: service.id, who, start: starts_at } }))}
      </ul>
      ${
        count < capacity && !(isStaff(visit.person) && visit.person.staffId !== staff?.id)
          ? html`<p>
              <a class="button" href="${pathOf('/console/book', visit, add)}">${icon('add')} ${t.add}</a>
            </p>`
          : ''
      }
      ${wholeForms(visit, found, state)}`,
  )
}

function memberRow(
  visit: BusinessVisit,
  booking: ShownBooking,
  { found, address }: { found: Class; address: Address },
): Html {
  const { texts } = visit
  const name = clientName(booking.client, visit)
  const { phone } = booking.client
  const mark = markOf(booking, visit)
  const more = [
    ...(booking.party_size > 1 ? [texts.calendar.people({ count: booking.party_size })] : []),
    ...(mark.sign === '' ? [] : [mark.text]),
  ]
  return html`<li class="member">
    ${face(name)}
    <div>
      <a href="${pathOf(`/console/bookings/${booking.id}`, visit)}"><bdi>${name}</bdi></a>
      <span class="soft"
        >${phone === null ? '' : html`<a href="tel:${dialled(phone)}"><bdi>${phone}</bdi></a>`}
        ${more.length === 0 ? '' : html`<span>${more.join(' · ')}</span>`}</span
      >
      ${noteText({ visit, notes: found.notes }, booking)}
    </div>
    ${
      booking.status === 'confirmed' && found.isNear
        ? html`<form method="post" action="${pathOf(`/console/bookings/${booking.id}/status`, visit)}">
            ${hidden({ once: visit.once, version: String(booking.version), action: 'arrive', to: 'class', ...address })}
            <button type="submit">${icon('arrived')} ${texts.booking.arrived}</button>
          </form>`
        : ''
    }
  </li>`
}

/** Renders the button that marks everyone as arrived, and the link that writes to everyone without showing addresses. */
function togetherActions(
  visit: BusinessVisit,
  { service, who, starts_at: start, bookings, isNear }: Class,
): Html {
  const t = visit.texts.class
  const awaited = bookings.filter(({ status }) => status === 'confirmed').slice(0, maxTogether)
  const emails = [...new Set(bookings.map(({ client }) => client.email))].filter((email) => email !== '')
  const members = awaited.map(({ id, version }) => `${id}:${version}`).join(',')
  if (emails.length < 2 && (awaited.length < 2 || !isNear)) return html``
  return html`<div class="actions">
    ${
      isNear && awaited.length > 1
        ? html`<form method="post" action="${pathOf('/console/class', visit)}">
            ${hidden({ once: visit.once, members, service: service.id, who, start })}
            <button type="submit" name="do" value="arrived" class="main">
              ${icon('arrived')} ${t.allArrived}
            </button>
          </form>`
        : ''
    }
    ${
      emails.length > 1
        ? html`<a class="button" href="mailto:?bcc=${emails.map(encodeURIComponent).join(',')}"
            >${icon('mails')} ${t.write}</a
          >`
        : ''
    }
  </div>`
}

/** Renders the forms that change all bookings together, if none of them has other services. */
function wholeForms(visit: BusinessVisit, found: Class, state: FormState): Html {
  const { texts } = visit
  const t = texts.class
  const { bookings, service, who } = found
  const open = bookings.filter(({ status }) => ['pending', 'confirmed', 'in_progress'].includes(status))
  if (open.length === 0) return html``
  if (open.some(({ item }) => item.count > 1)) return html`<p class="soft">${t.visits}</p>`
  if (open.length > maxTogether) return html`<p class="soft">${t.tooMany({ count: maxTogether })}</p>`
  const members = open.map(({ id, version }) => `${id}:${version}`).join(',')
  const address = { once: visit.once, members, service: service.id, who, start: found.starts_at }
  const { anyway: _, ...others } = state.faults
  const isMoving = Object.keys(state.faults).length > 0
  const form = (fields: Html) =>
    html`<form method="post" action="${pathOf('/console/class', visit)}" class="fields">
      ${hidden(address)} ${fields}
    </form>`
  return html`${faultSummary({ typed: {}, faults: others }, bookingWords(texts))}
    <details class="more" ${isMoving ? html`open` : ''}>
      <summary>${t.move}</summary>
      ${form(
        html`<p class="soft">${t.moveHow({ count: open.length })}</p>
          ${filedHint(visit)} ${timeFields(visit, state)} ${warningBox(state, texts.move.anyway)}
          <button type="submit" name="do" value="move" class="main">${texts.move.send}</button>`,
      )}
    </details>
    <details class="more">
      <summary>${t.cancel}</summary>
      ${form(
        html`<p class="soft">${t.cancelHow({ count: open.length })}</p>
          ${field(filledForm(), { name: 'cancel_reason', label: texts.booking.reasonLabel, max: 500 })}
          ${found.hasDeposit && visit.person.role === 'owner' ? tick(filledForm({ refund: 'on' }), 'refund', texts.away.refund) : ''}
          <button type="submit" name="do" value="cancel" class="danger">${t.cancel}</button>`,
      )}
    </details>`
}

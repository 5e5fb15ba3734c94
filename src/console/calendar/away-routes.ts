import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { isDate, type Instant, instantFromMs, parseInstant, toMs } from '../../base/instants.ts'
import { Problem } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { changeBatch } from '../../bookings/batch.ts'
import { cancelBooking, changeBooking, showBooking } from '../../bookings/booking.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { Context } from '../../bookings/context.ts'
import { createBlock, settledUnder, showBlock } from '../../catalogue/block.ts'
import { CreateBlock } from '../../catalogue/block-schemas.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
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
import { isMasked } from '../bookings/booking-page.ts'
import { bookingWords } from '../bookings/booking-words.ts'
import { isVisit } from '../bookings/item-list.ts'
import { tellAfterSeconds } from '../bookings/undo.ts'
import {
  finalReason,
  itemsCode,
  maxUndoLength,
  statusCode,
  takeBack,
  togetherNotice,
  undoPlace,
  undoTogether,
} from '../bookings/undo-together.ts'
import { pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
  type RefusedForm,
} from '../frame/console-route.ts'
import { instantOf, wallFields } from '../frame/formats.ts'
import { anyone, awayPage } from './away-page.ts'
import { type Absence, appointmentsIn } from './away-appointments.ts'

/** Registers the form for a person who is away, and the page that finds other times for their appointments. */
export function awayRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [awayForm(context), absenceRoute(context)])
}

function awayForm(context: Context): ConsoleRoute {
  return {
    path: '/console/away',
    name: 'AwayForm',
    summary: 'The form for a person who is away',
    role: 'staff',
    query: filledInQuery,
    show: async (visit, { query }) => {
      const { timezone } = visit.business
      const { date: today } = wallFields(context.clock.now(), timezone)
      const { date = today, who = '' } = query
      const typed = { who, from_date: date, to_date: date, reason: visit.texts.away.reason }
      return formPage(context, visit, filledForm(typed))
    },
    form: {
      fieldOf: (pointer) => (pointer === '/staff_id' ? 'who' : pointer.slice(1)),
      words: bookingWords,
      refusals: bookingRefusals,
      act: async (visit, typed, _address, once) => {
        const body = blockOf(visit, typed)
        return once(
          (store) => createBlock(context, visit.person, body, store),
          ({ block }) => ({ path: `/console/away/${block.id}` }),
        )
      },
      again: (visit, state) => formPage(context, visit, state),
    },
  }
}

/** Returns the block that the form requests: whole days without times. Throws a FormFault or validation_failed. */
function blockOf({ business: { timezone }, texts }: BusinessVisit, typed: Typed) {
  const { who = '', reason = '', from_date = '', to_date = '', from_time = '', to_time = '' } = typed
  const at = (date: string, time: string, daysLater: number) => {
    if (!isDate(date)) throw new FormFault({ '': texts.book.needTime })
    if (time === '') return startOfDay(date, timezone, daysLater)
    const instant = instantOf({ date, time }, timezone)
    if (instant === undefined) throw new FormFault({ '': texts.book.needTime })
    if (instant === 'skipped') throw new FormFault({ '': texts.book.noTime })
    return instant
  }
  const span = { starts_at: at(from_date, from_time, 0), ends_at: at(to_date, to_time, 1) }
  if (span.ends_at <= span.starts_at)
    throw new FormFault({ '': texts.block.order, to_date: texts.block.order })
  return { ...checkedForm(CreateBlock, { staff_id: who, ...span, ...(reason && { reason }) }), ...span }
}

function startOfDay(date: string, timezone: string, daysLater: number): Instant {
  const day = Temporal.PlainDate.from(date).add({ days: daysLater })
  return instantFromMs(day.toZonedDateTime(timezone).epochMilliseconds)
}

async function formPage(context: Context, visit: BusinessVisit, state: FormState) {
  const { away: t, block, book } = visit.texts
  const { staff } = await catalogueOf(context, visit)
  const people = staff.filter(
    ({ id, active }) => active && (!isStaff(visit.person) || id === visit.person.staffId),
  )
  const wall = (end: 'from' | 'to') =>
    html`<div class="beside">
      ${field(state, { name: `${end}_date`, label: `${block[end]}: ${book.date}`, type: 'date', required: true })}
      ${field(state, { name: `${end}_time`, label: t.time, type: 'time' })}
    </div>`
  const form = html`<form method="post" action="${pathOf('/console/away', visit)}" class="fields book">
    ${hidden({ once: visit.once })} ${faultSummary(state, bookingWords(visit.texts))}
    ${choice(state, { name: 'who', label: t.who, options: people.map(({ id, name }) => [id, name] as const) })}
    ${wall('from')} ${wall('to')} ${field(state, { name: 'reason', label: block.reason, max: 500 })}
    <button type="submit" class="main">${t.send}</button>
  </form>`
  return calendarForm(
    t.title,
    html`<h1>${t.title}</h1>
      <p class="soft">${t.how}</p>
      ${people.length === 0 ? html`<p>${block.nobody}</p>` : form}`,
  )
}

/** Maximum number of settled bookings on the page. */
const maxDone = 50

function absenceRoute(context: Context): ConsoleRoute {
  const page = async (
    visit: BusinessVisit,
    id: string,
    {
      state,
      query = {},
    }: { state: FormState & Partial<RefusedForm>; query?: Partial<Record<string, string>> },
  ) => {
    const absence = await absenceOf(context, visit, id)
    const [found, settled] = await Promise.all([
      appointmentsIn(context, visit, absence),
      Promise.all(absence.settledIds.slice(0, maxDone).map((one) => showBooking(context, visit.person, one))),
    ])
    const done = settled.filter((row) => !isMasked({ visit, row }))
    const { staff } = await catalogueOf(context, visit)
    const given = staff.find((one) => one.id === query['given_to'])
    const text = doneText(visit, query, given)
    const notice =
      text === undefined
        ? html``
        : await togetherNotice(context, visit, {
            ...{ text, undo: query['undo'], fields: {} },
            action: pathOf(`/console/away/${id}`, visit),
          })
    const ofAll = query['done'] === 'one' ? undefined : given
    return awayPage(visit, {
      ...{ absence, found, state, done, notice, given: ofAll, newKey: () => context.ids.next() },
    })
  }
  return {
    path: '/console/away/:id',
    name: 'AwayPage',
    summary: 'The appointments of a person who is away, with other people and times for each',
    role: 'staff',
    query: {
      given_to: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'The colleague to whom appointments were given just before.',
        }),
      ),
      given: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$', description: 'How many these were.' })),
      cancelled: Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,3}$',
          description: 'How many appointments were cancelled just before.',
        }),
      ),
      done: Type.Optional(
        Type.String({
          maxLength: 40,
          description: '`undone`, `moved`, `one` given away, or the reason why a cancellation is final.',
        }),
      ),
      undo: Type.Optional(
        Type.String({
          maxLength: maxUndoLength,
          description: 'The bookings and their former state, to undo it.',
        }),
      ),
    },
    show: (visit, { id, query }) => page(visit, id, { state: filledForm(), query }),
    form: {
      words: bookingWords,
      refusals: { ...bookingRefusals, version_conflict: 422, change_not_allowed: 422 },
      act: async (visit, typed, { id }, once) => {
        const absence = await absenceOf(context, visit, id)
        const { give_all: colleague = '' } = typed
        const path = `/console/away/${id}`
        if (typed['do'] === 'undo')
          return once(
            () => takeBack(context, visit, typed['undo']),
            () => ({ path, query: { done: 'undone' } }),
          )
        if (typed['do'] === 'cancel_rest')
          return once(
            () => cancelRest(context, visit, { absence, typed }),
            (query) => ({ path, query }),
          )
        if (isUuid(colleague) || colleague === anyone)
          return once(
            () => giveAll(context, visit, { absence, colleague }),
            (query) => ({ path, query: { given_to: colleague, ...query } }),
          )
        const row = await showBooking(context, visit.person, typed['booking'] ?? '')
        if (isMasked({ visit, row })) throw new Problem('not_found', 'There is no booking with this id.')
        return once(
          () => settle(context, visit, { absence, row, typed }),
          (query) => ({ path, query }),
        )
      },
      again: (visit, state, { id }) => page(visit, id, { state }),
    },
  }
}

/** Returns the sentence about the change just before. Undefined without one. */
function doneText(
  { texts: { away: t, booking, live } }: BusinessVisit,
  { given_to: to, given, cancelled, done }: Partial<Record<string, string>>,
  colleague: { name: string } | undefined,
): string | undefined {
  if (done === 'undone') return live.undone
  if (done === 'moved') return booking.done.moved
  if (cancelled !== undefined) {
    const text = t.cancelled({ count: Number(cancelled) })
    const final = { refund: live.final.refund, open: live.final.open }[done ?? '']
    return final === undefined ? text : `${text} ${final}`
  }
  const count = Number(given) || 0
  if (to === anyone) return t.givenToMany({ count })
  return colleague && t.given({ name: colleague.name, count })
}

type Row = Awaited<ReturnType<typeof showBooking>>

/** Changes bookings with delayed emails. Returns those that changed, as they were and with their version now. */
async function changeAndKeep(
  context: Context,
  { person }: BusinessVisit,
  batch: Parameters<typeof changeBatch>[2],
): Promise<{ before: Row; version: number; isDone: boolean }[]> {
  const before = new Map(
    await Promise.all(batch.ids.map(async (id) => [id, await showBooking(context, person, id)] as const)),
  )
  const results = await changeBatch(context, person, batch, tellAfterSeconds)
  return results.flatMap((result) => {
    const was = before.get(result.id)
    if (!('booking' in result) || !was) return []
    const { version } = result.booking
    return [{ before: was, version, isDone: version !== was.version }]
  })
}

/** Gives all appointments of the page that a colleague can take to them. Returns how many they got, and how to undo it. */
async function giveAll(
  context: Context,
  visit: BusinessVisit,
  { absence, colleague }: { absence: Absence; colleague: string },
): Promise<Record<string, string>> {
  const { appointments } = await appointmentsIn(context, visit, absence)
  const takers = new Map<string, Set<string>>()
  for (const { shown, colleagues } of appointments) {
    const taker = colleague === anyone ? colleagues[0] : colleagues.find(({ id }) => id === colleague)
    if (taker) takers.set(taker.id, (takers.get(taker.id) ?? new Set()).add(shown.id))
  }
  const given: Awaited<ReturnType<typeof changeAndKeep>> = []
  for (const [staffId, ids] of takers) {
    const change = { change: 'reassign' as const, staff_id: staffId, from_staff_id: absence.staffId }
    given.push(...(await changeAndKeep(context, visit, { ids: [...ids], ...change, notify: true })))
  }
  // a visit can go to two people, one after the other: the last version counts
  const last = new Map(given.filter(({ isDone }) => isDone).map((one) => [one.before.id, one.version]))
  const first = new Map(given.toReversed().map((one) => [one.before.id, one.before]))
  const changed = [...last].map(([id, version]) => {
    const before = first.get(id)
    return { id, version, code: before ? itemsCode(before, absence.staffId) : 0 }
  })
  const undo = undoTogether({ kind: 'give', was: absence.staffId, changed })
  return { given: String(given.length), ...(undo !== '' && { undo }) }
}

/** Cancels all appointments of the page. Those that cannot be cancelled stay on it. Returns how many, and how to undo it. */
async function cancelRest(
  context: Context,
  visit: BusinessVisit,
  { absence, typed }: { absence: Absence; typed: Typed },
): Promise<Record<string, string>> {
  const { cancel_reason } = checkedForm(ChangeBooking, { cancel_reason: typed['cancel_reason'] ?? '' })
  const { appointments } = await appointmentsIn(context, visit, absence)
  const ids = [...new Set(appointments.map(({ shown }) => shown.id))]
  if (ids.length === 0) return {}
  const refund = typed['refund'] === 'on'
  const done = await changeAndKeep(context, visit, {
    ...{ ids, change: 'cancel', notify: true, refund: refund ? 'full' : 'none' },
    ...(cancel_reason && { cancel_reason }),
  })
  const cancelled = done.filter(({ isDone }) => isDone)
  const final = finalReason(
    cancelled.map(({ before }) => before),
    { refund },
  )
  const count = { cancelled: String(cancelled.length) }
  if (final) return { ...count, done: final }
  const changed = cancelled.map(({ before, version }) => ({
    id: before.id,
    version,
    code: statusCode(before),
  }))
  return { ...count, undo: undoTogether({ kind: 'status', was: '', changed }) }
}

/** Throws not_found for a block that is not of a person, or of somebody else for staff. */
async function absenceOf(
  context: Context,
  { person, business }: BusinessVisit,
  id: string,
): Promise<Absence & { settledIds: string[] }> {
  const found = await showBlock(context, person, id)
  const { block } = found
  const { staff_id: staffId, starts_at, ends_at } = block
  const isOthers = isStaff(person) && staffId !== person.staffId
  if (staffId === null || isOthers || block.busy_calendar_id !== null || block.business_id !== business.id)
    throw new Problem('not_found', 'There is no absence with this id.')
  return { id: block.id, staffId, starts_at, ends_at, reason: block.reason, settledIds: settledUnder(found) }
}

interface Settled {
  absence: Absence
  row: Awaited<ReturnType<typeof showBooking>>
  typed: Typed
}

/** Gives an appointment to somebody else, moves it or cancels it. The client gets an email. Returns how to undo it. */
async function settle(
  context: Context,
  { person, texts }: BusinessVisit,
  { absence, row, typed }: Settled,
): Promise<Record<string, string>> {
  const { version = '', give = '', at = '', item = '' } = typed
  const target = { id: row.id, versions: [Number(version)] }
  if (typed['do'] === 'cancel') {
    const { cancel_reason: reason } = checkedForm(ChangeBooking, {
      cancel_reason: typed['cancel_reason'] ?? '',
    })
    const refund = typed['refund'] === 'on' && row.payment_status === 'paid' && row.payment_kind !== 'card'
    const final = finalReason([row], { refund })
    const cancelled = await cancelBooking(context, person, {
      ...{ ...target, notify: true, refund, ...(reason && { reason }) },
      ...(!final && { delaySeconds: tellAfterSeconds }),
    })
    const changed = [{ id: row.id, version: cancelled.version, code: statusCode(row) }]
    return {
      cancelled: '1',
      ...(final ? { done: final } : { undo: undoTogether({ kind: 'status', was: '', changed }) }),
    }
  }
  const telling = { notify: true, notify_after_seconds: tellAfterSeconds }
  if (isUuid(give)) {
    const change = { ...givenTo(row, { item, staffId: give }), ...telling }
    const given = await changeBooking(context, person, { target, change })
    const code = isVisit(row) ? 1 << itemsOf(row).findIndex(({ id }) => id === item) : 0
    const changed = [{ id: row.id, version: given.version, code }]
    const undo = undoTogether({ kind: 'give', was: absence.staffId, changed })
    return { given_to: give, given: '1', done: 'one', undo }
  }
  const [startText = '', staffId = absence.staffId] = at.split(' ')
  const start = parseInstant(startText)
  if (!start || isVisit(row)) throw new FormFault({ '': texts.book.needTime })
  const ends_at = instantFromMs(toMs(start) + toMs(row.ends_at) - toMs(row.starts_at))
  const isGiven = staffId !== row.staff_id
  const change = { starts_at: start, ends_at, ...(isGiven && { staff_id: staffId }), ...telling }
  return { done: 'moved', undo: undoPlace(row, await changeBooking(context, person, { target, change })) }
}

/** Returns the change that gives a booking, or one service of a visit, to somebody. */
function givenTo(row: Settled['row'], { item, staffId }: { item: string; staffId: string }) {
  if (!isVisit(row)) return { staff_id: staffId }
  return { items: itemsOf(row).map(({ id }) => ({ id, ...(id === item && { staff_id: staffId }) })) }
}

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { manageUrl } from '../../access/manage-link.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstants } from '../../base/instants.ts'
import { changeBooking, showBooking } from '../../bookings/booking.ts'
import { cancelInSeries, changeInSeries, listSeries } from '../../bookings/series-change.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import { ChargeBooking, RefundBooking } from '../../bookings/payment-schemas.ts'
import { checkoutAddress } from '../../bookings/checkouts.ts'
import { clientHistory, showClient } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { readHistory } from '../../bookings/history.ts'
import { mailLink, maySeeLink, listPayments, payUrl, renewLink } from '../../bookings/manage.ts'
import { showOfCatalogue } from '../../catalogue/catalogue.ts'
import { serviceKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { listMails } from '../../mails/mail.ts'
import { chargeBooking, hasSavedCard, waiveFee } from '../../payments/charge.ts'
import { refundBooking } from '../../payments/refund.ts'
import { removeSavedCard } from '../../payments/saved-card.ts'
import { copied, faultSummary, filledForm, type FormState, hidden, type Typed } from '../../pages/form.ts'
import { type ConsoleVisit, doneNotice, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
  type ShownPage,
} from '../frame/console-route.ts'
import { listItems } from '../frame/lists.ts'
import { emptyState } from '../frame/empty-state.ts'
import { momentText } from '../frame/formats.ts'
import { refusedAnswers } from '../../pages/answer-fields.ts'
import { answerRoute } from './answer-routes.ts'
import { questionsOf } from './book-page.ts'
import { changeRefusals } from './book-routes.ts'
import { reachIn } from './book-series.ts'
import {
  changeList,
  changesSince,
  type FormName,
  formNames,
  formPage,
  nearestTimes,
  presentFields,
  readClient,
  readDetails,
  type Takers,
} from './booking-forms.ts'
import {
  bookingHead,
  bookingPage,
  bookingPath,
  type BookingView,
  isMasked,
  type PlainAction,
} from './booking-page.ts'
import { assertSure, readCharge, Unconfirmed } from './charge-form.ts'
import {
  cardQuestion,
  chargeQuestion,
  noShowCharge,
  noShowQuestion,
  waiveQuestion,
} from './charge-questions.ts'
import { paymentToRefund, readRefund } from './refund-form.ts'
import { itemsRoute } from './items-routes.ts'
import { titleOf } from './item-list.ts'
import { bookingWords } from './booking-words.ts'
import { whyUntold } from './telling.ts'
import { changeBack, isUndoable, statusOf, tellAfterSeconds, undoNotice, undoParameter } from './undo.ts'

/** Registers the page of a booking in the console, and its actions. */
export function bookingPageOfConsoleRoutes(app: FastifyInstance, context: Context): void {
  const missing = sayMissing
  const routes = [
    showRoute(context),
    actionRoute(context),
    linkRoute(context),
    answerRoute(context, { ownView, shownBooking }),
    itemsRoute(context, { ownView }),
    ...formNames.map((name) => formRoute(context, name)),
    waiveRoute(context),
    cardRoute(context),
  ]
  consoleRoutes(
    app,
    context,
    routes.map((route) => ({ role: 'staff' as const, ...route, missing })),
  )
}

type BookingRoute = Omit<ConsoleRoute, 'role'> & { role?: ConsoleRoute['role'] }

const path = '/console/bookings/:id'

function showRoute(context: Context): BookingRoute {
  return {
    path,
    name: 'ConsoleBooking',
    summary: 'A booking',
    show: async (visit, { id, query }) => {
      const view = await readView(context, visit, id)
      const { done, undo } = query
      return shownBooking(view, noticeOf(view, done, undo), isNew(done))
    },
    query: {
      undo: Type.Optional(
        Type.String({ maxLength: 200, description: 'The booking and its former status, to undo a change.' }),
      ),
    },
  }
}

function actionRoute(context: Context): BookingRoute {
  return {
    path: `${path}/status`,
    name: 'ConsoleAction',
    summary: 'Confirm a booking, mark it as done or no-show, or take that back',
    form: {
      words: bookingWords,
      refusals: changeRefusals,
      act: async (visit, typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        const { action = '', version = '' } = typed
        const target = { id: view.row.id, versions: [Number(version)] }
        const change = isPlainAction(action)
          ? { ...changesOf[action], ...feeOfNoShow(view, typed) }
          : changeBack(typed)
        if (!change) throw new FormFault({ '': visit.texts.form.problems.slot_not_offered })
        return once(
          () => changeBooking(context, visit.person, { target, change }),
          (changed) =>
            isPlainAction(action)
              ? pageAfter(view, typed, {
                  done: doneBy[action],
                  ...(mayUndo(view, action) && { undo: undoParameter(changed, statusOf(view.row)) }),
                })
              : pageAfter(view, typed, { done: 'undone' }),
        )
      },
      again: async (visit, state, { id }) => {
        const view = await ownView(context, visit, id)
        if (state.refusal instanceof Unconfirmed)
          return noShowQuestion(view, state, await hasSavedCard(context, view.row))
        const more = changeList(view, changesSince(view, state) ?? [])
        const near = nearestTimes(view, state.refusal)
        return shownBooking(view, faultSummary(state, bookingWords(visit.texts), html`${more} ${near}`))
      },
    },
  }
}

/** Returns if the fee of a no-show is charged. Throws Unconfirmed unless the person has decided about this amount. */
function feeOfNoShow(view: BookingView, { action, fee }: Typed): { no_show_fee?: boolean } {
  const charged = action === 'no_show' ? noShowCharge(view) : undefined
  if (!charged) return {}
  if (fee === 'none') return { no_show_fee: false }
  if (fee !== String(charged.amount)) throw new Unconfirmed()
  return { no_show_fee: true }
}

/** Returns the page from which a booking was marked: a list, a class, or its own. */
function pageAfter(view: BookingView, { to, ...typed }: Typed, said: Said) {
  const { service = '', who = '', start = '' } = typed
  if (to === 'class') return { path: '/console/class', query: { service, who, start, ...said } }
  return to === 'list' ? { path: '/console', query: { view: 'list', ...said } } : leadTo(view, said)
}

/** Returns true if a mark can be taken back: nobody is notified of it, and no open deposit ends with it. */
function mayUndo({ row }: BookingView, action: PlainAction): boolean {
  if (action === 'confirm' || action === 'restore') return false
  return action === 'arrive' ? row.status !== 'pending' : isUndoable(row)
}

/** Renders the notice of what was done just before. */
function noticeOf(
  { visit, row, now }: BookingView,
  done: string | undefined,
  undo: string | undefined,
): Html {
  const { booking, live } = visit.texts
  const texts = { ...booking.done, undone: live.undone }
  if (undo === undefined || done === undefined || !Object.hasOwn(texts, done)) return doneNotice(texts, done)
  return undoNotice(row, { visit, text: texts[done as keyof typeof texts], undo, now })
}

/** Returns the page of the client's link, for handing it over and replacing it. */
function linkRoute(context: Context): BookingRoute {
  const page = async (view: BookingView, notice: Html): Promise<ShownPage> => {
    const { visit, row } = view
    const t = visit.texts.booking
    const maySee = maySeeLink(visit.person, row.payment_id !== null)
    const link = maySee ? await manageUrl(context, row) : undefined
    const why = whyUntold(visit, row.client_email)
    return {
      title: t.linkTitle,
      visit,
      section: 'bookings',
      panel: true,
      body: html`<div class="narrow">
        <h1>${t.linkTitle}</h1>
        ${notice}
        <div class="card">${bookingHead(view, 2)}</div>
        <p>${t.linkHow}</p>
        ${maySee ? '' : html`<p>${t.linkOwners}</p>`}
        ${link === undefined ? '' : copied(visit.texts.website, { name: 'link', label: t.link, text: link, rows: 3 })}
        <form method="post" action="${bookingPath(view, 'link')}" class="fields">
          ${hidden({ once: visit.once })}
          ${why === undefined ? html`<p>${t.linkSendHow({ email: row.client_email })}</p>` : html`<p class="soft">${why}</p>`}
          ${maySee ? html`<p>${t.linkNewHow}</p>` : ''}
          <div class="buttons">
            ${
              why === undefined
                ? html`<button type="submit" name="do" value="send" class="${maySee ? '' : 'main'}">
                    ${t.linkSend}
                  </button>`
                : ''
            }
            ${maySee ? html`<button type="submit">${t.linkNew}</button>` : ''}
            <a class="button" href="${bookingPath(view)}">${visit.texts.form.back}</a>
          </div>
        </form>
      </div>`,
    }
  }
  return {
    path: `${path}/link`,
    name: 'ConsoleLinkForm',
    summary: "The client's link to a booking, and the form to mail it or to make a new one",
    query: {
      done: Type.Optional(Type.String({ maxLength: 600, description: 'What was done just before.' })),
    },
    show: async (visit, { id, query }) =>
      page(await ownView(context, visit, id), doneNotice(visit.texts.booking.done, query['done'])),
    form: {
      words: bookingWords,
      refusals: changeRefusals,
      act: async (visit, typed, { id }, once) => {
        const { row } = await ownView(context, visit, id)
        if (typed['do'] === 'send')
          return once(
            () => mailLink(context, visit.person, row.id),
            (isSent) => ({
              path: `/console/bookings/${row.id}/link`,
              query: { done: isSent ? 'link_sent' : 'link_unsent' },
            }),
          )
        return once(
          () => renewLink(context, visit.person, row.id),
          () => ({ path: `/console/bookings/${row.id}/link`, query: { done: 'link' } }),
        )
      },
      again: async (visit, state, { id }) =>
        page(await ownView(context, visit, id), faultSummary(state, bookingWords(visit.texts))),
    },
  }
}

/** Waives a fee after a question. */
function waiveRoute(context: Context): BookingRoute {
  return {
    path: `${path}/waive`,
    role: 'manager',
    name: 'ConsoleWaiver',
    summary: 'Waive a fee of a booking',
    query: {
      payment: Type.Optional(Type.String({ maxLength: 36, description: 'The fee.' })),
    },
    show: async (visit, { id, query }) => {
      const view = await ownView(context, visit, id)
      return waiveQuestion(view, query['payment']) ?? shownBooking(view, html``)
    },
    form: {
      words: bookingWords,
      act: async (visit, { payment = '' }, { id }, once) => {
        const view = await ownView(context, visit, id)
        return once(
          () => waiveFee(context, visit.person, { id: view.row.id, paymentId: payment }),
          () => leadTo(view, { done: 'waived' }),
        )
      },
      again: async (visit, state, { id }) =>
        shownBooking(await ownView(context, visit, id), faultSummary(state, bookingWords(visit.texts))),
    },
  }
}

/** Removes the saved card after a question. */
function cardRoute(context: Context): BookingRoute {
  return {
    path: `${path}/card`,
    role: 'manager',
    name: 'ConsoleCard',
    summary: 'Remove the saved card of a booking',
    show: async (visit, { id }) => cardQuestion(await ownView(context, visit, id)),
    form: {
      words: bookingWords,
      act: async (visit, _typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        return once(
          () => removeSavedCard(context, visit.person, view.row.id),
          () => leadTo(view, { done: 'card' }),
        )
      },
      again: async (visit, state, { id }) =>
        shownBooking(await ownView(context, visit, id), faultSummary(state, bookingWords(visit.texts))),
    },
  }
}

const purposes: Record<FormName, string> = {
  cancel: 'cancel a booking, or to send its deposit back',
  client: 'correct the client of a booking',
  details: 'change notes and answers of a booking',
  person: 'give a booking to another person',
  refund: 'refund a payment, wholly or in part',
  charge: 'charge the card of the client',
}

function nothingToRefund({ visit }: BookingView, state: FormState): FormState {
  return { ...state, faults: { '': visit.texts.booking.nothingLeft } }
}

function formRoute(context: Context, name: FormName): BookingRoute {
  const page = async (view: BookingView, state: Parameters<typeof formPage>[2]['state']) =>
    name === 'refund' && !paymentToRefund(view, state.typed['payment'])
      ? shownBooking(view, faultSummary(nothingToRefund(view, state), bookingWords(view.visit.texts)))
      : formPage(name, view, {
          ...{ state, takers: await takersOf(context, name, view) },
          hasCard: name === 'charge' && (await hasSavedCard(context, view.row)),
        })
  return {
    path: `${path}/${name}`,
    ...((name === 'refund' || name === 'charge') && { role: 'manager' as const }),
    name: `Console${name.charAt(0).toUpperCase()}${name.slice(1)}Form`,
    summary: `The form to ${purposes[name]}`,
    ...(name === 'refund' && {
      query: {
        payment: Type.Optional(Type.String({ maxLength: 36, description: 'The payment to refund.' })),
      },
    }),
    show: async (visit, { id, query }) => {
      const view = await ownView(context, visit, id)
      return page(view, filledForm(presentFields(name, view, query['payment'])))
    },
    form: {
      words: bookingWords,
      refusals: changeRefusals,
      fieldOf: (pointer) => pointer.split('/').at(-1) ?? '',
      act: async (visit, typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        return once(
          () => useForm(context, name, { view, typed }),
          (said) => leadTo(view, said),
        )
      },
      again: async (visit, state, { id }) => {
        const view = await ownView(context, visit, id)
        return state.refusal instanceof Unconfirmed
          ? chargeQuestion(view, state, await hasSavedCard(context, view.row))
          : page(view, state)
      },
    },
  }
}

const changesOf = {
  arrive: { status: 'in_progress' },
  confirm: { status: 'confirmed' },
  complete: { status: 'completed' },
  no_show: { no_show: true },
  came: { no_show: false },
  reopen: { status: 'confirmed' },
  restore: { status: 'confirmed' },
} as const satisfies Record<PlainAction, object>

function isPlainAction(text: string): text is PlainAction {
  return Object.hasOwn(changesOf, text)
}

type Done = keyof ConsoleVisit['texts']['booking']['done'] | 'undone'

/** The notice of the next page, and how to undo the change. */
interface Said {
  done: Done
  undo?: string
}

const doneBy: Record<PlainAction, Done> = {
  arrive: 'arrived',
  confirm: 'confirmed',
  complete: 'completed',
  no_show: 'no_show',
  came: 'came',
  reopen: 'reopened',
  restore: 'confirmed',
}

/** Performs the action of a form. */
async function useForm(
  context: Context,
  name: FormName,
  { view, typed }: { view: BookingView; typed: Typed },
): Promise<Said> {
  const { row, visit, questions } = view
  const target = { id: row.id, versions: [Number(typed['version'])] }
  const notify = typed['tell'] !== 'no'
  if (name === 'cancel') {
    const reason = checkedForm(ChangeBooking, { cancel_reason: typed['cancel_reason'] ?? '' }).cancel_reason
    const refund = typed['refund'] === 'full'
    const reach = reachIn(typed)
    const canUndo = reach === 'this' && !refund && row.status !== 'cancelled' && isUndoable(row)
    const { booking } = await cancelInSeries(context, visit.person, {
      ...{ ...target, reach, notify, refund },
      ...(canUndo && { delaySeconds: tellAfterSeconds }),
      ...(reason && { reason }),
    })
    if (refund) return { done: row.status === 'cancelled' ? 'refunded' : 'cancelled_refunded' }
    return { done: 'cancelled', ...(canUndo && { undo: undoParameter(booking, statusOf(row), notify) }) }
  }
  if (name === 'refund') {
    const refund = checkedForm(RefundBooking, readRefund(view, typed))
    await refundBooking(context, visit.person, { ...refund, id: row.id })
    return { done: 'refunded' }
  }
  if (name === 'charge') {
    const charge = checkedForm(
      ChargeBooking,
      readCharge({ ...view, hasCard: await hasSavedCard(context, row) }, typed),
    )
    assertSure(charge, typed)
    await chargeBooking(context, visit.person, { ...charge, id: row.id })
    return { done: 'charge' }
  }
  const details = readDetails(view, typed)
  const reach = name === 'person' ? reachIn(typed) : 'this'
  const change = {
    client: () => readClient(view, typed),
    details: () => details,
    person: () => ({
      ...{ staff_id: typed['staff_id'] || null, notify },
      ...(name === 'person' && reach === 'this' && { notify_after_seconds: tellAfterSeconds }),
    }),
  }[name]()
  try {
    const checked = checkedForm(ChangeBooking, change)
    const { booking } = await changeInSeries(context, visit.person, {
      ...{ target, reach },
      change: readInstants(checked, 'starts_at', 'ends_at'),
    })
    const was = name === 'person' && reach === 'this' ? row.staff_id : null
    return { done: name, ...(was !== null && { undo: undoParameter(booking, was, notify) }) }
  } catch (error) {
    throw refusedAnswers(error, {
      fields: questions,
      answers: details.custom_field_values,
    })
  }
}

/** Returns the result of `readView` for people who may change the booking. */
async function ownView(context: Context, visit: BusinessVisit, id: string): Promise<BookingView> {
  const view = await readView(context, visit, id)
  if (isMasked(view)) throw new Problem('not_found', 'There is no booking with this id.')
  return view
}

const shownChanges = 100

/** Reads the data of a booking's page, as far as the person may see it. Throws not_found. */
async function readView(context: Context, visit: ConsoleVisit, id: string): Promise<BookingView> {
  const { person } = visit
  const row = await showBooking(context, person, id)
  const business = visit.businesses.find((one) => one.id === row.business_id) ?? visit.business
  const seen = { visit: { ...visit, business }, row, now: context.clock.now() }
  const serviceIds = [...new Set(itemsOf(row).map(({ service }) => service.id))]
  const [services, history, mails, client, series, payments, team] = await Promise.all([
    Promise.all(serviceIds.map((one) => showOfCatalogue(context, person, { kind: serviceKind, id: one }))),
    isMasked(seen) ? undefined : readHistory(context, person, { id: row.id, limit: shownChanges }),
    hasRole(person, 'front_desk')
      ? listMails(context, person, { booking_id: row.id, limit: shownChanges })
      : undefined,
    isMasked(seen) || row.client_id === null
      ? undefined
      : showClient(context, person, row.client_id).then(async (shown) => ({
          ...(await clientHistory(context, shown, row.starts_at)),
          no_shows: shown.client.no_show_count,
          ...{ blocked: shown.blocked, notes: shown.client.notes },
        })),
    listSeries(context, row),
    isMasked(seen) ? [] : listPayments(context, row),
    listItems(context, person, { kind: staffKind, businessId: row.business_id }),
  ])
  return {
    ...seen,
    service: services[0],
    questions: questionsOf(services.map((service) => ({ service }))),
    payLinks: payments.flatMap((payment) => {
      const { id: paymentId, kind, status } = payment
      const url = kind === 'fee' ? checkoutAddress(context.config, paymentId) : payUrl(context, row)
      return status === 'due' && url !== null ? [{ ...payment, url }] : []
    }),
    history: history?.entries.toReversed(),
    hasOlder: history !== undefined && history.next_cursor !== null,
    mails: mails?.data ?? [],
    payments,
    client,
    series,
    team,
  }
}

/** Returns the staff members who could take the booking, for its form. */
async function takersOf(
  context: Context,
  name: FormName,
  { visit, row, service }: BookingView,
): Promise<Takers> {
  if (name !== 'person') return []
  const staff = await listItems(context, visit.person, { kind: staffKind, businessId: row.business_id })
  return staff
    .filter(({ id }) => service?.staff_ids.includes(id) || id === row.staff_id)
    .map(({ id, name: label }) => [id, label] as const)
}

/** Returns true right after a booking was made. */
function isNew(done: string | undefined): boolean {
  return done === 'booked' || done === 'due' || done === 'unpayable'
}

function shownBooking(view: BookingView, notice: Html, isMade = false): ShownPage {
  const { row, visit } = view
  const at = momentText(row.starts_at, { timezone: row.timezone, locale: visit.locale })
  return {
    title: `${titleOf(row)}, ${at}`,
    visit,
    section: 'bookings',
    panel: true,
    body: html`<a class="back of-page not-printed" href="${pathOf('/console/bookings', visit)}"
        >${visit.texts.booking.toList}</a
      >
      ${bookingPage(view, notice, isMade)}`,
  }
}

function sayMissing(visit: ConsoleVisit): ShownPage {
  const texts = visit.texts.booking
  return {
    title: texts.notFound,
    section: 'bookings',
    panel: true,
    body: html`<h1>${texts.notFound}</h1>
      ${emptyState(
        'search',
        texts.notFoundWhy,
        html`<a class="button" href="${pathOf('/console/bookings', visit)}">${texts.toList}</a>`,
      )}`,
  }
}

function leadTo({ row }: BookingView, said: Said) {
  return { path: `/console/bookings/${row.id}`, query: { ...said } }
}

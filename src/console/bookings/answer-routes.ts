import { Type } from 'typebox'
import { html, type Html } from '../../base/html.ts'
import { ChangeBooking } from '../../bookings/booking-schemas.ts'
import type { Context } from '../../bookings/context.ts'
import { otherTimes } from '../../bookings/request.ts'
import { answerRequests } from '../../bookings/series-change.ts'
import { faultSummary, type FaultWords, field, filledForm, type FormState, hidden } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  FormFault,
  type ShownPage,
} from '../frame/console-route.ts'
import { momentText } from '../frame/formats.ts'
import type { ConsoleTexts } from '../frame/texts.ts'
import { changeRefusals } from './book-routes.ts'
import { clientLine } from './booking-forms.ts'
import { bookingHead, bookingPath, type BookingView, openDates } from './booking-page.ts'
import { bookingWords } from './booking-words.ts'
import { datesPart, deadlineText } from './request-parts.ts'
import { filedHint, whyUntold } from './telling.ts'

interface BookingPages {
  /** Reads a booking that the person may change. */
  ownView: (context: Context, visit: BusinessVisit, id: string) => Promise<BookingView>
  shownBooking: (view: BookingView, notice: Html) => ShownPage
}

/** Returns the form that declines a request. Its target also confirms requests. */
export function answerRoute(
  context: Context,
  { ownView, shownBooking }: BookingPages,
): Omit<ConsoleRoute, 'role'> {
  return {
    path: '/console/bookings/:id/answer',
    name: 'ConsoleAnswerForm',
    summary: 'The form to decline a request, or to confirm it',
    query: { to: Type.Optional(Type.String({ maxLength: 600, description: 'The page that follows.' })) },
    show: async (visit, { id, query }) => {
      const view = await ownView(context, visit, id)
      if (view.row.respond_by === null) {
        const gone = html`<p class="notice" role="status">${visit.texts.requests.gone}</p>`
        return shownBooking(view, gone)
      }
      return declinePage(context, view, filledForm({ cancel_reason: '', to: query['to'] ?? '' }))
    },
    form: {
      words: answerWords,
      refusals: { ...changeRefusals, change_not_allowed: 409 },
      fieldOf: (pointer) => pointer.split('/').at(-1) ?? '',
      act: async (visit, typed, { id }, once) => {
        const view = await ownView(context, visit, id)
        const { answer = '', cancel_reason: typedReason = '', to } = typed
        if (answer !== 'confirm' && answer !== 'decline')
          throw new FormFault({ '': visit.texts.form.problems.slot_not_offered })
        const { cancel_reason: reason } = checkedForm(ChangeBooking, { cancel_reason: typedReason })
        const done = doneBy[answer][whyUntold(view.visit, view.row.client_email) === undefined ? 0 : 1]
        return once(
          () =>
            answerRequests(context, visit.person, {
              ...{ id: view.row.id, confirms: answer === 'confirm' },
              reason: reason ?? undefined,
            }),
          () => ({
            path: to === 'list' ? '/console/bookings' : `/console/bookings/${view.row.id}`,
            query: { done },
          }),
        )
      },
      again: async (visit, state, { id }) => {
        const view = await ownView(context, visit, id)
        return view.row.respond_by === null || state.typed['answer'] === 'confirm'
          ? shownBooking(view, faultSummary(state, answerWords(visit.texts)))
          : declinePage(context, view, state)
      },
    },
  }
}

/** Names of the notice after an answer: if the client gets an email, and if not. */
const doneBy = {
  confirm: ['request_confirmed', 'confirmed'],
  decline: ['request_declined', 'cancelled'],
} as const satisfies Record<string, readonly (keyof ConsoleVisit['texts']['booking']['done'])[]>

/** Returns the words of the form. The loser of two answers learns that the request is no longer open. */
function answerWords(texts: ConsoleTexts): FaultWords {
  const words = bookingWords(texts)
  return {
    ...words,
    problem: (code, detail) =>
      code === 'change_not_allowed' ? texts.requests.gone : words.problem(code, detail),
  }
}

async function declinePage(context: Context, view: BookingView, state: FormState): Promise<ShownPage> {
  const { visit, row } = view
  const { texts } = visit
  const why = whyUntold(visit, row.client_email)
  return {
    title: texts.requests.decline,
    visit,
    section: 'bookings',
    panel: true,
    body: html`<div class="narrow">
      <h1>${texts.requests.decline}</h1>
      <div class="card">${bookingHead(view, 2)} ${clientLine(view)}</div>
      ${faultSummary(state, answerWords(texts))}
      <p>${deadlineText(visit, row)}</p>
      ${datesPart(visit, openDates(view), row.timezone)}
      <form method="post" action="${bookingPath(view, 'answer')}" class="fields">
        ${hidden({ once: visit.once, answer: 'decline', to: state.typed['to'] })}
        ${field(state, { name: 'cancel_reason', label: texts.requests.reason, rows: 4, max: 500 })}
        ${why === undefined ? html`${await offeredTimes(context, view)} ${filedHint(visit)}` : html`<p class="soft">${why}</p>`}
        <div class="buttons">
          <button type="submit" class="main danger">${texts.requests.decline}</button>
          <a class="button" href="${bookingPath(view)}">${texts.form.back}</a>
        </div>
      </form>
    </div>`,
  }
}

/** Renders the free times that the email to the client offers. */
async function offeredTimes(context: Context, { visit, row }: BookingView): Promise<Html> {
  const times = await otherTimes(context, row)
  if (times.length === 0) return html``
  const setting = { timezone: row.timezone, locale: visit.locale }
  return html`<p>${visit.texts.requests.times}</p>
    <ul>
      ${times.map(({ startsAt }) => html`<li>${momentText(startsAt, setting)}</li>`)}
    </ul>`
}

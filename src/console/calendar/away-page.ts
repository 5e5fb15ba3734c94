import { dialled } from '../../base/contact-formats.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { instantFromMs, readInstant, toMs } from '../../base/instants.ts'
import type { showBooking } from '../../bookings/booking.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { namesOfPeople, titleOf } from '../bookings/item-list.ts'
import { faultSummary, filledForm, type FormState, hidden, tick } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { calendarForm } from '../bookings/book-page.ts'
import { nearGroup } from '../bookings/book-times.ts'
import { bookingPath } from '../bookings/booking-page.ts'
import { bookingWords } from '../bookings/booking-words.ts'
import { filedHint, whyUntold } from '../bookings/telling.ts'
import { pathOf } from '../frame/console-page.ts'
import type { BusinessVisit, RefusedForm, ShownPage } from '../frame/console-route.ts'
import { face } from '../frame/faces.ts'
import { clientName, clockText, dayText, momentText, spanText } from '../frame/formats.ts'
import type { Absence, FoundAppointments } from './away-appointments.ts'

/** In place of a colleague: each appointment goes to anyone who is free. */
export const anyone = 'anyone'

interface AwayList {
  absence: Absence
  found: FoundAppointments
  state: FormState & Partial<RefusedForm>
  /** Bookings that were cancelled or moved since the absence began, as they are now. */
  done: Awaited<ReturnType<typeof showBooking>>[]
  /** The notice of a change of several appointments just before. */
  notice: Html
  /** The colleague to whom everything possible was given just before. */
  given?: { id: string; name: string } | undefined
  /** Returns a key for a form that must not do its work twice. */
  newKey: () => string
}

/** Renders the appointments of a person who is away: open ones with what can become of them, then settled ones. */
export function awayPage(visit: BusinessVisit, list: AwayList): ShownPage {
  const { absence, found, state, done } = list
  const { texts, locale, business } = visit
  const { timezone } = business
  const t = texts.away
  const heading = t.heading({ name: found.name })
  const left = found.appointments.length + found.more
  const isAllDone = left === 0 && done.length > 0
  const dayOf = ({ starts_at }: Appointment['shown']) => dayText(readInstant(starts_at), { timezone, locale })
  const isSeveralDays =
    dayText(absence.starts_at, { timezone, locale }) !== lastDay(absence, { timezone, locale })
  return calendarForm(
    heading,
    html`<h1>${heading}</h1>
      <p>
        ${spanText(absence, { timezone, locale })}${absence.reason === null ? '' : html` · <bdi>${absence.reason}</bdi>`}
        ·
        <a href="${pathOf(`/console/block/${absence.id}`, visit)}">${texts.block.blocked}</a>
      </p>
      ${refusalOf(visit, state)} ${list.notice}
      ${
        left === 0
          ? html`<p class="notice" role="status">
              ${isAllDone ? html`${icon('done')} ${t.allDone}` : t.nothing}
            </p>`
          : html`<h2>${t.open({ count: left })}</h2>
              <p class="soft">${visit.mails === 'off' ? visit.texts.telling.off : t.tells}</p>
              ${filedHint(visit)} ${giveAllForm(visit, list)} ${cancelRestForm(visit, list)}`
      }
      ${[...Map.groupBy(found.appointments, ({ shown }) => dayOf(shown)).values()].map(
        (ofDay) =>
          html`${isSeveralDays ? html`<h3>${dayOf((ofDay[0] as Appointment).shown)}</h3>` : ''}
            <ul class="away">
              ${ofDay.map((one) => appointmentCard(visit, one, list))}
            </ul>`,
      )}
      ${found.more === 0 ? '' : html`<p>${t.more({ count: found.more })}</p>`}
      ${found.isWhole ? '' : html`<p class="soft">${t.later}</p>`}
      ${
        done.length === 0
          ? ''
          : html`<h2>${t.done}</h2>
              <ul class="away">
                ${done.map((row) => html`<li class="is-done">${icon('done')} ${doneLine(visit, row)}</li>`)}
              </ul>`
      }`,
  )
}

/** Returns the last day of an absence. One that ends at midnight does not reach into the next day. */
function lastDay({ ends_at }: Absence, setting: { timezone: string; locale: string }): string {
  return dayText(instantFromMs(toMs(ends_at) - 1), setting)
}

/** Renders a button for each colleague who can take several of the appointments. */
function giveAllForm(visit: BusinessVisit, { absence, found, newKey }: AwayList): Html {
  const counts = new Map<string, { name: string; count: number }>()
  for (const { colleagues } of found.appointments)
    for (const { id, name } of colleagues) counts.set(id, { name, count: (counts.get(id)?.count ?? 0) + 1 })
  const buttons = [...counts].flatMap(([id, { name, count }]) =>
    count < 2
      ? []
      : [
          html`<button type="submit" name="give_all" value="${id}">
            ${face(name)} <bdi>${name}</bdi> <span class="soft">${count}</span>
          </button>`,
        ],
  )
  const free = found.appointments.filter(({ colleagues }) => colleagues.length > 0).length
  const most = Math.max(0, ...[...counts.values()].map(({ count }) => count))
  if (free > Math.max(most, 1))
    buttons.unshift(
      html`<button type="submit" name="give_all" value="${anyone}">
        ${visit.texts.away.anyone} <span class="soft">${free}</span>
      </button>`,
    )
  if (buttons.length === 0) return html``
  return html`<form method="post" action="${pathOf(`/console/away/${absence.id}`, visit)}" class="fields">
    ${hidden({ once: newKey() })} ${nearGroup(visit.texts.away.giveAll, buttons)}
  </form>`
}

/** Renders the form that cancels all appointments of the page. */
function cancelRestForm(visit: BusinessVisit, { absence, found, newKey }: AwayList): Html {
  const { away: t, booking } = visit.texts
  const count = found.appointments.length
  if (count < 2) return html``
  const mayRefund = found.appointments.some((one) => one.mayRefund)
  return html`<details>
    <summary>${t.cancelRest({ count })}</summary>
    <form method="post" action="${pathOf(`/console/away/${absence.id}`, visit)}" class="fields">
      ${hidden({ once: newKey() })} ${reasonField(visit)}
      ${mayRefund ? tick(filledForm({ refund: 'on' }), 'refund', t.refund) : ''}
      <button type="submit" name="do" value="cancel_rest" class="danger">${booking.cancelNow}</button>
    </form>
  </details>`
}

function reasonField({ texts }: BusinessVisit): Html {
  return html`<label
    >${texts.booking.reasonLabel}<input name="cancel_reason" maxlength="500" dir="auto" autocomplete="off"
  /></label>`
}

/** Explains a refusal. The list below it already shows what is free now. */
function refusalOf(visit: BusinessVisit, state: AwayList['state']): Html {
  const { refusal } = state
  const taken = ['slot_booked', 'slot_held', 'slot_not_offered', 'version_conflict']
  const isTaken = refusal instanceof Problem && taken.includes(refusal.code)
  const faults = isTaken ? { '': visit.texts.away.taken } : state.faults
  return faultSummary({ typed: {}, faults }, bookingWords(visit.texts))
}

type Appointment = FoundAppointments['appointments'][number]

function appointmentCard(visit: BusinessVisit, one: Appointment, list: AwayList): Html {
  const { texts, locale, business } = visit
  const { shown } = one
  const name = clientName(shown.client, visit)
  const span = { starts_at: readInstant(shown.starts_at), ends_at: readInstant(shown.ends_at) }
  const { number, count } = shown.item
  const { phone } = shown.client
  return html`<li class="card">
    <div class="away-client">
      ${face(name)}
      <div>
        <a href="${pathOf(`/console/bookings/${shown.id}`, visit)}"><bdi>${name}</bdi></a>
        <span class="soft"
          >${clockText(span.starts_at, { timezone: business.timezone, locale })}–${clockText(span.ends_at, { timezone: business.timezone, locale })}
          ·
          <bdi>${shown.service.name}</bdi
          >${count > 1 ? html` · ${texts.calendar.part({ number: number + 1, count })}` : ''}</span
        >
      </div>
      ${
        phone === null
          ? ''
          : html`<a class="button" href="tel:${dialled(phone)}"
              >${icon('phone')} <span class="unseen">${texts.calendar.call}</span> <bdi>${phone}</bdi></a
            >`
      }
    </div>
    ${settleForm(visit, one, list)}
  </li>`
}

/** Renders the form of an appointment. Each button settles it at once. */
function settleForm(
  visit: BusinessVisit,
  { shown, colleagues, times, mayRefund, offeredBy }: Appointment,
  { absence, newKey, given }: AwayList,
): Html {
  const { texts, locale, business } = visit
  const t = texts.away
  const untold = visit.mails === 'off' ? undefined : whyUntold(visit, shown.client.email)
  const setting = { timezone: business.timezone, locale }
  const ofColleagues = colleagues.map(
    ({ id, name }) =>
      html`<button type="submit" name="give" value="${id}">${face(name)} <bdi>${name}</bdi></button>`,
  )
  const ofTimes = times.map(
    ({ start, staff }) =>
      html`<button type="submit" name="at" value="${start}${staff ? ` ${staff.id}` : ''}">
        ${nearText(start, shown.starts_at, setting)}${staff ? html` · <bdi>${staff.name}</bdi>` : ''}
      </button>`,
  )
  return html`<form method="post" action="${pathOf(`/console/away/${absence.id}`, visit)}" class="fields">
    ${hidden({ once: newKey(), booking: shown.id, item: shown.item.id, version: String(shown.version) })}
    ${given ? html`<p class="soft">${offeredBy.includes(given.id) ? t.notFree(given) : t.notOffered(given)}</p>` : ''}
    ${ofColleagues.length === 0 ? html`<p class="soft">${t.nobodyFree}</p>` : nearGroup(t.sameTime, ofColleagues)}
    ${ofTimes.length === 0 ? '' : nearGroup(t.otherTimes, ofTimes)}
    ${untold === undefined ? '' : html`<p class="soft">${untold}</p>`}
    <p>
      <a href="${pathOf(`/console/bookings/${shown.id}/move`, visit, { away: absence.id })}">${t.choose}</a>
    </p>
    <details>
      <summary>${t.cancel}</summary>
      <div>
        ${reasonField(visit)} ${mayRefund ? tick(filledForm({ refund: 'on' }), 'refund', t.refund) : ''}
        <button type="submit" name="do" value="cancel" class="danger">${texts.booking.cancelNow}</button>
      </div>
    </details>
  </form>`
}

/** Leaves out the day of a time on the same one. */
function nearText(start: string, other: string, setting: { timezone: string; locale: string }): string {
  const isSameDay = start.slice(0, 10) === other.slice(0, 10)
  return isSameDay ? clockText(readInstant(start), setting) : momentText(readInstant(start), setting)
}

function doneLine(visit: BusinessVisit, row: AwayList['done'][number]): Html {
  const { texts, locale, business } = visit
  const { client } = presentBooking(row, visit.person)
  const now =
    row.status === 'cancelled'
      ? texts.booking.status.cancelled
      : html`${spanText(row, { timezone: business.timezone, locale })}
        ${texts.calendar.withWhom({ name: namesOfPeople(row).join(', ') })}`
  return html`<span
    ><a href="${bookingPath({ visit, row })}"><bdi>${clientName(client, visit)}</bdi></a
    >, <bdi>${titleOf(row)}</bdi> · ${now}</span
  >`
}

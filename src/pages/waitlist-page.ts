import { html, type Html } from '../base/html.ts'
import type { Instant } from '../base/instants.ts'
import type { Language } from '../base/languages.ts'
import type { LinkedEntry } from '../bookings/waitlist-link.ts'
import { itemsOfEntry, weekdaysOf } from '../bookings/waitlist-rules.ts'
import type { ShownEntry } from '../bookings/waitlist.ts'
import { clientsMoment, otherTime, type ZonedStart } from '../mails/client-zone.ts'
import { answerFields } from './answer-fields.ts'
import { field, type FormState, hidden } from './form.ts'
import type { CardBusiness, MessagePage } from './message-page.ts'

/* The page of an entry of the waiting list, for its client. It works without a script. */

/** The outcome of the last form. */
export type EntryNotice = 'declined' | 'gone'

/** Returns the notice that an address names. */
export function entryNoticeIn(now: string | undefined): EntryNotice | undefined {
  return (['declined', 'gone'] as const).find((one) => one === now)
}

interface EntryVisit {
  language: Language
  business: CardBusiness
  /** The path of the page. */
  path: string
  /** Undefined unless the offered time was booked and can be managed. */
  manageUrl: string | undefined
  /** When the business answers at the latest, if the booking waits for its confirmation. */
  respondBy: Instant | null
  /** The start of the booking of the offered time. */
  startsAt: Instant | null
}

/** Renders an entry, with the time that it is offered. */
export function entryPage(
  visit: EntryVisit,
  linked: LinkedEntry,
  { notice, state }: { notice?: EntryNotice | undefined; state: FormState },
): MessagePage {
  const { business, language, path } = visit
  const { say } = language
  const { entry } = linked
  const isOffered = entry.status === 'offered' && entry.hold_id !== null
  const told = (text: string) => html`<p role="status">${text}</p>`
  const page = { business, forms: true }
  if (entry.status === 'booked')
    return {
      ...page,
      ...(visit.respondBy === null
        ? { title: say('manage.title'), sign: 'done' as const }
        : { title: say('booking.requested'), sign: 'bookings' as const }),
      content: html`<p>
          ${
            visit.respondBy === null
              ? say('booking.bookedFor')
              : say('booking.hearBy', {
                  time: clientsMoment(
                    visit.respondBy,
                    zoned(entry, visit.startsAt ?? visit.respondBy),
                    language,
                  ),
                })
          }
        </p>
        ${visit.startsAt === null ? '' : timeOf(linked, language, visit.startsAt)}
        ${
          visit.manageUrl === undefined
            ? ''
            : html`<p><a class="button main" href="${visit.manageUrl}">${say('mail.manage')}</a></p>`
        }`,
    }
  if (entry.status === 'ended')
    return { ...page, title: say('wait.ended'), sign: 'cancelled', content: html`` }
  const leave = html`<form method="post" action="${path}/leave" class="aside">
    <button type="submit" class="button">${say('wait.leave')}</button>
  </form>`
  const notices = notice === undefined ? '' : told(say(`wait.${notice}`))
  if (!isOffered)
    return {
      ...page,
      ...{ title: say('wait.title'), sign: 'bookings' },
      content: html`${notices} ${wishes(linked, language)}
        <p>${say('wait.waiting')}</p>
        ${leave}`,
    }
  return {
    ...page,
    ...{ title: say('wait.offered'), sign: 'bookings' },
    content: html`${notices} ${offered(linked, language)} ${faults(state)} ${takeForm(visit, linked, state)}
      <form method="post" action="${path}/decline">
        ${hidden({ offer: entry.hold_id ?? '' })}
        <button type="submit" class="button">${say('wait.decline')}</button>
      </form>
      ${leave}`,
  }
}

function faults({ faults: found }: FormState): Html {
  const general = found['']
  return general === undefined ? html`` : html`<p class="fault" role="alert">${general}</p>`
}

function takeForm({ language: { say }, path }: EntryVisit, linked: LinkedEntry, state: FormState): Html {
  const { entry, questions, missing } = linked
  const labels = { last_name: say('booking.lastName'), phone: say('booking.phone') }
  const words = { yes: say('mail.yes'), no: say('mail.no'), now: '' }
  return html`<form method="post" action="${path}/take" class="fields">
    ${hidden({ offer: entry.hold_id ?? '' })}
    ${missing.map((name) =>
      field(state, {
        ...{ name, label: labels[name], required: true, type: name === 'phone' ? 'tel' : 'text' },
        ...{ max: name === 'phone' ? 32 : 100, autocomplete: name === 'phone' ? 'tel' : 'family-name' },
      }),
    )}
    ${answerFields(words, state, { fields: questions })}
    <button type="submit" class="button main">${say('wait.take')}</button>
  </form>`
}

/** Renders the services of an entry. */
function entryServices({ entry, names }: ShownEntry): string {
  return itemsOfEntry(entry)
    .map(({ service_id }) => names.get(service_id) ?? '')
    .join(' + ')
}

/** Renders the time that an entry is offered. */
export function offered(linked: ShownEntry, language: Language): Html {
  const { entry } = linked
  const { say } = language
  const { offer_starts_at: startsAt, offer_expires_at: until } = entry
  if (!startsAt || !until) return html``
  const kept = html`<p>
    ${say('wait.kept', { time: clientsMoment(until, zoned(entry, startsAt), language) })}
  </p>`
  return timeOf(linked, language, startsAt, kept)
}

function zoned(
  { timezone, time_zone: clientZone, online_url: onlineUrl }: ShownEntry['entry'],
  startsAt: Instant,
): ZonedStart {
  return { startsAt, timezone, clientZone, onlineUrl }
}

function timeOf(linked: ShownEntry, language: Language, startsAt: Instant, more = html``): Html {
  const start = zoned(linked.entry, startsAt)
  const other = otherTime(start, language)
  return html`<div class="visits">
    <p class="what"><bdi>${entryServices(linked)}</bdi></p>
    <p>${clientsMoment(startsAt, start, language)} · <bdi>${linked.entry.location_name}</bdi></p>
    ${other === undefined ? '' : html`<p class="there">${other}</p>`} ${more}
  </div>`
}

/** Renders what an entry waits for. */
export function wishes(shown: ShownEntry, language: Language): Html {
  const { entry } = shown
  const people = itemsOfEntry(entry).flatMap(({ staff_id }) =>
    staff_id === undefined ? [] : (shown.names.get(staff_id) ?? []),
  )
  const parts = [
    people.length === 0
      ? ''
      : language.say('manage.withPerson', { name: new Intl.ListFormat(language.locale).format(people) }),
    entry.location_name,
    windowText(entry, language),
  ].filter(Boolean)
  return html`<div class="visits">
    <p class="what"><bdi>${entryServices(shown)}</bdi></p>
    <p>${parts.join(' · ')}</p>
  </div>`
}

/** Describes the dates and times that fit. */
function windowText(
  { from, to, weekdays_json, after, before }: ShownEntry['entry'],
  { locale, say }: Pick<Language, 'locale' | 'say'>,
): string {
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const at = (text: string) => new Date(`${text}T00:00:00Z`)
  const days = weekdaysOf(weekdays_json)?.map((day) => weekdayIn(day, locale)) ?? []
  return [
    from === to ? date.format(at(from)) : date.formatRange(at(from), at(to)),
    ...(days.length === 0 ? [] : [new Intl.ListFormat(locale, { type: 'unit' }).format(days)]),
    ...(after === null ? [] : [`${say('wait.after')} ${after}`]),
    ...(before === null ? [] : [`${say('wait.before')} ${before}`]),
  ].join(', ')
}

const mondayToSunday = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Returns the short name of a weekday. */
function weekdayIn(day: string, locale: string): string {
  // 2024-01-01 was a Monday
  const date = new Date(Date.UTC(2024, 0, 1 + mondayToSunday.indexOf(day)))
  return new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(date)
}

import { hasRole } from '../../access/actor.ts'
import { fullName } from '../../base/contact-formats.ts'
import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { type Instant, plusMinutes, readInstant } from '../../base/instants.ts'
import type { clientTimes } from '../../bookings/client.ts'
import type { ClientFields, CustomField } from '../../catalogue/catalogue-types.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import type { WholeCatalogue } from '../../catalogue/offering.ts'
import { icon } from '../../pages/icons.ts'
import { choice, faultSummary, field, focusIf, type FormState, hidden, tick } from '../../pages/form.ts'
import { type ConsoleVisit, pathOf } from '../frame/console-page.ts'
import type { ShownPage } from '../frame/console-route.ts'
import { face } from '../frame/faces.ts'
import { clockText, dayText, instantOf, lengthText } from '../frame/formats.ts'
import { answerFields } from '../../pages/answer-fields.ts'
import { warning } from './booking-page.ts'
import { conflictList, conflictsOf, isAt, repeatFields, skipBox } from './book-series.ts'
import { answerWords, bookingWords } from './booking-words.ts'
import { freeTimes, type FreeTimes, nearGroup, type OthersFree } from './book-times.ts'
import { itemFields, type ItemRow, lengthOfItems, offerText, totalOfItems } from './item-fields.ts'
import { confirmTick } from './telling.ts'

/* The form to book for a client: first the client and the service, then everything else. */

/** A free time near a wanted one. */
interface NearTime {
  starts_at: string
  staff_ids: string[]
}

/** Returns the free times in a refusal. */
export function nearTimesOf(refusal: unknown): NearTime[] {
  const named = refusal instanceof Problem ? refusal.parts.extensions?.['alternatives'] : undefined
  return Array.isArray(named) ? (named as NearTime[]) : [] // the format of the operations
}

/** Renders free times near a refused one as buttons that submit the form with that time. */
export function nearTimes(
  { texts, locale }: ConsoleVisit,
  refusal: unknown,
  { timezone, staff = [] }: { timezone: string; staff?: WholeCatalogue['staff'] },
): Html {
  return timeButtons({ texts, locale }, nearTimesOf(refusal), { timezone, staff })
}

/** Renders free times as buttons that submit the form with that time. */
export function timeButtons(
  { texts, locale }: Pick<ConsoleVisit, 'texts' | 'locale'>,
  near: readonly NearTime[],
  { timezone, staff = [] }: { timezone: string; staff?: WholeCatalogue['staff'] },
): Html {
  if (near.length === 0) return html``
  const days = Map.groupBy(near, ({ starts_at }) => dayText(readInstant(starts_at), { timezone, locale }))
  return html`<p>${texts.book.near}</p>
    ${Array.from(days, ([day, times]) =>
      nearGroup(
        day,
        times.map(({ starts_at, staff_ids: [staffId] }) => {
          const member = staff.find(({ id }) => id === staffId)
          const value = member ? `${starts_at} ${member.id}` : starts_at
          return html`<button type="submit" name="at" value="${value}">
            ${clockText(readInstant(starts_at), { timezone, locale })}${
              member ? html` · <bdi>${member.name}</bdi>` : ''
            }
          </button>`
        }),
      ),
    )}`
}

/** Returns a page of the calendar with a form. */
export function calendarForm(title: string, body: Html): ShownPage {
  return {
    title,
    section: 'calendar',
    panel: true,
    body: html`<div class="narrow">${body}</div>`,
  }
}

/** Renders the first button of a form, which Enter presses. It does the same as the last one. */
export function firstButton(does: string): Html {
  return html`<button
    type="submit"
    name="do"
    value="${does}"
    class="unseen"
    tabindex="-1"
    aria-hidden="true"
  ></button>`
}

/**
 * Renders the objection to a time with a box to ignore it. It is next to the submit button, so that it is
 * visible.
 */
export function warningBox(state: FormState, label: string): Html {
  const warning = state.faults['anyway']
  if (warning === undefined) return html``
  return html`<div class="alert" role="alert">
    <p>${warning}</p>
    ${tick(state, 'anyway', label, { focus: true })}
  </div>`
}

/** Renders the fields for time and staff member. */
export function timeFields({ texts }: ConsoleVisit, state: FormState, more: Html = html``): Html {
  const t = texts.book
  return html`<div class="beside">
    ${field(state, { name: 'date', label: t.date, type: 'date', required: true })}
    ${field(state, { name: 'time', label: t.time, type: 'time', required: true })} ${more}
  </div>`
}

/** The state of the form. */
export interface BookForm {
  visit: ConsoleVisit
  catalogue: WholeCatalogue
  service: Service
  /** All services, of which `service` is the first. */
  items: readonly ItemRow[]
  /** Services that can follow. */
  services: readonly Service[]
  /** True if a service was just added. */
  added?: boolean
  /** True if the business has a coupon in use. */
  hasCoupons: boolean
  location: Location
  state: FormState & { refusal?: unknown }
  /** The next field to fill in; undefined at the start of the form. */
  next?: 'q' | 'first_name' | 'notes' | undefined
  /** Free times from the chosen day on. Undefined if nobody requested them. */
  times?: FreeTimes | undefined
  /** True if the chosen start is in the past. */
  isOver: boolean
  /** True if the free times were just requested. */
  asked?: boolean
  /** Other people who are free at a refused time. */
  free?: OthersFree | undefined
  /** Text messages to a known client; undefined if this server sends none. */
  texted?: TextedClient | undefined
  /** Earlier clients; undefined without a search. */
  found?: readonly FoundClient[] | undefined
}

/** Returns the field values of a known client. The ID identifies them, because they may have no email address. */
export function clientTyped({ client }: Pick<FoundClient, 'client'>) {
  const { id, first_name, last_name, email, phone, notes } = client
  const contact = { first_name, last_name, email: email ?? '', phone: phone ?? '' }
  return { client: id, known: id, client_notes: notes ?? '', ...contact }
}

/** When a known client agreed to text messages, and when they replied STOP. */
export interface TextedClient {
  agreed: Instant | undefined
  stopped: Instant | undefined
}

type FoundClient = Awaited<ReturnType<typeof clientTimes>>[number]

/** The form before a service is chosen. */
interface ServiceForm extends ClientPart {
  /** The services to choose from. */
  services: readonly Service[]
  /** The chosen time and person, such as of a free time in the calendar. */
  at?: string | undefined
  withWhom?: string | undefined
}

/** Fields of the client, which stay visible, and buttons, which are not repeated. */
const notKept = new Set(
  'first_name last_name email phone q choose service once do use day month at add drop anyway unusual texts'.split(
    ' ',
  ),
)

/** Renders the form before a service is chosen: the client, then services as buttons. Keeps the other input. */
export function serviceForm(form: ServiceForm): ShownPage {
  const { visit, services, state, at, withWhom } = form
  const t = visit.texts.book
  const kept = Object.fromEntries(Object.entries(state.typed).filter(([name]) => !notKept.has(name)))
  const groups = [...Map.groupBy(services, ({ category }) => category)]
  const none = html`<p>${t.noServices}</p>
    ${hasRole(visit.person, 'manager') ? html`<p><a class="button" href="${pathOf('/console/services/new', visit)}">${visit.texts.services.add}</a></p>` : ''}`
  return calendarForm(
    visit.texts.frame.book,
    html`<h1>${visit.texts.frame.book}</h1>
      ${at === undefined ? '' : html`<p><b>${at}</b>${withWhom === undefined ? '' : html` <bdi>${visit.texts.calendar.withWhom({ name: withWhom })}</bdi>`}</p>`}
      <form method="post" action="${pathOf('/console/book', visit)}" class="fields book">
        ${firstButton('find')} ${hidden({ once: visit.once, ...kept })}
        ${faultSummary(state, bookingWords(visit.texts))} ${clientPart(form)}
        <fieldset>
          <legend>${t.chooseService}</legend>
          ${services.length === 0 ? none : ''}
          ${groups.map(
            ([category, some]) =>
              html`${category === null ? '' : html`<h2><bdi>${category}</bdi></h2>`}
                <div class="offers">
                  ${some.map(
                    (service) =>
                      html`<button type="submit" name="choose" value="${service.id}" formnovalidate>
                        <bdi>${service.name}</bdi> <span class="soft">${offerText(visit, service)}</span>
                      </button>`,
                  )}
                </div>`,
          )}
        </fieldset>
      </form>`,
  )
}

/** Renders the form. */
export function bookForm(form: BookForm): ShownPage {
  const { visit, catalogue, service, location, state } = form
  const { texts } = visit
  const t = texts.book
  const { typed, faults, refusal } = state
  const { anyway: _, ...others } = faults
  const { items } = form
  const staff = items.length > 1 ? [] : catalogue.staff
  const { timezone } = location
  const conflicts = conflictsOf(refusal)
  const near =
    conflicts.length > 0
      ? conflictList(visit, conflicts, { timezone, typed })
      : nearTimes(visit, refusal, { timezone, staff })
  // the first date of a series may be free although a later one is not
  const isFirstFree = conflicts.length > 0 && !conflicts.some(isAt(form.free?.startsAt))
  const free = isFirstFree ? undefined : form.free
  return calendarForm(
    texts.frame.book,
    html`<h1>${texts.frame.book}: <bdi>${items.map((item) => item.service.name).join(' + ')}</bdi></h1>
      <form method="post" action="${pathOf('/console/book', visit)}" class="fields book">
        ${firstButton('book')}
        ${hidden({ once: visit.once, start: typed['start'], client: typed['client'], service: service.id })}
        ${hidden({ known: typed['known'] ?? '', client_notes: typed['client_notes'] })}
        ${faultSummary({ typed, faults: others }, bookingWords(texts), html`${othersFree(visit, free)} ${near}`)}
        ${clientPart(form)} ${whenFields(form)}
        ${answerFields(answerWords(texts), state, { fields: questionsOf(items) })}
        ${field(state, { name: 'notes', label: t.notes, rows: 2, max: 1000, focus: form.next === 'notes' })}
        ${form.hasCoupons ? field(state, { name: 'coupon', label: t.coupon, max: 40 }) : ''}
        ${form.isOver ? html`<p class="soft">${t.untoldAfterwards}</p>` : confirmTick(visit, state, t.tell)}
        <div class="save">
          <p data-fresh>${sumLine(form)}</p>
          ${warningBox(state, form.isOver ? t.afterwards : t.anyway)} ${skipBox(visit, state)}
          <button type="submit" name="do" value="book" class="main">${t.send}</button>
        </div>
      </form>`,
  )
}

function whenFields(form: BookForm): Html {
  const { visit, catalogue, service, location, state } = form
  const t = visit.texts.book
  const places = catalogue.locations.filter(({ id, active }) => active && service.location_ids.includes(id))
  const isStaff = visit.person.role === 'staff'
  const people = catalogue.staff.filter(
    ({ id, active }) => active && service.staff_ids.includes(id) && (!isStaff || id === visit.person.staffId),
  )
  const pairs = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => [id, name] as const)
  const own = html`${
    service.capacity > 1
      ? field(state, { name: 'party_size', label: t.howMany, type: 'number', required: true })
      : ''
  }
  ${
    service.staff_ids.length === 0
      ? ''
      : choice(state, {
          ...{ name: 'who', label: t.who },
          options: [...(isStaff ? [] : [['', t.anyone] as const]), ...pairs(people)],
        })
  }`
  return html`${
      places.length > 1
        ? choice(state, { name: 'location', label: t.location, options: pairs(places) })
        : hidden({ location: location.id })
    }
    <fieldset class="item-row">
      <legend><bdi>${service.name}</bdi></legend>
      <p class="soft">${offerText(visit, service, form.items[0]?.who)}</p>
      ${own}
      <button type="submit" name="do" value="service" formnovalidate>${t.otherService}</button>
    </fieldset>
    ${itemFields(visit, state, { catalogue, rows: form.items.slice(1), first: 1, services: form.services, added: form.added === true })}
    ${timeFields(
      visit,
      state,
      html`<button type="submit" name="do" value="now" formnovalidate>${t.now}</button>
        <button type="submit" name="do" value="times" formnovalidate>${t.freeTimes}</button>`,
    )}
    <div data-fresh>${freeTimes({ ...form, free: form.times })}</div>
    ${repeatFields(visit, state)}`
}

/** Renders the end of the services once their start is chosen, and the total price. */
function sumLine({ visit, items, location: { timezone }, state: { typed } }: BookForm): Html {
  const { texts, locale } = visit
  const minutes = lengthOfItems(items)
  const start = instantOf({ date: typed['date'] ?? '', time: typed['time'] ?? '' }, timezone)
  const total = totalOfItems(visit, items)
  const clock = (instant: Instant) => clockText(instant, { timezone, locale })
  const parts = [
    ...(start === undefined || start === 'skipped'
      ? []
      : [`${clock(start)}–${clock(plusMinutes(start, minutes))}`]),
    lengthText(visit, minutes),
    ...(total === undefined ? [] : [texts.book.total({ amount: total })]),
  ]
  return html`<b>${parts.join(' · ')}</b>`
}

/** Renders other people who are free at a refused time as buttons that submit the form with them. */
export function othersFree({ texts }: Pick<ConsoleVisit, 'texts'>, free: BookForm['free']): Html {
  if (!free || free.people.length === 0) return html``
  return html`<p>${texts.book.othersFree}</p>
    <p class="near">
      ${free.people.map(
        ({ id, name }) =>
          html`<button type="submit" name="at" value="${free.startsAt} ${id}">
            ${face(name)} <bdi>${name}</bdi>
          </button>`,
      )}
    </p>`
}

/** Attributes of a button that submits an incomplete form. */
const unchecked = (isNext: boolean): Html => html`formnovalidate ${focusIf(isNext)}`

/** The parts of the form about the client. */
type ClientPart = Pick<BookForm, 'visit' | 'items' | 'state' | 'found' | 'next' | 'texted'>

function clientPart(form: ClientPart): Html {
  const { client_notes: notes = '' } = form.state.typed
  return html`<fieldset>
    <legend>${form.visit.texts.book.client}</legend>
    ${notes === '' ? '' : warning(html`<bdi class="written">${notes}</bdi>`)}
    ${form.visit.person.role === 'staff' ? html`${clientFields(form)} ${textsTick(form)}` : html`${lookUp(form)} ${foldedFields(form)}`}
  </fieldset>`
}

/** Renders the fields of the client, folded until a new client needs them. */
function foldedFields(form: ClientPart): Html {
  const { visit, items, state, next } = form
  const { first_name = '', last_name = '', email = '', phone = '' } = state.typed
  const isComplete = first_name !== '' && (phone !== '' || !requires(items, 'phone'))
  const isFaulty = ['first_name', 'last_name', 'email', 'phone'].some((name) => name in state.faults)
  const isOpen = isFaulty || next === 'first_name' || (!isComplete && items.length > 0)
  const isInside = isOpen || phone === ''
  const name = fullName(first_name, last_name)
  return html`<details class="client-fields" ${isOpen ? html`open` : ''}>
      <summary>
        ${
          isComplete
            ? html`${face(name)}
                <span
                  ><bdi>${name}</bdi> <span class="soft"><bdi>${phone || email}</bdi></span></span
                >`
            : visit.texts.book.newClient
        }
      </summary>
      <div>${clientFields(form)} ${isInside ? textsTick(form) : ''}</div>
    </details>
    ${isInside ? '' : textsTick(form)}`
}

function lookUp({ visit, state: { typed, faults }, found, next }: ClientPart): Html {
  const t = visit.texts.book
  const fault = faults['q']
  return html`<div data-look-up>
    <label for="q">${t.findClient}</label>
    <div class="beside">
      <input
        id="q"
        name="q"
        type="search"
        value="${typed['q'] ?? ''}"
        maxlength="100"
        dir="auto"
        autocomplete="off"
        ${focusIf(next === 'q' || found?.length === 0 || fault !== undefined)}
      />
      <button type="submit" name="do" value="find" formnovalidate>${t.find}</button>
    </div>
    ${fault === undefined ? '' : html`<p class="fault">${fault}</p>`}
    <div class="offers" role="status">
      ${found?.length === 0 ? html`<p class="soft">${t.nobodyFound}</p>` : ''}
      ${(found ?? []).map((client, index) => foundClient(visit, client, unchecked(index === 0)))}
      ${
        found === undefined
          ? ''
          : html`<button type="submit" name="do" value="new" formnovalidate>
              ${icon('add')} <span>${t.newNamed({ name: typed['q'] ?? '' })}</span>
            </button>`
      }
    </div>
  </div>`
}

/** Renders an earlier client as a button that fills in the fields. */
function foundClient(visit: ConsoleVisit, { client, last_at }: FoundClient, attributes: Html): Html {
  const { texts, locale, business } = visit
  const { id, first_name, last_name, email, phone } = client
  const setting = { timezone: business?.timezone ?? 'UTC', locale }
  const name = fullName(first_name, last_name)
  const more = [
    phone ?? '',
    email ?? '',
    last_at === null ? '' : `${texts.clients.lastVisit}: ${dayText(last_at, setting)}`,
  ].filter((part) => part !== '')
  return html`<button type="submit" name="pick" value="${id}" ${attributes}>
    ${face(name)}
    <span
      ><bdi>${name}</bdi>
      <span class="soft"
        >${more.map((part, at) => html`${at === 0 ? '' : ' · '}<bdi>${part}</bdi>`)}</span
      ></span
    >
  </button>`
}

/** Returns the questions of all services, each once. */
export function questionsOf(items: readonly Pick<ItemRow, 'service'>[]): CustomField[] {
  return [
    ...new Map(items.flatMap(({ service }) => service.custom_fields.map((one) => [one.id, one]))).values(),
  ]
}

/** Returns true if one of the services requires a detail of the client. */
export function requires(items: readonly ItemRow[], name: keyof ClientFields): boolean {
  return items.some(({ service }) => service.client_fields[name] === 'required')
}

function clientFields({ visit, items, state, next }: ClientPart): Html {
  const t = visit.texts.book
  const isRequired = (name: keyof ClientFields) => requires(items, name)
  return html`<div class="beside">
      ${field(state, { name: 'first_name', label: t.firstName, required: true, max: 100, focus: next === 'first_name' })}
      ${field(state, { name: 'last_name', label: t.lastName, max: 100 })}
    </div>
    <div class="beside">
      ${field(state, { name: 'email', label: t.email, hint: t.emailHint, type: 'email', max: 254 })}
      ${field(state, { name: 'phone', label: t.phone, type: 'tel', required: isRequired('phone'), max: 32 })}
    </div>`
}

/** Renders the agreement to text messages. It stays visible when the fields of a client with a phone number are folded. */
function textsTick({ visit, state, texted }: Pick<ClientPart, 'visit' | 'state' | 'texted'>): Html {
  const { texts, locale, business } = visit
  if (!visit.hasTexts || business?.text_kinds_json === '[]') return html``
  const day = (instant: Instant) => dayText(instant, { timezone: business?.timezone ?? 'UTC', locale })
  const { stopped, agreed } = texted ?? {}
  const known = stopped
    ? warning(html`${texts.clients.stopped({ date: day(stopped) })}`)
    : agreed
      ? html`<p class="soft">${texts.book.textsAgreedOn({ date: day(agreed) })}</p>`
      : ''
  return html`${tick(state, 'texts', texts.book.textsAgreed)} ${known}`
}

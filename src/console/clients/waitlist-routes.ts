import type { FastifyInstance } from 'fastify'
import { Problem, type ProblemCode, validationProblem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { languageFor } from '../../base/languages.ts'
import { readClientAddress } from '../../base/client-network.ts'
import type { Context } from '../../bookings/context.ts'
import { createEntry, endEntry, listEntries, showEntry } from '../../bookings/waitlist.ts'
import { type LinkedEntry, withQuestionsForPeople } from '../../bookings/waitlist-link.ts'
import { offerByHand, skipEntry, takeOffer } from '../../bookings/waitlist-offer.ts'
import { CreateEntry } from '../../bookings/waitlist-schemas.ts'
import { sendsOffers } from '../../mails/waitlist-outbox.ts'
import {
  choice,
  faultSummary,
  field,
  filledForm,
  type FormState,
  hidden,
  type Typed,
  typedPhone,
} from '../../pages/form.ts'
import { answerFields, answersOf, refusedAnswers } from '../../pages/answer-fields.ts'
import { icon } from '../../pages/icons.ts'
import { wishes } from '../../pages/waitlist-page.ts'
import { catalogueOf } from '../bookings/book-routes.ts'
import { answerWords, bookingWords } from '../bookings/booking-words.ts'
import { doneNotice, panelScripts, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
  type ShownPage,
} from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { clientName, instantOf, momentText } from '../frame/formats.ts'
import { nextPage, pageOrFirst } from '../frame/lists.ts'

/* The waiting list of a business, with offers by hand and entries for clients on the phone. */

const path = '/console/waitlist'
const perPage = 50

/** Registers the pages of the waiting list. */
export function waitlistConsoleRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [listRoute(context), newRoute(context), entryRoute(context)])
}

function listRoute(context: Context): ConsoleRoute {
  return {
    path,
    name: 'WaitlistPage',
    summary: 'The waiting list of a business',
    role: 'front_desk',
    show: (visit, { query }) => list(context, visit, { query }),
  }
}

async function list(
  context: Context,
  visit: BusinessVisit,
  {
    query,
    state = filledForm(),
    at,
  }: { query: Record<string, string | undefined>; state?: FormState; at?: string },
): Promise<ShownPage> {
  const { waitlist: t } = visit.texts
  const { data: shown, next_cursor } = await pageOrFirst(query['cursor'] || undefined, (cursor) =>
    listEntries(context, visit.person, {
      ...{ business_id: visit.business.id, status: 'active', limit: perPage },
      ...(cursor !== undefined && { cursor }),
    }),
  )
  const data = await withQuestionsForPeople(context, shown)
  const add = html`<a class="button main" href="${pathOf(`${path}/new`, visit)}">${icon('add')} ${t.add}</a>`
  return {
    title: t.title,
    section: 'waitlist',
    ...panelScripts,
    body: html`<div class="head">
        <h1>${t.title}</h1>
        ${data.length === 0 ? '' : add}
      </div>
      ${doneNotice(t.done, query['done'])} ${faultSummary(state, bookingWords(visit.texts))}
      <p class="soft">${t.what}</p>
      ${(await sendsOffers(context, context.db.reads, visit.business.id)) ? '' : noMail(visit)}
      ${
        data.length === 0
          ? emptyState('waiting', t.empty, add)
          : html`<ol class="rows">
              ${data.map(
                (one) =>
                  html`<li class="waiting">
                    ${entryPart(visit, one, one.entry.id === at ? state : filledForm({}))}
                  </li>`,
              )}
            </ol>`
      }
      ${nextPage(visit, path, next_cursor, {})}`,
  }
}

/** Explains why the booking page does not offer the waiting list: an offer must reach its client. */
function noMail(visit: BusinessVisit): Html {
  const { waitlist: t, ownMail } = visit.texts
  return html`<div class="notice">
    <p>${t.noMail}</p>
    ${
      visit.person.role === 'owner'
        ? html`<p><a href="${pathOf('/console/mails/server', visit)}">${ownMail.connect}</a></p>`
        : ''
    }
  </div>`
}

/** Renders the form that books the offered time, with what the services ask. */
function takeForm(
  { texts }: BusinessVisit,
  { entry, questions, missing }: LinkedEntry,
  { state, action }: { state: FormState; action: string },
): Html {
  const { waitlist: t, book } = texts
  const isRefused = Object.keys(state.faults).length > 0
  return html`<details class="more" ${isRefused ? html`open` : ''}>
    <summary>${t.take}</summary>
    <form method="post" action="${action}" class="fields">
      ${hidden({ action: 'take', offer: entry.hold_id ?? '' })}
      ${missing.map((name) =>
        field(state, { name, label: book.phone, type: 'tel', required: true, max: 32 }),
      )}
      ${answerFields(answerWords(texts), state, { fields: questions })}
      <button type="submit" class="main">${book.send}</button>
    </form>
  </details>`
}

function entryPart(visit: BusinessVisit, shown: LinkedEntry, state: FormState): Html {
  const { waitlist: t } = visit.texts
  const { entry } = shown
  const { timezone, offer_starts_at: startsAt, offer_expires_at: until } = entry
  const setting = { timezone, locale: visit.locale }
  const name = clientName({ ...entry, email: entry.email ?? '@' }, visit)
  const shownName = html`<bdi>${name}</bdi>`
  const action = pathOf(`${path}/${entry.id}`, visit)
  const button = (act: string, label: string) =>
    html`<form method="post" action="${action}">
      ${hidden({ action: act })}<button type="submit">${label}</button>
    </form>`
  return html`${face(name)}
    <div>
      <p class="client-name">
        ${
          entry.client_id === null
            ? shownName
            : html`<a href="${pathOf(`/console/clients/${entry.client_id}`, visit)}">${shownName}</a>`
        }
      </p>
      ${wishes(shown, languageFor(visit.locale))}
      ${
        startsAt && until
          ? html`<p class="state is-pending">
              ${icon('waiting')}
              ${t.kept({ when: momentText(startsAt, setting), until: momentText(until, setting) })}
            </p>`
          : ''
      }
      ${entry.email === null ? html`<p class="soft">${t.unreachable} <bdi dir="ltr">${entry.phone ?? ''}</bdi></p>` : ''}
      <p class="soft">
        ${entry.position === null ? '' : html`${t.position({ number: entry.position })} · `}${t.since({ when: momentText(entry.created_at, setting) })}
      </p>
    </div>
    <div class="actions">
      ${entry.status === 'offered' ? button('skip', t.skip) : ''} ${button('remove', t.remove)}
    </div>
    ${
      entry.status === 'waiting'
        ? html`<details class="more">
            <summary>${t.offerTime}</summary>
            <form method="post" action="${action}" class="fields">
              ${hidden({ action: 'offer' })}
              <div class="beside">
                <label
                  >${t.date}
                  <input type="date" name="date" required value="${entry.from}" min="${entry.from}" />
                </label>
                <label
                  >${t.time} <input type="time" name="time" required value="${entry.after ?? ''}"
                /></label>
              </div>
              <button type="submit">${t.offer}</button>
            </form>
          </details>`
        : ''
    }
    ${entry.status === 'offered' ? takeForm(visit, shown, { state, action }) : ''}`
}

function entryRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id`,
    name: 'WaitlistEntry',
    summary: 'Offer a time to a client on the waiting list, pass it on, or remove the client',
    role: 'front_desk',
    form: {
      fieldOf: (pointer) => /^\/(?:client\/(phone)|(answer-.+))$/.exec(pointer)?.slice(1).join('') ?? '',
      words: bookingWords,
      refusals: { slot_held: 409, slot_booked: 409, slot_not_offered: 422, change_not_allowed: 409 },
      act: async (visit, typed, { id }) => {
        if (typed['action'] === 'take') return take(context, visit, { typed, id })
        const done = await actOn(context, visit, { typed, id })
        return { path, query: { done } }
      },
      again: (visit, state, { id }) => list(context, visit, { query: {}, state, at: id }),
    },
  }
}

/** Refusals that mean that the offered time is gone. */
const goneCodes: readonly ProblemCode[] = ['hold_expired', 'hold_not_found', 'hold_converted']

/** Books the offered time for the client, who said yes on the phone. */
async function take(context: Context, visit: BusinessVisit, { typed, id }: { typed: Typed; id: string }) {
  const { person, isGone, texts } = visit
  const [linked] = await withQuestionsForPeople(context, [await showEntry(context, person, id)])
  const over = new FormFault({ '': texts.waitlist.offerOver })
  if (!linked || linked.entry.hold_id === null || linked.entry.hold_id !== typed['offer']) throw over
  const { entry, questions } = linked
  const answers = answersOf(questions, typed)
  const phone = typedPhone(typed['phone'])
  try {
    const { booking } = await takeOffer(context, {
      ...{ entry, offerId: linked.entry.hold_id, by: person, custom_field_values: answers, isGone },
      ...(phone !== '' && { client: { phone } }),
      from: readClientAddress(person.via?.address ?? ''),
    })
    return { path: `/console/bookings/${booking.id}`, query: { done: 'booked' } }
  } catch (error) {
    if (error instanceof Problem && goneCodes.includes(error.code)) throw over
    throw refusedAnswers(error, { fields: questions, answers })
  }
}

async function actOn(
  context: Context,
  visit: BusinessVisit,
  { typed, id }: { typed: Typed; id: string },
): Promise<string> {
  const { entry } = await showEntry(context, visit.person, id)
  if (typed['action'] === 'remove') {
    await endEntry(context, visit.person, id)
    return 'removed'
  }
  if (typed['action'] === 'skip') {
    await skipEntry(context, visit.person, id)
    return 'skipped'
  }
  const { date = '', time = '' } = typed
  const startsAt = instantOf({ date, time }, entry.timezone)
  if (startsAt === undefined || startsAt === 'skipped')
    throw validationProblem([{ pointer: '/time', code: 'invalid_format', detail: 'must be a time' }])
  await offerByHand(context, visit.person, { id, starts_at: startsAt })
  return 'offered'
}

function newRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/new`,
    name: 'NewWaitlistEntry',
    summary: 'The form that adds a client to the waiting list',
    role: 'front_desk',
    show: (visit) => newPage(context, visit, filledForm({})),
    form: {
      fieldOf: (pointer) => pointer.split('/').at(-1) ?? '',
      words: bookingWords,
      refusals: { slot_not_offered: 422 },
      act: (visit, typed, _address, once) => {
        const body = checkedForm(CreateEntry, bodyOf(typed))
        const from_address = readClientAddress(visit.person.via?.address ?? '')
        return once(
          (store) => createEntry(context, visit.person, { ...body, from_address }, store),
          () => ({ path, query: { done: 'added' } }),
        )
      },
      again: (visit, state) => newPage(context, visit, state),
    },
  }
}

/** Returns the body of the API without the fields that are empty. */
function bodyOf(typed: Typed): object {
  const given = (...names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (typed[name] ? [[name, typed[name]]] : [])))
  return {
    ...given('service_id', 'location_id', 'staff_id', 'from', 'to', 'after', 'before'),
    client: given('first_name', 'last_name', 'email', 'phone'),
  }
}

async function newPage(context: Context, visit: BusinessVisit, state: FormState): Promise<ShownPage> {
  const { waitlist: t, book, setUp } = visit.texts
  const { services, locations, staff } = await catalogueOf(context, visit)
  const active = (all: readonly { id: string; name: string; active: boolean }[]) =>
    all.filter((one) => one.active).map((one) => [one.id, one.name] as const)
  const offered = services.filter(({ waitlist }) => waitlist)
  const places = active(locations)
  return {
    title: t.add,
    visit,
    section: 'waitlist',
    panel: true,
    body: html`<p><a class="back" href="${pathOf(path, visit)}">${setUp.back}</a></p>
      <h1>${t.add}</h1>
      ${faultSummary(state, setUp)}
      <form method="post" class="fields narrow">
        ${hidden({ once: visit.once })}
        <div class="beside">
          ${field(state, { name: 'first_name', label: book.firstName, required: true, max: 100 })}
          ${field(state, { name: 'last_name', label: book.lastName, max: 100 })}
        </div>
        <div class="beside">
          ${field(state, { name: 'email', label: book.email, type: 'email', max: 254 })}
          ${field(state, { name: 'phone', label: book.phone, type: 'tel', max: 32 })}
        </div>
        ${choice(state, { name: 'service_id', label: t.service, required: true, options: active(offered) })}
        ${
          places.length === 1
            ? hidden({ location_id: places[0]?.[0] })
            : choice(state, { name: 'location_id', label: book.location, required: true, options: places })
        }
        ${choice(state, { name: 'staff_id', label: book.who, options: [['', book.anyone], ...active(staff)] })}
        <div class="beside">
          ${field(state, { name: 'from', label: t.from, type: 'date', required: true })}
          ${field(state, { name: 'to', label: t.to, type: 'date', required: true })}
        </div>
        <div class="beside">
          ${field(state, { name: 'after', label: t.after, type: 'time' })}
          ${field(state, { name: 'before', label: t.before, type: 'time' })}
        </div>
        <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
      </form>`,
  }
}

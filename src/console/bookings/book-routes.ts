import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { dateOf, dayOf } from '../../availability/hours-rules.ts'
import { readClientAddress } from '../../base/client-network.ts'
import { Problem } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { type Instant, instantFromMs, parseInstant, plusMinutes, toMs } from '../../base/instants.ts'
import { showBooking } from '../../bookings/booking.ts'
import { ConvertHold } from '../../bookings/booking-schemas.ts'
import { hasCoupons } from '../../bookings/coupon.ts'
import type { Actor } from '../../access/actor.ts'
import { clientAt, clientTimes, listClients, showClient } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { bookForClient } from '../../bookings/conversion.ts'
import { bookSeriesForClient } from '../../bookings/series-conversion.ts'
import { type AskedTime, type AskedVisit, findObjection } from '../../bookings/objection.ts'
import type { Act } from '../../bookings/objection-rules.ts'
import { listBlocks, presentBlock } from '../../catalogue/block.ts'
import type { Location } from '../../catalogue/location-and-staff-schemas.ts'
import type { Service } from '../../catalogue/service-schemas.ts'
import { findWholeCatalogue, type WholeCatalogue } from '../../catalogue/offering.ts'
import type { StoreResponse } from '../../database/idempotency.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { filledForm, type FormState, type Typed, typedPhone } from '../../pages/form.ts'
import type { ConsoleVisit } from '../frame/console-page.ts'
import {
  assertNoFaults,
  type BusinessVisit,
  checkedForm,
  type ConsoleRoute,
  consoleRoutes,
  FormFault,
} from '../frame/console-route.ts'
import { instantOf, momentText, wallFields } from '../frame/formats.ts'
import { agreedAt, stoppedAt } from '../../mails/text-report.ts'
import { answersOf, refusedAnswers } from '../../pages/answer-fields.ts'
import {
  type BookForm,
  bookForm,
  clientTyped,
  nearTimesOf,
  questionsOf,
  serviceForm,
  type TextedClient,
} from './book-page.ts'
import { readFreeTimes, readOthersFree } from './book-times.ts'
import { readRepeat } from './book-series.ts'
import { isMasked } from './booking-page.ts'
import { bookingWords } from './booking-words.ts'
import { presentRows } from './item-list.ts'
import {
  changedRows,
  type ItemRow,
  partyFaults,
  queryOfItems,
  readParty,
  typedItems,
  wishedItems,
  withItems,
  withNamedItem,
} from './item-fields.ts'

const filledIn = (description: string) => Type.Optional(Type.String({ maxLength: 600, description }))

/** Fields that a link can fill in. */
export const filledInQuery = {
  location: filledIn('The id of a location.'),
  service: filledIn('The id of a service.'),
  who: filledIn('The id of a column of the calendar.'),
  start: filledIn('The start, such as 2026-12-01T10:00:00+01:00.'),
  end: filledIn('The end of a block.'),
  date: filledIn('The day, such as 2026-12-01.'),
}

/** Refusals of the operations for a time, a person or a booking, with their status. */
export const bookingRefusals = {
  slot_booked: 422,
  slot_held: 422,
  slot_not_offered: 422,
  not_found: 422,
  key_type_not_allowed: 422,
} as const

/** The same for changes of a booking, which has a version. */
export const changeRefusals = Object.fromEntries([
  ...Object.keys(bookingRefusals).map((code) => [code, 409] as const),
  ['version_conflict', 412] as const,
])

/** Registers the pages to book for a client. */
export function bookRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [bookRoute(context)])
}

function bookRoute(context: Context): ConsoleRoute {
  return {
    path: '/console/book',
    name: 'BookForm',
    summary: 'The form to book for a client',
    role: 'staff',
    query: {
      ...filledInQuery,
      client: filledIn('The id of a booking for the same client.'),
      again: filledIn('The id of a booking to make again.'),
      weeks: filledIn('The number of weeks between both.'),
    },
    show: async (visit, { query }) => {
      const { again, weeks, client = again, start, who, location, date, service } = query
      const repeated = again === undefined ? {} : await fieldsAgain(context, visit, { id: again, weeks })
      const known = client === undefined ? {} : await clientOfBooking(context, visit, client)
      const asked = Object.entries({ start, who, location, date, choose: service })
      const typed = {
        ...{ party_size: '1', tell: 'on' },
        ...Object.fromEntries(asked.filter(([, text]) => text !== undefined)),
        ...repeated,
        ...known,
      } as Typed
      const form = await sentForm(context, visit, { choose: '', ...typed })
      if (!form) return unchosenForm(context, visit, filledForm(typed))
      return changedForm(context, form)
    },
    form: {
      fieldOf: fieldOfBooking,
      words: bookingWords,
      refusals: bookingRefusals,
      act: async (visit, sent, _address, once) => {
        const form = await sentForm(context, visit, sent)
        if (!form || sent['do'] === 'service')
          return { page: await unchosenForm(context, visit, filledForm(sent)) }
        const { typed } = form.state
        if (sent['choose'] !== undefined)
          return {
            page: await changedForm(context, {
              ...form,
              ...(typed['time'] ? { next: nextField(form) } : { asked: true }),
            }),
          }
        const step = await clientStep(context, visit, form.state)
        if (step?.found) return { page: bookForm({ ...form, ...step }) }
        if (step) return { page: await changedForm(context, { ...form, ...step }) }
        const rows = changedRows(typed, { rows: form.items.slice(1), services: form.services, first: 1 })
        if (rows) return { page: await changedForm(context, withRows(form, rows)) }
        if (typed['do'] === 'now')
          return { page: bookForm({ ...withUsedTime(form, nextMinutes(context)), next: nextField(form) }) }
        if (typed['do'] === 'times')
          return { page: bookForm({ ...form, times: await readFreeTimes(context, form), asked: true }) }
        const { day = typed['month'] } = typed
        if (day !== undefined) return { page: await dayForm(context, form, day) }
        if (typed['use'] !== undefined)
          return { page: bookForm({ ...withUsedTime(form, typed['use']), next: nextField(form) }) }
        const order = orderOf(form)
        const asked = { act: 'book' as const, time: timeOf(order) }
        const itemNames = order.items.map(({ service }) => service.name)
        await assertUsual(context, visit, {
          ...asked,
          minutes: order.service.duration_minutes,
          typed,
          itemNames,
        })
        return once(
          (store) => book(context, visit, { order, store }),
          ({ booking: { id, payment_id } }) => {
            const hasDeposit = order.items.some(({ service }) => service.payment !== 'none')
            const isDue = hasDeposit && !order.isOver && !order.repetition
            return isDue
              ? {
                  path: `/console/bookings/${id}`,
                  query: { done: payment_id === null ? 'unpayable' : 'due' },
                }
              : { path: `/console/bookings/${id}`, query: { done: 'booked' } }
          },
        )
      },
      again: async (visit, { typed: sent, ...state }) => {
        const form = await sentForm(context, visit, sent)
        if (!form) return unchosenForm(context, visit, { ...state, typed: sent })
        const faults = withNamedItem(visit, state, form.items)
        const shown = { ...form, state: { ...form.state, ...state, typed: form.state.typed, faults } }
        const isAboutTime = nearTimesOf(state.refusal).length > 0 || 'time' in faults || 'anyway' in faults
        if (!isAboutTime) return bookForm(shown)
        const times = await orNone(readFreeTimes(context, form))
        const free = await orNone(readOthersFree(context, form))
        return bookForm({ ...shown, times, free })
      },
    },
  }
}

/** Resolves without other times if nobody gives the service any more. */
async function orNone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Problem && error.code === 'slot_not_offered') return undefined
    throw error
  }
}

/** Returns the fields of a client, or of a booking's client; empty if the person may not see them. Throws not_found. */
async function clientOfBooking(context: Context, visit: BusinessVisit, id: string): Promise<Typed> {
  const { person } = visit
  try {
    const found = await clientAt(context, person, id)
    const typed = clientTyped(found)
    const texted = await textedClient(context, visit, typed)
    // an agreement stands until the client ends it
    return { ...typed, texts: texted?.agreed && !texted.stopped ? 'on' : '' }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    await showBooking(context, person, id) // exists for a colleague's client, or for an erased one
    return {}
  }
}

/** Returns what is known of text messages to the client of a form. Undefined for one whom the person does not know. */
async function textedClient(
  context: Context,
  { hasTexts, business, person }: BusinessVisit,
  { known: id = '', phone }: Typed,
): Promise<TextedClient | undefined> {
  if (!hasTexts || !isUuid(id) || !phone) return undefined
  if (person.role === 'staff' && !(await maySee(context, person, id))) return undefined
  const { timezone } = business
  const client = { id, business_id: business.id, phone: typedPhone(phone), timezone }
  const [agreed, stopped] = await Promise.all([agreedAt(context, client), stoppedAt(context, client)])
  return { agreed, stopped }
}

/** Returns true if a person may see a client. */
async function maySee(context: Context, person: Actor, id: string): Promise<boolean> {
  try {
    return (await showClient(context, person, id)).client.id === id
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return false
    throw error
  }
}

/**
 * Returns the field values for making a booking again: the same services and people, weeks after it or after today.
 */
async function fieldsAgain(
  context: Context,
  visit: ConsoleVisit,
  { id, weeks = '' }: { id: string; weeks: string | undefined },
): Promise<Typed> {
  const row = await showBooking(context, visit.person, id)
  if (isMasked({ visit, row })) return {}
  const [first] = itemsOf(row)
  const { date, time } = wallFields(row.starts_at, row.timezone)
  const today = wallFields(context.clock.now(), row.timezone).date
  const rows = Object.entries(presentRows(row)).filter(([name]) => !/^id-|-0$/.test(name))
  const days = Math.min(Number(weeks) || 0, maxWeeks) * 7
  return {
    ...Object.fromEntries(rows),
    ...{ service: row.service_id, location: row.location_id, who: first?.staff?.id ?? '' },
    ...{ party_size: String(first?.party_size ?? 1), time },
    date: dateOf(dayOf(date > today ? date : today) + days),
  }
}

/** A year. */
const maxWeeks = 52

/** Returns the catalogue of the business. */
export async function catalogueOf(context: Context, { business }: BusinessVisit): Promise<WholeCatalogue> {
  const catalogue = await findWholeCatalogue(context.db.reads, business.id)
  if (!catalogue) throw new Problem('not_found', 'There is no such business.')
  return catalogue
}

/** Returns the field for a fault of a booking. */
export function fieldOfBooking(pointer: string): string {
  const [, member, index, part] = pointer.split('/')
  if (member === 'repeat') return `repeat.${index ?? 'every'}`
  if (member === 'items' && Number(index) > 0) return `${part === 'staff_id' ? 'who' : 'item'}-${index}`
  const last = pointer.split('/').at(-1) ?? ''
  return { staff_id: 'who', starts_at: 'time', ends_at: 'minutes' }[last] ?? last
}

interface Offer {
  service: Service
  location: Location
}

interface Choice extends Partial<Offer> {
  /** Services of the chosen staff member. */
  services: Service[]
}

function chosen(
  { person }: ConsoleVisit,
  { services, locations }: WholeCatalogue,
  wanted: Partial<Record<'who' | 'service' | 'location', string | undefined>>,
): Choice {
  const places = locations.filter(({ active }) => active)
  const offered = services.filter(
    ({ active, staff_ids, location_ids }) =>
      active &&
      places.some(({ id }) => location_ids.includes(id)) &&
      (person.role !== 'staff' || staff_ids.includes(person.staffId ?? '')),
  )
  const ofPerson = offered.filter(({ staff_ids }) => staff_ids.includes(wanted.who ?? ''))
  const fitting = ofPerson.length > 0 ? ofPerson : offered
  const service =
    offered.find(({ id }) => id === wanted.service) ?? (fitting.length === 1 ? fitting[0] : undefined)
  const there = places.filter(({ id }) => service?.location_ids.includes(id))
  const location = there.find(({ id }) => id === wanted.location) ?? there[0]
  return { services: fitting, ...(service && { service }), ...(location && { location }) }
}

type SentForm = BookForm & { visit: BusinessVisit }

/** Returns the services of a location that the person may book. */
export function followers(
  { person }: ConsoleVisit,
  { services }: WholeCatalogue,
  { id }: Location,
): Service[] {
  return services.filter(
    ({ active, staff_ids, location_ids }) =>
      active &&
      location_ids.includes(id) &&
      (person.role !== 'staff' || staff_ids.includes(person.staffId ?? '')),
  )
}

/** Returns all services of the form. Staff give all of them themselves. */
function itemsIn(
  service: Service,
  { visit: { person }, typed, services }: { visit: ConsoleVisit; typed: Typed; services: readonly Service[] },
): ItemRow[] {
  const { who = '' } = typed
  const party = readParty(service, typed['party_size'])
  const first = {
    ...{ service, who: service.staff_ids.includes(who) ? who : '', isWith: false },
    ...(party !== undefined && { party }),
  }
  const own = person.role === 'staff' ? (person.staffId ?? '') : undefined
  return [first, ...typedItems(typed, services, 1)].map((row) => ({
    ...row,
    ...(own !== undefined && row.service.staff_ids.length > 0 && { who: own }),
  }))
}

function withRows(form: SentForm, rows: ItemRow[]): SentForm {
  const typed = withItems(form.state.typed, rows, 1)
  const added = rows.length > form.items.length - 1
  return { ...form, items: [...form.items.slice(0, 1), ...rows], state: filledForm(typed), added }
}

/** Returns the fields once a service is chosen: with the time at its location, and a person who offers it. */
function fieldsOf(
  { person }: ConsoleVisit,
  { service, location, today }: Offer & { today: string },
  typed: Typed,
): Typed {
  const { start, who = '' } = typed
  const startsAt = parseInstant(start ?? '')
  const staffId = person.role === 'staff' ? (person.staffId ?? '') : who
  return {
    ...(startsAt ? wallFields(startsAt, location.timezone) : { date: today, time: '' }),
    ...typed,
    ...{ service: service.id, location: location.id },
    who: service.staff_ids.includes(staffId) ? staffId : '',
  }
}

/**
 * Returns the submitted form, with the service that a button chooses. Undefined if its service or location is
 * not offered, or no longer.
 */
async function sentForm(
  context: Context,
  visit: BusinessVisit,
  { choose, ...sent }: Typed,
): Promise<SentForm | undefined> {
  const catalogue = await catalogueOf(context, visit)
  const { service, location } = chosen(visit, catalogue, { ...sent, ...(choose && { service: choose }) })
  if (!service || !location) return undefined
  const isKept = service.id === sent['service'] && location.id === sent['location']
  if (choose === undefined && !isKept) return undefined
  const { date: today } = wallFields(context.clock.now(), location.timezone)
  const typed = choose === undefined ? sent : fieldsOf(visit, { service, location, today }, sent)
  const state = filledForm(withChosenTime(typed, location.timezone))
  const { date = '', time = '', start = '' } = state.typed
  const startsAt = instantOf({ date, time }, location.timezone, parseInstant(start))
  const isOver = startsAt !== undefined && startsAt !== 'skipped' && startsAt <= context.clock.now()
  const services = followers(visit, catalogue, location)
  const items = itemsIn(service, { visit, typed: state.typed, services: catalogue.services })
  const coupons = await hasCoupons(context, visit.business.id)
  const texted = await textedClient(context, visit, state.typed)
  return { visit, catalogue, service, items, services, hasCoupons: coupons, location, isOver, state, texted }
}

/** Replaces the time in the fields by a chosen free time. */
export function withChosenTime({ at = '', ...typed }: Typed, timezone: string): Typed {
  const [startText = '', staffId] = at.split(' ')
  const start = parseInstant(startText)
  if (!start) return typed
  return { ...typed, start, ...wallFields(start, timezone), ...(staffId && { who: staffId }) }
}

function withUsedTime(form: SentForm, at: string): SentForm {
  return {
    ...form,
    state: filledForm(withChosenTime({ ...form.state.typed, at }, form.location.timezone)),
  }
}

/** Returns the next field once the time is chosen: for the client, or after a known one. */
function nextField({ visit, state }: SentForm): BookForm['next'] {
  if (state.typed['first_name']) return 'notes'
  return visit.person.role === 'staff' ? 'first_name' : 'q'
}

/** Steps of the button for the present time. */
const nowStepMs = 300_000

/** Returns the next full five minutes, such as for a client who has just come in. */
function nextMinutes({ clock }: Context): Instant {
  return instantFromMs(Math.floor(toMs(clock.now()) / nowStepMs + 1) * nowStepMs)
}

/** Renders the form with another day and its free times, among the days of a week or a month. */
async function dayForm(context: Context, form: SentForm, day: string) {
  const { day: _, month, ...typed } = form.state.typed
  const changed = { ...form, state: filledForm({ ...typed, date: day }) }
  const times = await readFreeTimes(context, changed, { isMonth: month !== undefined })
  return bookForm({ ...changed, times, asked: true })
}

/** Renders the form after its services have changed. As long as no time is chosen, it offers free ones. */
async function changedForm(context: Context, form: SentForm) {
  return bookForm({
    ...form,
    times: form.state.typed['time'] ? undefined : await readFreeTimes(context, form),
  })
}

/** Returns the form without a service. */
async function unchosenForm(context: Context, visit: BusinessVisit, state: FormState) {
  const { who, start = '', location } = state.typed
  const catalogue = await catalogueOf(context, visit)
  const { services } = chosen(visit, catalogue, { who })
  const startsAt = parseInstant(start)
  const place = catalogue.locations.find(({ id }) => id === location) ?? catalogue.locations[0]
  const at = startsAt && place && momentText(startsAt, { ...place, locale: visit.locale })
  const member = catalogue.staff.find(({ id }) => id === who)
  const isKnown = (state.typed['first_name'] ?? '') !== ''
  const step = (await clientStep(context, visit, state)) ?? { next: isKnown ? undefined : ('q' as const) }
  const texted = await textedClient(context, visit, state.typed)
  return serviceForm({ visit, services, items: [], state, at, withWhom: member?.name, texted, ...step })
}

/** Returns the form after a search for clients, or after the choice of one. Undefined for other buttons. */
async function clientStep(
  context: Context,
  visit: BusinessVisit,
  state: FormState,
): Promise<Partial<Pick<BookForm, 'state' | 'found' | 'next' | 'texted'>> | undefined> {
  const { pick, q = '', ...typed } = state.typed
  if (pick !== undefined) {
    const known = await clientOfBooking(context, visit, pick)
    return {
      ...{ state: filledForm({ ...typed, ...known }), next: 'notes' },
      texted: await textedClient(context, visit, known),
    }
  }
  if (typed['do'] === 'new')
    return {
      state: filledForm({ ...typed, ...newClient(q.trim()), known: '', client_notes: '', texts: '' }),
      next: 'first_name',
    }
  if (typed['do'] !== 'find') return undefined
  if (q.length < 3) return { state: { ...state, faults: { q: visit.texts.book.tooShort } } }
  return { found: await clientsLike(context, visit, q.slice(0, 100)) }
}

/** Returns the field values of a new client from the text of a search. One name is enough. */
function newClient(text: string): Typed {
  const none = { first_name: '', last_name: '', email: '', phone: '' }
  const name = text.includes('@') ? 'email' : /^[+\d][\d ()/-]*$/.test(text) ? 'phone' : 'first_name'
  return { ...none, [name]: text }
}

const maxFound = 8

async function clientsLike(context: Context, { person, business }: BusinessVisit, q: string) {
  if (person.role === 'staff') return []
  const { data } = await listClients(context, person, { q, limit: maxFound, business_id: business.id })
  return clientTimes(context, data)
}

/** Returns the instant in a form. Throws a FormFault without a valid one. */
export function startOf({ texts }: ConsoleVisit, typed: Typed, timezone: string): Instant {
  const { date = '', time = '', start = '' } = typed
  const startsAt = instantOf({ date, time }, timezone, parseInstant(start))
  if (startsAt === undefined) throw new FormFault({ '': texts.book.needTime, time: texts.book.needTime })
  if (startsAt === 'skipped') throw new FormFault({ '': texts.book.noTime, time: texts.book.noTime })
  return startsAt
}

interface Order {
  service: Service
  /** All services, of which `service` is the first. */
  items: readonly ItemRow[]
  location: Location
  staffId: string | undefined
  startsAt: Instant
  isOver: boolean
  /** Number of people; undefined for one. */
  party: number | undefined
  body: Omit<Static<typeof ConvertHold>, 'hold_id'>
  /** An earlier booking of the client. */
  known: string
  /** Undefined for one booking. */
  repetition: ReturnType<typeof readRepeat>
}

/** Returns the booking that the form requests. Throws a FormFault or validation_failed. */
function orderOf({ visit, service, items, location, isOver, state: { typed } }: SentForm): Order {
  const startsAt = startOf(visit, typed, location.timezone)
  const party = readParty(service, typed['party_size'])
  if (service.capacity > 1 && party === undefined) {
    const text = visit.texts.book.badParty({ most: service.capacity })
    throw new FormFault({ '': text, party_size: text })
  }
  assertNoFaults(partyFaults(visit, items.slice(1), 1))
  const { first_name = '', last_name = '', email, notes = '', coupon = '', who = '', known = '' } = typed
  const phone = typedPhone(typed['phone'])
  const answers = answersOf(questionsOf(items), typed)
  try {
    const { hold_id: _, ...body } = checkedForm(ConvertHold, {
      hold_id: service.id, // only for the check, because the hold comes later
      client: {
        first_name,
        ...(last_name && { last_name }),
        ...(email && { email }),
        ...(phone && { phone }),
      },
      custom_field_values: answers,
      ...(notes && { notes }),
      ...(coupon && { coupon }),
      ...(typed['texts'] === 'on' && phone && { text_consent: visit.texts.book.textsAgreed }),
      notify: typed['tell'] === 'on' && !isOver,
    })
    const staffId = service.staff_ids.includes(who) ? who : undefined
    const repetition = readRepeat(typed)
    return { service, items, location, staffId, startsAt, isOver, party, body, known, repetition }
  } catch (error) {
    throw refusedAnswers(error, { fields: questionsOf(items), answers })
  }
}

function timeOf({ service, items, location, staffId, startsAt }: Order): AskedTime | AskedVisit {
  if (items.length > 1) return { location_id: location.id, starts_at: startsAt, items: queryOfItems(items) }
  const staff = staffId === undefined ? {} : { staff_id: staffId }
  return { service_id: service.id, location_id: location.id, ...staff, starts_at: startsAt }
}

/** Returns the services and their time for a hold. */
function placeOf(order: Order) {
  const { items, location, startsAt } = order
  if (items.length > 1) return { location_id: location.id, starts_at: startsAt, items: wishedItems(items) }
  const { service, staffId } = order
  return {
    ...{ service_id: service.id, location_id: location.id, starts_at: startsAt },
    ...(staffId !== undefined && { staff_id: staffId }),
    ...partyIn(order),
  }
}

function partyIn({ party }: Order): { party_size?: number } {
  return party === undefined ? {} : { party_size: party }
}

/**
 * Throws a FormFault for an unusual time. People of the business may tick a box to ignore an objection,
 * unless it is final.
 */
export async function assertUsual(
  context: Context,
  visit: BusinessVisit,
  {
    typed,
    minutes,
    itemNames = [],
    ...asked
  }: {
    act: Act
    time: AskedTime | AskedVisit
    /** The ID of a booking whose services change. */
    changes?: string
    minutes: number
    typed: Typed
    /** Names of the services of a visit, of which an objection names one. */
    itemNames?: readonly string[]
  },
): Promise<void> {
  const { person, texts } = visit
  const objection = await findObjection(context, person, asked)
  if (!objection) return
  const { reason, isFirm, item } = objection
  const text = ofService(visit, texts.book.reasons[reason], item === undefined ? undefined : itemNames[item])
  if (isFirm) throw new FormFault({ '': text, time: text })
  if (typed['anyway'] === 'on') return
  const { time } = asked
  const blocked =
    reason === 'blocked' && !('items' in time)
      ? await blockedText(context, visit, { time, minutes })
      : undefined
  throw new FormFault({ anyway: blocked ?? (reason === 'in_the_past' ? texts.book.over : text) })
}

/** Returns a text about a service of a visit, which it names. */
export function ofService({ texts }: ConsoleVisit, text: string, name: string | undefined): string {
  return name === undefined ? text : texts.book.ofItem({ service: name, text })
}

/** Returns the owner of a block and its reason, as far as the reader may see them. */
async function blockedText(
  context: Context,
  visit: BusinessVisit,
  { time: { staff_id, location_id, starts_at }, minutes }: { time: AskedTime; minutes: number },
): Promise<string | undefined> {
  const { person, business, texts } = visit
  const span = { from: starts_at, to: plusMinutes(starts_at, minutes), business_id: business.id, limit: 1 }
  const { staff, locations } = await catalogueOf(context, visit)
  for (const whose of [...(staff_id === undefined ? [] : [{ staff_id }]), { location_id }]) {
    const [block] = (await listBlocks(context, person, { ...span, ...whose })).data
    const owner = [...staff, ...locations].find(({ id }) => id === (block?.staff_id ?? block?.location_id))
    if (!block || !owner) continue
    const { name } = owner
    const { reason } = presentBlock(block, person)
    return reason === null ? texts.book.blockedBy({ name }) : texts.book.blockedByFor({ name, reason })
  }
  return undefined
}

async function book(
  context: Context,
  visit: BusinessVisit,
  { order, store }: { order: Order; store: StoreResponse<unknown> },
) {
  const { items, body, known, repetition, isOver: mayBeOver } = order
  const { person } = visit
  const from = readClientAddress(person.via?.address ?? '')
  const time = { ...placeOf(order), from, mayBeOver }
  const knownClientId = isUuid(known) ? known : undefined
  const client = { booking: body, knownClientId }
  try {
    if (repetition)
      return await bookSeriesForClient(
        context,
        person,
        { time: { ...time, ...repetition, ...(mayBeOver && { onlyOffered: false }) }, ...client },
        store,
      )
    return await bookForClient(context, person, { time, ...client }, store)
  } catch (error) {
    const answers = body.custom_field_values ?? []
    throw refusedAnswers(error, { fields: questionsOf(items), answers })
  }
}

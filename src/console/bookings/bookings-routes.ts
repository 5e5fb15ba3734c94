import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { hasRole, isStaff } from '../../access/actor.ts'
import { asLine } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { Slices } from '../../base/slices.ts'
import { mostPerPage, pagesOf, presentPage } from '../../base/paging.ts'
import { emptyState } from '../frame/empty-state.ts'
import { byDay, listHead, listItems, pageOrFirst, searchField } from '../frame/lists.ts'
import { face, faceOf } from '../frame/faces.ts'
import { icon } from '../../pages/icons.ts'
import { type Instant, plusMinutes } from '../../base/instants.ts'
import { itemsOf } from '../../database/shown-item-rules.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { listBookings } from '../../bookings/booking.ts'
import { clientAt } from '../../bookings/client.ts'
import { listCoupons, presentCoupon } from '../../bookings/coupon.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { locationKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import { maxDuration } from '../../catalogue/service-rules.ts'
import { StrictObject } from '../../base/wire.ts'
import { choice, filledForm, hidden } from '../../pages/form.ts'
import {
  businessOf,
  type ConsoleVisit,
  doneNotice,
  findVisit,
  listFrame,
  panelScripts,
  pathOf,
} from '../frame/console-page.ts'
import { consoleRoutes, fileResponses, inTimeOf, tags } from '../frame/console-route.ts'
import { minorDigits } from '../../base/money.ts'
import { totalPriceOf } from '../../database/shown-item-rules.ts'
import { csvDate, type CsvForm, csvFormOf, csvNumber, csvRow, csvStart } from '../../base/csv.ts'
import { clientName, clockText } from '../frame/formats.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { bookingPath, type BookingRows, totalText, stateSign } from './booking-page.ts'
import { importRole } from '../frame/import-form.ts'
import { bookingImportPath } from './import-page.ts'
import { bookingImportPageRoute, bookingImportRoutes } from './import-routes.ts'
import { titleOf } from './item-list.ts'
import { requestList } from './request-list.ts'
import { seeOther } from '../../pages/page.ts'

const Choice = Type.Optional(Type.String({ maxLength: 600 }))
const listQuery = {
  when: Type.Optional(Type.String({ maxLength: 600, description: '`upcoming` (else), `past` or `all`.' })),
  status: Choice,
  person: Choice,
  location: Choice,
  q: Type.Optional(Type.String({ maxLength: 600, description: 'A part of name, e-mail or phone.' })),
  client: Type.Optional(
    Type.String({ maxLength: 600, description: 'Of one client: the id of one of their bookings.' }),
  ),
  coupon: Choice,
  cursor: Choice,
  requests: Type.Optional(
    Type.String({ maxLength: 600, description: 'The cursor of a page of unanswered requests.' }),
  ),
  business: Type.Optional(Type.String({ maxLength: 600, description: 'Of a hub: the business to look at.' })),
}

type Address = Partial<Record<keyof typeof listQuery | 'panel' | 'done', string | undefined>>
type Query = Parameters<typeof listBookings>[2]

const whens = ['upcoming', 'past', 'all'] as const
/** An extra value among the statuses of the list: no-shows. */
const absent = 'no_show'
const statuses = ['pending', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const

/** Registers the list of a business's bookings, also as a file. */
export function bookingListRoutes(app: FastifyInstance, context: Context): void {
  consoleRoutes(app, context, [
    {
      path: '/console/bookings',
      name: 'ConsoleBookings',
      summary: 'The bookings of a business',
      role: 'staff',
      query: listQuery,
      show: async (visit, { query }) => ({
        title: visit.texts.bookings.title,
        section: 'bookings',
        ...panelScripts,
        body: await listPage(context, visit, query),
      }),
    },
    bookingImportPageRoute(),
  ])
  bookingImportRoutes(app, context)
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/bookings.csv',
    {
      schema: {
        operationId: 'exportConsoleBookings',
        tags,
        summary: 'Bookings as a file for a spreadsheet, for owners who are logged in',
        description: `At most ${maxExported} rows. What could be a formula begins with an apostrophe.`,
        querystring: StrictObject(listQuery),
        response: fileResponses('To the list: for those who may not export.'),
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(context, reply, { next: '/console/bookings' })
      if (visit.person.role !== 'owner' || !visit.business)
        return seeOther(reply, pathOf('/console/bookings', visit))
      const { cursor: _, ...address } = request.query // the file contains all pages
      const query = await inTimeOf(context, { request, visit }, () => readAddress(context, visit, address))
      const end = await turnsFor(context, 'export').take(visit.business.id, visit.isGone)
      try {
        const rows = exportRows(context, visit, query)
        const first = await rows.next() // unreadable rows fail before the file begins
        return await sendFile(reply, 'bookings.csv', withFirst(first.value ?? '', rows), end)
      } catch (error) {
        end()
        throw error
      }
    },
  )
}

const maxExported = 50_000

/** Sends CSV as a download. Calls `end` once all of it was sent or the browser has disconnected. */
export function sendFile(
  reply: FastifyReply,
  name: string,
  rows: AsyncGenerator<string, void> | string[],
  end: () => void = () => undefined,
): FastifyReply {
  return reply
    .headers({
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .type('text/csv; charset=utf-8')
    .send(Readable.from(rows).once('close', end))
}

const headings = [
  ...(['id', 'status', 'noShow', 'starts', 'ends', 'service', 'location', 'person', 'party'] as const),
  ...(['price', 'currency', 'firstName', 'lastName', 'email', 'phone', 'notes', 'cancelReason'] as const),
  ...(['deposit', 'depositAmount', 'depositCurrency', 'created', 'items'] as const),
]

async function* withFirst(first: string, others: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield first
  yield* others
}

/**
 * Yields the list page by page. Only one page is in memory at a time, and other requests proceed in between.
 * The header is part of the first one.
 */
async function* exportRows(
  context: Context,
  visit: ConsoleVisit,
  query: Query,
): AsyncGenerator<string, void> {
  const { person, isGone, locale, texts } = visit
  const form = csvFormOf(locale)
  let head =
    csvStart +
    csvRow(
      headings.map((name) => texts.bookings.columns[name]),
      form,
    )
  const slices = new Slices()
  let left = maxExported
  for await (const page of pagesOf((page) => listBookings(context, person, { ...query, ...page }))) {
    if (head === '') await slices.rest()
    const rows = page.slice(0, left)
    left -= rows.length
    yield head + (await slices.map(rows, (row) => exportedRow(visit, row, form))).join('')
    head = ''
    if (left === 0 || isGone()) return
  }
}

function exportedRow({ texts, person }: ConsoleVisit, row: BookingRows[number], form: CsvForm): string {
  const booking = presentBooking(row, person)
  const { client, location, items } = booking
  const { yes, no } = texts.bookings.columns
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))]
  const payment = 'payment' in booking ? booking.payment : undefined
  const isAbsent = 'no_show' in booking && booking.no_show
  const price = totalPriceOf(row)
  const amount = (money: { amount: number; currency: string } | null | undefined) =>
    money
      ? csvNumber(money.amount / 10 ** minorDigits(money.currency), minorDigits(money.currency), form)
      : null
  return csvRow(
    [
      ...[booking.id, texts.booking.status[booking.status], isAbsent ? yes : no],
      ...[csvDate(booking.starts_at, form), csvDate(booking.ends_at, form)],
      ...[items.map(({ service }) => service.name).join(' + '), location.name],
      ...[people.length > 0 ? people.join(', ') : null, booking.party_size],
      ...[amount(price), price?.currency ?? null],
      ...[client.first_name, client.last_name, client.email, client.phone, booking.notes],
      'cancel_reason' in booking ? (booking.cancel_reason ?? null) : null,
      ...[
        payment?.status ?? null,
        amount(payment),
        payment?.currency ?? null,
        csvDate(booking.created_at, form),
      ],
      items.map(exportedItem).join('; '),
    ],
    form,
  )
}

/** Returns an item of a visit, such as `10:30–12:00 Colour (Anna)`. */
function exportedItem(item: ReturnType<typeof presentBooking>['items'][number]): string {
  const [from, to] = [item.starts_at, item.ends_at].map((time) => time.slice(11, 16))
  const party = item.party_size > 1 ? ` × ${item.party_size}` : ''
  return `${from}–${to} ${item.service.name}${party}${item.staff ? ` (${item.staff.name})` : ''}`
}

function whenOf(address: Address): (typeof whens)[number] {
  const asked = whens.find((when) => when === address.when)
  if (address.status === absent && asked !== 'all') return 'past' // there are no no-shows in the future
  return asked ?? (address.client === undefined ? 'upcoming' : 'all')
}

const minSearched = 3

/** Converts an address into the query of the list. Ignores invalid values. */
async function readAddress(context: Context, visit: ConsoleVisit, address: Address): Promise<Query> {
  const { business } = visit
  const client = await clientOf(context, visit, address.client)
  const { person, location, coupon, cursor } = address
  const when = whenOf(address)
  const status = address.status === absent ? 'completed' : statuses.find((one) => one === address.status)
  const q = address.q && asLine(address.q).trim()
  const now = context.clock.now()
  return {
    sort: when === 'upcoming' ? 'starts_at' : '-starts_at',
    limit: 50,
    ...(business && { business_id: business.id }),
    // appointments that run are not over; the earliest start bounds the rows that are read
    ...(when === 'upcoming' && { from: plusMinutes(now, -maxDuration), endsAfter: now }),
    ...(when === 'past' && { to: now }),
    ...(status && { status: [status] }),
    ...(person && isUuid(person) && { staff_id: person.toLowerCase() }),
    ...(location && isUuid(location) && { location_id: location.toLowerCase() }),
    ...(coupon && isUuid(coupon) && { coupon_id: coupon.toLowerCase() }),
    ...(q !== undefined && Array.from(q).length >= minSearched && { q: q.slice(0, 100) }),
    ...client,
    ...(address.status === absent && { noShow: true }),
    ...(cursor && { cursor }),
  }
}

/**
 * Returns the client in an address, by an ID or that of a booking. Addresses of pages never contain email addresses,
 * because browsers and logs store them.
 */
async function clientOf(context: Context, { person }: ConsoleVisit, id: string | undefined) {
  if (!id || isStaff(person)) return {}
  const { client } = await clientAt(context, person, id)
  return { client_id: client.id }
}

async function listPage(context: Context, visit: ConsoleVisit, address: Address): Promise<Html> {
  const texts = visit.texts.bookings
  const query = await readAddress(context, visit, address)
  const businessId = visit.business?.id
  const [{ data: rows, next_cursor: next }, people, places, coupons] = await Promise.all([
    pageOrFirst(query.cursor, (cursor) => listBookings(context, visit.person, { ...query, cursor })),
    listItems(context, visit.person, { kind: staffKind, businessId }),
    listItems(context, visit.person, { kind: locationKind, businessId }),
    couponsOf(context, visit),
  ])
  const { business: _business, cursor, panel: _panel, requests, done, ...kept } = address
  const isShort = address.q !== undefined && address.q.trim() !== '' && query.q === undefined
  const setting = { now: context.clock.now(), hasPlaces: places.length > 1, staff: people }
  const list = html`${isShort ? html`<p class="fault" role="status">${texts.tooShort}</p>` : ''}
  ${rows.length === 0 ? emptyList(visit, address, next !== null) : daysOf(visit, rows, setting)}
  ${
    next === null && visit.person.role !== 'owner'
      ? ''
      : html`<p class="actions">
          ${next === null ? '' : html`<a class="button" href="${pathOf('/console/bookings', visit, { ...kept, cursor: next })}">${texts.more}</a>`}
          ${visit.person.role === 'owner' && rows.length > 0 ? html`<a class="button" href="${pathOf('/console/bookings.csv', visit, kept)}">${texts.export}</a>` : ''}
        </p>`
  }`
  const more =
    visit.business && hasRole(visit.person, importRole)
      ? [html`<a href="${pathOf(bookingImportPath, visit)}">${visit.texts.bookingImport.menu}</a>`]
      : []
  return html`${listHead(visit, { title: texts.title, more })} ${doneNotice(visit.texts.booking.done, done)}
  ${await requestList(context, visit, { ...kept, cursor, requests })}
  ${filterForm(visit, address, { people, places, coupons })} ${listFrame(visit, list)}`
}

interface Named {
  id: string
  name: string
}

function filterForm(
  visit: ConsoleVisit,
  address: Address,
  { people, places, coupons }: Record<'people' | 'places' | 'coupons', Named[]>,
): Html {
  const { texts } = visit
  const { bookings: t, booking } = texts
  const named = (items: Named[]) => items.map(({ id, name }) => [id, name] as const)
  const { q = '', status = '', person = '', location = '', coupon = '' } = address
  const state = filledForm({ when: whenOf(address), status, person, location, coupon: coupon.toLowerCase() })
  const statusOptions = [
    ...statuses.map((one) => [one, booking.status[one]] as const),
    [absent, booking.noShow] as const,
  ]
  const filter = (name: string, label: string, options: (readonly [string, string])[]) =>
    choice(state, { name, label, options, id: `list-${name}` }) // the panel has fields of the same names
  return html`<form method="get" action="/console/bookings" class="filters" role="search">
    ${hidden({ business: businessOf(visit), client: address.client })} ${searchField(t.search, q)}
    ${filter(
      'when',
      t.when,
      whens.map((when) => [when, t.whens[when]]),
    )}
    ${filter('status', t.status, [['', t.anyStatus], ...statusOptions])}
    ${filter('person', t.person, [['', t.everyone], ...named(people)])}
    ${places.length > 1 ? filter('location', t.location, [['', t.everywhere], ...named(places)]) : ''}
    ${coupons.length > 0 ? filter('coupon', t.coupon, [['', t.anyCoupon], ...named(coupons)]) : ''}
    <button type="submit" class="main">${t.show}</button>
  </form>`
}

/** Returns the coupons of the shown business by which its bookings can be filtered, with their codes as names. */
async function couponsOf(context: Context, { person, business }: ConsoleVisit): Promise<Named[]> {
  if (!business || isStaff(person)) return []
  const { data } = presentPage(
    await listCoupons(context, person, { business_id: business.id, limit: mostPerPage }),
    presentCoupon,
  )
  return data.map(({ id, code }) => ({ id, name: code }))
}

interface ListSetting {
  now: Instant
  /** True if the business has several locations. */
  hasPlaces: boolean
  /** The team with its pictures. */
  staff: readonly (Named & { image_url: string | null })[]
}

/** Renders bookings with a heading for each day. */
function daysOf(visit: ConsoleVisit, rows: BookingRows, setting: ListSetting): Html {
  const { now, hasPlaces } = setting
  const days = byDay(rows, {
    ...{ now, locale: visit.locale, at: ({ starts_at, timezone }) => [starts_at, timezone] as const },
  })
  return html`${days.map(
    ({ heading, items }) =>
      html`<h2>${heading}</h2>
        <ul class="rows of-bookings${hasPlaces ? ' has-places' : ''}">
          ${items.map((row) => html`<li>${listRow(visit, row, setting)}</li>`)}
        </ul>`,
  )}`
}

/** Renders a booking as a row. Its status is there only if it is not the usual one. */
function listRow(visit: ConsoleVisit, row: BookingRows[number], { hasPlaces, staff }: ListSetting): Html {
  const { texts, person, locale } = visit
  const name = clientName(presentBooking(row, person).client, visit)
  const given = itemsOf(row).flatMap((item) => item.staff ?? [])
  const people = [...new Map(given.map((one) => [one.id, one])).values()]
  const names = people.map((one) => one.name).join(', ')
  const isUsual = row.no_show_at === null && (row.status === 'confirmed' || row.status === 'completed')
  return html`<a class="row" href="${bookingPath({ visit, row })}">
    <time class="row-time" datetime="${row.starts_at}"
      >${clockText(row.starts_at, { timezone: row.timezone, locale })}</time
    >
    <span class="row-who">${face(name)} <bdi class="client-name">${name}</bdi></span>
    <span class="row-service"><bdi>${titleOf(row)}</bdi></span>
    <span class="row-who soft">
      ${people.map((one) => faceOf(staff.find(({ id }) => id === one.id) ?? one))}${people.length === 1 ? html` <bdi>${names}</bdi>` : html` <span class="unseen">${names}</span>`}
    </span>
    ${hasPlaces ? html`<bdi class="row-place soft">${row.location_name}</bdi>` : ''}
    <span class="row-state"
      >${isUsual ? '' : stateSign(visit, row)}${row.payment_status === 'due' && isUsual ? html`<span class="state is-pending">${icon('money')} ${texts.payments.dueOf[row.payment_kind ?? 'deposit']}</span>` : ''}</span
    >
    <span class="end">${totalText(visit, row) ?? ''}</span>
  </a>`
}

/** Renders suggestions if the list is empty. */
function emptyList(visit: ConsoleVisit, address: Address, hasMore: boolean): Html {
  const { bookings: texts, frame } = visit.texts
  if (hasMore) return html`<p>${texts.searchOn}</p>`
  const isFiltered = [address.q, address.status, address.person, address.location, address.coupon].some(
    Boolean,
  )
  const when = whenOf(address)
  const hint = isFiltered ? texts.nothingFound : when === 'upcoming' ? texts.nothingAhead : texts.nothing
  return emptyState(
    isFiltered ? 'search' : 'calendar',
    hint,
    html`<p class="actions">
      ${
        isFiltered
          ? html`<a class="button main" href="${pathOf('/console/bookings', visit)}">${texts.clear}</a>`
          : html`<a class="button main" href="${pathOf('/console/book', visit)}"
              >${icon('add')} ${frame.book}</a
            >`
      }
      ${isFiltered || when !== 'all' ? html`<a class="button" href="${pathOf('/console/bookings', visit, { when: 'all' })}">${texts.showAll}</a>` : ''}
    </p>`,
  )
}

import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { isStaff } from '../../access/actor.ts'
import { asLine } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { isUuid } from '../../base/ids.ts'
import { Slices } from '../../base/slices.ts'
import { pagesOf } from '../../base/paging.ts'
import { listItems, pageOrFirst } from '../frame/lists.ts'
import { presentBooking } from '../../bookings/presented-booking.ts'
import { listBookings, showBooking } from '../../bookings/booking.ts'
import { nameOf } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { turnsFor } from '../../bookings/costly.ts'
import { locationKind, staffKind } from '../../catalogue/catalogue-kinds.ts'
import { problems, StrictObject } from '../../base/wire.ts'
import { choice, filledForm, hidden } from '../../pages/form.ts'
import { businessOf, type ConsoleVisit, findVisit, pathOf } from '../frame/console-page.ts'
import { consoleRoutes, seeOther, tags } from '../frame/console-route.ts'
import { csvRow, csvStart } from '../../base/csv.ts'
import { clientName } from '../frame/formats.ts'
import { sendLogIn } from '../frame/gate-page.ts'
import { bookingRow, type BookingRows } from './booking-page.ts'

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
  cursor: Choice,
  business: Type.Optional(Type.String({ maxLength: 600, description: 'Of a hub: the business to look at.' })),
}

type Address = Partial<Record<keyof typeof listQuery, string | undefined>>
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
        body: await listPage(context, visit, query),
      }),
    },
  ])
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    '/console/bookings.csv',
    {
      schema: {
        operationId: 'exportConsoleBookings',
        tags,
        summary: 'Bookings as a file for a spreadsheet, for owners who are logged in',
        description: `At most ${maxExported} rows. What could be a formula begins with an apostrophe.`,
        querystring: StrictObject(listQuery),
        response: {
          200: {
            description: 'The file, or the form to log in.',
            content: { 'text/csv': { schema: Type.String() }, 'text/html': { schema: Type.String() } },
          },
          303: Type.Null({ description: 'To the list: for those who may not export.' }),
          ...problems('not_found'),
        },
      },
    },
    async (request, reply) => {
      const visit = await findVisit(context, request, request.query.business)
      if (!visit) return sendLogIn(reply, { next: '/console/bookings' })
      if (visit.person.role !== 'owner' || !visit.business)
        return seeOther(reply, pathOf('/console/bookings', visit))
      const { cursor: _, ...address } = request.query // the file contains all pages
      const query = await readAddress(context, visit, address)
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

const columns = [
  ...['id', 'status', 'no_show', 'starts_at', 'ends_at', 'service', 'location', 'person', 'party_size'],
  ...['first_name', 'last_name', 'email', 'phone', 'notes', 'cancel_reason'],
  ...['deposit', 'deposit_amount', 'deposit_currency', 'created_at', 'items'],
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
  { person, isGone }: ConsoleVisit,
  query: Query,
): AsyncGenerator<string, void> {
  let head = csvStart + csvRow(columns)
  const slices = new Slices()
  let left = maxExported
  for await (const page of pagesOf((page) => listBookings(context, person, { ...query, ...page }))) {
    if (head === '') await slices.rest()
    const rows = page.slice(0, left)
    left -= rows.length
    yield head + (await slices.map(rows, (row) => exportedRow(presentBooking(row, person)))).join('')
    head = ''
    if (left === 0 || isGone()) return
  }
}

function exportedRow(booking: ReturnType<typeof presentBooking>): string {
  const { client, location, items } = booking
  const people = [...new Set(items.flatMap(({ staff }) => staff?.name ?? []))]
  const payment = 'payment' in booking ? booking.payment : undefined
  const isAbsent = 'no_show' in booking && booking.no_show
  return csvRow([
    ...[booking.id, booking.status, isAbsent ? 'yes' : 'no', booking.starts_at, booking.ends_at],
    ...[items.map(({ service }) => service.name).join(' + '), location.name],
    ...[people.length > 0 ? people.join(', ') : null, booking.party_size],
    ...[client.first_name, client.last_name, client.email, client.phone, booking.notes],
    'cancel_reason' in booking ? (booking.cancel_reason ?? null) : null,
    ...[payment?.status ?? null, payment?.amount ?? null, payment?.currency ?? null, booking.created_at],
    items.map(exportedItem).join('; '),
  ])
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
  const { person, location, cursor } = address
  const when = whenOf(address)
  const status = address.status === absent ? 'completed' : statuses.find((one) => one === address.status)
  const q = address.q && asLine(address.q).trim()
  const now = context.clock.now()
  return {
    sort: when === 'upcoming' ? 'starts_at' : '-starts_at',
    limit: 50,
    ...(business && { business_id: business.id }),
    ...(when === 'upcoming' && { from: now }),
    ...(when === 'past' && { to: now }),
    ...(status && { status }),
    ...(person && isUuid(person) && { staff_id: person.toLowerCase() }),
    ...(location && isUuid(location) && { location_id: location.toLowerCase() }),
    ...(q !== undefined && Array.from(q).length >= minSearched && { q: q.slice(0, 100) }),
    ...client,
    ...(address.status === absent && { noShow: true }),
    ...(cursor && { cursor }),
  }
}

/**
 * Returns the client of a booking. Addresses of pages never contain email addresses, because browsers and
 * logs store them.
 */
async function clientOf(context: Context, { person }: ConsoleVisit, id: string | undefined) {
  if (!id || isStaff(person)) return {}
  const booking = await showBooking(context, person, id)
  const { client_email: email } = booking
  return email === '' ? {} : { email, clientName: nameOf(booking) }
}

async function listPage(context: Context, visit: ConsoleVisit, address: Address): Promise<Html> {
  const texts = visit.texts.bookings
  const query = await readAddress(context, visit, address)
  const businessId = visit.business?.id
  const [{ data: rows, next_cursor: next }, people, places] = await Promise.all([
    pageOrFirst(query.cursor, (cursor) => listBookings(context, visit.person, { ...query, cursor })),
    listItems(context, visit.person, { kind: staffKind, businessId }),
    listItems(context, visit.person, { kind: locationKind, businessId }),
  ])
  const { business: _business, cursor: _cursor, ...kept } = address
  const isShort = address.q !== undefined && address.q.trim() !== '' && query.q === undefined
  return html`<h1>${texts.title}</h1>
    ${filterForm(visit, address, { people, places })}
    ${isShort ? html`<p class="fault" role="status">${texts.tooShort}</p>` : ''}
    ${rows.length === 0 ? emptyState(visit, address, next !== null) : rowList(visit, rows)}
    <p class="actions">
      ${
        next === null
          ? ''
          : html`<a class="button" href="${pathOf('/console/bookings', visit, { ...kept, cursor: next })}"
              >${texts.more}</a
            >`
      }
      ${
        visit.person.role === 'owner' && rows.length > 0
          ? html`<a class="button" href="${pathOf('/console/bookings.csv', visit, kept)}">${texts.export}</a>`
          : ''
      }
    </p>`
}

interface Named {
  id: string
  name: string
}

function filterForm(
  visit: ConsoleVisit,
  address: Address,
  { people, places }: { people: Named[]; places: Named[] },
): Html {
  const { texts } = visit
  const { bookings: t, booking } = texts
  const named = (items: Named[]) => items.map(({ id, name }) => [id, name] as const)
  const { q = '', status = '', person = '', location = '' } = address
  const state = filledForm({ when: whenOf(address), status, person, location })
  const statusOptions = [
    ...statuses.map((one) => [one, booking.status[one]] as const),
    [absent, booking.noShow] as const,
  ]
  return html`<form method="get" action="/console/bookings" class="filters" role="search">
    ${hidden({ business: businessOf(visit), client: address.client })}
    <div>
      <label for="q">${t.search}</label>
      <input id="q" name="q" type="search" value="${q}" maxlength="100" dir="auto" />
    </div>
    ${choice(state, { name: 'when', label: t.when, options: whens.map((when) => [when, t.whens[when]]) })}
    ${choice(state, { name: 'status', label: t.status, options: [['', t.anyStatus], ...statusOptions] })}
    ${choice(state, { name: 'person', label: t.person, options: [['', t.everyone], ...named(people)] })}
    ${choice(state, { name: 'location', label: t.location, options: [['', t.everywhere], ...named(places)] })}
    <button type="submit" class="main">${t.show}</button>
  </form>`
}

/** Renders a booking in the list. People who may see clients also get a link to the client. */
function rowList(visit: ConsoleVisit, rows: BookingRows): Html {
  const { texts, person } = visit
  return html`<ul class="rows">
    ${rows.map((row) => {
      const shown = presentBooking(row, person)
      const { client } = shown
      const name = clientName(client, visit)
      const what = html`<bdi class="client-name">${name}</bdi>
        <span class="soft"
          ><bdi>${row.service_name}</bdi
          >${row.staff_name === null ? '' : html` · <bdi>${row.staff_name}</bdi>`} ·
          <bdi>${row.location_name}</bdi></span
        >`
      const hasClient = !('redacted' in shown) && row.client_email !== ''
      return html`<li>
        ${bookingRow(visit, row, what)}
        ${
          hasClient
            ? html`<a
                class="row-more"
                href="${pathOf(`/console/clients/${row.id}`, visit)}"
                aria-label="${texts.booking.client}: ${name}"
                >${texts.booking.client}</a
              >`
            : ''
        }
      </li>`
    })}
  </ul>`
}

/** Renders suggestions if the list is empty. */
function emptyState(visit: ConsoleVisit, address: Address, hasMore: boolean): Html {
  const texts = visit.texts.bookings
  if (hasMore) return html`<p>${texts.searchOn}</p>`
  const isFiltered = [address.q, address.status, address.person, address.location].some(Boolean)
  const hint = isFiltered
    ? texts.nothingFound
    : whenOf(address) === 'upcoming'
      ? texts.nothingAhead
      : texts.nothing
  return html`<p>${hint}</p>
    <p>
      ${
        isFiltered || whenOf(address) !== 'all'
          ? html`<a href="${pathOf('/console/bookings', visit, { when: 'all' })}">${texts.showAll}</a>`
          : ''
      }
      ${isFiltered ? '' : html`<a href="${pathOf('/console', visit)}">${texts.toCalendar}</a>`}
    </p>`
}

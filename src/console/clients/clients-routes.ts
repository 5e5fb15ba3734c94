import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type Actor, hasRole, isStaff } from '../../access/actor.ts'
import { Problem } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { wholeNumber } from '../../base/phone-countries.ts'
import { pageOrFirst } from '../frame/lists.ts'
import { listBookings } from '../../bookings/booking.ts'
import { clientMoney } from '../../bookings/client-fees.ts'
import {
  clientAt,
  clientFigures,
  clientHistory,
  clientTimes,
  isErased,
  listClients,
  type ShownClient,
} from '../../bookings/client.ts'
import { exportWholeClient } from '../../bookings/client-export.ts'
import type { Context } from '../../bookings/context.ts'
import { eraseClient } from '../../bookings/erasure.ts'
import { blockClient, unblockClient } from '../../bookings/strangers.ts'
import { allowTexts, stoppedAt } from '../../mails/text-report.ts'
import { faultSummary } from '../../pages/form.ts'
import { type ConsoleVisit, doneNotice, panelScripts, pathOf } from '../frame/console-page.ts'
import {
  type BusinessVisit,
  type ConsoleRoute,
  consoleRoutes,
  type ShownPage,
} from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { changeClientRoute, newClientRoute } from './client-form.ts'
import { clientFileRoutes, clientImportRoutes, importPageRoute } from './import-routes.ts'
import { mergeClientRoute } from './merge-page.ts'
import { clientList, clientPage, type ClientView, erasePage } from './client-page.ts'

const path = '/console/clients'
const minSearched = 3
const shownBookings = 20
const perPage = 50

/** Registers the pages of a business's clients, and their actions. */
export function clientPageRoutes(app: FastifyInstance, context: Context): void {
  const ofClient = [clientRoute, changeClientRoute, mergeClientRoute, exportRoute, eraseRoute].map((route) =>
    route(context),
  )
  consoleRoutes(app, context, [
    listRoute(context),
    newClientRoute(context),
    importPageRoute(),
    ...ofClient.map((route): ConsoleRoute => ({ ...route, missing: sayMissing })),
  ])
  clientImportRoutes(app, context)
  clientFileRoutes(app, context)
}

function listRoute(context: Context): ConsoleRoute {
  return {
    path,
    name: 'ClientsPage',
    summary: 'The clients of a business',
    role: 'front_desk',
    query: {
      q: Type.Optional(Type.String({ maxLength: 600, description: 'A part of name, e-mail or phone.' })),
      sort: Type.Optional(Type.String({ maxLength: 600, description: '`name` (else) or `-name`.' })),
    },
    show: async (visit, { query }) => {
      const { clients: t } = visit.texts
      const q = query['q']?.trim() ?? ''
      const isShort = q !== '' && Array.from(q).length < minSearched
      const sort = query['sort'] === '-name' ? '-name' : 'name'
      const search = {
        ...({ business_id: visit.business.id, limit: perPage, sort } as const),
        ...(q !== '' && !isShort && { q: q.slice(0, 100) }),
      }
      const { data, next_cursor } = await pageOrFirst(query['cursor'] || undefined, (cursor) =>
        listClients(context, visit.person, { ...search, cursor }),
      )
      const fault = isShort ? t.tooShort : undefined
      return {
        title: t.title,
        section: 'clients',
        ...panelScripts,
        body: html`${doneNotice(visit.texts.clients.done, query['done'])}
        ${clientList(visit, { q, fault, sort, clients: await clientTimes(context, data), nextCursor: next_cursor })}`,
      }
    },
  }
}

function clientRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id`,
    name: 'ClientPage',
    summary: 'The client of a booking',
    role: 'staff',
    show: async (visit, { id, query }) =>
      clientPage(await readView(context, visit, id), doneNotice(visit.texts.clients.done, query['done'])),
    form: {
      act: async (visit, { action }, { id }) => {
        const { client, timezone } = await clientAt(context, visit.person, id)
        if (!hasRole(visit.person, 'front_desk')) throw new Problem('not_found', 'Staff change no clients.')
        if (action === 'allow_texts') {
          await allowTexts(context, visit.person, { ...client, timezone })
          return { path: `${path}/${id}`, query: { done: 'textsAllowed' } }
        }
        const named = { email: client.email ?? client.address, business_id: client.business_id }
        if (action === 'unblock') await unblockClient(context, visit.person, named)
        else await blockClient(context, visit.person, named)
        return { path: `${path}/${id}`, query: { done: action === 'unblock' ? 'unblocked' : 'blocked' } }
      },
      again: async (visit, state, { id }) =>
        clientPage(await readView(context, visit, id), faultSummary(state, visit.texts.setUp)),
    },
  }
}

function exportRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id/export`,
    name: 'ClientExport',
    summary: 'All that is kept about the client of a booking, as a file',
    role: 'owner',
    form: {
      fileType: 'application/json',
      act: async (visit, _typed, { id }) => {
        const { client } = await clientAt(context, visit.person, id)
        const named = { client_id: client.id, business_id: client.business_id }
        const whole = await exportWholeClient(context, visit.person, named)
        return { file: { name: 'client.json', text: `${JSON.stringify(whole, null, 2)}\n` } }
      },
      again: async (visit, state, { id }) =>
        clientPage(await readView(context, visit, id), faultSummary(state, visit.texts.setUp)),
    },
  }
}

function eraseRoute(context: Context): ConsoleRoute {
  const show = async (visit: BusinessVisit, id: string): Promise<ShownPage> =>
    erasePage(await readView(context, visit, id), context.clock.now())
  return {
    path: `${path}/:id/erase`,
    name: 'ClientErasure',
    summary: 'The question before a client is erased',
    role: 'owner',
    show: (visit, { id }) => show(visit, id),
    form: {
      act: async (visit, _typed, { id }) => {
        if (await isErased(context, visit.person, id)) return { path, query: { done: 'erased' } } // sent twice
        const { client } = await clientAt(context, visit.person, id)
        const named = { client_id: client.id, business_id: client.business_id }
        await eraseClient(context, visit.person, named)
        return { path, query: { done: 'erased' } }
      },
      again: (visit, _state, { id }) => show(visit, id),
    },
  }
}

/** Maximum number of others with the same address, and with the same number, that the page names. */
const shownOthers = 10

/** Finds others with the address of a client, and further ones with their phone number in any spelling. */
async function sharingWith(context: Context, actor: Actor, { client, timezone }: ShownClient) {
  const { id, business_id, email, phone } = client
  const query = { business_id, limit: shownOthers }
  const [sameAddress, sameDigits] = await Promise.all([
    email === null ? [] : listClients(context, actor, { ...query, email }).then(({ data }) => data),
    phone === null ? [] : listClients(context, actor, { ...query, q: phone }).then(({ data }) => data),
  ])
  const byEmail = sameAddress.filter((other) => other.client.id !== id)
  const known = new Set([id, ...byEmail.map((other) => other.client.id)])
  const number = wholeNumber(phone ?? '', timezone)
  const byPhone = sameDigits.filter(
    (other) => !known.has(other.client.id) && wholeNumber(other.client.phone ?? '', timezone) === number,
  )
  return { byEmail, byPhone }
}

async function readView(context: Context, visit: BusinessVisit, id: string): Promise<ClientView> {
  const { person } = visit
  const shown = await clientAt(context, person, id)
  const { client } = shown
  const { business_id } = client
  const now = context.clock.now()
  const ofClient = { client_id: client.id, business_id, limit: shownBookings }
  const [counts, figures, money, [times], stopped, others, ahead, past] = await Promise.all([
    clientHistory(context, shown, now),
    isStaff(person) ? undefined : clientFigures(context, shown),
    isStaff(person) ? undefined : clientMoney(context, client),
    isStaff(person) ? [] : clientTimes(context, [shown]),
    stoppedAt(context, { ...client, timezone: shown.timezone }),
    isStaff(person) ? { byEmail: [], byPhone: [] } : sharingWith(context, person, shown),
    listBookings(context, person, { ...ofClient, from: now, sort: 'starts_at' }),
    listBookings(context, person, { ...ofClient, to: now, sort: '-starts_at' }),
  ])
  const business = visit.businesses.find((one) => one.id === business_id) ?? visit.business
  const bookingId = id === client.id ? undefined : id
  return {
    ...shown,
    bookingId,
    visit: { ...visit, business },
    counts,
    figures,
    money,
    // staff see only their own appointments
    last_at: times ? times.last_at : (past.data.find(isVisit)?.starts_at ?? null),
    next_at: times ? times.next_at : (ahead.data.find(isVisit)?.starts_at ?? null),
    stopped,
    others,
    ahead: ahead.data,
    past: past.data,
  }
}

function isVisit({ cancelled_at, no_show_at }: ClientView['past'][number]): boolean {
  return cancelled_at === null && no_show_at === null
}

function sayMissing(visit: ConsoleVisit): ShownPage {
  const t = visit.texts.clients
  return {
    title: t.notFound,
    section: 'clients',
    body: html`<h1>${t.notFound}</h1>
      ${emptyState(
        'search',
        t.notFoundWhy,
        html`<a class="button" href="${pathOf(path, visit)}">${t.toList}</a>`,
      )}`,
  }
}

import { Type } from 'typebox'
import { fullName } from '../../base/contact-formats.ts'
import { html, type Html } from '../../base/html.ts'
import { clientAt, listClients, mergeClients, type ShownClient, showClient } from '../../bookings/client.ts'
import { tagsOf } from '../../bookings/client-rules.ts'
import type { Context } from '../../bookings/context.ts'
import { faultSummary, hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { businessOf } from '../frame/console-page.ts'
import type { BusinessVisit, ConsoleRoute, ShownPage } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { searchField } from '../frame/lists.ts'
import { clientPath } from './client-page.ts'

/* Two entries of one person become one: a search for the other entry, then a page that says what moves. */

const path = '/console/clients'
const minSearched = 3
const maxFound = 20

/** The pages that merge another client into this one, and their action. */
export function mergeClientRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id/merge`,
    name: 'ClientMerge',
    summary: 'Merge another client into this one',
    role: 'front_desk',
    query: {
      q: Type.Optional(Type.String({ maxLength: 600, description: 'A part of name, e-mail or phone.' })),
      other: Type.Optional(
        Type.String({ maxLength: 600, description: 'The ID of the other client, to confirm.' }),
      ),
    },
    show: (visit, { id, query }) => show(context, visit, { id, ...query }),
    form: {
      act: async (visit, { other = '' }, { id }) => {
        const { client } = await clientAt(context, visit.person, id)
        await mergeClients(context, visit.person, { id: other, into: client.id })
        return { path: `${path}/${client.id}`, query: { done: 'merged' } }
      },
      again: async (visit, state, { id }) => {
        const page = await show(context, visit, { id })
        return { ...page, body: html`${faultSummary(state, visit.texts.setUp)} ${page.body}` }
      },
    },
  }
}

interface Wanted {
  id: string
  q?: string | undefined
  other?: string | undefined
}

async function show(context: Context, visit: BusinessVisit, { id, q, other }: Wanted): Promise<ShownPage> {
  const into = await clientAt(context, visit.person, id)
  const { client } = into
  if (other !== undefined && other !== client.id) {
    const from = await showClient(context, visit.person, other)
    if (from.client.business_id === client.business_id) return confirmPage(visit, { into, from })
  }
  // without a search, those with the same last name
  const text = (q ?? (client.last_name || client.first_name)).trim()
  const isShort = Array.from(text).length < minSearched
  const { data } = isShort
    ? { data: [] }
    : await listClients(context, visit.person, {
        ...{ business_id: client.business_id, limit: maxFound, q: text.slice(0, 100) },
      })
  const found = data.filter((one) => one.client.id !== client.id)
  return findPage(visit, { into, q: q ?? '', found, isShort: isShort && q !== undefined })
}

const nameOf = ({ client }: ShownClient) => fullName(client.first_name, client.last_name)

function frame(visit: BusinessVisit, { title, back, body }: { title: string; back: string; body: Html }) {
  return {
    title,
    visit,
    section: 'clients' as const,
    panel: true as const,
    body: html`<p><a class="back" href="${back}">${visit.texts.setUp.back}</a></p>
      <div class="narrow">
        <h1><bdi>${title}</bdi></h1>
        ${body}
      </div>`,
  }
}

interface Search {
  into: ShownClient
  q: string
  found: readonly ShownClient[]
  isShort: boolean
}

/** Renders the search for the other entry. */
function findPage(visit: BusinessVisit, { into, q, found, isShort }: Search): ShownPage {
  const { clients: t } = visit.texts
  const { id } = into.client
  const title = t.mergeTitle({ name: nameOf(into) })
  const none = q === '' ? html`` : emptyState('search', isShort ? t.tooShort : t.nobodyFound)
  return frame(visit, {
    title,
    back: clientPath(visit, id),
    body: html`<p>${t.mergeHow}</p>
      <form method="get" action="${path}/${id}/merge" class="filters" role="search" aria-label="${title}">
        ${hidden({ business: businessOf(visit) })} ${searchField(t.search, q, 'merge-q')}
        <button type="submit" class="main">${t.find}</button>
      </form>
      ${
        found.length === 0
          ? none
          : html`<ul class="rows of-visits">
              ${found.map((other) => html`<li>${foundRow(visit, { id, other })}</li>`)}
            </ul>`
      }`,
  })
}

function foundRow(visit: BusinessVisit, { id, other }: { id: string; other: ShownClient }): Html {
  const { phone, email, booking_count: count, id: otherId } = other.client
  const name = nameOf(other)
  return html`<a class="row" href="${clientPath(visit, id, '/merge', { other: otherId })}">
    <span class="row-who"
      >${face(name)}
      <span class="row-what"
        ><bdi class="client-name">${name}</bdi>
        <bdi class="soft">${[phone, email].filter((way) => way !== null).join(' · ')}</bdi></span
      ></span
    >
    <span class="end soft">${visit.texts.clients.visits({ count })}</span>
  </a>`
}

/** Renders what moves, and the question. */
function confirmPage(
  visit: BusinessVisit,
  { into, from }: { into: ShownClient; from: ShownClient },
): ShownPage {
  const { clients: t, booking } = visit.texts
  const [name, other] = [nameOf(into), nameOf(from)]
  const { notes, email, phone, booking_count: count } = from.client
  const tags = tagsOf(from.client)
  const fact = (label: string, value: Html) =>
    html`<dt>${label}</dt>
      <dd>${value}</dd>`
  const isLacking = (field: 'email' | 'phone') => into.client[field] === null
  const entry = ({ client }: ShownClient, called: string) =>
    html`<p>
      ${face(called)}
      <span
        ><bdi class="client-name">${called}</bdi>
        <bdi class="soft"
          >${[client.phone, client.email].filter((one) => one !== null).join(' · ')}</bdi
        ></span
      >
    </p>`
  return frame(visit, {
    title: t.mergeAsk({ other, name }),
    back: clientPath(visit, into.client.id, '/merge'),
    body: html`<div class="merged">${entry(from, other)} ${icon('next')} ${entry(into, name)}</div>
      <h2>${t.mergeMoves({ name })}</h2>
      <dl class="facts">
        ${fact(visit.texts.frame.bookings, html`${t.visits({ count })}`)}
        ${notes === null ? '' : fact(t.notes, html`<bdi class="written">${notes}</bdi>`)}
        ${tags.length === 0 ? '' : fact(t.tags, html`<bdi>${tags.join(', ')}</bdi>`)}
        ${phone !== null && isLacking('phone') ? fact(t.phone, html`<bdi dir="ltr">${phone}</bdi>`) : ''}
        ${email !== null && isLacking('email') ? fact(booking.email, html`<bdi>${email}</bdi>`) : ''}
      </dl>
      <p>${t.mergeGone({ other, name })}</p>
      <p><strong>${t.mergeFinal}</strong></p>
      <form method="post" action="${clientPath(visit, into.client.id, '/merge')}">
        ${hidden({ other: from.client.id })}
        <div class="actions">
          <button type="submit" class="main">${t.merge}</button>
          <a class="button" href="${clientPath(visit, from.client.id, '/merge', { other: into.client.id })}"
            >${t.mergeSwap({ other })}</a
          >
        </div>
      </form>`,
  })
}

import { Problem } from '../../base/errors.ts'
import { html, type Html } from '../../base/html.ts'
import { changeClient, clientAt, createClient, presentClient } from '../../bookings/client.ts'
import { ChangeClient, type Client, CreateClient } from '../../bookings/client-schemas.ts'
import type { Static } from 'typebox'
import type { Context } from '../../bookings/context.ts'
import { faultSummary, filledForm, type FormState, hidden, typedPhone } from '../../pages/form.ts'
import { pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, checkedForm, type ConsoleRoute, type ShownPage } from '../frame/console-route.ts'
import { fieldsOf, fillRows, lines, optional, readRows, type Rows, text } from '../frame/form-rows.ts'

/* The form of a client: a new one, and the changes of one, which apply to all their bookings. */

const path = '/console/clients'

function clientRows({ texts: { book, clients: t } }: BusinessVisit): Rows<Static<typeof Client>> {
  const phone = { type: 'tel', max: 32, spell: typedPhone } as const
  return [
    ['first_name', text({ required: true, max: 100 }), book.firstName],
    ['last_name', optional({ max: 100 }), book.lastName],
    ['email', optional({ type: 'email', max: 254 }), book.email],
    ['phone', optional(phone), book.phone],
    ['notes', optional({ rows: 3, max: 2_000 }), t.notes, t.notesHint],
    ['tags', lines({ between: /\s*[,;\n]\s*/, max: 900 }), t.tags, t.tagsHint],
  ]
}

function formPage(visit: BusinessVisit, state: FormState & { refusal?: unknown }, id?: string): ShownPage {
  const { clients: t, setUp } = visit.texts
  const at = fieldsOf(clientRows(visit), state)
  const title = id === undefined ? t.add : visit.texts.booking.correct
  return {
    title,
    visit,
    section: 'clients',
    panel: true,
    body: html`<p>
        <a class="back" href="${pathOf(id === undefined ? path : `${path}/${id}`, visit)}">${setUp.back}</a>
      </p>
      <h1>${title}</h1>
      ${faultSummary(state, setUp, otherLink(visit, state.refusal))}
      <form method="post" class="fields narrow">
        ${id === undefined ? hidden({ once: visit.once }) : ''}
        <div class="beside">${at('first_name', 'last_name')}</div>
        <div class="beside">${at('email', 'phone')}</div>
        ${at('notes', 'tags')}
        <div class="actions save"><button type="submit" class="main">${setUp.save}</button></div>
      </form>`,
  }
}

/** Renders the link to the client who has the name and contact already. */
function otherLink(visit: BusinessVisit, refusal: unknown): Html {
  const id = refusal instanceof Problem ? refusal.parts.extensions?.['client_id'] : undefined
  if (typeof id !== 'string') return html``
  return html`<p><a href="${pathOf(`${path}/${id}`, visit)}">${visit.texts.clients.openOther}</a></p>`
}

/** The form of a new client. */
export function newClientRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/new`,
    name: 'NewClientPage',
    summary: 'The form of a new client',
    role: 'front_desk',
    show: async (visit) => formPage(visit, filledForm({})),
    form: {
      ...{ rows: clientRows, refusals: { client_exists: 409 as const } },
      act: (visit, typed, _address, once) => {
        const members = Object.entries(readRows(clientRows(visit), typed)).filter(
          ([, value]) => value !== null,
        )
        const given = { ...Object.fromEntries(members), business_id: visit.business.id }
        const body = checkedForm(CreateClient, given)
        return once(
          (store) => createClient(context, visit.person, body, store),
          ({ client: { id } }) => ({ path: `${path}/${id}`, query: { done: 'saved' } }),
        )
      },
      again: async (visit, state) => formPage(visit, state),
    },
  }
}

/** The form that changes a client. */
export function changeClientRoute(context: Context): ConsoleRoute {
  return {
    path: `${path}/:id/edit`,
    name: 'ClientEditPage',
    summary: 'The form that changes a client',
    role: 'front_desk',
    show: async (visit, { id }) => {
      const shown = await clientAt(context, visit.person, id)
      return formPage(visit, filledForm(fillRows(clientRows(visit), presentClient(shown))), shown.client.id)
    },
    form: {
      ...{ rows: clientRows, refusals: { client_exists: 409 as const } },
      act: async (visit, typed, { id }) => {
        const { client } = await clientAt(context, visit.person, id)
        const change = checkedForm(ChangeClient, readRows(clientRows(visit), typed))
        await changeClient(context, visit.person, { id: client.id, change })
        return { path: `${path}/${client.id}`, query: { done: 'saved' } }
      },
      again: async (visit, state, { id }) => formPage(visit, state, id),
    },
  }
}

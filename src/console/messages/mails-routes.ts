import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasRole } from '../../access/actor.ts'
import { html, type Html } from '../../base/html.ts'
import { readInstant } from '../../base/instants.ts'
import { byDay, nextPage, pageOrFirst } from '../frame/lists.ts'
import { clientNamesIn } from '../../bookings/client.ts'
import type { Context } from '../../bookings/context.ts'
import { entryNamesIn } from '../../bookings/waitlist.ts'
import { listMails, markMailsSeen, retryMail } from '../../mails/mail.ts'
import { choice, filledForm, hidden } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import { businessOf, doneNotice, pathOf } from '../frame/console-page.ts'
import { type BusinessVisit, consoleRoutes } from '../frame/console-route.ts'
import { emptyState } from '../frame/empty-state.ts'
import { face } from '../frame/faces.ts'
import { clientName, clockText } from '../frame/formats.ts'
import { waitText } from './wait-text.ts'

const path = '/console/mails'
const statuses = ['queued', 'sent', 'failed', 'kept'] as const
const channels = ['email', 'text'] as const

/** The filter, as it stands in the address. */
type Kept = { status?: (typeof statuses)[number]; channel?: (typeof channels)[number] }
type Address = Record<string, string | undefined>
type ListedMail = Awaited<ReturnType<typeof listMails>>['data'][number]

/** Registers the list of a business's emails, including failed ones. */
export function mailsPageRoutes(app: FastifyInstance, context: Context): void {
  const query = {
    status: Type.Optional(Type.String({ maxLength: 600 })),
    channel: Type.Optional(Type.String({ maxLength: 600, description: '`email` or `text`, else both.' })),
    done: Type.Optional(Type.String({ maxLength: 600, description: 'What was done just before.' })),
  }
  const show = async (visit: BusinessVisit, address: Address) => ({
    title: visit.texts.mails.title,
    section: 'mails' as const,
    body: await mailsPage(context, visit, address),
  })
  consoleRoutes(app, context, [
    {
      ...{ path, name: 'MailsPage', summary: 'The mails of a business', role: 'front_desk', query },
      show: (visit, address) => show(visit, address.query),
      form: {
        act: async (visit, typed) => {
          const kept = keptOf(typed)
          if (typed['do'] === 'seen') {
            await markMailsSeen(context, visit.business.id)
            return { path, query: { ...kept, done: 'seen' } }
          }
          await retryMail(context, visit.person, typed['id'] ?? '')
          return { path, query: { ...kept, done: 'retried' } }
        },
        again: (visit, _state, address) => show(visit, address.query),
      },
    },
  ])
}

function keptOf(address: Address): Kept {
  const status = statuses.find((one) => one === address['status'])
  const channel = channels.find((one) => one === address['channel'])
  return { ...(status && { status }), ...(channel && { channel }) }
}

async function mailsPage(context: Context, visit: BusinessVisit, address: Address): Promise<Html> {
  const { mails: t } = visit.texts
  const kept = keptOf(address)
  const state = filledForm({ status: kept.status ?? '', channel: kept.channel ?? '' })
  const query = { limit: 50, business_id: visit.business.id, ...kept }
  const page = await pageOrFirst(address['cursor'], (cursor) =>
    listMails(context, visit.person, { ...query, cursor }),
  )
  const names = await namesOf(context, visit, page.data)
  const { timezone } = visit.business
  const days = byDay(page.data, {
    ...{ now: context.clock.now(), locale: visit.locale },
    at: ({ created_at }) => [readInstant(created_at), timezone],
  })
  return html`<div class="head">
      <h1>${t.title}</h1>
      ${hasRole(visit.person, 'owner') ? html`<a class="button" href="${pathOf('/console/mails/server', visit)}">${visit.texts.ownMail.title}</a>` : ''}
    </div>
    <p>${t.what}</p>
    ${doneNotice(visit.texts.mails.done, address['done'])} ${seenForm(visit, kept)}
    <form method="get" action="${path}" class="filters" data-apply>
      ${hidden({ business: businessOf(visit) })}
      ${choice(state, {
        ...{ name: 'channel', label: t.type },
        options: [['', t.anyType] as const, ...channels.map((one) => [one, t.types[one]] as const)],
      })}
      ${choice(state, {
        ...{ name: 'status', label: t.status },
        options: [['', t.all] as const, ...statuses.map((one) => [one, t.statuses[one]] as const)],
      })}
      <button type="submit">${visit.texts.bookings.show}</button>
    </form>
    ${
      page.data.length > 0
        ? days.map(
            ({ heading, items }) =>
              html`<h2>${heading}</h2>
                <ul class="rows of-messages">
                  ${items.map((mail) => html`<li>${row(visit, mail, { kept, names })}</li>`)}
                </ul>`,
          )
        : emptyState('mails', Object.keys(kept).length === 0 ? t.empty : t.nothingFound)
    }
    ${nextPage(visit, path, page.next_cursor, kept)}`
}

/** Renders the form that ends the notice on every page. Failed emails stay in the list. */
function seenForm(visit: BusinessVisit, kept: Kept): Html {
  const { mails: t } = visit.texts
  if (visit.unseenMails === 0) return html``
  return html`<form method="post" action="${pathOf(path, visit)}" class="notice">
    <p>${t.failedHow}</p>
    ${hidden({ ...kept, do: 'seen' })}
    <button type="submit">${t.seen}</button>
  </form>`
}

type Names = Awaited<ReturnType<typeof clientNamesIn>>

/** Returns the names of the clients whose bookings or entries of the waiting list messages are about, by its ID. */
async function namesOf(
  context: Context,
  { business }: BusinessVisit,
  mails: readonly ListedMail[],
): Promise<Names> {
  const bookings = mails.flatMap(({ booking_id }) => booking_id ?? [])
  const entries = mails.flatMap(({ waitlist_entry_id }) => waitlist_entry_id ?? [])
  return new Map([
    ...(await clientNamesIn(context, business.id, bookings)),
    ...(await entryNamesIn(context, business.id, entries)),
  ])
}

/** Messages to clients that are about no booking. */
const toClients: readonly ListedMail['kind'][] = [
  'client_link',
  'offered',
  'waitlist_joined',
  'waitlist_ended',
]

/** Renders a message as a row: time, kind, client, address and state. */
function row(visit: BusinessVisit, mail: ListedMail, { kept, names }: { kept: Kept; names: Names }): Html {
  const { mails: t, booking } = visit.texts
  const { id, booking_id, waitlist_entry_id, channel, kind, to, created_at, last_error, waits_for } = mail
  const what = html`${icon(channel === 'text' ? 'message' : 'mails')}
    <span class="unseen">${t.types[channel]}:</span> ${booking.mails[kind]}`
  const client = names.get(booking_id ?? waitlist_entry_id ?? '')
  const page =
    booking_id !== null
      ? `/console/bookings/${booking_id}`
      : client && waitlist_entry_id !== null
        ? `/console/waitlist/${waitlist_entry_id}`
        : undefined
  const name = client === undefined ? undefined : clientName(client, visit)
  const isRetried = mail.status !== 'sent' && mail.status !== 'kept' && last_error !== null
  const cells = html`<time class="row-time" datetime="${created_at}"
      >${clockText(readInstant(created_at), { timezone: visit.business.timezone, locale: visit.locale })}</time
    >
    <span class="row-sign">${what}</span>
    <span class="row-who"
      >${name === undefined ? (toClients.includes(kind) ? '' : html`<span class="soft">${t.toTeam}</span>`) : html`${face(name)} <bdi class="client-name">${name}</bdi>`}</span
    >
    <bdi class="row-to soft">${to}</bdi>
    <span class="row-state">${mailSign(visit, mail)}</span>`
  const why = html`${waits_for === null ? '' : html`<span>${waitText(visit, mail)}</span>`}
  ${last_error === null ? '' : html`<bdi dir="auto">${last_error}</bdi>`}`
  return html`${
    page === undefined
      ? html`<div class="row">${cells}</div>`
      : html`<a class="row" href="${pathOf(page, visit)}">${cells}</a>`
  }
  ${why.text.trim() === '' ? '' : html`<p class="why soft">${why}</p>`}
  ${
    isRetried
      ? html`<form method="post" action="${pathOf(path, visit)}">
          ${hidden({ ...kept, id, do: 'retry' })}
          <button type="submit" aria-label="${t.retryOf({ what: booking.mails[kind], to })}">
            ${icon('again')} ${t.retry}
          </button>
        </form>`
      : ''
  }`
}

/** Renders the state of a message as a sign and a word. */
function mailSign(
  { texts: { mails: t } }: BusinessVisit,
  { status, delivered_at }: Pick<ListedMail, 'status' | 'delivered_at'>,
): Html {
  if (status === 'sent')
    return html`<span class="state is-${delivered_at === null ? 'completed' : 'confirmed'}"
      >${icon('done')} ${delivered_at === null ? t.signs.sent : t.signs.delivered}</span
    >`
  if (status === 'kept') return html`<span class="state is-completed">${icon('done')} ${t.signs.kept}</span>`
  return status === 'queued'
    ? html`<span class="state is-pending">${icon('waiting')} ${t.signs.queued}</span>`
    : html`<span class="state is-absent">${icon('warning')} ${t.signs.failed}</span>`
}
